# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""External memory among the arrays of a run: each as an array, and as what the executor gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.run_memory import array_at, build_run_memories, build_run_memory
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from armnn_py.runtime.external_memory import ExternalMemory
    from armnn_py.tensors import TensorInfo

__all__ = [
    "ExternalArray",
    "ExternalArrays",
    "ExternalOutputs",
    "bind_external",
    "build_memories",
    "shown",
]


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


def shown(array: Any) -> Any:
    """What the caller gave for an array."""
    return array.external if type(array) is ExternalArray else array
