"""Precision, recall and F-score from counts that may be added up."""

from collections import Counter
from typing import Any, Dict, Hashable, Iterable, Optional

from spacy.scorer import PRFScore

#: What the metrics count. Counts of texts add up to those of a corpus.
Counts = Counter[Any]


def total_counts(counts: Iterable[Counts]) -> Counts:
    """The sum of counts."""
    total: Counts = Counter()
    for one in counts:
        total.update(one)
    return total


def prf(counts: Counts, *key: Hashable) -> Dict[str, Optional[float]]:
    """Precision, recall and F-score (harmonic mean) of what is counted under a key.

    counts (Counter): Counts whose keys are `(*key, "tp")`, `(*key, "fp")` and `(*key, "fn")`.
    key (Hashable): The key's beginning.
    RETURNS (Dict[str, Optional[float]]): "p", "r" and "f"; None where gold has nothing to find.
    """
    tp, fp, fn = (counts[(*key, outcome)] for outcome in ("tp", "fp", "fn"))
    if tp + fn == 0:
        return {"p": None, "r": None, "f": None}
    return {**PRFScore(tp=tp, fp=fp, fn=fn).to_dict()}
