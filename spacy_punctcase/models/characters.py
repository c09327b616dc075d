"""What networks that read characters have in common: batches and gradients."""

from functools import partial
from typing import Any, Callable, Dict, List, Tuple, cast

import numpy
from thinc.api import Model
from thinc.types import Floats1d, Ints2d

from .arrays import ArrayXd, to_numpy
from .runtime import torch_modules
from .saved import SavedNetwork
from .wrapper import wrap_network

# Each sequence is padded by a rule that depends on nothing but its own length; then the output of
# a network that sees the padding (CANINE cuts its local attention by the padded length) does not
# depend on the rest of the batch. Few different lengths make for large batches.
BUCKET = 64
# Batches of more windows gain nothing on a CPU and only need memory.
_MAX_BATCH = 64


class CharacterNetwork(SavedNetwork):
    """Base class of networks that are called with code points, codes of the prior and a mask (1 for
    each character that is no padding), all (batch, length), and return one logit a character,
    (batch, length). What `read` returns for each sequence comes behind these, padded alike.
    """

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
    wrapped = wrap_network(network, mixed_precision=mixed_precision)
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
