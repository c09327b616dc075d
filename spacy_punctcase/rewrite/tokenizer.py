"""The pipeline's own tokenizer, bound to the vocab of the Doc at hand."""

import copy
from typing import Any, Callable, Optional

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab


class BoundTokenizer:
    """Makes Docs with a pipeline's tokenizer, for whatever vocab is asked for.

    A component that was sourced into another pipeline (`nlp.add_pipe(name, source=other)`) still
    holds the other pipeline and its vocab; a Doc made with that vocab would fail further down.

    nlp (Language): The pipeline whose tokenizer is used. Held rather than its tokenizer, since
        that may be replaced later.
    """

    def __init__(self, nlp: Language):
        self.nlp = nlp
        self._vocab: Optional[Vocab] = None
        self._copied_from: Any = None
        self._copy: Any = None

    def __call__(self, vocab: Vocab) -> Callable[[str], Doc]:
        tokenizer = self.nlp.tokenizer
        if getattr(tokenizer, "vocab", vocab) is vocab:
            return tokenizer
        if self._vocab is not vocab or self._copied_from is not tokenizer:
            self._copy = _copy_tokenizer(tokenizer, vocab)
            self._vocab, self._copied_from = vocab, tokenizer
        return self._copy


def _copy_tokenizer(tokenizer: Any, vocab: Vocab) -> Callable[[str], Doc]:
    """A copy of a tokenizer that has the given vocab wherever it had its own."""
    bound = copy.deepcopy(tokenizer, {id(tokenizer.vocab): vocab})
    if hasattr(tokenizer, "faster_heuristics"):  # the one setting that spaCy's own copy loses
        bound.faster_heuristics = tokenizer.faster_heuristics
    return bound
