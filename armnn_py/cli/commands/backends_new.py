# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends new``: a vendor's project that builds at once."""

from __future__ import annotations

import re
from pathlib import Path

import click

from armnn_py._native.table.dynamic_library import static_backends
from armnn_py.backends.loader.naming import RESERVED_IDS
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.render import Renderer
from armnn_py.errors import InvalidArgumentError

_TEMPLATE = Path(__file__).parents[2] / "backend_template"


@click.command(cls=Command)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--vendor", required=True, help="Your name: letters and digits.")
@click.option("--name", required=True, help="The backend's name, also its id: letters and digits.")
@click.option("--cpp", is_flag=True, help="In C++17 in place of C; exceptions become errors.")
@click.option("--compiler", is_flag=True, help="With a compiler: chains of layers become one.")
@click.option("--tests", is_flag=True, help="With tests: conformance, numbers, and the C code.")
@with_session
def new(
    session: Session,
    folder: Path,
    *,
    vendor: str,
    name: str,
    cpp: bool,
    compiler: bool,
    tests: bool,
) -> None:
    """Write the project of a new backend to FOLDER.

    --cpp, --compiler and --tests go together as you like.
    """
    files = write_project(folder, vendor=vendor, name=name, cpp=cpp, compiler=compiler, tests=tests)
    library = f"{vendor}_{name}_backend.so"
    try_out = ["ctest --test-dir build", "pytest tests"] if tests else []
    data = {
        "folder": str(folder),
        "files": [str(path) for path in files],
        "library": library,
        "commands": [
            f"cd {folder}",
            'cmake -S . -B build -DCMAKE_PREFIX_PATH="$(armnn-py config --cmakedir)"',
            "cmake --build build",
            *try_out,
            f"armnn-py backends check build/{library}",
        ],
    }

    def render(renderer: Renderer) -> None:
        renderer.line(f"{folder}/")
        for path in files:
            renderer.line(f"  {path.relative_to(folder)}")
        renderer.line("Next:")
        for command in data["commands"]:
            renderer.line(f"  {command}")

    session.answer(data, render)


def _known_ids() -> dict[str, str]:
    """Return the ids that a new backend must not have, each with the reason."""
    ids = {static.name: "that of a backend linked into the library" for static in static_backends()}
    own = dict.fromkeys(RESERVED_IDS, "that of a backend of this package")
    return {**own, **ids, "Unknown": "reserved"}


def write_project(
    folder: Path,
    *,
    vendor: str,
    name: str,
    cpp: bool = False,
    compiler: bool = False,
    tests: bool = False,
) -> list[Path]:
    """Write the template with the given names and return the files.

    Raises
    ------
    InvalidArgumentError
        A name breaks the rule of file names or is the id of a backend of the package, or the
        folder has something in it.
    """
    for option, value in (("--vendor", vendor), ("--name", name)):
        if not re.fullmatch(r"[A-Za-z0-9]+", value):
            raise InvalidArgumentError(
                f"{option}: '{value}' given, only letters A-Z a-z and digits are allowed",
                hints=["the file is called <vendor>_<name>_backend.so"],
            )
    known = _known_ids()
    if name in known:
        raise InvalidArgumentError(
            f"--name: the id '{name}' is {known[name]}",
            hints=["give your backend a name of its own: of equal ids the first one wins"],
        )
    if folder.exists() and any(folder.iterdir()):
        raise InvalidArgumentError(
            f"folder '{folder}' is not empty", hints=["name a new folder; nothing is overwritten"]
        )
    short = (name.removeprefix(vendor) or name).lower()
    project = f"{vendor.lower()}-{short}-backend"
    extension = "cpp" if cpp else "c"
    sources = ["kernels", "compiler"] if compiler else ["kernels"]
    values = {
        "@VENDOR@": vendor,
        "@NAME@": name,
        "@PROJECT@": project,
        "@PACKAGE@": project.replace("-", "_"),
        "@EXT@": extension,
        "@LANGUAGE@": "CXX" if cpp else "C",
        "@WORDS@": "C++17" if cpp else "C",
        "@SOURCES@": " ".join(f"{source}.{extension}" for source in sources),
    }
    split = compiler or tests  # one file is enough otherwise
    facts = {
        "cpp": cpp,
        "compiler": compiler,
        "no compiler": not compiler,
        "tests": tests,
        "split": split,
        "one file": not split,
        "one C file": not split and not cpp,
        "more": split or cpp,
    }
    names = [f"backend.{extension}", "CMakeLists.txt", "README.md", "pyproject.toml"]
    names += ["kernels.h", "kernels.c"] if split else []
    names += ["compiler.h", "compiler.c"] if compiler else []
    names += ["tests/test_backend.py.in", "tests/test_kernels.c"] if tests else []
    written = []
    for source in sorted(names):
        text = _with_facts((_TEMPLATE / source).read_text(encoding="utf-8"), facts)
        for placeholder, value in values.items():
            text = text.replace(placeholder, value)
        file = source.removesuffix(".in")  # which is there so that no tool takes it for Python
        target = folder / (f"{file}pp" if cpp and file.endswith(".c") else file)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def _with_facts(text: str, facts: dict[str, bool]) -> str:
    """Leave out the lines between ``@if FACT`` and ``@end`` whose fact is not so."""
    kept, is_kept = [], True
    for line in text.splitlines(keepends=True):
        if line.startswith("@if "):
            is_kept = facts[line.removeprefix("@if ").strip()]
        elif line == "@end\n":
            is_kept = True
        elif is_kept:
            kept.append(line)
    return "".join(kept)
