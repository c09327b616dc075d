"""Long inputs in overlapping windows, and one prediction from the overlapping ones."""

from typing import Iterable, List, Tuple

import numpy

from .arrays import ArrayXd


def make_windows(length: int, size: int, stride: int) -> List[Tuple[int, int]]:
    """Cover a sequence with as few windows as will do, all of one length: so nothing is read more
    often than it must be, and they go through a network together.

    length (int): Length of the sequence.
    size (int): The most that a window may hold; 0 for a single window over everything.
    stride (int): The most that may lie between the starts of two windows of full size; `size` less
        `stride` is the least that two windows have in common.
    RETURNS (List[Tuple[int, int]]): Start and end of each window.
    """
    if length == 0:
        return []
    if size <= 0 or length <= size:
        return [(0, length)]
    overlap = size - stride
    count = -(-(length - overlap) // stride)
    even = -(-(length + (count - 1) * overlap) // count)
    starts = [index * (length - even) // (count - 1) for index in range(count)]
    return [(start, start + even) for start in starts]


def merge_windows(
    length: int, windows: Iterable[Tuple[int, int]], outputs: Iterable[ArrayXd]
) -> ArrayXd:
    """Average the outputs of overlapping windows, the more weight the farther from the edge.

    length (int): Length of the sequence.
    windows (Iterable[Tuple[int, int]]): Start and end of each window.
    outputs (Iterable[ArrayXd]): Shape (end - start, ...) for each window.
    RETURNS (ArrayXd): Shape (length, ...).
    """
    windows, outputs = list(windows), list(outputs)
    if len(windows) == 1:
        return outputs[0]
    merged = numpy.zeros((length, *outputs[0].shape[1:]), dtype="float32")
    total = numpy.zeros(length, dtype="float32")
    for (start, end), output in zip(windows, outputs):
        ramp = numpy.arange(1, end - start + 1, dtype="float32")
        weight = numpy.minimum(ramp, ramp[::-1])
        merged[start:end] += output * weight.reshape((-1,) + (1,) * (output.ndim - 1))
        total[start:end] += weight
    return merged / total.reshape((-1,) + (1,) * (merged.ndim - 1))
