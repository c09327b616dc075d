"""What networks that read characters have in common: batches, gradients, format on disk."""

import json
from functools import partial
from typing import Any, Callable, Dict, List, Tuple, cast

import numpy
import safetensors.torch
import torch
from thinc.api import ArgsKwargs, Model, PyTorchWrapper_v3, torch2xp, xp2torch
from thinc.types import Floats1d, Ints2d
from torch import Tensor, nn

from .arrays import ArrayXd, to_numpy
from .runtime import torch_modules

# Each sequence is padded by a rule that depends on nothing but its own length; then the output of
# a network that sees the padding (CANINE cuts its local attention by the padded length) does not
# depend on the rest of the batch. Few different lengths make for large batches.
BUCKET = 64
_SCALE = ".scale"
# The smallest number that float16 holds in full precision.
_SMALLEST_SCALE = 2.0**-14
# Batches of more windows gain nothing on a CPU and only need memory.
_MAX_BATCH = 64


class CharacterNetwork(nn.Module):
    """Base class of networks that are called with code points, codes of the prior and a mask (1 for
    each character that is no padding), all (batch, length), and return one logit a character,
    (batch, length). What `read` returns for each sequence comes behind these, padded alike.
    """

    #: Whether matrices are rounded to 8 bits when the network is saved.
    store_int8 = False

    def read(self, sequences: List[numpy.ndarray]) -> List[Tuple[numpy.ndarray, ...]]:
        """What else the network reads of each sequence.

        sequences (List[ndarray]): Code points and codes of the prior, (length, 2).
        RETURNS (List[Tuple[ndarray, ...]]): For each sequence the same number of integer arrays of
            one dimension, longer than the sequence by no more than the padding.
        """
        return [() for _ in sequences]

    def batch_key(self, features: Tuple[numpy.ndarray, ...]) -> int:
        """Sequences are only put into one batch if this is the same for what `read` returned."""
        return 0

    @property
    def settings(self) -> Dict[str, Any]:
        """What is needed to build the network anew, as JSON can hold it."""
        raise NotImplementedError

    @classmethod
    def from_settings(cls, settings: Dict[str, Any]) -> "CharacterNetwork":
        """Build a network with random weights from the settings of another one."""
        return cls(**settings)


def build_character_model(
    name: str, network: CharacterNetwork, *, padding: int, mixed_precision: bool
) -> Model[List[Ints2d], List[Floats1d]]:
    """Wrap a network so that it takes a list of sequences.

    name (str): Name of the model.
    network (CharacterNetwork): The network, with weights: nothing is inferred from data.
    padding (int): Padding that each sequence gets at least.
    mixed_precision (bool): Half precision on a GPU.
    RETURNS (Model[List[Ints2d], List[Floats1d]]): From code points and codes of the
        prior, (length, 2), to logits, one sequence each.
    """
    wrapped = PyTorchWrapper_v3(
        network,
        convert_inputs=_convert_inputs,
        convert_outputs=_convert_outputs,
        mixed_precision=mixed_precision,
        serialize_model=serialize_network,
        deserialize_model=deserialize_network,
    )
    return Model(name, partial(_forward, padding=padding), init=_init, layers=[wrapped])


def padded_length(length: int, padding: int) -> int:
    """The length that a sequence is padded to: a multiple of the bucket size, and at least
    `padding` longer than it is."""
    return -(-(length + padding) // BUCKET) * BUCKET


def _forward(
    model: Model, inputs: List[Ints2d], is_train: bool, *, padding: int
) -> Tuple[List[Floats1d], Callable]:
    network = cast(CharacterNetwork, torch_modules(model)[0])
    sequences = list(map(to_numpy, inputs))
    features = [
        (sequence[:, 0], sequence[:, 1], numpy.ones(len(sequence), dtype="int64"), *further)
        for sequence, further in zip(sequences, network.read(sequences))
    ]
    groups: Dict[Tuple[int, int], List[int]] = {}
    for index, found in enumerate(features):
        key = padded_length(len(found[0]), padding), network.batch_key(found[3:])
        groups.setdefault(key, []).append(index)
    outputs: List[Any] = [None] * len(inputs)
    callbacks: List[Tuple[List[int], Tuple[int, int], Callable]] = []
    for (length, _), members in groups.items():
        for start in range(0, len(members), _MAX_BATCH):
            batch = members[start : start + _MAX_BATCH]
            padded: ArrayXd = numpy.zeros((len(features[0]), len(batch), length), dtype="int64")
            for row, index in enumerate(batch):
                for number, feature in enumerate(features[index]):
                    padded[number, row, : len(feature)] = feature
            logits, backprop = model.layers[0](model.ops.asarray(padded), is_train)
            for row, index in enumerate(batch):
                outputs[index] = logits[row, : len(inputs[index])]
            callbacks.append((batch, logits.shape, backprop))

    def backprop_batches(d_outputs: List[Floats1d]) -> List[Ints2d]:
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
    return ArgsKwargs(args=tuple(xp2torch(X, device=device)), kwargs={}), partial(_no_gradient, X)


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


def serialize_network(network: CharacterNetwork) -> bytes:
    """Settings and weights as one safetensors file; nothing is pickled."""
    weights = {key: value.contiguous() for key, value in network.state_dict().items()}
    if network.store_int8:
        weights = quantise(weights)
    return safetensors.torch.save(weights, metadata={"settings": json.dumps(network.settings)})


def deserialize_network(
    network: CharacterNetwork, data: bytes, device: torch.device
) -> CharacterNetwork:
    """Build the network that was saved, whatever sizes the given one has."""
    header_length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + header_length])["__metadata__"]
    loaded = network.from_settings(json.loads(metadata["settings"]))
    loaded.load_state_dict(dequantise(safetensors.torch.load(data)))
    return loaded.to(device)


def quantise(weights: Dict[str, Tensor]) -> Dict[str, Tensor]:
    """Round matrices to 8 bits, with a scale for each row beside them.

    weights (Dict[str, Tensor]): A network's weights.
    RETURNS (Dict[str, Tensor]): The same, each matrix as int8 and as `<name>.scale`.
    """
    found: Dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.ndim != 2 or not weight.is_floating_point():
            found[name] = weight
            continue
        values = weight.float()
        scale = values.abs().amax(dim=1, keepdim=True).clamp(min=_SMALLEST_SCALE * 127) / 127
        scale = scale.half()
        found[name] = (values / scale.float()).round().clamp(-127, 127).to(torch.int8)
        found[name + _SCALE] = scale
    return found


def dequantise(weights: Dict[str, Tensor]) -> Dict[str, Tensor]:
    """The weights from what `quantise` made of them; others as they are."""
    return {
        name: weight.float() * weights[name + _SCALE].float()
        if name + _SCALE in weights
        else weight
        for name, weight in weights.items()
        if not name.endswith(_SCALE)
    }
