import sys
from pathlib import Path

import numpy
import pytest
from pytest import approx

from spacy_punctcase.report.plots import (
    plot_confusion,
    plot_distributions,
    plot_f1_by_mark,
    plot_precision_recall,
    plot_reliability,
    precision_recall_curve,
    save_figure,
)

SCORES = {"small": {",": 0.6, ".": 0.7}, "large": {",": 0.8, ".": 0.9, "?": 0.5}}


def test_precision_recall_curve() -> None:
    # From 0.9 down: right, wrong, two of the same score of which one is right, right.
    precision, recall, thresholds = precision_recall_curve(
        [0.1, 0.4, 0.9, 0.4, 0.6], [True, False, True, True, False]
    )
    assert thresholds == approx([0.1, 0.4, 0.6, 0.9])
    assert precision == approx([3 / 5, 2 / 4, 1 / 2, 1])
    assert recall == approx([1, 2 / 3, 1 / 3, 1 / 3])


def test_precision_recall_curve_without_gold() -> None:
    precision, recall, thresholds = precision_recall_curve([0.2, 0.7], [False, False])
    assert precision == approx([0, 0])
    assert numpy.isnan(recall).all()
    assert len(precision_recall_curve([], [])[2]) == 0


def test_plot_confusion() -> None:
    confusion = {"O": {"O": 90, ",": 10}, ",": {"O": 0, ",": 0}}
    axes = plot_confusion(confusion, ["O", ","]).axes[0]
    assert [text.get_text() for text in axes.texts] == ["90\n90%", "10\n10%", "0\n0%", "0\n0%"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["none", "comma"]


def test_plot_f1_by_mark() -> None:
    figure = plot_f1_by_mark(SCORES, {"small": {",": (0.5, 0.65)}})
    (axes,) = figure.axes
    assert [bar.get_height() for bar in axes.patches] == [0.6, 0.7, 0.8, 0.9, 0.5]
    assert [text.get_text() for text in axes.texts] == ["60.0", "70.0", "80.0", "90.0", "50.0"]
    assert len(axes.containers) == 3  # two groups of bars, one of error bars
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["small", "large"]
    assert len(plot_f1_by_mark(SCORES).axes[0].containers) == 2


def test_plot_reliability() -> None:
    before = [(0.6, 0.5, 10), (0.9, 0.8, 10)]
    figure = plot_reliability({"marks": {"before": before}, "case": {"before": before}})
    marks, case = figure.axes
    assert [marks.get_title(), case.get_title()] == ["marks", "case"]
    diagonal, curve = marks.lines
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    assert curve.get_xydata().tolist() == [[0.6, 0.5], [0.9, 0.8]]
    assert [text.get_text() for text in marks.get_legend().get_texts()] == ["before"]


def test_plot_distributions() -> None:
    values = {"target": [0.0, 0.5, 1.0, 1.0], "after": []}
    figure = plot_distributions({"commas": values, "words": {"target": [3.0], "after": [3.0]}}, 2)
    assert [axes.get_title() for axes in figure.axes] == ["commas", "words"]
    target, after = figure.axes[0].patches
    assert target.get_data().values.sum() == approx(1)
    assert target.get_data().values[-1] == approx(0.5)
    assert after.get_data().values.sum() == 0
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["target", "after"]


def test_plot_precision_recall() -> None:
    curve = precision_recall_curve([0.1, 0.4, 0.9], [False, True, True])
    (axes,) = plot_precision_recall({",": curve, "!": ([], [], [])}).axes
    line, dot, _ = axes.lines
    assert list(line.get_xdata()) == [1, 1, 0.5]
    assert (dot.get_xdata(), dot.get_ydata()) == ([0.5], [1])
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["comma", "!"]


@pytest.mark.parametrize("name, start", [("figure.png", b"\x89PNG"), ("figure.svg", b"<?xml")])
def test_save_figure(name: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("from before")
    save_figure(plot_f1_by_mark(SCORES), path)
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_figure_that_cannot_be_saved(tmp_path: Path) -> None:
    figure = plot_f1_by_mark(SCORES)
    with pytest.raises(ValueError, match="cannot be written"):
        save_figure(figure, tmp_path / "none" / "figure.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(ValueError, match="cannot be written"):
        save_figure(figure, tmp_path / "folder.png")
    with pytest.raises(ValueError, match="'.jpg' for a figure's suffix"):
        save_figure(figure, tmp_path / "figure.jpg")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"spacy-punctcase\[plots\]"):
        plot_f1_by_mark(SCORES)
