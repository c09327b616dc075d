"""How torch runs a model here: number format, threads, and the format of weights on disk."""

import ctypes
import os
from contextlib import contextmanager, suppress
from typing import Any, Iterator, List

import torch
from thinc.api import Model, PyTorchShim
from torch import Tensor, nn

PRECISIONS = ("auto", "float32", "bfloat16")
#: Types of weights on disk. Where a network cannot store int8, which takes a scale for each row, it
#: stores float16.
WEIGHTS_DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int8": torch.float16,
}

_IMPORTED_IN = os.getpid()


def cpu_has_bfloat16() -> bool:
    """Whether this CPU multiplies bfloat16 matrices faster than float32 ones."""
    checks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, check, bool)() for check in checks)


@contextmanager
def autocast(model: Model, precision: str) -> Iterator[None]:
    """Run a model's torch layers on the CPU in the given number format. What they return is
    float32 in any case, since numpy knows no bfloat16.

    On a GPU this does nothing: there `mixed_precision` of the architecture decides.

    model (Model): The model.
    precision (str): "float32", "bfloat16", or "auto" for bfloat16 where the CPU is made for it.
    """
    if precision == "float32" or (precision == "auto" and not cpu_has_bfloat16()):
        yield
        return
    hooks = [module.register_forward_hook(_return_float32) for module in torch_modules(model)]
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            yield
    finally:
        for hook in hooks:
            hook.remove()


def torch_modules(model: Model) -> List[nn.Module]:
    """The torch modules that are wrapped in a thinc model."""
    return [
        shim._model
        for node in model.walk()
        for shim in node.shims
        if isinstance(shim, PyTorchShim) and shim._model is not None
    ]


def _return_float32(module: nn.Module, args: Any, output: Any) -> Any:
    if isinstance(output, Tensor):
        return output.float()
    for key, value in output.items():
        if isinstance(value, Tensor) and value.dtype == torch.bfloat16:
            output[key] = value.float()
    return output


def limit_threads_in_child() -> None:
    """Use one thread in a worker of `nlp.pipe(n_process=...)`.

    A forked process that inherits torch's thread pool waits for threads that do not exist in it.
    """
    if os.getpid() != _IMPORTED_IN and torch.get_num_threads() > 1:
        torch.set_num_threads(1)
        # Tokenizers of Hugging Face find out for themselves, but print a warning each time.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def release_memory() -> None:
    """Give back to the system what glibc keeps of freed memory; does nothing elsewhere.

    Batches of ever new shapes fragment it: training on a CPU was seen to grow by half a gigabyte
    a minute, of which nothing was in use.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


@contextmanager
def weights_as(model: Model, dtype: str) -> Iterator[None]:
    """Let the torch weights of a model be of the given type meanwhile, to save them."""
    target = WEIGHTS_DTYPES[dtype]
    backup = []
    modules: List[Any] = list(torch_modules(model))
    for module in modules:
        module.store_int8 = dtype == "int8"
        for parameter in module.parameters():
            backup.append((parameter, parameter.data))
            parameter.data = parameter.data.to(target)
    try:
        yield
    finally:
        for module in modules:
            module.store_int8 = False
        for parameter, data in backup:
            parameter.data = data
