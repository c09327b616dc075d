"""The case of whole words."""

import pytest

from spacy_punctcase.text.word_case import case_of, find_capitals


@pytest.mark.parametrize(
    "word, case",
    [
        ("hello", "lower"),
        ("Hello", "capital"),
        ("I", "capital"),
        ("NASA", "upper"),
        ("NASA's", "upper"),
        ("GitHub", "capital"),
        ("iPhone", "lower"),
        ("O'Brien", "capital"),
        ("3.50", "lower"),
        ("ß", "lower"),
    ],
)
def test_case_of(word: str, case: str) -> None:
    assert case_of(word) == case


def test_find_capitals() -> None:
    assert find_capitals("nasa's", "upper") == [0, 1, 2, 3]
    assert find_capitals("3d", "capital") == [1]
    assert find_capitals("straße", "upper") == [0, 1, 2, 3, 5]
    assert find_capitals("12", "upper") == find_capitals("hello", "lower") == []
