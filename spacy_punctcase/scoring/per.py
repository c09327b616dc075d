"""Punctuation error rates: how many marks are wrong, as word error rate does for words."""

import re
from collections import Counter
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy
from rapidfuzz.distance import Levenshtein

from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS
from .counts import Counts

#: Above this number of pairs of tokens the alignment of `count_per_nemo` is that of rapidfuzz,
#: which takes little memory, but settles ties otherwise.
MAX_CELLS = 16_000_000


def count_per(
    predicted: str,
    gold: str,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Mapping[str, str] = DEFAULT_MARK_MAP,
) -> Counts:
    """Count for both error rates, with other marks turned into those that are scored: a text
    that says "!" is not worse than one that says "." when only "." is looked for.

    predicted (str): The predicted text.
    gold (str): The gold text.
    marks (Sequence[str]): The marks that are scored.
    mark_map (Mapping[str, str]): What others count as.
    RETURNS (Counter): Counts for `score_per`.
    """
    predicted, gold = (_map_marks(text, marks, mark_map) for text in (predicted, gold))
    counts: Counts = Counter()
    for name, count in (("card", count_per_card), ("nemo", count_per_nemo)):
        counts.update({(name, *key): n for key, n in count(predicted, gold, marks).items()})
    return counts


def score_per(counts: Counts, marks: Sequence[str] = DEFAULT_MARKS) -> Dict[str, Any]:
    """Both error rates.

    counts (Counter): What `count_per` returned, or a sum of that.
    marks (Sequence[str]): The marks that are scored.
    RETURNS (Dict[str, Any]): See `score_per_card` and `score_per_nemo`.
    """
    card, nemo = (
        Counter({key[1:]: n for key, n in counts.items() if key[0] == name})
        for name in ("card", "nemo")
    )
    return {**score_per_card(card), **score_per_nemo(nemo, marks)}


def _map_marks(text: str, marks: Sequence[str], mark_map: Mapping[str, str]) -> str:
    """Turn marks that are not scored into what they count as. Those within a word ("10:30")
    stay."""
    mapped = {
        mark: target
        for mark, target in mark_map.items()
        if mark not in marks and (target in marks or not target)
    }
    if not mapped:
        return text
    found = f"[{re.escape(''.join(mapped))}](?!\\w)"
    return re.sub(found, lambda match: mapped[match.group()], text)


def count_per_card(predicted: str, gold: str, marks: Sequence[str] = DEFAULT_MARKS) -> Counts:
    """Count for the error rate on marks alone, which model cards give: the edit distance between
    the marks of both texts, in order and without the words, over the number of gold marks.

    A mark is one that ends a run of characters that are no white space, attached to a word or
    not; "3.14" has none. Words play no part, so a mark that moved to the next word costs nothing;
    and the longer the text, the more chances of a match by accident.

    predicted (str): The predicted text.
    gold (str): The gold text.
    marks (Sequence[str]): The marks that are scored.
    RETURNS (Counter): Counts for `score_per_card`.
    """
    ours, theirs = (_trailing_marks(text, marks) for text in (predicted, gold))
    return Counter({("distance",): Levenshtein.distance(ours, theirs), ("gold",): len(theirs)})


def _trailing_marks(text: str, marks: Sequence[str]) -> str:
    ends = "".join(marks)
    return "".join(chunk[len(chunk.rstrip(ends)) :] for chunk in text.split())


def score_per_card(counts: Counts) -> Dict[str, Any]:
    """Error rate on marks alone.

    counts (Counter): What `count_per_card` returned, or a sum of that.
    RETURNS (Dict[str, Any]): per_card, which may exceed 1; 0 where gold has no mark.
    """
    total = counts[("gold",)]
    return {"per_card": counts[("distance",)] / total if total else 0.0}


def count_per_nemo(predicted: str, gold: str, marks: Sequence[str] = DEFAULT_MARKS) -> Counts:
    """Count for the punctuation error rate of LibriSpeech-PC (Meister et al. 2023) as NVIDIA's
    NeMo computes it.

    Words, case and all, and marks are the tokens. They are aligned with the least number of
    edits while all marks are masked, as if they were one. Where a mark meets a mark it is correct
    or substituted; gold marks that meet none are deleted, predicted ones inserted. Of alignments
    that are equally short, NeMo takes the one that, seen from the end, pairs equal tokens first,
    then prefers substitution to insertion and insertion to deletion. So does this, but for texts
    so long that it would take too much memory (see MAX_CELLS).

    predicted (str): The predicted text, as it stands: no mark is mapped to another one.
    gold (str): The gold text.
    marks (Sequence[str]): The marks that are scored; others are passed over.
    RETURNS (Counter): Counts for `score_per_nemo`: ("gold", mark), ("predicted", mark) and
        ("pair", gold mark, predicted mark).
    """
    tokens = re.compile(rf"[\w']+|[{re.escape(''.join(marks))}]")
    ours, theirs = tokens.findall(predicted), tokens.findall(gold)
    counts: Counts = Counter()
    counts.update(("gold", token) for token in theirs if token in marks)
    counts.update(("predicted", token) for token in ours if token in marks)
    if not set(marks).isdisjoint(ours) and not set(marks).isdisjoint(theirs):
        mask = marks[0]
        pairs = _equal_tokens(
            [mask if token in marks else token for token in ours],
            [mask if token in marks else token for token in theirs],
        )
        counts.update(("pair", theirs[j], ours[i]) for i, j in pairs if theirs[j] in marks)
    return counts


def _equal_tokens(ours: List[str], theirs: List[str]) -> List[Tuple[int, int]]:
    """Indices of the equal tokens that a shortest alignment pairs (see `count_per_nemo`)."""
    if len(ours) * len(theirs) > MAX_CELLS:
        return [
            (block.src_start + offset, block.dest_start + offset)
            for block in Levenshtein.opcodes(ours, theirs)
            if block.tag == "equal"
            for offset in range(block.src_end - block.src_start)
        ]
    distances = _edit_distances(ours, theirs)
    pairs: List[Tuple[int, int]] = []
    i, j = len(ours), len(theirs)
    while i and j:
        if ours[i - 1] == theirs[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif distances[i, j] == distances[i - 1, j - 1] + 1:
            i, j = i - 1, j - 1
        elif distances[i, j] == distances[i - 1, j] + 1:
            i -= 1  # an inserted token
        else:
            j -= 1
    return pairs


def _edit_distances(ours: Sequence[str], theirs: Sequence[str]) -> numpy.ndarray:
    """Edit distances between all beginnings of two sequences (Wagner and Fischer 1974).

    RETURNS (ndarray): Shape (len(ours) + 1, len(theirs) + 1), int32.
    """
    codes: Dict[str, int] = {}
    our_codes, their_codes = (
        numpy.array([codes.setdefault(token, len(codes)) for token in tokens])
        for tokens in (ours, theirs)
    )
    steps = numpy.arange(len(theirs) + 1, dtype="int32")
    distances = numpy.empty((len(ours) + 1, len(theirs) + 1), dtype="int32")
    distances[0] = steps
    for i, code in enumerate(our_codes, start=1):
        row = distances[i - 1] + 1
        numpy.minimum(row[1:], distances[i - 1, :-1] + (their_codes != code), out=row[1:])
        # Tokens that only `theirs` has cost one each: a running minimum, once that is taken off.
        distances[i] = numpy.minimum.accumulate(row - steps) + steps
    return distances


def score_per_nemo(counts: Counts, marks: Sequence[str] = DEFAULT_MARKS) -> Dict[str, Any]:
    """Punctuation error rate as NeMo computes it: (D + I + S) / (C + D + I + S).

    counts (Counter): What `count_per_nemo` returned, or a sum of that.
    marks (Sequence[str]): The marks that are scored.
    RETURNS (Dict[str, Any]): per_nemo between 0 and 1, 0 where neither text has a mark;
        per_nemo_correct, per_nemo_deletions, per_nemo_insertions and per_nemo_substitutions,
        each as its share of the sum of the four; per_nemo_per_mark, the same four and the rate
        ("per") for each mark, substitutions being those of the gold mark; per_nemo_confusion,
        for each gold mark the number of marks by predicted one.
    """
    confusion = {
        gold: {predicted: counts["pair", gold, predicted] for predicted in marks} for gold in marks
    }
    outcomes = {mark: _outcomes(counts, confusion, mark) for mark in marks}
    total: Counter[str] = Counter()
    for outcome in outcomes.values():
        total.update(outcome)
    rates = _rates(total)
    return {
        "per_nemo": rates.pop("per"),
        **{f"per_nemo_{name}": rate for name, rate in rates.items()},
        "per_nemo_per_mark": {mark: _rates(outcome) for mark, outcome in outcomes.items()},
        "per_nemo_confusion": confusion,
    }


def _outcomes(counts: Counts, confusion: Mapping[str, Mapping[str, int]], mark: str) -> Counts:
    correct = confusion[mark][mark]
    paired = sum(confusion[mark].values())
    return Counter(
        correct=correct,
        deletions=counts["gold", mark] - paired,
        insertions=counts["predicted", mark] - sum(row[mark] for row in confusion.values()),
        substitutions=paired - correct,
    )


def _rates(outcomes: Mapping[str, int]) -> Dict[str, float]:
    total = sum(outcomes.values())
    rates = {name: count / total if total else 0.0 for name, count in outcomes.items()}
    errors = total - outcomes["correct"]
    return {"per": errors / total if total else 0.0, **rates}
