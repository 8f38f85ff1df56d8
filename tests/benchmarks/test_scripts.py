# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every benchmark imports names that the scripts beside it have, and is cited by a page."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHMARKS = REPOSITORY / "benchmarks"
SCRIPTS = sorted(path for path in BENCHMARKS.rglob("*.py") if path.name != "__init__.py")

#: Packages that the tests do without.
OPTIONAL = ("MNN", "matplotlib", "pyarrow", "ray", "simpy")


def siblings(path: Path) -> dict[str, Path]:
    """Return the modules that a script can import by their stem."""
    folders = [REPOSITORY / "scripts", BENCHMARKS, path.parent]
    return {one.stem: one for folder in folders for one in folder.glob("*.py")}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_imported_names_exist(path: Path) -> None:
    found = siblings(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        module = node.module.removeprefix("benchmarks.")
        if module not in found:
            package = node.module.partition(".")[0]
            known = package in sys.stdlib_module_names or package in OPTIONAL
            assert known or importlib.util.find_spec(package), f"{path.name}: {node.module}"
            continue
        tree = ast.parse(found[module].read_text(encoding="utf-8"))
        names = {name for one in ast.walk(tree) for name in defined(one)}
        assert {alias.name for alias in node.names} <= names, f"{path.name}: {node.module}"


def defined(node: ast.AST) -> set[str]:
    """Return the names that a statement gives."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    return set()


def test_every_benchmark_is_cited_by_a_page() -> None:
    pages = [*(REPOSITORY / "docs").glob("*.md"), *(BENCHMARKS / "results").glob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    scripts = {path.name for path in BENCHMARKS.glob("*.py")} - {"common.py"}
    assert {name for name in scripts if name not in text} == set()
