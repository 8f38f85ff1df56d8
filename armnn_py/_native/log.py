# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Lines that backends logged, from the native ring to Python's ``logging``.

Backend threads write into the ring and never enter the interpreter; this side empties it after
calls that may have logged. Names are ``armnn_py.native.<component>``.
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable

from armnn_py._native import abi
from armnn_py._native.library import core

_LEVELS = {
    abi.ARMNN_LOG_TRACE: logging.DEBUG - 5,
    abi.ARMNN_LOG_DEBUG: logging.DEBUG,
    abi.ARMNN_LOG_INFO: logging.INFO,
    abi.ARMNN_LOG_WARNING: logging.WARNING,
    abi.ARMNN_LOG_ERROR: logging.ERROR,
}
_ROOT = "armnn_py.native"


def follow_log_level() -> None:
    """Tell the native side which lines the logger would keep, so that it stores no others."""
    wanted = logging.getLogger(_ROOT).getEffectiveLevel()
    native = min((n for n, level in _LEVELS.items() if level >= wanted), default=5)
    core().armnn_core_set_log_level(native)


def _first_pending() -> int:
    """Find the function that counts pending lines: each run asks it."""
    global _pending
    # Called with the interpreter's lock, which costs less than giving it back and taking it again:
    # who has the ring's mutex never waits for the interpreter.
    _pending = ctypes.PYFUNCTYPE(ctypes.c_int)(("armnn_core_log_pending", core()))
    return int(_pending())


_pending: Callable[[], int] = _first_pending


def drain_log() -> None:
    """Hand every pending line to its logger."""
    if not _pending():
        return
    library = core()
    record = abi.armnn_log_record_t()
    while library.armnn_core_log_next(ctypes.byref(record)):
        component = record.component.decode("utf-8", "replace") or "backend"
        logger = logging.getLogger(f"{_ROOT}.{component}")
        if record.lost:
            logger.warning("%d lines were lost before this one", record.lost)
        logger.log(
            _LEVELS.get(record.level, logging.INFO), "%s", record.text.decode("utf-8", "replace")
        )
