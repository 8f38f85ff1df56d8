# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The last step of loading, once for each device: from a source to an instance."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from armnn_py._native.process import noted_calls
from armnn_py._native.process.process_state import KeptState
from armnn_py._native.table import backend_table
from armnn_py._native.table.backend_context import ContextError, create_backend_context
from armnn_py._native.table.backend_options import OptionValue
from armnn_py._native.table.profiling_context import create_profiling_context
from armnn_py.backends.backend import Backend
from armnn_py.backends.loader import shared_library
from armnn_py.backends.loader.naming import is_of_package
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.backends.options.memory_request import UnfitMemoryError
from armnn_py.device_ids import device_id
from armnn_py.errors import OutOfMemoryError
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py._native.table.allocators import GivenAllocator
    from armnn_py.backends.loader.source import BackendSource
    from armnn_py.backends.loader.verdict import Status

_log = logging.getLogger("armnn_py.backends")

UNDONE = "of the process, which was undone"
"""In what a verdict says of the state of the process."""

_Context = TypeVar("_Context")


def open_device(source: BackendSource, index: int) -> Backend:
    """Make the instance of a device; call with ``LOADING`` held.

    The first one takes over the load's use of the library, others count their own.

    Raises
    ------
    RefusedError
        The backend does not make it, or it cannot be used.
    """
    if source.library is None or index == 0:
        return _open(source, index)
    shared_library.share(source.library)
    kept = KeptState()
    try:
        is_own = is_of_package(source.library.path)
        with contextlib.nullcontext() if is_own else kept, noted_calls.Steps() as steps:
            if noted_calls.is_noted(source.id):
                name = device_id(source.id, index)
                steps.begin(f"step 'create' of '{name}' of {source.library.path}")
            backend = _open(source, index)
        for words in words_on_changes(kept):
            _log.warning("%s: %s", printable(backend.id), words)
        return backend
    except BaseException:
        shared_library.release(source.library, unloadable=source.table.unloadable)
        raise


def words_on_changes(kept: KeptState) -> list[str]:
    """Return what a verdict says of the state of the process; nothing if it was left alone."""
    if not kept.changes:
        return []
    return [f"its code changed {', '.join(kept.changes)} {UNDONE}"]


def _open(source: BackendSource, index: int) -> Backend:
    table, name = source.table, device_id(source.id, index)
    values = source.options_for(source.id, index, source.defaults)
    is_own = source.library is None or is_of_package(source.library.path)
    result = backend_table.create_instance(
        table, source.id.encode(), values, source.defaults, device_index=index, is_own=is_own
    )
    if not result.instance:
        status: Status = "unavailable" if result.unavailable else "refused"
        raise RefusedError("create", result.code, result.reason, result.hint, status)
    context, profiling, allocator = None, None, None
    try:
        allocator = _give_memory(source, index, result.instance)
        context = _make_context(source, create_backend_context, name, result.instance, values)
        if source.python_table is not None:
            profiling = source.python_table.serving[index].profiling
        else:
            profiling = _make_context(
                source, create_profiling_context, name, result.instance, values
            )
        has_listener = context is not None and context.takes_run_options
        run_defaults = backend_table.run_option_defaults(
            table, result.instance, has_listener=has_listener
        )
    except BaseException as error:
        if profiling is not None:
            profiling.destroy()
        if context is not None:
            context.destroy()
        backend_table.destroy_instance(table, result.instance, source.id)
        del allocator  # last: until it is destroyed, the instance may free memory
        if isinstance(error, backend_table.TableError):
            raise RefusedError("create", error.code, error.reason, error.hint) from None
        if isinstance(error, OutOfMemoryError) and not is_own:
            raise RefusedError("create", "create-failed", error.message) from None
        raise
    return Backend(
        source=source,
        device_index=index,
        instance=result.instance,
        context=context,
        values=values,
        option_defaults=source.defaults,
        run_option_defaults=run_defaults,
        profiling=profiling,
        allocator=allocator,
    )


def _give_memory(source: BackendSource, index: int, instance: int) -> GivenAllocator | None:
    try:
        return source.memory_request.hand_over(source.table, source.id, index, instance)
    except UnfitMemoryError as error:
        raise RefusedError("create", error.code, error.reason, error.hint) from None


def _make_context(
    source: BackendSource,
    make: Callable[..., _Context | None],
    name: str,
    instance: int,
    values: Mapping[str, OptionValue],
) -> _Context | None:
    try:
        return make(source.table, name, instance, values, source.defaults)
    except ContextError as error:
        status: Status = "unavailable" if error.code == "unavailable" else "refused"
        raise RefusedError("create", error.code, error.reason, status=status) from None
