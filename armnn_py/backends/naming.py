# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The rule that a backend's file name follows: ``<vendor>_<name>_backend.so[.<digits>...]``.

Arm NN's rule, with its one slip mended: the dot of ``.so`` means a dot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["FILE_NAME_RULE", "BackendFileName", "name_mismatch", "parse_file_name"]

FILE_NAME_RULE = "<vendor>_<name>_backend.so[.<digits>...]"
_FILE_NAME = re.compile(r"([A-Za-z0-9]+)_([A-Za-z0-9]+)_backend\.so((?:\.[0-9]+)*)")
_PARTS = re.compile(r"(?P<vendor>.*?)_(?P<name>.*)_backend\.so(?P<suffix>.*)", re.DOTALL)
_ALNUM = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class BackendFileName:
    """The parts of a file name that follows the rule."""

    vendor: str
    name: str
    suffixes: tuple[str, ...] = ()


def parse_file_name(file_name: str) -> BackendFileName | None:
    """Return the parts of ``file_name`` (no folder), or None if it breaks the rule."""
    match = _FILE_NAME.fullmatch(file_name)
    if match is None:
        return None
    return BackendFileName(match[1], match[2], tuple(match[3].split(".")[1:]))


def name_mismatch(file_name: str) -> str | None:
    """Return what is wrong with a name that was meant to follow the rule, or None if unclear."""
    match = _PARTS.fullmatch(file_name)
    if match is None:
        if "backend" in file_name and ".so" in file_name:
            return f"call the file {FILE_NAME_RULE}"
        return None
    for part in ("vendor", "name"):
        if not match[part]:
            return f"the <{part}> part is missing"
        if not _ALNUM.fullmatch(match[part]):
            return f"the <{part}> part '{match[part]}' may have only letters A-Z a-z and digits"
    return f"after '.so' only '.<digits>' may follow, not '{match['suffix']}'"
