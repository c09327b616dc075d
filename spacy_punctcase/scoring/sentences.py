"""Precision, recall and F-score of sentence boundaries."""

from collections import Counter
from typing import Any, Collection, Dict, Iterable, Optional, Tuple

from ..text.marks import SENTENCE_MARKS
from ..text.words import Word
from .alignment import pair_words
from .counts import Counts, prf


def count_sentences(predicted: str, gold: str) -> Counts:
    """Count the sentence boundaries that two texts share.

    A boundary is a word with a mark that ends a sentence, whichever of them it is: a full stop in
    place of a question mark is no error here. As in the evaluation of sentence boundary detection
    in speech (Liu et al. 2006), the words are aligned first; a boundary after a word that the
    other text has not is missing or false.

    predicted (str): The predicted text.
    gold (str): The gold text.
    RETURNS (Counter): Counts for `score_sentences`.
    """
    pairs = pair_words(predicted, gold)
    return count_boundaries((pair.predicted, pair.gold) for pair in pairs)


def count_boundaries(
    pairs: Iterable[Tuple[Optional[Word], Optional[Word]]], unknown: Collection[int] = ()
) -> Counts:
    """Count the sentence boundaries in pairs of words.

    pairs (Iterable[Tuple[Optional[Word], Optional[Word]]]): Predicted and gold words.
    unknown (Collection[int]): Indices of pairs whose gold mark is not known; they are left out.
    RETURNS (Counter): Counts for `score_sentences`.
    """
    counts: Counts = Counter()
    for index, (ours, theirs) in enumerate(pairs):
        is_predicted = ours is not None and ours.mark in SENTENCE_MARKS
        is_gold = theirs is not None and theirs.mark in SENTENCE_MARKS
        if index not in unknown and (is_predicted or is_gold):
            counts[("tp" if is_predicted and is_gold else "fp" if is_predicted else "fn",)] += 1
    return counts


def score_sentences(counts: Counts) -> Dict[str, Any]:
    """Scores of sentence boundaries.

    RETURNS (Dict[str, Any]): sentence_p, sentence_r and sentence_f; None where gold has no
        boundary.
    """
    return {f"sentence_{key}": value for key, value in prf(counts).items()}
