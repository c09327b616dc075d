"""Networks that predict marks and case at once."""

from typing import List

from spacy.ml.models.tagger import build_tagger_model
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d


def build_product_tag_model(
    tok2vec: Model[List[Doc], List[Floats2d]],
) -> Model[List[Doc], List[Floats2d]]:
    """Build the model `spacy_punctcase.ProductTag.v1`: one softmax over all combinations of a
    mark and a case. Before models had an output for each of the two this was the usual one.

    tok2vec (Model[List[Doc], List[Floats2d]]): One vector for each word.
    RETURNS (Model[List[Doc], List[Floats2d]]): Probabilities of the tags, one row a word.
    """
    return build_tagger_model(tok2vec, normalize=True)
