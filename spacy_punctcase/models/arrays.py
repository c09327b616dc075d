"""Arrays of numpy or, on a GPU, cupy."""

from typing import Any

import numpy

# thinc's types (Floats1d, Floats2d) describe models; the functions of numpy do not take them.
Array1d = Any
Array2d = Any
ArrayXd = Any


def to_numpy(array: ArrayXd) -> numpy.ndarray:
    """The array in main memory."""
    return array.get() if hasattr(array, "get") else array


def sigmoid(logits: ArrayXd, xp: Any = numpy) -> ArrayXd:
    """Probabilities from logits. xp: the module of the array (numpy or cupy)."""
    return 1.0 / (1.0 + xp.exp(-logits))
