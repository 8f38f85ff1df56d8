# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Modules import one way: no circle, be it at the top, in a function or for annotations alone.

import-linter checks the order of the parts; this looks at single modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import armnn_py

ROOT = Path(armnn_py.__file__).parent


def package() -> dict[str, str]:
    """The text of each module by name."""
    return {
        ".".join((ROOT.name, *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path.read_text(encoding="utf-8")
        for path in ROOT.rglob("*.py")
    }


def imports_of(source: str, modules: Mapping[str, str]) -> Iterator[str]:
    """Modules that any import in the source names; of what a package hands on, the package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name the whole path"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in modules:
                    yield name
                elif node.module in modules:
                    yield str(node.module)


def find_circle(modules: Mapping[str, str]) -> list[str]:
    """One circle of modules, from one back to itself; none is an empty list."""
    graph = {name: set(imports_of(source, modules)) for name, source in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize(
    ("modules", "circle"),
    [
        ({"p": "", "p.a": "import p.b", "p.b": "import p"}, 0),
        ({"p": "", "p.a": "import p.b", "p.b": "from p import a"}, 3),
        ({"p.a": "from p.b import f", "p.b": "def f():\n from p import a"}, 3),
        ({"p.a": "import p.b", "p.b": "if TYPE_CHECKING:\n from p.c import T", "p.c": ""}, 0),
        (
            {
                "p.a": "import p.b",
                "p.b": "if TYPE_CHECKING:\n from p.c import T",
                "p.c": "import p.a",
            },
            4,
        ),
        ({"p": "from p.a import f", "p.a": "from p import g"}, 3),
    ],
)
def test_circles_are_found(modules: dict[str, str], circle: int) -> None:
    assert len(find_circle(modules)) == circle


def test_no_circle_of_modules() -> None:
    modules = package()
    assert len(modules) > 200
    assert " -> ".join(find_circle(modules)) == ""
