"""The truecaser's network over a pretrained sub-word encoder: each character reads the vector of
the sub-word that it is in."""

from typing import Any, Dict, List, Optional, Tuple, cast

import numpy
import torch
from thinc.api import Model
from thinc.types import Floats1d, Ints2d
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import PreTrainedModel

from ..errors import Errors
from ..gold.prior import NUM_CODES
from .char_lstm import reorder, reversed_order
from .characters import CharacterNetwork, build_character_model
from .encoders import (
    PIECE_BUCKET,
    build_encoder,
    count_buckets,
    encodable,
    encode,
    encoder_settings,
    most_pieces,
)
from .runtime import torch_modules

_NAME = "subword_truecaser"
# The marks that a tokenizer puts around a text.
_PADDING = 2


class SubwordTagger(CharacterNetwork):
    """Sub-word encoder; beside its vectors the characters themselves and what the prior says of
    them; BiLSTM over the characters, residual connection, LayerNorm, linear.

    Where no pretrained character encoder is at hand, this is how a small network gets to know
    names: the sub-word encoder has read billions of words, in lower case like the input.

    width (int): Width of the characters' vectors; the two directions of the BiLSTM together are as
        wide.
    num_rows (int): Rows of the character embeddings. A code point that is higher shares the row of
        its remainder.
    dropout (float): Dropout before the linear layer.
    encoder (Optional[PreTrainedModel]): The encoder.
    tokenizer (Optional[Tokenizer]): Its tokenizer.
    """

    def __init__(
        self,
        *,
        width: int,
        num_rows: int,
        dropout: float,
        encoder: Optional[PreTrainedModel] = None,
        tokenizer: Optional[Tokenizer] = None,
    ):
        super().__init__()
        self.width = width
        self.encoder = encoder
        self.tokenizer = tokenizer
        self.characters = nn.Embedding(num_rows, width)
        self.prior = nn.Embedding(NUM_CODES, width)
        for embedding in (self.characters, self.prior):
            nn.init.normal_(embedding.weight, std=0.1)
        self.project = nn.Linear(encoder.config.hidden_size if encoder else 1, width)
        self.norm_in = nn.LayerNorm(width)
        # See CharLSTMTagger for why there are two.
        self.forward_lstm, self.backward_lstm = (
            nn.LSTM(width, width // 2, batch_first=True) for _ in range(2)
        )
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, 1)

    def forward(
        self, ids: Tensor, prior: Tensor, mask: Tensor, places: Tensor, pieces: Tensor
    ) -> Tensor:
        """ids, prior, mask (Tensor): Code points, codes of the prior and 1 for each character that
            is no padding, (batch, length).
        places (Tensor): For each character the place of its sub-word in `pieces`.
        pieces (Tensor): One more than the sub-words, 0 where there are none left; (batch, length).
        RETURNS (Tensor): Logits of "upper case", (batch, length)."""
        assert self.encoder is not None
        count = int((pieces > 0).sum(dim=1).max())
        pieces = pieces[:, : count_buckets(count) * PIECE_BUCKET]
        vectors = self.project(encode(self.encoder, pieces))
        words = vectors.gather(1, places.unsqueeze(-1).expand(-1, -1, self.width))
        hidden = self.norm_in(
            self.characters(ids % self.characters.num_embeddings) + self.prior(prior) + words
        )
        order = reversed_order(mask)
        # In half precision, cast once for both directions.
        narrow = hidden.to(words.dtype)
        left, _ = self.forward_lstm(narrow)
        right, _ = self.backward_lstm(reorder(narrow, order))
        context = torch.cat([left, reorder(right, order)], dim=-1)
        return self.output(self.dropout(self.norm(hidden + context))).squeeze(-1).float()

    def read(self, sequences: List[numpy.ndarray]) -> List[Tuple[numpy.ndarray, ...]]:
        """Split the text that the code points stand for into sub-words: `places` and `pieces`.

        RAISES (ValueError): If the network has no encoder yet.
        """
        if self.encoder is None or self.tokenizer is None:
            raise ValueError(Errors.P048)
        longest = most_pieces(self.encoder)
        texts = [encodable("".join(map(chr, sequence[:, 0].tolist()))) for sequence in sequences]
        found: List[Tuple[numpy.ndarray, ...]] = []
        for text, encoding in zip(texts, self.tokenizer.encode_batch(texts)):
            pieces = numpy.asarray(encoding.ids[:longest], dtype="int64") + 1
            places = numpy.zeros(len(text), dtype="int64")
            for place, (start, end) in enumerate(encoding.offsets[: len(pieces)]):
                if start < end:
                    # What the tokenizer passes over, as spaces, belongs to the sub-word before.
                    places[start:] = place
            found.append((places, pieces))
        return found

    def batch_key(self, features: Tuple[numpy.ndarray, ...]) -> int:
        return count_buckets(len(features[1]))

    @property
    def settings(self) -> Dict[str, Any]:
        return {
            "width": self.width,
            "num_rows": self.characters.num_embeddings,
            "dropout": self.dropout.p,
            **encoder_settings(self.encoder, self.tokenizer),
        }

    @classmethod
    def from_settings(cls, settings: Dict[str, Any]) -> "SubwordTagger":
        return cls(**build_encoder(settings))


def build_subword_truecaser(
    width: int = 192,
    num_rows: int = 2048,
    dropout: float = 0.1,
    mixed_precision: bool = False,
) -> Model[List[Ints2d], List[Floats1d]]:
    """Build a character-level truecasing model that reads a pretrained sub-word encoder. Its
    `encoder_loader`, which is needed, is given when the component is initialized.

    width (int): Width of the characters' vectors; the two directions of the BiLSTM together are as
        wide.
    num_rows (int): Rows of the character embeddings. A code point that is higher shares the row of
        its remainder.
    dropout (float): Dropout before the output.
    mixed_precision (bool): Half precision on a GPU.
    RETURNS (Model[List[Ints2d], List[Floats1d]]): From code points and codes of the prior,
        (length, 2), to logits of "upper case", one sequence each.
    """
    network = SubwordTagger(width=width, num_rows=num_rows, dropout=dropout)
    return build_character_model(_NAME, network, padding=_PADDING, mixed_precision=mixed_precision)


def has_subwords(model: Model) -> bool:
    """Whether a model is one that `build_subword_truecaser` made."""
    return model.name == _NAME


def set_subword_encoder(model: Model, encoder: PreTrainedModel, tokenizer: Tokenizer) -> None:
    """Put another encoder into the model; the layers on top start anew."""
    network = cast(SubwordTagger, torch_modules(model)[0])
    model.layers[0].shims[0]._model = SubwordTagger(
        width=network.width,
        num_rows=network.characters.num_embeddings,
        dropout=network.dropout.p,
        encoder=encoder,
        tokenizer=tokenizer,
    ).to(next(network.parameters()).device)
