# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page on operators names what the table of converters has, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import onnx

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING, operator_names

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "onnx_operators.md"


def test_the_page_names_every_operator() -> None:
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    named = [name for row in rows[1:] for name in re.findall(r"[\w.]+", row[2])]
    assert sorted(named) == list(operator_names())


# ---- The page for users of ONNX Runtime ---------------------------------------------------------

COMING = (DOCS / "coming_from_onnxruntime.md").read_text(encoding="utf-8")


def names_in(section: str, column: int) -> dict[str, list[str]]:
    """Names between backquotes in a column, by the first cell of the row."""
    text = COMING.partition(section)[2].partition("\n\n")[0]
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")]
    return {row[1].strip(" `"): re.findall(r"`([\w.]+)`", row[column]) for row in rows}


def test_the_page_for_users_of_onnxruntime_names_what_is_not_imported() -> None:
    """Of operators that this version of onnx has; those defined by others are imported."""
    told = names_in("| domain | not imported |\n|---|---|\n", 2)
    assert len(told) == 2
    for domain, names in told.items():
        key = "" if domain == "the standard one" else domain
        assert key in ("", MACHINE_LEARNING)
        prefix = f"{key}." if key else ""
        known = {
            one.name
            for one in onnx.defs.get_all_schemas()
            if one.domain == key and not one.deprecated
            if not (one.has_function or one.has_context_dependent_function)
        }
        missing = {name for name in known if f"{prefix}{name}" not in operator_names()}
        assert missing == known.intersection(names)
        assert not {f"{prefix}{name}" for name in names}.intersection(operator_names())


def test_the_page_for_users_of_onnxruntime_names_what_is_imported() -> None:
    told = names_in("| what | imported |\n|---|---|\n", 2)
    assert len(told) == 5
    for names in told.values():
        assert names
        assert set(names) <= set(operator_names())


def test_the_page_for_users_of_onnxruntime_uses_names_that_exist() -> None:
    for owner, kind in (("ann", ann), ("network", ann.LoadedNetwork), ("runtime", ann.Runtime)):
        for name in re.findall(rf"\b{owner}\.([a-z]\w*)", COMING, re.IGNORECASE):
            assert hasattr(kind, name), f"{owner}.{name}"
