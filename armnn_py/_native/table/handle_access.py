# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ways to what is in a tensor handle: copies, maps, and imported memory."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer
from armnn_py._native.table.memory_manager import check_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from armnn_py._native.table.tensor_handles import TensorHandle
    from armnn_py.tensors import TensorInfo

READ, WRITE = abi.ARMNN_MAP_READ, abi.ARMNN_MAP_WRITE
_IMPORTED = (abi.ARMNN_MEMORY_SOURCE_MALLOC, abi.ARMNN_MEMORY_SOURCE_FILE)


class HandleAccess:
    """A tensor handle with its info; values are dense arrays.

    Attributes
    ----------
    can_copy_in, can_copy_out, can_map
        Which functions it has.

    Raises
    ------
    BackendError
        By each method: the backend fails.
    """

    def __init__(self, handle: TensorHandle, info: TensorInfo) -> None:
        self._handle, self._api, self.info = handle, handle._api, info
        self.can_copy_in = bool(self._api.copy_in_from)
        self.can_copy_out = bool(self._api.copy_out_to)
        self.can_map = bool(self._api.map) and bool(self._api.unmap)

    def _call(self, function: str, *arguments: Any) -> None:
        call = getattr(self._api, function)
        backend = self._handle.factory.backend_id
        check_call(
            backend, f"{function} of a tensor handle",
            lambda item, error: call(item, *arguments, error), self._handle._object,
        )  # fmt: skip

    def copy_in(self, values: NDArray[Any]) -> None:
        """Write by ``copy_in_from``."""
        self._call("copy_in_from", values.ctypes.data, values.nbytes)

    def copy_out(self) -> NDArray[Any]:
        """Read by ``copy_out_to``."""
        values = np.zeros(self.info.static_shape, self.info.dtype)
        self._call("copy_out_to", values.ctypes.data, values.nbytes)
        return values

    @contextlib.contextmanager
    def mapped(self, access: int) -> Iterator[NDArray[Any]]:
        """Map it; gives the memory, which may have gaps."""
        memory = ctypes.c_void_p()
        self._call("map", access, ctypes.byref(memory))
        try:
            yield self._array_at(memory.value or 0)
        finally:
            self._call("unmap")

    def _array_at(self, address: int) -> NDArray[Any]:
        dtype, shape = np.dtype(self.info.dtype), self.info.static_shape
        strides = None
        if self._api.get_layout:
            sizes, steps = ((ctypes.c_uint64 * abi.ARMNN_MAX_DIMS)() for _ in range(2))
            rank = ctypes.c_uint32()
            self._api.get_layout(self._handle._object, sizes, steps, ctypes.byref(rank))
            shape, strides = tuple(sizes[: rank.value]), tuple(steps[: rank.value])
        size = dtype.itemsize + sum(
            (count - 1) * step for count, step in zip(shape, strides or (), strict=False)
        )
        size = size if strides is not None else self.info.byte_size
        raw = (ctypes.c_ubyte * size).from_address(address)
        return np.ndarray(shape, dtype, raw, strides=strides)  # type: ignore[arg-type]

    def imports(self) -> list[int]:
        """Return the sources of memory of the host that it may import."""
        ask = self._api.get_import_flags
        flags = int(ask(self._handle._object)) if ask else 0
        return [source for source in _IMPORTED if flags & source]

    def import_memory(self, memory: HostMemory) -> bool:
        """Let it use other memory; returns whether it does."""
        item, given = self._handle._object, ctypes.byref(memory.struct)
        for function in (self._api.can_be_imported, self._api.import_memory):
            error = ErrorBuffer()
            if function and function(item, given, ctypes.byref(error.struct)):
                return False
        return bool(self._api.import_memory)

    def unimport(self) -> None:
        """Let it use its own memory again."""
        self._call("unimport_memory")


class HostMemory:
    """Memory of the host that a tensor handle can import.

    Attributes
    ----------
    values
        What is in it.
    """

    def __init__(self, source: int, info: TensorInfo) -> None:
        self._fd = -1
        if source == abi.ARMNN_MEMORY_SOURCE_FILE:
            self._fd = os.memfd_create("tensor")
            os.ftruncate(self._fd, info.byte_size)
        raw = np.frombuffer(mmap.mmap(self._fd, info.byte_size), np.uint8)
        self.values: NDArray[Any] = raw.view(info.dtype).reshape(info.static_shape)
        self.struct = abi.armnn_memory_t()
        self.struct.header.struct_size = ctypes.sizeof(self.struct)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_MEMORY
        self.struct.source, self.struct.fd = source, self._fd
        self.struct.address, self.struct.size = raw.ctypes.data, info.byte_size

    def close(self) -> None:
        """Close the descriptor."""
        if self._fd >= 0:
            os.close(self._fd)
