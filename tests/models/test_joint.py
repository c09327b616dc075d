"""Networks with a head each for mark and case."""

from typing import Any, Dict, List

import numpy
import pytest
import torch
from conftest import TINY_TAGGER
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_punctcase.models.joint import JointNetwork, get_network

ARCHITECTURES = ["JointCapPunc", "PunctuationFirst", "SingleTask"]
MARKS, CASES = 4, 3


def build(architecture: str, **settings: Any) -> Model:
    config: Dict[str, Any] = {
        "@architectures": f"spacy_punctcase.{architecture}.v1",
        "tok2vec": TINY_TAGGER["tok2vec"],
        "hidden_size": 16,
        "dropout": 0.0,
        **settings,
    }
    model = registry.resolve({"model": config})["model"]
    docs = make_docs()
    model.initialize(X=docs, Y=make_targets(docs))
    return model


def make_docs() -> List[Doc]:
    return [Doc(Vocab(), words=list("abcdefg"[:length])) for length in (4, 1, 7)]


def make_targets(docs: List[Doc]) -> List[Any]:
    rng = numpy.random.default_rng(0)
    size = MARKS * CASES
    return [numpy.eye(size, dtype="float32")[rng.integers(size, size=len(doc))] for doc in docs]


def network_of(model: Model) -> JointNetwork:
    network = get_network(model)
    assert network is not None
    return network


@pytest.fixture(params=ARCHITECTURES)
def architecture(request) -> str:
    return request.param


@pytest.mark.parametrize("use_crf", [True, False])
def test_probabilities_of_all_combinations(architecture: str, use_crf: bool) -> None:
    model = build(architecture, use_crf=use_crf)
    docs = make_docs()
    for doc, found in zip(docs, model.predict(docs)):
        assert found.shape == (len(doc), MARKS * CASES) and found.dtype == "float32"
        numpy.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-5)
        # A combination's probability is that of its mark times that of its case.
        table = found.reshape(len(doc), MARKS, CASES)
        marks, cases = table.sum(axis=2, keepdims=True), table.sum(axis=1, keepdims=True)
        numpy.testing.assert_allclose(table, marks * cases, rtol=1e-4)


def test_alone_as_in_a_batch(architecture: str) -> None:
    model = build(architecture)
    docs = make_docs()
    for doc, found in zip(docs, model.predict(docs)):
        (alone,) = model.predict([doc])
        numpy.testing.assert_allclose(found, alone, atol=1e-6)


@pytest.mark.parametrize("use_crf", [True, False])
def test_gradient_is_that_of_the_loss(architecture: str, use_crf: bool) -> None:
    """A small step against the gradient of the scores makes the loss less by as much as it says."""
    model = build(architecture, use_crf=use_crf)
    docs = make_docs()
    targets = make_targets(docs)
    scores, _ = model.begin_update(docs)
    loss, gradients = model.attrs["get_loss"](model, targets, scores)
    assert [rows.shape for rows in gradients] == [(len(doc), MARKS + CASES) for doc in docs]
    step = 1e-2
    moved = [rows - step * gradient for rows, gradient in zip(scores, gradients)]
    less, _ = model.attrs["get_loss"](model, targets, moved)
    expected = step * sum(float((gradient**2).sum()) for gradient in gradients)
    assert loss - less == pytest.approx(expected, rel=0.02)


def test_gradient_reaches_every_weight(architecture: str) -> None:
    model = build(architecture)
    docs = make_docs()
    scores, backprop = model.begin_update(docs)
    _, gradients = model.attrs["get_loss"](model, make_targets(docs), scores)
    backprop(gradients)
    for name, parameter in network_of(model).named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name
    for node in model.get_ref("tok2vec").walk():
        for name in node.param_names:
            assert node.has_grad(name), name


@pytest.mark.parametrize("use_crf", [True, False])
def test_masked_words_get_no_gradient(architecture: str, use_crf: bool) -> None:
    model = build(architecture, use_crf=use_crf)
    docs = make_docs()
    targets = make_targets(docs)
    targets[0][1] = targets[2][6] = 0.0
    scores, _ = model.begin_update(docs)
    _, gradients = model.attrs["get_loss"](model, targets, scores)
    for target, gradient in zip(targets, gradients):
        is_known = target.any(axis=1)
        assert not gradient[~is_known].any()
        assert gradient[is_known].any(axis=1).all()


def test_nothing_known_and_empty_docs() -> None:
    model = build("JointCapPunc")
    docs = [*make_docs(), Doc(Vocab())]
    scores, backprop = model.begin_update(docs)
    targets = [numpy.zeros((len(doc), MARKS * CASES), dtype="float32") for doc in docs]
    loss, gradients = model.attrs["get_loss"](model, targets, scores)
    assert loss == 0.0 and not any(rows.any() for rows in gradients)
    backprop(gradients)
    assert [len(found) for found in model.predict(docs)] == [4, 1, 7, 0]


@pytest.mark.parametrize("use_crf", [True, False])
def test_weights_of_the_losses(use_crf: bool) -> None:
    docs = make_docs()
    targets = make_targets(docs)
    losses = {}
    for weights in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (2.0, 3.0)):
        torch.manual_seed(0)
        mark_weight, case_weight = weights
        model = build(
            "SingleTask", use_crf=use_crf, mark_weight=mark_weight, case_weight=case_weight
        )
        scores = [numpy.full((len(doc), MARKS + CASES), 0.5, dtype="float32") for doc in docs]
        losses[weights], gradients = model.attrs["get_loss"](model, targets, scores)
        for rows in gradients:
            assert bool(rows[:, :MARKS].any()) == bool(mark_weight)
            assert bool(rows[:, MARKS:].any()) == bool(case_weight)
    marks, cases = losses[1.0, 0.0], losses[0.0, 1.0]
    assert losses[1.0, 1.0] == pytest.approx(marks + cases)
    assert losses[2.0, 3.0] == pytest.approx(2 * marks + 3 * cases)
    assert cases == pytest.approx(numpy.log(CASES))


def test_saved_and_loaded(architecture: str) -> None:
    model = build(architecture)
    config = {
        "@architectures": f"spacy_punctcase.{architecture}.v1",
        "tok2vec": TINY_TAGGER["tok2vec"],
        "case_weight": 0.5,
    }
    loaded = registry.resolve({"model": config})["model"]
    loaded.from_bytes(model.to_bytes())
    assert network_of(loaded).settings == network_of(model).settings
    for ours, theirs in zip(model.predict(make_docs()), loaded.predict(make_docs())):
        assert numpy.array_equal(ours, theirs)
    # The sizes are those that were saved, the weights of the losses those of the config.
    assert loaded.attrs["get_loss"].keywords["case_weight"] == 0.5


def test_initialized_again_it_starts_anew(architecture: str) -> None:
    model = build(architecture)
    before = network_of(model)
    model.initialize(X=make_docs(), Y=make_targets(make_docs()))
    after = network_of(model)
    assert after.settings == before.settings
    assert not after.case_head[0].weight.equal(before.case_head[0].weight)


def test_begins_with_the_frequencies_of_the_labels() -> None:
    config = {
        "@architectures": "spacy_punctcase.JointCapPunc.v1",
        "tok2vec": TINY_TAGGER["tok2vec"],
        "use_crf": False,
    }
    model = registry.resolve({"model": config})["model"]
    doc = Doc(Vocab(), words=["a"] * 96)
    target = numpy.zeros((96, MARKS * CASES), dtype="float32")
    target[:, 0] = 1.0
    model.initialize(X=[doc], Y=[target])
    bias = network_of(model).mark_head[-1].bias.exp()
    torch.testing.assert_close(bias.detach(), torch.tensor([0.97, 0.01, 0.01, 0.01]))


def test_crf_begins_with_what_is_frequent_behind_each_mark() -> None:
    config = {
        "@architectures": "spacy_punctcase.JointCapPunc.v1",
        "tok2vec": TINY_TAGGER["tok2vec"],
    }
    model = registry.resolve({"model": config})["model"]
    # None and the first mark in turns: each is behind the other twice as often as anywhere.
    labels = numpy.tile([0, CASES], 500)
    target = numpy.eye(MARKS * CASES, dtype="float32")[labels]
    model.initialize(X=[Doc(Vocab(), words=["a"] * 1000)], Y=[target])
    crf = network_of(model).crf
    assert crf is not None
    behind = crf.transitions.detach().exp()
    torch.testing.assert_close(behind[[0, 1], [1, 0]], torch.full((2,), 2.0), atol=0.05, rtol=0)
    assert (behind[[0, 1], [0, 1]] < 0.05).all()
    torch.testing.assert_close(behind[2:], torch.ones(2, MARKS))


def test_single_tasks_share_nothing() -> None:
    model = build("SingleTask")
    docs = make_docs()
    scores, backprop = model.begin_update(docs)
    both = model.layers[0]
    ids = [node.id for node in both.walk()]
    assert len(both.layers) == 2 and len(set(ids)) == len(ids)
    gradients = [numpy.zeros_like(rows) for rows in scores]
    for rows in gradients:
        rows[:, :MARKS] = 1.0
    backprop(gradients)
    of_marks, of_case = (
        [
            float(abs(node.get_grad(name)).sum())
            for node in encoder.walk()
            for name in node.param_names
        ]
        for encoder in both.layers
    )
    assert any(of_marks) and not any(of_case)


def test_single_tasks_with_pretrained_encoders(encoder) -> None:
    tok2vec = {"@architectures": "spacy_punctcase.SubwordTok2Vec.v1", "name": str(encoder)}
    model = build("SingleTask", tok2vec=tok2vec)
    shims = [shim for node in model.walk() for shim in node.shims]
    # By these an optimizer knows the weights.
    assert len({shim.id for shim in shims}) == len(shims) == 3
    assert shims[0]._model is not shims[1]._model
    docs = make_docs()
    scores, backprop = model.begin_update(docs)
    backprop([numpy.ones_like(rows) for rows in scores])
    assert model.predict(docs)[0].shape == (4, MARKS * CASES)


def test_encoder_that_cannot_be_copied() -> None:
    with pytest.raises(ValueError, match="layer 'tok2vec-listener' cannot be copied"):
        build(
            "SingleTask",
            tok2vec={"@architectures": "spacy.Tok2VecListener.v1", "width": 32},
        )
