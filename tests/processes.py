# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Processes that a test has started by way of a backend."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["await_end", "children"]


def await_end(processes: Iterable[int], seconds: float = 20) -> None:
    """Wait until processes are gone: a killed one is there until its parent has asked for it."""
    end = time.monotonic() + seconds
    for process in processes:
        while Path(f"/proc/{process}").exists():
            assert time.monotonic() < end, f"process {process} is still there"
            time.sleep(0.01)


def children() -> set[int]:
    """The processes that this one has started, zombies included."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(number) for one in lists for number in one.read_text().split()}
