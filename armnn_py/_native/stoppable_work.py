# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Work other than runs that a backend may give up: to compile sub-graphs, to make workloads."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from armnn_py._native import abi
from armnn_py._native.library import core
from armnn_py._native.plans.signal_gate import SignalGate
from armnn_py.stopping import check_stopped

_thread = threading.local()


class _Limits:
    """Limits of the calling thread's work, as a token of a `SignalGate`."""

    @property
    def cancelled(self) -> bool:
        check_stopped()
        return False


@contextlib.contextmanager
def stoppable_work() -> Iterator[None]:
    """Let backends ask in the block whether it should stop: ``cancelled`` with run 0.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C came while a backend asked.
    ExecutionTimeoutError, ExecutionCancelledError
        As `armnn_py.stopping.check_stopped`.
    """
    if getattr(_thread, "is_inside", False):
        yield
        return
    caught: list[BaseException] = []
    kind: Any = abi.CORE_FUNCTIONS["armnn_core_set_work"][1][0]
    gate = SignalGate(kind, caught, [_Limits()])
    set_work = core().armnn_core_set_work
    set_work(gate.callback)
    _thread.is_inside = True
    try:
        yield
    finally:
        _thread.is_inside = False
        set_work(kind())
        gate.close()
        if caught:
            raise caught[0]
