from pathlib import Path
from typing import cast

import numpy
import pytest
import spacy
import torch
from conftest import CASED_SENTENCES, ROOT, train, transcript
from spacy.language import Language
from spacy.util import load_config, load_model_from_config, registry

from spacy_punctcase.models.canine import max_window
from spacy_punctcase.models.char_lstm import CharLSTMTagger
from spacy_punctcase.models.runtime import autocast, torch_modules
from spacy_punctcase.models.saved import deserialize_network, serialize_network
from spacy_punctcase.pipeline.truecaser import Truecaser

TINY_LSTM = {
    "@architectures": "spacy_punctcase.CharLSTMTruecaser.v1",
    "num_rows": 256,
    "embed_size": 16,
    "hidden_size": 32,
    "dropout": 0.0,
}


def build(**sizes):
    return registry.resolve({"model": {**TINY_LSTM, **sizes}})["model"]


def sequences():
    rng = numpy.random.default_rng(0)
    lengths = [1, 2, 3, 60, 61, 64, 65, 120, 7, 60, 130]
    return [rng.integers(97, 122, size=(length, 2)) for length in lengths]


def make_nlp(**config) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("truecaser", config={"model": TINY_LSTM, "mark_noise": 0.0, **config})
    return nlp


def train_tiny(**config) -> Language:
    nlp = make_nlp(**config)
    train(nlp, [transcript(nlp, sentence) for sentence in CASED_SENTENCES], steps=80)
    return nlp


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_alone_as_in_a_batch(precision: str) -> None:
    model = build()
    with autocast(model, precision):
        batch = model.predict(sequences())
        alone = [model.predict([sequence])[0] for sequence in sequences()]
    for sequence, output, expected in zip(sequences(), batch, alone):
        assert output.shape == expected.shape == sequence.shape[:1]
        assert output.dtype == "float32"
        numpy.testing.assert_allclose(output, expected, atol=1e-5)


def test_computes_what_the_bidirectional_lstm_of_torch_does() -> None:
    """Without any padding the two must agree."""
    network = CharLSTMTagger(num_rows=64, embed_size=8, hidden_size=12, num_layers=2, dropout=0.0)
    reference = torch.nn.LSTM(8, 12, num_layers=2, bidirectional=True, batch_first=True)
    weights = {}
    for suffix, lstms in (("", network.forward_lstms), ("_reverse", network.backward_lstms)):
        for layer, lstm in enumerate(lstms):
            for name, value in lstm.state_dict().items():
                weights[name.replace("_l0", f"_l{layer}") + suffix] = value
    reference.load_state_dict(weights)
    ids = torch.randint(0, 64, (3, 20))
    with torch.no_grad():
        hidden, _ = reference(network.embed(ids))
        expected = network.output(hidden).squeeze(-1)
        logits = network(ids, ids, torch.ones_like(ids))
        padded = torch.nn.functional.pad(ids, (0, 5))
        mask = torch.nn.functional.pad(torch.ones_like(ids), (0, 5))
        after_padding = network(padded, padded, mask)[:, :20]
    torch.testing.assert_close(logits, expected)
    torch.testing.assert_close(after_padding, expected)


def test_rare_code_points_share_rows() -> None:
    model = build()
    points = numpy.asarray([[97, 0x10FFFF, 0x1F600], [0, 0, 0]]).T
    (output,) = model.predict([points])
    points[:2, 0] = 97 + 256, 255
    (shared,) = model.predict([points])
    assert numpy.isfinite(output).all()
    numpy.testing.assert_array_equal(output, shared)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_gradient_reaches_the_embeddings(precision: str) -> None:
    model = build(dropout=0.1)
    with autocast(model, precision):
        outputs, backprop = model.begin_update(sequences())
        backprop([numpy.ones_like(output) for output in outputs])
    for name, parameter in torch_modules(model)[0].named_parameters():
        assert parameter.grad is not None and torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_reads_any_length() -> None:
    assert max_window(build()) is None


def test_serialized_with_its_sizes() -> None:
    small, large = build(), build(num_rows=300, embed_size=8, hidden_size=20, num_layers=3)
    given, network = (cast(CharLSTMTagger, torch_modules(model)[0]) for model in (small, large))
    loaded = deserialize_network(given, serialize_network(network), torch.device("cpu"))
    assert loaded.settings == network.settings
    small.from_bytes(large.to_bytes())
    for ours, theirs in zip(small.predict(sequences()), large.predict(sequences())):
        numpy.testing.assert_array_equal(ours, theirs)


def test_learns_its_sentences_by_heart() -> None:
    nlp = train_tiny()
    for sentence in CASED_SENTENCES:
        assert nlp(sentence.lower()).text == sentence


def test_save_and_load(tmp_path: Path) -> None:
    nlp = train_tiny()
    nlp.to_disk(tmp_path / "full")
    texts = [sentence.lower() for sentence in CASED_SENTENCES]
    expected = [doc.text for doc in nlp.pipe(texts)]
    loaded = spacy.load(tmp_path / "full")
    assert [doc.text for doc in loaded.pipe(texts)] == expected
    ours, theirs = (
        cast(Truecaser, pipeline.get_pipe("truecaser")).predict(list(map(pipeline.make_doc, texts)))
        for pipeline in (nlp, loaded)
    )
    for probabilities, same in zip(ours, theirs):
        numpy.testing.assert_array_equal(probabilities, same)


def test_half_precision_on_disk(tmp_path: Path) -> None:
    sizes = {}
    for dtype in ("float32", "float16"):
        nlp = train_tiny(weights_dtype=dtype)
        nlp.to_disk(tmp_path / dtype)
        loaded = spacy.load(tmp_path / dtype)
        assert [loaded(s.lower()).text for s in CASED_SENTENCES] == CASED_SENTENCES
        sizes[dtype] = (tmp_path / dtype / "truecaser" / "model").stat().st_size
    assert sizes["float16"] < 0.6 * sizes["float32"]


def test_training_config() -> None:
    config = load_config(ROOT / "configs" / "truecaser_lstm.cfg")
    nlp = load_model_from_config(config, auto_fill=True)
    truecaser = cast(Truecaser, nlp.get_pipe("truecaser"))
    assert truecaser.model.name == "char_lstm_truecaser"
