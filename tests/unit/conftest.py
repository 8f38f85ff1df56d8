# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runtimes with the built-in backends and with the backend "Needs"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import armnn_py as ann

# A test does not fail because a machine is busy.
settings.register_profile(
    "unhurried", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    """A runtime with the built-in backends only."""
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        yield runtime


@pytest.fixture(scope="session")
def needs_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Needs"."""
    folder = tmp_path_factory.mktemp("needs")
    build_backend("needs_backend.c", folder / "Test_Needs_backend.so")
    return folder


@pytest.fixture
def needs_runtime(needs_folder: Path) -> Iterator[ann.Runtime]:
    """A runtime with the backend "Needs" beside the built-in ones."""
    with ann.Runtime(needs_folder) as runtime:
        yield runtime
