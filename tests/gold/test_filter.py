"""Windows of text, what is measured of them, and their divergence from clean text."""

import lzma
from pathlib import Path
from typing import List

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from spacy_punctcase.gold.filter import (
    CAP,
    FEATURES,
    MIN_TARGET_WINDOWS,
    Reservoir,
    fit_target,
    measure,
    read_windows,
    sample_target,
    to_row,
)
from spacy_punctcase.gold.readers import read_documents


def write(path: Path, documents: List[List[str]]) -> Path:
    path.write_text("\n\n".join(map("\n".join, documents)) + "\n", encoding="utf8")
    return path


def test_long_documents_are_cut_and_short_ones_joined(tmp_path: Path) -> None:
    line = "one two three four five"
    path = write(tmp_path / "a.txt", [[line] * 5, ["six"], [line, line]])
    windows = list(read_windows(path, 10))
    assert windows == [
        ([[line, line]], False, 10),
        ([[line, line]], True, 10),
        ([[line]], True, 5),  # half a window: it is not joined
        ([["six"], [line, line]], False, 11),
    ]
    assert windows[3].lines == ["six", line, line]


def test_a_short_rest_of_the_file_belongs_to_the_window_before(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", [["one two three four"], ["five"]])
    (window,) = read_windows(path, 4)
    assert window == ([["one two three four"], ["five"]], False, 5)
    path = write(path, [["one two three four", "five"]])
    (window,) = read_windows(path, 4)
    assert window == ([["one two three four", "five"]], False, 5)


def test_a_short_file_is_one_window(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.xz"
    path.write_bytes(lzma.compress(b"\n\n Hello there. \r\n\n\n"))
    assert list(read_windows(path, 200)) == [([["Hello there."]], False, 2)]
    path.write_bytes(lzma.compress(b"\n \n"))
    assert list(read_windows(path, 200)) == []


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=6), min_size=1, max_size=8),
    st.integers(2, 40),
)
def test_no_line_is_lost(tmp_path_factory: pytest.TempPathFactory, words, size: int) -> None:
    documents = [["w " * (count - 1) + "w" for count in document] for document in words]
    path = write(tmp_path_factory.getbasetemp() / "windows.txt", documents)
    windows = list(read_windows(path, size))
    joined: List[List[str]] = []
    for window in windows:
        first, *others = window.documents
        if window.continues:
            joined[-1].extend(first)
        else:
            joined.append(list(first))
        joined.extend(map(list, others))
        assert window.words == sum(len(line.split()) for line in window.lines)
        assert 2 * window.words >= size or len(windows) == 1
    assert joined == documents == list(read_documents(path))


def test_windows_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"Good text here.\n" * 20_000 + b"\xff\n")
    assert next(read_windows(path, 9)).words == 9


def test_measure() -> None:
    values = measure(
        ["Hello there, iPhone! Is it NASA?", "and so; THE WHOLE BIG THING is", "(It is 5.)"]
    )
    words = 16
    assert values == {
        "commas": approx(1 / words),
        "full stops": approx(1 / words),
        "question marks": approx(1 / words),
        "exclamation marks": approx(1 / words),
        "other marks": approx(1 / words),
        "sentence length": approx(words / 3),
        "lower-case words": approx(6 / words),
        "capitalised words": approx(3 / words),
        "acronyms": approx(5 / words),
        "mixed-case words": approx(1 / words),
        "words in capital runs": approx(4 / words),
        "lines without final mark": approx(1 / 3),
        "lines beginning in lower case": approx(1 / 3),
        "non-letters": approx(8 / 59),
    }
    assert list(values) == list(FEATURES)


@pytest.mark.parametrize("lines", [[], [""], ["..."], ["[noise]"], ["5 5"]])
def test_measure_hardly_anything(lines: List[str]) -> None:
    assert all(numpy.isfinite(to_row(measure(lines))))


def test_reservoir() -> None:
    counts = numpy.zeros(20)
    for seed in range(500):
        drawn: Reservoir[int] = Reservoir(5, seed)
        for item in range(20):
            drawn.add(item)
        assert len(set(drawn.items)) == 5
        counts[drawn.items] += 1
    assert counts.min() > 80 and counts.max() < 170  # 125 each


def values_like(shares: numpy.ndarray) -> numpy.ndarray:
    return numpy.repeat(shares[:, None], len(FEATURES), axis=1)


def test_divergence() -> None:
    target = fit_target(values_like(numpy.linspace(0, 10, 101)))
    assert target.median == approx(5)
    assert target.above == approx(4 / 1.2816)
    assert target.quantiles[:, 0] == approx(numpy.linspace(0, 10, 21))
    at_median = target.median.copy()
    assert target.divergence(at_median) == 0
    one_off = at_median.copy()
    one_off[0] += target.above[0] * 3
    assert target.scores(one_off)[:2] == approx([3, 0])
    assert target.divergence(one_off) == approx(9 / len(FEATURES))
    one_off[0] = 1e6
    assert target.divergence(one_off) == approx(CAP / len(FEATURES))


def test_each_side_has_a_scale_of_its_own() -> None:
    skewed = numpy.concatenate([numpy.zeros(60), numpy.linspace(0, 8, 40)])
    target = fit_target(values_like(skewed))
    assert target.below == approx(numpy.asarray(list(FEATURES.values())))  # the floor
    assert (target.above[0], target.median[0]) == (approx(6.0 / 1.2816, rel=0.05), 0)


def test_the_threshold_keeps_the_share_that_it_names() -> None:
    rng = numpy.random.default_rng(0)
    values = rng.normal(5, 1, (1000, len(FEATURES)))
    target = fit_target(values)
    for keep in (0.5, 0.97, 1.0):
        kept = target.divergence(values) <= target.threshold(keep)
        assert kept.mean() == approx(keep, abs=0.002)


@pytest.mark.parametrize("keep", [0, -1, 1.1, float("nan")])
def test_threshold_errors(keep: float) -> None:
    target = fit_target(values_like(numpy.arange(50.0)))
    with pytest.raises(ValueError, match="at most 1, but is"):
        target.threshold(keep)


def test_too_little_target() -> None:
    with pytest.raises(ValueError, match=f"0 windows.*at least {MIN_TARGET_WINDOWS}"):
        fit_target(numpy.empty((0, len(FEATURES))))


def test_sample_target_draws_as_many_of_each_file(tmp_path: Path) -> None:
    big = write(tmp_path / "big.txt", [["So it is, yes."] * 300])
    small = write(tmp_path / "small.txt", [["So it is"] * 60])
    values = sample_target([big, small], size=20, sample=10, seed=0)
    assert values.shape == (10 + 9, len(FEATURES))
    assert values[:, list(FEATURES).index("commas")] == approx([0.25] * 10 + [0] * 9)
