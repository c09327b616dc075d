"""The case of a whole word: lower, Capitalised or UPPER."""

from typing import List

from .case import casing_class, has_case, is_upper
from .words import without_possessive

LOWER, CAPITAL, UPPER = CASES = ("lower", "capital", "upper")


def case_of(word: str) -> str:
    """The case that comes closest to a word's spelling; that of "GitHub" is CAPITAL."""
    word = without_possessive(word)
    if casing_class(word) == "acronym":
        return UPPER
    first = next((char for char in word if has_case(char)), "")
    return CAPITAL if first and is_upper(first) else LOWER


def find_capitals(word: str, case: str) -> List[int]:
    """Which characters of a word are upper case when it is in one of CASES."""
    letters = without_possessive(word)
    cased = [offset for offset, char in enumerate(letters) if has_case(char)]
    return {LOWER: [], CAPITAL: cased[:1], UPPER: cased}[case]
