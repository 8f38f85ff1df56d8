# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The state of the process around code of others: what that changes is put back, and told."""

from __future__ import annotations

from ctypes import byref, c_uint32

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
    abi.ARMNN_STATE_SCHEDULING: "how the thread is scheduled",
    abi.ARMNN_STATE_SIGNAL_STACK: "the stack of signal handlers",
    abi.ARMNN_STATE_ROOT: "the root folder",
    abi.ARMNN_STATE_IDS: "users or groups",
    abi.ARMNN_STATE_ATTRIBUTES: "what prctl sets",
}


class KeptState:
    """A ``with`` block after which the state of the process is as it was before.

    That is: floating-point control and signal mask of the thread; handlers of signals that had one,
    or that are ignored afterwards; working folder, umask, locale; descriptors 0 to 2; environment
    variables that were there; resource limits that were higher; timers that nobody handles; root
    folder, users and groups; processors, priority, name and stack of signal handlers of the thread;
    attributes of prctl. What is added, as a handler of a signal that had none, stays. Other threads
    that change such state meanwhile lose their change.

    Attributes
    ----------
    changes
        After the block: words for each part that was put back.
    kept
        After the block: words for each part that was changed and cannot be put back, because the
        process has no right to.
    """

    __slots__ = ("_state", "changes", "kept")

    def __init__(self) -> None:
        self.changes: tuple[str, ...] = ()
        self.kept: tuple[str, ...] = ()

    def __enter__(self) -> KeptState:
        self._state = core().armnn_core_note_state()
        return self

    def __exit__(self, *_: object) -> None:
        out_kept = c_uint32()
        changed = core().armnn_core_restore_state(self._state, byref(out_kept))
        self.changes = _words_of(changed & ~out_kept.value)
        self.kept = _words_of(out_kept.value)


def _words_of(bits: int) -> tuple[str, ...]:
    return tuple(words for bit, words in _WORDS.items() if bits & bit)
