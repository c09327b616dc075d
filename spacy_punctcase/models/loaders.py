"""Pretrained weights for a model, loaded when its component is initialized."""

from pathlib import Path
from typing import Callable, Optional, Union

from thinc.api import Model
from transformers import CanineModel

from ..errors import Errors
from .canine import has_encoder, set_encoder
from .encoders import load_encoder, not_loaded
from .subword import has_subwords, set_subword_encoder


def build_canine_loader(name: Union[str, Path]) -> Callable[[Model], Model]:
    """Make a callback that loads a pretrained CANINE encoder into a truecasing model.

    name (Union[str, Path]): Name on the Hugging Face hub ("google/canine-s"), or a folder with
        config.json and the weights.
    RETURNS (Callable[[Model], Model]): Changes the model in place and returns it; raises a
        ValueError if the model has no CANINE encoder, or there is none to load.
    """

    def load(model: Model) -> Model:
        if not has_encoder(model):
            raise ValueError(Errors.P032.format(model=model.name))
        try:
            encoder = CanineModel.from_pretrained(str(name))
        except (OSError, ValueError) as error:
            raise not_loaded(name, error) from error
        set_encoder(model, encoder)
        return model

    return load


def build_subword_loader(
    name: Union[str, Path], num_layers: Optional[int] = None
) -> Callable[[Model], Model]:
    """Make a callback that loads a pretrained sub-word encoder into a truecasing model.

    name (Union[str, Path]): Name on the Hugging Face hub, or a folder with config.json, the weights
        and a fast tokenizer. An uncased encoder fits best: all text that it reads is in lower case.
    num_layers (Optional[int]): Number of its layers to keep, from the first; None for all.
    RETURNS (Callable[[Model], Model]): Changes the model in place and returns it; raises a
        ValueError if the model reads no sub-words, or there is no encoder to load.
    """

    def load(model: Model) -> Model:
        if not has_subwords(model):
            raise ValueError(Errors.P049.format(model=model.name))
        set_subword_encoder(model, *load_encoder(name, num_layers))
        return model

    return load
