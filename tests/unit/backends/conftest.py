# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend "Services", its journal, and networks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann

Journal = Callable[[], list[str]]


@pytest.fixture(scope="session")
def services_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Services"."""
    folder = tmp_path_factory.mktemp("services")
    build_backend("services_backend.c", folder / "Test_Services_backend.so")
    return folder


@pytest.fixture
def build_services(tmp_path: Path, build_backend: Callable[..., None]) -> Callable[..., Path]:
    """A folder with a variant of the backend: ``build_services("-DPROTECTED=0")``."""

    def build(*defines: str) -> Path:
        folder = tmp_path / "variant"
        folder.mkdir()
        build_backend("services_backend.c", folder / "Test_Services_backend.so", *defines)
        return folder

    return build


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """The calls of the backend since the last question, without its name."""
    path = tmp_path / "journal.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))
    monkeypatch.delenv("SERVICES_REFUSES", raising=False)

    def take() -> list[str]:
        lines = path.read_text().splitlines()
        path.write_text("")
        return [line.removeprefix("Services ") for line in lines]

    return take


@pytest.fixture
def runtime(services_folder: Path, journal: Journal) -> Iterator[ann.Runtime]:
    """A runtime with the backend "Services" beside the built-in ones."""
    with ann.Runtime(services_folder) as runtime:
        journal()
        yield runtime


@pytest.fixture
def services(runtime: ann.Runtime) -> ann.backends.Backend:
    """The backend itself."""
    return runtime.backends["Services"]


@pytest.fixture
def network() -> ann.Network:
    """An addition, then a negation."""
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((4,)))
    y = network.add_addition(x, x, name="add")
    y = network.add_elementwise_unary(y, ann.UnaryOperation.NEG, name="neg")
    network.add_output("y", y)
    return network
