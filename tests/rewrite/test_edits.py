"""Building a text from an old one and insertions."""

from typing import List, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_punctcase.rewrite.edits import INSERTED, TextBuilder, compose

EDITS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["copy", "skip"]), st.integers(0, 30)),
        st.tuples(st.just("insert"), st.text(max_size=3)),
    ),
    max_size=12,
)


def build(source: str, edits: List[Tuple[str, object]]) -> Tuple[str, List[int]]:
    builder = TextBuilder(source)
    for edit, value in edits:
        if edit == "insert":
            builder.insert(str(value))
        else:
            end = min(int(str(value)), len(source))
            (builder.copy_to if edit == "copy" else builder.skip_to)(end)
    return builder.finish()


def test_copy_insert_and_skip() -> None:
    builder = TextBuilder("hi uyen , bye")
    builder.copy_to(7)
    builder.insert(",")
    builder.skip_to(9)
    text, origins = builder.finish()
    assert text == "hi uyen, bye"
    assert origins == [0, 1, 2, 3, 4, 5, 6, INSERTED, 9, 10, 11, 12]


def test_nothing_to_do() -> None:
    assert TextBuilder("").finish() == ("", [])
    assert TextBuilder("abc").finish() == ("abc", [0, 1, 2])


def test_going_back_copies_nothing_twice() -> None:
    builder = TextBuilder("abc")
    builder.copy_to(2)
    builder.copy_to(1)
    builder.skip_to(0)
    assert builder.finish() == ("abc", [0, 1, 2])


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=30), EDITS)
def test_the_map_leads_back_to_the_source(source: str, edits: List[Tuple[str, object]]) -> None:
    text, origins = build(source, edits)
    assert len(text) == len(origins)
    kept = [origin for origin in origins if origin != INSERTED]
    assert kept == sorted(set(kept))
    assert all(source[origin] == char for char, origin in zip(text, origins) if origin != INSERTED)
    if not any(edit == "skip" for edit, _ in edits):
        assert kept == list(range(len(source)))


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=30), EDITS, EDITS)
def test_composed_maps_lead_back_to_the_source(
    source: str, first: List[Tuple[str, object]], second: List[Tuple[str, object]]
) -> None:
    between, inner = build(source, first)
    text, outer = build(between, second)
    origins = compose(outer, inner)
    assert len(origins) == len(text)
    assert all(source[origin] == char for char, origin in zip(text, origins) if origin != INSERTED)


@pytest.mark.parametrize("origins", [[], [0, 1, INSERTED, 2], [2, INSERTED]])
def test_composed_with_identity(origins: List[int]) -> None:
    assert compose(origins, [0, 1, 2]) == origins
    assert compose(range(len(origins)), origins) == origins
