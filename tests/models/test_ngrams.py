"""Counts of short runs of words beside a trained layer."""

from pathlib import Path
from typing import Any, cast

import numpy
import pytest
import spacy
from conftest import train, transcript
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from spacy_punctcase.gold.ngrams import WIDTH
from spacy_punctcase.models.ngrams import build_ngram_tok2vec
from spacy_punctcase.pipeline.callbacks import create_ngram_counter

TEXTS = ["Hi Anna, how are you?", "I am in New York.", "Do you know Anna Smith?", "No, I do not."]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(TEXTS * 6), encoding="utf8")
    return path


def make_config(text: Path) -> Any:
    return {
        "model": {
            "@architectures": "spacy_punctcase.JointCapPunc.v1",
            "hidden_size": 32,
            "tok2vec": {
                "@layers": "concatenate.v1",
                "*": {
                    "encoder": {
                        "@architectures": "spacy.HashEmbedCNN.v2",
                        "pretrained_vectors": None,
                        "width": 32,
                        "depth": 2,
                        "embed_size": 200,
                        "window_size": 1,
                        "maxout_pieces": 2,
                        "subword_features": True,
                    },
                    "ngrams": {
                        "@architectures": "spacy_punctcase.NgramTok2Vec.v1",
                        "path": str(text),
                        "min_count": 5,
                    },
                },
            },
        }
    }


def make_pipeline(text: Path) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("joint_restorer", config=make_config(text))
    train(nlp, [transcript(nlp, line) for line in TEXTS], steps=60)
    return nlp


def ngram_layer(nlp: Language) -> Model:
    model = cast(Any, nlp.get_pipe("joint_restorer")).model
    return next(node for node in model.walk() if node.name == "ngram_tok2vec")


def test_learns_saves_and_loads(text: Path, tmp_path: Path) -> None:
    nlp = make_pipeline(text)
    raw = [transcript(nlp, line).predicted.text for line in TEXTS]
    assert [nlp(line).text for line in raw] == TEXTS
    assert [doc.text for doc in nlp.pipe(raw, batch_size=3)] == TEXTS
    assert [doc.text for doc in nlp.pipe(raw, n_process=2)] == TEXTS
    counted = len(ngram_layer(nlp).attrs["counts"])
    assert counted
    text.unlink()  # what was counted is in the pipeline
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    assert len(ngram_layer(loaded).attrs["counts"]) == counted
    for line in raw:
        ours, theirs = (
            cast(Any, pipeline.get_pipe("joint_restorer")).predict([pipeline.make_doc(line)])[0]
            for pipeline in (nlp, loaded)
        )
        numpy.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_one_row_for_each_token(text: Path) -> None:
    layer = build_ngram_tok2vec(text)
    layer.initialize()
    nlp = spacy.blank("en")
    docs = [Doc(nlp.vocab, words=["hi", "anna"]), Doc(nlp.vocab), Doc(nlp.vocab, words=["you"])]
    outputs, backprop = layer.begin_update(docs)
    assert [rows.shape for rows in outputs] == [(2, WIDTH), (0, WIDTH), (1, WIDTH)]
    assert outputs[0].any() and backprop(outputs) == []


def test_without_text_to_count() -> None:
    with pytest.raises(ValueError, match="has no path"):
        build_ngram_tok2vec().initialize()


def test_other_text_is_counted_for_a_trained_pipeline(text: Path, tmp_path: Path) -> None:
    nlp = make_pipeline(text)
    before = ngram_layer(nlp).attrs["counts"]
    assert create_ngram_counter()(nlp) is nlp and ngram_layer(nlp).attrs["counts"] is before
    other = tmp_path / "other.txt"
    other.write_text("\n\n".join(["It is Tom.", *TEXTS] * 6), encoding="utf8")
    with nlp.select_pipes(disable=["joint_restorer"]):  # as spaCy does with what is sourced
        create_ngram_counter(str(other))(nlp)
    assert len(ngram_layer(nlp).attrs["counts"]) > len(before)
    assert nlp("hi anna how are you").text == TEXTS[0]


def test_nothing_to_count_for(text: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    with pytest.raises(ValueError, match=r"\(sentencizer\) has a layer"):
        create_ngram_counter(text)(nlp)
