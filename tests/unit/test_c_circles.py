# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""C files of the backends, the host and the probe call and include each other in one direction."""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_HIDDEN = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_SIGNATURE = re.compile(r"^(?!static\b|typedef\b|#)[A-Za-z_][\w \t*]*?\b(armnn_\w+)\(", re.M)


def calls(folder: Path) -> dict[str, set[str]]:
    """Files by file: those whose functions it names."""
    texts = {
        path.relative_to(folder).as_posix(): _HIDDEN.sub("", path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.c")
    }
    owner = {}
    for name, text in texts.items():
        for found in _SIGNATURE.finditer(text):
            head, brace, _ = text[found.end() :].partition("{")
            if brace and ";" not in head:
                owner[found[1]] = name
    return {
        name: {owner[word] for word in re.findall(r"\barmnn_\w+", text) if word in owner} - {name}
        for name, text in texts.items()
    }


def includes(folder: Path) -> dict[str, set[str]]:
    """Files by file: those that it includes, by a path from its own folder or from the tree's."""
    found = {}
    for path in folder.rglob("*.[ch]"):
        names = re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        places = [path.parent / name for name in names] + [folder / name for name in names]
        files = {place.relative_to(folder).as_posix() for place in places if place.is_file()}
        found[path.relative_to(folder).as_posix()] = files
    return found


TREES = ["backends_c/cpu_acc", "backends_c/cpu_ref", "native/probe", "native/src"]


@pytest.mark.parametrize("folder", TREES)
def test_no_circle_of_files(folder: str) -> None:
    found = calls(ROOT / folder)
    assert len(found) > 2
    graphlib.TopologicalSorter(found).prepare()  # CycleError names the files
    headers = includes(ROOT / folder)
    assert sum(map(len, headers.values())) > 5
    graphlib.TopologicalSorter(headers).prepare()


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int armnn_a(int x) { return armnn_b(x); }\n")
    (tmp_path / "b.c").write_text(
        "int armnn_a(int x);\nint armnn_b(int x) { return armnn_a(x); }\n"
    )
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(calls(tmp_path)).prepare()


def test_a_circle_of_headers_is_found(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "a.h").write_text('#include "own/b.h"\n')
    (tmp_path / "own" / "b.h").write_text('#include "a.h"\n')
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(includes(tmp_path)).prepare()
