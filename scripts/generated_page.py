# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The command line of the scripts that write one page of the documentation each."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator
from pathlib import Path

__all__ = ["ROOT", "differences", "write_or_check"]

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(page: Path, text: str, script: str, arguments: list[str] | None) -> int:
    """Write ``text`` to ``page``, or with ``--check`` tell how it differs; an exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if not parser.parse_args(arguments).check:
        page.write_text(text, encoding="utf-8")
        return 0
    there = page.read_text(encoding="utf-8") if page.exists() else ""
    if there == text:
        return 0
    print(f"{page.relative_to(ROOT)} is not what {Path(script).name} writes")
    for line in differences(there, text):
        print(f"  {line}")
    print(f"  hint: run python scripts/{Path(script).name} and commit the result")
    return 1


def differences(page: str, found: str) -> Iterator[str]:
    """Give the lines of a unified diff, in which each cell of a table is a line of its own.

    Rows have up to thirty cells: a diff of rows would not show which one is another.
    """
    lines = [list(_one_cell_a_line(text)) for text in (page, found)]
    return difflib.unified_diff(*lines, "the page", "what is found", lineterm="", n=0)


def _one_cell_a_line(text: str) -> Iterator[str]:
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            header = []
            yield line
        elif len(header) != len(cells):
            header = cells
            yield line
        else:
            for name, cell in zip(header[1:], cells[1:], strict=True):
                yield f"{cells[0]}, {name}: {cell}"
