# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The program that called the package, for warnings that shall name its line."""

from __future__ import annotations

import sys


def caller_level() -> int:
    """Return the ``stacklevel`` of the first caller outside the package, for warnings.warn."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("armnn_py"):
        level, frame = level + 1, frame.f_back
    return level
