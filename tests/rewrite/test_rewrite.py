"""What a rewritten Doc takes over from the old one, and what not."""

import copy
from typing import Any, Iterator, List

import numpy
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup, Token

from spacy_punctcase.rewrite.edits import INSERTED, TextBuilder
from spacy_punctcase.rewrite.offsets import get_offsets, register_extensions
from spacy_punctcase.rewrite.rewrite import OffsetMap, rewrite_doc
from spacy_punctcase.text.case import upper
from spacy_punctcase.text.words import split_words

#             0  1    2   3     4     5   6    7
RAW = "hi uyen tran how is life in the u.s"
RESTORED = "Hi, Uyen Tran! How is life in the U.S.?"


@pytest.fixture(scope="module")
def nlp() -> Language:
    register_extensions()
    return spacy.blank("en")


@pytest.fixture(autouse=True)
def extensions() -> Iterator[None]:
    owners = (Doc, Token, Span)
    for owner in owners:
        owner.set_extension("note", default=None, force=True)
    had_trf_data = Doc.has_extension("trf_data")
    if not had_trf_data:
        Doc.set_extension("trf_data", default=None)
    yield
    for owner in owners:
        owner.remove_extension("note")
    if not had_trf_data:
        Doc.remove_extension("trf_data")


@pytest.fixture
def doc(nlp: Language) -> Doc:
    return nlp.make_doc(RAW)


def restore(nlp: Language, doc: Doc) -> Doc:
    builder = TextBuilder(doc.text)
    marks = {"hi": ",", "tran": "!", "u.s": ".?"}
    for word in split_words(doc.text):
        builder.copy_to(word.end)
        builder.insert(marks.get(doc.text[word.start : word.end], ""))
    text, origins = builder.finish()
    for old in ("hi", "uyen", "tran", "how", "u.s"):
        text = text.replace(old, upper(old) if "." in old else upper(old[0]) + old[1:])
    return rewrite_doc(doc, text, origins, nlp.make_doc)


def test_text_and_tokens(nlp: Language, doc: Doc) -> None:
    new = restore(nlp, doc)
    assert new.text == RESTORED
    assert [token.text for token in new] == [token.text for token in nlp.make_doc(RESTORED)]
    assert new.vocab is doc.vocab
    assert not new.has_unknown_spaces


def test_user_data_is_copied(nlp: Language, doc: Doc) -> None:
    doc.user_data["speaker"] = ["Ann"]
    new = restore(nlp, doc)
    assert new.user_data["speaker"] == ["Ann"]
    new.user_data["speaker"].append("Bob")
    assert doc.user_data["speaker"] == ["Ann"]


def test_custom_attributes_move(nlp: Language, doc: Doc) -> None:
    doc._.note = {"of": "doc"}
    doc[2]._.note = "token"
    doc[1:3]._.note = "span"
    new = restore(nlp, doc)
    assert new._.note == {"of": "doc"}
    assert new[3].text == "Tran" and new[3]._.note == "token"
    assert new[2:4].text == "Uyen Tran" and new[2:4]._.note == "span"
    assert [token._.note for token in new].count("token") == 1


def test_a_span_that_grows_keeps_its_custom_attributes(nlp: Language, doc: Doc) -> None:
    doc.set_ents([Span(doc, 8, 9, "GPE")])
    doc.ents[0]._.note = "a country"
    new = restore(nlp, doc)
    assert [(ent.text, ent._.note) for ent in new.ents] == [("U.S.", "a country")]


def test_what_a_model_said_of_the_old_tokens_is_dropped(nlp: Language, doc: Doc) -> None:
    doc._.trf_data = object()
    doc.tensor = numpy.ones((len(doc), 3), dtype="float32")
    for token in doc:
        token.tag_, token.pos_, token.lemma_, token.dep_ = "NN", "NOUN", token.text, "dep"
        token.set_morph("Number=Sing")  # type: ignore[attr-defined]
    new = restore(nlp, doc)
    assert new._.trf_data is None
    assert new.tensor.size == 0
    for attribute in ("TAG", "POS", "LEMMA", "MORPH", "DEP"):
        assert not new.has_annotation(attribute)
    assert doc._.trf_data is not None


def test_categories(nlp: Language, doc: Doc) -> None:
    doc.cats = {"greeting": 0.9}
    new = restore(nlp, doc)
    assert new.cats == {"greeting": 0.9}
    new.cats["greeting"] = 0.1
    assert doc.cats == {"greeting": 0.9}


def test_span_groups(nlp: Language, doc: Doc) -> None:
    spans = [
        Span(doc, 1, 3, label="PERSON", kb_id="Q1", span_id="first"),
        Span(doc, 0, 2, label="OVERLAP"),
        Span(doc, 8, 9, label="GPE"),
    ]
    doc.spans["sc"] = SpanGroup(doc, name="named", attrs={"scores": [1, 2, 3]}, spans=spans)
    doc.spans["empty"] = []
    new = restore(nlp, doc)
    group = new.spans["sc"]
    assert [(span.text, span.label_, span.kb_id_, span.id_) for span in group] == [
        ("Uyen Tran", "PERSON", "Q1", "first"),
        ("Hi, Uyen", "OVERLAP", "", ""),
        ("U.S.", "GPE", "", ""),
    ]
    assert (group.name, group.attrs) == ("named", {"scores": [1, 2, 3]})
    group.attrs["scores"].append(4)
    assert doc.spans["sc"].attrs == {"scores": [1, 2, 3]}
    assert len(new.spans["empty"]) == 0


def test_entities_of_a_ruler_in_front() -> None:
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "uyen tran", "id": "uyen"}])
    doc = nlp(RAW)
    new = restore(nlp, doc)
    assert [(ent.text, ent.label_, ent.ent_id_) for ent in new.ents] == [
        ("Uyen Tran", "PERSON", "uyen")
    ]
    assert new.has_annotation("ENT_IOB", require_complete=True)


def test_missing_entities_stay_missing(nlp: Language, doc: Doc) -> None:
    assert not restore(nlp, doc).has_annotation("ENT_IOB")
    doc.set_ents([Span(doc, 1, 3, "PERSON")], default="missing")
    new = restore(nlp, doc)
    assert [ent.text for ent in new.ents] == ["Uyen Tran"]
    assert not new.has_annotation("ENT_IOB", require_complete=True)


def test_sentence_starts(nlp: Language, doc: Doc) -> None:
    assert not restore(nlp, doc).has_annotation("SENT_START")
    for token in doc:
        token.is_sent_start = token.i in (0, 3)
    assert [sent.text for sent in restore(nlp, doc).sents] == [
        "Hi, Uyen Tran!",
        "How is life in the U.S.?",
    ]


def test_partial_sentence_starts_leave_the_rest_open(nlp: Language, doc: Doc) -> None:
    doc[3].is_sent_start = True
    doc[4].is_sent_start = False
    new = restore(nlp, doc)
    found = {token.text: token.is_sent_start for token in new[1:]}
    assert (found.pop("How"), found.pop("is")) == (True, False)
    assert set(found.values()) == {None}


def test_hooks_and_context(nlp: Language, doc: Doc) -> None:
    doc.user_hooks["vector"] = lambda doc: "doc"
    doc.user_token_hooks["vector"] = lambda token: "token"
    doc.user_span_hooks["vector"] = lambda span: "span"
    doc._context = {"id": 7}
    new = restore(nlp, doc)
    assert (new.vector, new[0].vector, new[0:2].vector) == ("doc", "token", "span")
    assert new._context == {"id": 7}
    new.user_hooks.clear()
    assert "vector" in doc.user_hooks


def test_as_tuples() -> None:
    @Language.component("punctcase_test_restore")
    def component(doc: Doc) -> Doc:
        return restore(pipeline, doc)

    pipeline = spacy.blank("en")
    pipeline.add_pipe("punctcase_test_restore")
    found = list(pipeline.pipe([(RAW, 1), (RAW, 2)], as_tuples=True))
    assert [(doc.text, context) for doc, context in found] == [(RESTORED, 1), (RESTORED, 2)]


def test_the_old_doc_is_not_modified(nlp: Language, doc: Doc) -> None:
    doc.user_data["list"] = [1]
    doc._.note = doc[2]._.note = doc[1:3]._.note = "note"
    doc.cats = {"a": 1.0}
    doc.set_ents([Span(doc, 1, 3, "PERSON")])
    doc.spans["sc"] = [doc[0:2]]
    for token in doc:
        token.is_sent_start = token.i in (0, 3)
    before, data = doc.to_bytes(), copy.deepcopy(doc.user_data)
    restore(nlp, restore(nlp, doc))
    assert doc.to_bytes() == before
    assert doc.user_data == data


def test_custom_attributes_survive_two_rewrites(nlp: Language, doc: Doc) -> None:
    doc[2]._.note = "token"
    between = rewrite_doc(doc, f"um {RAW}", [-1, -1, -1, *range(len(RAW))], nlp.make_doc)
    new = restore(nlp, between)
    assert [token.text for token in new if token._.note == "token"] == ["Tran"]
    assert new._.source_text == RAW


def test_removed_text(nlp: Language) -> None:
    doc = nlp.make_doc("hi uh uyen")
    doc[1]._.note = "gone"
    doc.set_ents([Span(doc, 1, 2, "FILLER")])
    doc.spans["sc"] = [doc[1:2], doc[1:3]]
    builder = TextBuilder(doc.text)
    builder.copy_to(3)
    builder.skip_to(6)
    new = rewrite_doc(doc, *builder.finish(), nlp.make_doc)
    assert new.text == "hi uyen"
    assert not new.ents
    assert [span.text for span in new.spans["sc"]] == ["uyen"]
    assert new[1]._.source_word == 2


def test_offset_map() -> None:
    # "abcd" to "a.d!": b and c are gone.
    moved = OffsetMap([0, INSERTED, 3, INSERTED], 4)
    assert [moved.start(offset) for offset in range(5)] == [0, 2, 2, 2, 4]
    assert moved.span(0, 1) == (0, 1)
    assert moved.span(0, 4) == (0, 3)
    assert moved.span(3, 4) == (2, 3)
    start, end = moved.span(1, 3)
    assert start >= end


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(["hi", "don't", "u.s", "3.5", "(so)", "-", ".", "[x y]"]), max_size=8),
    st.lists(st.sampled_from([" ", "  ", "\n", "\xa0"]), min_size=8, max_size=8),
    st.lists(st.sampled_from(["", "", ".", ",", "?"]), min_size=9, max_size=9),
)
def test_any_text(nlp: Language, words: List[str], spaces: List[str], marks: List[str]) -> None:
    text = "".join(word + space for word, space in zip(words, spaces))
    doc = nlp.make_doc(text)
    builder = TextBuilder(text)
    for index, word in enumerate(split_words(text)):
        builder.copy_to(word.end)
        builder.insert(marks[index])
    new_text, origins = builder.finish()
    new = rewrite_doc(doc, new_text, origins, nlp.make_doc)
    assert new.text == new_text
    found: Any = get_offsets(new)
    assert found == (text, origins)
    previous = 0
    for token in new:
        start, end = token._.source_span
        assert previous <= start <= end <= len(text)
        assert text[start:end] in (token.text, token.text.rstrip(".,?"), "")
        previous = end
