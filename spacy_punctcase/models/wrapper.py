"""A network that is saved with its settings, as a layer of thinc."""

from functools import partial
from typing import Any, Callable, Tuple

from thinc.api import ArgsKwargs, Model, PyTorchWrapper_v3, torch2xp, xp2torch

from .runtime import torch_modules
from .saved import SavedNetwork, deserialize_network, serialize_network


def wrap_network(network: SavedNetwork, *, mixed_precision: bool) -> Model:
    """Wrap a network that reads integers and puts out one tensor.

    network (SavedNetwork): The network.
    mixed_precision (bool): Half precision on a GPU.
    RETURNS (Model): From one array, of which each row is an argument of the network, to an array.
    """
    return PyTorchWrapper_v3(
        network,
        convert_inputs=_convert_inputs,
        convert_outputs=_convert_outputs,
        mixed_precision=mixed_precision,
        serialize_model=serialize_network,
        deserialize_model=deserialize_network,
    )


def _convert_inputs(model: Model, X: Any, is_train: bool) -> Tuple[ArgsKwargs, Callable]:
    device = next(torch_modules(model)[0].parameters()).device
    return ArgsKwargs(args=tuple(xp2torch(X, device=device)), kwargs={}), partial(_no_gradient, X)


def _no_gradient(X: Any, d_inputs: Any) -> Any:
    return X


def _convert_outputs(model: Model, inputs_outputs: Any, is_train: bool) -> Tuple[Any, Callable]:
    _, output = inputs_outputs

    def backprop(d_output: Any) -> ArgsKwargs:
        return ArgsKwargs(
            args=((output,),),
            kwargs={"grad_tensors": (xp2torch(d_output, device=output.device),)},
        )

    return torch2xp(output), backprop
