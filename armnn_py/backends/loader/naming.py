# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The rule that a backend's file name follows: ``<vendor>_<name>_backend.so[.<digits>...]``.

Arm NN's rule with one correction: the dot of ``.so`` matches only a dot.
"""

from __future__ import annotations

import functools
import os
import sys

from msgspec import Struct

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


FILE_NAME_RULE = "<vendor>_<name>_backend.so[.<digits>...]"
_MARK = "_backend.so"


class BackendFileName(Struct, frozen=True):
    """The parts of a file name that follows the rule."""

    vendor: str
    name: str
    suffixes: tuple[str, ...] = ()


def _is_word(text: str) -> bool:
    """Whether the text is one or more ASCII letters and digits."""
    return text.isascii() and text.isalnum()


def parse_file_name(file_name: str) -> BackendFileName | None:
    """Return the parts of ``file_name`` (no folder), or None if it breaks the rule."""
    words, mark, end = file_name.partition(_MARK)
    vendor, _, name = words.partition("_")
    nothing, *suffixes = end.split(".")
    if not mark or not (_is_word(vendor) and _is_word(name)):
        return None
    if nothing or not all(suffix.isascii() and suffix.isdigit() for suffix in suffixes):
        return None
    return BackendFileName(vendor, name, tuple(suffixes))


def name_mismatch(file_name: str) -> str | None:
    """Return the fault of a name that was meant to follow the rule, or None if unclear."""
    vendor, _, words = file_name.partition("_")
    name, mark, end = words.rpartition(_MARK)
    if not mark:
        if "backend" in file_name and ".so" in file_name:
            return f"call the file {FILE_NAME_RULE}"
        return None
    for part, text in (("vendor", vendor), ("name", name)):
        if not text:
            return f"the <{part}> part is missing"
        if not _is_word(text):
            return f"the <{part}> part '{text}' may have only letters A-Z a-z and digits"
    return f"after '.so' only '.<digits>' may follow, not '{end}'"
