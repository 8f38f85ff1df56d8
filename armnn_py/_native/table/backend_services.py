# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Other calls of a backend instance: devices, cache files, self test, extensions."""

from __future__ import annotations

import ctypes
from typing import Any

from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, callback_type, check_memory, status_name
from armnn_py._native.memory.read_memory import read_struct
from armnn_py._native.table.backend_options import TableError, counted_text
from armnn_py.device_ids import device_id
from armnn_py.errors import BackendError, BackendUnavailableError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.later import public_class

#: More devices than this are a mistake.
_MOST_DEVICES = 1024
_OnDevice = callback_type(abi.armnn_backend_api_t, "list_devices", 1)


@public_class
class DeviceDescription(Struct, frozen=True):
    """One device that a backend can use.

    Attributes
    ----------
    id
        By which the instance for it is named: ``"AcmeNpu"``, ``"AcmeNpu:1"``.
    name, vendor, driver_version
        Texts of the backend; all but the name may be empty.
    memory_size
        In bytes, 0 if it is not known.
    """

    id: str
    name: str
    vendor: str
    driver_version: str
    memory_size: int


def _backend_pointer(instance: int) -> Any:
    return ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))


def _failure(backend_id: str, function: str, status: int, error: ErrorBuffer) -> BackendError:
    check_memory(status, backend_id, function, error)
    kind = BackendUnavailableError if status == abi.ARMNN_STATUS_UNAVAILABLE else BackendError
    return kind(f"backend '{backend_id}': {function} failed: {error.text or status_name(status)}")


def cache_file_count(api: abi.armnn_backend_api_t, instance: int) -> int:
    """Return how many cache files an instance writes; 0 if it does not say."""
    if not api.get_number_of_cache_files:
        return 0
    return int(api.get_number_of_cache_files(_backend_pointer(instance)))


def self_test(backend_id: str, api: abi.armnn_backend_api_t, instance: int, level: int) -> None:
    """Let an instance test itself; an instance without a test passes.

    Raises
    ------
    BackendError
        The test failed; ``BackendUnavailableError`` if its device is not there.
    """
    if not api.self_test:
        return
    error = ErrorBuffer()
    status = api.self_test(_backend_pointer(instance), level, ctypes.byref(error.struct))
    if status != abi.ARMNN_STATUS_OK:
        raise _failure(backend_id, "self_test", status, error)


def devices(
    backend_id: str, api: abi.armnn_backend_api_t, instance: int
) -> tuple[DeviceDescription, ...]:
    """Return the devices that a backend lists; ``instance`` is 0 before it is created.

    Raises
    ------
    BackendError
        The backend fails, or a description of a device cannot be read; `BackendUnavailableError`
        if it has no device here.
    """
    if not api.list_devices:
        return ()
    found: list[DeviceDescription] = []
    problems: list[str] = []

    def on_device(_context: Any, device: Any) -> None:
        try:  # no exception may leave a callback
            if problems:
                return
            if len(found) == _MOST_DEVICES:
                problems.append(f"it describes more than {_MOST_DEVICES} devices")
                return
            if not device:
                problems.append("it described a device by null")
                return
            item = read_struct(
                device,
                abi.armnn_device_description_t,
                abi.ARMNN_STRUCT_DEVICE_DESCRIPTION,
                "the description of a device",
                least="name",
            )
            name = counted_text(item.name, "the name of a device")
            if not name:
                problems.append(f"device {len(found)} has no name")
                return
            found.append(
                DeviceDescription(
                    device_id(backend_id, len(found)),
                    name,
                    counted_text(item.vendor, "the vendor of a device"),
                    counted_text(item.driver_version, "the driver version of a device"),
                    int(item.memory_size),
                )
            )
        except TableError as error:
            problems.append(error.reason)
        except Exception as error:  # an invalid value, or no memory
            problems.append(str(error) or repr(error))

    error = ErrorBuffer()
    with deferred_interrupts():
        status = api.list_devices(
            _backend_pointer(instance) if instance else None,
            _OnDevice(on_device),
            None,
            ctypes.byref(error.struct),
        )
    if status == abi.ARMNN_STATUS_UNSUPPORTED:
        return ()
    if status != abi.ARMNN_STATUS_OK:
        raise _failure(backend_id, "list_devices", status, error)
    if problems:
        raise BackendError(f"backend '{backend_id}': list_devices: {problems[0]}")
    if not found:
        raise BackendError(
            f"backend '{backend_id}': list_devices: it describes no device",
            hints=["ARMNN_STATUS_UNAVAILABLE is the answer where none is here"],
        )
    return tuple(found)


def extension(api: abi.armnn_backend_api_t, instance: int, name: str) -> int | None:
    """Return the address of the table that an instance has under this name, or None."""
    if not api.extension:
        return None
    return api.extension(_backend_pointer(instance), name.encode()) or None
