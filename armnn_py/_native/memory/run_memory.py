# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Structures for inputs and outputs of a run that lie behind descriptors, and their fences."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.library import core

if TYPE_CHECKING:
    from collections.abc import Sequence


class DescriptorFence:
    """A fence that is signalled when a descriptor can be read; it has a duplicate of that.

    Raises
    ------
    OSError
        The descriptor is closed.
    """

    __slots__ = ("struct",)

    def __init__(self, fd: int, *, is_sync_file: bool) -> None:
        kind = abi.ARMNN_FENCE_SYNC_FILE if is_sync_file else abi.ARMNN_FENCE_EVENTFD
        self.struct = core().armnn_core_fd_fence(fd, kind)
        if not self.struct:
            raise OSError(f"descriptor {fd} cannot be duplicated")

    def __del__(self) -> None:  # not before the last run that waits for it
        struct = getattr(self, "struct", None)
        if struct:
            core().armnn_core_fence_destroy(struct)


class Descriptor:
    """A duplicate of a file descriptor, open as long as somebody holds this.

    Raises
    ------
    OSError
        The descriptor is closed.
    """

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = os.dup(fd)

    def __del__(self) -> None:
        if hasattr(self, "fd"):
            os.close(self.fd)


def build_run_memory(
    *,
    source: int,
    fd: int,
    address: int,
    offset: int,
    size: int,
    strides: Sequence[int] | None,
    shape: Sequence[int],
    element: int,
    ready: DescriptorFence | None,
) -> Any:
    """An ``armnn_run_memory_t``; dense without ``strides``; -1 is no ``fd``, 0 no ``address``."""
    struct = abi.armnn_run_memory_t()
    memory = abi.armnn_memory_t()
    struct.memory = ctypes.pointer(memory)
    memory.header.struct_size = ctypes.sizeof(abi.armnn_memory_t)
    memory.header.struct_type = abi.ARMNN_STRUCT_MEMORY
    memory.source = source
    memory.fd = fd
    memory.address = address or None
    memory.offset = offset
    memory.size = size
    for axis, stride in enumerate(strides or ()):
        memory.byte_strides[axis] = max(stride, 1)  # 0 would say that it is dense
    if ready is not None:
        memory.ready = ready.struct
    struct.rank = len(shape)
    struct.element = element
    for axis, side in enumerate(shape):
        struct.shape[axis] = side
    return struct


def build_run_memories(structs: Sequence[Any]) -> Any:
    """Pointers to structures, of inputs and then outputs; None becomes null."""
    kind = ctypes.POINTER(abi.armnn_run_memory_t)
    return (kind * max(len(structs), 1))(
        *[kind() if struct is None else ctypes.pointer(struct) for struct in structs]
    )


def array_at(address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """A dense array over memory that somebody else keeps."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = (ctypes.c_ubyte * size).from_address(address)
    return np.ndarray(shape, dtype, raw)  # type: ignore[arg-type]
