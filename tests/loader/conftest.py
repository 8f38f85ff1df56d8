# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fixtures of the loader tests."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from armnn_py.backends import BackendRegistry, load_backends
from armnn_py.backends.probe import gate
from armnn_py.errors import BackendSkippedWarning
from tests.conftest import SANITIZE

from .harness import Load, Workshop, only, outcome


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DYNAMIC_BACKEND_PATHS", "ARMNN_PY_BUNDLED_BACKENDS", "ARMNN_PY_NO_ENTRY_POINTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def load() -> Iterator[Load]:
    """load_backends() without the package's own backends, quiet, closed at the end of the test."""
    opened: list[BackendRegistry] = []

    def load_quietly(path: Any = None, **arguments: Any) -> BackendRegistry:
        arguments.setdefault("bundled_backends", False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BackendSkippedWarning)
            registry = load_backends(dynamic_backends_path=path, **arguments)
        opened.append(registry)
        return registry

    yield load_quietly
    for registry in reversed(opened):
        registry.close()


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The calls of the test backends so far: "map A", "create A", ..."""
    path = tmp_path / "journal.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))
    return lambda: path.read_text().splitlines()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, unlike tmp_path."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


#: What a process with the address sanitizer in it cannot show: that a file which wants it is
#: refused, and a namespace with another C library, where it would be twice.
_WITHOUT_SANITIZER = (
    "[asan bit]",
    "test_sanitizer_library_would_end_the_process[address]",
    "test_networks_run_as_ever",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these in a run with sanitizers."""
    if not SANITIZE:
        return
    for item in items:
        if "tests/loader" in item.nodeid and item.nodeid.endswith(_WITHOUT_SANITIZER):
            item.add_marker(pytest.mark.skip(reason="not in a process with a sanitizer"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder; it is made by the first save."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "armnn_py"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were tried, in order; forget them with ``clear``."""
    names: list[str] = []
    try_files = gate.try_files

    def note(files, *arguments):
        def each():
            for path, descriptor, seconds in files:
                names.append(Path(path).name)
                yield path, descriptor, seconds

        return try_files(each(), *arguments)

    monkeypatch.setattr(gate, "try_files", note)
    return names


@pytest.fixture
def load_once(load: Load) -> Callable[..., tuple[str, str, str]]:
    """Load one file, close it again, and say what came of it."""

    def load_and_close(folder: Path, **arguments: object) -> tuple[str, str, str]:
        with load(folder, **arguments) as registry:
            return outcome(only(registry))

    return load_and_close


@pytest.fixture
def folder(tmp_path: Path, workshop: Workshop) -> Path:
    """A folder with the backend "Mine"."""
    made = tmp_path / "backends"
    workshop.put_id(made, "Mine")
    return made
