"""Encoders cut down to some languages."""

from pathlib import Path
from typing import Dict, List

import pytest
import torch
from conftest import ASSETS, VIETNAMESE
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from spacy_punctcase.gold.readers import read_texts
from spacy_punctcase.models.encoders import encode, load_encoder
from spacy_punctcase.models.prune import choose_pieces, prune_encoder, tally_words

ENGLISH = "The API is on GitHub, and it runs. Does NASA know?"


def pieces(tokenizer: Tokenizer, text: str) -> List[str]:
    return tokenizer.encode(text).tokens


@pytest.fixture(scope="module")
def german() -> Dict[str, int]:
    return dict(tally_words(read_texts(ASSETS / "text_de" / "train.txt")))


def test_words_as_the_models_read_them() -> None:
    counts = tally_words([ENGLISH, "the U.S., e\u0301cole"])
    assert counts["the"] == 2 and counts["github"] == counts["github,"] == 1
    assert counts["école"] == 1 and counts["u.s"] == 1
    assert "The" not in counts


def test_what_is_left_is_split_and_read_as_before(
    multilingual_encoder: Path, german: Dict[str, int], tmp_path: Path
) -> None:
    whole, old = load_encoder(multilingual_encoder)
    found = prune_encoder(multilingual_encoder, [german], tmp_path / "new", size=10**6)
    encoder, new = load_encoder(tmp_path / "new")
    assert found.same == [1.0]
    assert found.pieces_before == old.get_vocab_size() > found.pieces_after
    assert found.pieces_after == new.get_vocab_size() == encoder.config.vocab_size
    assert found.weights_before == whole.num_parameters() > found.weights_after
    assert found.weights_after == encoder.num_parameters()
    for word in german:
        assert pieces(new, word) == pieces(old, word)
    text = "guten tag, hier ist miriam. wie geht es ihnen?"
    ids = [torch.tensor([[piece + 1 for piece in t.encode(text).ids]]) for t in (old, new)]
    torch.testing.assert_close(encode(whole.eval(), ids[0]), encode(encoder.eval(), ids[1]))


def test_special_tokens(multilingual_encoder: Path, german: Dict[str, int], tmp_path: Path) -> None:
    prune_encoder(multilingual_encoder, [german], tmp_path / "new", size=300)
    encoder, backend = load_encoder(tmp_path / "new")
    assert pieces(backend, "tag")[0] == "<s>" and pieces(backend, "tag")[-1] == "</s>"
    assert backend.encode("語").tokens[1:-1] and "<unk>" in [
        backend.id_to_token(piece) for piece in backend.encode("語").ids
    ]
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "new")
    assert tokenizer.pad_token_id == encoder.config.pad_token_id
    assert tokenizer.mask_token_id == len(tokenizer) - 1 < encoder.config.vocab_size


def test_the_most_frequent_are_left(multilingual_encoder: Path, german: Dict[str, int]) -> None:
    _, tokenizer = load_encoder(multilingual_encoder)
    few, more = (choose_pieces(tokenizer, [german], size) for size in (60, 300))
    assert len(few) == 60 and len(more) == 300 and set(few) < set(more)
    vocab = tokenizer.get_vocab()
    assert vocab["▁und"] in more and vocab["ü"] in few and vocab["e"] in few


def test_each_text_counts_alike(multilingual_encoder: Path, german: Dict[str, int]) -> None:
    _, tokenizer = load_encoder(multilingual_encoder)
    vietnamese = tally_words(VIETNAMESE)
    often = {word: 1000 * count for word, count in german.items()}
    for words in (german, often):
        kept = choose_pieces(tokenizer, [words, vietnamese], 300)
        assert tokenizer.token_to_id("▁uyên") in kept


def test_fewer_layers(multilingual_encoder: Path, german: Dict[str, int], tmp_path: Path) -> None:
    found = prune_encoder(multilingual_encoder, [german], tmp_path / "new", size=300, num_layers=1)
    encoder, _ = load_encoder(tmp_path / "new")
    assert encoder.config.num_hidden_layers == 1
    assert encoder.num_parameters() == found.weights_after


def test_other_kinds_of_tokenizers_are_left_alone(
    encoder: Path, german: Dict[str, int], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="of the kind WordPiece"):
        prune_encoder(encoder, [german], tmp_path / "new", size=300)
    with pytest.raises(ValueError, match="Cannot load the encoder from"):
        prune_encoder(tmp_path / "none", [german], tmp_path / "new", size=300)
