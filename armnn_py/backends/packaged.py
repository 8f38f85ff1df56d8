# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which files are the package's own."""

from __future__ import annotations

import functools
import os
import sys

__all__ = ["is_of_package"]


def is_of_package(path: str) -> bool:
    """Whether a file lies in the folder of this package: it was installed with it."""
    return path.startswith(_folders_of_package(tuple(sys.modules["armnn_py"].__path__)))


@functools.cache
def _folders_of_package(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{os.path.realpath(folder)}/" for folder in folders)
