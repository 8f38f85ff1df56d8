# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""External memory among the arrays of a run: each as an array, and as what the executor gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.memory.run_memory import array_at, build_run_memories, build_run_memory
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from armnn_py.runtime.arrays.external_memory import ExternalMemory
    from armnn_py.tensors import TensorInfo


class ExternalArrays(list[Any]):
    """Arrays of inputs of which one at least is an `ExternalArray`."""


class ExternalOutputs(dict[str, Any]):
    """Arrays of outputs of which one at least is an `ExternalArray`."""


class ExternalArray(np.ndarray):
    """An array over external memory.

    If the memory is dense and mapped it is that memory. Otherwise it is a buffer, for layers that
    cannot use the memory as it is.
    """

    external: ExternalMemory
    struct: Any
    kept: tuple[Any, ...]  #: what must live as long as the array
    address: int
    problem: str
    elements: np.ndarray | None  #: those of the memory; None if it is not mapped, or has a fence

    def __array_finalize__(self, other: object) -> None:
        """Copies and views are plain memory."""


def bind_external(what: str, name: str, memory: ExternalMemory, info: TensorInfo) -> ExternalArray:
    """The array that stands for external memory in a run, as an input or output.

    Raises
    ------
    InvalidArgumentError
        Shape, strides or size do not fit, or the memory is closed.
    """
    shape = memory.shape_for(what, name, info)
    if len(shape) > abi.ARMNN_MAX_DIMS:
        raise InvalidArgumentError(f"{what} '{name}': {len(shape)} dimensions of external memory")
    itemsize = info.dtype.itemsize
    strides, needed = memory.dense_or_strides(what, name, shape, itemsize)
    memory.check_size(what, name, needed)
    address, mapping, problem = memory.address_for(needed, writable=what == "output")
    if address and strides is None and needed:
        array = array_at(address, shape, info.dtype)
    else:
        array = np.empty(shape, info.dtype)
    external = ExternalArray(shape, info.dtype, array)
    external.external, external.problem = memory, problem
    external.elements = None
    if address and memory.fence is None:
        whole = array_at(address, (needed,), np.dtype(np.uint8))
        external.elements = np.ndarray(shape, info.dtype, whole, strides=strides)
    external.kept = mapping, memory.descriptor, memory.fence
    external.address = external.ctypes.data if address else 0
    external.struct = build_run_memory(
        source=int(memory.source),
        fd=memory.fileno(),
        address=address,
        offset=memory.offset if memory.fileno() >= 0 else 0,
        size=needed,
        strides=strides,
        shape=shape,
        element=itemsize,
        ready=memory.fence,
    )
    return external


def build_memories(arrays: Iterable[np.ndarray]) -> Any:
    """For inputs and then outputs: pointers to structures, null for plain arrays."""
    return build_run_memories(
        [array.struct if type(array) is ExternalArray else None for array in arrays]
    )


def plain_array(what: str, name: str, array: Any) -> Any:
    """Return an array that numpy can compute with, of any strides, over the same memory.

    Raises
    ------
    InvalidArgumentError
        External memory that is not mapped, or that has a fence.
    """
    if type(array) is not ExternalArray:
        return array
    if array.elements is None:
        raise InvalidArgumentError(
            f"{what} '{name}': a stage of the network computes on arrays, expected memory that "
            "is mapped and has no fence",
            details=[array.problem] if array.problem else [],
            hints=["pass a numpy array"],
        )
    return array.elements


def shown(array: Any) -> Any:
    """The value that the caller gave for an array."""
    return array.external if type(array) is ExternalArray else array
