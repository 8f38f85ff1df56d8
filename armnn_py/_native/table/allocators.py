# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Allocators: a Python one as ``armnn_allocator_t``, and a backend's own."""

from __future__ import annotations

import ctypes
import logging
import operator
from collections.abc import Callable
from typing import Any, Protocol

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure, status_name
from armnn_py._native.object_table import object_table
from armnn_py._native.table.guarded_calls import note_caller
from armnn_py.errors import BackendError
from armnn_py.types import MemorySource

_log = logging.getLogger("armnn_py.backends")
_Api = abi.armnn_allocator_api_t
_TYPES: dict[str, Any] = dict(_Api._fields_)  # type: ignore[arg-type]
_SOURCES = (0, *(int(source) for source in MemorySource))


class AllocatorLike(Protocol):
    """The methods of ``armnn_py.Allocator``, which this package does not import."""

    @property
    def memory_source(self) -> MemorySource:
        """The kind of memory that it gives."""

    def allocate(self, size: int, alignment: int) -> int:
        """Return an address, or 0."""

    def free(self, address: int) -> None:
        """Free the memory at ``address``."""

    def get_memory_region_at_offset(self, address: int, offset: int, alignment: int) -> int:
        """Return the address ``offset`` bytes into an allocation."""


class GivenAllocator:
    """A program's allocator as an ``armnn_allocator_t``; it must outlive the backend.

    No exception leaves a callback: it is logged, and the backend gets null.

    Attributes
    ----------
    pointer
        For ``use_custom_memory_allocator``.
    """

    __slots__ = ("__weakref__", "_allocator", "_api", "_backend_id", "_struct", "pointer")

    def __init__(self, backend_id: str, allocator: AllocatorLike) -> None:
        self._backend_id = backend_id
        self._allocator = allocator
        source = int(allocator.memory_source)
        self._api = api = _Api()
        api.header.struct_size = ctypes.sizeof(api)
        api.header.struct_type = abi.ARMNN_STRUCT_ALLOCATOR
        # The program owns the allocator: nothing to destroy.
        api.destroy = _TYPES["destroy"](lambda _allocator: None)
        api.allocate = _TYPES["allocate"](self._allocate)
        api.release = _TYPES["release"](self._release)
        api.get_memory_source = _TYPES["get_memory_source"](lambda _allocator: source)
        api.get_memory_region_at_offset = _TYPES["get_memory_region_at_offset"](self._region)
        self._struct = abi.armnn_allocator_t(ctypes.pointer(api))
        self.pointer = ctypes.pointer(self._struct)
        note_caller(self)

    def _allocate(self, _allocator: Any, size: int, alignment: int) -> int | None:
        address = self._guarded("allocate", lambda: self._allocator.allocate(size, alignment))
        if not address:
            return None
        if alignment and address % alignment:
            _log.warning(
                "allocator of backend '%s': allocate gave 0x%x, which is not aligned to %d bytes",
                self._backend_id,
                address,
                alignment,
            )
            self._guarded("free", lambda: self._allocator.free(address))
            return None
        return address

    def _release(self, _allocator: Any, memory: int | None) -> None:
        if memory:
            self._guarded("free", lambda: self._allocator.free(memory))

    def _region(
        self, _allocator: Any, memory: int | None, offset: int, alignment: int
    ) -> int | None:
        return self._guarded(
            "get_memory_region_at_offset",
            lambda: self._allocator.get_memory_region_at_offset(memory or 0, offset, alignment),
        )

    def _guarded(self, method: str, call: Callable[[], int | None]) -> int | None:
        """Call Python code on behalf of C: an address that fits, or None."""
        try:
            answer = call()
            # ctypes would drop a result that is not an int, and give C an uninitialised one.
            address = 0 if answer is None else operator.index(answer)
            if 0 <= address < 1 << 64:
                return address or None
            reason = f"{address:#x} is not an address"
        except BaseException as error:  # no Python frame above could catch it
            reason = f"{type(error).__name__}: {error}"
        _log.error("allocator of backend '%s': %s failed: %s", self._backend_id, method, reason)
        return None


def use_allocator(api: abi.armnn_backend_api_t, instance: int, given: GivenAllocator) -> str | None:
    """Offer an allocator to an instance; None if it takes it, or else why not."""
    if not api.use_custom_memory_allocator:
        return "it has no use_custom_memory_allocator"
    error = ErrorBuffer()
    backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
    status = api.use_custom_memory_allocator(backend, given.pointer, ctypes.byref(error.struct))
    if status == abi.ARMNN_STATUS_OK:
        return None
    return error.text or status_name(status)


class NativeAllocator:
    """An ``armnn_allocator_t`` that a backend gave; destroy it before the instance."""

    __slots__ = ("_api", "_object", "source")

    def __init__(self, backend_id: str, item: Any) -> None:
        self._object = item
        self._api = object_table(
            item, _Api, abi.ARMNN_STRUCT_ALLOCATOR, ("allocate", "release"), backend_id
        )
        ask = self._api.get_memory_source
        source = ask(item) if ask else int(MemorySource.MALLOC)
        if source not in _SOURCES:
            self.destroy()
            raise BackendError(
                f"backend '{backend_id}': its default allocator has memory source {source}, "
                "which is not a MemorySource"
            )
        self.source = MemorySource(source)

    def allocate(self, size: int, alignment: int) -> int:
        """Return an address, or 0."""
        return self._api.allocate(self._object, size, alignment) or 0

    def free(self, address: int) -> None:
        """Take back what `allocate` gave."""
        self._api.release(self._object, address)

    def region(self, address: int, offset: int, alignment: int) -> int:
        """Return the address ``offset`` bytes into an allocation, or 0."""
        call = self._api.get_memory_region_at_offset
        if not call:
            return address + offset
        return call(self._object, address, offset, alignment) or 0

    def destroy(self) -> None:
        """Destroy the allocator; harmless when repeated."""
        if self._object is not None:
            if self._api.destroy:
                self._api.destroy(self._object)
            self._object = None


def default_allocator(
    backend_id: str, api: abi.armnn_backend_api_t, instance: int
) -> NativeAllocator | None:
    """Return the allocator of an instance; None if it has none.

    Raises
    ------
    BackendError
        The backend failed, or returned an invalid allocator.
    """
    if not api.get_default_allocator:
        return None
    error = ErrorBuffer()
    out = ctypes.POINTER(abi.armnn_allocator_t)()
    backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
    status = api.get_default_allocator(backend, ctypes.byref(out), ctypes.byref(error.struct))
    if status != abi.ARMNN_STATUS_OK:
        raise backend_failure(backend_id, "get_default_allocator", status, error)
    return NativeAllocator(backend_id, out) if out else None
