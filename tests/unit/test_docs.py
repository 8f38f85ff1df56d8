# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The pages that list things list all of them."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import armnn_py
from armnn_py import environment, errors
from armnn_py.backends.loader.verdict import Stage

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
               "FileNotFoundError", "NotImplementedError", "MemoryError"}  # fmt: skip
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


def test_every_public_name_is_in_the_reference() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.rst"))
    listed = set(re.findall(r"auto(?:class|function):: (\w+)", sources))
    for module in re.findall(r"automodule:: (\S+)", sources):
        listed |= set(importlib.import_module(module).__all__)
    assert set(armnn_py.__all__) - {"__version__", "errors"} <= listed


def test_the_page_of_layers_is_what_the_backends_say() -> None:
    script = DOCS.parent / "scripts" / "generate_layers_page.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers_that_no_bundled_backend_takes_are_listed() -> None:
    """Beside those that no program meets; docs/layers.md is made by asking the backends."""
    rows = re.findall(r"^\| (\w+) \| .* \| (.*?) ?\| (.*?) ?\|$", page("layers.md"), flags=re.M)
    assert len(rows) > 80
    none = {name for name, *taken in rows if not any(taken)}
    none -= {"Fused", "Map", "PreCompiled", "StandIn", "Unmap"}
    told = re.findall(r"^\| layers without a kernel .* \| (.*) \|$", page("left_out.md"), re.M)
    assert {name for row in told for name in re.findall(r"`(\w+)`", row)} == none


def test_the_files_of_the_architecture_exist() -> None:
    script = (DOCS.parent / "scripts" / "draw_architecture.py").read_text(encoding="utf-8")
    named = re.findall(r"\"((?:armnn_py|native|backends_c)/[\w./]*)\"", script)
    named += re.findall(r"`((?:armnn_py|native|backends_c)/[\w./]*)`", page("architecture.md"))
    assert len(named) > 40
    assert [path for path in named if not (DOCS.parent / path).exists()] == []


def test_a_generated_page_that_differs_names_the_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS.parent / "scripts"))
    differences = importlib.import_module("generated_page").differences
    there = (
        "# Page\n\n| deed | id | create |\n|---|---|---|\n| hangs | 9 | told |\n| ends | - | 6 |\n"
    )
    assert list(differences(there, there)) == []
    found = there.replace("told", "goes on").replace("# Page", "# Leaf")
    told = [line for line in differences(there, found) if line[:2] not in ("--", "++", "@@")]
    assert told == ["-# Page", "+# Leaf", "-hangs, create: told", "+hangs, create: goes on"]


def test_the_page_for_users_of_arm_nn_uses_options_and_names_that_exist() -> None:
    from armnn_py.cli.main import cli

    context = click.Context(cli)
    commands = filter(None, (cli.get_command(context, one) for one in cli.list_commands(context)))
    known = {one for command in commands for given in command.params for one in given.opts}
    text = page("coming_from_armnn.md")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    used = {option for row in rows for option in re.findall(r"(?<=[` ])--[a-z][\w-]+", row[1])}
    assert len(used) >= 10
    assert used <= known
    for name in re.findall(r"\bann\.([A-Za-z]\w*)", text):
        assert hasattr(armnn_py, name), name
    for name in re.findall(r"\bloaded\.([a-z]\w*)", text):
        assert hasattr(armnn_py.LoadedNetwork, name), name
