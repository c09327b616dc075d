from pathlib import Path
from typing import cast

import numpy
import pytest
import spacy
import torch
from conftest import CASED_SENTENCES, ROOT, train, transcript
from spacy.language import Language
from spacy.util import load_config, load_model_from_config, registry

from spacy_punctcase.models.loaders import build_canine_loader, build_subword_loader
from spacy_punctcase.models.runtime import autocast, torch_modules
from spacy_punctcase.models.saved import (
    dequantise,
    deserialize_network,
    quantise,
    serialize_network,
)
from spacy_punctcase.models.subword import SubwordTagger
from spacy_punctcase.pipeline.truecaser import Truecaser

TINY_SUBWORD = {
    "@architectures": "spacy_punctcase.SubwordTruecaser.v1",
    "width": 32,
    "num_rows": 256,
    "dropout": 0.0,
}


def build(encoder: Path, **sizes):
    model = registry.resolve({"model": {**TINY_SUBWORD, **sizes}})["model"]
    return build_subword_loader(encoder)(model)


def network_of(model) -> SubwordTagger:
    return cast(SubwordTagger, torch_modules(model)[0])


def sequences():
    rng = numpy.random.default_rng(0)
    lengths = [1, 2, 3, 60, 61, 64, 65, 120, 7, 60, 130]
    letters = numpy.asarray([ord(char) for char in "abcdefghijklmno. "])
    return [
        numpy.stack([rng.choice(letters, length), rng.integers(0, 60, length)], axis=1)
        for length in lengths
    ]


def points(text: str) -> numpy.ndarray:
    return numpy.asarray([[ord(char), 0] for char in text])


def make_nlp(encoder: Path, **config) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("truecaser", config={"model": TINY_SUBWORD, "mark_noise": 0.0, **config})
    nlp.config["initialize"]["components"]["truecaser"] = {
        "encoder_loader": {
            "@model_loaders": "spacy_punctcase.SubwordLoader.v1",
            "name": str(encoder),
        }
    }
    return nlp


def train_tiny(encoder: Path, **config) -> Language:
    nlp = make_nlp(encoder, **config)
    train(nlp, [transcript(nlp, sentence) for sentence in CASED_SENTENCES], steps=80)
    return nlp


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_alone_as_in_a_batch(encoder: Path, precision: str) -> None:
    model = build(encoder)
    with autocast(model, precision):
        batch = model.predict(sequences())
        alone = [model.predict([sequence])[0] for sequence in sequences()]
    for sequence, output, expected in zip(sequences(), batch, alone):
        assert output.shape == expected.shape == sequence.shape[:1]
        assert output.dtype == "float32"
        numpy.testing.assert_allclose(output, expected, atol=1e-5)


def test_each_character_reads_the_sub_word_that_it_is_in(encoder: Path) -> None:
    network = network_of(build(encoder))
    assert network.tokenizer is not None
    text = ". hi uyen, it's o'brien at café zürich"
    ((places, pieces),) = network.read([points(text)])
    tokens = [network.tokenizer.id_to_token(piece - 1) for piece in pieces]
    assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
    assert len(places) == len(text)
    assert (numpy.diff(places) >= 0).all() and places[0] == 1
    for place in range(1, len(tokens) - 1):
        covered = "".join(char for char, found in zip(text, places) if found == place).strip()
        token = tokens[place].removeprefix("##")
        # The tokenizer takes the accents away.
        assert len(token) == len(covered) or token == "[UNK]"


@pytest.mark.parametrize("text", ["\ud800", "\x00\x01", "\u200d\u0301", "😀" * 40, " ", "a" * 2000])
def test_reads_any_characters(encoder: Path, text: str) -> None:
    (output,) = build(encoder).predict([points(text)])
    assert output.shape == (len(text),) and numpy.isfinite(output).all()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_gradient_reaches_the_encoder(encoder: Path, precision: str) -> None:
    model = build(encoder)
    with autocast(model, precision):
        outputs, backprop = model.begin_update(sequences())
        backprop([numpy.ones_like(output) for output in outputs])
    for name, parameter in network_of(model).named_parameters():
        assert parameter.grad is not None and torch.isfinite(parameter.grad).all(), name


def test_loads_the_first_layers(encoder: Path) -> None:
    model = registry.resolve({"model": TINY_SUBWORD})["model"]
    build_subword_loader(encoder, num_layers=1)(model)
    config = network_of(model).encoder.config
    assert config.num_hidden_layers == 1
    whole = network_of(build(encoder)).encoder
    kept = network_of(model).encoder
    weights = whole.state_dict()
    for name, weight in kept.state_dict().items():
        assert torch.equal(weight, weights[name]), name


def test_not_without_an_encoder(encoder: Path) -> None:
    model = registry.resolve({"model": TINY_SUBWORD})["model"]
    with pytest.raises(ValueError, match="no sub-word encoder.*SubwordLoader"):
        model.predict(sequences())
    with pytest.raises(ValueError, match="CanineLoader"):
        build_canine_loader(encoder)(model)
    with pytest.raises(ValueError, match="no_such_folder"):
        build_subword_loader("no_such_folder/x")(model)
    canine = spacy.blank("en").add_pipe("truecaser")
    with pytest.raises(ValueError, match="reads no sub-words"):
        build_subword_loader(encoder)(canine.model)


def test_serialized_with_encoder_and_tokenizer(encoder: Path) -> None:
    small, large = registry.resolve({"model": TINY_SUBWORD})["model"], build(encoder, width=48)
    data = serialize_network(network_of(large))
    assert str(encoder).encode() not in data
    loaded = deserialize_network(network_of(small), data, torch.device("cpu"))
    assert loaded.settings == network_of(large).settings
    small.from_bytes(large.to_bytes())
    for ours, theirs in zip(small.predict(sequences()), large.predict(sequences())):
        numpy.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_quantised_weights_are_near() -> None:
    torch.manual_seed(0)
    weights = {
        "matrix": torch.randn(20, 30) * torch.logspace(-6, 2, 20)[:, None],
        "zeros": torch.zeros(2, 3),
        "vector": torch.randn(7),
    }
    stored = quantise(weights)
    assert stored["matrix"].dtype == torch.int8 and stored["vector"] is weights["vector"]
    found = dequantise(stored)
    assert found.keys() == weights.keys()
    assert torch.equal(found["zeros"], weights["zeros"])
    row_max = weights["matrix"].abs().amax(dim=1, keepdim=True)
    error = (found["matrix"] - weights["matrix"]).abs()
    assert (error <= (row_max / 127 * 0.51).clamp(min=2.0**-14)).all()


def test_learns_its_sentences_and_keeps_them_on_disk(encoder: Path, tmp_path: Path) -> None:
    sizes = {}
    for dtype in ("float32", "float16", "int8"):
        nlp = train_tiny(encoder, weights_dtype=dtype)
        for sentence in CASED_SENTENCES:
            assert nlp(sentence.lower()).text == sentence
        nlp.to_disk(tmp_path / dtype)
        loaded = spacy.load(tmp_path / dtype)
        assert [doc.text for doc in loaded.pipe(map(str.lower, CASED_SENTENCES))] == CASED_SENTENCES
        sizes[dtype] = (tmp_path / dtype / "truecaser" / "model").stat().st_size
    assert sizes["int8"] < 0.7 * sizes["float16"] < 0.5 * sizes["float32"]


def test_training_config() -> None:
    config = load_config(ROOT / "configs" / "truecaser_base.cfg")
    nlp = load_model_from_config(config, auto_fill=True)
    truecaser = cast(Truecaser, nlp.get_pipe("truecaser"))
    assert truecaser.model.name == "subword_truecaser"
