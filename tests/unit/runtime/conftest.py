# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend "Queue" and its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann

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
