# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The state of the process around code of others: what that changes is put back, and told."""

from __future__ import annotations

from armnn_py._native import abi
from armnn_py._native.library import core

__all__ = ["KeptState"]

_WORDS = {
    abi.ARMNN_STATE_FLOAT_CONTROL: "how numbers are rounded",
    abi.ARMNN_STATE_SIGNAL_MASK: "which signals are blocked",
    abi.ARMNN_STATE_HANDLERS: "handlers of signals",
    abi.ARMNN_STATE_FOLDER: "the working folder",
    abi.ARMNN_STATE_UMASK: "the umask",
    abi.ARMNN_STATE_LOCALE: "the locale",
    abi.ARMNN_STATE_STREAMS: "standard input, output or error",
    abi.ARMNN_STATE_ENVIRONMENT: "environment variables",
    abi.ARMNN_STATE_LIMITS: "resource limits",
    abi.ARMNN_STATE_TIMERS: "timers",
}


class KeptState:
    """A ``with`` block after which the state of the process is as it was before.

    That is: floating-point control and signal mask of the thread; handlers of signals that had one,
    or that are ignored afterwards; working folder, umask, locale; descriptors 0 to 2; environment
    variables that were there; resource limits that were higher; timers that nobody handles. What is
    added, as a handler of a signal that had none, stays. Other threads that change such state
    meanwhile lose their change.

    Attributes
    ----------
    changes
        After the block: words for each part that was put back.
    """

    __slots__ = ("_state", "changes")

    def __init__(self) -> None:
        self.changes: tuple[str, ...] = ()

    def __enter__(self) -> KeptState:
        self._state = core().armnn_core_note_state()
        return self

    def __exit__(self, *_: object) -> None:
        bits = core().armnn_core_restore_state(self._state)
        self.changes = tuple(words for bit, words in _WORDS.items() if bits & bit)
