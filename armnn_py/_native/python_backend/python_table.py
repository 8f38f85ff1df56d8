# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The three exports and the table of functions of a backend that is written in Python."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native import abi
from armnn_py._native.calls import status_name
from armnn_py._native.growth import known_fields
from armnn_py._native.layers.shown_layers import read_options
from armnn_py._native.library import host_pointer
from armnn_py._native.python_backend.python_objects import (
    UnsupportedError,
    address_of_code,
    drop,
    forget_objects,
    item_of,
    new_object,
    notice,
    question,
    table,
)
from armnn_py._native.python_backend.python_options import StaticOptions, option_default
from armnn_py._native.python_backend.python_parts import ShownPart
from armnn_py._native.python_backend.python_workloads import (
    WorkloadMaker,
    new_factory,
    new_support,
)
from armnn_py._native.table.dynamic_library import Exports, forget_code
from armnn_py._native.table.guarded_calls import note_caller
from armnn_py._native.texts import counted
from armnn_py.interrupts import interruptible

if TYPE_CHECKING:
    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py._native.table.profiling_context import ProfilingContext


class PythonBackendLike(WorkloadMaker, Protocol):
    """The properties and methods of a backend, seen from below.

    Attributes
    ----------
    id, score, is_reference, vendor_version, description
        As in ``armnn_py.backends.Backend``.
    optimizes
        Whether `optimize` does anything.
    options, model_options, run_options
        Defaults, with descriptions.
    capabilities
        Named values.
    listens
        Whether it wants to hear of runs.
    devices
        Name, vendor, driver version and bytes of memory of each device; empty: one, not described.
    profiling
        Its counters; None: it has none.
    """

    id: str
    score: int
    is_reference: bool
    optimizes: bool
    vendor_version: str
    description: str
    options: Mapping[str, OptionDefault]
    model_options: Mapping[str, OptionDefault]
    run_options: Mapping[str, OptionDefault]
    capabilities: Mapping[str, OptionValue]
    listens: bool
    devices: Sequence[tuple[str, str, str, int]]
    profiling: ProfilingContext | None

    def of_device(self, index: int, /) -> PythonBackendLike:
        """The backend that serves on a device, itself for the first; may raise."""

    def start(self, options: Mapping[str, OptionValue], lose_device: Callable[[str], bool]) -> None:
        """Begin to serve a runtime, with the values that somebody gave; may raise.

        ``lose_device`` tells the host that the device is gone, and why; false without a host.
        """

    def stop(self) -> None:
        """End of that."""

    def optimize(self, part: ShownPart) -> bool:
        """Answer for the layers of a part; False if there is nothing to do."""

    def self_test(self, level: int) -> None:
        """Raise if it does not work."""

    def set_option(self, name: str, value: OptionValue) -> None:
        """Take another value for a changeable option; may raise."""

    def before_run(self, network_id: int, run_id: int, options: Mapping[str, OptionValue]) -> None:
        """Hear of the begin of a run; may raise."""

    def after_run(self, network_id: int, run_id: int, status: str) -> None:
        """Hear of its end."""


class _Instance:
    """The backend of one runtime, and the addresses of its objects that are not destroyed yet."""

    def __init__(self, owner: PythonTable, backend: PythonBackendLike) -> None:
        self.owner, self.backend = owner, backend
        self.pointer: Any = None  # once it serves, until it is destroyed
        self.children: set[int] = set()


class PythonTable:
    """A backend in Python as the loader sees one in C; it must outlive the instances.

    Attributes
    ----------
    serving
        The backend of each device that was opened, by its index.
    exports
        Addresses of ``GetBackendId``, ``GetVersion`` and ``BackendFactory``.
    """

    def __init__(self, backend: PythonBackendLike) -> None:
        self.backend = backend
        self.serving: dict[int, PythonBackendLike] = {}
        self.id = ctypes.create_string_buffer(backend.id.encode("utf-8", "replace"))
        self.options = StaticOptions(backend.options)
        self.model_options = StaticOptions(backend.model_options)
        self.run_options = StaticOptions(backend.run_options)
        self.capabilities = StaticOptions(
            {name: option_default(value) for name, value in backend.capabilities.items()}
        )
        self.api = api = abi.armnn_backend_api_t()
        ctypes.memmove(ctypes.byref(api), ctypes.byref(_shared), ctypes.sizeof(api))
        # They hold nothing of the table, which is so freed at once when the last instance is gone.
        me, options = weakref.ref(self), self.options
        scopes = [options, self.model_options, self.run_options]  # by armnn_option_scope_e
        id_address, api_address = ctypes.addressof(self.id), ctypes.addressof(api)
        kinds = {name: kind for name, kind, *_ in abi.armnn_backend_api_t._fields_}
        made = [
            notice(_Address, lambda: id_address, 0),
            notice(abi.armnn_get_version_fn_t, _get_version),
            notice(_Address, lambda: api_address, 0),
            question(kinds["create"], partial(_create, me), what="open()"),
            question(
                kinds["get_option_defaults"],
                lambda _backend, out: options.write(out),
                what="option_defaults",
            ),
            notice(
                kinds["describe_option"],
                lambda _backend, scope, index: scopes[scope].description(index),
                0,
            ),
            question(kinds["list_devices"], partial(_list_devices, me), what="devices"),
        ]
        api.create, api.get_option_defaults, api.describe_option, api.list_devices = made[3:]
        api.built_minor = abi.ARMNN_BACKEND_API_MINOR
        api.understood_fields = known_fields()
        api.score = backend.score
        self.devices = [_described(*device) for device in backend.devices]
        if not self.devices:
            api.list_devices = type(api.list_devices)()
        if not backend.optimizes:
            api.optimize_subgraph_view = type(api.optimize_subgraph_view)()
        api.flags = abi.ARMNN_BACKEND_REFERENCE if backend.is_reference else 0
        api.vendor_version = backend.vendor_version.encode("utf-8", "replace") or None
        api.description = backend.description.encode("utf-8", "replace") or None
        self._made = made
        addresses = [address_of_code(function) for function in made]
        self.exports = Exports(*addresses[:3])
        weakref.finalize(self, forget_code, addresses).atexit = False
        note_caller(self)


_Address = ctypes.CFUNCTYPE(ctypes.c_void_p)


# ---- Functions of the table ----------------------------------------------------------------------


def _get_version(out_major: Any, out_minor: Any) -> None:
    out_major[0] = abi.ARMNN_BACKEND_API_MAJOR
    out_minor[0] = abi.ARMNN_BACKEND_API_MINOR


def _create(owner: weakref.ref[PythonTable], args: Any, out: Any) -> None:
    table = owner()
    assert table is not None
    with interruptible():
        index = int(args.contents.device_index)
        instance = _Instance(table, table.backend.of_device(index))
        lose_device = partial(_lose_device, weakref.ref(instance))
        instance.backend.start(read_options(args.contents.options), lose_device)
        table.serving[index] = instance.backend
    out[0] = instance.pointer = new_object(abi.armnn_backend_t, table.api, instance)


def _lose_device(serving: weakref.ref[_Instance], reason: str) -> bool:
    instance, host = serving(), host_pointer().contents
    if instance is None or not instance.pointer or not host.device_lost:
        return False
    host.device_lost(host.context, instance.pointer, counted(reason))
    return True


def _described(name: str, vendor: str, driver: str, memory: int) -> Any:
    struct = abi.armnn_device_description_t()
    struct.header.struct_size = ctypes.sizeof(struct)
    struct.header.struct_type = abi.ARMNN_STRUCT_DEVICE_DESCRIPTION
    struct.name, struct.vendor, struct.driver_version = map(counted, (name, vendor, driver))
    struct.memory_size = memory
    return struct


def _list_devices(owner: weakref.ref[PythonTable], _pointer: Any, tell: Any, context: Any) -> None:
    table = owner()
    assert table is not None
    for struct in table.devices:
        tell(context, ctypes.pointer(struct))


def _destroy(pointer: Any) -> None:
    instance: _Instance = drop(pointer)
    instance.pointer = None
    forget_objects(instance.children)
    instance.backend.stop()


def _get_id(pointer: Any) -> int:
    instance: _Instance = item_of(pointer)
    return ctypes.addressof(instance.owner.id)


def _get_layer_support(pointer: Any, options: Any, out: Any) -> None:
    instance: _Instance = item_of(pointer)
    out[0] = new_support(instance.backend, options, instance.children)


def _create_workload_factory(pointer: Any, args: Any, out: Any) -> None:
    instance: _Instance = item_of(pointer)
    options = args.contents.model_options if args else None
    out[0] = new_factory(instance.backend, options, instance.children)


def _get_capabilities(pointer: Any, out: Any) -> None:
    instance: _Instance = item_of(pointer)
    instance.owner.capabilities.write(out)


def _get_model_option_defaults(pointer: Any, out: Any) -> None:
    instance: _Instance = item_of(pointer)
    instance.owner.model_options.write(out)


def _get_run_option_defaults(pointer: Any, out: Any) -> None:
    instance: _Instance = item_of(pointer)
    instance.owner.run_options.write(out)


def _set_option(pointer: Any, option: Any) -> None:
    instance: _Instance = item_of(pointer)
    options = ctypes.pointer(abi.armnn_options_t(option, 1))
    ((name, value),) = read_options(options).items()
    with interruptible():
        instance.backend.set_option(name, value)


def _create_backend_context(pointer: Any, _options: Any, out: Any) -> None:
    instance: _Instance = item_of(pointer)
    if instance.backend.listens:
        context = new_object(abi.armnn_backend_context_t, _context_functions, instance)
        instance.children.add(ctypes.addressof(context.contents))
        out[0] = context


def _optimize(pointer: Any, subgraph: Any, options: Any, sink: Any) -> None:
    instance: _Instance = item_of(pointer)
    part = ShownPart(subgraph.contents, options, sink.contents)
    try:
        done = instance.backend.optimize(part)
    finally:
        part.close()
    if not done:
        raise UnsupportedError("")


def _self_test(pointer: Any, level: int) -> None:
    instance: _Instance = item_of(pointer)
    instance.backend.self_test(level)


# ---- The context ---------------------------------------------------------------------------------


def _destroy_context(pointer: Any) -> None:
    address = ctypes.addressof(pointer.contents)
    instance: _Instance = drop(pointer)
    instance.children.discard(address)


def _before_run(pointer: Any, run: Any) -> None:
    instance: _Instance = item_of(pointer)
    struct = run.contents
    options = read_options(ctypes.pointer(struct.options))
    with interruptible():
        instance.backend.before_run(int(struct.network_id), int(struct.run_id), options)


def _after_run(pointer: Any, run: Any) -> None:
    instance: _Instance = item_of(pointer)
    struct = run.contents
    status = status_name(int(struct.status))
    instance.backend.after_run(int(struct.network_id), int(struct.run_id), status)


_context_functions = table(
    abi.armnn_backend_context_api_t,
    abi.ARMNN_STRUCT_BACKEND_CONTEXT,
    {
        "destroy": partial(notice, function=_destroy_context),
        "before_run": partial(question, answer=_before_run, what="before_run()", keeps=True),
        "after_run": partial(notice, function=_after_run),
    },
)

#: Shared by all tables; it lives as long as the process.
_shared = table(
    abi.armnn_backend_api_t,
    abi.ARMNN_STRUCT_BACKEND,
    {
        "destroy": partial(notice, function=_destroy),
        "get_id": partial(notice, function=_get_id, default=0),
        "get_layer_support": partial(question, answer=_get_layer_support, what="get_layer_support"),
        "create_workload_factory": partial(
            question, answer=_create_workload_factory, what="create_workload_factory"
        ),
        "optimize_subgraph_view": partial(question, answer=_optimize, what="optimize()"),
        "get_capabilities": partial(question, answer=_get_capabilities, what="capabilities"),
        "get_model_option_defaults": partial(
            question, answer=_get_model_option_defaults, what="model_option_defaults"
        ),
        "get_run_option_defaults": partial(
            question, answer=_get_run_option_defaults, what="run_option_defaults"
        ),
        "set_option": partial(question, answer=_set_option, what="set_option()"),
        "create_backend_context": partial(
            question, answer=_create_backend_context, what="create_backend_context"
        ),
        "self_test": partial(question, answer=_self_test, what="self_test()"),
    },
)
