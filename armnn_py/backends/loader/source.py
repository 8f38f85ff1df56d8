# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The source of all instances of one backend in one runtime, and its list of devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native.table.backend_options import OptionDefault, OptionValue
from armnn_py._native.table.backend_services import DeviceDescription, devices
from armnn_py._native.table.guarded_calls import guarded
from armnn_py.backends.options.memory_request import MemoryRequest
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from armnn_py._native.python_backend.python_table import PythonTable
    from armnn_py._native.table import backend_table
    from armnn_py.backends.loader.identity import BackendVersion
    from armnn_py.backends.loader.shared_library import SharedLibrary

# Called with a backend's id, the index of a device and the options before create: returns the
# values set for it. An exception is the caller's mistake and is not caught.
OptionsFor = Callable[[str, int, Mapping[str, OptionDefault]], dict[str, OptionValue]]


class BackendSource(Struct, eq=False):
    """A backend whose code is open, checked and of an id that is free.

    It holds nothing: use it while one of its instances is in use, or its load is under way.
    """

    id: str
    version: BackendVersion
    place: str
    file: str | None
    table: backend_table.BackendTable
    library: SharedLibrary | None
    defaults: Mapping[str, OptionDefault]
    options_for: OptionsFor
    memory_request: MemoryRequest
    python_table: PythonTable | None = None
    _devices: tuple[DeviceDescription, ...] | None = None

    def devices(self, instance: int = 0) -> tuple[DeviceDescription, ...]:
        """The devices that the backend lists now; empty if it tells nothing of its one device.

        Raises
        ------
        BackendError
            It fails to list them, or answers otherwise than before; `BackendUnavailableError` if
            it has none.
        """
        found = devices(self.id, guarded(self.table.api, self.id), instance)
        if self._devices is None:
            self._devices = found
        elif found != self._devices:
            before, now = (
                ", ".join(f"{one.id} '{one.name}'" for one in some) or "nothing told"
                for some in (self._devices, found)
            )
            raise BackendError(
                f"backend '{self.id}': list_devices answers otherwise than before",
                details=[f"before: {before}", f"now: {now}"],
                hints=["report it to the backend's vendor"],
            )
        return found

    def device_count(self) -> int:
        """How many devices there are, as the first answer said; raises as `devices`."""
        known = self.devices() if self._devices is None else self._devices
        return max(1, len(known))

    def device(self, index: int) -> DeviceDescription | None:
        """One of `devices`, or None if nothing is told of it; raises as `devices`."""
        known = self.devices() if self._devices is None else self._devices
        return known[index] if index < len(known) else None

    def forget(self) -> None:
        """Let go of the caller's allocators: no instance is made from now on."""
        self.memory_request = MemoryRequest()
