import os

import numpy
import pytest
import torch
from conftest import TINY_CANINE
from spacy.util import registry

from spacy_punctcase.models import runtime

CODES = [numpy.stack([numpy.arange(97, 117), numpy.zeros(20, int)], axis=1)]


@pytest.fixture
def model():
    return registry.resolve({"model": TINY_CANINE})["model"]


def test_bfloat16_comes_out_as_float32(model) -> None:
    exact = model.predict(CODES)[0]
    with runtime.autocast(model, "bfloat16"):
        rounded = model.predict(CODES)[0]
    assert rounded.dtype == numpy.float32
    assert not numpy.array_equal(exact, rounded)
    numpy.testing.assert_allclose(exact, rounded, atol=0.1)
    assert not runtime.torch_modules(model)[0]._forward_hooks


def test_float32_is_exact(model) -> None:
    with runtime.autocast(model, "float32"):
        assert numpy.array_equal(model.predict(CODES)[0], model.predict(CODES)[0])


def test_weights_are_of_another_type_only_meanwhile(model) -> None:
    (module,) = runtime.torch_modules(model)
    before = {key: value.clone() for key, value in module.state_dict().items()}
    with runtime.weights_as(model, "float16"):
        assert {p.dtype for p in module.parameters()} == {torch.float16}
    for key, value in module.state_dict().items():
        assert torch.equal(value, before[key])


def test_one_thread_in_a_child(monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(torch, "set_num_threads", calls.append)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    runtime.limit_threads_in_child()
    assert calls == []
    monkeypatch.setattr(os, "getpid", lambda: -1)
    runtime.limit_threads_in_child()
    assert calls == [1]


def test_releasing_memory_changes_nothing(model) -> None:
    before = model.predict(CODES)[0]
    runtime.release_memory()
    assert numpy.array_equal(before, model.predict(CODES)[0])
