# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Limits that a worker puts on itself before it opens a backend."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from armnn_py._native.channel import yield_between_runs
from armnn_py.runtime.threads import set_num_threads

if TYPE_CHECKING:
    from armnn_py.isolation.settings import Isolation

__all__ = ["apply_limits"]


def apply_limits(limits: Isolation) -> None:
    """Put them in force; they cannot be taken back."""
    yield_between_runs()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory_bytes is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes,) * 2)
    if limits.open_files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files,) * 2)
    if limits.threads is not None:
        set_num_threads(limits.threads)
