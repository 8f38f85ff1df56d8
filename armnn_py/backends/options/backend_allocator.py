# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory that a backend gives to a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.backends.options.allocator import Allocator
from armnn_py.errors import InvalidArgumentError
from armnn_py.types import MemorySource

if TYPE_CHECKING:
    from armnn_py._native.table.allocators import NativeAllocator
    from armnn_py.backends.instance import BackendInstance

__all__ = ["BackendAllocator"]


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
        """Return the address of ``size`` bytes, a multiple of ``alignment``; 0 if there is none.

        Raises
        ------
        InvalidArgumentError
            ``size`` is negative, ``alignment`` is no power of two, or the runtime is closed.
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
