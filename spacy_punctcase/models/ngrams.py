"""What was counted of short runs of words, as a tok2vec layer beside a trained one."""

from functools import partial
from typing import Any, Callable, List, Optional, Tuple, Union

import numpy
from spacy.attrs import ORTH
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..errors import Errors
from ..gold.ngrams import WIDTH, NgramCounts, count_ngrams
from ..gold.readers import PathLike, Weights

#: What the layers are called.
NGRAM_TOK2VEC = "ngram_tok2vec"


def build_ngram_tok2vec(
    path: Optional[Union[PathLike, List[PathLike]]] = None,
    weights: Weights = {},
    min_count: int = 5,
) -> Model[List[Doc], List[Floats2d]]:
    """Build a tok2vec layer of counts: how often which mark stood behind a word, and how often the
    word had which case, in the runs of up to three words that it is in. They are counted when the
    component is initialized, and saved with it; nothing of the layer is trained. Put it beside a
    layer that is, with thinc's `concatenate.v1`.

    Count other text than is trained on. Where a run was counted in the very place that is to be
    learnt, it says more than it will of any other text.

    path (Optional[Union[str, Path, List]]): Well-formed text to count; see TextCorpus.
    weights (Union[Dict[str, float], str, Path]): Weights of the files as in training; those of
        weight 0 are left out.
    min_count (int): How often a run must occur.
    RETURNS (Model[List[Doc], List[Floats2d]]): From Docs to values, (tokens, WIDTH), for each.
    """
    return Model(
        NGRAM_TOK2VEC,
        _forward,
        init=partial(_init, path=path, weights=weights, min_count=min_count),
        dims={"nO": WIDTH},
        attrs={"counts": NgramCounts()},
    )


def _init(
    model: Model,
    X: Any = None,
    Y: Any = None,
    *,
    path: Optional[Union[PathLike, List[PathLike]]],
    weights: Weights,
    min_count: int,
) -> None:
    if model.attrs["counts"].tables:
        return
    if path is None:
        raise ValueError(Errors.P016)
    model.attrs["counts"] = count_ngrams(path, weights, min_count=min_count)


def _forward(
    model: Model, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable[[List[Floats2d]], List[Doc]]]:
    values = model.attrs["counts"].look_up([doc.to_array([ORTH]).ravel() for doc in docs])
    ends = numpy.cumsum([len(doc) for doc in docs])
    rows: Any = numpy.split(values.reshape(-1, WIDTH), ends[:-1])
    outputs: List[Any] = [model.ops.asarray(part) for part in rows]
    return outputs, lambda gradients: []
