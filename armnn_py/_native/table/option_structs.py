# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of one model or of one run in C, and the model context that a backend makes from them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure
from armnn_py._native.object_table import object_table
from armnn_py._native.table.backend_options import (
    OptionDefault,
    OptionValue,
    TableError,
    build_options,
    checked_options,
    read_model_option_defaults,
)
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _backend_pointer(instance: int) -> Any:
    return ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))


class NativeModelOptions:
    """An ``armnn_options_t`` with the memory that it points to.

    Attributes
    ----------
    values
        The given values, by name.
    pointer
        For the calls that take model options; valid while this object lives.
    """

    __slots__ = ("_alive", "_struct", "pointer", "values")

    def __init__(
        self, values: Mapping[str, OptionValue], defaults: Mapping[str, OptionDefault]
    ) -> None:
        self.values = dict(values)
        self._struct, self._alive = build_options(values, defaults)
        self.pointer = ctypes.pointer(self._struct)


def model_option_defaults(
    backend_id: str, api: abi.armnn_backend_api_t, instance: int
) -> dict[str, OptionDefault]:
    """Return the model options that a backend understands, with their defaults.

    Raises
    ------
    BackendError
        Its answer makes no sense.
    """
    try:
        return read_model_option_defaults(api, _backend_pointer(instance))
    except TableError as error:
        raise BackendError(f"backend '{backend_id}': {error.reason}") from None


def model_options(
    backend_id: str, api: abi.armnn_backend_api_t, instance: int, values: Mapping[str, Any]
) -> NativeModelOptions | None:
    """Return the C form of ``values``, or None without values: the backend gets null.

    Raises
    ------
    UnknownNameError
        The backend has no such option; the hint lists similar names.
    InvalidArgumentError
        A value has another type, or is out of range.
    BackendError
        The backend does not say which options it has.
    """
    if not values:
        return None
    defaults = model_option_defaults(backend_id, api, instance)
    checked = checked_options(f"model_options['{backend_id}']", values, defaults)
    return NativeModelOptions(checked, defaults)


class NativeModelContext:
    """An ``armnn_model_context_t``; destroy it after the workload factory that was given it."""

    __slots__ = ("_api", "object")

    def __init__(self, backend_id: str, item: Any) -> None:
        self.object = item
        self._api = object_table(
            item,
            abi.armnn_model_context_api_t,
            abi.ARMNN_STRUCT_MODEL_CONTEXT,
            ("destroy",),
            backend_id,
        )

    def destroy(self) -> None:
        """Destroy the context; harmless when repeated."""
        if self.object is not None:
            self._api.destroy(self.object)
            self.object = None


def create_model_context(
    backend_id: str,
    api: abi.armnn_backend_api_t,
    instance: int,
    options: NativeModelOptions | None,
) -> NativeModelContext | None:
    """Make the context of one network; None if the backend has none.

    Raises
    ------
    BackendError
        The backend failed, or its context is invalid.
    """
    if not api.create_model_context:
        return None
    error = ErrorBuffer()
    out = ctypes.POINTER(abi.armnn_model_context_t)()
    status = api.create_model_context(
        _backend_pointer(instance),
        None if options is None else options.pointer,
        ctypes.byref(out),
        ctypes.byref(error.struct),
    )
    if status != abi.ARMNN_STATUS_OK:
        raise backend_failure(backend_id, "create_model_context", status, error)
    return NativeModelContext(backend_id, out) if out else None


class NativeRunOptions:
    """An array of ``armnn_options_t`` with the memory that it points to.

    Parameters
    ----------
    given
        Values and defaults for each listener of a plan, in its order.

    Attributes
    ----------
    pointer
        For ``armnn_run_t``; valid while this object lives.
    """

    __slots__ = ("_alive", "pointer")

    def __init__(
        self, given: Sequence[tuple[Mapping[str, OptionValue], Mapping[str, OptionDefault]]]
    ) -> None:
        array = (abi.armnn_options_t * max(1, len(given)))()
        self._alive: list[object] = [array]
        for item, (values, defaults) in zip(array, given, strict=False):
            if values:
                options, alive = build_options(values, defaults)
                item.items, item.count = options.items, options.count
                self._alive += [options, alive]
        self.pointer = ctypes.cast(array, ctypes.POINTER(abi.armnn_options_t))
