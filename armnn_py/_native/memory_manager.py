# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory managers: pools behind the tensors of a backend, and small things their friends share."""

from __future__ import annotations

import ctypes
from typing import Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, status_name
from armnn_py._native.object_table import object_table
from armnn_py.errors import BackendError

__all__ = ["MemoryManager", "check_call", "pointer_value"]


def pointer_value(item: Any) -> int:
    """Where a pointer points to; 0 for null."""
    return ctypes.cast(item, ctypes.c_void_p).value or 0


def check_call(backend_id: str, what: str, call: Any, item: Any) -> None:
    """Call a function of an object that may fail; the error quotes the backend's words."""
    error = ErrorBuffer()
    status = call(item, ctypes.byref(error.struct))
    if status != abi.ARMNN_STATUS_OK:
        raise BackendError(
            f"backend '{backend_id}': {what} failed: {status_name(status)}",
            details=[error.text] if error.text else [],
        )


class MemoryManager:
    """An ``armnn_memory_manager_t``: the pools behind the tensors of a backend."""

    __slots__ = ("_acquired", "_api", "_object", "address", "backend_id")

    def __init__(self, item: Any, backend_id: str) -> None:
        self.backend_id = backend_id
        self.address = pointer_value(item)
        self._object = item
        self._acquired = False
        self._api = object_table(
            item,
            abi.armnn_memory_manager_api_t,
            abi.ARMNN_STRUCT_MEMORY_MANAGER,
            ("destroy",),
            backend_id,
        )

    def acquire(self) -> None:
        """Make the pools real; nothing happens if they are.

        Raises
        ------
        BackendError
            There is no memory, say; with the backend's words.
        """
        if self._acquired:
            return
        if self._api.acquire:
            check_call(
                self.backend_id, "acquire of a memory manager", self._api.acquire, self._object
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
                self.backend_id, "release of a memory manager", self._api.release, self._object
            )

    def destroy(self) -> None:
        """Destroy the manager; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None
