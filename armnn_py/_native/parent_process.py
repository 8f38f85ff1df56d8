# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A child process that does not outlive its parent."""

from __future__ import annotations

import ctypes
import os
import signal

__all__ = ["end_with_parent"]

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the process ``parent``, which started it, ends.

    It works whatever this process does, also in code that never returns; prctl(2).
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before the call
        os.kill(os.getpid(), signal.SIGKILL)
