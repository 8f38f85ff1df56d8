# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which files and ids are the package's own."""

from __future__ import annotations

import functools
import os
import sys

__all__ = ["RESERVED_IDS", "is_of_package", "is_reserved"]

#: Ids of the backends that the package ships: no other file gets one by being found.
RESERVED_IDS = frozenset({"CpuAcc", "CpuRef"})

#: Held here: at the end of the interpreter backends are closed when `sys.modules` has nothing left.
_package = sys.modules["armnn_py"]


def is_of_package(path: str) -> bool:
    """Whether a file lies in the folder of this package: it was installed with it."""
    return path.startswith(_folders_of_package(tuple(_package.__path__)))


def is_reserved(backend_id: str, path: str) -> bool:
    """Whether a file that lies elsewhere has the id of one of the package's backends."""
    return backend_id in RESERVED_IDS and not is_of_package(path)


@functools.cache
def _folders_of_package(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{os.path.realpath(folder)}/" for folder in folders)
