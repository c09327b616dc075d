from typing import List, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_punctcase.report.differences import (
    MAX_PARAGRAPH_WORDS,
    PARAGRAPH_WORDS,
    Piece,
    count_labels,
    find_paragraphs,
    mark_label,
)
from spacy_punctcase.text.words import split_words


def bare(text: str) -> str:
    return "".join(text.split())


def written(pieces: List[Piece]) -> str:
    """The pieces with brackets around those that differ."""
    return "".join(piece.text if piece.place is None else f"[{piece.text}]" for piece in pieces)


@pytest.mark.parametrize(
    "a, b, gold, verdicts",
    [
        ("hi uyen", "Hi Uyen,", "Hi Uyen,", ["b", "b"]),
        ("Hi uyen", "hi Uyen.", "Hi Uyen,", ["a", "neither"]),
        # A word that only one side has is right if gold has it.
        ("hi there you", "hi you", "hi there you", ["a"]),
        ("hi there you", "hi you", "hi you", ["b"]),
        ("hi there you", "hi you", "hi There you", ["neither"]),
        # In the same place both say what gold does not.
        ("hi uh you", "hi um you", "hi you", ["neither"]),
        # Words that neither has, or that both have, are no difference.
        ("hi you", "hi you", "hi there you", []),
        ("hi there you", "hi there you", "hi you", []),
        ("hi uyen", "Hi Uyen,", None, ["", ""]),
        ("hi there", "hi where", None, [""]),
    ],
)
def test_verdicts(a: str, b: str, gold: Optional[str], verdicts: List[str]) -> None:
    (paragraph,) = find_paragraphs(a, b, gold)
    assert [difference.verdict for difference in paragraph.differences] == verdicts


def test_labels_are_of_what_differs() -> None:
    (paragraph,) = find_paragraphs(
        "see github now. ok", "see GitHub, Now. OK!", "see GitHub. NOW. OK."
    )
    found = [(difference.marks, difference.cases) for difference in paragraph.differences]
    assert found == [
        ([",", "."], ["lower", "mixed"]),
        ([], ["acronym", "capital", "lower"]),
        ([".", "other"], ["acronym", "lower"]),
    ]
    assert [str(difference.gold) for difference in paragraph.differences] == [
        "GitHub.",
        "NOW.",
        "OK.",
    ]


def test_quotes_and_dashes_are_no_difference() -> None:
    (paragraph,) = find_paragraphs('He said "no" - twice.', "He said no twice.")
    assert paragraph.differences == []
    assert written(paragraph.a) == 'He said "no" - twice.'


def test_a_missing_word_is_an_empty_piece_in_its_place() -> None:
    (paragraph,) = find_paragraphs("so one slow query", "so One slow uh query")
    assert written(paragraph.a) == "so [one] slow[] query"
    assert written(paragraph.b) == "so [One] slow [uh] query"
    assert [difference.a for difference in paragraph.differences][1] is None


def test_a_mark_of_its_own_is_shown_with_its_word() -> None:
    (paragraph,) = find_paragraphs("vous venez oui", "vous venez ? Oui")
    assert written(paragraph.b) == "vous [venez ?] [Oui]"


def test_paragraphs_end_with_sentences() -> None:
    gold = "This one is a sentence of seven. " * 20 + "No end " * 80
    paragraphs = find_paragraphs(gold.lower(), gold, gold, name="3")
    assert [paragraph.name for paragraph in paragraphs[:2]] == ["3.1", "3.2"]
    for paragraph in paragraphs[:3]:
        assert paragraph.gold is not None
        assert paragraph.gold.startswith("This") and paragraph.gold.endswith("seven.")
        assert len(split_words(paragraph.gold)) == 42 >= PARAGRAPH_WORDS
    lengths = [len(split_words(paragraph.gold or "")) for paragraph in paragraphs]
    assert sum(lengths) == 300 and max(lengths) <= MAX_PARAGRAPH_WORDS


def test_short_and_empty_documents() -> None:
    assert find_paragraphs("", " \n", "") == []
    (paragraph,) = find_paragraphs("hi", "", name="7")
    assert (paragraph.name, paragraph.b) == ("7", [Piece("", 0)])
    (paragraph,) = find_paragraphs("...", "...")
    assert (written(paragraph.a), paragraph.differences) == ("...", [])


TEXTS = st.lists(
    st.sampled_from(["hi", "Hi,", "no", "No.", "U.S.", "-", "?", '"so"', "[noise]", "\n", "ß!"]),
    max_size=150,
).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.none() | TEXTS)
def test_nothing_is_lost_or_shown_twice(a: str, b: str, gold: Optional[str]) -> None:
    paragraphs = find_paragraphs(a, b, gold)
    for text, sides in ((a, [p.a for p in paragraphs]), (b, [p.b for p in paragraphs])):
        assert bare("".join(piece.text for pieces in sides for piece in pieces)) == bare(text)
    for paragraph in paragraphs:
        for pieces in (paragraph.a, paragraph.b):
            places = [piece.place for piece in pieces if piece.place is not None]
            assert places == list(range(len(paragraph.differences)))


def test_count_labels() -> None:
    # Marks: the comma is missed, a full stop too many, "!" for "?"; the last full stop is right.
    # Case: Hi and I are right, uyen is missed, OK is spelled Ok; "there" is another word.
    counts = count_labels("Hi uyen. It is Ok! Where I am.", "Hi Uyen, it is OK? there I am.")
    assert counts["."] == (1, 0, 1)
    assert counts[","] == (0, 1, 0)
    assert counts["?"] == (0, 1, 0)
    assert counts["other"] == (0, 0, 1)
    assert counts["capital"] == (2, 1, 2)
    assert counts["acronym"] == (0, 1, 0)
    assert counts["lower"] == (2, 1, 1)
    assert counts["mixed"] == (0, 0, 0)


def test_mark_label() -> None:
    assert (
        list(map(mark_label, ["", ",", ".", "?", "!", ":"])) == ["", ",", ".", "?"] + ["other"] * 2
    )
