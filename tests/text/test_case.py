"""Case of single characters and texts: the length never changes."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_punctcase.text.case import casing_class, has_case, is_upper, lower, upper


@settings(deadline=None, max_examples=300)
@given(st.text())
def test_length_never_changes(text: str) -> None:
    assert len(lower(text)) == len(upper(text)) == len(text)


@settings(deadline=None, max_examples=300)
@given(st.text())
def test_there_and_back_again(text: str) -> None:
    assert lower(upper(text)) == lower(text) == lower(lower(text))
    assert upper(lower(text)) == upper(text) == upper(upper(text))


def test_every_character_of_unicode() -> None:
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    low, high = lower(text), upper(text)
    for char, small, big in zip(text, low, high):
        assert has_case(char) == (small != big)
        assert is_upper(char) == (char == big != small)
        if small != big:
            assert (small.upper(), big.lower()) == (big, small)
            assert char in (small, big)
        else:
            assert char == small


@pytest.mark.parametrize(
    "text, low, high",
    [
        ("Hello World", "hello world", "HELLO WORLD"),
        ("Ärger", "ärger", "ÄRGER"),
        ("ΛΌΓΟΣ", "λόγοσ", "ΛΌΓΟΣ"),  # not the final sigma, which is another letter
        ("λόγος", "λόγος", "ΛΌΓΟς"),
        ("İstanbul", "İstanbul", "İSTANBUL"),
        ("ısı", "ısı", "ıSı"),
        ("Straße", "straße", "STRAßE"),
        ("ẞ", "ẞ", "ẞ"),
        ("ŉ ǰ ﬁ", "ŉ ǰ ﬁ", "ŉ ǰ ﬁ"),
        ("ǅ", "ǅ", "ǅ"),
        ("Ǆ", "ǆ", "Ǆ"),
        ("Привет", "привет", "ПРИВЕТ"),
        ("日本 42!", "日本 42!", "日本 42!"),
        ("\ud800", "\ud800", "\ud800"),
    ],
)
def test_lower_and_upper(text: str, low: str, high: str) -> None:
    assert (lower(text), upper(text)) == (low, high)


@pytest.mark.parametrize("char", [*"ßİıſςẞǅŉ1. ", "\u212a", "ﬁ"])
def test_characters_that_may_not_change(char: str) -> None:
    assert not has_case(char)
    assert not is_upper(char)


@pytest.mark.parametrize(
    "word, expected",
    [
        ("", "none"),
        ("42", "none"),
        ("日本", "none"),
        ("hello", "lower"),
        ("don't", "lower"),
        ("a", "lower"),
        ("Hello", "capital"),
        ("I", "capital"),
        ("I'm", "capital"),
        ("3D", "capital"),
        ("USA", "acronym"),
        ("U.S.", "acronym"),
        ("3DS", "acronym"),
        ("McDonald", "mixed"),
        ("iPhone", "mixed"),
        ("O'Brien", "mixed"),
        ("GitHub", "mixed"),
        ("Ω", "capital"),
        ("Straße", "capital"),
    ],
)
def test_casing_class(word: str, expected: str) -> None:
    assert casing_class(word) == expected
