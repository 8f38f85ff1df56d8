# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much memory and time the numbers in a model file may ask for.

A file of a kilobyte can state tensors of terabytes, and ask for gigabytes of constants (Expand,
ConstantOfShape, Tile), or for days of arithmetic (a product of two of these). What is computed
while a model is imported and optimised grows with the weights in the file; what goes beyond is
computed in each run.
"""

from __future__ import annotations

import functools
import os

from armnn_py import environment
from armnn_py.errors import InvalidArgumentError

_LEAST = 2**28
_TENSOR_LIMIT = 2**36  # the most, however much memory the machine has
_LEAST_WORK = 2**32

_given: int | None = None


def set_memory_budget(size: int | None) -> None:
    """Say how much memory a model may ask for that is not in its file.

    Parameters
    ----------
    size
        Bytes, at least 1, that all values may take that are computed while a model is imported, and
        while it is optimised; and the most that one of its tensors may take. None: as
        ``ARMNN_PY_MEMORY_BUDGET`` says, else 256 MiB and 16 times the weights at import, 256 MiB
        and 4 times the constants when it is optimised, and 64 GiB for a tensor. Neither is then
        more than the memory of the machine, or of the program's control group if that is less.

    Raises
    ------
    InvalidArgumentError
        The size is not an int, or less than 1.
    """
    global _given
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
        raise InvalidArgumentError(f"size: {size!r} given, an int of at least 1 expected")
    _given = size


def get_memory_budget() -> int | None:
    """Return what `set_memory_budget` or ``ARMNN_PY_MEMORY_BUDGET`` says, or None.

    Raises
    ------
    InvalidArgumentError
        The variable makes no sense.
    """
    return _given if _given is not None else environment.memory_budget()


def computed_budget(constants: int, growth: int = 16) -> int:
    """Return how many bytes may be computed from constants that have ``constants`` bytes."""
    given = get_memory_budget()
    return min(_LEAST + growth * constants, machine_memory()) if given is None else given


def work_budget(constants: int, growth: int = 128) -> int:
    """Return how much may be computed from constants that have ``constants`` bytes.

    In multiply-adds of a product of matrices of floats; anything else counts for what takes as
    long. So it is about a second at import, and one in the optimiser.
    """
    return _LEAST_WORK + growth * constants


def tensor_limit() -> int:
    """Return how many bytes a tensor of a model may have."""
    given = get_memory_budget()
    return min(_TENSOR_LIMIT, machine_memory()) if given is None else given


_MOST_BYTES = 1 << 16


@functools.cache
def machine_memory() -> int:
    """Return the bytes of memory that a program may take here, as they were when first asked."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    groups = _read("/proc/self/cgroup")
    return min(whole, limit_of_group(groups, "/sys/fs/cgroup") or whole)


def limit_of_group(groups: str, root: str) -> int | None:
    """Return the least memory limit of a control group and its parents; None if they set no limit.

    Parameters
    ----------
    groups
        What ``/proc/self/cgroup`` says.
    root
        Where the control groups are mounted. A container may see its own group there alone, so a
        path that is missing counts as having no limit.
    """
    limits = []
    for line in groups.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            top, name = root, "memory.max"
        elif "memory" in controllers.split(","):
            top, name = f"{root}/memory", "memory.limit_in_bytes"
        else:
            continue
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts) + 1):
            text = _read("/".join([top, *parts[:depth], name])).strip()
            if text.isdecimal() and int(text) > 0:  # else "max"
                limits.append(int(text))
    return min(limits, default=None)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read(_MOST_BYTES)
    except OSError:
        return ""
