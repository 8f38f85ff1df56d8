# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The pages that list things list all of them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from armnn_py import environment, errors
from armnn_py.backends.verdict import Stage

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_exception_is_on_its_page() -> None:
    listed = set(re.findall(r"`(\w+Error)`", page("exceptions.md")))
    classes = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.ArmnnError)
    } - {"ArmnnError", "BackendError", "ModelError"}
    assert classes <= listed
    builtin = {"ArmnnError", "ValueError", "KeyError", "LookupError", "OSError", "TimeoutError",
               "FileNotFoundError", "NotImplementedError"}  # fmt: skip
    assert listed <= classes | builtin


def test_every_variable_is_on_its_page() -> None:
    read = set(re.findall(r"_read\w*\(\s*\"(\w+)\"", inspect.getsource(environment)))
    listed = set(re.findall(r"^\| `(\w+)`", page("environment.md"), flags=re.MULTILINE))
    assert "DYNAMIC_BACKEND_PATHS" in read
    assert listed == read


@pytest.mark.parametrize("stage", [s for s in Stage.__args__ if s != "place"])
def test_every_loading_step_has_a_row_in_troubleshooting(stage: str) -> None:
    assert f"\n| {stage}: " in page("troubleshooting.md")


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.md")))
def test_every_page_is_in_the_index(name: str) -> None:
    assert name == "README.md" or f"({name})" in page("README.md")
