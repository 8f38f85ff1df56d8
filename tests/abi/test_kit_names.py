# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each public name of the kits says what it is; all others are named as private ones."""

from __future__ import annotations

import re

import pytest
from abi_headers import INCLUDE_DIR

FOLDER = INCLUDE_DIR / "armnn"
KITS = [
    *sorted(path.name for path in FOLDER.glob("*kit*.h")),
    "compile_cache.h",
    "lasting_constants.h",
    "loading_time.h",
]
DEFINITION = re.compile(
    r"^#define (ARMNN_\w+)|^typedef .*?\(\*(armnn_\w+)\)|^typedef struct (\w+) \{"
    r"|^static (?:inline )?[\w\s*]*?\b(armnn_\w+)(?:\(| =)"
)


def definitions(header: str) -> list[tuple[str, bool]]:
    """Each name with whether a comment stands before it, or before those that follow each other."""
    found, commented, depth = [], False, 0
    text = (FOLDER / header).read_text(encoding="utf-8")
    text = re.sub(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif', "", text)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if depth == 0 and line.startswith("/*") and not line.startswith("/* ----"):
            commented = True
        match = DEFINITION.match(line) if depth == 0 else None
        if match:
            name = next(group for group in match.groups() if group)
            if not name.endswith("_H_"):
                found.append((name, commented))
        if not line.startswith("#define"):
            depth += line.count("{") - line.count("}")
        if depth == 0 and not line.strip():
            commented = False
    return found


@pytest.mark.parametrize("header", KITS)
def test_public_names_are_explained(header: str) -> None:
    found = definitions(header)
    silent = [
        name
        for name, commented in found
        if not commented and not name.startswith(("armnn_i_", "ARMNN_I_"))
    ]
    assert silent == []


def test_the_parts_are_those_that_the_head_lists() -> None:
    head = (FOLDER / "backend_kit.h").read_text(encoding="utf-8")
    listed = re.findall(r"^ \* (kit_\w+\.h) ", head, flags=re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in FOLDER.glob("kit_*.h"))
