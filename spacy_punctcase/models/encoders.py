"""Pretrained sub-word encoders with their tokenizers: loading, and keeping them on disk."""

from pathlib import Path
from typing import Any, Dict, Optional, Tuple, Union

from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer, PreTrainedModel

from ..errors import Errors

#: The number of sub-words is rounded up to a multiple of this. Windows of one number go together,
#: so that a window's output does not depend on its batch.
PIECE_BUCKET = 16


def load_encoder(
    name: Union[str, Path], num_layers: Optional[int] = None
) -> Tuple[PreTrainedModel, Tokenizer]:
    """Load an encoder for training.

    name (Union[str, Path]): Name on the Hugging Face hub, or a folder with config.json, the weights
        and a fast tokenizer.
    num_layers (Optional[int]): Number of its layers to keep, from the first; None for all.
    RETURNS (Tuple[PreTrainedModel, Tokenizer]): The encoder and its tokenizer.
    RAISES (ValueError): If there is none to load.
    """
    layers = {} if num_layers is None else {"num_hidden_layers": num_layers}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(name), use_fast=True)
        # On a CPU the backward pass of torch's own attention is slow. A saved model is built with
        # that one, since its forward pass is faster.
        encoder = AutoModel.from_pretrained(str(name), attn_implementation="eager", **layers)
    except (OSError, ValueError) as error:
        raise not_loaded(name, error) from error
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    return _prepare(encoder), backend


def not_loaded(name: Union[str, Path], error: Exception) -> ValueError:
    """The error for an encoder that cannot be loaded."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return ValueError(Errors.P011.format(source=str(name), reason=reason))


def _prepare(encoder: Any) -> PreTrainedModel:
    """Leave out what is not used: the pooler, and dropout, whose random numbers cost a fifth of a
    training step on a CPU."""
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    for module in encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return encoder


def encoder_settings(
    encoder: Optional[PreTrainedModel], tokenizer: Optional[Tokenizer]
) -> Dict[str, Any]:
    """What is needed to build encoder and tokenizer anew, as JSON can hold it; {} for none."""
    if encoder is None or tokenizer is None:
        return {}
    config = encoder.config.to_dict()
    # The folder that it came from is nobody's business.
    config.pop("_name_or_path", None)
    return {"encoder": config, "tokenizer": tokenizer.to_str()}


def build_encoder(settings: Dict[str, Any]) -> Dict[str, Any]:
    """The settings, with an encoder with random weights and a tokenizer in the place of what
    `encoder_settings` made of them."""
    if "encoder" not in settings:
        return settings
    encoder = AutoModel.from_config(AutoConfig.for_model(**settings["encoder"]))
    tokenizer = Tokenizer.from_str(settings["tokenizer"])
    return {**settings, "encoder": _prepare(encoder), "tokenizer": tokenizer}


def encode(encoder: PreTrainedModel, pieces: Tensor) -> Tensor:
    """Run an encoder.

    pieces (Tensor): One more than the ids of the sub-words, 0 for padding, (batch, length).
    RETURNS (Tensor): Vectors of the sub-words, (batch, length, width)."""
    known = (pieces > 0).long()
    ids = (pieces - 1).clamp(min=0)
    return encoder(input_ids=ids, attention_mask=known).last_hidden_state


def most_pieces(encoder: PreTrainedModel) -> int:
    """The most sub-words that an encoder reads at a time."""
    return encoder.config.max_position_embeddings // PIECE_BUCKET * PIECE_BUCKET


def count_buckets(pieces: int) -> int:
    """The number of buckets that a number of sub-words takes."""
    return -(-pieces // PIECE_BUCKET)


def encodable(text: str) -> str:
    """The text as a tokenizer takes it: a half of a surrogate pair is no text."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
