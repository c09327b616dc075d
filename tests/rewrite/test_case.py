from typing import List

import pytest

from spacy_punctcase.rewrite.case import find_all_caps, is_all_caps, set_case
from spacy_punctcase.text.case import lower
from spacy_punctcase.text.words import split_words


def test_set_case() -> None:
    assert set_case("hi GITHUB you", [0, 3]) == "Hi GITHUB you"
    assert set_case("hi GITHUB, you", [3, 6], lower_first=lambda word: True) == "hi GitHub, you"
    protected = set_case("see GitHub.COM", [], lower_first=lambda word: not word.protected)
    assert protected == "see GitHub.COM"


def test_length_never_changes() -> None:
    text = "straße ﬁ İ ŉ ß"
    changed = set_case(text, range(len(text)), lower_first=lambda word: True)
    assert changed == "STRAßE ﬁ İ ŉ ß"


@pytest.mark.parametrize(
    "text, restored, expected",
    [
        ("HELLO THERE", None, ["HELLO", "THERE"]),
        ("HELLO", None, []),
        ("USA TODAY", "USA today", []),
        ("FBI CIA NSA", "FBI CIA NSA", []),
        ("I AM AT NASA", "I am at NASA", ["I", "AM", "AT", "NASA"]),
        # A run within a line must be longer than one that fills it.
        ("we DO NOT go", None, []),
        ("we DO NOT GO THERE", None, ["DO", "NOT", "GO", "THERE"]),
        ("ok\nDO NOT GO\nok", None, ["DO", "NOT", "GO"]),
        ("DO NOT\nGO ok", None, []),
        ("A B C D", None, []),
        # No line is ended by what is neither.
        ("DO iPhone NOT 3.50 a@b.co", None, ["DO", "NOT"]),
        # Half of the words must speak for it.
        ("NASA FBI CIA DO SO", "NASA FBI CIA do so", []),
    ],
)
def test_find_all_caps(text: str, restored: str, expected: List[str]) -> None:
    restored = restored or lower(text)
    words = split_words(text)
    surely_lower = [word.core_start for word in words if not is_all_caps(restored, word)]
    found = set(find_all_caps(text, text, surely_lower))
    spelled = [text[word.core_start : word.core_end] for word in words if word.core_start in found]
    assert spelled == expected


def test_settled_words_are_no_part_of_a_segment() -> None:
    text = "DO NOT See NASA"
    assert find_all_caps(text, text, [0, 3], fixed=[7, 11]) == [0, 3]
    assert find_all_caps(text, text, [0, 3]) == []
