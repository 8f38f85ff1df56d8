# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory that a program gives to a backend."""

from __future__ import annotations

from abc import ABC, abstractmethod

from armnn_py.later import public_class
from armnn_py.types import MemorySource

__all__ = ["Allocator"]


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
        """Return the address of ``size`` bytes, a multiple of ``alignment``; 0 if there is none."""

    @abstractmethod
    def free(self, address: int) -> None:
        """Free memory of `allocate`."""

    def get_memory_region_at_offset(self, address: int, offset: int, alignment: int) -> int:
        """Return the address ``offset`` bytes into an allocation.

        Override it for memory whose addresses are handles. 0: there is none of this alignment.
        """
        region = address + offset
        return region if not alignment or region % alignment == 0 else 0
