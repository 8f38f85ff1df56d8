# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Factories of two devices of one backend have one id, and are not mixed up."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py._native import abi
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.backends import LOADING, Backend
from armnn_py.backends.loader.opening import open_device

ID = "Test/Handle/Device"


@pytest.fixture
def two(tmp_path: Path, build_backend: Callable[..., None]) -> Iterator[list[Backend]]:
    """Two instances of one backend that registers a factory."""
    build_backend("handle_backend.c", tmp_path / "Test_Handle_backend.so")
    with ann.Runtime(tmp_path) as runtime:
        first = runtime.backends["Handle"]
        with LOADING:
            second = open_device(first.source, 1)
        yield [first, second]
        second.close()


def found(registry: HandleRegistry, backend: Backend, name: str = ID) -> int | None:
    """The result of get_factory for a backend."""
    with registry.lent(backend.id) as struct:
        return ctypes.cast(
            struct.get_factory, ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
        )(struct.context, name.encode())


def test_each_finds_its_own(two: list[Backend]) -> None:
    registry = HandleRegistry(two)
    try:
        assert list(registry.factories) == [ID, f"{ID}:1"]
        assert [one.backend_id for one in registry.factories.values()] == ["Handle", "Handle:1"]
        assert registry.preferences("Handle") == (ID,)
        assert registry.preferences("Handle:1") == (f"{ID}:1",)
        addresses = [factory.address for factory in registry.factories.values()]
        assert [found(registry, backend) for backend in two] == addresses
        assert found(registry, two[0], "other") is None
    finally:
        registry.close()


def test_a_device_does_not_get_the_memory_of_another(two: list[Backend]) -> None:
    """Of another backend it may use a factory, of its own backend's other device never."""

    class Silent:
        """The second device, which forgot to register."""

        id = "Handle:1"
        instance = two[1].instance
        api = abi.armnn_backend_api_t.from_buffer_copy(two[1].source.table.api)

    Silent.api.register_tensor_handle_factories = type(
        Silent.api.register_tensor_handle_factories
    )()
    with pytest.raises(ann.BackendError, match=r"'Handle:1' prefers .* that are not registered"):
        HandleRegistry([two[0], Silent])
    Silent.id = "Other:1"
    registry = HandleRegistry([two[0], Silent])
    assert registry.preferences("Other:1") == (ID,)
    registry.close()
