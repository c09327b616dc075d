"""The truecaser's network: CANINE, BiLSTM, residual, LayerNorm, linear; one logit a character."""

from typing import Any, Dict, List, Optional, cast

from thinc.api import Model
from thinc.types import Floats1d, Ints1d
from torch import Tensor, nn
from transformers import CanineConfig, CanineModel

from .characters import BUCKET, CharacterNetwork, build_character_model
from .runtime import torch_modules

# CANINE drops what is left over when it joins 4 characters to one position.
PADDING = 6
_NAME = "canine_truecaser"


class CanineTagger(CharacterNetwork):
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
        return {
            "encoder": self.encoder.config.to_dict(),
            "lstm_layers": self.lstm.num_layers,
            "dropout": self.dropout.p,
        }

    @classmethod
    def from_settings(cls, settings: Dict[str, Any]) -> "CanineTagger":
        config = CanineConfig(**settings["encoder"])
        return cls(
            CanineModel(config),
            lstm_layers=settings["lstm_layers"],
            dropout=settings["dropout"],
        )


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
    return build_character_model(_NAME, network, padding=PADDING, mixed_precision=mixed_precision)


def get_network(model: Model) -> CanineTagger:
    """The torch network inside a model that `build_canine_truecaser` made."""
    return cast(CanineTagger, torch_modules(model)[0])


def has_encoder(model: Model) -> bool:
    """Whether a model is one that `build_canine_truecaser` made."""
    return model.name == _NAME


def set_encoder(model: Model, encoder: CanineModel) -> None:
    """Put another encoder into the model; the layers on top start anew at its width."""
    network = get_network(model)
    model.layers[0].shims[0]._model = CanineTagger(
        encoder, lstm_layers=network.lstm.num_layers, dropout=network.dropout.p
    ).to(next(network.parameters()).device)


def max_window(model: Model) -> Optional[int]:
    """The longest window in characters that the model reads, or None if it does not matter."""
    if not has_encoder(model):
        return None
    config = get_network(model).encoder.config
    longest = min(config.max_position_embeddings, config.num_hash_buckets)
    return longest // BUCKET * BUCKET - PADDING
