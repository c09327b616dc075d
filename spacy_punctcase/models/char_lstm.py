"""The truecaser's network of Susanto et al. (2016): an LSTM over the characters."""

from typing import Any, Dict, List

import torch
from thinc.api import Model
from thinc.types import Floats1d, Ints2d
from torch import Tensor, nn

from .characters import CharacterNetwork, build_character_model


class CharLSTMTagger(CharacterNetwork):
    """Character embeddings, bidirectional LSTM, linear: the truecaser of Susanto et al. (2016,
    "Learning to Capitalize with Character-Level Recurrent Neural Networks") as a tagger that reads
    in both directions, the form of Mayhew et al. (2020, "Robust Named Entity Recognition with
    Truecasing Pretraining").

    num_rows (int): Rows of the embedding table. A code point that is higher shares the row of its
        remainder.
    embed_size (int): Width of the character embeddings.
    hidden_size (int): Width of each direction of the LSTM.
    num_layers (int): Number of LSTM layers.
    dropout (float): Dropout behind each LSTM layer.
    """

    def __init__(
        self, *, num_rows: int, embed_size: int, hidden_size: int, num_layers: int, dropout: float
    ):
        super().__init__()
        self.embed = nn.Embedding(num_rows, embed_size)
        # One LSTM for each direction and layer instead of a bidirectional one on packed sequences:
        # on a CPU the kernel for packed sequences takes over five times as long.
        widths = [embed_size] + [2 * hidden_size] * (num_layers - 1)
        self.forward_lstms, self.backward_lstms = (
            nn.ModuleList(nn.LSTM(width, hidden_size, batch_first=True) for width in widths)
            for _ in range(2)
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden_size, 1)

    def forward(self, ids: Tensor, prior: Tensor, mask: Tensor) -> Tensor:
        """ids, prior, mask (Tensor): Code points, codes of the prior (not used) and 1 for each
        character that is no padding, (batch, length).
        RETURNS (Tensor): Logits of "upper case", (batch, length)."""
        order = reversed_order(mask)
        hidden = self.embed(ids % self.embed.num_embeddings)
        for forward_lstm, backward_lstm in zip(self.forward_lstms, self.backward_lstms):
            left, _ = forward_lstm(hidden)
            right, _ = backward_lstm(reorder(hidden, order))
            hidden = self.dropout(torch.cat([left, reorder(right, order)], dim=-1))
        return self.output(hidden).squeeze(-1).float()

    @property
    def settings(self) -> Dict[str, Any]:
        return {
            "num_rows": self.embed.num_embeddings,
            "embed_size": self.embed.embedding_dim,
            "hidden_size": self.output.in_features // 2,
            "num_layers": len(self.forward_lstms),
            "dropout": self.dropout.p,
        }


def reversed_order(mask: Tensor) -> Tensor:
    """For each place of a sequence the one that is as far from the other end; the padding stays
    behind, so that an LSTM reads it last in either direction.

    mask (Tensor): 1 for each character that is no padding, (batch, length).
    RETURNS (Tensor): Indices, (batch, length).
    """
    places = torch.arange(mask.shape[1], device=mask.device)
    return torch.where(mask > 0, mask.sum(dim=1, keepdim=True) - 1 - places, places)


def reorder(hidden: Tensor, order: Tensor) -> Tensor:
    """Put the places of a sequence, (batch, length, width), into an order of `reversed_order`."""
    return hidden.gather(1, order.unsqueeze(-1).expand_as(hidden))


def build_char_lstm_truecaser(
    num_rows: int = 2048,
    embed_size: int = 50,
    hidden_size: int = 150,
    num_layers: int = 2,
    dropout: float = 0.25,
    mixed_precision: bool = False,
) -> Model[List[Ints2d], List[Floats1d]]:
    """Build the character-level truecasing model of Susanto et al. (2016) with random weights.

    num_rows (int): Rows of the character embeddings. A code point that is higher shares the row of
        its remainder.
    embed_size (int): Width of the character embeddings.
    hidden_size (int): Width of each direction of the LSTM.
    num_layers (int): Number of LSTM layers.
    dropout (float): Dropout behind each LSTM layer.
    mixed_precision (bool): Half precision on a GPU.
    RETURNS (Model[List[Ints2d], List[Floats1d]]): From code points and codes of
        the prior, (length, 2), to logits of "upper case", one sequence each.
    """
    network = CharLSTMTagger(
        num_rows=num_rows,
        embed_size=embed_size,
        hidden_size=hidden_size,
        num_layers=num_layers,
        dropout=dropout,
    )
    return build_character_model(
        "char_lstm_truecaser", network, padding=0, mixed_precision=mixed_precision
    )
