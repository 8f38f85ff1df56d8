# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which tests the default run leaves out, and that all say what they prove."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CONFTEST = """
from tests.conftest import (
    pytest_addoption, pytest_collection_modifyitems, pytest_configure, pytest_terminal_summary
)
"""
TESTS = """
import pytest

@pytest.fixture(params=["x", "y"])
def machine(request):
    return request.param

@pytest.mark.parametrize("a", [1, 2, 3])
@pytest.mark.parametrize(("b", "c"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_product(machine, a, b, c): ...

@pytest.mark.parametrize("seed", range(20))
def test_seeds(seed): ...

@pytest.mark.exhaustive
def test_long(): ...

@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_rows(n): ...

@pytest.mark.exhaustive(kept=2)
@pytest.mark.parametrize("n", range(9))
def test_costly(n): ...

def test_plain(): ...
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selection")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = exhaustive\n", encoding="utf-8")
    return folder


def collect(folder: Path, *arguments: str) -> tuple[list[str], str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    names = [line for line in done.stdout.splitlines() if line.startswith("test_it.py::")]
    return [name.partition("::")[2] for name in names], done.stdout


def test_each_file_says_in_a_line_what_it_proves() -> None:
    for path in (REPOSITORY / "tests").rglob("test_*.py"):
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert words, f"{path}: a docstring says what the tests prove"
        line, _, rest = words.partition("\n")
        assert line.endswith((".", "?")), f"{path}: the first line is a sentence"
        assert rest[:1] in ("", "\n"), f"{path}: an empty line follows the first one"


def test_each_value_of_each_parameter_runs(folder: Path) -> None:
    names, text = collect(folder)
    product = [name[13:-1].split("-") for name in names if name.startswith("test_product")]
    rows = {"1-1", "1-2", "2-1", "2-2"}
    assert {machine for machine, *_ in product} == {"x", "y"}
    assert {f"{b}-{c}" for _, b, c, _ in product} == rows
    assert {a for *_, a in product} == {"1", "2", "3"}
    assert len(product) == len(rows)
    assert f"{24 - 4 + 20 - 8 + 1 + 9 - 2 + 1} tests were left out" in text


def test_few_seeds_and_nothing_marked_exhaustive(folder: Path) -> None:
    names, _ = collect(folder)
    assert [name for name in names if "seeds" in name] == [f"test_seeds[{i}]" for i in range(8)]
    assert "test_plain" in names
    assert "test_long" not in names
    assert [name for name in names if "rows" in name] == ["test_rows[0]"]
    assert len([name for name in names if "costly" in name]) == 2


def test_all_with_the_option(folder: Path) -> None:
    names, text = collect(folder, "--exhaustive")
    assert len(names) == 24 + 20 + 9 + 2 + 2
    assert "left out" not in text


def test_chosen_names_are_covered(folder: Path) -> None:
    names, _ = collect(folder, "-k", "product and y")
    assert len(names) == 4
    assert collect(folder, "test_it.py::test_seeds[15]")[0] == ["test_seeds[15]"]


def test_the_mark_alone_stands_in_files_of_tests() -> None:
    """The gate looks for it there: a test that gets the mark elsewhere would run nowhere."""
    marks = re.compile(r"mark\.alone|add_marker\(.*alone")
    for path in (REPOSITORY / "tests").rglob("*.py"):
        if path != Path(__file__).resolve() and marks.search(path.read_text(encoding="utf-8")):
            assert path.name.startswith("test_"), path
            assert "pytest.mark.alone" in path.read_text(encoding="utf-8"), path
