"""Pretrained weights for a model, loaded when its component is initialized."""

from pathlib import Path
from typing import Callable, Union

from thinc.api import Model
from transformers import CanineModel

from ..errors import Errors
from .canine import has_encoder, set_encoder


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
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ValueError(Errors.P011.format(source=str(name), reason=reason)) from error
        set_encoder(model, encoder)
        return model

    return load
