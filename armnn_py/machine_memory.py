# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much memory a program may take here: the machine's, or less if its control group has less."""

from __future__ import annotations

import functools
import os

__all__ = ["limit_of_group", "machine_memory"]

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
