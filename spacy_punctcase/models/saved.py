"""Networks on disk: settings and weights in one safetensors file."""

import json
from typing import Any, Dict

import safetensors.torch
import torch
from torch import Tensor, nn

_SCALE = ".scale"
# The smallest number that float16 holds in full precision.
_SMALLEST_SCALE = 2.0**-14


class SavedNetwork(nn.Module):
    """Base class of networks that are saved with what is needed to build them anew."""

    #: Whether matrices are rounded to 8 bits when the network is saved.
    store_int8 = False

    @property
    def settings(self) -> Dict[str, Any]:
        """What is needed to build the network anew, as JSON can hold it."""
        raise NotImplementedError

    @classmethod
    def from_settings(cls, settings: Dict[str, Any]) -> "SavedNetwork":
        """Build a network with random weights from the settings of another one."""
        return cls(**settings)


def serialize_network(network: SavedNetwork) -> bytes:
    """Settings and weights as one safetensors file; nothing is pickled."""
    weights = {key: value.contiguous() for key, value in network.state_dict().items()}
    if network.store_int8:
        weights = quantise(weights)
    return safetensors.torch.save(weights, metadata={"settings": json.dumps(network.settings)})


def deserialize_network(network: SavedNetwork, data: bytes, device: torch.device) -> SavedNetwork:
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
