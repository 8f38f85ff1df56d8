# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that does what no backend should, in a worker."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.isolation.keeper import Keeper, take_keeper


@pytest.fixture(scope="session")
def deed_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Deed", which does ``DEED_Deed`` at the place ``SITE_Deed``."""
    folder = tmp_path_factory.mktemp("deeds")
    build_backend("deed_backend.c", folder / "Test_Deed_backend.so")
    return folder


@pytest.fixture(scope="session", autouse=True)
def keeper() -> Iterator[Keeper]:
    """A keeper that stays, so that workers of later tests start soon."""
    made = take_keeper()
    yield made
    made.give_back()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own: backends of other tests are in quarantine there."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def deed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Have the backend do something at a place, in the workers that are started from now on."""

    def at(name: str, site: str) -> None:
        monkeypatch.setenv("DEED_Deed", name)
        monkeypatch.setenv("SITE_Deed", site)

    return at


def absolute() -> ann.Network:
    """A network of one layer, which the backend "Deed" runs."""
    network = ann.Network("absolute")
    x = network.add_input("x", ann.TensorInfo((64,)))
    made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
    network.add_output("y", made)
    return network


def soon(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def runtime(deed_folder: Path) -> Iterator[ann.Runtime]:
    """A runtime in which "Deed" is isolated."""
    with ann.Runtime(deed_folder, isolate=["Deed"]) as made:
        yield made
