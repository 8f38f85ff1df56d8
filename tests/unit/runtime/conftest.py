# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backends "Queue", with its journal, and "State"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann

from .sums import FILE, Load, sums

Journal = Callable[[], list[str]]


@pytest.fixture(scope="session")
def queue_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
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
def load_sums(tmp_path: Path, build_backend: Callable[..., None]) -> Iterator[Load]:
    """Load a network, by default `sums`, on the backend "State" built with these defines."""
    runtimes = []

    def load(
        *defines: str,
        network: ann.Network | None = None,
        python_backends: tuple[object, ...] = (),
        **options: object,
    ) -> ann.LoadedNetwork:
        build_backend("state_backend.c", tmp_path / FILE, *defines)
        runtimes.append(ann.Runtime(tmp_path, python_backends=list(python_backends)))
        backends = [id for id in ("State", "Tail", "CpuRef") if id in runtimes[-1].backends]
        return ann.load(network or sums(), backends, runtime=runtimes[-1], **options)

    yield load
    for runtime in runtimes:
        runtime.close()
