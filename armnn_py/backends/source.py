# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the instances of one backend in one runtime are made from: one for each device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from armnn_py._native import backend_table
from armnn_py._native.backend_context import ContextError, create_backend_context
from armnn_py._native.backend_options import OptionDefault, OptionValue
from armnn_py._native.backend_services import DeviceDescription, devices
from armnn_py._native.interrupts import guarded
from armnn_py._native.profiling_context import create_profiling_context
from armnn_py.backends import shared_library
from armnn_py.backends.backend import Backend
from armnn_py.backends.memory_wishes import MemoryWishes, UnfitMemoryError
from armnn_py.device_ids import device_id
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from armnn_py._native.allocators import GivenAllocator
    from armnn_py._native.python_table import PythonTable
    from armnn_py.backends.verdict import Stage, Status
    from armnn_py.backends.version import BackendVersion

__all__ = ["BackendSource", "OptionsFor", "RefusedError"]

# Called with a backend's id, the index of a device and the options before create: returns the
# values set for it. An exception is the caller's mistake and is not caught.
OptionsFor = Callable[[str, int, Mapping[str, OptionDefault]], dict[str, OptionValue]]

_Context = TypeVar("_Context")


class RefusedError(Exception):
    """A step of loading failed, with all that its verdict says."""

    def __init__(
        self,
        stage: Stage,
        code: str,
        reason: str,
        hint: str = "",
        status: Status = "refused",
    ) -> None:
        super().__init__(reason)
        self.stage, self.code, self.reason, self.hint = stage, code, reason, hint
        self.status: Status = status


@dataclass(slots=True, eq=False, repr=False)
class BackendSource:
    """A backend whose code is open, checked and of an id that is free.

    It holds nothing: use it while one of its instances is in use, or its load is under way.
    """

    id: str
    version: BackendVersion
    place: str
    file: str | None
    table: backend_table.BackendTable
    library: shared_library.SharedLibrary | None
    defaults: Mapping[str, OptionDefault]
    options_for: OptionsFor
    wishes: MemoryWishes
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
        found = devices(self.id, guarded(self.table.api), instance)
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

    def create(self, index: int) -> Backend:
        """Make the instance of a device; call with ``LOADING`` held.

        The first one takes over the load's use of the library, others count their own.

        Raises
        ------
        RefusedError
            The backend does not make it, or it cannot be used.
        """
        if self.library is None or index == 0:
            return self._create(index)
        shared_library.share(self.library)
        try:
            return self._create(index)
        except BaseException:
            shared_library.release(self.library, unloadable=self.table.unloadable)
            raise

    def forget(self) -> None:
        """Let go of the caller's allocators: no instance is made from now on."""
        self.wishes = MemoryWishes()

    def _create(self, index: int) -> Backend:
        table, name = self.table, device_id(self.id, index)
        values = self.options_for(self.id, index, self.defaults)
        result = backend_table.create_instance(
            table, self.id.encode(), values, self.defaults, device_index=index
        )
        if not result.instance:
            status: Status = "unavailable" if result.unavailable else "refused"
            raise RefusedError("create", result.code, result.reason, result.hint, status)
        context, profiling, allocator = None, None, None
        try:
            allocator = self._give_memory(index, result.instance)
            context = self._make(create_backend_context, name, result.instance, values)
            profiling = self._make(create_profiling_context, name, result.instance, values)
            has_listener = context is not None and context.takes_run_options
            run_defaults = backend_table.run_option_defaults(
                table, result.instance, has_listener=has_listener
            )
        except (RefusedError, backend_table.TableError) as error:
            if profiling is not None:
                profiling.destroy()
            if context is not None:
                context.destroy()
            backend_table.destroy_instance(table, result.instance)
            del allocator  # last: until it is destroyed, the instance may free memory
            if isinstance(error, backend_table.TableError):
                raise RefusedError("create", error.code, error.reason, error.hint) from None
            raise
        return Backend(
            source=self,
            device_index=index,
            instance=result.instance,
            context=context,
            values=values,
            option_defaults=self.defaults,
            run_option_defaults=run_defaults,
            profiling=profiling,
            allocator=allocator,
        )

    def _give_memory(self, index: int, instance: int) -> GivenAllocator | None:
        try:
            return self.wishes.hand_over(self.table, self.id, index, instance)
        except UnfitMemoryError as error:
            raise RefusedError("create", error.code, error.reason, error.hint) from None

    def _make(
        self,
        make: Callable[..., _Context | None],
        name: str,
        instance: int,
        values: Mapping[str, OptionValue],
    ) -> _Context | None:
        try:
            return make(self.table, name, instance, values, self.defaults)
        except ContextError as error:
            status: Status = "unavailable" if error.code == "unavailable" else "refused"
            raise RefusedError("create", error.code, error.reason, status=status) from None
