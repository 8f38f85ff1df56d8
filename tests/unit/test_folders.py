# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Folders of code hold at most 25 files, and a docstring or README.md says what lives in each."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 25
#: Trees of C code whose README.md has a line for each folder.
C_TREES = ["backends_c/cpu_acc", "backends_c/cpu_ref", "native/src"]
SUFFIXES = {".py", ".c", ".h", ".hpp", ".cpp", ".inc"}
PACKAGES = sorted(path.parent for path in (ROOT / "armnn_py").rglob("__init__.py"))


def test_no_folder_of_code_has_too_many_files() -> None:
    counts = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for top in ("armnn_py", "armnn_py_command", "backends_c", "examples", "native", "scripts")
        for path in (ROOT / top).rglob("*")
        if path.suffix in SUFFIXES
    )
    assert len(counts) > 40
    assert {name: count for name, count in counts.items() if count > MOST_FILES} == {}


@pytest.mark.parametrize("tree", C_TREES)
def test_the_readme_of_c_code_names_each_folder(tree: str) -> None:
    folders = {
        f"{path.parent.relative_to(ROOT / tree).as_posix()}/"
        for path in (ROOT / tree).rglob("*")
        if path.suffix in SUFFIXES and path.parent != ROOT / tree
    }
    text = (ROOT / tree / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w/]+)` \|", text, re.MULTILINE)) == folders


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_says_what_lives_in_it(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert text, f"{package.name}/__init__.py has no docstring"
