# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Programs, commands and links of README.md and the pages work as shown."""

from __future__ import annotations

import re

import rich_click as click

from armnn_py.cli.main import cli

from .conftest import REPOSITORY, Environment, run

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
COMMANDS = (REPOSITORY / "docs" / "commands.md").read_text(encoding="utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_program_prints_what_the_readme_shows(installed: Environment) -> None:
    (program,), (output,) = blocks("python"), blocks("text")
    assert run(installed.python, "-c", program, cwd=installed.folder) == output
    assert program == (REPOSITORY / "examples" / "run_a_model.py").read_text(encoding="utf-8")
    assert len(program.splitlines()) <= 15


def test_backend_is_the_example(installed: Environment) -> None:
    page = (REPOSITORY / "docs" / "write_a_backend.md").read_text(encoding="utf-8")
    source, cmake = blocks("c", page)[0], blocks("cmake", page)[0]
    example = REPOSITORY / "examples" / "out_of_tree_backend"
    assert source == (example / "backend.c").read_text(encoding="utf-8")
    assert cmake in (example / "CMakeLists.txt").read_text(encoding="utf-8")


def test_every_command_is_listed() -> None:
    context = click.Context(cli)
    names = cli.list_commands(context)
    assert "bench" in names
    for name in names:
        command = cli.get_command(context, name)
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                assert f"| `armnn-py {name} {below}" in COMMANDS
        else:
            assert f"| `armnn-py {name}" in COMMANDS


def test_links_lead_somewhere() -> None:
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    for page in [*pages, *(REPOSITORY / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= 100


def test_network_built_by_hand_finds_the_edges(installed: Environment) -> None:
    program = REPOSITORY / "examples" / "build_a_network.py"
    output = run(installed.python, program, cwd=installed.folder)
    assert output.splitlines()[-1] == "pixels on an edge: 124"  # 4 * 32 - 4
