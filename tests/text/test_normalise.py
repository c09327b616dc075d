"""Training text brought to one convention."""

import html
import re
from typing import List, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_punctcase.text.normalise import (
    count_letters,
    is_cut_off,
    is_noise,
    normalise_line,
    strip_markup,
)
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
        ("What is . . . this . . .", "What is, this."),
        ("The U.S. .5 percent.", "The U.S. .5 percent."),
        ("I was [...] going.", "I was, going."),
        ("It is - - you know.", "It is, you know."),
        ("And then - -", "And then --"),
        ("It was -- -5 degrees.", "It was, -5 degrees."),
        # Opening single quotes.
        ("He said 'Hello there.'", "He said Hello there.'"),
        ("The dogs' bones.", "The dogs' bones."),
    ],
)
def test_normalise_line(line: str, expected: str) -> None:
    assert normalise_line(line) == expected


@pytest.mark.parametrize(
    "line, expected",
    [
        # Characters.
        ("So\u200b it\u00a0is\tthe\x07 co\u00adop.", "So it is the coop."),
        ("\ufeffSo it is.", "So it is."),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("“So it’s”, ‘said’ I.", "\"So it's\", 'said' I."),
        # HTML and Markdown.
        ("AT&amp;T&nbsp;and&#39;s &quot;so&quot;", 'AT&T and\'s "so"'),
        ("Q&A; R&D", "Q&A; R&D"),
        ("Twice &amp;amp; more.", "Twice & more."),
        ('See <a href="http://x.org/a_b">this</a> <b>bold</b>.', "See this bold."),
        ("One.<br/>Two.", "One. Two."),
        ("O<sub>2</sub> is low.<sup>a</sup>", "O2 is low."),
        ("See [the *new* text](https://x.org/a_b) now.", "See the new text now."),
        ("![A picture](x.png) Then this.", "Then this."),
        ("It is *so*, **very** and _quite_ good.", "It is so, very and quite good."),
        ("The O*NET and the P* of it.", "The O*NET and the P* of it."),
        ("2 * 3 * 4", "2 * 3 * 4"),
        # What was not spoken.
        ("Thank you. (Applause.) Thank you.", "Thank you. Thank you."),
        ("So (laughs), yes. [inaudible 00:12]", "So, yes."),
        ("[applause] Well. *sighs* Yes.", "Well. Yes."),
        ("That [long pause] is it (Laughter and loud cheers).", "That is it."),
        ("Here. (The medal is presented.) Next.", "Here. Next."),
        ("So it was. [00:12:34] Then.[1]", "So it was. Then."),
        ("No more. [Enter Tom.] Ah!", "No more. Ah!"),
        # What was.
        ("It is (I think) the music (or noise reduction).",) * 2,
        ("The (interpreted) languages (she laughs at it).",) * 2,
        ("Five [percent] of [t]hem.", "Five percent of them."),
        ("The list [1, -1] and x[0].",) * 2,
        ("So [the door opens behind them all] it is.",) * 2,
        # Speakers.
        ("SPEAKER 1: So it is.", "So it is."),
        ("Speaker A: So it is.", "So it is."),
        ("[Speaker A] So it is.", "So it is."),
        ("Interviewer: Is it?", "Is it?"),
        ("John Smith: So it is.", "So it is."),
        ("John Smith (00:12:34): So it is.", "So it is."),
        ("**John Smith:** So it is.", "So it is."),
        ("John J. Scali, Associated Press: Mr. President, why?", "Mr. President, why?"),
        ("Waxwing (Adam Gibson): So it is.", "So it is."),
        ("MR. McNERNEY: So it is.", "So it is."),
        ("MK: So it is.", "So it is."),
        (">> JOHN: So it is.", "So it is."),
        ("THE PRESIDENT. So it is.", "So it is."),
        ("Q. Why? ", "Why?"),
        ("A: Why not?", "Why not?"),
        ("00:12:34 JANE DOE: MR. X: So it is.", "So it is."),
        # None of them.
        ("Note: this is it.",) * 2,
        ("NOTE: This is it.",) * 2,
        ("Remember: So it is.",) * 2,
        ("In January: It was so.",) * 2,
        ("Here is what he said: So it is.",) * 2,
        ("OK. So it is.",) * 2,
        ("NASA. The agency.",) * 2,
        ("A. it is.",) * 2,
        # Times.
        ("[00:12] So it is.", "So it is."),
        ("(00:12:34) So it is.", "So it is."),
        ("00:12:34.500 So it is.", "So it is."),
        ("12:30 is the time.",) * 2,
        ("8:59:37 is the time.",) * 2,
        # Lists and headings.
        ("- So it is.", "So it is."),
        ("* So it is.", "So it is."),
        ("2. So it is.", "So it is."),
        ("12. So it is.",) * 2,
        ("1.5 is it.",) * 2,
        ("## So it is", "So it is"),
        ("#1 is it.",) * 2,
        ("> > So it is.", "So it is."),
    ],
)
def test_markup(line: str, expected: str) -> None:
    assert strip_markup(line) == expected


def test_a_line_of_labels_alone() -> None:
    for line in ("(Laughter.)", "JOHN SMITH:", "[00:12]", "--", "<br>", "..."):
        assert normalise_line(line) is None


@pytest.mark.parametrize("text, letters", [("So it is: 5%.", 6), ("Größe 5", 5), ("", 0)])
def test_count_letters(text: str, letters: int) -> None:
    assert count_letters(text) == letters


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
        ("That is all. [applause]", False),
        ("**That is all.**", False),
        ("I was going (laughs)", True),
        ("I was going to --", True),
        ("I was going", True),
        ("", True),
    ],
)
def test_is_cut_off(line: str, cut_off: bool) -> None:
    assert is_cut_off(line) is cut_off


PIECES = st.sampled_from(
    ["Hello", "there", "you", "'Tis", "1990", "U.S.", "iPhone", "--", "-", "—", "–", "...", "…"]
) | st.sampled_from(
    ["(laughs)", "[noise]", "[", "]", "(", ")", "**", "*", "_", ">>", "# ", "1. ", "Q. ", "MR. X:"]
    + [
        "John Smith:",
        "SPEAKER 1:",
        "00:12:34",
        "[00:12]",
        "<b>",
        "</b>",
        "&amp;",
        "&#39;",
        "\u200b",
    ]
)
LINES = st.lists(
    PIECES | st.sampled_from([" ", " ", " ", ".", ",", "?", '"', "'", "\u00a0", "“", "’"]),
    max_size=20,
).map("".join)


@settings(deadline=None, max_examples=500)
@given(LINES)
def test_normalising_twice_changes_nothing_more(line: str) -> None:
    once: Optional[str] = normalise_line(line)
    if once is not None:
        twice = normalise_line(once)
        assert twice is not None or is_noise(once) or not _words(once)
        if twice is not None:
            assert _words(twice) == _words(once)


@settings(deadline=None, max_examples=500)
@given(LINES)
def test_no_word_is_invented(line: str) -> None:
    found = iter(_runs(html.unescape(html.unescape(line)).replace("\u200b", "")))
    assert all(run in found for run in _runs(normalise_line(line) or ""))


def _runs(text: str) -> List[str]:
    """Letters and digits side by side, but for a tag between them."""
    return re.findall(r"[^\W_]+", re.sub(r"</?b>", "", text))


def _words(text: str) -> list:
    return [(normal_form(text, word), word.mark) for word in split_words(text)]
