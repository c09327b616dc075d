from typing import List

import numpy
import pytest
import spacy
from conftest import TEXTS, TINY_TAGGER, WORDS, train, transcript
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_punctcase.gold.align import UNKNOWN_MARKS
from spacy_punctcase.pipeline import JointRestorer
from spacy_punctcase.pipeline.joint_restorer import TAGS_KEY, Tag
from spacy_punctcase.text.case import lower, upper
from spacy_punctcase.text.words import chunks, normal_form, split_words

MODEL = {"@architectures": "spacy_punctcase.ProductTag.v1", "tok2vec": TINY_TAGGER["tok2vec"]}


def make_restorer(nlp: Language, **config) -> JointRestorer:
    return nlp.add_pipe("joint_restorer", config={"model": MODEL, **config})  # type: ignore


@pytest.fixture(scope="module")
def joint_nlp(train_examples) -> Language:
    nlp = spacy.blank("en")
    make_restorer(nlp)
    train(nlp, train_examples, steps=100)
    return nlp


def test_labels_are_all_combinations() -> None:
    restorer = make_restorer(spacy.blank("en"), marks=[".", "?"], mark_map=[[",", ""]])
    assert len(restorer.labels) == 9
    assert restorer.labels[:4] == ("O lower", "O capital", "O upper", ". lower")
    assert restorer.marks == (".", "?")
    assert all(str(Tag.parse(label)) == label for label in restorer.labels)


def test_gold_labels_and_cut_off_words() -> None:
    nlp = spacy.blank("en")
    restorer = make_restorer(nlp)
    example = transcript(nlp, "Hi, NASA. Who? GitHub and")
    example.reference.user_data[UNKNOWN_MARKS] = [4]
    gold = [", capital", ". upper", "? capital", "O capital", "O lower"]
    assert restorer._gold_labels(example) == gold
    _, (target,) = restorer._make_training_data([example])
    assert target.sum(axis=1).tolist() == [1, 1, 1, 1, 0]


def test_learns_a_text_by_heart() -> None:
    golds = ["Hi, Anna. Is NASA here?", "No, it is in Houston. OK?", "I see."]
    nlp = spacy.blank("en")
    make_restorer(nlp)
    examples = [transcript(nlp, gold) for gold in golds]
    train(nlp, examples, steps=60)
    assert [nlp(example.text).text for example in examples] == golds
    scores = nlp.evaluate([transcript(nlp, gold) for gold in golds])
    assert scores["punct_micro_f"] == scores["case_word_f"] == 1.0


def test_what_is_there_stays_unless_overwritten(joint_nlp: Language) -> None:
    restorer: JointRestorer = joint_nlp.get_pipe("joint_restorer")  # type: ignore
    doc = joint_nlp.make_doc("well! WHO are U.S. people see GitHub.com")
    labels = [". capital", "? lower", ", upper", "O upper", "O lower", "O lower", ". upper"]
    kept = restorer._apply(doc, labels, overwrite=False).text
    assert kept == "Well! WHO? ARE, U.S. people see GitHub.com."
    new = restorer._apply(doc, labels, overwrite=True).text
    assert new == "Well. who? ARE, U.S. people see GitHub.com."


def test_segments_all_in_capitals_are_lowered_first(joint_nlp: Language) -> None:
    restorer: JointRestorer = joint_nlp.get_pipe("joint_restorer")  # type: ignore
    doc = joint_nlp.make_doc("HOW ARE NASA NOW")
    labels = ["O capital", "O lower", "O upper", "? lower"]
    assert restorer._apply(doc, labels, overwrite=False).text == "How are NASA now?"
    assert restorer._apply(doc, ["O upper"] * 4, overwrite=False).text == "HOW ARE NASA NOW"
    restorer.lower_all_caps = False
    try:
        assert restorer._apply(doc, labels, overwrite=False).text == "HOW ARE NASA NOW?"
    finally:
        restorer.lower_all_caps = True


def test_annotations_are_what_rewrite_reads(joint_nlp: Language) -> None:
    restorer: JointRestorer = joint_nlp.get_pipe("joint_restorer")  # type: ignore
    doc = joint_nlp.make_doc("good morning how are you")
    restorer.set_annotations([doc], restorer.predict([doc]))
    assert len(doc.user_data[TAGS_KEY]["labels"]) == 5
    assert restorer.rewrite(doc).text == restorer(doc).text
    doc.user_data[TAGS_KEY]["labels"] = [". upper"] * 5
    assert restorer.rewrite(doc).text == "GOOD. MORNING. HOW. ARE. YOU."


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(st.one_of(WORDS, WORDS.map(upper)), max_size=30))
def test_words_kept_and_twice_is_once(joint_nlp: Language, words) -> None:
    text = " ".join(words)
    doc = joint_nlp(text)
    assert _words(doc.text) == _words(text)
    assert joint_nlp(doc.text).text == doc.text
    assert doc._.source_text == text


def _words(text: str):
    return [normal_form(text, word).rstrip(".") for word in split_words(text)]


def test_the_same_in_any_batch_and_process(joint_nlp: Language) -> None:
    alone = [joint_nlp(text).text for text in TEXTS]
    assert [doc.text for doc in joint_nlp.pipe(TEXTS, batch_size=4)] == alone
    assert [doc.text for doc in joint_nlp.pipe(TEXTS, n_process=2, batch_size=3)] == alone


def test_bias_of_a_mark_is_that_of_all_its_tags() -> None:
    restorer = make_restorer(spacy.blank("en"), mark_bias=[["?", 2.0]])
    scores = numpy.full((2, len(restorer.labels)), 0.01, dtype="float32")
    for row, tag in enumerate(("? capital", "? upper")):
        scores[row, restorer.labels.index(tag)] = 0.2
        scores[row, restorer.labels.index("O lower")] = 0.6
    assert restorer._best_labels(scores) == ["? capital", "? upper"]
    restorer.mark_bias = {}
    assert restorer._best_labels(scores) == ["O lower", "O lower"]
    with pytest.raises(ValueError, match="'O', which is not one of its marks"):
        restorer.mark_bias = {"O": 1.0}


def test_saved_and_loaded(joint_nlp: Language, tmp_path) -> None:
    joint_nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    copied = spacy.blank("en")
    make_restorer(copied)
    copied.from_bytes(joint_nlp.to_bytes())
    for text in TEXTS:
        assert loaded(text).text == copied(text).text == joint_nlp(text).text


def test_offsets_survive_a_doc_bin(joint_nlp: Language) -> None:
    text = "good morning maria garcia how are you today"
    doc = joint_nlp(text)
    assert doc.text != text
    (kept,) = DocBin(docs=[doc], store_user_data=True).get_docs(joint_nlp.vocab)
    words = [text[start:end] for start, end in chunks(text)]
    for token in kept:
        start, end = token._.source_span
        if start < end:
            assert lower(token.text) == text[start:end]
            assert text[start:end] in words[token._.source_word]


class Witness:
    """Component that keeps the Examples that it is given to learn from."""

    def __init__(self) -> None:
        self.examples: List[Example] = []

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def update(self, examples, **kwargs) -> None:
        self.examples = list(examples)


@Language.factory("witness")
def make_witness(nlp: Language, name: str) -> Witness:
    return Witness()


def test_components_behind_get_gold_text() -> None:
    nlp = spacy.blank("en")
    make_restorer(nlp)
    witness: Witness = nlp.add_pipe("witness")  # type: ignore
    example = transcript(nlp, "Hi, Anna! Bye.", entities=["O", "U-PERSON", "O"])
    nlp.initialize(lambda: [example])
    nlp.update([example])
    (behind,) = witness.examples
    assert behind.predicted.text == "Hi, Anna. Bye."
    assert [ent.text for ent in behind.reference.ents] == ["Anna"]


def test_sentence_starts_when_asked_for(joint_nlp: Language) -> None:
    restorer: JointRestorer = joint_nlp.get_pipe("joint_restorer")  # type: ignore
    doc: Doc = joint_nlp.make_doc("hi how are you")
    doc.user_data[TAGS_KEY] = {"labels": [". capital", "O capital", "O lower", "? lower"]}
    restorer.set_sent_starts = True
    try:
        assert [sent.text for sent in restorer.rewrite(doc).sents] == ["Hi.", "How are you?"]
    finally:
        restorer.set_sent_starts = False


def test_sentences_begin_with_a_capital(joint_nlp: Language) -> None:
    restorer: JointRestorer = joint_nlp.get_pipe("joint_restorer")  # type: ignore
    text = "so! e.g. dr. who? well"
    doc = joint_nlp.make_doc(text)
    words = split_words(text)
    # The model says lower case and no mark of all words but the last.
    found = numpy.zeros((len(words), len(restorer.labels)), dtype="float32")
    found[:, restorer.labels.index("O lower")] = 1.0
    found[-1] = numpy.roll(found[-1], restorer.labels.index(". lower"))
    decided = restorer._decide(doc, text, words, found)
    assert restorer._apply(doc, decided["labels"], overwrite=False).text == (
        "So! E.g. dr. who? Well."
    )
    scores = restorer._score(doc, text, words, found, decided)["case"]
    assert scores[0] == 1.0 and scores[-1] == 1.0
    restorer.sentence_starts = False
    try:
        decided = restorer._decide(doc, text, words, found)
        assert restorer._apply(doc, decided["labels"], overwrite=False).text == text + "."
    finally:
        restorer.sentence_starts = True
