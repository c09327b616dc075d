"""The truecaser's network: CANINE, BiLSTM, residual, LayerNorm, linear; one logit a character."""

import json
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Tuple, cast

import safetensors.torch
import torch
from thinc.api import ArgsKwargs, Model, PyTorchWrapper_v3, torch2xp, xp2torch
from thinc.types import Floats1d, Ints1d
from torch import Tensor, nn
from transformers import CanineConfig, CanineModel

from .runtime import torch_modules

# CANINE drops what is left over when it joins 4 characters to one position, and cuts its local
# attention by the padded length. So each sequence is padded by a rule that depends on nothing
# but its own length; then its output does not depend on the rest of the batch. Few different
# lengths make for large batches.
PADDING = 6
BUCKET = 64


class CanineTagger(nn.Module):
    """CANINE encoder (Clark et al. 2022), BiLSTM, residual connection, LayerNorm, linear.

    encoder (CanineModel): The encoder.
    lstm_layers (int): Layers of the BiLSTM; its two directions together are as wide as the
        encoder.
    dropout (float): Dropout before the linear layer and between LSTM layers.
    """

    def __init__(self, encoder: CanineModel, *, lstm_layers: int, dropout: float):
        super().__init__()
        width = encoder.config.hidden_size
        self.encoder = encoder
        self.lstm = nn.LSTM(
            width,
            width // 2,
            num_layers=lstm_layers,
            dropout=dropout if lstm_layers > 1 else 0.0,
            bidirectional=True,
            batch_first=True,
        )
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, 1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids, mask (Tensor): Code points and 1 for each that is no padding, (batch, length).
        RETURNS (Tensor): Logits of "upper case", (batch, length)."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        hidden = hidden * mask.unsqueeze(-1).to(hidden.dtype)
        context, _ = self.lstm(hidden)
        hidden = self.norm(hidden + context)
        return self.output(self.dropout(hidden)).squeeze(-1).float()

    @property
    def settings(self) -> Dict[str, Any]:
        """What is needed to build the network anew."""
        return {
            "encoder": self.encoder.config.to_dict(),
            "lstm_layers": self.lstm.num_layers,
            "dropout": self.dropout.p,
        }


def build_canine_truecaser(
    hidden_size: int = 192,
    num_layers: int = 4,
    num_heads: int = 2,
    intermediate_size: int = 768,
    num_hash_buckets: int = 2048,
    max_length: int = 1024,
    lstm_layers: int = 1,
    dropout: float = 0.1,
    mixed_precision: bool = False,
) -> Model[List[Ints1d], List[Floats1d]]:
    """Build the character-level truecasing model with random weights. For pretrained weights
    give an `encoder_loader` when the component is initialized; it sets the sizes, too.

    hidden_size (int): Width of the encoder.
    num_layers (int): Number of transformer layers over the joined characters.
    num_heads (int): Number of attention heads.
    intermediate_size (int): Width of the feed-forward layers.
    num_hash_buckets (int): Rows of each of the hashed character embeddings.
    max_length (int): Longest window in characters, padding included.
    lstm_layers (int): Number of BiLSTM layers.
    dropout (float): Dropout in the BiLSTM and before the output.
    mixed_precision (bool): Half precision on a GPU.
    RETURNS (Model[List[Ints1d], List[Floats1d]]): From code points to logits of "upper case",
        one sequence each.
    """
    config = CanineConfig(
        hidden_size=hidden_size,
        num_hidden_layers=num_layers,
        num_attention_heads=num_heads,
        intermediate_size=intermediate_size,
        num_hash_buckets=num_hash_buckets,
        max_position_embeddings=max_length,
        # Random numbers for dropout cost a fifth of a training step on a CPU.
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    network = CanineTagger(CanineModel(config), lstm_layers=lstm_layers, dropout=dropout)
    wrapped = PyTorchWrapper_v3(
        network,
        convert_inputs=_convert_inputs,
        convert_outputs=_convert_outputs,
        mixed_precision=mixed_precision,
        serialize_model=serialize_network,
        deserialize_model=deserialize_network,
    )
    return Model("canine_truecaser", _forward, init=_init, layers=[wrapped])


def get_network(model: Model) -> CanineTagger:
    """The torch network inside a model that `build_canine_truecaser` made."""
    return cast(CanineTagger, torch_modules(model)[0])


def set_encoder(model: Model, encoder: CanineModel) -> None:
    """Put another encoder into the model; the layers on top start anew at its width."""
    network = get_network(model)
    model.layers[0].shims[0]._model = CanineTagger(
        encoder, lstm_layers=network.lstm.num_layers, dropout=network.dropout.p
    ).to(next(network.parameters()).device)


def max_window(model: Model) -> Optional[int]:
    """The longest window in characters that the model reads, or None if it does not matter."""
    if model.name != "canine_truecaser":
        return None
    config = get_network(model).encoder.config
    longest = min(config.max_position_embeddings, config.num_hash_buckets)
    return longest // BUCKET * BUCKET - PADDING


def padded_length(length: int) -> int:
    return -(-(length + PADDING) // BUCKET) * BUCKET


# Batches of more windows gain nothing on a CPU and only need memory.
_MAX_BATCH = 64


def _forward(model: Model, inputs: List[Ints1d], is_train: bool) -> Tuple[List[Floats1d], Callable]:
    groups: Dict[int, List[int]] = {}
    for index, sequence in enumerate(inputs):
        groups.setdefault(padded_length(len(sequence)), []).append(index)
    outputs: List[Any] = [None] * len(inputs)
    callbacks: List[Tuple[List[int], Tuple[int, int], Callable]] = []
    for length, members in groups.items():
        for start in range(0, len(members), _MAX_BATCH):
            batch = members[start : start + _MAX_BATCH]
            ids = model.ops.xp.zeros((len(batch), length), dtype="int64")
            mask = model.ops.xp.zeros((len(batch), length), dtype="int64")
            for row, index in enumerate(batch):
                ids[row, : len(inputs[index])] = model.ops.xp.asarray(inputs[index])
                mask[row, : len(inputs[index])] = 1
            logits, backprop = model.layers[0]((ids, mask), is_train)
            for row, index in enumerate(batch):
                outputs[index] = logits[row, : len(inputs[index])]
            callbacks.append((batch, logits.shape, backprop))

    def backprop_batches(d_outputs: List[Floats1d]) -> List[Ints1d]:
        for batch, shape, backprop in callbacks:
            d_logits = model.ops.alloc2f(*shape)
            for row, index in enumerate(batch):
                d_logits[row, : len(d_outputs[index])] = d_outputs[index]
            backprop(d_logits)
        return inputs

    return outputs, backprop_batches


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    # The network has its weights from the start; nothing is inferred from data.
    return


def _convert_inputs(model: Model, X: Any, is_train: bool) -> Tuple[ArgsKwargs, Callable]:
    device = next(torch_modules(model)[0].parameters()).device
    ids, mask = (xp2torch(part, device=device) for part in X)
    return ArgsKwargs(args=(ids, mask), kwargs={}), partial(_no_gradient, X)


def _no_gradient(X: Any, d_inputs: Any) -> Any:
    return X


def _convert_outputs(model: Model, inputs_outputs: Any, is_train: bool) -> Tuple[Any, Callable]:
    _, logits = inputs_outputs

    def backprop(d_logits: Any) -> ArgsKwargs:
        return ArgsKwargs(
            args=((logits,),),
            kwargs={"grad_tensors": (xp2torch(d_logits, device=logits.device),)},
        )

    return torch2xp(logits), backprop


def serialize_network(network: CanineTagger) -> bytes:
    """Settings and weights as one safetensors file; nothing is pickled."""
    weights = {key: value.contiguous() for key, value in network.state_dict().items()}
    return safetensors.torch.save(weights, metadata={"settings": json.dumps(network.settings)})


def deserialize_network(network: CanineTagger, data: bytes, device: torch.device) -> CanineTagger:
    """Build the network that was saved, whatever sizes the given one has."""
    header_length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + header_length])["__metadata__"]
    settings = json.loads(metadata["settings"])
    encoder = CanineModel(CanineConfig(**settings.pop("encoder")))
    network = CanineTagger(encoder, **settings)
    network.load_state_dict(safetensors.torch.load(data))
    return network.to(device)
