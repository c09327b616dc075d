"""Restoring a text while it comes in."""

from typing import Any, Iterable, List

import pytest
import spacy
from conftest import TEXTS, WORDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase import StreamingRestorer, StreamUpdate, TimedWord
from spacy_punctcase.streaming import STEP
from spacy_punctcase.text.case import lower

LONG = (
    "good morning maria garcia how are you today i live in chicago and she lives in denver "
    "does daniel work for nasa we met at the office near the river and talked about the iphone"
)
SPACES = st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", "\r\n", "\u2003"])
TRANSCRIPTS = st.builds(
    lambda pairs, lead: lead + "".join(word + space for word, space in pairs),
    st.lists(st.tuples(WORDS, SPACES), max_size=40),
    st.sampled_from(["", " ", "\n\n"]),
)
ANY_TEXT = st.one_of(TRANSCRIPTS, st.text(max_size=60), st.sampled_from(TEXTS))
FUZZ = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def restore(nlp: Language, feeds: Iterable[Any], **config: int) -> List[StreamUpdate]:
    """What each feed brings, and the flush."""
    streaming = StreamingRestorer(nlp, **config)
    return [*map(streaming.feed, feeds), streaming.flush()]


def committed(updates: Iterable[StreamUpdate]) -> str:
    return "".join(update.committed for update in updates)


def cut(text: str, offsets: Iterable[int]) -> List[str]:
    edges = [0, *sorted(offset % (len(text) + 1) for offset in offsets), len(text)]
    return [text[start:end] for start, end in zip(edges, edges[1:])]


def check_same_words(restored: str, source: str) -> None:
    """Nothing but marks is new, nothing but case is different."""
    position = 0
    for char in restored:
        if position < len(source) and lower(char) == lower(source[position]):
            position += 1
        else:
            assert char in ",.?"
    assert position == len(source)


@FUZZ
@given(text=ANY_TEXT, offsets=st.lists(st.integers(0, 400), max_size=8))
def test_words_and_white_space_kept_however_it_is_cut(
    tiny_nlp: Language, text: str, offsets: List[int]
) -> None:
    updates = restore(tiny_nlp, cut(text, offsets), right_context=3)
    final = committed(updates)
    check_same_words(final, text)
    assert final == committed(restore(tiny_nlp, [text], right_context=3))
    assert final.split() == [word.text for update in updates for word in update.words]
    so_far = fed = ""
    for update, piece in zip(updates, cut(text, offsets)):
        so_far += update.committed
        fed += piece
        check_same_words(so_far + update.provisional, fed)
    assert updates[-1].provisional == ""


@FUZZ
@given(words=st.lists(WORDS, max_size=40), sizes=st.lists(st.integers(0, 9), max_size=12))
def test_the_same_in_feeds_of_any_size(
    tiny_nlp: Language, words: List[str], sizes: List[int]
) -> None:
    """Words that are fed as such, some of them as text."""
    streaming = StreamingRestorer(tiny_nlp, right_context=2)
    final = ""
    position = 0
    for index, size in enumerate([*sizes, len(words)]):
        part = words[position : position + size]
        position += size
        final += streaming.feed(" ".join(part) + " " if index % 3 == 2 and part else part).committed
    final += streaming.flush().committed
    expected = committed(restore(tiny_nlp, [" ".join(words)], right_context=2))
    assert final.split() == expected.split()


def test_final_words_have_context_behind_them(tiny_nlp: Language) -> None:
    for right_context in (1, 4):
        words = LONG.split()
        updates = restore(tiny_nlp, [[word] for word in words], right_context=right_context)
        final = 0
        for fed, update in enumerate(updates[:-1], start=1):
            final += len(update.words)
            assert fed - final < right_context + STEP
            assert not final or fed - final >= right_context
            # Nothing is put behind the last word yet.
            assert lower(update.provisional).endswith(words[fed - 1])
        assert committed(updates)[-1] in ".?"


def test_a_short_text_is_as_in_one_piece(tiny_nlp: Language) -> None:
    text = "good morning maria garcia how are you"
    assert committed(restore(tiny_nlp, list(text))) == tiny_nlp(text).text
    for text in TEXTS:
        if len(text.split()) < 8:
            assert committed(restore(tiny_nlp, [text])) == tiny_nlp(text).text


def test_a_sentence_begins_behind_a_final_mark_only(tiny_nlp: Language) -> None:
    final = committed(restore(tiny_nlp, [LONG], right_context=1, left_context=3)).split()
    assert any(word[-1] in ".?" for word in final[:-1])
    for before, word in zip(final, final[1:]):
        assert before[-1] not in ".?" or word[0].isupper()


def test_marks_and_capitals_that_are_there_stay(tiny_nlp: Language) -> None:
    text = "HELLO , how are you [noise] i WORK for www.example.com/Help ok! and You ? " * 3
    final = committed(restore(tiny_nlp, [text], right_context=2))
    for piece in ("HELLO ,", "[noise]", " WORK", "www.example.com/Help", "k! And You ?"):
        assert final.count(piece) == 3


def test_overwrite(tiny_nlp: Language) -> None:
    pipes: List[Any] = [pipe for _, pipe in tiny_nlp.pipeline]
    given_text = " ".join(word.upper() + " ," * (i % 2) for i, word in enumerate(LONG.split()))
    for pipe in pipes:
        pipe.overwrite = True
    try:
        updates = restore(tiny_nlp, [given_text.split()])
        plain = committed(restore(tiny_nlp, [LONG.split()]))
    finally:
        for pipe in pipes:
            pipe.overwrite = False
    words = [word.text for update in updates for word in update.words]
    assert committed(updates).split() == words
    assert [lower(word.strip(",.?")) for word in words] == LONG.split()
    assert lower(plain.translate({ord(mark): None for mark in ",.?"})) == LONG


def test_times_stay_with_the_words(tiny_nlp: Language) -> None:
    words = [
        TimedWord(word, index, index + 0.5, index / 100) for index, word in enumerate(LONG.split())
    ]
    updates = restore(tiny_nlp, [words[:5], words[5:6], [], words[6:]])
    final = [word for update in updates for word in update.words]
    assert [word[1:] for word in final] == [word[1:] for word in words]
    assert committed(updates) == " ".join(word.text for word in final)
    assert committed(updates) == committed(restore(tiny_nlp, [LONG]))
    # A word with white space in it is several, each with its share of the time.
    two = restore(tiny_nlp, [[TimedWord(" new  york ", 1.0, 9.0, 0.5)]])[-1]
    assert [word[1:4] for word in two.words] == [(1.0, 4.0, 0.5), (5.0, 9.0, 0.5)]
    assert lower(two.committed.rstrip(",.?")) == "new york"


def test_text_and_words_in_turn(tiny_nlp: Language) -> None:
    updates = restore(tiny_nlp, ["good mor", "ning ", ["maria"], "gar", "", "cia\n", ["how"]])
    assert lower(committed(updates).translate({ord(mark): None for mark in ",.?"})) == (
        "good morning maria garcia\nhow"
    )


def test_flush_begins_a_new_text(tiny_nlp: Language) -> None:
    streaming = StreamingRestorer(tiny_nlp)
    assert streaming.flush() == StreamUpdate("", [], "")
    first = streaming.feed(LONG).committed + streaming.flush().committed
    assert first == streaming.feed(LONG).committed + streaming.flush().committed
    assert streaming.feed(["maria"]).provisional == "Maria"
    assert streaming.flush().committed[:5] == "Maria"


def test_an_unfinished_word_waits(tiny_nlp: Language) -> None:
    streaming = StreamingRestorer(tiny_nlp)
    assert streaming.feed("hello mar").provisional == "Hello mar"
    whole = streaming.feed("ia ").provisional
    assert lower(whole.replace(",", "")) == "hello maria "
    assert streaming.feed("") == StreamUpdate("", [], whole)


def test_a_very_long_word(tiny_nlp: Language) -> None:
    word = "x" * 5000
    final = committed(restore(tiny_nlp, [LONG, " ", word[:3000], word[3000:], " ", LONG]))
    assert word in final
    check_same_words(final, f"{LONG} {word} {LONG}")


def test_bounded_however_long_the_stream_is(tiny_nlp: Language, monkeypatch) -> None:
    """Neither more words nor a stream of tags alone makes a call read more."""
    lengths: List[int] = []
    punctuator: Any = tiny_nlp.get_pipe("punctuator")
    predict = punctuator.predict

    def watched(docs):
        lengths.extend(len(doc.text.split()) for doc in docs)
        return predict(docs)

    monkeypatch.setattr(punctuator, "predict", watched)
    streaming = StreamingRestorer(tiny_nlp, right_context=4, left_context=20)
    for _ in range(4):
        streaming.feed(LONG + " ")
    for _ in range(200):
        streaming.feed(["[noise]"])
    assert max(lengths) <= 20 + 4 + STEP + 64
    assert "".join(streaming.flush().committed).count("[noise]") < 100


def test_a_failure_loses_no_word(tiny_nlp: Language, monkeypatch) -> None:
    streaming = StreamingRestorer(tiny_nlp, right_context=2)
    half = len(LONG) // 2
    final = streaming.feed(LONG[:half]).committed

    def fail(docs):
        raise RuntimeError("out of memory")

    truecaser: Any = tiny_nlp.get_pipe("truecaser")
    with monkeypatch.context() as patch:
        patch.setattr(truecaser, "predict", fail)
        for call in (lambda: streaming.feed(LONG[half:]), streaming.flush):
            with pytest.raises(RuntimeError, match="out of memory"):
                call()
    final += streaming.feed("").committed + streaming.flush().committed
    assert final == committed(restore(tiny_nlp, [LONG], right_context=2))


def test_only_restorers_run_and_the_pipeline_stays_as_it_is(tiny_nlp: Language, tiny_path) -> None:
    nlp = spacy.load(tiny_path)
    ruler: Any = nlp.add_pipe("casing_ruler")
    ruler.add_entries(["gitHub Actions"])
    nlp.add_pipe("entity_ruler").add_patterns([])  # type: ignore[attr-defined]

    @Language.component("refuses")
    def refuses(doc):
        raise AssertionError("not a restorer")

    nlp.add_pipe("refuses")
    names = list(nlp.pipe_names)
    text = f"{LONG} github actions {LONG}"
    final = committed(restore(nlp, [text]))
    assert "gitHub Actions" in final.replace(",", "").replace(".", "")
    assert nlp.pipe_names == names
    with nlp.select_pipes(disable="truecaser"):
        assert lower(committed(restore(nlp, [["maria", "garcia"]]))[:5]) == "maria"
    nlp.select_pipes(enable="entity_ruler")
    with pytest.raises(ValueError, match="no component that restores text.*entity_ruler"):
        StreamingRestorer(nlp)


@pytest.mark.parametrize(
    "words, found",
    [
        (b"hello", "bytes"),
        (None, "NoneType"),
        (3, "int"),
        (["hi", b"you"], "bytes as word 1"),
        ([("hi", 0.0, 1.0)], "tuple as word 0"),
    ],
)
def test_neither_text_nor_words(tiny_nlp: Language, words: Any, found: str) -> None:
    streaming = StreamingRestorer(tiny_nlp)
    with pytest.raises(TypeError, match=f"found {found}"):
        streaming.feed(words)
    assert streaming.flush() == StreamUpdate("", [], "")


def test_words_that_cannot_be(tiny_nlp: Language) -> None:
    streaming = StreamingRestorer(tiny_nlp)
    for word, problem in (("  ", "is empty"), (TimedWord("hi", 2.0, 1.0), "ends")):
        with pytest.raises(ValueError, match=rf"word 1 .*{problem}"):
            streaming.feed(["maria", word])
    assert streaming.flush().committed == ""


@pytest.mark.parametrize("setting", ["right_context", "left_context"])
def test_settings(tiny_nlp: Language, setting: str) -> None:
    config: Any = {setting: 0}
    with pytest.raises(ValueError, match=f"'{setting}' of StreamingRestorer must be at least 1"):
        StreamingRestorer(tiny_nlp, **config)


def test_no_restorer() -> None:
    with pytest.raises(ValueError, match="no component that restores text.*none"):
        StreamingRestorer(spacy.blank("en"))


@pytest.mark.skipif("en" not in spacy_punctcase.list_models(), reason="no trained weights")
def test_close_to_the_whole_text() -> None:
    """Of the shipped pipeline; the README has the difference measured on long text."""
    nlp = spacy_punctcase.load()
    text = (
        "thanks for calling brightwater support this is daniel how can i help you hi daniel my name"
        " is hannah o'brien and i'm calling from denver i ordered an ipad through your site on "
        "tuesday and it still hasn't arrived i'm sorry to hear that hannah do you have the tracking"
        " number from fedex yes it is in the e-mail that paypal sent me when i paid for it"
    )
    whole = nlp(text).text.split()
    final = committed(restore(nlp, [text])).split()
    different = sum(one != other for one, other in zip(whole, final))
    assert len(whole) == len(final) and different <= 0.06 * len(whole)
