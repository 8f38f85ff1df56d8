# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory managers: pools behind the tensors of a backend; and helpers for a backend's objects."""

from __future__ import annotations

import ctypes
from typing import Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure, check_memory, status_name
from armnn_py._native.object_table import object_table
from armnn_py.errors import BackendError


def pointer_value(item: Any) -> int:
    """The address in a pointer; 0 for null."""
    return ctypes.cast(item, ctypes.c_void_p).value or 0


def check_call(backend_id: str, what: str, call: Any, item: Any) -> None:
    """Call a function of an object that may fail; the error quotes the backend's words."""
    error = ErrorBuffer()
    status = call(item, ctypes.byref(error.struct))
    check_memory(status, backend_id, what, error)
    if status != abi.ARMNN_STATUS_OK:
        raise BackendError(
            f"backend '{backend_id}': {what} failed: {status_name(status)}",
            details=[error.text] if error.text else [],
        )


class MemoryManager:
    """An ``armnn_memory_manager_t``: the pools behind the tensors of a backend."""

    __slots__ = ("_acquired", "_api", "address", "backend_id", "object")

    def __init__(self, item: Any, backend_id: str) -> None:
        self.backend_id = backend_id
        self.address = pointer_value(item)
        self.object = item
        self._acquired = False
        self._api = object_table(
            item,
            abi.armnn_memory_manager_api_t,
            abi.ARMNN_STRUCT_MEMORY_MANAGER,
            ("destroy",),
            backend_id,
        )

    def acquire(self) -> None:
        """Acquire the pools; nothing happens if they are acquired.

        Raises
        ------
        BackendError
            The backend fails, for want of memory, say; with its words.
        """
        if self._acquired:
            return
        if self._api.acquire:
            check_call(
                self.backend_id, "acquire of a memory manager", self._api.acquire, self.object
            )
        self._acquired = True

    def release(self) -> None:
        """Give the pools back; nothing happens if they are not acquired.

        Raises
        ------
        BackendError
            With the backend's words.
        """
        if not self._acquired:
            return
        self._acquired = False
        if self._api.release:
            check_call(
                self.backend_id, "release of a memory manager", self._api.release, self.object
            )

    def destroy(self) -> None:
        """Destroy the manager; harmless when repeated."""
        if self.object is not None:
            self._api.destroy(self.object)
            self.object = None


def create_memory_manager(
    backend_id: str, api: abi.armnn_backend_api_t, instance: int
) -> MemoryManager | None:
    """The manager of memory that the workloads of one network share; None if the backend has none.

    Raises
    ------
    BackendError
        The backend fails to make it.
    """
    if not api.create_memory_manager:
        return None
    error = ErrorBuffer()
    out = ctypes.POINTER(abi.armnn_memory_manager_t)()
    backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
    status = api.create_memory_manager(backend, ctypes.byref(out), ctypes.byref(error.struct))
    if status != abi.ARMNN_STATUS_OK:
        raise backend_failure(backend_id, "create_memory_manager", status, error)
    return MemoryManager(out, backend_id) if out else None
