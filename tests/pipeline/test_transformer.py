"""The punctuator on a transformer of its own, and listening to a shared one."""

import math
from pathlib import Path
from typing import Any, Dict

import numpy
import pytest
import spacy
from conftest import ENCODER_GOLD as GOLD
from conftest import train, transcript
from spacy.language import Language

SPANS = {"@span_getters": "spacy-transformers.strided_spans.v1", "window": 40, "stride": 30}
POOLING = {"@layers": "reduce_mean.v1"}


def tagger(tok2vec: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "@architectures": "spacy.Tagger.v2",
        "nO": None,
        "normalize": True,
        "tok2vec": {"pooling": POOLING, **tok2vec},
    }


@pytest.fixture(scope="module")
def own(encoder: Path) -> Language:
    """A punctuator with the default architecture, trained on one text."""
    nlp = spacy.blank("en")
    tok2vec = {
        "@architectures": "spacy-transformers.Tok2VecTransformer.v3",
        "name": str(encoder),
        "tokenizer_config": {"use_fast": True},
        "transformer_config": {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        "get_spans": SPANS,
    }
    nlp.add_pipe("punctuator", config={"model": tagger(tok2vec), "window": 30, "stride": 20})
    train(nlp, [transcript(nlp, GOLD)], steps=60)
    return nlp


def test_learns_a_text(own: Language) -> None:
    assert own(transcript(own, GOLD).predicted.text).text.lower() == GOLD.lower()


def test_alone_as_in_a_batch(own: Language) -> None:
    punctuator = own.get_pipe("punctuator")
    text = transcript(own, GOLD).predicted.text
    docs = [own.make_doc(text[start:]) for start in (0, 3, 9, 20)] + [own.make_doc(text * 5)]
    for doc, scores in zip(docs, punctuator.predict(docs)):
        # To the last digit: windows of other lengths, and so padding, are kept out of a batch.
        numpy.testing.assert_array_equal(scores, punctuator.predict([doc])[0])


def test_loads_without_the_encoder_s_folder(own: Language, tmp_path: Path, encoder: Path) -> None:
    own.to_disk(tmp_path / "model")
    config = tmp_path / "model" / "config.cfg"
    text = config.read_text(encoding="utf8").replace(str(encoder), "no/such/encoder")
    config.write_text(text, encoding="utf8")
    loaded = spacy.load(tmp_path / "model")
    source = transcript(own, GOLD).predicted.text
    assert loaded(source).text == own(source).text


def test_weights_in_half_precision(own: Language, tmp_path: Path) -> None:
    punctuator = own.get_pipe("punctuator")
    full = len(punctuator.to_bytes(exclude=["vocab"]))
    before = own(transcript(own, GOLD).predicted.text).text
    punctuator._weights_dtype = "float16"
    try:
        own.to_disk(tmp_path)
        assert len(punctuator.to_bytes(exclude=["vocab"])) < 0.7 * full
    finally:
        punctuator._weights_dtype = "float32"
    assert own(transcript(own, GOLD).predicted.text).text == before
    assert spacy.load(tmp_path)(transcript(own, GOLD).predicted.text).text == before


def test_listener_on_a_shared_transformer(encoder: Path, tmp_path: Path) -> None:
    """The transformer must see the Doc that the punctuator feeds to its model (trap 8)."""
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "transformer",
        config={
            "model": {
                "@architectures": "spacy-transformers.TransformerModel.v3",
                "name": str(encoder),
                "get_spans": SPANS,
                "tokenizer_config": {"use_fast": True},
            }
        },
    )
    listener = {"@architectures": "spacy-transformers.TransformerListener.v1", "grad_factor": 1.0}
    nlp.add_pipe("punctuator", config={"model": tagger(listener)})
    # Tokens that are no words of their own: "don't" is two, the comma is one.
    gold = "Hi Maria, how are you? I don't live in Chicago."
    examples = [transcript(nlp, GOLD), transcript(nlp, gold)]
    losses = train(nlp, examples, steps=80)
    assert math.isfinite(losses["punctuator"]) and losses["punctuator"] < 0.3
    for example in examples:
        doc = nlp(example.predicted.text)
        assert sum(char in ",.?" for char in doc.text) >= 2
        assert not doc._.trf_data or not len(doc._.trf_data.tokens)
    nlp.to_disk(tmp_path)
    texts = [example.predicted.text for example in examples] + [""]
    loaded = spacy.load(tmp_path)
    assert [doc.text for doc in loaded.pipe(texts)] == [nlp(text).text for text in texts]
