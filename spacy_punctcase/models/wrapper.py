"""A network that is saved with its settings, as a layer of thinc."""

from functools import partial
from typing import Any, Callable, Tuple

from thinc.api import ArgsKwargs, Model, PyTorchWrapper_v3, torch2xp, xp2torch

from .runtime import torch_modules
from .saved import SavedNetwork, deserialize_network, serialize_network


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


def wrap_network(
    network: SavedNetwork,
    *,
    mixed_precision: bool = False,
    convert_inputs: Callable = _convert_inputs,
    convert_outputs: Callable = _convert_outputs,
) -> Model:
    """Wrap a network. Unless told otherwise, it reads integers and puts out one tensor.

    network (SavedNetwork): The network.
    mixed_precision (bool): Half precision on a GPU.
    convert_inputs, convert_outputs (Callable): As of thinc's PyTorchWrapper.
    RETURNS (Model): From one array, of which each row is an argument of the network, to an array.
    """
    return PyTorchWrapper_v3(
        network,
        convert_inputs=convert_inputs,
        convert_outputs=convert_outputs,
        mixed_precision=mixed_precision,
        serialize_model=serialize_network,
        deserialize_model=deserialize_network,
    )
