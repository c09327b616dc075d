"""Marks and labels."""

from typing import Dict, List

import pytest

from spacy_punctcase.text.marks import (
    DASHES,
    DEFAULT_MARK_MAP,
    DEFAULT_MARKS,
    MARKS,
    NO_MARK,
    check_marks,
    first_mark,
    map_mark,
)


def test_defaults_are_valid() -> None:
    check_marks(DEFAULT_MARKS, DEFAULT_MARK_MAP)
    assert not MARKS & DASHES


@pytest.mark.parametrize(
    "mark, label",
    [("", NO_MARK), (".", "."), (",", ","), ("?", "?"), ("!", "."), (";", "."), (":", ",")],
)
def test_map_mark(mark: str, label: str) -> None:
    assert map_mark(mark, DEFAULT_MARKS, DEFAULT_MARK_MAP) == label


def test_map_mark_drops_what_is_mapped_to_nothing() -> None:
    assert map_mark("!", [".", ","], {"!": ""}) == NO_MARK


def test_map_mark_prefers_the_label_itself() -> None:
    assert map_mark("!", [".", "!"], {"!": "."}) == "!"


@pytest.mark.parametrize("mark, label", [("，", ","), ("、", ","), ("。", "."), ("؟", "?")])
def test_marks_of_other_scripts(mark: str, label: str) -> None:
    assert map_mark(mark, DEFAULT_MARKS, DEFAULT_MARK_MAP) == label
    assert map_mark(label, [mark], {}) == mark
    assert map_mark(mark, [*DEFAULT_MARKS, mark], DEFAULT_MARK_MAP) == mark


def test_every_mark_has_a_default_label() -> None:
    assert all(map_mark(mark, DEFAULT_MARKS, DEFAULT_MARK_MAP) in ",.?" for mark in MARKS)


def test_unknown_mark_names_mark_word_and_component() -> None:
    with pytest.raises(ValueError, match="mark_map") as error:
        map_mark("！", DEFAULT_MARKS, {}, word="你好", name="punctuator")
    assert all(part in str(error.value) for part in ("！", "你好", "punctuator"))


@pytest.mark.parametrize("marks", [["a"], [""], [" "], [".."], ["-"], ["/"], ["5"]])
def test_check_marks_refuses_what_is_no_mark(marks: List[str]) -> None:
    with pytest.raises(ValueError, match="punctuation mark"):
        check_marks(marks, {})


@pytest.mark.parametrize("mark", sorted(MARKS))
def test_every_mark_may_be_a_label(mark: str) -> None:
    check_marks([mark], {})


@pytest.mark.parametrize("mark_map", [{"!": "x"}, {"!": ";"}])
def test_check_marks_refuses_unknown_targets(mark_map: Dict[str, str]) -> None:
    with pytest.raises(ValueError, match="mark_map"):
        check_marks(DEFAULT_MARKS, mark_map)


@pytest.mark.parametrize(
    "trail, mark", [("", ""), ('"', ""), ('."', "."), ('"?!', "?"), ("-,", ","), ("…", "…")]
)
def test_first_mark(trail: str, mark: str) -> None:
    assert first_mark(trail) == mark
