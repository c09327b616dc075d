import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_punctcase.models.windows import make_windows, merge_windows


@given(st.integers(0, 500), st.integers(0, 60), st.data())
def test_windows_cover_everything(length: int, size: int, data) -> None:
    stride = data.draw(st.integers(1, max(1, size)))
    windows = make_windows(length, size, stride)
    covered = {index for start, end in windows for index in range(start, end)}
    assert covered == set(range(length))
    if size:
        assert all(end - start <= size for start, end in windows)
        assert len(windows) <= length // stride + 1
        assert len({end - start for start, end in windows}) <= 1
        for (_, end), (start, _) in zip(windows, windows[1:]):
            assert end - start >= size - stride


def test_little_is_read_twice() -> None:
    assert make_windows(200, 160, 120) == [(0, 120), (80, 200)]
    assert make_windows(161, 160, 160) == [(0, 81), (80, 161)]


@given(st.integers(1, 300), st.integers(1, 60), st.data())
def test_merging_agreeing_windows_changes_nothing(length: int, size: int, data) -> None:
    stride = data.draw(st.integers(1, size))
    values = numpy.arange(length * 2, dtype="float32").reshape(length, 2)
    windows = make_windows(length, size, stride)
    merged = merge_windows(length, windows, [values[start:end] for start, end in windows])
    numpy.testing.assert_allclose(merged, values, rtol=1e-5)


def test_edges_count_less() -> None:
    windows = make_windows(6, 4, 2)
    assert windows == [(0, 4), (2, 6)]
    merged = merge_windows(6, windows, [numpy.zeros(4), numpy.ones(4)])
    # Character 2: weight 2 in the first window, 1 in the second.
    assert merged.tolist() == pytest.approx([0, 0, 1 / 3, 2 / 3, 1, 1])
