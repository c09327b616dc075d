import json
import sys
from pathlib import Path
from typing import Any, List

import pytest
from pytest import approx

from spacy_punctcase.report.curve import (
    Evaluation,
    best_evaluation,
    losses_per_step,
    plot_curves,
    read_log,
    set_aside,
    smooth,
)

LOG = [
    Evaluation(0, 0, {"ner": 4.0}, {"ents_f": 0.0, "speed": 9000.0}, 0.0),
    Evaluation(0, 50, {"ner": 100.0}, {"ents_f": 60.0, "speed": 9000.0}, 0.6),
    Evaluation(1, 100, {"ner": 50.0}, {"ents_f": 60.0, "speed": 9000.0}, 0.6),
]


def write(path: Path, *lines: Any) -> Path:
    texts = (line if isinstance(line, str) else json.dumps(line._asdict()) for line in lines)
    path.write_text("".join(text + "\n" for text in texts), "utf8")
    return path


def change(**changes: Any) -> str:
    return json.dumps({**LOG[1]._asdict(), **changes})


def test_read_log(tmp_path: Path) -> None:
    assert read_log(write(tmp_path / "a.jsonl", *LOG[:2], "", LOG[2])) == LOG


@pytest.mark.parametrize(
    "line, message",
    [
        ('{"epoch": 0, "st', "this is no JSON.*may be cut off: delete that line"),
        ("[1]", "this is no object"),
        ('{"epoch": 0}', "'step' is missing"),
        (change(step="50"), "'step' is '50'"),
        (change(step=-1), "'step' is -1"),
        (change(epoch=True), "'epoch' is True"),
        (change(score=None), "'score' is None"),
        (change(losses=[1]), r"'losses' is \[1\]"),
        (change(scores={"ents_f": "high"}), "'scores' is {'ents_f': 'high'}"),
        (change(step=0), "step 0 does not come after step 0.*--paths.log"),
    ],
)
def test_broken_log(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "a.jsonl", LOG[0], "", line)
    with pytest.raises(ValueError, match=f"a.jsonl, line 3: .*{message}"):
        read_log(path)


@pytest.mark.parametrize("lines", [[], ["", " "]])
def test_empty_log(tmp_path: Path, lines: List[str]) -> None:
    with pytest.raises(ValueError, match="a.jsonl: there is no evaluation in it yet"):
        read_log(write(tmp_path / "a.jsonl", *lines))


def test_no_log(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a.jsonl: cannot be read"):
        read_log(tmp_path / "a.jsonl")


def test_losses_are_means_of_the_updates() -> None:
    # One update up to step 0, fifty to step 50.
    assert losses_per_step(LOG) == {"ner": [4.0, 2.0, 1.0]}


def test_smooth() -> None:
    assert list(smooth([3.0, 3.0, 3.0], [1, 50, 20], 0.9)) == approx([3, 3, 3])
    assert list(smooth([1.0, 2.0, 5.0], [1, 1, 1], 0)) == approx([1, 2, 5])
    assert list(smooth([1.0, 2.0], [1, 1], 0.5)) == approx([1, (0.25 + 1) / 0.75])
    # The single update at the start hardly counts beside a mean of a hundred.
    assert list(smooth([9.0, 1.0], [1, 100], 0.5))[1] == approx(1.04, abs=0.01)


def test_the_first_of_the_best() -> None:
    assert best_evaluation(LOG).step == 50


def test_plot_curves() -> None:
    scores, losses = plot_curves({"one": LOG, "two": LOG[:2]}, smoothing=0).axes
    line, dot, other, _ = scores.lines
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0, 50, 100], [0, 60, 60])
    assert (list(dot.get_xdata()), list(dot.get_ydata())) == ([50], [60])
    assert list(other.get_xdata()) == [0, 50]
    legend = scores.get_legend()
    assert legend is not None
    # Speed is not in percent, and is left out.
    assert [text.get_text() for text in legend.get_texts()] == ["one, ents_f", "two, ents_f"]
    assert list(losses.lines[1].get_ydata()) == approx([4, 2, 1])
    assert (losses.get_xlabel(), losses.get_xscale()) == ("steps", "linear")


def test_plot_over_words() -> None:
    scores, losses = plot_curves({"a": LOG, "b": LOG}, {"a": 100, "b": 10}).axes
    assert list(scores.lines[0].get_xdata()) == [100, 5100, 10_100]
    assert list(scores.lines[2].get_xdata()) == [10, 510, 1010]
    assert (losses.get_xlabel(), losses.get_xscale()) == ("words", "log")


def test_plot_without_scores() -> None:
    scores, losses = plot_curves({"a": [Evaluation(0, 0, {}, {}, 0.0)]}).axes
    assert (len(scores.lines), len(losses.lines)) == (0, 0)


def test_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "ner.jsonl"
    assert set_aside(path) is None
    for number in (1, 2):
        path.write_text(f"log {number}")
        assert set_aside(path) == tmp_path / f"ner.{number}.jsonl"
        assert not path.exists()
    assert (tmp_path / "ner.1.jsonl").read_text() == "log 1"
    assert len(list(tmp_path.iterdir())) == 2


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"spacy-punctcase\[plots\]"):
        plot_curves({"a": LOG})
