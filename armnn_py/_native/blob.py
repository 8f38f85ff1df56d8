# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Compiled sub-graphs that a backend made, owned until nothing refers to them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, status_name
from armnn_py._native.interrupts import deferred_interrupts
from armnn_py.errors import BackendError
from armnn_py.ownership import Owner

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NativeBlob", "check_blob"]


class NativeBlob(Owner, instead="optimize() the network again: its backend makes a blob anew"):
    """An ``armnn_blob_t`` that the host owns.

    Nodes, optimised networks and workloads refer to it. When the last of them is gone, the
    backend's ``release`` is called, once, on the thread that dropped it.

    Parameters
    ----------
    blob
        The structure that the backend gave; everything is copied.
    compatibility
        The bytes that ``check_blob`` gets to see.
    retain, release
        Keep the backend open from `take` until the blob is released.

    The backend owns the blob until `take`.
    """

    __slots__ = (
        "__weakref__",
        "_give_up_backend",
        "_release",
        "_retain",
        "_text",
        "compatibility",
        "struct",
    )

    def __init__(
        self,
        blob: abi.armnn_blob_t,
        compatibility: bytes,
        *,
        retain: Callable[[], None],
        release: Callable[[], None],
    ) -> None:
        self._give_up_backend: Callable[[], None] | None = None
        self.compatibility = compatibility
        self._text = ctypes.create_string_buffer(compatibility)
        #: The structure, for sub-graphs and workload infos; it lives as long as this object.
        self.struct = abi.armnn_blob_t()
        self.struct.header.struct_size = ctypes.sizeof(abi.armnn_blob_t)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_BLOB
        self.struct.object = blob.object
        self.struct.release = blob.release
        self.struct.compatibility.data = ctypes.cast(self._text, ctypes.POINTER(ctypes.c_char))
        self.struct.compatibility.size = len(compatibility)
        self._retain, self._release = retain, release

    def take(self) -> None:
        """Become the owner; call it last, when nothing can fail any more.

        Raises
        ------
        InvalidArgumentError
            The backend is closed; it still owns the blob.
        """
        self._retain()
        self._give_up_backend = self._release

    def __del__(self) -> None:
        give_up = self._give_up_backend
        if give_up is None:  # never became ours
            return
        with deferred_interrupts():  # until the backend has one user less
            self._give_up_backend = None
            try:
                if self.struct.release:
                    self.struct.release(self.struct.object)
            finally:
                give_up()

    def __repr__(self) -> str:
        return f"<NativeBlob 0x{self.struct.object or 0:x} {self.compatibility[:40]!r}>"


def check_blob(
    backend_id: str, api: abi.armnn_backend_api_t, instance: Any, blob: NativeBlob, layer: str
) -> None:
    """Ask a backend whether a blob may still be used; without ``check_blob`` it may.

    Raises
    ------
    BackendError
        It may not; the message has the layer's name and the backend's reason.
    """
    if not api.check_blob:
        return
    error = ErrorBuffer()
    status = api.check_blob(
        ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)),
        blob.struct.compatibility,
        ctypes.byref(error.struct),
    )
    if status == abi.ARMNN_STATUS_OK:
        return
    raise BackendError(
        f"backend '{backend_id}' does not take the compiled sub-graph '{layer}': "
        + (error.text or status_name(status)),
        details=[
            f"status: {status_name(status)}",
            f"made for: {blob.compatibility.decode('utf-8', 'replace') or 'not said'}",
        ],
        hints=["optimize() the network again on this machine"],
    )
