"""Confidence intervals of scores by resampling."""

from typing import Any, Callable, Collection, Dict, Iterable, List, NamedTuple, Sequence, Tuple

import numpy

from ..errors import Errors
from .counts import Counts, total_counts

Score = Callable[[Counts], Dict[str, Any]]


class Difference(NamedTuple):
    """By how much one score exceeds another one.

    difference: The difference itself, first minus second.
    low, high: Its confidence interval.
    better: Share of the resamples in which the first is the better one; ties count half.
    """

    difference: float
    low: float
    high: float
    better: float


def bootstrap(
    counts: Sequence[Counts],
    score: Score,
    keys: Iterable[str],
    samples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Dict[str, Tuple[float, float]]:
    """Percentile bootstrap (Efron 1979; Efron and Tibshirani 1993): the units are drawn anew, with
    replacement, and scored, many times. The order of the units does not matter.

    counts (Sequence[Counter]): The counts of each unit, such as a segment of text.
    score (Callable[[Counter], Dict[str, Any]]): Makes scores of summed counts.
    keys (Iterable[str]): The scores of interest.
    samples (int): Number of resamples.
    seed (int): Seed of the random draws.
    confidence (float): Share of the resamples inside of the interval.
    RETURNS (Dict[str, Tuple[float, float]]): Lower and upper end by key; scores that are not
        defined in any resample are left out.
    """
    table, columns = _table([counts])
    drawn = [score(_row(row, columns)) for row in _resample(table, samples, seed)]
    intervals: Dict[str, Tuple[float, float]] = {}
    for key in keys:
        values = [scores[key] for scores in drawn if scores.get(key) is not None]
        if values:
            intervals[key] = _interval(values, confidence)
    return intervals


def paired_bootstrap(
    counts_a: Sequence[Counts],
    counts_b: Sequence[Counts],
    score: Score,
    keys: Iterable[str],
    samples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    lower_is_better: Collection[str] = (),
) -> Dict[str, Difference]:
    """Compare two systems on the same units (Koehn 2004): each resample draws the same units for
    both, so what makes a unit easy or hard for both cancels out.

    counts_a, counts_b (Sequence[Counter]): The counts of each unit, for each system; cut texts
        with `cut_all` to have the same units.
    score (Callable[[Counter], Dict[str, Any]]): Makes scores of summed counts.
    keys (Iterable[str]): The scores of interest.
    samples (int): Number of resamples.
    seed (int): Seed of the random draws.
    confidence (float): Share of the resamples inside of the interval.
    lower_is_better (Collection[str]): The keys of error rates.
    RETURNS (Dict[str, Difference]): The difference a - b by key; scores that are not defined are
        left out.
    RAISES (ValueError): If the numbers of units differ.
    """
    if len(counts_a) != len(counts_b):
        raise ValueError(
            Errors.P028.format(what="units", first=len(counts_a), second=len(counts_b))
        )
    table, columns = _table([counts_a, counts_b])
    drawn = [
        (score(_row(row[: len(columns)], columns)), score(_row(row[len(columns) :], columns)))
        for row in _resample(table, samples, seed)
    ]
    score_a, score_b = score(total_counts(counts_a)), score(total_counts(counts_b))
    result: Dict[str, Difference] = {}
    for key in keys:
        values = [
            a[key] - b[key] for a, b in drawn if a.get(key) is not None and b.get(key) is not None
        ]
        if not values or score_a.get(key) is None or score_b.get(key) is None:
            continue
        gains = numpy.sign(values) * (-1 if key in lower_is_better else 1)
        result[key] = Difference(
            score_a[key] - score_b[key],
            *_interval(values, confidence),
            float((gains + 1).mean() / 2),
        )
    return result


def _table(systems: Sequence[Sequence[Counts]]) -> Tuple[numpy.ndarray, List[Any]]:
    """Counts as a table, and the keys that its columns stand for.

    RETURNS (Tuple[ndarray, List]): Shape (units, systems * keys), float64, which is exact for
        counts and fast to multiply.
    """
    columns = sorted({key for counts in systems for unit in counts for key in unit}, key=repr)
    rows = [[unit[key] for unit in units for key in columns] for units in zip(*systems)]
    return numpy.array(rows, dtype="float64").reshape(
        len(rows), len(systems) * len(columns)
    ), columns


def _resample(table: numpy.ndarray, samples: int, seed: int) -> numpy.ndarray:
    """Sums of as many rows as there are, drawn with replacement.

    RETURNS (ndarray): Shape (samples, columns).
    """
    if not len(table):
        return numpy.zeros((0, table.shape[1]))
    # Rows that are equal are drawn as one; sorted, they do not depend on the order of the units.
    rows, repeats = numpy.unique(table, axis=0, return_counts=True)
    drawn = numpy.random.default_rng(seed).multinomial(
        len(table), repeats / len(table), size=samples
    )
    return drawn.astype("float64") @ rows


def _row(row: numpy.ndarray, columns: Sequence[Any]) -> Counts:
    counts: Counts = Counts()
    counts.update(dict(zip(columns, row.astype(int).tolist())))
    return counts


def _interval(values: Sequence[float], confidence: float) -> Tuple[float, float]:
    tail = (1 - confidence) / 2
    low, high = numpy.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
