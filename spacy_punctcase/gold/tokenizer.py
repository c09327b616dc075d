"""A tokenizer for evaluating restorers on ordinary annotated corpora (format B)."""

from typing import Any, Callable, Dict, Iterable

from spacy.language import Language, create_tokenizer
from spacy.scorer import Scorer
from spacy.tokenizer import Tokenizer
from spacy.training import Example

from .align import realign_examples


class RealigningTokenizer(Tokenizer):
    """spaCy's own tokenizer, which moves gold annotations onto the predicted text before anything
    is scored.

    The tokenizer is scored before any component, and spaCy cannot align a restored text with the
    text of a corpus (E949).
    """

    def score(self, examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
        """Realign the Examples, then score the tokens.

        examples (Iterable[Example]): The Examples; references are replaced where texts differ.
        RETURNS (Dict[str, Any]): The scores of `Scorer.score_tokenization`.
        """
        examples = list(examples)
        realign_examples(examples)
        return Scorer.score_tokenization(examples)


def create_realigning_tokenizer() -> Callable[[Language], Tokenizer]:
    """Registered function `spacy_punctcase.RealigningTokenizer.v1`: the language's default
    tokenizer with a `score` that realigns first."""

    def make_tokenizer(nlp: Language) -> Tokenizer:
        default = create_tokenizer()(nlp)
        return RealigningTokenizer(
            nlp.vocab,
            rules=default.rules,
            prefix_search=default.prefix_search,
            suffix_search=default.suffix_search,
            infix_finditer=default.infix_finditer,
            token_match=default.token_match,
            url_match=default.url_match,
        )

    return make_tokenizer
