# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Read the table that a backend's factory returns, and make instances from it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from msgspec import Struct, field

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, check_memory, status_name
from armnn_py._native.library import core, host_pointer
from armnn_py._native.table.backend_options import (
    OptionDefault,
    OptionValue,
    TableError,
    build_options,
    read_capabilities,
    read_model_option_defaults,
    read_option_defaults,
    read_run_option_defaults,
)
from armnn_py._native.table.dynamic_library import (
    UnreadableTextError,
    is_code,
    is_readable,
    process_has_symbol,
    read_text,
)
from armnn_py._native.table.guarded_calls import guarded
from armnn_py.device_ids import device_id

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BackendTable",
    "CreateResult",
    "TableError",
    "capabilities",
    "check_built_minor",
    "create_instance",
    "destroy_instance",
    "forget_device",
    "lost_reason",
    "option_defaults",
    "quiesce_instance",
    "read_table",
    "run_option_defaults",
]


def lost_reason(instance: int) -> str | None:
    """The first reason that a backend instance gave, or None while its device is there."""
    text = ctypes.create_string_buffer(512)
    backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
    if not core().armnn_core_device_lost(backend, text, len(text)):
        return None
    return text.value.decode("utf-8", "replace") or "no reason given"


def forget_device(instance: int) -> None:
    """Forget a destroyed instance: another one may get the same address."""
    core().armnn_core_forget_device(ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)))


MANDATORY = ("create", "destroy", "get_id", "create_workload_factory", "get_layer_support")
_Api = abi.armnn_backend_api_t
_MANDATORY_SIZE = _Api.get_layer_support.offset + _Api.get_layer_support.size
_MAX_SIZE = 1 << 16
_FunctionPointer = ctypes.CFUNCTYPE(None).__base__ or object
_FUNCTIONS = tuple(name for name, kind, *_ in _Api._fields_ if issubclass(kind, _FunctionPointer))
_FLAGS = sum(
    value for name, value in abi.ENUMS["armnn_backend_bits_e"].items() if "MAX_ENUM" not in name
)
_SANITIZERS = (
    (abi.ARMNN_BUILD_ADDRESS_SANITIZER, "address", "__asan_init"),
    (abi.ARMNN_BUILD_THREAD_SANITIZER, "thread", "__tsan_init"),
)


class BackendTable(Struct, eq=False):
    """A private copy of a backend's table; members that an older backend lacks are null."""

    api: abi.armnn_backend_api_t
    address: int
    vendor_version: str | None = field(default=None)
    description: str | None = field(default=None)

    @property
    def unloadable(self) -> bool:
        """Whether the library may be closed after its last instance is destroyed."""
        return bool(self.api.flags & abi.ARMNN_BACKEND_UNLOADABLE)

    @property
    def is_reference(self) -> bool:
        """Whether the backend computes by the definition: others are compared with it."""
        return bool(self.api.flags & abi.ARMNN_BACKEND_REFERENCE)


def _pointer_member(api: abi.armnn_backend_api_t, name: str) -> int:
    offset: int = getattr(_Api, name).offset
    return ctypes.c_void_p.from_buffer(api, offset).value or 0


def _optional_text(api: abi.armnn_backend_api_t, name: str) -> str | None:
    pointer = _pointer_member(api, name)
    if not pointer:
        return None
    try:
        return read_text(pointer, 4096).decode("utf-8", "replace")
    except UnreadableTextError as error:
        raise TableError("table-text", f"the table's {name} {error}") from None


def _looks_like_object(pointer: int) -> bool:
    """Say whether the first word leads to a list of functions, as in a C++ object."""
    table = ctypes.c_uint64.from_address(pointer).value
    if table % 8 or not is_readable(table, 8):
        return False
    return is_code(ctypes.c_uint64.from_address(table).value)


def read_table(pointer: int) -> BackendTable:
    """Check what ``BackendFactory`` returned and copy it.

    Raises
    ------
    TableError
        It is null, unreadable, no table of this API, too small, incomplete, or built in a way
        that cannot run in this process.
    """
    if not pointer:
        raise TableError("table-null", "BackendFactory returned null")
    if not is_readable(pointer, ctypes.sizeof(abi.armnn_header_t)):
        reason = f"BackendFactory returned 0x{pointer:x}, which cannot be read"
        raise TableError("table-unreadable", reason, unloadable=False)
    header = abi.armnn_header_t.from_address(pointer)
    size, tag = int(header.struct_size), int(header.struct_type)
    if tag != abi.ARMNN_STRUCT_BACKEND:
        if _looks_like_object(pointer):
            raise TableError(
                "table-object",
                "BackendFactory returned a C++ object, not a table: "
                "this is a backend of Arm NN's C++ library",
                "use a build made with armnn/backend_api.h; C++ backends cannot be loaded",
                unloadable=False,
            )
        reason = f"BackendFactory returned no table: tag 0x{tag:08x}"
        raise TableError(
            "table-tag",
            f"{reason} where 0x{abi.ARMNN_STRUCT_BACKEND:08x} belongs",
            "set header to {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND}",
            unloadable=False,
        )
    if not _MANDATORY_SIZE <= size <= _MAX_SIZE:
        raise TableError(
            "table-size",
            f"the table says it has {size} bytes, at least {_MANDATORY_SIZE} are needed"
            if size < _MANDATORY_SIZE
            else f"the table says it has {size} bytes, which no table has",
            "set header.struct_size to sizeof(armnn_backend_api_t)",
        )
    api = _Api()
    known = min(size, ctypes.sizeof(_Api))
    if not is_readable(pointer, known):
        reason = f"the table says it has {size} bytes, but they cannot all be read"
        raise TableError("table-unreadable", reason)
    ctypes.memmove(ctypes.byref(api), pointer, known)
    try:
        _check_flags(api)
        _check_functions(api)
        _check_build(api)
        texts = (_optional_text(api, "vendor_version"), _optional_text(api, "description"))
    except TableError as error:
        error.unloadable = bool(api.flags & abi.ARMNN_BACKEND_UNLOADABLE)
        raise
    return BackendTable(api, pointer, *texts)


def _check_flags(api: abi.armnn_backend_api_t) -> None:
    unknown = api.flags & ~_FLAGS
    if unknown:
        bits = ", ".join(str(bit) for bit in range(32) if unknown >> bit & 1)
        raise TableError(
            "table-flags",
            f"the table's flags 0x{api.flags:x} have bits that mean nothing: {bits}",
            "use the enumerators of armnn_backend_bits_e, and zero for all else",
        )


def _check_functions(api: abi.armnn_backend_api_t) -> None:
    missing = [name for name in MANDATORY if not _pointer_member(api, name)]
    if missing:
        functions = ", ".join(f"'{name}'" for name in missing)
        raise TableError(
            "table-function-missing",
            f"the table lacks the mandatory function{'s' * (len(missing) > 1)} {functions}",
        )
    for name in _FUNCTIONS:
        address = _pointer_member(api, name)
        if address and not is_code(address):
            raise TableError(
                "table-function-invalid",
                f"the table's '{name}' points to 0x{address:x}, where no code is",
            )


def _check_build(api: abi.armnn_backend_api_t) -> None:
    for bit, name, marker in _SANITIZERS:
        if api.build_features & bit and not process_has_symbol(marker):
            raise TableError(
                "table-sanitizer",
                f"built with the {name} sanitizer, this process is not",
                f"install a build without -fsanitize={name}",
            )


def option_defaults(table: BackendTable) -> dict[str, OptionDefault]:
    """Return the options that ``create`` understands.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    return read_option_defaults(table.api)


def run_option_defaults(
    table: BackendTable, instance: int, *, has_listener: bool
) -> dict[str, OptionDefault]:
    """Return the options of one run that an instance understands; also check its model options.

    Raises
    ------
    TableError
        The backend's answer makes no sense, or without a listener no value can reach it.
    """
    api, backend = guarded(table.api), _backend_pointer(instance)
    read_model_option_defaults(api, backend)
    defaults = read_run_option_defaults(api, backend)
    if defaults and not has_listener:
        raise TableError(
            "table-options",
            f"get_run_option_defaults names option '{next(iter(defaults))}', "
            "but there is no backend context with before_run, which gets the values",
        )
    return defaults


def check_built_minor(table: BackendTable, reported_minor: int) -> None:
    """Refuse a table whose header is older than the version that ``GetVersion`` reports.

    Raises
    ------
    TableError
        The table's header is older than that version.
    """
    built = int(table.api.built_minor)
    if built < reported_minor:
        raise TableError(
            "table-version",
            f"GetVersion says minor {reported_minor}, but the table was built with minor {built}",
            "build all sources of the backend with one armnn/backend_api.h",
        )


# ---- Instances ----------------------------------------------------------------------------------


class CreateResult(Struct, frozen=True):
    """The result of ``create``; ``instance`` is 0 if it failed."""

    instance: int
    unavailable: bool = False
    code: str = "ok"
    reason: str = ""
    hint: str = ""


def create_instance(
    table: BackendTable,
    backend_id: bytes,
    values: Mapping[str, OptionValue],
    defaults: Mapping[str, OptionDefault],
    *,
    device_index: int = 0,
    is_own: bool = True,
) -> CreateResult:
    """Make the instance of a device, and check that it calls itself ``backend_id``.

    A lack of memory raises `OutOfMemoryError` if the backend is the package's own (``is_own``). The
    device of another backend may be full while the program has memory: that one fails alone.
    """
    error = ErrorBuffer()
    out = ctypes.POINTER(abi.armnn_backend_t)()
    options, alive = build_options(values, defaults)
    arguments = abi.armnn_create_args_t()
    arguments.header.struct_size = ctypes.sizeof(arguments)
    arguments.header.struct_type = abi.ARMNN_STRUCT_CREATE_ARGS
    arguments.host, arguments.options = host_pointer(), ctypes.pointer(options)
    arguments.device_index = device_index
    api = guarded(table.api)
    status = api.create(ctypes.byref(arguments), ctypes.byref(out), ctypes.byref(error.struct))
    del alive
    if status == abi.ARMNN_STATUS_UNAVAILABLE:
        reason = error.text or "its device or driver is not available on this machine"
        return CreateResult(0, unavailable=True, code="unavailable", reason=reason)
    if is_own:
        check_memory(status, device_id(backend_id.decode(), device_index), "create", error)
    if status != abi.ARMNN_STATUS_OK:
        reason = f"create failed with {status_name(status)}"
        if error.text:
            reason += f": {error.text}"
        return CreateResult(0, code="create-failed", reason=reason)
    instance = ctypes.cast(out, ctypes.c_void_p).value or 0
    if not instance:
        return CreateResult(0, code="create-null", reason="create returned no backend")
    if not is_readable(instance, ctypes.sizeof(abi.armnn_backend_t)):
        reason = f"create returned 0x{instance:x}, which cannot be read"
        return CreateResult(0, code="create-unreadable", reason=reason)
    try:
        pointer: int = table.api.get_id(out) or 0
        own_id = read_text(pointer, abi.ARMNN_MAX_ID_SIZE) if pointer else None
    except UnreadableTextError as problem:
        destroy_instance(table, instance, backend_id.decode())
        return CreateResult(0, code="create-id", reason=f"the instance's id {problem}")
    if own_id != backend_id:
        destroy_instance(table, instance, backend_id.decode())
        said = "null" if own_id is None else f"'{own_id.decode('utf-8', 'replace')}'"
        reason = f"the instance calls itself {said}, GetBackendId says '{backend_id.decode()}'"
        return CreateResult(0, code="create-id", reason=reason)
    return CreateResult(instance)


def quiesce_instance(
    table: BackendTable, instance: int, timeout_ns: int, backend_id: str
) -> str | None:
    """Tell an instance to finish and touch nothing afterwards; return why it did not, or None."""
    api = guarded(table.api, backend_id)
    if not api.quiesce:
        return None
    error = ErrorBuffer()
    status = api.quiesce(_backend_pointer(instance), timeout_ns, ctypes.byref(error.struct))
    return None if status == abi.ARMNN_STATUS_OK else error.text or status_name(status)


def capabilities(table: BackendTable, instance: int, backend_id: str) -> dict[str, OptionValue]:
    """Return the capabilities of an instance.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    return read_capabilities(guarded(table.api, backend_id), _backend_pointer(instance))


def _backend_pointer(instance: int) -> ctypes._Pointer[abi.armnn_backend_t]:
    return ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))


def destroy_instance(table: BackendTable, instance: int, backend_id: str) -> None:
    """Destroy an instance; its children must be gone."""
    api = guarded(table.api, backend_id)
    api.destroy(_backend_pointer(instance))
    forget_device(instance)
