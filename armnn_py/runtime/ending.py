# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The end of the interpreter, at which all networks and runtimes are closed."""

from __future__ import annotations

import threading

from armnn_py.errors import InvalidArgumentError

_ending = threading.Event()


def begin_ending() -> None:
    """From now on what is closed says that the interpreter is ending."""
    _ending.set()


def closed_error(message: str, hint: str) -> BaseException:
    """Return what to raise where something is used that is closed.

    Daemon threads continue while the interpreter ends. Their exceptions then reach no handler:
    `SystemExit` ends such a thread without a traceback.
    """
    if not _ending.is_set():
        return InvalidArgumentError(message, hints=[hint])
    return end_of_thread(message) or InvalidArgumentError(
        f"the interpreter is ending: {message}",
        hints=["use it before the program ends, or in a handler of atexit set later"],
    )


def end_of_thread(message: str) -> SystemExit | None:
    """Return what ends this thread if it is a daemon and the interpreter is ending, else None."""
    thread = threading.current_thread()
    if not _ending.is_set() or not thread.daemon or thread is threading.main_thread():
        return None
    return SystemExit(f"the interpreter is ending: {message}")
