"""Precision, recall and F-score of punctuation marks."""

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from spacy.scorer import PRFScore
from spacy.training import Example

from ..gold.align import align_words, gold_text, realign_examples, unknown_marks
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, map_mark


def score_marks(
    pairs: Iterable[Tuple[str, str]], marks: Sequence[str] = DEFAULT_MARKS
) -> Dict[str, Any]:
    """Score predicted labels against gold ones, word by word.

    A word counts as right for a mark when both labels are that mark (the usual measure on IWSLT
    2011, e.g. Tilk and Alumäe 2016). Micro: counts summed over the marks. Macro: mean of the
    F-scores of the marks that gold has.

    pairs (Iterable[Tuple[str, str]]): Gold and predicted label of each word; NO_MARK for none.
    marks (Sequence[str]): The marks that are scored.
    RETURNS (Dict[str, Any]): punct_micro_p, punct_micro_r, punct_micro_f, punct_macro_f and
        punct_per_mark (p, r and f by mark). None where gold has no mark at all.
    """
    by_mark = {mark: PRFScore() for mark in marks}
    total = PRFScore()
    for gold, predicted in pairs:
        for mark in {gold, predicted} & by_mark.keys():
            for score in (by_mark[mark], total):
                if gold == predicted:
                    score.tp += 1
                elif mark == gold:
                    score.fn += 1
                else:
                    score.fp += 1
    found = {mark: score for mark, score in by_mark.items() if score.tp + score.fn}
    if not found:
        keys = ("micro_p", "micro_r", "micro_f", "macro_f", "per_mark")
        return {f"punct_{key}": None for key in keys}
    return {
        "punct_micro_p": total.precision,
        "punct_micro_r": total.recall,
        "punct_micro_f": total.fscore,
        "punct_macro_f": sum(score.fscore for score in found.values()) / len(found),
        "punct_per_mark": {mark: score.to_dict() for mark, score in by_mark.items()},
    }


def mark_pairs(
    predicted: str,
    gold: str,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Mapping[str, str] = DEFAULT_MARK_MAP,
    unknown: Iterable[int] = (),
) -> List[Tuple[str, str]]:
    """Gold and predicted label of each word of two texts that have the same words.

    unknown (Iterable[int]): Indices of words whose gold label is not known; they are left out.
    RAISES (ValueError): If the words differ.
    """
    unknown = set(unknown)
    # Marks that are no label count as none, in text and gold alike.
    lenient = {mark: mark_map.get(mark, "") for mark in set(predicted + gold) - set(marks)}
    return [
        (map_mark(theirs.mark, marks, lenient), map_mark(ours.mark, marks, lenient))
        for index, (ours, theirs) in enumerate(align_words(predicted, gold))
        if index not in unknown
    ]


def score_punctuation(
    examples: Iterable[Example],
    *,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Optional[Mapping[str, str]] = None,
    **kwargs: Any,
) -> Dict[str, Any]:
    """Score the marks in the predicted texts of Examples, then realign the Examples.

    RETURNS (Dict[str, Any]): See `score_marks`.
    """
    mark_map = DEFAULT_MARK_MAP if mark_map is None else mark_map
    examples = list(examples)
    pairs: List[Tuple[str, str]] = []
    for example in examples:
        gold = gold_text(example.reference)
        unknown = unknown_marks(example.reference)
        pairs.extend(mark_pairs(example.predicted.text, gold, marks, mark_map, unknown))
    realign_examples(examples)
    return score_marks(pairs, marks)


def make_punctuation_scorer() -> Callable:
    """Make the scorer of the punctuator, `spacy_punctcase.punctuation_scorer.v1`."""
    return score_punctuation
