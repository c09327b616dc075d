"""A pretrained sub-word encoder as the tok2vec layer of a component."""

from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List, Literal, NamedTuple, Optional, Tuple, Union, cast

import numpy
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d
from tokenizers import Tokenizer
from torch import Tensor
from transformers import PreTrainedModel

from ..errors import Errors
from .encoders import (
    PIECE_BUCKET,
    build_encoder,
    count_buckets,
    encodable,
    encode,
    encoder_settings,
    load_encoder,
    most_pieces,
)
from .runtime import torch_modules
from .saved import SavedNetwork
from .wrapper import wrap_network

_NAME = "subword_tok2vec"
#: How a token's vector is made of those of its sub-words.
Pooling = Literal["mean", "sum"]
# Sub-words in one call of the encoder. More gains nothing on a CPU and only needs memory.
_BATCH_PIECES = 4096


class Sequence(NamedTuple):
    """What the encoder reads at a time.

    doc: Index of the Doc.
    start: The first token in it.
    length: Number of tokens.
    pieces: One more than the ids of the sub-words.
    places: For each sub-word its token, counted from `start`; -1 for what belongs to none.
    """

    doc: int
    start: int
    length: int
    pieces: numpy.ndarray
    places: numpy.ndarray


class SubwordEncoder(SavedNetwork):
    """Sub-word encoder, and the mean or the sum over the sub-words of each token.

    encoder (Optional[PreTrainedModel]): The encoder.
    tokenizer (Optional[Tokenizer]): Its tokenizer.
    pooling (str): "mean" or "sum".
    """

    def __init__(
        self,
        encoder: Optional[PreTrainedModel] = None,
        tokenizer: Optional[Tokenizer] = None,
        pooling: Pooling = "mean",
    ):
        super().__init__()
        self.encoder = encoder
        self.tokenizer = tokenizer
        self.pooling = pooling

    def forward(self, pieces: Tensor, places: Tensor) -> Tensor:
        """pieces (Tensor): One more than the ids of the sub-words, 0 for padding, (batch, length).
        places (Tensor): For each sub-word the place of its token; -1 for none.
        RETURNS (Tensor): Vectors of the tokens, (batch, length, width); 0 where there is none."""
        assert self.encoder is not None
        hidden = encode(self.encoder, pieces).float()
        batch, length, width = hidden.shape
        # What belongs to no token is added up in a row of its own, which is cut off.
        rows = places.where(places >= 0, length).unsqueeze(-1)
        sums = hidden.new_zeros(batch, length + 1, width)
        sums = sums.scatter_add(1, rows.expand(-1, -1, width), hidden)
        if self.pooling == "sum":
            return sums[:, :length]
        counts = hidden.new_zeros(batch, length + 1, 1)
        counts = counts.scatter_add(1, rows, hidden.new_ones(batch, length, 1))
        return (sums / counts.clamp(min=1))[:, :length]

    def read(self, texts: List[List[str]]) -> List[Sequence]:
        """Split tokens into sub-words; a text of too many is read in parts.

        texts (List[List[str]]): The tokens of each Doc.
        RETURNS (List[Sequence]): What the encoder reads.
        RAISES (ValueError): If there is no encoder yet.
        """
        if self.encoder is None or self.tokenizer is None:
            raise ValueError(Errors.P054)
        longest = most_pieces(self.encoder)
        found: List[Sequence] = []
        todo = [(doc, 0, list(map(encodable, words))) for doc, words in enumerate(texts) if words]
        while todo:
            encodings = self.tokenizer.encode_batch(
                [words for _, _, words in todo], is_pretokenized=True
            )
            parts = todo
            todo = []
            for (doc, start, words), encoding in zip(parts, encodings):
                half = len(words) // 2
                if len(encoding.ids) > longest and half:
                    todo += [(doc, start, words[:half]), (doc, start + half, words[half:])]
                    continue
                pieces = numpy.asarray(encoding.ids[:longest], dtype="int64") + 1
                places = [-1 if place is None else place for place in encoding.word_ids]
                found.append(
                    Sequence(doc, start, len(words), pieces, numpy.asarray(places[:longest]))
                )
        return found

    @property
    def settings(self) -> Dict[str, Any]:
        return {**encoder_settings(self.encoder, self.tokenizer), "pooling": self.pooling}

    @classmethod
    def from_settings(cls, settings: Dict[str, Any]) -> "SubwordEncoder":
        return cls(**build_encoder(settings))


def build_subword_tok2vec(
    name: Union[str, Path],
    num_layers: Optional[int] = None,
    mixed_precision: bool = False,
    pooling: Pooling = "mean",
) -> Model[List[Doc], List[Floats2d]]:
    """Build a tok2vec layer from a pretrained sub-word encoder, which is loaded when the component
    is initialized. Beside `spacy-transformers.Tok2VecTransformer.v3` it does less (no listeners,
    no strided spans), takes less time, and its weights can be stored in 8 bits, without pickle.

    name (Union[str, Path]): Name on the Hugging Face hub, or a folder with config.json, the weights
        and a fast tokenizer.
    num_layers (Optional[int]): Number of its layers to keep, from the first; None for all.
    mixed_precision (bool): Half precision on a GPU.
    pooling (str): Whether a token's vector is the "mean" or the "sum" of those of its sub-words.
    RETURNS (Model[List[Doc], List[Floats2d]]): From Docs to vectors, (tokens, width), for each.
    """
    wrapped = wrap_network(SubwordEncoder(pooling=pooling), mixed_precision=mixed_precision)
    return Model(
        _NAME,
        _forward,
        init=partial(_init, name=str(name), num_layers=num_layers),
        layers=[wrapped],
        dims={"nO": None},
    )


def _init(
    model: Model, X: Any = None, Y: Any = None, *, name: str, num_layers: Optional[int]
) -> None:
    shim = model.layers[0].shims[0]
    if shim._model.encoder is None:
        device = next(iter(shim._model.parameters()), None)
        network = SubwordEncoder(*load_encoder(name, num_layers), pooling=shim._model.pooling)
        shim._model = network if device is None else network.to(device.device)
    if not model.has_dim("nO"):
        model.set_dim("nO", shim._model.encoder.config.hidden_size)


def _forward(
    model: Model, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable[[List[Floats2d]], List[Doc]]]:
    network = cast(SubwordEncoder, torch_modules(model)[0])
    sequences = network.read([[token.text for token in doc] for doc in docs])
    groups: Dict[int, List[Sequence]] = {}
    for sequence in sequences:
        groups.setdefault(count_buckets(len(sequence.pieces)), []).append(sequence)
    width = model.get_dim("nO")
    outputs = [model.ops.alloc2f(len(doc), width) for doc in docs]
    callbacks: List[Tuple[List[Sequence], Any, Callable]] = []
    for buckets, members in groups.items():
        length = buckets * PIECE_BUCKET
        size = max(1, _BATCH_PIECES // length)
        for first in range(0, len(members), size):
            batch = members[first : first + size]
            padded: Any = numpy.zeros((2, len(batch), length), dtype="int64")
            padded[1] = -1
            for row, sequence in enumerate(batch):
                padded[0, row, : len(sequence.pieces)] = sequence.pieces
                padded[1, row, : len(sequence.places)] = sequence.places
            vectors, backprop = model.layers[0](model.ops.asarray(padded), is_train)
            for row, (doc, start, count, _, _) in enumerate(batch):
                # A token that is cut off has no vector.
                outputs[doc][start : start + count] = vectors[row, :count]
            callbacks.append((batch, vectors.shape, backprop))

    def backprop_batches(d_outputs: List[Floats2d]) -> List[Doc]:
        for batch, shape, backprop in callbacks:
            d_vectors = model.ops.alloc(shape)
            for row, (doc, start, count, _, _) in enumerate(batch):
                d_vectors[row, :count] = d_outputs[doc][start : start + count]
            backprop(d_vectors)
        return docs

    return outputs, backprop_batches
