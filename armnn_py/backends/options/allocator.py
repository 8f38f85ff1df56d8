# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory that a program gives to a backend, and memory that a backend gives to a program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.types import MemorySource

if TYPE_CHECKING:
    from armnn_py._native.table.allocators import NativeAllocator
    from armnn_py.backends.instance import BackendInstance


@public_class
class Allocator(ABC):
    """Memory for the tensors of one backend; Arm NN's ``ICustomAllocator``.

    Derive from it and pass an object to ``Runtime(custom_allocators={"Id": allocator})``. Its
    methods are called from any thread, also while a network runs. An exception of theirs is logged
    and counts as "no memory".
    """

    @property
    def memory_source(self) -> MemorySource:
        """The kind of memory that it gives; asked once, when a backend gets the allocator."""
        return MemorySource.MALLOC

    @abstractmethod
    def allocate(self, size: int, alignment: int) -> int:
        """Return the address of ``size`` bytes, a multiple of ``alignment``; 0 without memory."""

    @abstractmethod
    def free(self, address: int) -> None:
        """Free memory of `allocate`."""

    def get_memory_region_at_offset(self, address: int, offset: int, alignment: int) -> int:
        """Return the address ``offset`` bytes into an allocation.

        Override it for memory whose addresses are handles. 0: no memory of this alignment.
        """
        region = address + offset
        return region if not alignment or region % alignment == 0 else 0


class BackendAllocator(Allocator):
    """A backend's own allocator; `Backend.default_allocator`. Its methods raise once the runtime
    of the backend is closed.
    """

    __slots__ = ("_backend", "_native")

    def __init__(self, backend: BackendInstance, native: NativeAllocator) -> None:
        self._backend = backend
        self._native = native

    @property
    def memory_source(self) -> MemorySource:
        """The kind of memory that it gives."""
        return self._native.source

    def allocate(self, size: int, alignment: int = 64) -> int:
        """Return the address of ``size`` bytes, a multiple of ``alignment``; 0 if memory is short.

        Raises
        ------
        InvalidArgumentError
            ``size`` is negative, ``alignment`` is not a power of two, or the runtime is closed.
        """
        if not 0 <= size < 1 << 64 or alignment < 1 or alignment & (alignment - 1):
            raise InvalidArgumentError(
                f"allocate: {size} bytes aligned to {alignment} given, "
                "a size of at least 0 and a power of two expected"
            )
        with self._backend.in_use():
            return self._native.allocate(size, alignment)

    def free(self, address: int) -> None:
        """Free memory of `allocate`.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self._backend.in_use():
            self._native.free(address)

    def get_memory_region_at_offset(self, address: int, offset: int, alignment: int) -> int:
        """Return the address ``offset`` bytes into an allocation.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self._backend.in_use():
            return self._native.region(address, offset, alignment)

    def __repr__(self) -> str:
        return f"<allocator of backend '{self._backend.id}', {self.memory_source.name}>"
