"""Text of every kind, through the pipeline that ships and through components with tiny models."""

import time
import unicodedata
from typing import List, NamedTuple, Optional

import pytest
import spacy
from conftest import TINY_TAGGER, train
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.text.case import lower


class Row(NamedTuple):
    """A text, and what must come out of the shipped pipeline for it.

    expected: All of it, where that can be told.
    pieces: What must be in it as it went in.
    """

    text: str
    expected: Optional[str] = None
    pieces: str = ""


ROWS = [
    # Characters whose other case is none, or longer.
    Row("i live in İstanbul on the straße", pieces="İstanbul traße"),
    Row("ŉ ﬁne Σ ΟΔΟΣ ǆ", pieces="Σ ΟΔΟΣ"),
    Row("we had lunch at the cafe\u0301 today"),
    Row("the word e\u0301cole is french"),
    # Scripts, emoji, white space.
    Row("the family 👨\u200d👩\u200d👧\u200d👦 is here 😀 ok", pieces="👨\u200d👩\u200d👧\u200d👦"),
    Row("שלום hello مرحبا there"),
    Row("hello\tthere\n\nhow are you  ", "Hello\tthere.\n\nHow are you?  "),
    Row("\n\thow\u00a0are you\u2003", "\n\tHow\u00a0are you?\u2003"),
    Row("   "),
    Row("\ufeffhello there"),
    Row("a\0b hello\0 how are you", pieces="\0"),
    # Words that look like several.
    Row("they're here and it's five o'clock", "They're here and it's five o'clock."),
    Row("they’re here and it’s five o’clock", "They’re here and it’s five o’clock."),
    Row("a state-of-the-art building", pieces="state-of-the-art"),
    Row("see https://x.y/z?q=1 or mail a@b.co now", pieces="https://x.y/z?q=1 a@b.co"),
    Row("thanks @name for the #hashtag and #MeToo", pieces="@name #hashtag #MeToo"),
    Row("it was 3.14 or 4,9 and £13.60 at 10:30 am", pieces="3.14 4,9 £13.60 10:30"),
    # What was not said.
    Row("SPEAKER 1: how are you", pieces="SPEAKER 1:"),
    Row("[music] how are you", "[music] How are you?"),
    Row("how are you (laughs) i am fine", "How are you? (laughs) I am fine."),
    Row("how are you (Background Music) i am fine", "How are you? (Background Music) I am fine."),
    Row("♪ how are you ♪", "♪ How are you? ♪"),
    Row(">> how are you", ">> How are you?"),
    Row("- how are you", "- How are you?"),
    # Marks that are there stay, and no second one is put beside them.
    Row("how are you? fine, thanks", "How are you? Fine, thanks."),
    Row("how are you ? i am fine .", "How are you ? I am fine ."),
    Row("what do you mean… i don't know…", "What do you mean… I don't know…"),
    Row("i see... how are you", "I see... How are you?"),
    Row("really？ how are you؟ i am fine", "Really？ How are you؟ I am fine."),
    Row("he said “how are you?”", pieces="you?”"),
    Row('he said "i am fine."', pieces='fine."'),
    Row("he left (i think.)", pieces="think.)"),
    Row("she lives in the U.S.A.", "She lives in the U.S.A."),
    Row("we meet at 5 p.m.", "We meet at 5 p.m."),
    Row("this is Dr. Smith", "This is Dr. Smith."),
    Row("“how are you” he asked", pieces="“"),
    Row("i mean -- you know -- it's hard", "I mean -- you know -- it's hard."),
    # Case that is there stays; segments all in capitals are lowered first.
    Row("i met Uyen and the Boss at AcMe", pieces="Uyen Boss AcMe"),
    Row("I", "I."),
    Row("NASA", "NASA."),
    Row("USA TODAY", "USA TODAY."),
    Row("FBI CIA NSA", pieces="FBI CIA NSA"),
    Row("please do NOT go", "Please do NOT go."),
    Row("BREAKING NEWS: STOCKS FALL", "Breaking news: stocks fall."),
    Row("HOW ARE YOU? I AM FINE", "How are you? I am fine."),
    Row("SHE WORKS FOR NASA IN HOUSTON", "She works for NASA in Houston."),
]
TINY_ROWS = [row.text for row in ROWS]


@pytest.fixture(scope="module")
def nlp() -> Language:
    if "en" not in spacy_punctcase.list_models():
        pytest.skip("no trained weights in this checkout")
    return spacy_punctcase.load()


@pytest.fixture(scope="module")
def joint_nlp(train_examples) -> Language:
    model = {"@architectures": "spacy_punctcase.ProductTag.v1", "tok2vec": TINY_TAGGER["tok2vec"]}
    nlp = spacy.blank("en")
    nlp.add_pipe("joint_restorer", config={"model": model})
    nlp.add_pipe("casing_ruler", config={"entries": ["NASA", "How are", "i"]})
    train(nlp, train_examples, steps=60)
    return nlp


def check(nlp: Language, text: str) -> str:
    """That nothing but marks is new in a restored text, nothing but case different, and twice the
    same as once. RETURNS (str): The restored text."""
    restored = nlp(text).text
    position = 0
    for index, char in enumerate(restored):
        if position < len(text) and lower(char) == lower(text[position]):
            position += 1
        else:
            assert char in ",.?", (text, restored)
            assert restored[index + 1 : index + 2].strip() == "", "a mark within a word"
    assert position == len(text)
    assert nlp(restored).text == restored
    return restored


@pytest.mark.parametrize("row", ROWS, ids=[row.text for row in ROWS])
def test_shipped_pipeline(nlp: Language, row: Row) -> None:
    restored = check(nlp, row.text)
    assert row.expected is None or restored == row.expected
    for piece in row.pieces.split():
        assert piece in restored


@pytest.mark.parametrize("fixture", ["tiny_nlp", "joint_nlp"])
def test_tiny_pipelines(request: pytest.FixtureRequest, fixture: str) -> None:
    nlp: Language = request.getfixturevalue(fixture)
    alone = [check(nlp, text) for text in TINY_ROWS]
    assert [doc.text for doc in nlp.pipe(TINY_ROWS, batch_size=7)] == alone


def test_composed_or_not(nlp: Language) -> None:
    for text in ("we had lunch at the café today", "the école is in québec"):
        decomposed = nlp(unicodedata.normalize("NFD", text)).text
        assert unicodedata.normalize("NFC", decomposed) == nlp(text).text


def test_lone_surrogates_are_no_text(nlp: Language) -> None:
    """spaCy can store no such word, so it never comes to a component."""
    with pytest.raises(UnicodeEncodeError, match=r"'\\ud800' in position 1"):
        nlp("hello x\ud800 there")


def test_a_failure_names_the_document(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    truecaser = nlp.get_pipe("truecaser")
    predict = truecaser.predict

    def fail(docs):
        if any("bad" in doc.text for doc in docs):
            raise RuntimeError("cannot")
        return predict(docs)

    monkeypatch.setattr(truecaser, "predict", fail, raising=False)
    texts = ["how are you", "a bad one", "i am fine"]
    with pytest.raises(RuntimeError) as caught:
        list(nlp.pipe(texts))
    if hasattr(caught.value, "__notes__"):
        assert "'truecaser' failed on the document that begins 'a bad one" in str(
            caught.value.__notes__
        )
    failed: List[str] = []
    truecaser.set_error_handler(lambda name, pipe, docs, error: failed.append(docs[0].text))
    found = [context for _, context in nlp.pipe(zip(texts, "abc"), as_tuples=True)]
    assert found == ["a", "c"] and len(failed) == 1


def test_a_long_line_takes_no_longer_than_its_parts(tiny_nlp: Language) -> None:
    """What is quadratic takes ten times as long here."""
    part = "i mean SOME OF it (laughs) is in e\u0301cole 3.14 or the U.S. of a, right? " * 150
    tiny_nlp(part)
    start = time.perf_counter()
    for _ in range(20):
        tiny_nlp(part)
    parts = time.perf_counter() - start
    start = time.perf_counter()
    whole = tiny_nlp(part * 20)
    assert time.perf_counter() - start < 4 * parts
    assert len(whole._.source_text) == 20 * len(part)
