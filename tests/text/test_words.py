"""Which words a text has, and which marks follow them."""

from typing import List, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_punctcase.text.case import lower
from spacy_punctcase.text.marks import MARKS
from spacy_punctcase.text.words import (
    chunk_index,
    chunks,
    is_protected,
    model_form,
    normal_form,
    same_word,
    split_words,
    without_possessive,
)

# Texts made of what decides where a word begins and ends.
PIECES = st.sampled_from(
    [*"abXß5.,?!:;…-—'\"’‘()[]<>{}@#$%&/¿«» \t\n\xa0\u3000", "u.s", "[a b]", "www.a.com", "  "]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=40).map("".join))


def cores(text: str) -> List[str]:
    return [text[word.core_start : word.core_end] for word in split_words(text)]


def marked(text: str) -> List[Tuple[str, str]]:
    return [(text[word.core_start : word.core_end], word.mark) for word in split_words(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("hello", [("hello", "")]),
        ("hello, world.", [("hello", ","), ("world", ".")]),
        ("hello?!", [("hello", "?")]),
        ("wait…", [("wait", "…")]),
        ("wait...", [("wait", ".")]),
        ("(see above).", [("see", ""), ("above", ".")]),
        ("what?)", [("what", "?")]),
        ('he said "hello." then', [("he", ""), ("said", ""), ("hello", "."), ("then", "")]),
        ("«bonjour», oui", [("bonjour", ","), ("oui", "")]),
        ("¿qué? ¡hola!", [("qué", "?"), ("hola", "!")]),
        ("你好。", [("你好", "。")]),
        ("كيف؟", [("كيف", "؟")]),
        # Numbers.
        ("3.50", [("3.50", "")]),
        ("at 10:30, then", [("at", ""), ("10:30", ","), ("then", "")]),
        ("$43,000.", [("$43,000", ".")]),
        ("1,000", [("1,000", "")]),
        (".5 of it", [(".5", ""), ("of", ""), ("it", "")]),
        ("50%.", [("50%", ".")]),
        # Words with characters of their own.
        ("don't!", [("don't", "!")]),
        ("C++, c#.", [("C++", ","), ("c#", ".")]),
        ("well-known and/or", [("well-known", ""), ("and/or", "")]),
        (".NET.", [(".NET", ".")]),
        ("rock 'n' roll", [("rock", ""), ("'n'", ""), ("roll", "")]),
        ("'tis", [("'tis", "")]),
        # Abbreviations keep their dot, which is no mark; any other one is.
        ("the u.s. is", [("the", ""), ("u.s.", ""), ("is", "")]),
        ("the u.s.?", [("the", ""), ("u.s.", "?")]),
        ("at 5 p.m., we", [("at", ""), ("5", ""), ("p.m.", ","), ("we", "")]),
        ("e.g. a.", [("e.g.", ""), ("a", ".")]),
        ("mr. smith", [("mr", "."), ("smith", "")]),
        # Marks in chunks of their own, or in front of the next word.
        ('he said "hello" , then', [("he", ""), ("said", ""), ("hello", ","), ("then", "")]),
        ("hello ?!", [("hello", "?")]),
        ("hello , . there", [("hello", ","), ("there", "")]),
        ("4 percent ,and", [("4", ""), ("percent", ","), ("and", "")]),
        ("sure ...and then", [("sure", "."), ("and", ""), ("then", "")]),
        # White space of any kind.
        ("a\xa0b\u3000c\td\ne\u2028f\x1fg", [(char, "") for char in "abcdefg"]),
    ],
)
def test_words_and_marks(text: str, expected: List[Tuple[str, str]]) -> None:
    assert marked(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "  ", "\n\t", "...", "-", "?!", '"', "'", "''", "' '", ". , ?", "[]", "(.)", "«»", "->"],
)
def test_no_words(text: str) -> None:
    assert split_words(text) == []


@pytest.mark.parametrize(
    "text, expected",
    [
        ("[noise]", []),
        ("a [noise] b", ["a", "b"]),
        ("[background speech] hi", ["hi"]),
        ("hi [a b c] there <unk> you", ["hi", "there", "you"]),
        ("hi [noise]. there", ["hi", "there"]),
        ("hi (laughs) (Background music) there", ["hi", "there"]),
        ("(she laughs at it) x(laughs)", ["she", "laughs", "at", "it", "x(laughs"]),
        ("♪ hi there♪ ♫", ["hi", "there"]),
        ("[a] [b c]", []),
        ("SPEAKER 1: hi Speaker B: ho speaker_02:", ["hi", "ho"]),
        ("hi\n[SPEAKER_01]: ho", ["hi", "ho"]),
        ("the speaker is: b Speaker 1:x", ["the", "speaker", "is", "b", "Speaker", "1:x"]),
        # No tags: open brackets, brackets inside a word.
        ("[a b c", ["a", "b", "c"]),
        ("x[noise]", ["x[noise"]),
        ('"<x y>"', ["x", "y"]),
    ],
)
def test_tags_are_no_words(text: str, expected: List[str]) -> None:
    assert cores(text) == expected


@pytest.mark.parametrize("tag", ["[noise] .", "[noise].", "(background music)."])
def test_mark_behind_a_tag_belongs_to_the_word_before(tag: str) -> None:
    assert marked(f"hi {tag} there") == [("hi", "."), ("there", "")]
    assert marked(f"{tag} there") == [("there", "")]


def test_colon_behind_a_tag_belongs_to_no_word() -> None:
    assert marked("hi\n[SPEAKER_01]: there") == [("hi", ""), ("there", "")]


@pytest.mark.parametrize("text", ["word - next", "word -", "word-", "word — next", "word- next"])
def test_a_dash_is_no_mark_but_lets_none_in(text: str) -> None:
    word = split_words(text)[0]
    assert (word.mark, word.followed) == ("", True)


def test_a_dash_in_front_of_a_word_does_not_follow_the_one_before() -> None:
    assert [word.followed for word in split_words("minus -5 degrees")] == [False] * 3


@pytest.mark.parametrize("word", ["dogs'", "'tis", "'n'", "goin'", "'dogs'", "dogs’"])
@pytest.mark.parametrize("mark", [*".,?!:;…"])
def test_an_apostrophe_belongs_to_the_word_whatever_follows(word: str, mark: str) -> None:
    assert cores(word) == cores(word + mark) == cores(f'"{word}{mark}"') == [word]


@pytest.mark.parametrize(
    "text, core",
    [
        ("http://a.com/x?y=1,2.", "http://a.com/x?y=1,2"),
        ("https://example.org/A_b.", "https://example.org/A_b"),
        ("www.example.com,", "www.example.com"),
        ("example.com.", "example.com"),
        ("jo.smith@example.com,", "jo.smith@example.com"),
        ("#hashtag!", "#hashtag"),
        ("@handle:", "@handle"),
    ],
)
def test_protected_words(text: str, core: str) -> None:
    (word,) = split_words(text)
    assert word.protected
    assert text[word.core_start : word.core_end] == core
    assert word.mark == text[-1]


@pytest.mark.parametrize("core", ["hello", "3.50", "u.s.", "#", "@", "10:30", "e.g.", "1,000"])
def test_other_words_are_not_protected(core: str) -> None:
    assert not is_protected(core)


def test_chunks_and_their_index() -> None:
    text = "  hi [noise] , there"
    assert [text[start:end] for start, end in chunks(text)] == ["hi", "[noise]", ",", "there"]
    assert [word.chunk for word in split_words(text)] == [0, 3]
    starts = [start for start, _ in chunks(text)]
    assert [chunk_index(starts, offset) for offset in (0, 2, 4, 5, 15)] == [-1, 0, 0, 1, 3]


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_offsets_are_ordered_and_inside_chunks(text: str) -> None:
    spans = chunks(text)
    assert [text[start:end] for start, end in spans] == text.split()
    previous = 0
    for word in split_words(text):
        assert previous <= word.start <= word.core_start < word.core_end <= word.end
        assert spans[word.chunk] == (word.start, word.end)
        core = text[word.core_start : word.core_end]
        assert core and not any(map(str.isspace, core))
        assert word.mark == "" or word.mark in MARKS
        assert word.followed or not word.mark
        previous = word.end


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_words_alone_are_the_same_words(text: str) -> None:
    words = [normal_form(text, word) for word in split_words(text)]
    joined = " ".join(words)
    assert [normal_form(joined, word) for word in split_words(joined)] == words


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.lists(st.sampled_from(["", *".,?!:;…"]), min_size=1))
def test_inserted_marks_change_no_word(text: str, marks: List[str]) -> None:
    words = split_words(text)
    pieces, position = [], 0
    for index, word in enumerate(words):
        pieces.append(text[position : word.end])
        pieces.append("" if word.followed else marks[index % len(marks)])
        position = word.end
    new = "".join(pieces) + text[position:]
    found = split_words(new)
    assert len(found) == len(words)
    for old, word in zip(words, found):
        assert same_word(normal_form(text, old), normal_form(new, word))
        assert word.protected == old.protected


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_normal_form_keeps_the_length(text: str) -> None:
    for word in split_words(text):
        form = normal_form(text, word)
        assert len(form) == word.core_end - word.core_start
        assert form == lower(form)


@pytest.mark.parametrize(
    "form, other, same",
    [
        ("word", "word", True),
        ("u.s", "u.s.", True),
        ("λόγοσ", "λόγος", True),
        ("word", "words", False),
        ("dont", "don't", False),
    ],
)
def test_same_word(form: str, other: str, same: bool) -> None:
    assert same_word(form, other) is same


def test_model_form_is_that_of_the_restored_word() -> None:
    for text in ("u.s", "u.s.", "U.S.,", "u.s.?"):
        (word,) = split_words(text)
        assert model_form(text, word) == "u.s"


@pytest.mark.parametrize(
    "word, expected",
    [("NASA's", "NASA"), ("it’s", "it"), ("X'S", "X"), ("'s", "'s"), ("dogs'", "dogs'"), ("", "")],
)
def test_without_possessive(word: str, expected: str) -> None:
    assert without_possessive(word) == expected
