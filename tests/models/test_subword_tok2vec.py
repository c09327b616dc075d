from pathlib import Path
from typing import Any, Dict, cast

import numpy
import pytest
import spacy
import torch
from conftest import train, transcript
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_punctcase.models.runtime import autocast, torch_modules
from spacy_punctcase.models.subword_tok2vec import SubwordEncoder
from spacy_punctcase.pipeline.punctuator import Punctuator

SENTENCES = [
    "Hi, how are you?",
    "Well, that is good.",
    "Where do you live, Anna?",
    "We met, and then it was over.",
]


def tok2vec(encoder: Path, **settings: Any) -> Dict[str, Any]:
    return {
        "@architectures": "spacy_punctcase.SubwordTok2Vec.v1",
        "name": str(encoder),
        **settings,
    }


def build(encoder: Path, **settings: Any):
    model = registry.resolve({"model": tok2vec(encoder, **settings)})["model"]
    model.initialize()
    return model


def docs():
    vocab = Vocab()
    texts = [
        "hi how are you",
        "a",
        "",
        "don't say 3.50 or o'brien's",
        "we met in zürich 😀 once",
        " ".join(["word"] * 40),
    ]
    return [Doc(vocab, words=text.split()) for text in texts]


def make_nlp(encoder: Path, **config: Any) -> Language:
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy.Tagger.v2",
        "nO": None,
        "normalize": True,
        "tok2vec": tok2vec(encoder),
    }
    nlp.add_pipe("punctuator", config={"model": model, **config})
    return nlp


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_alone_as_in_a_batch(encoder: Path, precision: str) -> None:
    model = build(encoder)
    with autocast(model, precision):
        batch = model.predict(docs())
        alone = [model.predict([doc])[0] for doc in docs()]
    for doc, output, expected in zip(docs(), batch, alone):
        assert output.shape == expected.shape == (len(doc), model.get_dim("nO"))
        assert output.dtype == "float32"
        numpy.testing.assert_allclose(output, expected, atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "sum"])
def test_vector_of_a_token_is_made_of_its_sub_words(encoder: Path, pooling: str) -> None:
    model = build(encoder, pooling=pooling)
    network = cast(SubwordEncoder, torch_modules(model)[0])
    assert network.encoder is not None and network.tokenizer is not None
    doc = docs()[3]
    encoding = network.tokenizer.encode([token.text for token in doc], is_pretokenized=True)
    with torch.no_grad():
        hidden = network.encoder(input_ids=torch.tensor([encoding.ids])).last_hidden_state[0]
    (output,) = model.predict([doc])
    for index in range(len(doc)):
        pieces = [hidden[n] for n, word in enumerate(encoding.word_ids) if word == index]
        assert len(pieces) > 1
        expected = getattr(torch.stack(pieces), pooling)(dim=0).numpy()
        numpy.testing.assert_allclose(output[index], expected, atol=1e-5)


def test_too_long_a_text_is_read_in_parts(encoder: Path) -> None:
    model = build(encoder)
    network = cast(SubwordEncoder, torch_modules(model)[0])
    words = ["abcdefgh"] * 300 + ["x" * 5000]
    sequences = network.read([words])
    longest = network.encoder.config.max_position_embeddings  # type: ignore[union-attr]
    assert len(sequences) > 1
    assert all(len(sequence.pieces) <= longest for sequence in sequences)
    covered = [s.start + n for s in sequences for n in range(s.length)]
    assert sorted(covered) == list(range(len(words)))
    (output,) = model.predict([Doc(Vocab(), words=words)])
    assert numpy.isfinite(output).all() and output.any(axis=1).all()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_gradient_reaches_the_encoder(encoder: Path, precision: str) -> None:
    model = build(encoder)
    with autocast(model, precision):
        outputs, backprop = model.begin_update(docs())
        backprop([numpy.ones_like(output) for output in outputs])
    for name, parameter in torch_modules(model)[0].named_parameters():
        assert parameter.grad is not None and torch.isfinite(parameter.grad).all(), name


def test_first_layers(encoder: Path) -> None:
    network = cast(SubwordEncoder, torch_modules(build(encoder, num_layers=1))[0])
    assert network.encoder is not None
    assert network.encoder.config.num_hidden_layers == 1


def test_pooling_is_kept_with_the_weights(encoder: Path) -> None:
    model = build(encoder, pooling="sum")
    loaded = registry.resolve({"model": tok2vec(encoder)})["model"].from_bytes(model.to_bytes())
    for ours, theirs in zip(model.predict(docs()), loaded.predict(docs())):
        numpy.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_clear_errors(encoder: Path) -> None:
    with pytest.raises(ValueError, match="no_such_folder"):
        build(Path("no_such_folder/x"))
    with pytest.raises(ValueError, match="pooling"):
        build(encoder, pooling="max")
    model = registry.resolve({"model": tok2vec(encoder)})["model"]
    model.set_dim("nO", 32)
    with pytest.raises(ValueError, match="not loaded yet"):
        model.predict(docs())


def test_punctuator_learns_and_keeps_it_on_disk(encoder: Path, tmp_path: Path) -> None:
    texts = ["hi how are you", "where do you live anna", "well that is good"]
    sizes = {}
    for dtype in ("float32", "int8"):
        nlp = make_nlp(encoder, weights_dtype=dtype)
        train(nlp, [transcript(nlp, sentence) for sentence in SENTENCES], steps=80)
        punctuator = cast(Punctuator, nlp.get_pipe("punctuator"))
        expected = [doc.text for doc in nlp.pipe(texts)]
        assert expected[0] == "hi, how are you?"
        nlp.to_disk(tmp_path / dtype)
        # Nothing of the encoder's folder is needed any more, nor is its name kept in the weights.
        loaded = spacy.load(
            tmp_path / dtype,
            config={"components.punctuator.model.tok2vec.name": "gone"},
        )
        assert [doc.text for doc in loaded.pipe(texts)] == expected
        weights = (tmp_path / dtype / "punctuator" / "model").read_bytes()
        assert str(encoder).encode() not in weights
        sizes[dtype] = len(weights)
        copied = make_nlp(encoder)
        copied.from_bytes(nlp.to_bytes())
        for ours, theirs in zip(
            punctuator.predict(list(map(nlp.make_doc, texts))),
            cast(Punctuator, copied.get_pipe("punctuator")).predict(
                list(map(copied.make_doc, texts))
            ),
        ):
            numpy.testing.assert_allclose(ours, theirs, atol=1e-5 if dtype == "float32" else 0.05)
    assert sizes["int8"] < 0.5 * sizes["float32"]
