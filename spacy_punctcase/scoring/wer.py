"""Word error rate with and without marks and case."""

from collections import Counter
from typing import Any, Dict, List, Mapping, Sequence

from rapidfuzz.distance import Levenshtein

from ..text.case import lower
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK
from ..text.words import split_words
from .counts import Counts
from .punctuation import mark_label

#: The rates, and whether marks and case count in them.
RATES = {
    "wer": (False, False),
    "wer_marks": (True, False),
    "wer_case": (False, True),
    "wer_marks_case": (True, True),
}


def count_wer(
    predicted: str,
    gold: str,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Mapping[str, str] = DEFAULT_MARK_MAP,
) -> Counts:
    """Count the edits between the tokens of two texts, four ways. A token is a word or, where
    marks count, the mark that follows it.

    predicted (str): The predicted text.
    gold (str): The gold text.
    marks (Sequence[str]): The marks that count.
    mark_map (Mapping[str, str]): What others count as.
    RETURNS (Counter): Edits and gold tokens of each rate.
    """
    ours, theirs = (_tokens(text, marks, mark_map) for text in (predicted, gold))
    counts: Counts = Counter()
    for name in RATES:
        counts[name, "edits"] = Levenshtein.distance(ours[name], theirs[name])
        counts[name, "tokens"] = len(theirs[name])
    return counts


def _tokens(text: str, marks: Sequence[str], mark_map: Mapping[str, str]) -> Dict[str, List[str]]:
    """The tokens for each rate."""
    words: List[str] = []
    words_marks: List[str] = []
    for word in split_words(text):
        # The dot of an abbreviation and the form of a sigma are no matter of words or case.
        core = text[word.core_start : word.core_end].rstrip(".").replace("ς", "σ")
        label = mark_label(word.mark, marks, mark_map)
        words.append(core)
        words_marks.extend([core] if label == NO_MARK else [core, label])
    return {
        name: [
            token if has_case else lower(token) for token in (words_marks if has_marks else words)
        ]
        for name, (has_marks, has_case) in RATES.items()
    }


def score_wer(counts: Counts) -> Dict[str, Any]:
    """Word error rates: edits over gold tokens.

    counts (Counter): What `count_wer` returned, or a sum of that.
    RETURNS (Dict[str, Any]): wer (words alone, in lower case), wer_marks, wer_case and
        wer_marks_case; None where gold has no word.
    """
    return {
        name: counts[name, "edits"] / counts[name, "tokens"] if counts[name, "tokens"] else None
        for name in RATES
    }
