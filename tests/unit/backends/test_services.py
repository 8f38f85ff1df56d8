# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Devices, cache files, the self test and extensions of a backend."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest

import armnn_py as ann
from armnn_py.backends import Backend

Journal = Callable[[], list[str]]


def test_devices(services: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    assert services.devices == (
        ann.DeviceDescription("Services", "npu0", "Test", "1.2", 2**33),
        ann.DeviceDescription("Services:1", "npu1", "Test", "1.2", 0),
    )
    monkeypatch.setenv("SERVICES_REFUSES", "list_devices")
    with pytest.raises(ann.BackendError, match=r"'Services': list_devices failed: .* says no"):
        services.devices  # noqa: B018
    monkeypatch.setenv("SERVICES_REFUSES", "bad-device")
    with pytest.raises(ann.BackendError, match="list_devices: it described a device by null"):
        services.devices  # noqa: B018


def test_self_test(services: Backend, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    services.self_test()
    services.self_test(3)
    assert journal() == ["self test 0", "self test 3"]
    monkeypatch.setenv("SERVICES_REFUSES", "self_test")
    with pytest.raises(ann.BackendError) as caught:
        services.self_test()
    assert str(caught.value) == "backend 'Services': self_test failed: self_test says no"
    for level in (-1, 2**31, True, "0"):
        with pytest.raises(ann.InvalidArgumentError, match="an int of at least 0 expected"):
            services.self_test(level)  # type: ignore[arg-type]


def test_cache_files_and_extension(services: Backend) -> None:
    assert services.number_of_cache_files == 2
    address = services.extension("test.numbers/1")
    assert address is not None
    assert list((ctypes.c_int32 * 2).from_address(address)) == [16, 7]
    assert services.extension("test.numbers/2") is None
    for name in ("a\0b", 3):
        with pytest.raises(ann.InvalidArgumentError, match="a name expected"):
            services.extension(name)  # type: ignore[arg-type]


def test_a_backend_without_them(runtime: ann.Runtime) -> None:
    backend = runtime.backends["CpuRef"]
    backend.self_test()
    assert backend.devices == ()
    assert backend.number_of_cache_files == 0
    assert backend.extension("test.numbers/1") is None
    assert backend.counters == ()
    assert backend.read_counters() == {}


def test_after_the_end(runtime: ann.Runtime, services: Backend) -> None:
    runtime.close()
    for ask in (
        lambda: services.devices,
        lambda: services.number_of_cache_files,
        lambda: services.model_options,
        lambda: services.default_allocator,
        services.self_test,
        services.read_counters,
        lambda: services.extension("x"),
    ):
        with pytest.raises(ann.InvalidArgumentError, match="backend 'Services' is closed"):
            ask()
