# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A fence of the host that the queues of a backend wait for before the first layer of each run."""

from __future__ import annotations

import ctypes
import os
import select
import threading
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi

if TYPE_CHECKING:
    from armnn_py._native.table.backend_context import NativeBackendContext

_FENCE, _CONTEXT = (dict(kind._fields_) for kind in (  # type: ignore[arg-type]
    abi.armnn_fence_api_t, abi.armnn_backend_context_api_t
))  # fmt: skip


class FenceGate:
    """The fence, which a context is given by its ``wait_fence`` from the next load on.

    Parameters
    ----------
    context
        Has ``wait_fence``. It keeps the table that is made for it: load networks afterwards.

    Attributes
    ----------
    flushes
        Whether ``signal_fence`` is not called, so that each row ends in after_enqueue_workload.
    is_early
        Whether the descriptor of a fence of the backend could be read while this fence was shut.
    is_refused
        Whether ``wait_fence`` answered UNSUPPORTED; then the host waits, a second at most.
    is_over
        Whether the fence counts as destroyed; runs do not wait for it any more.
    late
        How many calls of the fence came then.
    status
        The answer of its ``wait`` when it is open.
    """

    def __init__(self, context: NativeBackendContext) -> None:
        place = ctypes.cast(context.address, ctypes.POINTER(ctypes.c_void_p))
        own = place[0] or 0
        size = ctypes.sizeof(abi.armnn_backend_context_api_t)
        size = min(size, abi.armnn_header_t.from_address(own).struct_size)
        self._real, self._table = (abi.armnn_backend_context_api_t() for _ in range(2))
        for table in (self._real, self._table):
            ctypes.memmove(ctypes.byref(table), own, size)
        self.flushes = self.is_early = self.is_refused = self.is_over = False
        self.late, self.status = 0, abi.ARMNN_STATUS_OK
        self._event = threading.Event()
        self._descriptors: list[int] = []
        self._fence_api = abi.armnn_fence_api_t()
        self._fence_api.header.struct_size = ctypes.sizeof(self._fence_api)
        self._fence_api.header.struct_type = abi.ARMNN_STRUCT_FENCE
        self._fence_api.kind = abi.ARMNN_FENCE_OBJECT
        self._fence_api.wait = self._keep_wait = _FENCE["wait"](self._wait)
        self._fence_api.destroy = self._keep_destroy = _FENCE["destroy"](self._destroyed)
        self._fence = abi.armnn_fence_t(ctypes.pointer(self._fence_api))
        table.header.struct_size = ctypes.sizeof(table)
        table.before_run = self._keep_begin = _CONTEXT["before_run"](self._before_run)
        if self._real.signal_fence:
            table.signal_fence = self._keep_signal = _CONTEXT["signal_fence"](self._signal)
        place[0], context._api = ctypes.addressof(table), table
        self._place, self._own = place, own

    def shut(self) -> None:
        """Begin anew with a fence that is not signalled."""
        self._event.clear()

    def open(self) -> None:
        """Signal the fence."""
        self._event.set()

    def remove(self) -> None:
        """Give the context back its own table, which it is destroyed by."""
        self._place[0] = self._own
        for descriptor in self._descriptors:
            if descriptor >= 0:
                os.close(descriptor)

    def descriptors_end(self, seconds: float) -> bool:
        """Return whether all descriptors of the backend's fences can be read within that time."""
        return all(_can_be_read(one, seconds) for one in self._descriptors)

    def _wait(self, _fence: Any, timeout_ns: int, _error: Any) -> int:
        self.late += self.is_over
        if self.is_over or self._event.wait(min(timeout_ns, 10**9) / 1e9):
            return self.status
        return abi.ARMNN_STATUS_TIMEOUT

    def _destroyed(self, _fence: Any) -> None:
        self.late += 1  # only the host destroys it

    def _before_run(self, context: Any, notice: Any, error: Any) -> int:
        if self._real.before_run:
            status = int(self._real.before_run(context, notice, error))
            if status != abi.ARMNN_STATUS_OK:
                return status
        if self.is_over:
            return abi.ARMNN_STATUS_OK
        run, fence = notice.contents, ctypes.pointer(self._fence)
        status = int(
            self._real.wait_fence(context, run.network_id, run.execution_data, fence, error)
        )
        if status != abi.ARMNN_STATUS_UNSUPPORTED:
            return status
        self.is_refused = True
        return self._wait(None, 10**9, None)

    def _signal(self, context: Any, network: int, queue: Any, out: Any, error: Any) -> int:
        if self.flushes:
            return abi.ARMNN_STATUS_UNSUPPORTED
        status = int(self._real.signal_fence(context, network, queue, out, error))
        if status == abi.ARMNN_STATUS_OK and not self._event.is_set():
            fence = out[0]
            api = fence.contents.api.contents
            if api.kind != abi.ARMNN_FENCE_OBJECT:
                copy = _copy_of(api.get_fd(fence))
                self._descriptors.append(copy)
                self.is_early |= _can_be_read(copy, 0)
        return status


def _copy_of(descriptor: int) -> int:
    """Return a copy of a backend's descriptor; -1 if it is closed."""
    try:
        return os.dup(descriptor)
    except OSError:
        return -1


def _can_be_read(descriptor: int, seconds: float) -> bool:
    return descriptor >= 0 and bool(select.select([descriptor], [], [], seconds)[0])
