# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Counters and devices as backends describe them: read by the growth rule, nonsense is refused."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import pytest

import armnn_py as ann
from armnn_py._native import abi
from armnn_py._native.table.backend_services import devices
from armnn_py._native.table.profiling_context import _ProfilingHost
from armnn_py.backends import Backend

Journal = Callable[[], list[str]]
NAME = ctypes.create_string_buffer(b"speed")


def text(buffer: Any = NAME) -> abi.armnn_string_t:
    return abi.armnn_string_t(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char)), len(buffer.value))


def counter(**members: Any) -> abi.armnn_counter_description_t:
    item = abi.armnn_counter_description_t()
    item.header.struct_size = members.pop("size", ctypes.sizeof(item))
    item.header.struct_type = members.pop("tag", abi.ARMNN_STRUCT_COUNTER_DESCRIPTION)
    item.name = text()
    item.multiplier = 1.0
    for name, value in members.items():
        setattr(item, name, value)
    return item


def register(host: _ProfilingHost, item: abi.armnn_counter_description_t) -> int:
    number = ctypes.c_uint32(99)
    status: int = host.struct.register_counter(None, ctypes.byref(item), ctypes.byref(number))
    assert (number.value == 99) == (status != abi.ARMNN_STATUS_OK)
    return status


@pytest.mark.parametrize(
    "members",
    [
        {"multiplier": math.nan},
        {"multiplier": math.inf},
        {"multiplier": -math.inf},
        {"multiplier": 1e308},
        {"tag": abi.ARMNN_STRUCT_DEVICE_DESCRIPTION},
        {"size": 16},
        {"size": 1 << 40},
    ],
    ids=repr,
)
def test_counters_that_make_no_sense(members: dict[str, Any]) -> None:
    """A profile with such a multiplier would be no JSON."""
    host = _ProfilingHost("Npu")
    assert register(host, counter(**members)) == abi.ARMNN_STATUS_INVALID_ARGUMENT
    assert not host.counters
    assert register(host, counter()) == abi.ARMNN_STATUS_OK
    assert [item.name for item in host.counters] == ["speed"]


def device(
    size: int = ctypes.sizeof(abi.armnn_device_description_t),
    tag: int = abi.ARMNN_STRUCT_DEVICE_DESCRIPTION,
) -> abi.armnn_device_description_t:
    item = abi.armnn_device_description_t()
    item.header.struct_size, item.header.struct_type = size, tag
    item.name = item.vendor = text()
    item.memory_size = 77
    return item


def list_of(item: abi.armnn_device_description_t) -> tuple[ann.DeviceDescription, ...]:
    api = abi.armnn_backend_api_t()
    kind = dict(api._fields_)["list_devices"]

    def list_devices(_backend: Any, on_device: Any, context: Any, _error: Any) -> int:
        on_device(context, ctypes.pointer(item))
        return abi.ARMNN_STATUS_OK

    api.list_devices = kind(list_devices)
    return devices("Npu", api, 0)


def test_devices_of_another_header() -> None:
    """What the stated size does not cover is not the backend's."""
    assert list_of(device()) == (ann.DeviceDescription("Npu", "speed", "speed", "", 77),)
    short = abi.armnn_device_description_t.driver_version.offset
    assert list_of(device(short)) == (ann.DeviceDescription("Npu", "speed", "speed", "", 0),)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (device(tag=abi.ARMNN_STRUCT_COUNTER_DESCRIPTION), "has tag 0x414e0010"),
        (device(size=16), "states a size of 16 bytes"),
        (device(size=1 << 40), "states a size of"),
    ],
)
def test_devices_that_make_no_sense(item: abi.armnn_device_description_t, words: str) -> None:
    with pytest.raises(
        ann.BackendError, match=f"list_devices: the description of a device {words}"
    ):
        list_of(item)


def test_profiling_is_off_again_when_it_could_not_be_turned_on(
    services: Backend, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "activate_counters")
    with pytest.raises(ann.BackendError, match="activate_counters failed"):
        services.read_counters()
    assert [line for line in journal() if "profiling" in line] == [
        "profiling on 1",
        "profiling on 0",
    ]
