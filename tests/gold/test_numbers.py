"""Numbers as they are spoken."""

import random
from typing import Set

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_punctcase.gold.numbers import speak_number


def spoken(word: str, scale: str = "") -> Set[str]:
    """All ways in which a number is spoken."""
    found = [speak_number(word, random.Random(seed), scale=scale) for seed in range(30)]
    return {" ".join(words) for words in found if words is not None}


@pytest.mark.parametrize(
    "word, expected",
    [
        ("7", {"seven"}),
        ("33", {"thirty three"}),
        ("101", {"one hundred one", "one hundred and one"}),
        ("1,200", {"one thousand two hundred"}),
        ("3,000,000,000", {"three billion"}),
        ("1905", {"nineteen oh five"}),
        ("1999", {"nineteen ninety nine"}),
        ("2005", {"two thousand five", "two thousand and five"}),
        ("2020", {"twenty twenty", "two thousand twenty", "two thousand and twenty"}),
        ("1990s", {"nineteen nineties"}),
        ("6s", {"sixes"}),
        ("747s", {"seven hundred and forty sevens", "seven hundred forty sevens"}),
        ("3rd", {"third"}),
        ("22nd", {"twenty second"}),
        ("007", {"zero zero seven"}),
        ("12345678", {"one two three four five six seven eight"}),
        ("3.5", {"three point five"}),
        ("0.05", {"zero point zero five"}),
        ("10%", {"ten percent"}),
        ("2.5%", {"two point five percent"}),
        ("$5", {"five dollars"}),
        ("$1", {"one dollar"}),
        ("$0.5", {"zero point five dollars"}),
        ("$3.50", {"three dollars fifty cents"}),
        ("$5.00", {"five dollars"}),
        ("€31", {"thirty one euros"}),
        ("£2", {"two pounds"}),
        ("10:30", {"ten thirty"}),
        ("10:05", {"ten oh five"}),
        ("9:00", {"nine"}),
        ("Q3", {"Q three"}),
        ("MP3", {"MP three"}),
        ("B2B", {"B two B"}),
        ("COVID-19", {"COVID nineteen"}),
        ("19-year-old", {"nineteen year old"}),
        ("10-15", {"ten to fifteen"}),
    ],
)
def test_spoken(word: str, expected: Set[str]) -> None:
    assert spoken(word) == expected


@pytest.mark.parametrize(
    "word, expected",
    [
        ("$5", "five million dollars"),
        ("$1", "one million dollars"),
        ("$1.25", "one point two five million dollars"),
        ("€3", "three million euros"),
    ],
)
def test_the_currency_follows_the_scale(word: str, expected: str) -> None:
    assert spoken(word, "million") == {expected}


@pytest.mark.parametrize(
    "word",
    ["hi", "well-known", "a1b2c3", "1.2.3", "24/7", "$5m", "3.5x", "½", "٣", "-", "5-", "9" * 5000]
    + ["$5%", "3.5th", "10:75", "x" * 5 + "1", "http://a1.com/"],
)
def test_not_spoken(word: str) -> None:
    assert spoken(word) == set()


@given(st.text("0123456789,.%$:-sthx", min_size=1, max_size=12), st.integers(0, 5))
@example("0", 0)
def test_words_are_letters_only(word: str, seed: int) -> None:
    found = speak_number(word, random.Random(seed))
    assert found is None or (found and all(part.isalpha() for part in found))
