"""A multilingual encoder cut down to some languages. Most of its weights are the embeddings of
sub-words that these never use."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Union

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast

from ..errors import Errors
from ..text.words import model_form, split_words
from .encoders import load_encoder

#: How often each word of a text occurs.
Words = Mapping[str, int]

# What begins a word, and the bytes of which characters without a sub-word are made.
_ALWAYS = {"▁", *(f"<0x{byte:02X}>" for byte in range(256))}


class Pruned(NamedTuple):
    """What became of an encoder.

    pieces_before, pieces_after: Number of its sub-words.
    weights_before, weights_after: Number of its weights.
    same: For each text the share of its words that are split into the same sub-words as before.
    """

    pieces_before: int
    pieces_after: int
    weights_before: int
    weights_after: int
    same: List[float]


def tally_words(texts: Iterable[str]) -> Words:
    """Count words as the models read them: in lower case, alone and with the mark behind them.

    texts (Iterable[str]): Well-formed texts.
    RETURNS (Mapping[str, int]): How often each occurs.
    """
    counts: Counter = Counter()
    for text in texts:
        for word in split_words(text):
            form = model_form(text, word)
            counts[form] += 1
            if word.mark:
                counts[form + word.mark] += 1
    return counts


def prune_encoder(
    name: Union[str, Path],
    texts: Sequence[Words],
    output: Union[str, Path],
    *,
    size: int,
    num_layers: Optional[int] = None,
) -> Pruned:
    """Leave out the sub-words of an encoder that some texts hardly need, and save it as a folder
    with config.json, weights and fast tokenizer. A word of which all sub-words are left is split
    as before, since they keep their scores.

    name (Union[str, Path]): Name on the Hugging Face hub, or a folder.
    texts (Sequence[Mapping[str, int]]): The words of each text, of `tally_words`. All texts count
        alike, however long they are.
    output (Union[str, Path]): The folder to write.
    size (int): Number of sub-words to keep.
    num_layers (Optional[int]): Number of layers to keep, from the first; None for all.
    RETURNS (Pruned): What became of it.
    RAISES (ValueError): If it cannot be loaded, or its tokenizer is of another kind than Unigram.
    """
    weights_before = load_encoder(name)[0].num_parameters()
    encoder, tokenizer = load_encoder(name, num_layers)
    kept = choose_pieces(tokenizer, texts, size)
    pruned = prune_tokenizer(tokenizer, kept)
    prune_embeddings(encoder, kept)
    encoder.save_pretrained(output)
    fast: Any = PreTrainedTokenizerFast(
        tokenizer_object=pruned,
        model_max_length=encoder.config.max_position_embeddings,
        **AutoTokenizer.from_pretrained(str(name)).special_tokens_map,
    )
    fast.save_pretrained(output)
    return Pruned(
        pieces_before=tokenizer.get_vocab_size(),
        pieces_after=len(kept),
        weights_before=weights_before,
        weights_after=encoder.num_parameters(),
        same=[_share_split_alike(tokenizer, pruned, kept, words) for words in texts],
    )


def choose_pieces(tokenizer: Tokenizer, texts: Sequence[Words], size: int) -> List[int]:
    """The sub-words that texts need most: those that their words are split into, and the single
    characters in them, of which words can be made that do not occur.

    tokenizer (Tokenizer): The tokenizer.
    texts (Sequence[Mapping[str, int]]): The words of each text; see `prune_encoder`.
    size (int): Number of sub-words to keep. Special tokens and bytes are always among them.
    RETURNS (List[int]): Their ids, ascending.
    """
    vocab = tokenizer.get_vocab()
    kept = set(tokenizer.get_added_tokens_decoder())
    kept.update(vocab[piece] for piece in _ALWAYS if piece in vocab)
    shares: Dict[int, float] = defaultdict(float)
    for words in texts:
        total = sum(words.values())
        for ids, (word, count) in zip(_split(tokenizer, words), words.items()):
            for piece in {*ids, *(vocab[char] for char in word if char in vocab)}:
                shares[piece] += count / total
    wanted = sorted(shares.keys() - kept, key=lambda piece: (-shares[piece], piece))
    return sorted([*kept, *wanted[: max(0, size - len(kept))]])


def prune_tokenizer(tokenizer: Tokenizer, kept: Sequence[int]) -> Tokenizer:
    """A tokenizer with some of the sub-words of another one.

    tokenizer (Tokenizer): The tokenizer, of the kind Unigram.
    kept (Sequence[int]): The ids of the sub-words to keep, ascending, special tokens among them.
        Their place here is their new id.
    RETURNS (Tokenizer): The new tokenizer.
    RAISES (ValueError): If the tokenizer is of another kind.
    """
    state: Dict[str, Any] = json.loads(tokenizer.to_str())
    model = state["model"]
    if model["type"] != "Unigram":
        raise ValueError(Errors.P100.format(kind=model["type"]))
    new_ids = {old: new for new, old in enumerate(kept)}
    pieces = model["vocab"]
    model["vocab"] = [pieces[old] for old in kept if old < len(pieces)]
    model["unk_id"] = new_ids[model["unk_id"]]
    for token in state["added_tokens"]:
        token["id"] = new_ids[token["id"]]
    around = (state["post_processor"] or {}).get("special_tokens", {})
    for token in around.values():
        token["ids"] = [new_ids[old] for old in token["ids"]]
    return Tokenizer.from_str(json.dumps(state))


def prune_embeddings(encoder: PreTrainedModel, kept: Sequence[int]) -> None:
    """Leave out the embeddings of all sub-words but some, in place.

    encoder (PreTrainedModel): The encoder.
    kept (Sequence[int]): The ids of those to keep. Their place here is their new id.
    """
    new_ids = {old: new for new, old in enumerate(kept)}
    config = encoder.config
    for setting in ("pad_token_id", "bos_token_id", "eos_token_id"):
        setattr(config, setting, new_ids.get(getattr(config, setting)))
    weights: Any = encoder.get_input_embeddings().weight
    embeddings = nn.Embedding(len(kept), weights.shape[1], padding_idx=config.pad_token_id)
    with torch.no_grad():
        embeddings.weight.copy_(weights[list(kept)])
    encoder.set_input_embeddings(embeddings)
    config.vocab_size = len(kept)


def _share_split_alike(
    tokenizer: Tokenizer, pruned: Tokenizer, kept: Sequence[int], words: Words
) -> float:
    """The share of the words of a text that both tokenizers split into the same sub-words."""
    pairs = zip(_split(tokenizer, words), _split(pruned, words), words.values())
    alike = (count for ids, new, count in pairs if ids == [kept[piece] for piece in new])
    return sum(alike) / sum(words.values())


def _split(tokenizer: Tokenizer, words: Iterable[str]) -> List[List[int]]:
    encodings = tokenizer.encode_batch(list(words), add_special_tokens=False)
    return [encoding.ids for encoding in encodings]
