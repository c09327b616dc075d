"""Share of the documents that are exactly as in gold."""

from collections import Counter
from typing import Any, Dict

from ..text.case import lower
from ..text.words import split_words
from .counts import Counts


def count_match(predicted: str, gold: str) -> Counts:
    """Whether a document is the same as in gold, white space aside.

    predicted (str): The predicted text.
    gold (str): The gold text.
    RETURNS (Counter): Counts for `score_match`.
    """
    ours, theirs = (" ".join(text.split()) for text in (predicted, gold))
    our_words, their_words = (
        [text[word.core_start : word.core_end].rstrip(".") for word in split_words(text)]
        for text in (predicted, gold)
    )
    return Counter(
        documents=1,
        match=int(ours == theirs),
        match_ignoring_case=int(lower(ours) == lower(theirs)),
        match_ignoring_marks=int(our_words == their_words),
    )


def score_match(counts: Counts) -> Dict[str, Any]:
    """Shares of documents that match.

    counts (Counter): What `count_match` returned, or a sum of that.
    RETURNS (Dict[str, Any]): match, match_ignoring_case and match_ignoring_marks; None where
        there is no document.
    """
    total = counts["documents"]
    return {
        name: counts[name] / total if total else None
        for name in ("match", "match_ignoring_case", "match_ignoring_marks")
    }
