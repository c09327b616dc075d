"""Training text brought to one convention."""

from typing import Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_punctcase.text.normalise import is_cut_off, is_noise, normalise_line
from spacy_punctcase.text.words import normal_form, split_words


@pytest.mark.parametrize(
    "line, expected",
    [
        ("  Plain text.\n", "Plain text."),
        # Dashes.
        ("A word -- and more.", "A word, and more."),
        ("A word - and more.", "A word, and more."),
        ("A word—and more.", "A word, and more."),
        ("A word – and more.", "A word, and more."),
        ("Nobody–no one.", "Nobody, no one."),
        ("It was here, -- and gone.", "It was here, and gone."),
        ("It was here --. Then gone.", "It was here. Then gone."),
        ("-- Well, then.", "Well, then."),
        ("I was going to --", "I was going to --"),
        ("A self-made man.", "A self-made man."),
        ("It was -5 degrees.", "It was -5 degrees."),
        ("From about 1990–1995 it was so.", "From about 1990–1995 it was so."),
        # Dots of omission.
        ("I was... going home.", "I was, going home."),
        ("I was ... going home.", "I was, going home."),
        ("I was… Then I went.", "I was. Then I went."),
        ("He said it all...", "He said it all."),
        ("Well now...?", "Well now?"),
        ("What is it?... I know.", "What is it? I know."),
        ("...and then it was.", "and then it was."),
        # Opening single quotes.
        ("He said 'Hello there.'", "He said Hello there.'"),
        ("The dogs' bones.", "The dogs' bones."),
    ],
)
def test_normalise_line(line: str, expected: str) -> None:
    assert normalise_line(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "THE COMMANDER SAID THIS",
        "ALL CAPITALS, again: NASA TO APOLLO.",
        "if (x) { return y; }",
        "for i in range(10): foo()",
        "a = b",
        "std::vector of things",
        "| a | b | c |",
        "See `the_code` here.",
        "1 2 3 4 5 6 7 8",
        "------------------",
        "broken \ufffd text",
    ],
)
def test_no_running_text(line: str) -> None:
    assert normalise_line(line) is None


@pytest.mark.parametrize(
    "line, noise",
    [
        ("The USA and NATO agreed on it.", False),
        ("OK, GO AHEAD", False),  # too short to tell
        ("See https://example.com for more of it.", False),
        ("It costs $5 or 5% more.", False),
        ("HELLO AGAIN EVERYBODY", True),
    ],
)
def test_is_noise(line: str, noise: bool) -> None:
    assert is_noise(line) is noise


@pytest.mark.parametrize(
    "line, cut_off",
    [
        ("That is all.", False),
        ('"That is all."', False),
        ("(That is all.) ", False),
        ("Is it?", False),
        ("And then;", False),
        ("I was going to…", False),
        ("这是一个句子。", False),
        ("I was going to --", True),
        ("I was going", True),
        ("", True),
    ],
)
def test_is_cut_off(line: str, cut_off: bool) -> None:
    assert is_cut_off(line) is cut_off


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(["Hello", "there", "you", "'Tis", "1990", "--", "-", "—", "–", "...", "…"])
        | st.sampled_from([" ", " ", ".", ",", "?", '"', "'"]),
        max_size=20,
    ).map("".join)
)
def test_normalising_twice_changes_nothing_more(line: str) -> None:
    once: Optional[str] = normalise_line(line)
    if once is not None:
        twice = normalise_line(once)
        assert twice is not None or is_noise(once)
        if twice is not None:
            assert _words(twice) == _words(once)


def _words(text: str) -> list:
    return [(normal_form(text, word), word.mark) for word in split_words(text)]
