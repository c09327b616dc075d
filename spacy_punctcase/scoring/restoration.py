"""Marks and case together, for components that restore both."""

from typing import Any, Callable, Dict, Iterable

from spacy.training import Example

from .casing import score_casing
from .punctuation import score_punctuation


def score_restoration(examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
    """Score marks and case in the predicted texts of Examples, then realign the Examples.

    RETURNS (Dict[str, Any]): See `score_punctuation` and `score_casing`.
    """
    examples = list(examples)
    return {**score_punctuation(examples, **kwargs), **score_casing(examples, **kwargs)}


def make_restoration_scorer() -> Callable:
    """Make the scorer of the joint restorer, `spacy_punctcase.restoration_scorer.v1`."""
    return score_restoration
