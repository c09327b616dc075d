"""Words and sentences of restored Docs, for writing them."""

from typing import List, Optional, Tuple

import pytest
import spacy
from spacy.tokens import Doc

from spacy_punctcase.formats import TimedWord, make_timed_doc
from spacy_punctcase.formats.cues import CueLimits, break_lines, make_cues
from spacy_punctcase.formats.pieces import Piece, link_words
from spacy_punctcase.formats.words import (
    RestoredWord,
    fill_times,
    find_sentences,
    restored_words,
    split_sentences,
)

NLP = spacy.blank("en")


def sentences(text: str) -> List[str]:
    return [sentence.text for sentence in find_sentences(NLP.make_doc(text))]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        ("Hi there", ["Hi there"]),
        ("Hi. How are you? Fine", ["Hi.", "How are you?", "Fine"]),
        ("I saw Dr. Smith. He left.", ["I saw Dr. Smith.", "He left."]),
        ('She said "yes." He left (fast!). So', ['She said "yes."', "He left (fast!).", "So"]),
        ("Hi.\nHo", ["Hi.", "Ho"]),
        ("What?! No... Yes", ["What?!", "No...", "Yes"]),
    ],
)
def test_sentences(text: str, expected: List[str]) -> None:
    assert [sentence.strip() for sentence in sentences(text)] == expected


def test_sentences_of_a_component_count() -> None:
    doc = Doc(NLP.vocab, ["Hi", ".", "Ho"], sent_starts=[True, False, False])
    assert len(find_sentences(doc)) == 1


def test_words_have_the_times_of_their_pieces() -> None:
    words = [
        TimedWord("so-called", 0.0, 1.0, 0.5, "A"),
        TimedWord("new york", 1.0, 3.0, 0.25, "B"),
        TimedWord("yes."),
    ]
    doc = make_timed_doc(NLP, words)
    assert restored_words(doc) == [
        RestoredWord("so-called", 0.0, 1.0, 0.5, "A", False),
        RestoredWord("new", 1.0, 1.75, 0.25, "B", False),
        RestoredWord("york", 2.0, 3.0, 0.25, "B", False),
        RestoredWord("yes.", None, None, None, None, True),
    ]


def word(text: str, start: Optional[float] = None, end: Optional[float] = None) -> RestoredWord:
    return RestoredWord(text, start, end, None, None, text.endswith("."))


def times(words: List[RestoredWord]) -> List[Tuple[Optional[float], Optional[float]]]:
    return [(each.start, each.end) for each in words]


def test_missing_times_are_filled() -> None:
    words = [word("aa"), word("bb", 1.0, 2.0), word("cc"), word("dd", 4.0), word("ee")]
    filled = fill_times(words, "vtt")
    assert times(filled)[:2] == [(1.0, 1.0), (1.0, 2.0)]
    assert times(filled)[3:] == [(4.0, 4.0), (4.0, 4.0)]
    assert 2.0 < filled[2].start < filled[2].end < 4.0  # type: ignore[operator]
    assert fill_times([], "vtt") == []
    with pytest.raises(ValueError, match="vtt needs times"):
        fill_times([word("aa")], "vtt")


def test_speakers_and_sentences_split() -> None:
    words = [
        word("a."),
        word("b"),
        word("c")._replace(speaker="B"),
        word("d")._replace(speaker="B"),
    ]
    parts = [[each.text for each in part] for part in split_sentences(words)]
    assert parts == [["a."], ["b"], ["c", "d"]]


def cue_texts(text: str, limits: CueLimits) -> List[str]:
    words = [word(each, index, index + 1) for index, each in enumerate(text.split())]
    return [cue.text for cue in make_cues(words, limits)]


COUNTED = "one two, three four five six. seven eight."


@pytest.mark.parametrize(
    "limits, expected",
    [
        (CueLimits(), ["one two, three four five six.", "seven eight."]),
        (CueLimits(max_seconds=4), ["one two,", "three four five six.", "seven eight."]),
        (
            CueLimits(max_chars=10, max_lines=1),
            ["one two,", "three four", "five six.", "seven", "eight."],
        ),
        (CueLimits(max_chars=1, max_lines=1), COUNTED.split()),
        (CueLimits(max_seconds=0.5), COUNTED.split()),
    ],
)
def test_cues_keep_within_limits(limits: CueLimits, expected: List[str]) -> None:
    assert cue_texts(COUNTED, limits) == expected


def test_two_lines_are_about_equally_long() -> None:
    words = list(map(word, ["one", "two", "three", "four", "five", "six"]))
    assert break_lines(words, CueLimits(max_chars=20)) == ["one two three", "four five six"]
    assert break_lines(words, CueLimits(max_chars=100)) == ["one two three four five six"]
    assert break_lines(words[:1], CueLimits(max_chars=1)) == ["one"]


@pytest.mark.parametrize(
    "text, words, expected",
    [
        (" don't go", [" don", "'t", " go"], [(1, 4, 0), (4, 6, 1), (7, 9, 2)]),
        ("Hi, you.", ["hi", "you"], [(0, 3, 0), (4, 8, 1)]),
        ("a $13 b", ["a", "thirteen", "dollars", "b"], [(0, 1, 0), (2, 5, None), (6, 7, 3)]),
        ("a b", ["a", "b", "c"], [(0, 1, 0), (2, 3, 1)]),
        ("... a", ["a"], [(0, 3, None), (4, 5, 0)]),
        ("", ["a"], []),
        ("a b", [], [(0, 1, None), (2, 3, None)]),
    ],
)
def test_words_are_linked(text: str, words: List[str], expected: List[Tuple]) -> None:
    assert link_words(text, words) == [Piece(*piece) for piece in expected]
