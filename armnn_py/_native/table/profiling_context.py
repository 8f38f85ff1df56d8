# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The profiling context of a backend instance, and the host's side of it: counters and values."""

from __future__ import annotations

import ctypes
import logging
import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, check_memory, status_name
from armnn_py._native.memory.read_memory import NonsenseError, read_struct
from armnn_py._native.object_table import object_table
from armnn_py._native.table.backend_context import ContextError
from armnn_py._native.table.backend_options import TableError, build_options, counted_text
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py.errors import BackendError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.later import public_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py._native.table.backend_table import BackendTable

_log = logging.getLogger("armnn_py.backends")
_Host = abi.armnn_profiling_host_t
_TYPES: dict[str, Any] = dict(_Host._fields_)  # type: ignore[arg-type]
_CLASSES: tuple[Literal["delta"], Literal["absolute"]] = ("delta", "absolute")
_MAX_COUNTERS = 4096
_MODULUS = 1 << 64
_HALF = _MODULUS // 2


@public_class
@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of a backend.

    Attributes
    ----------
    name, description, unit
        Texts of the backend.
    counter_class
        ``"delta"``: it counts up, and a profile shows the increase; ``"absolute"``: a profile shows
        the value itself, such as a temperature.
    multiplier
        The factor from a raw value to ``unit``.
    """

    name: str
    description: str
    unit: str
    counter_class: Literal["delta", "absolute"]
    multiplier: float


class _ProfilingHost:
    """An ``armnn_profiling_host_t``; its functions may be called from any thread."""

    def __init__(self, backend_id: str) -> None:
        self.counters: list[Counter] = []
        self.values: dict[int, int] = {}
        self.is_enabled = False
        self.lock = threading.Lock()
        self._backend_id = backend_id
        self._refused = ""
        self.struct = struct = _Host()
        struct.header.struct_size = ctypes.sizeof(struct)
        struct.header.struct_type = abi.ARMNN_STRUCT_PROFILING_HOST
        struct.register_counter = _TYPES["register_counter"](self._register_counter)
        struct.report = _TYPES["report"](self._report)
        struct.enabled = _TYPES["enabled"](lambda _context: int(self.is_enabled))

    def take_refused(self) -> str:
        """Return and clear the reason of the first refused call; or ""."""
        refused, self._refused = self._refused, ""
        return refused

    def _refuse(self, function: str, words: str) -> int:
        self._refused = self._refused or f"{function}: {words}"
        _log.warning("backend '%s': %s is refused: %s", self._backend_id, function, words)
        return abi.ARMNN_STATUS_INVALID_ARGUMENT

    def _register_counter(self, _context: Any, description: Any, out_id: Any) -> int:
        try:  # no exception may leave a callback
            if not out_id:
                return self._refuse("register_counter", "out_counter_id is null")
            item = read_struct(
                description,
                abi.armnn_counter_description_t,
                abi.ARMNN_STRUCT_COUNTER_DESCRIPTION,
                "the description of a counter",
                least="multiplier",
            )
            counter_class, multiplier = int(item.counter_class), float(item.multiplier)
            name = counted_text(item.name, "the name of a counter")
            with self.lock:
                known = [counter.name for counter in self.counters]
                if not name:
                    raise NonsenseError("a counter without a name")
                if name in known:
                    raise NonsenseError(f"there is a counter '{name}' already")
                if counter_class >= len(_CLASSES):
                    raise NonsenseError(f"counter '{name}' is of unknown class {counter_class}")
                if not math.isfinite(multiplier * _MODULUS):  # for the largest raw value
                    raise NonsenseError(f"the multiplier of counter '{name}' is {multiplier}")
                if len(known) >= _MAX_COUNTERS:
                    raise NonsenseError(f"more than {_MAX_COUNTERS} counters")
                self.counters.append(
                    Counter(
                        name,
                        counted_text(item.description, "the description of a counter"),
                        counted_text(item.unit, "the unit of a counter"),
                        _CLASSES[counter_class],
                        multiplier,
                    )
                )
                out_id[0] = len(known)
        except (TableError, NonsenseError) as error:
            return self._refuse("register_counter", str(error))
        except BaseException as error:
            _log.error("backend '%s': register_counter failed: %r", self._backend_id, error)
            return abi.ARMNN_STATUS_INTERNAL
        return abi.ARMNN_STATUS_OK

    def _report(self, _context: Any, _time_ns: int, values: Any, count: int) -> int:
        try:
            if (count and not values) or count > _MAX_COUNTERS:
                return self._refuse("report", f"{count} values that cannot be read")
            pairs = [(values[i].counter_id, values[i].value) for i in range(count)]
            with self.lock:
                unknown = [number for number, _ in pairs if number >= len(self.counters)]
                if unknown:
                    return self._refuse("report", f"there is no counter with id {unknown[0]}")
                self.values.update(pairs)
        except BaseException as error:
            _log.error("backend '%s': report failed: %r", self._backend_id, error)
            return abi.ARMNN_STATUS_INTERNAL
        return abi.ARMNN_STATUS_OK


class ProfilingContext:
    """The counters of a backend instance, and whether it records.

    Profiling is on while somebody wants it: `start` and `stop` are counted. Calls of the backend
    do not overlap.
    """

    __slots__ = ("_lock", "_starts", "backend_id")

    def __init__(self, backend_id: str) -> None:
        self.backend_id = backend_id
        self._lock = threading.Lock()
        self._starts = 0

    @property
    def counters(self) -> tuple[Counter, ...]:
        """The counters that the backend has registered so far."""
        raise NotImplementedError

    def start(self) -> None:
        """Turn profiling and all counters on.

        Raises
        ------
        BackendError
            The backend refuses; profiling is as before.
        """
        with self._lock:
            if self._starts == 0:
                try:
                    self._turn(True)
                except BaseException:
                    self._turn_off()
                    raise
            self._starts += 1

    def stop(self) -> None:
        """Undo one `start`; a failure is logged."""
        with self._lock:
            self._starts -= 1
            if self._starts == 0:
                self._turn_off()

    def _turn(self, on: bool) -> None:
        raise NotImplementedError

    def _turn_off(self) -> None:
        try:
            self._turn(False)
        except BackendError as error:
            _log.warning("%s", error)

    @property
    def is_on(self) -> bool:
        """Whether the backend may call Python during a run, to report."""
        return False

    def read(self) -> dict[str, int]:
        """Return the current raw values by counter name; those not reported yet are absent.

        Profiling must be on.

        Raises
        ------
        BackendError
            The backend fails to report them.
        """
        raise NotImplementedError

    def scaled(
        self, values: Mapping[str, int], before: Mapping[str, int] | None = None
    ) -> dict[str, float]:
        """Return values in the units of their counters; for delta counters, since ``before``.

        A delta counter that went back has a negative value: raw values are modulo 2**64.
        """
        counters = {counter.name: counter for counter in self.counters}
        result = {}
        for name, value in values.items():
            counter = counters[name]
            if before is not None and counter.counter_class == "delta":
                value = (value - before.get(name, 0) + _HALF) % _MODULUS - _HALF
            result[name] = value * counter.multiplier
        return result

    def destroy(self) -> None:
        """End its use; harmless when repeated."""


class NativeProfilingContext(ProfilingContext):
    """An ``armnn_profiling_context_t``; destroy it before the backend context."""

    __slots__ = ("_api", "_host", "_object")

    def __init__(self, backend_id: str, item: Any, host: _ProfilingHost) -> None:
        super().__init__(backend_id)
        self._host = host
        self._object = item
        self._api = object_table(
            item,
            abi.armnn_profiling_context_api_t,
            abi.ARMNN_STRUCT_PROFILING_CONTEXT,
            ("destroy",),
            backend_id,
        )

    @property
    def counters(self) -> tuple[Counter, ...]:
        """As `ProfilingContext.counters`."""
        with self._host.lock:
            return tuple(self._host.counters)

    def _turn(self, on: bool) -> None:
        self._host.is_enabled = on
        count = len(self.counters) if on else 0
        ids = (ctypes.c_uint32 * max(1, count))(*range(count))
        self._call("enable_profiling", int(on))
        self._call("activate_counters", ids, count)

    @property
    def is_on(self) -> bool:
        """Whether profiling is on: then the backend may report at any time, to Python."""
        return self._starts > 0

    def read(self) -> dict[str, int]:
        """As `ProfilingContext.read`."""
        with self._lock:
            self._call("report_counter_values")
        with self._host.lock:
            return {
                self._host.counters[counter_id].name: value
                for counter_id, value in sorted(self._host.values.items())
            }

    def _call(self, function: str, *arguments: Any) -> None:
        call = getattr(self._api, function)
        if not call or self._object is None:
            return
        error = ErrorBuffer()
        self._host.take_refused()
        with deferred_interrupts():
            status = call(self._object, *arguments, ctypes.byref(error.struct))
        if status != abi.ARMNN_STATUS_OK:
            reason = _with_refused(error.text or status_name(status), self._host)
            raise BackendError(f"backend '{self.backend_id}': {function} failed: {reason}")

    def destroy(self) -> None:
        """Destroy the context; harmless when repeated."""
        with self._lock:
            if self._object is not None:
                with deferred_interrupts():
                    self._api.destroy(self._object)
                    self._object = None


def _with_refused(reason: str, host: _ProfilingHost) -> str:
    refused = host.take_refused()
    return f"{reason} (refused before: {refused})" if refused else reason


def create_profiling_context(
    table: BackendTable,
    backend_id: str,
    instance: int,
    values: Mapping[str, OptionValue],
    defaults: Mapping[str, OptionDefault],
) -> ProfilingContext | None:
    """Make the profiling context of an instance; None if the backend has none.

    Raises
    ------
    ContextError
        The backend failed, or its context is invalid.
    """
    if not table.api.create_profiling_context:
        return None
    error = ErrorBuffer()
    host = _ProfilingHost(backend_id)
    out = ctypes.POINTER(abi.armnn_profiling_context_t)()
    options, alive = build_options(values, defaults)
    with deferred_interrupts():
        status = table.api.create_profiling_context(
            ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)),
            ctypes.byref(options),
            ctypes.byref(host.struct),
            ctypes.byref(out),
            ctypes.byref(error.struct),
        )
    del alive
    check_memory(status, backend_id, "create_profiling_context", error)
    if status != abi.ARMNN_STATUS_OK:
        reason = f"create_profiling_context failed with {status_name(status)}"
        reason = f"{reason}: {error.text}" if error.text else reason
        raise ContextError("context-failed", _with_refused(reason, host))
    if not out:
        return None
    address = ctypes.addressof(out.contents)
    if not is_readable(address, ctypes.sizeof(abi.armnn_profiling_context_t)):
        reason = f"create_profiling_context returned 0x{address:x}, which cannot be read"
        raise ContextError("context-unreadable", reason)
    try:
        return NativeProfilingContext(backend_id, out, host)
    except BackendError as problem:
        raise ContextError("context-table", f"create_profiling_context: {problem}") from None
