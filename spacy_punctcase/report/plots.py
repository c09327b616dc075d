"""Figures of scores, drawn with matplotlib (the extra `plots`)."""

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Union

import numpy

from ..errors import Errors
from ..text.marks import NO_MARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008), which people with any colour vision tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
LINES = ("-", "--", "-.", ":")
GRID = "#D0D0D0"
#: Names of labels: a comma alone is hard to see on an axis.
NAMES = {NO_MARK: "none", ",": "comma", ".": "full stop", "?": "question"}
#: Number of bars of a histogram.
BINS = 25
#: Share of a group's width that its bars fill.
GROUP_WIDTH = 0.8


def plot_confusion(confusion: Mapping[str, Mapping[str, int]], labels: Sequence[str]) -> "Figure":
    """Draw which label was predicted for which one.

    confusion (Mapping[str, Mapping[str, int]]): Counts by gold and predicted label, such as
        `punct_confusion` of `evaluate_texts`.
    labels (Sequence[str]): The labels to draw, in order. Colours show shares of a row.
    RETURNS (Figure): The figure.
    """
    counts = numpy.asarray([[confusion[gold][other] for other in labels] for gold in labels])
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / numpy.maximum(totals, 1)
    size = 1.8 + 0.85 * len(labels)
    figure, axes = _new_figure(size, size)
    image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [NAMES.get(label, label) for label in labels]
    axes.set_xticks(range(len(labels)), names)
    axes.set_yticks(range(len(labels)), names)
    axes.set_xlabel("predicted")
    axes.set_ylabel("gold")
    for (row, column), count in numpy.ndenumerate(counts):
        share = shares[row, column]
        axes.text(
            column,
            row,
            f"{count:,}\n{share:.0%}",
            ha="center",
            va="center",
            fontsize="small",
            color="white" if share > 0.5 else "black",
        )
    bar = figure.colorbar(image, ax=axes, fraction=0.046, pad=0.04)
    bar.set_label("share of gold")
    return figure


def plot_f1_by_mark(
    scores: Mapping[str, Mapping[str, float]],
    intervals: Optional[Mapping[str, Mapping[str, Tuple[float, float]]]] = None,
) -> "Figure":
    """Draw the F-score of each mark as a group of bars, one for each system.

    scores (Mapping[str, Mapping[str, float]]): By system and mark, from 0 to 1.
    intervals (Optional[Mapping[str, Mapping[str, Tuple[float, float]]]]): Lower and upper end of
        a confidence interval, by system and mark; not all need be there.
    RETURNS (Figure): The figure.
    """
    marks = list(dict.fromkeys(mark for by_mark in scores.values() for mark in by_mark))
    width = GROUP_WIDTH / len(scores)
    figure, axes = _new_figure(2.5 + 0.5 * len(marks) * len(scores), 4)
    for index, (system, by_mark) in enumerate(scores.items()):
        known = [mark for mark in marks if mark in by_mark]
        offset = (index - (len(scores) - 1) / 2) * width
        places = [marks.index(mark) + offset for mark in known]
        values = [by_mark[mark] for mark in known]
        colour = COLOURS[index % len(COLOURS)]
        axes.bar(places, values, width * 0.94, label=system, color=colour)
        found = (intervals or {}).get(system, {})
        ends = [found.get(mark, (value, value)) for mark, value in zip(known, values)]
        lengths = [
            [value - low for value, (low, _) in zip(values, ends)],
            [high - value for value, (_, high) in zip(values, ends)],
        ]
        if found:
            axes.errorbar(places, values, lengths, fmt="none", ecolor="#333333", capsize=3)
        for place, value, (_, high) in zip(places, values, ends):
            axes.annotate(
                f"{100 * value:.1f}",
                (place, high),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize="small",
            )
    axes.set_xticks(range(len(marks)), [NAMES.get(mark, mark) for mark in marks])
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, 1.08)
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0", "20", "40", "60", "80", "100"])
    axes.set_ylabel("F1 (%)")
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    figure.legend(loc="outside upper center", ncols=len(scores), frameon=False)
    return figure


def plot_precision_recall(
    curves: Mapping[str, Tuple[Sequence[float], Sequence[float], Sequence[float]]],
) -> "Figure":
    """Draw precision against recall for each mark, and where a threshold of 0.5 lies.

    curves (Mapping[str, Tuple]): By mark precision, recall and thresholds, as
        `precision_recall_curve` returns them.
    RETURNS (Figure): The figure.
    """
    figure, axes = _new_figure(5, 4.5)
    for index, (mark, curve) in enumerate(curves.items()):
        precision, recall, thresholds = map(numpy.asarray, curve)
        colour = COLOURS[index % len(COLOURS)]
        line = LINES[index % len(LINES)]
        axes.plot(recall, precision, line, color=colour, label=NAMES.get(mark, mark))
        above = numpy.flatnonzero(thresholds >= 0.5)
        if len(above):
            axes.plot(recall[above[0]], precision[above[0]], "o", color=colour)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("recall")
    axes.set_ylabel("precision")
    axes.set_title("Dots: a threshold of 0.5", fontsize="medium")
    axes.grid(color=GRID, linewidth=0.6)
    axes.legend(loc="lower left")
    return figure


def precision_recall_curve(
    scores: Union[Sequence[float], numpy.ndarray], gold: Sequence[bool]
) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Precision and recall of a mark for each threshold on its probability.

    scores (Union[Sequence[float], numpy.ndarray]): The probability of the mark, word by word.
    gold (Sequence[bool]): Whether gold has it there.
    RETURNS (Tuple[ndarray, ndarray, ndarray]): Precision, recall and thresholds, which ascend. The
        mark counts as put where its probability is the threshold or more. Recall is not a number
        where gold has no mark at all.
    """
    values = numpy.asarray(scores, dtype="float64")
    is_gold = numpy.asarray(gold, dtype="bool")
    thresholds, first = numpy.unique(numpy.sort(values), return_index=True)
    put = len(values) - first
    # Of the words in ascending order of score, the gold ones from each place on.
    right = numpy.cumsum(is_gold[numpy.argsort(values)][::-1])[::-1][first]
    total = is_gold.sum()
    recall = right / total if total else numpy.full(len(thresholds), numpy.nan)
    return right / put, recall, thresholds


def plot_reliability(
    bins: Mapping[str, Mapping[str, Sequence[Tuple[float, float, int]]]],
) -> "Figure":
    """Draw the share of decisions that is right against their score, side by side for each kind of
    decision. On the diagonal the scores are what they say.

    bins (Mapping[str, Mapping[str, Sequence[Tuple[float, float, int]]]]): By kind and, say,
        "before" and "after" the mean score of each bin, the share that is right, and its size, as
        `make_bins` returns them.
    RETURNS (Figure): The figure.
    """
    figure = empty_figure(0.5 + 4 * len(bins), 4.2)
    for place, (kind, curves) in enumerate(bins.items(), start=1):
        axes = add_axes(figure, 1, len(bins), place)
        axes.plot([0, 1], [0, 1], color="#333333", linewidth=0.6)
        for index, (name, found) in enumerate(curves.items()):
            scores, shares, _ = zip(*found)
            colour = COLOURS[index % len(COLOURS)]
            axes.plot(scores, shares, "o-", color=colour, markersize=4, label=name)
        axes.set_xlim(right=1.01)
        axes.set_ylim(top=1.01)
        axes.set_xlabel("score")
        axes.set_title(kind, fontsize="medium")
        axes.grid(color=GRID, linewidth=0.6)
        if place == 1:
            axes.set_ylabel("share that is right")
            axes.legend(loc="upper left")
    return figure


def plot_distributions(
    distributions: Mapping[str, Mapping[str, Sequence[float]]], columns: int = 3
) -> "Figure":
    """Draw how values are distributed in several texts, one small histogram for each kind of value.

    distributions (Mapping[str, Mapping[str, Sequence[float]]]): The values by kind and text.
    columns (int): Number of histograms side by side.
    RETURNS (Figure): The figure. Values beyond the 1 % and 99 % quantiles of all texts together
        are drawn at the edges.
    """
    rows = -(-len(distributions) // columns)
    figure = empty_figure(3.2 * columns, 0.5 + 2 * rows)
    for place, (kind, by_text) in enumerate(distributions.items(), start=1):
        axes = add_axes(figure, rows, columns, place)
        low, high = numpy.quantile(numpy.concatenate(list(by_text.values())), [0.01, 0.99])
        edges = numpy.linspace(low, high if high > low else low + 1, BINS + 1)
        for index, (text, values) in enumerate(by_text.items()):
            counts, _ = numpy.histogram(numpy.clip(values, edges[0], edges[-1]), edges)
            axes.stairs(
                counts / max(len(values), 1),
                edges,
                color=COLOURS[index % len(COLOURS)],
                linestyle=LINES[index % len(LINES)],
                label=text if place == 1 else None,
            )
        axes.set_title(kind, fontsize="medium")
        axes.set_yticks([])
    figure.legend(loc="outside upper center", ncols=len(COLOURS), frameon=False)
    return figure


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure to a file, whole or not at all.

    figure (Figure): The figure.
    path (Path): The file; its suffix is the format, .png or .svg.
    RAISES (ValueError): If the suffix is another one, or the file cannot be written.
    """
    path = Path(path)
    if path.suffix not in (".png", ".svg"):
        raise ValueError(
            Errors.P015.format(given=path.suffix, what="a figure's suffix", available=".png, .svg")
        )
    content = BytesIO()
    figure.savefig(content, format=path.suffix[1:], dpi=150, bbox_inches="tight")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content.getvalue())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ValueError(Errors.P020.format(path=path, reason=error.strerror)) from None


def _new_figure(width: float, height: float) -> Tuple["Figure", "Axes"]:
    figure = empty_figure(width, height)
    return figure, add_axes(figure)


def empty_figure(width: float, height: float) -> "Figure":
    """A figure that no window and no global state is tied to."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(Errors.P038) from None
    return Figure(figsize=(width, height), layout="constrained")


def add_axes(figure: "Figure", rows: int = 1, columns: int = 1, place: int = 1) -> "Axes":
    """Axes in a place of a grid, which is counted from 1, without a frame at the top and right."""
    axes: Any = figure.add_subplot(rows, columns, place)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    return axes
