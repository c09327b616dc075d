"""Hours in one text: no limit of length, linear time, results that do not hang on the windows."""

from typing import Any, List

import pytest
import spacy
from conftest import ASSETS, make_tiny_nlp
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase import TimedWord, make_timed_doc
from spacy_punctcase.text.case import lower

shipped = pytest.mark.skipif(
    "en" not in spacy_punctcase.list_models(), reason="no trained weights in this checkout"
)


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy_punctcase.load()


@pytest.fixture(scope="module")
def words() -> List[str]:
    """1,200 words of one call after the other."""
    files = sorted((ASSETS / "transcripts").glob("*.txt"))
    found = " ".join(file.read_text(encoding="utf8") for file in files).split()
    return (found * (1200 // len(found) + 1))[:1200]


@shipped
@pytest.mark.parametrize("shift", [1, 37, 100])
def test_decisions_do_not_hang_on_where_windows_fall(
    nlp: Language, words: List[str], shift: int
) -> None:
    """Other words in front move all windows. Deep inside at most 4 % of the words differ in mark or
    case (the README has the share measured on long text)."""
    front = words[-shift:]
    plain = nlp(" ".join(words)).text.split()
    moved = nlp(" ".join(front + words)).text.split()[shift:]
    inside = slice(200, 1000)
    different = sum(one != other for one, other in zip(plain[inside], moved[inside]))
    assert different <= 0.04 * 800


def test_within_one_window_nothing_behind_it_matters(tiny_nlp: Language) -> None:
    """A text that fits into a window is the same alone and in a stream with longer ones."""
    text = "good morning maria garcia how are you today"
    longer = " ".join([text] * 60)
    alone = tiny_nlp(text).text
    assert [doc.text for doc in tiny_nlp.pipe([longer, text, longer])][1] == alone


def test_time_is_linear(tiny_nlp: Any, monkeypatch) -> None:
    """Four times the words, four times the words and characters that the models read."""
    read: List[int] = []
    for _, pipe in tiny_nlp.pipeline:

        def watched(predict, inputs, run=pipe._run):
            read.append(sum(map(len, inputs)))
            return run(predict, inputs)

        monkeypatch.setattr(pipe, "_run", watched)
    text = "good morning maria garcia how are you today "
    counts = []
    for times in (100, 400):
        read.clear()
        tiny_nlp(text * times)
        counts.append(sum(read))
    assert counts[0] < counts[1] <= 4.1 * counts[0]
    # Windows overlap, so some is read twice; but not more.
    assert counts[1] <= 2 * 400 * (len(text) + len(text.split()))


@shipped
def test_a_word_of_5000_characters(nlp: Language) -> None:
    front = "my name is sarah connor and i live in los angeles california"
    behind = "have you met my friend john he lives in new york"
    for word in ("x" * 5000, "https://example.com/" + "Ab/" * 1660, "ab-" * 1666 + "a"):
        restored = nlp(f"{front} {word} {behind}").text
        assert f" {word}" in restored
        assert restored.startswith("My name is Sarah Connor") and "New York" in restored
        assert lower(restored.translate({ord(mark): None for mark in ",?"})).replace(
            ". ", " "
        ).rstrip(".") == lower(f"{front} {word} {behind}")


@shipped
def test_restorers_alone_take_a_text_of_any_length(nlp: Language, tmp_path) -> None:
    assert nlp.max_length > 1e9
    assert spacy_punctcase.load("en", exclude=["truecaser"]).max_length > 1e9
    nlp.to_disk(tmp_path / "copy")
    assert spacy_punctcase.load(str(tmp_path / "copy")).max_length > 1e9


def test_more_than_a_million_characters() -> None:
    """As `load` has it, with a component that is quick."""
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("casing_ruler")
    ruler.add_entries(["NASA"])
    text = "we work for nasa " * 60_000
    with pytest.raises(ValueError, match="E088"):
        nlp(text)
    nlp.max_length = len(text)
    assert nlp(text).text == text.replace("nasa", "NASA")


def test_limit_of_what_is_behind_stays(tmp_path) -> None:
    """Parser and NER need it; `nlp.pipe` takes the text in parts."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path)
    assert spacy_punctcase.load(str(tmp_path)).max_length == nlp.max_length == 1_000_000


def test_words_with_times_beyond_the_limit() -> None:
    nlp = make_tiny_nlp()
    nlp.max_length = 20
    words = [TimedWord("hello")] * 3
    assert make_timed_doc(nlp, words).text == "hello hello hello"
    with pytest.raises(ValueError, match="23 characters, more than `nlp.max_length` .20.*nlp.pipe"):
        make_timed_doc(nlp, [*words, TimedWord("maria")])


@shipped
def test_sentences_of_a_long_text_for_what_is_behind(words: List[str]) -> None:
    """The way out of the README for a text without paragraphs."""
    restorers = spacy_punctcase.load(config={"components.punctuator.set_sent_starts": True})
    doc = restorers(" ".join(words))
    other = spacy.blank("en")
    other.max_length = 1000
    parts = list(other.pipe(sentence.text_with_ws for sentence in doc.sents))
    assert len(parts) > 50
    assert "".join(part.text for part in parts) == doc.text
