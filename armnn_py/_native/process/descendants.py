# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Processes that processes of ours have left behind: found, and ended, wherever they went.

A process that starts a session of its own is in nobody's group any more. Linux gives it to the
nearest ancestor that has asked for such orphans: prctl(2), PR_SET_CHILD_SUBREAPER.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

__all__ = ["adopt_orphans", "end_children"]

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_ROUNDS = 1000  # each child that ends may leave children of its own
_ROUND_SECONDS = 0.002


def adopt_orphans() -> None:
    """Become the parent of what descendants of this process leave behind, from now on."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0)


def end_children(but: Collection[int] = ()) -> int:
    """Kill all children of this process but those named, and wait for them.

    Only for a process whose children are known to be nobody else's, such as one that was started
    to try a backend.

    Returns
    -------
    int
        How many there were, with what they had left behind themselves.
    """
    ended = 0
    for _ in range(_ROUNDS):  # a process that forks faster than this is not waited for
        found = _children() - set(but)
        if not found:
            break
        for child in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in found:
            with contextlib.suppress(ChildProcessError):
                ended += os.waitpid(child, os.WNOHANG)[0] == child
        time.sleep(_ROUND_SECONDS)
    return ended


def _children() -> set[int]:
    """Return the processes whose parent this one is; proc_pid_stat(5)."""
    ours = os.getpid()
    try:
        return set(map(int, Path(f"/proc/self/task/{ours}/children").read_text().split()))
    except OSError:
        pass  # a kernel without CONFIG_PROC_CHILDREN
    found = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{entry.name}/stat").read_text(errors="replace")
                # The second field is a name in parentheses, which may have any characters.
                if int(stat.rpartition(")")[2].split()[1]) == ours:
                    found.add(int(entry.name))
    return found
