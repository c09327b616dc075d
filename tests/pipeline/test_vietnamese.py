"""Vietnamese, whose letters may be written as one character or as several."""

from pathlib import Path
from typing import Any, List, cast
from unicodedata import normalize

import numpy
import pytest
import spacy
from conftest import (
    TINY_CANINE,
    TINY_TAGGER,
    VIETNAMESE,
    make_subword_pipeline,
    train,
    transcript,
)
from spacy.language import Language
from spacy.tokenizer import Tokenizer

from spacy_punctcase.pipeline.punctuator import Punctuator
from spacy_punctcase.text.case import lower

RULES = {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
#: Syllables as they are, without a package that joins them to words.
SYLLABLES = {"nlp": {"tokenizer": {"use_pyvi": False}}}
RAW = [lower(text.translate({ord(mark): None for mark in ",.?"})) for text in VIETNAMESE]


@pytest.fixture(scope="module", params=[RULES, SYLLABLES], ids=["rules", "syllables"])
def nlp(request: pytest.FixtureRequest) -> Language:
    """Tiny models that know the sentences by heart."""
    nlp = spacy.blank("vi", config=request.param)
    nlp.add_pipe("punctuator", config={"model": TINY_TAGGER})
    nlp.add_pipe("truecaser", config={"model": TINY_CANINE, "window": 128, "stride": 96})
    train(nlp, [transcript(nlp, text) for text in VIETNAMESE], steps=120)
    return nlp


def test_a_question(nlp: Language) -> None:
    doc = nlp("xin chào uyên bạn có khoẻ không")
    assert doc.text == "Xin chào Uyên, bạn có khoẻ không?"
    assert [token._.source_word for token in doc if "không" in token.text] == [6]
    assert [doc.text for doc in nlp.pipe(RAW)] == VIETNAMESE


def test_composed_or_not(nlp: Language) -> None:
    for raw, gold in zip(RAW, VIETNAMESE):
        for text in (raw, gold, raw.upper()):
            decomposed = normalize("NFD", text)
            assert len(decomposed) > len(text)
            restored = nlp(decomposed).text
            assert restored == normalize("NFD", nlp(text).text)
            assert nlp(restored).text == restored


def test_composed_or_not_with_sub_words(multilingual_encoder: Path) -> None:
    nlp = make_subword_pipeline(multilingual_encoder)
    punctuator = cast(Punctuator, nlp.get_pipe("punctuator"))
    for raw in RAW:
        composed, decomposed = (nlp.make_doc(normalize(form, raw)) for form in ("NFC", "NFD"))
        numpy.testing.assert_array_equal(
            *(punctuator.predict([doc])[0] for doc in (composed, decomposed))
        )
        assert nlp(decomposed).text == normalize("NFD", nlp(composed).text)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_sentence_starts(nlp: Language, form: str) -> None:
    if not isinstance(nlp.tokenizer, Tokenizer):
        pytest.skip("marks stay with their syllables")
    punctuator: Any = nlp.get_pipe("punctuator")
    punctuator.set_sent_starts = True
    doc = nlp(normalize(form, "đây là bà. xin chào uyên"))
    punctuator.set_sent_starts = False
    assert [normalize("NFC", span.text)[:8] for span in doc.sents] == ["Đây là b", "Xin chào"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_fixed_spellings(form: str) -> None:
    nlp = spacy.blank("vi", config=RULES)
    entries: List[str] = [normalize(form, entry) for entry in ("Uyên", "Hà Nội", "Ái")]
    nlp.add_pipe("casing_ruler", config={"entries": entries})
    raw = "chị uyên và ông ái ở hà nội"
    expected = "chị Uyên và ông Ái ở Hà Nội"
    assert nlp(raw).text == expected
    assert nlp(normalize("NFD", raw)).text == normalize("NFD", expected)


def test_trained_on_either() -> None:
    texts = []
    for form in ("NFC", "NFD"):
        nlp = spacy.blank("vi", config=RULES)
        nlp.add_pipe("punctuator", config={"model": TINY_TAGGER})
        nlp.add_pipe("truecaser", config={"model": TINY_CANINE, "window": 128, "stride": 96})
        train(nlp, [transcript(nlp, normalize(form, text)) for text in VIETNAMESE], steps=40)
        texts.append([doc.text for doc in nlp.pipe(RAW)])
    assert texts[0] == texts[1]
