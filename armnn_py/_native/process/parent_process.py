# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Python process of its own: the command that starts it; it does not outlive its parent."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36
_START = (
    "import importlib, json, sys; sys.path[:], module, name, given = json.loads(sys.argv[1]); "
    "getattr(importlib.import_module(module), name)(*given)"
)


def child_command(module: str, function: str, *arguments: Any) -> list[str]:
    """Return the command of a process that calls a function, for ``subprocess``.

    It sees the modules that this process sees, and nothing of the working folder. ``arguments`` are
    what JSON can write.
    """
    given = json.dumps([sys.path, module, function, arguments])
    return [sys.executable, "-P", "-c", _START, given]


def start_forking(
    module: str, function: str, *arguments: Any, descriptors: Sequence[int], **given: Any
) -> subprocess.Popen[bytes]:
    """Start a process that will fork others: it has one thread, whatever this one has.

    It calls a function, see `child_command`, and keeps the named descriptors; ``given`` is for
    ``subprocess.Popen``.
    """
    return subprocess.Popen(
        child_command(module, function, *arguments),
        pass_fds=descriptors,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        **given,
    )


def forked(work: Callable[[], object], *, failed: int = 1) -> int:
    """Fork a process that does some work and ends; returns its number.

    It ends with this process. Its exit code is 0, or ``failed`` after an exception, which is on its
    standard error.
    """
    parent = os.getpid()
    number = os.fork()
    if number:
        return number
    code = failed
    try:
        end_with_parent(parent)
        work()
        code = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the process ``parent``, which started it, ends.

    It works whatever this process does, also in code that never returns; prctl(2).
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before the call
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Have processes whose parent ends become children of this one, if they descend from it."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0)


def how_it_ended(code: int) -> str:
    """Return what an exit code of ``subprocess`` says: a signal, or an unexpected status."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:  # a real-time signal
        return f"signal {-code}"
