# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The shared thread pool of the process, and how much of it one network takes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from armnn_py import environment
from armnn_py._native.calls import raise_status
from armnn_py._native.library import core
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_THREADS = 1024

_decided = False


def get_num_threads() -> int:
    """How many threads one layer may use, the caller's included.

    Default: the processors this process may use by affinity and cgroup quota, or
    ``ARMNN_PY_NUM_THREADS``.
    """
    count: int = core().armnn_core_thread_count()
    return count


def set_num_threads(count: int) -> None:
    """Set the size of the pool for all networks of the process; 0 restores the default.

    Raises
    ------
    InvalidArgumentError
        If ``count`` is not an int from 0 to 1024.
    """
    global _decided
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_THREADS:
        raise InvalidArgumentError(
            f"number of threads: {count!r} given, an int from 0 to {MAX_THREADS} expected",
            hints=["0 means every processor that this process may use"],
        )
    _decided = True
    status = core().armnn_core_set_thread_count(count)
    if status != 0:
        raise_status(status, f"the pool cannot be set to {count} threads")


@contextmanager
def limited_threads(count: int | None) -> Iterator[None]:
    """Let the calling thread, and plans that it makes, take at most ``count`` threads of the pool.

    The caller is one of them. None: as many as there are.

    Raises
    ------
    InvalidArgumentError
        If ``count`` is neither None nor an int from 1 to 1024.
    """
    if count is None:
        yield
        return
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_THREADS:
        raise InvalidArgumentError(
            f"threads: {count!r} given, an int from 1 to {MAX_THREADS} expected"
        )
    before = core().armnn_core_limit_threads(count)
    try:
        yield
    finally:
        core().armnn_core_limit_threads(before)


def use_environment_once() -> None:
    """Apply ``ARMNN_PY_NUM_THREADS`` unless a number was chosen before."""
    if not _decided:
        count = environment.thread_count()
        if count is not None:
            set_num_threads(count)
