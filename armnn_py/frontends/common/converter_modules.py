# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Modules of converters, which register themselves in a table when they are imported."""

from __future__ import annotations

import functools
import importlib
import pkgutil

__all__ = ["import_modules"]


@functools.cache
def import_modules(package: str) -> None:
    """Import every module below a package, once."""
    root = importlib.import_module(package)
    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        importlib.import_module(module.name)
