# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Limits that a worker puts on itself before it opens a backend."""

from __future__ import annotations

import glob
import resource
import sys
from typing import TYPE_CHECKING

from armnn_py._native.channel import yield_between_runs
from armnn_py._native.process.confinement import (
    confine_files,
    confine_system_calls,
    give_up_privileges,
)
from armnn_py.runtime.threads import set_num_threads

if TYPE_CHECKING:
    from collections.abc import Iterable

    from armnn_py.isolation.settings import Isolation

__all__ = ["apply_limits"]

_OF_THE_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/opt", "/dev/urandom")


def apply_limits(limits: Isolation, folders: Iterable[str]) -> None:
    """Put them in force; they cannot be taken back.

    Parameters
    ----------
    limits
        All of them.
    folders
        Where backends are searched.

    Raises
    ------
    ConfinementError
        The kernel lacks what a limit needs.
    """
    yield_between_runs()
    give_up_privileges()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory_bytes is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes,) * 2)
    if limits.open_files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files,) * 2)
    if limits.written_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.written_bytes,) * 2)
    if limits.threads is not None:
        set_num_threads(limits.threads)
    if limits.files is not None:
        readable = [*_OF_THE_SYSTEM, sys.prefix, sys.base_prefix, *sys.path, *folders]
        writable = [path for one in limits.files for path in glob.glob(one)]  # noqa: PTH207
        confine_files(filter(None, readable), ["/dev/null", *writable])
    confine_system_calls(network=limits.network, programs=limits.programs)
