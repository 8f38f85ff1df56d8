# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each command of the pages for vendors runs, in order, in the project that the page makes.

A line of a console block that is not a command must occur in what its block printed.
"""

from __future__ import annotations

import os
import re
import shutil
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from .conftest import REPOSITORY, Environment, run, run_any

PAGES = ("debug_a_backend", "backends_in_cpp", "ship_a_backend")
#: Tools that a machine may lack; what needs one is left out there.
TOOLS = ("gdb", "valgrind", "auditwheel", "c++")


def text_of(page: str) -> str:
    return (REPOSITORY / "docs" / f"{page}.md").read_text(encoding="utf-8")


def blocks_of(page: str, language: str = "console") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), flags=re.DOTALL | re.MULTILINE)


BLOCKS = [(page, number) for page in PAGES for number in range(len(blocks_of(page)))]


@dataclass
class Scratch:
    """The folder where a page's commands have come to."""

    folder: Path
    path: str

    def run(self, commands: list[str]) -> str:
        script = "\n".join([*commands, 'pwd > "$SCRATCH_PLACE"'])
        place = self.folder.parent / f"{self.folder.name}.place"
        done = run_any(
            *("bash", "-euo", "pipefail", "-c", script),
            cwd=self.folder,
            PATH=self.path,
            SCRATCH_PLACE=str(place),
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"{script}\n{said}"
        self.folder = Path(place.read_text(encoding="utf-8").strip())
        return said


def write_model(file: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "x"], ["y"], name="sum")],
        "twice",
        [helper.make_tensor_value_info("x", kind, [8])],
        [helper.make_tensor_value_info("y", kind, [8])],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), file)


@pytest.fixture(scope="module")
def scratch(
    installed: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Scratch]:
    made: dict[str, Scratch] = {}
    tools = [str(installed.folder / "bin"), sysconfig.get_path("scripts")]

    def of(page: str) -> Scratch:
        if page not in made:
            folder = tmp_path_factory.mktemp(page)
            made[page] = Scratch(folder, os.pathsep.join([*tools, os.environ["PATH"]]))
        return made[page]

    return of


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("page", "number"), BLOCKS, ids=str)
def test_commands_of_the_page(scratch: Callable[[str], Scratch], page: str, number: int) -> None:
    lines = blocks_of(page)[number].splitlines()
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    shown = [line for line in lines if not line.startswith("$ ")]
    place = scratch(page)
    words = set(re.findall(r"[\w+-]+", " ".join(commands)))
    for tool in TOOLS:
        first_words = {command.split()[0] for command in commands}
        if (tool in words or tool in first_words) and not shutil.which(tool, path=place.path):
            pytest.skip(f"{tool} is not installed")
    if number > 0 and not (place.folder / "model.onnx").exists():
        write_model(place.folder / "model.onnx")
    said = place.run(commands)
    assert [line for line in shown if line not in said] == [], said
    if "backtrace" in words:
        assert re.search(r"#0 .*add_f32 \(call=", said), said


def test_the_pages_have_commands() -> None:
    assert all(len(blocks_of(page)) > 1 for page in PAGES)


def test_the_example_in_cpp_is_a_backend(installed: Environment, tmp_path: Path) -> None:
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    source = blocks_of("backends_in_cpp", "cpp")[0]
    (tmp_path / "backend.cpp").write_text(source, encoding="utf-8")
    flags = run(installed.command, "config", "--cflags").split()
    library = tmp_path / "Acme_AcmeNpu_backend.so"
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    run("c++", "-std=c++17", *warnings, *flags, tmp_path / "backend.cpp", "-o", library)
    run(installed.command, "backends", "check", library)
