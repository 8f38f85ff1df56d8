# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page for backend authors says of each function of the table whether the host calls it."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest

from armnn_py._native import abi

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "backend_calls.md"
_FUNCTION = ctypes.CFUNCTYPE(None).__base__ or object


def functions(table: type[ctypes.Structure]) -> set[str]:
    return {name for name, kind, *_ in table._fields_ if issubclass(kind, _FUNCTION)}


def told() -> dict[str, bool]:
    """Functions of the page's table, and whether it says that they are called."""
    rows = {}
    section = PAGE.read_text().partition("## Calls by the host")[2].partition("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 2 and cells[0].startswith("`"):
            for name in re.findall(r"`(\w+)`", cells[0]):
                assert name not in rows, f"{name} stands there twice"
                rows[name] = cells[1] != "not yet"
    return rows


def calls(name: str) -> bool:
    """Whether the host's code reaches for this member of a backend's table."""
    files = [
        path
        for path in (REPOSITORY / "armnn_py" / "_native").rglob("*.py")
        if path.name != "abi.py"
    ]
    return any(
        re.search(rf"\bapi\.{name}\b|\bapi, \"{name}\"", path.read_text()) is not None
        for path in files
    )


def test_every_function_is_on_the_page() -> None:
    assert set(told()) == functions(abi.armnn_backend_api_t)


@pytest.mark.parametrize("name", sorted(functions(abi.armnn_backend_api_t)))
def test_the_page_tells_the_truth(name: str) -> None:
    assert told()[name] == calls(name)


# ---- Tables of objects ---------------------------------------------------------------------------

#: Tables of objects that backends make; an allocator may also be the user's.
OBJECTS = sorted(
    name
    for name in dir(abi)
    if re.fullmatch(r"armnn_\w+_api_t", name) and name != "armnn_backend_api_t"
)


def reaches(function: str) -> bool:
    """Whether the host's code, in Python or in C, reaches for a function of an object's table."""
    python = rf"_api\.{function}\b|\bapi\.{function}\b|\"{function}\""
    sources = {
        path.read_text(): python
        for folder in ("_native", "runtime")
        for path in (REPOSITORY / "armnn_py" / folder).rglob("*.py")
        if path.name != "abi.py"
    }
    native = rf"api->{function}\b|\b(?:HAS|has)_?\w*\(.*\b{function}\b|, {function}\)"
    for path in (REPOSITORY / "native" / "src").rglob("*.c"):
        sources[path.read_text()] = native
    return any(re.search(pattern, text) for text, pattern in sources.items())


def not_called() -> set[str]:
    """Functions of objects that the page says are not called."""
    words = " ".join(PAGE.read_text().split())
    found = re.search(
        r"Of the objects' tables every function is called(?: but these: (.*?))?\. ", words
    )
    assert found is not None
    return set(re.findall(r"`(\w+)`", found[1] or ""))


@pytest.mark.parametrize("table", OBJECTS)
def test_the_page_tells_the_truth_about_objects(table: str) -> None:
    names = functions(getattr(abi, table))
    assert {name for name in names if not reaches(name)} == names & not_called()


@pytest.mark.parametrize("table", [*OBJECTS, "armnn_backend_api_t"])
def test_a_sample_backend_shows_each_function(table: str) -> None:
    """Authors find an implementation of every function that the host calls.

    In the table itself, or as the hook of the kit of the same name, without the "get".
    """
    folder = REPOSITORY / "examples" / "backends"
    sources = "".join(path.read_text() for path in folder.glob("*/*.c"))
    names = functions(getattr(abi, table))
    shown = set(re.findall(r"\.(\w+) = \w", sources))
    assert {name for name in names if not shown & {name, name.removeprefix("get_")}} == set()


MANDATORY = {"create", "destroy", "get_id", "create_workload_factory", "get_layer_support"}


@pytest.mark.parametrize(("column", "sample"), [(1, "sample_zero"), (2, "sample_npu")])
def test_the_page_of_the_samples_says_who_fills_in_what(column: int, sample: str) -> None:
    page = (REPOSITORY / "docs" / "sample_backends.md").read_text()
    section = page.partition("## Which functions")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `")]
    said = {
        name
        for names, *cells in rows
        if cells[column].strip()
        for name in re.findall(r"`(\w+)`", names)
    }
    folder = REPOSITORY / "examples" / "backends" / sample
    sources = "".join(path.read_text() for path in folder.glob("*.c"))
    table = re.search(r"armnn_backend_api_t \w+ = \{(.*?)\n\};", sources, re.DOTALL)
    assert table is not None
    filled = set(re.findall(r"\.(\w+) = ", table[1])) & functions(abi.armnn_backend_api_t)
    assert said - {"armnn_backend_api_t"} == filled - MANDATORY


def test_the_header_says_it_too() -> None:
    """What is not called yet stands in the introduction of backend_api.h."""
    header = (REPOSITORY / "native" / "include" / "armnn" / "backend_api.h").read_text()
    introduction = " ".join(header.partition("*/")[0].replace(" * ", " ").split())
    listed = introduction.partition("Not called by hosts of this version yet")[2]
    missing = not_called() | {name for name, is_called in told().items() if not is_called}
    assert {name for name in missing if name not in listed} == set()
    assert bool(missing) == bool(listed)
