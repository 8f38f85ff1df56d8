# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The context of a backend instance: it gets notices about networks, and waits for queues."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, check_memory, status_name
from armnn_py._native.object_table import object_table
from armnn_py._native.table.backend_options import build_options
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py._native.table.backend_table import BackendTable


class ContextError(Exception):
    """A backend made no usable context; ``code`` is the code of the verdict."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class NativeBackendContext:
    """An ``armnn_backend_context_t``; destroy it before its backend instance."""

    __slots__ = (
        "_api",
        "_object",
        "address",
        "backend_id",
        "makes_fences",
        "takes_fences",
    )

    def __init__(self, backend_id: str, item: Any) -> None:
        self.backend_id = backend_id
        self.address: int = ctypes.cast(item, ctypes.c_void_p).value or 0
        self._object = item
        self._api = object_table(
            item,
            abi.armnn_backend_context_api_t,
            abi.ARMNN_STRUCT_BACKEND_CONTEXT,
            ("destroy",),
            backend_id,
        )
        #: Whether its queues work beside other steps, and wait for fences of others.
        self.makes_fences = bool(self._api.signal_fence)
        self.takes_fences = bool(self._api.wait_fence)
        for function in ("signal_fence", "wait_fence"):
            if getattr(self._api, function) and not self.waits:
                raise BackendError(
                    f"its table has '{function}' but no 'after_enqueue_workload', which ends a run "
                    "that fails"
                )

    @property
    def waits(self) -> bool:
        """Whether ``execute`` of this backend may return before its work is done."""
        return bool(self._api.after_enqueue_workload)

    @property
    def listens(self) -> bool:
        """Whether it wants to hear of the begin or the end of runs."""
        return bool(self._api.before_run or self._api.after_run)

    @property
    def takes_run_options(self) -> bool:
        """Whether options of a run can reach the backend."""
        return bool(self._api.before_run)

    def notify(self, function: str, network_id: int) -> str | None:
        """Call one of the four notices about networks; None if it was OK, or else the reason.

        A function that the context does not have is OK. Calls on one context must not overlap.
        """
        call = getattr(self._api, function)
        if not call:
            return None
        error = ErrorBuffer()
        status = call(self._object, network_id, ctypes.byref(error.struct))
        if status == abi.ARMNN_STATUS_OK:
            return None
        return error.text or status_name(status)

    def begin_run(self, run_id: int, execution_data: int | None) -> str | None:
        """Announce a run without options; return None if it may begin, else the reason."""
        if not self._api.before_run:
            return None
        error = ErrorBuffer()
        notice = _notice_of(run_id, execution_data)
        status = self._api.before_run(
            self._object, ctypes.byref(notice), ctypes.byref(error.struct)
        )
        return None if status == abi.ARMNN_STATUS_OK else error.text or status_name(status)

    def end_run(self, run_id: int, execution_data: int | None) -> None:
        """Announce the end of a run."""
        if self._api.after_run:
            self._api.after_run(self._object, ctypes.byref(_notice_of(run_id, execution_data)))

    def destroy(self) -> None:
        """Destroy the context; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None


def _notice_of(run_id: int, execution_data: int | None) -> abi.armnn_run_notice_t:
    notice = abi.armnn_run_notice_t()
    notice.header.struct_size = ctypes.sizeof(notice)
    notice.header.struct_type = abi.ARMNN_STRUCT_RUN_NOTICE
    notice.run_id = run_id
    notice.execution_data = execution_data
    return notice


def create_backend_context(
    table: BackendTable,
    backend_id: str,
    instance: int,
    values: Mapping[str, OptionValue],
    defaults: Mapping[str, OptionDefault],
) -> NativeBackendContext | None:
    """Make the context of an instance; None if the backend has none.

    Raises
    ------
    ContextError
        The backend failed, or its context is invalid; code ``unavailable``: there is no device.
    """
    if not table.api.create_backend_context:
        return None
    error = ErrorBuffer()
    out = ctypes.POINTER(abi.armnn_backend_context_t)()
    options, alive = build_options(values, defaults)
    status = table.api.create_backend_context(
        ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)),
        ctypes.byref(options),
        ctypes.byref(out),
        ctypes.byref(error.struct),
    )
    del alive
    if status == abi.ARMNN_STATUS_UNAVAILABLE:
        reason = error.text or "its device or driver is not available on this machine"
        raise ContextError("unavailable", reason)
    check_memory(status, backend_id, "create_backend_context", error)
    if status != abi.ARMNN_STATUS_OK:
        reason = f"create_backend_context failed with {status_name(status)}"
        raise ContextError("context-failed", f"{reason}: {error.text}" if error.text else reason)
    if not out:
        return None
    address = ctypes.addressof(out.contents)
    if not is_readable(address, ctypes.sizeof(abi.armnn_backend_context_t)):
        reason = f"create_backend_context returned 0x{address:x}, which cannot be read"
        raise ContextError("context-unreadable", reason)
    try:
        return NativeBackendContext(backend_id, out)
    except BackendError as problem:
        raise ContextError("context-table", f"create_backend_context: {problem}") from None
