# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends of C files, their journal, and runtimes over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import armnn_py as ann
from armnn_py.python_backend import PythonBackend

from .kinds import Build, Journal, Load, MakeRuntime
from .sums import sums


@pytest.fixture(scope="session")
def queue_folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Build) -> Path:
    """A folder with the backend "Queue", whose layers are worked off later."""
    folder = tmp_path_factory.mktemp("queue")
    build_backend("queue_backend.c", folder / "Test_Queue_backend.so")
    return folder


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """What "Queue" backends have lived through since it was last asked."""
    path = tmp_path / "journal.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))

    def take() -> list[str]:
        lines = path.read_text().splitlines()
        path.write_text("")
        return lines

    return take


@pytest.fixture
def queue_runtime(queue_folder: Path, journal: Journal) -> Iterator[ann.Runtime]:
    """A runtime with the backend "Queue" beside the built-in ones."""
    with ann.Runtime(queue_folder) as runtime:
        journal()
        yield runtime


@pytest.fixture
def make_runtime(tmp_path: Path, build_backend: Build, journal: Journal) -> Iterator[MakeRuntime]:
    """Make a runtime over a backend: ``make_runtime("handle", "-DNAME=1")``, closed at the end.

    The source is ``tests/fixtures/handle_backend.c``, the folder ``tmp_path / "backends"``.
    """
    made: list[ann.Runtime] = []

    def make(source: str, *defines: str, **options: Any) -> ann.Runtime:
        folder = tmp_path / "backends"
        folder.mkdir(exist_ok=True)
        build_backend(
            f"{source}_backend.c", folder / f"Test_{source.capitalize()}_backend.so", *defines
        )
        made.append(ann.Runtime(folder, **options))
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


@pytest.fixture
def load_sums(make_runtime: MakeRuntime) -> Load:
    """Load a network, by default `sums`, on the backend "State" built with these defines."""

    def load(
        *defines: str,
        network: ann.Network | None = None,
        python_backends: Sequence[PythonBackend] = (),
        **options: Any,
    ) -> ann.LoadedNetwork:
        runtime = make_runtime("state", *defines, python_backends=python_backends)
        backends = [name for name in ("State", "Tail", "CpuRef") if name in runtime.backends]
        return ann.load(network or sums(), backends, runtime=runtime, **options)

    return load
