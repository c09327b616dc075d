"""All metrics of a number of documents, with confidence intervals and comparisons."""

from functools import partial
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
)

from ..errors import Errors
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, check_marks
from .alignment import AlignedSegment, count_words, cut_all
from .bootstrap import Difference, bootstrap, paired_bootstrap
from .casing import count_case, score_case_counts
from .counts import Counts, total_counts
from .match import count_match, score_match
from .per import count_per, score_per
from .punctuation import count_marks, score_mark_counts
from .sentences import count_sentences, score_sentences
from .wer import count_wer, score_wer


class Family(NamedTuple):
    """Metrics that are made of the same counts.

    count_texts: Counts of a predicted and a gold text.
    score_counts: Scores of summed counts.
    by_document: Whether a text must be counted as a whole, and not segment by segment.
    """

    count_texts: Callable[[str, str], Counts]
    score_counts: Callable[[Counts], Dict[str, Any]]
    by_document: bool = False


def _punctuation(marks: Sequence[str], mark_map: Mapping[str, str]) -> Family:
    return Family(
        partial(count_marks, marks=marks, mark_map=mark_map),
        partial(score_mark_counts, marks=marks),
    )


def _per(marks: Sequence[str], mark_map: Mapping[str, str]) -> Family:
    return Family(
        partial(count_per, marks=marks, mark_map=mark_map), partial(score_per, marks=marks)
    )


#: Makers of the families by name, each for the marks that are scored and what others count as.
METRICS: Dict[str, Callable[[Sequence[str], Mapping[str, str]], Family]] = {
    "punctuation": _punctuation,
    "per": _per,
    "casing": lambda marks, mark_map: Family(count_case, score_case_counts),
    "sentences": lambda marks, mark_map: Family(count_sentences, score_sentences),
    "wer": lambda marks, mark_map: Family(
        partial(count_wer, marks=marks, mark_map=mark_map), score_wer
    ),
    "match": lambda marks, mark_map: Family(count_match, score_match, by_document=True),
}


def evaluate_texts(
    predicted: Sequence[str],
    gold: Sequence[str],
    *,
    metrics: Optional[Iterable[str]] = None,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Mapping[str, str] = DEFAULT_MARK_MAP,
    samples: int = 0,
    seed: int = 0,
) -> Dict[str, Any]:
    """Score documents against gold. Their words may differ.

    All but the metrics of whole documents are counted in segments of some forty words, the units
    of the bootstrap (see `cut_segments`). The order of the documents does not matter.

    predicted (Sequence[str]): The predicted text of each document.
    gold (Sequence[str]): The gold text of each.
    metrics (Optional[Iterable[str]]): Names of families in METRICS; all by default.
    marks (Sequence[str]): The marks that are scored, by all families but "sentences" and "match".
    mark_map (Mapping[str, str]): What other marks count as, if that is one of `marks`; nothing
        for those not in it.
    samples (int): Number of bootstrap resamples; 0 for no intervals.
    seed (int): Seed of the bootstrap.
    RETURNS (Dict[str, Any]): The scores; "alignment", see `count_words`; with `samples` also
        "intervals": [low, high] by key, those of nested scores joined with "/".
    RAISES (ValueError): If there is no such metric or mark, or the numbers of documents differ.
    """
    families = get_families(metrics, marks, mark_map)
    _check_number(predicted, gold)
    segments = list(_segments([predicted], gold))
    scores: Dict[str, Any] = {}
    intervals: Dict[str, Any] = {}
    for family in families:
        (units,) = _count_units(family, [predicted], gold, segments)
        found = family.score_counts(total_counts(units))
        scores.update(found)
        if samples:
            keys = flatten(found)
            ranges = bootstrap(units, _flat(family.score_counts), keys, samples, seed)
            intervals.update({key: list(interval) for key, interval in ranges.items()})
    alignment = total_counts(count_words(ours, theirs) for ours, theirs in zip(predicted, gold))
    scores["alignment"] = dict(alignment) or count_words("", "")
    if samples:
        scores["intervals"] = intervals
    return scores


def compare_texts(
    predicted_a: Sequence[str],
    predicted_b: Sequence[str],
    gold: Sequence[str],
    *,
    metrics: Optional[Iterable[str]] = None,
    marks: Sequence[str] = DEFAULT_MARKS,
    mark_map: Mapping[str, str] = DEFAULT_MARK_MAP,
    samples: int = 1000,
    seed: int = 0,
) -> Dict[str, Difference]:
    """Compare two predictions of the same documents by paired bootstrap.

    predicted_a, predicted_b (Sequence[str]): The predicted text of each document, by either.
    gold (Sequence[str]): The gold text of each.
    metrics, marks, mark_map, samples, seed: See `evaluate_texts`.
    RETURNS (Dict[str, Difference]): The difference a - b by key, those of nested scores joined
        with "/".
    RAISES (ValueError): See `evaluate_texts`.
    """
    families = get_families(metrics, marks, mark_map)
    _check_number(predicted_a, gold)
    _check_number(predicted_b, gold)
    both = [predicted_a, predicted_b]
    segments = list(_segments(both, gold))
    differences: Dict[str, Difference] = {}
    for family in families:
        units_a, units_b = _count_units(family, both, gold, segments)
        keys = flatten(family.score_counts(total_counts(units_a)))
        differences.update(
            paired_bootstrap(
                units_a,
                units_b,
                _flat(family.score_counts),
                keys,
                samples,
                seed,
                lower_is_better=[key for key in keys if is_error_rate(key)],
            )
        )
    return differences


def get_families(
    metrics: Optional[Iterable[str]], marks: Sequence[str], mark_map: Mapping[str, str]
) -> List[Family]:
    """The families of the given names, or all.

    RAISES (ValueError): If there is no such family, there is no mark, or one of `marks` is
        none.
    """
    check_marks(marks, {})
    if not marks:
        raise ValueError(
            Errors.P006.format(
                setting="marks", name="evaluation", expected="at least one mark", value=marks
            )
        )
    names = list(METRICS) if metrics is None else list(metrics)
    for name in names:
        if name not in METRICS:
            available = ", ".join(METRICS)
            raise ValueError(Errors.P015.format(given=name, what="a metric", available=available))
    return [METRICS[name](marks, mark_map) for name in names]


def is_error_rate(key: str) -> bool:
    """Whether the lower a score of this name the better."""
    return key.startswith(("per_", "wer")) and not key.endswith("correct")


def flatten(scores: Mapping[str, Any]) -> Dict[str, float]:
    """The scores that are defined, nested ones under their keys joined with "/". Counts are no
    scores."""
    flat: Dict[str, float] = {}
    for key, value in scores.items():
        if isinstance(value, dict):
            flat.update({f"{key}/{inner}": number for inner, number in flatten(value).items()})
        elif isinstance(value, float):
            flat[key] = value
    return flat


def _flat(score: Callable[[Counts], Dict[str, Any]]) -> Callable[[Counts], Dict[str, Any]]:
    return lambda counts: flatten(score(counts))


def _check_number(predicted: Sequence[str], gold: Sequence[str]) -> None:
    if len(predicted) != len(gold):
        raise ValueError(
            Errors.P028.format(what="documents", first=len(predicted), second=len(gold))
        )


def _segments(
    predictions: Sequence[Sequence[str]], gold: Sequence[str]
) -> Iterator[AlignedSegment]:
    for *texts, gold_text in zip(*predictions, gold):
        yield from cut_all(texts, gold_text)


def _count_units(
    family: Family,
    predictions: Sequence[Sequence[str]],
    gold: Sequence[str],
    segments: Sequence[AlignedSegment],
) -> List[List[Counts]]:
    """For each prediction the counts of each unit, which is a segment or a document."""
    if family.by_document:
        return [list(map(family.count_texts, texts, gold)) for texts in predictions]
    return [
        [family.count_texts(segment.predicted[index], segment.gold) for segment in segments]
        for index in range(len(predictions))
    ]
