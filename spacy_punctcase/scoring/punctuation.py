"""Precision, recall and F-score of punctuation marks."""

from collections import Counter
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from spacy.training import Example

from ..gold.align import align_words, gold_text, realign_examples, unknown_marks
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK, find_label
from ..text.words import Word
from .alignment import pair_words
from .counts import Counts, prf
from .sentences import count_boundaries, score_sentences

WordPairs = Iterable[Tuple[Optional[Word], Optional[Word]]]


def mark_label(mark: str, marks: Sequence[str], mark_map: Mapping[str, str]) -> str:
    """The label that a mark counts as: unlike `map_mark`, none for one that is neither scored nor
    mapped to one that is.

    mark (str): The mark; "" for none.
    marks (Sequence[str]): The marks that are scored.
    mark_map (Mapping[str, str]): What the others count as.
    RETURNS (str): One of `marks`, or NO_MARK.
    """
    label = find_label(mark, marks, mark_map)
    return label if label is not None and label in marks else NO_MARK


def count_marks(
    predicted: str,
    gold: str,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Mapping[str, str] = DEFAULT_MARK_MAP,
) -> Counts:
    """Count pairs of labels in two texts whose words may differ.

    A word that the recogniser took for another one is compared as the same word would be, since
    its place in the sentence is the same. A mark on a gold word that was left out is missing, and
    one on a word that was added is false: pairs with NO_MARK.

    predicted (str): The predicted text.
    gold (str): The gold text.
    marks (Sequence[str]): The marks that are scored.
    mark_map (Mapping[str, str]): What others count as; none where they are not in it.
    RETURNS (Counter): How often each pair (gold label, predicted label) occurs.
    """
    pairs = ((pair.predicted, pair.gold) for pair in pair_words(predicted, gold))
    return Counter(_label_pairs(pairs, marks, mark_map))


def score_mark_counts(counts: Counts, marks: Sequence[str] = DEFAULT_MARKS) -> Dict[str, Any]:
    """Scores of marks.

    A word counts as right for a mark when both labels are that mark (the usual measure on IWSLT
    2011, e.g. Tilk and Alumäe 2016). Micro: counts summed over the marks. Macro: mean of the
    F-scores of the marks that gold has.

    counts (Counter): How often each pair (gold label, predicted label) occurs.
    marks (Sequence[str]): The marks that are scored.
    RETURNS (Dict[str, Any]): punct_micro_p, punct_micro_r, punct_micro_f, punct_macro_f,
        punct_per_mark (p, r and f by mark; None for a mark that gold has not) and
        punct_confusion (for each gold label the number of words by predicted label). All None
        where gold has no mark at all.
    """
    outcomes: Counts = Counter()
    for (gold, predicted), count in counts.items():
        for mark in {gold, predicted} & set(marks):
            outcome = "tp" if gold == predicted else "fn" if mark == gold else "fp"
            outcomes[mark, outcome] += count
            outcomes["micro", outcome] += count
    micro = prf(outcomes, "micro")
    per_mark = {mark: prf(outcomes, mark) for mark in marks}
    fscores = [score["f"] for score in per_mark.values() if score["f"] is not None]
    labels = [NO_MARK, *marks]
    return {
        **{f"punct_micro_{key}": score for key, score in micro.items()},
        "punct_macro_f": sum(fscores) / len(fscores) if fscores else None,
        "punct_per_mark": per_mark if fscores else None,
        "punct_confusion": (
            {gold: {label: counts[gold, label] for label in labels} for gold in labels}
            if fscores
            else None
        ),
    }


def score_marks(
    pairs: Iterable[Tuple[str, str]], marks: Sequence[str] = DEFAULT_MARKS
) -> Dict[str, Any]:
    """Score predicted labels against gold ones, word by word.

    pairs (Iterable[Tuple[str, str]]): Gold and predicted label of each word; NO_MARK for none.
    marks (Sequence[str]): The marks that are scored.
    RETURNS (Dict[str, Any]): See `score_mark_counts`.
    """
    return score_mark_counts(Counter(pairs), marks)


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
    return _label_pairs(align_words(predicted, gold), marks, mark_map, set(unknown))


def _label_pairs(
    pairs: WordPairs,
    marks: Sequence[str],
    mark_map: Mapping[str, str],
    unknown: Collection[int] = (),
) -> List[Tuple[str, str]]:
    """Gold and predicted label of pairs of predicted and gold words."""
    return [
        (
            mark_label(theirs.mark if theirs else "", marks, mark_map),
            mark_label(ours.mark if ours else "", marks, mark_map),
        )
        for index, (ours, theirs) in enumerate(pairs)
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

    RETURNS (Dict[str, Any]): See `score_mark_counts` and `score_sentences`.
    RAISES (ValueError): If the words of a predicted and a gold text differ.
    """
    mark_map = DEFAULT_MARK_MAP if mark_map is None else mark_map
    examples = list(examples)
    labels: Counts = Counter()
    boundaries: Counts = Counter()
    for example in examples:
        pairs = align_words(example.predicted.text, gold_text(example.reference))
        unknown = set(unknown_marks(example.reference))
        labels.update(_label_pairs(pairs, marks, mark_map, unknown))
        boundaries.update(count_boundaries(pairs, unknown))
    realign_examples(examples)
    return {**score_mark_counts(labels, marks), **score_sentences(boundaries)}


def make_punctuation_scorer() -> Callable:
    """Make the scorer of the punctuator, `spacy_punctcase.punctuation_scorer.v1`."""
    return score_punctuation
