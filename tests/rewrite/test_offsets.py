"""Where tokens of restored Docs come from, through whatever happens to the Docs."""

import pickle
import random
from typing import Callable, List, Tuple

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Token

from spacy_punctcase.rewrite.edits import TextBuilder
from spacy_punctcase.rewrite.offsets import (
    OFFSETS,
    RestoredText,
    get_offsets,
    register_extensions,
)
from spacy_punctcase.rewrite.rewrite import rewrite_doc
from spacy_punctcase.text.words import split_words

RAW = "hi uyen  don't say u.s. it's 3.50 right"
RESTORED = "Hi Uyen,  don't say U.S.; it's 3.50, right?"


@pytest.fixture(scope="module")
def nlp() -> Language:
    register_extensions()
    return spacy.blank("en")


def insert_marks(nlp: Language, doc: Doc, marks: dict) -> Doc:
    builder = TextBuilder(doc.text)
    for index, word in enumerate(split_words(doc.text)):
        builder.copy_to(word.end)
        builder.insert(marks.get(index, ""))
    text, origins = builder.finish()
    return rewrite_doc(doc, text, origins, nlp.make_doc)


def restore(nlp: Language, doc: Doc) -> Doc:
    """Two rewrites, one after the other: marks, then case."""
    punctuated = insert_marks(nlp, doc, {1: ",", 4: ";", 6: ",", 7: "?"})
    text = punctuated.text
    for old, new in (("hi ", "Hi "), ("uyen", "Uyen"), ("u.s.", "U.S.")):
        text = text.replace(old, new)
    return rewrite_doc(punctuated, text, range(len(text)), nlp.make_doc)


@pytest.fixture
def doc(nlp: Language) -> Doc:
    return restore(nlp, nlp.make_doc(RAW))


def origins_of(doc: Doc) -> List[Tuple[str, str, int]]:
    """Each token with the piece of the source that it comes from, and its word."""
    return [
        (token.text, RAW[slice(*token._.source_span)], token._.source_word)
        for token in doc
        if not token.is_space
    ]


EXPECTED = [
    ("Hi", "hi", 0),
    ("Uyen", "uyen", 1),
    (",", "", 1),
    ("do", "do", 2),
    ("n't", "n't", 2),
    ("say", "say", 3),
    ("U.S.", "u.s.", 4),
    (";", "", 4),
    ("it", "it", 5),
    ("'s", "'s", 5),
    ("3.50", "3.50", 6),
    (",", "", 6),
    ("right", "right", 7),
    ("?", "", 7),
]


def test_two_rewrites_compose(doc: Doc) -> None:
    assert doc.text == RESTORED
    assert doc._.source_text == RAW
    assert origins_of(doc) == EXPECTED


def test_an_inserted_mark_has_an_empty_span_behind_its_word(doc: Doc) -> None:
    comma = doc[2]
    assert comma.text == ","
    assert comma._.source_span == (7, 7)


def test_span_getter(doc: Doc) -> None:
    assert doc[0:3]._.source_span == (0, 7)
    assert doc[6:8].text == "say U.S."
    start, end = doc[6:8]._.source_span
    assert RAW[start:end] == "say u.s."


def test_a_doc_that_was_not_rewritten_is_its_own_source(nlp: Language) -> None:
    doc = nlp.make_doc(RAW)
    assert doc._.source_text == RAW
    assert [RAW[slice(*token._.source_span)] for token in doc] == [token.text for token in doc]
    words = [(token.text, token._.source_word) for token in doc if not token.is_space]
    assert words[:5] == [("hi", 0), ("uyen", 1), ("do", 2), ("n't", 2), ("say", 3)]
    assert words[-4:] == [("it", 5), ("'s", 5), ("3.50", 6), ("right", 7)]


def test_the_map_is_plain_data(doc: Doc) -> None:
    data = doc.user_data[OFFSETS]
    assert type(data["source"]) is str
    assert {type(origin) for origin in data["map"]} == {int}
    assert len(data["map"]) == len(doc.text)


def through_docbin(doc: Doc) -> Doc:
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    return next(iter(DocBin().from_bytes(data).get_docs(doc.vocab)))


@pytest.mark.parametrize(
    "round_trip",
    [
        through_docbin,
        lambda doc: Doc(doc.vocab).from_bytes(doc.to_bytes()),
        lambda doc: pickle.loads(pickle.dumps(doc)),
        lambda doc: doc.copy(),
        lambda doc: doc[:].as_doc(copy_user_data=True),
    ],
    ids=["DocBin", "bytes", "pickle", "copy", "as_doc of all"],
)
def test_offsets_survive(doc: Doc, round_trip: Callable[[Doc], Doc]) -> None:
    copied = round_trip(doc)
    assert copied._.source_text == RAW
    assert origins_of(copied) == EXPECTED


def test_part_of_a_doc(doc: Doc) -> None:
    part = doc[3:].as_doc(copy_user_data=True)
    assert origins_of(part) == EXPECTED[3:]
    assert part._.source_text is None
    assert get_offsets(part) is None


def test_docs_put_together(nlp: Language, doc: Doc) -> None:
    with pytest.warns(UserWarning):  # the Doc's own user_data is lost
        joined = Doc.from_docs([doc, restore(nlp, nlp.make_doc(RAW))])
    assert origins_of(joined) == EXPECTED + EXPECTED
    assert joined._.source_text is None


def test_merged_tokens(doc: Doc) -> None:
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:3])
        retokenizer.merge(doc[4:6])
    assert [token.text for token in doc[:3] if not token.is_space] == ["Hi Uyen,", "don't"]
    assert doc[0]._.source_span == (0, 7)
    assert doc[0]._.source_word == 0
    assert RAW[slice(*doc[2]._.source_span)] == "don't"


def test_split_tokens(nlp: Language) -> None:
    doc = insert_marks(nlp, nlp.make_doc("see U.K now"), {1: "."})
    token = next(token for token in doc if token.text == "U.K.")
    assert token._.source_span == (4, 7)
    with doc.retokenize() as retokenizer:
        retokenizer.split(token, ["U.", "K", "."], heads=[token, token, token])
    assert [token._.source_span for token in doc[1:4]] == [(4, 6), (6, 7), (7, 7)]
    assert [token._.source_word for token in doc[1:4]] == [1, 1, 1]


def test_a_mark_at_the_very_start(nlp: Language) -> None:
    doc = rewrite_doc(nlp.make_doc("hola"), "¡hola", [-1, 0, 1, 2, 3], nlp.make_doc)
    assert [token._.source_span for token in doc] == [(0, 0), (0, 4)]
    assert [token._.source_word for token in doc] == [0, 0]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_blank_texts(nlp: Language, text: str) -> None:
    doc = rewrite_doc(nlp.make_doc(text), text, range(len(text)), nlp.make_doc)
    assert doc._.source_text == text
    assert all(token._.source_word == -1 for token in doc)


def test_source_words_of_a_long_text_are_its_chunks(nlp: Language) -> None:
    rng = random.Random(0)
    words = [rng.choice(["don't", "hi", "u.s.", "[noise]", "3.50", "can't"]) for _ in range(300)]
    doc = nlp.make_doc(" ".join(words))
    marks = {index: rng.choice(["", ".", ","]) for index in range(300)}
    restored = insert_marks(nlp, doc, marks)
    by_word: dict = {}
    for token in restored:
        by_word.setdefault(token._.source_word, []).append(token)
    assert sorted(by_word) == list(range(300))
    for index, tokens in by_word.items():
        kept = "".join(token.text for token in tokens if _is_kept(token))
        assert kept.rstrip(".,") in words[index]


def _is_kept(token: Token) -> bool:
    start, end = token._.source_span
    return start < end


def test_stretches_of_the_source_in_the_restored_text(nlp: Language) -> None:
    doc = insert_marks(nlp, nlp.make_doc("hi uyen  ok"), {0: ",", 1: ".", 2: "?"})
    assert doc.text == "hi, uyen.  ok?"
    restored = RestoredText(doc)
    assert [restored(*span) for span in ((0, 2), (3, 7), (9, 11), (4, 5), (2, 3))] == [
        "hi,",
        "uyen.",
        "ok?",
        "y",
        " ",
    ]
    # Whatever a source is cut into, nothing is lost and nothing comes twice.
    assert "".join(restored(index, index + 1) for index in range(11)) == doc.text
    assert RestoredText(nlp.make_doc("as it is"))(3, 5) == "it"


def test_marks_that_are_taken_out_and_put_in_front(nlp: Language) -> None:
    builder = TextBuilder("a, b")
    builder.insert("¿")
    builder.copy_to(1)
    builder.skip_to(2)
    text, origins = builder.finish()
    doc = rewrite_doc(nlp.make_doc("a, b"), text, origins, nlp.make_doc)
    restored = RestoredText(doc)
    assert (doc.text, restored(0, 2), restored(1, 2), restored(3, 4)) == ("¿a b", "¿a", "", "b")
