# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The view of a kernel on one call, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.table.backend_options import OptionValue


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One call of a kernel; its arrays may be kept, they are the call's own.

    Attributes
    ----------
    layer
        The layer that it computes. Its infos have upper bounds where dimensions are bounded; the
        arrays have the shapes of the call.
    inputs
        Its operands, read-only arrays; None for an optional one that is absent.
    outputs
        Arrays of zeros to write into, of the right shapes and data types. A kernel may return the
        outputs instead. It must do so for an output with bounded dimensions, to give its size;
        the array here has the upper bounds.
    prepared
        What ``prepare`` of the kernel returned when the network was loaded, or None.
    cancelled
        A function: whether the run should stop. A long kernel asks now and then, and raises
        ``armnn_py.ExecutionCancelledError`` if so.
    run_options
        Options of this run that the user gave.
    """

    layer: ShownLayer
    inputs: tuple[Any, ...]  # which of them may be None, the layer says
    outputs: tuple[NDArray[Any], ...]
    prepared: Any
    cancelled: Callable[[], bool]
    run_options: Mapping[str, OptionValue] = field(default_factory=dict)


def store_answer(
    kernel: str,
    answer: Any,
    outputs: tuple[NDArray[Any], ...],
    bounded: tuple[tuple[int, ...], ...],
) -> tuple[NDArray[Any], ...]:
    """Return what a kernel returned, in its outputs; None: it has written them itself.

    Along the dimensions in ``bounded`` an array may be smaller than its output, and is then
    returned as it is.

    Raises
    ------
    TypeError
        It is not an array, or of another data type.
    ValueError
        These are not as many arrays as there are outputs, or one is of another shape.
    """
    if answer is None:
        return outputs
    arrays = answer if isinstance(answer, (tuple, list)) else (answer,)
    if len(arrays) != len(outputs):
        raise ValueError(
            f"kernel '{kernel}' returned {len(arrays)} arrays, the layer has {len(outputs)} outputs"
        )
    made = []
    for index, (array, output, axes) in enumerate(zip(arrays, outputs, bounded, strict=True)):
        needed = f"an array of {output.dtype} {output.shape} is needed"
        where = f"kernel '{kernel}' returned for output {index}"
        if not isinstance(array, (np.ndarray, np.generic)):
            raise TypeError(f"{where} an object of type {type(array).__name__}, {needed}")
        if array.dtype != output.dtype:
            raise TypeError(f"{where} {array.dtype} {array.shape}, {needed}")
        if array.shape == output.shape:
            output[...] = array
            made.append(output)
        elif array.ndim == output.ndim and all(
            size == most or (axis in axes and size < most)
            for axis, (size, most) in enumerate(zip(array.shape, output.shape, strict=True))
        ):
            made.append(np.asarray(array))
        else:
            up_to = f", or less along {axes}" if axes else ""
            raise ValueError(f"{where} {array.dtype} {array.shape}, {needed}{up_to}")
    return tuple(made)
