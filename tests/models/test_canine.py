import numpy
import pytest
import torch
from conftest import TINY_CANINE
from spacy.util import registry
from transformers import CanineConfig, CanineModel

from spacy_punctcase.gold.prior import NUM_CODES
from spacy_punctcase.models.canine import PADDING, get_network, max_window
from spacy_punctcase.models.char_lstm import build_char_lstm_truecaser
from spacy_punctcase.models.characters import padded_length
from spacy_punctcase.models.loaders import build_canine_loader
from spacy_punctcase.models.saved import deserialize_network, serialize_network


def build(**sizes):
    config = {**TINY_CANINE, **sizes}
    return registry.resolve({"model": config})["model"]


def sequences():
    rng = numpy.random.default_rng(0)
    lengths = [1, 2, 3, 4, 5, 9, 10, 11, 60, 61, 120, 121, 122, 123, 7, 60]
    return [rng.integers((97, 0), (122, NUM_CODES), size=(length, 2)) for length in lengths]


@pytest.mark.parametrize("use_prior", [False, True])
def test_alone_as_in_a_batch(use_prior: bool) -> None:
    """The output of CANINE depends on its padding (trap 1)."""
    model = build(use_prior=use_prior)
    batch = model.predict(sequences())
    for sequence, output in zip(sequences(), batch):
        (alone,) = model.predict([sequence])
        assert alone.shape == output.shape == sequence.shape[:1]
        numpy.testing.assert_allclose(alone, output, atol=1e-5)


def test_padding_depends_on_the_length_alone_and_is_enough() -> None:
    for length in range(1, 600):
        assert padded_length(length, PADDING) % 4 == 0
        assert padded_length(length, PADDING) >= length + 6


def test_longest_window() -> None:
    model = build(max_length=128)
    assert max_window(model) == 122
    assert model.predict([numpy.full((122, 2), 1)])[0].shape == (122,)


def test_gradient_reaches_the_encoder() -> None:
    model = build()
    outputs, backprop = model.begin_update(sequences())
    backprop([numpy.ones_like(output) for output in outputs])
    network = get_network(model)
    gradients = {name: p.grad for name, p in network.named_parameters() if p.grad is not None}
    assert any(name.startswith("encoder.char_embeddings") for name in gradients)
    assert any(name.startswith("lstm") for name in gradients)
    assert all(torch.isfinite(gradient).all() for gradient in gradients.values())


def test_reads_the_prior_only_when_asked_to() -> None:
    for use_prior in (False, True):
        model = build(use_prior=use_prior)
        letters = numpy.full((12, 2), 97)
        letters[:, 1] = 0
        known = letters.copy()
        known[:, 1] = 20
        without, with_prior = model.predict([letters, known])
        assert numpy.array_equal(without, with_prior) != use_prior


def test_embeds_characters_as_the_encoder_does() -> None:
    network = get_network(build()).eval()
    ids = torch.randint(97, 122, (2, 64))
    mask = torch.ones_like(ids)
    with torch.no_grad():
        expected = network.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        embedded = network._embed(ids)
        found = network.encoder(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
    torch.testing.assert_close(found, expected)


def test_layers_are_those_of_the_design() -> None:
    names = [name for name, _ in get_network(build()).named_children()]
    assert names == ["encoder", "lstm", "norm", "dropout", "output"]


def test_serialized_with_its_sizes() -> None:
    small, large = build(), build(hidden_size=64, num_layers=2, lstm_layers=2)
    data = serialize_network(get_network(large))
    loaded = deserialize_network(get_network(small), data, torch.device("cpu"))
    assert loaded.settings == get_network(large).settings
    for key, value in get_network(large).state_dict().items():
        assert torch.equal(loaded.state_dict()[key], value)
    small.from_bytes(large.to_bytes())
    for ours, theirs in zip(small.predict(sequences()), large.predict(sequences())):
        numpy.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.fixture
def canine_folder(tmp_path):
    config = CanineConfig(
        hidden_size=48,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        num_hash_buckets=512,
        max_position_embeddings=512,
    )
    CanineModel(config).save_pretrained(tmp_path / "canine")
    return tmp_path / "canine"


def test_pretrained_encoder_from_a_folder(canine_folder) -> None:
    loader = registry.resolve(
        {
            "loader": {
                "@model_loaders": "spacy_punctcase.CanineLoader.v1",
                "name": str(canine_folder),
            }
        }
    )["loader"]
    model = loader(build())
    encoder = get_network(model).encoder
    expected = CanineModel.from_pretrained(canine_folder)
    for key, value in expected.state_dict().items():
        assert torch.equal(encoder.state_dict()[key], value)
    assert model.predict(sequences())[0].shape == (1,)


def test_missing_encoder_names_what_to_give(tmp_path) -> None:
    loader = registry.model_loaders.get("spacy_punctcase.CanineLoader.v1")(tmp_path / "missing")
    with pytest.raises(ValueError, match="Cannot load the encoder.*missing.*config.json"):
        loader(build())


def test_encoder_for_another_network_is_refused(canine_folder) -> None:
    with pytest.raises(ValueError, match="CanineTruecaser.v1.*'char_lstm_truecaser'"):
        build_canine_loader(canine_folder)(build_char_lstm_truecaser())
