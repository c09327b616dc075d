"""Times of words through the pipeline."""

from typing import List, Optional

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import DocBin, Span, Token

from spacy_punctcase.formats.times import TimedWord, make_timed_doc, register_extensions

WORDS = [
    TimedWord("hi", 0.0, 0.5, 0.9),
    TimedWord("maria", 0.5, 1.5, 0.4),
    TimedWord("how", 2.0, 2.25),
    TimedWord("are", 2.25, 2.5),
    TimedWord("you", 2.5, 3.0),
]
NLP = spacy.blank("en")


def times_of(words: List[TimedWord]) -> List[Optional[float]]:
    doc = make_timed_doc(NLP, words)
    return [time for token in doc for time in (token._.start_time, token._.end_time)]


def check(doc) -> None:
    words = {token._.source_word: token for token in reversed(doc) if token.is_alpha}
    assert len(words) == len(WORDS)
    for index, token in words.items():
        word = WORDS[index]
        assert (token._.start_time, token._.end_time) == (word.start, word.end)
        assert token._.confidence == word.confidence
    for token in doc:
        if not token.is_alpha:  # an inserted mark is where its word ends
            end = WORDS[token._.source_word].end
            assert token._.start_time == token._.end_time == end
    span = Span(doc, 0, len(doc))
    assert (span._.start_time, span._.end_time) == (0.0, 3.0)


def test_without_restoration() -> None:
    doc = make_timed_doc(NLP, WORDS)
    assert doc.text == "hi maria how are you"
    check(doc)


def test_through_the_restorers(tiny_nlp: Language) -> None:
    doc = tiny_nlp(make_timed_doc(tiny_nlp, WORDS))
    assert doc.text != "hi maria how are you"
    assert any(not token.is_alpha for token in doc)
    check(doc)
    (again,) = DocBin(store_user_data=True, docs=[doc]).get_docs(tiny_nlp.vocab)
    check(again)


def test_entities_have_times(tiny_nlp: Language) -> None:
    nlp = spacy.blank("en", vocab=tiny_nlp.vocab)
    for name in tiny_nlp.pipe_names:
        nlp.add_pipe(name, source=tiny_nlp)
    ruler = nlp.add_pipe("entity_ruler")
    pattern = {"label": "PERSON", "pattern": [{"LOWER": "maria"}]}
    ruler.add_patterns([pattern])  # type: ignore
    docs = nlp.pipe(make_timed_doc(nlp, words) for words in (WORDS, WORDS[1:]))
    for doc in docs:
        (ent,) = doc.ents
        assert (ent._.start_time, ent._.end_time) == (0.5, 1.5)


def test_a_word_that_becomes_several_tokens() -> None:
    words = [TimedWord("don't", 1.0, 2.0)]
    assert [t.text for t in make_timed_doc(NLP, words)] == ["do", "n't"]
    assert times_of(words) == pytest.approx([1.0, 1.4, 1.4, 2.0])


def test_missing_times_lie_between() -> None:
    words = [TimedWord("ab", 0.0, 1.0), TimedWord("cd"), TimedWord("ef", 3.0, 4.0)]
    assert times_of(words) == pytest.approx([0.0, 1.0, 1.5, 2.5, 3.0, 4.0])
    words = [TimedWord("ab", 0.0, None), TimedWord("cd", None, 5.0)]
    assert times_of(words) == pytest.approx([0.0, 2.0, 3.0, 5.0])


def test_unknown_at_either_end() -> None:
    words = [TimedWord("ab"), TimedWord("cd", 1.0, 2.0), TimedWord("ef")]
    assert times_of(words) == [None, None, 1.0, 2.0, None, None]


def test_a_doc_without_times() -> None:
    doc = NLP("hi there")
    token, span = doc[0], doc[:1]
    assert token._.start_time is token._.end_time is token._.confidence is None
    assert span._.start_time is span._.end_time is None
    assert make_timed_doc(NLP, []).text == ""


def test_white_space_in_words() -> None:
    doc = make_timed_doc(NLP, [TimedWord(" New\tYork ", 0.0, 8.0), TimedWord("is", 8.0, 9.0)])
    assert doc.text == "New York is"
    assert [token._.end_time for token in doc] == [3.0, 8.0, 9.0]


@pytest.mark.parametrize(
    "word, message",
    [
        (TimedWord("  "), r"word 1 .* is empty"),
        (TimedWord("a", 2.0, 1.0), r"word 1 .* ends \(1.0 s\) before it begins \(2.0 s\)"),
    ],
)
def test_bad_words(word: TimedWord, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_timed_doc(NLP, [TimedWord("hi"), word])


def test_an_attribute_of_the_user_stays() -> None:
    ours = Token.get_extension("confidence")
    try:
        Token.set_extension("confidence", default=1.0, force=True)
        register_extensions()
        assert NLP("hi")[0]._.confidence == 1.0
    finally:
        Token.set_extension("confidence", getter=ours[2], force=True)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text("abc'.,é", min_size=1), st.booleans()), min_size=1))
def test_times_never_go_back(words) -> None:
    found = make_timed_doc(
        NLP,
        [
            TimedWord(text, index if known else None, index + 0.5 if known else None)
            for index, (text, known) in enumerate(words)
        ],
    )
    times = [t for token in found for t in (token._.start_time, token._.end_time)]
    known = [time for time in times if time is not None]
    assert all(a <= b + 1e-9 for a, b in zip(known, known[1:]))
