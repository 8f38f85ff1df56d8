# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared objects in searched folders that were left alone because of their file names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from armnn_py.text import counted

_SHARED_OBJECT = re.compile(r"\.so(\.\d+)*$", re.IGNORECASE)
_MOST_NAMES = 3


def is_misnamed(verdict: Mapping[str, Any]) -> bool:
    """Say whether a verdict is on a shared object that was skipped at the step ``name``."""
    return (
        verdict["status"] == "skipped"
        and verdict["stage"] == "name"
        and _SHARED_OBJECT.search(str(verdict["path"])) is not None
    )


def misnamed_lines(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each folder with shared objects whose names do not follow the rule."""
    folders: dict[str, list[str]] = {}
    for verdict in verdicts:
        if is_misnamed(verdict):
            folder, name = os.path.split(str(verdict["path"]))
            folders.setdefault(folder, []).append(name)
    return [_line(folder, names) for folder, names in folders.items()]


def _line(folder: str, names: list[str]) -> str:
    verb = "does" if len(names) == 1 else "do"
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return (
        f"{counted(len(names), 'file')} in {folder} {verb} not follow "
        f"<vendor>_<name>_backend.so: {', '.join(names[:_MOST_NAMES])}{more}"
    )
