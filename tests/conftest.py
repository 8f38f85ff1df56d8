# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What all tests share: which of them run, and what they run in."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .builds import build_once, make_folder
from .cpu_acc.instruction_sets import ABSENT
from .selection import add_option, is_exhaustive, left_out, set_option

# Marker -> the variable that names what the marked tests need, and how to get it.
_NEEDS = {
    "models": ("ARMNN_PY_MODELS", "python scripts/fetch_models.py FOLDER"),
    "debian": ("ARMNN_PY_DEBIAN_BACKEND", "see .ci/run, step debian"),
}
_deselected: dict[str, int] = {}
_left_out: set[pytest.Item] = set()
_first_states: dict[int, Any] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C be tested where it is ignored: in a background job of a script, as CI may be.

    Programs that tests start inherit what this process does with it.
    """
    set_option(config)
    make_folder(config)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> list[str]:
    """Name the instruction sets whose kernels no test runs on this machine."""
    return [f"CpuAcc's kernels of {isa} are not tested: this processor lacks it" for isa in ABSENT]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the objects of 30,000 tests out of what the garbage collector looks at again and again.

    Otherwise each `gc.collect` takes a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)  # what -k and -m choose is covered, not what they leave
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = {marker for marker, (variable, _) in _NEEDS.items() if not os.environ.get(variable)}
    kept, dropped = [], []
    for item in items:
        absent = [marker for marker in missing if item.get_closest_marker(marker)]
        (dropped if absent else kept).append(item)
        for marker in absent:
            _deselected[marker] = _deselected.get(marker, 0) + 1
    if not is_exhaustive():
        _left_out.update(left_out(kept))
        dropped += _left_out
        kept = [item for item in kept if item not in _left_out]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.verbosity < 0:  # there was no header
        for line in pytest_report_header():
            terminalreporter.write_line(line)
    if _left_out:
        terminalreporter.write_line(
            f"{len(_left_out)} tests were left out: other combinations of parameters, and tests "
            "marked 'exhaustive' (pytest --exhaustive)"
        )
    for marker, count in _deselected.items():
        variable, cure = _NEEDS[marker]
        terminalreporter.write_line(
            f"{count} tests marked '{marker}' were left out: {variable} is not set ({cure})"
        )


@pytest.fixture(autouse=True)
def _same_numbers(request: pytest.FixtureRequest) -> None:
    """Each test draws the same numbers, whichever ran before: its module's ``RNG`` begins anew."""
    generator = getattr(request.module, "RNG", None)
    if generator is not None:
        first = _first_states.setdefault(id(generator), generator.bit_generator.state)
        generator.bit_generator.state = first


@pytest.fixture(autouse=True)
def _fresh_loggers() -> None:
    """Each test begins with the package's loggers as a fresh process has them.

    A command that a test runs inside of this process sets levels, as it does in its own process.
    """
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("armnn_py."):
            logger = logging.getLogger(name)
            logger.setLevel(logging.NOTSET)
            logger.disabled = False
    # Such a command also logs to standard error as pytest had it at that moment.
    for handler in list(logging.root.handlers):
        if type(handler) is logging.StreamHandler:
            logging.root.removeHandler(handler)


@pytest.fixture(scope="session", autouse=True)
def _elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run in an empty folder: child processes must find the installed package, not the sources."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    yield
    os.chdir(before)


@pytest.fixture(scope="session")
def models_folder() -> Path:
    """The folder that ``ARMNN_PY_MODELS`` names: ``open/*.onnx``, ``images/*``."""
    return Path(os.environ["ARMNN_PY_MODELS"])


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the package keeps for the user is kept for the tests alone."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    os.environ.pop("XDG_CACHE_HOME")
    if before is not None:
        os.environ["XDG_CACHE_HOME"] = before


FIXTURES = Path(__file__).parent / "fixtures"
INCLUDE = Path(__file__).parents[1] / "native" / "include"
#: Sanitizers that backends of the tests are built with, as in ``-fsanitize=``; the library that the
#: package loads must have them, too. See ``.ci/run``, step sanitizers.
SANITIZE = os.environ.get("ARMNN_TEST_SANITIZE", "")


def _build(source: str, target: Path, *defines: str) -> None:
    """Compile one C file as a vendor without CMake would, or take what came of it before."""
    folder = build_once(
        ("fixture", source, *defines),
        lambda folder: _compile(source, folder / "backend.so", *defines),
    )
    target.unlink(missing_ok=True)  # it may be mapped: a new file has another inode
    shutil.copy(folder / "backend.so", target)


def _compile(source: str, target: Path, *defines: str) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None, "the tests need a C compiler"
    command = [compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    command += ["-fvisibility=hidden", f"-I{INCLUDE}", str(FIXTURES / source)]
    if SANITIZE:
        command += ["-g", f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all"]
    # The library of the sanitizer that Python was started with is none of the compiler's business.
    environment = {**os.environ, "LD_PRELOAD": ""} if SANITIZE else None
    subprocess.run([*command, *defines, "-o", str(target)], check=True, env=environment)


@pytest.fixture(scope="session")
def build_backend() -> Callable[..., None]:
    """Compile a C file of tests/fixtures: ``build_backend(source, target, "-DNAME=1")``."""
    return _build


@pytest.fixture(scope="session")
def dozen_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the backend "Dozen"."""
    folder = tmp_path_factory.mktemp("dozen")
    _build("dozen_backend.c", folder / "Test_Dozen_backend.so")
    return folder
