# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files whose sums have been found right are marked, so that weights are read only once for that.

The mark is an extended attribute of the file, which holds its inode, size and time of change: a
copy, or a file that was written to, is checked anew. Where a file system has no such attributes, or
the file is another user's, it is checked each time. Who writes a file knows its sums, and marks it
at once. The mark is about damage by accident: the sums in a file are no signature either.
"""

from __future__ import annotations

import contextlib
import os
import time

__all__ = ["is_marked", "mark_as_checked", "mark_as_written"]

_NAME = "user.armnn_py.checked"
_SECONDS = 2.0  # within the resolution of times a change could go unseen


def is_marked(file: int, status: os.stat_result) -> bool:
    """Whether an open file, of which this is the status, is as it was when it was marked."""
    try:
        return os.getxattr(file, _NAME) == _value(status)
    except OSError:
        return False


def mark_as_checked(path: str) -> None:
    """Mark a file, unless it was written to a moment ago or cannot be marked."""
    with contextlib.suppress(OSError):
        status = os.stat(path)  # noqa: PTH116
        if time.time() - status.st_mtime > _SECONDS:
            os.setxattr(path, _NAME, _value(status))


def mark_as_written(path: str) -> None:
    """Mark a file that the caller has just written, before its name is known to others.

    It gets the time of now to the nanosecond, which is not the one of any later change.
    """
    with contextlib.suppress(OSError):
        now = time.time_ns()
        os.utime(path, ns=(now, now))
        status = os.stat(path)  # noqa: PTH116
        if status.st_mtime_ns == now:
            os.setxattr(path, _NAME, _value(status))


def _value(status: os.stat_result) -> bytes:
    return f"1:{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}".encode()
