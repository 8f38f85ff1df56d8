# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Workload factories and workloads of a backend, as owned objects."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import threading
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import (
    ErrorBuffer,
    backend_failure,
    check_memory,
    raise_status,
    status_name,
)
from armnn_py._native.memory.read_memory import address_of
from armnn_py._native.object_table import object_table
from armnn_py._native.process import noted_calls
from armnn_py._native.table.dynamic_library import UnreadableTextError, read_text
from armnn_py._native.table.guarded_calls import take_raised
from armnn_py._native.table.memory_manager import create_memory_manager
from armnn_py._native.table.option_structs import create_model_context
from armnn_py._native.table.requirements import ask_requirements
from armnn_py.errors import BackendError
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from armnn_py._native.layers.layer_structs import LayerStructs
    from armnn_py._native.table.handle_registry import HandleRegistry
    from armnn_py._native.table.memory_manager import MemoryManager
    from armnn_py._native.table.option_structs import NativeModelOptions

_log = logging.getLogger("armnn_py.runtime")
_MAX_KERNEL_NAME = 1024


class _ContextLock:
    """Makes execution contexts one at a time: calls on a factory and a manager are serialised."""

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)  # its holder is not in the child

    def renew(self) -> None:
        self.lock = threading.RLock()


_contexts = _ContextLock()


class NativeWorkload:
    """One ``armnn_workload_t`` with everything its info points to."""

    __slots__ = (
        "_api",
        "_info",
        "_live",
        "_structs",
        "address",
        "backend_id",
        "kernel_name",
        "object",
        "requirements",
        "turn",
    )

    def __init__(
        self,
        workload: Any,
        structs: LayerStructs,
        info: Any,
        name: str,
        backend_id: str,
        live: set[int],
    ) -> None:
        self.object = workload
        self._live = live  # addresses of workloads not destroyed yet
        self.backend_id = backend_id
        self.address: int = ctypes.cast(workload, ctypes.c_void_p).value or 0
        self._structs: LayerStructs | None = structs
        self._info: Any = info
        self._api = api = object_table(
            workload,
            abi.armnn_workload_api_t,
            abi.ARMNN_STRUCT_WORKLOAD,
            ("destroy", "execute"),
            backend_id,
        )
        try:
            if api.create_workload_data and not api.destroy_workload_data:
                raise BackendError(
                    f"backend '{backend_id}': a workload has create_workload_data and no "
                    "destroy_workload_data"
                )
            layer = f"layer '{name}' ({LayerType(info.type).label})"
            self.requirements = ask_requirements(
                api,
                workload,
                f"backend '{backend_id}', {layer}",
                info.input_count,
                info.output_count,
            )
        except BackendError:
            self.destroy()
            raise
        #: For who calls it without a plan: its executes wait for each other if it is serial.
        self.turn: contextlib.AbstractContextManager[Any] = (
            threading.Lock() if self.requirements.is_serial else contextlib.nullcontext()
        )
        self.kernel_name = _kernel_name(api, workload)

    @property
    def may_have_state(self) -> bool:
        """Whether it keeps something from run to run: bytes, or data that can be reset, if any."""
        api = self._api
        has_data = bool(api.create_workload_data and api.reset_workload_data)
        return has_data or self.requirements.persistent_size != 0

    @property
    def has_data(self) -> bool:
        """Whether it has data for each caller, which `data` makes."""
        return bool(self._api.create_workload_data)

    @contextlib.contextmanager
    def data(
        self, execution_data: int | None, error: ErrorBuffer
    ) -> Iterator[tuple[int, int | None]]:
        """Make the workload's data for one caller; gives the status, and the data or None."""
        api, made = self._api, ctypes.c_void_p()
        status = abi.ARMNN_STATUS_OK
        if api.create_workload_data:
            status = int(
                api.create_workload_data(
                    self.object, execution_data, ctypes.byref(made), ctypes.byref(error.struct)
                )
            )
        is_made = status == abi.ARMNN_STATUS_OK and bool(made.value)
        try:
            yield status, made.value if is_made else None
        finally:
            if is_made:
                api.destroy_workload_data(self.object, made)

    def configure(self, layer: str) -> None:
        """Tell the workload that all others exist.

        Raises
        ------
        BackendError
            The backend fails; the message names the layer.
        """
        if not self._api.post_allocation_configure:
            return
        error = ErrorBuffer()
        status = self._api.post_allocation_configure(self.object, ctypes.byref(error.struct))
        asked = f"post_allocation_configure of layer '{layer}'"
        check_memory(status, self.backend_id, asked, error, layer=layer)
        if status != abi.ARMNN_STATUS_OK:
            reason = error.text or status_name(status)
            raise BackendError(
                f"backend '{self.backend_id}': post_allocation_configure of layer '{layer}' "
                f"failed: {reason}"
            )

    @property
    def input_infos(self) -> Any:
        """The infos of its inputs in C, while it lives."""
        return self._info.input_infos

    def destroy(self) -> None:
        """Destroy the workload; harmless when repeated."""
        if self.object is not None:
            item, self.object = self.object, None
            self._live.discard(address_of(item))
            self._api.destroy(item)
            self._structs = None
            self._info = None


class NativeWorkloadFactory:
    """An ``armnn_workload_factory_t`` of one backend instance, with what was made for it.

    That is its model context, and the memory manager of its workloads' shared data; either may be
    missing. The manager's memory is there from the first execution context until `destroy`.

    Parameters
    ----------
    backend_id
        For messages.
    api
        The backend's table.
    instance
        Address of the backend object.
    model_options
        Model options for the backend; None: null.
    registry
        The tensor handle factories; shown to a backend that prefers some.

    Raises
    ------
    BackendError
        If the backend makes no factory, or cannot make its model context or memory manager.
    """

    __slots__ = ("_api", "_live", "_manager", "_model_context", "_object", "backend_id")

    def __init__(
        self,
        backend_id: str,
        api: abi.armnn_backend_api_t,
        instance: int,
        model_options: NativeModelOptions | None = None,
        registry: HandleRegistry | None = None,
    ) -> None:
        self.backend_id = backend_id
        self._object: Any = None
        self._live: set[int] = set()
        self._manager: MemoryManager | None = None
        self._model_context = create_model_context(backend_id, api, instance, model_options)
        try:
            if api.create_memory_manager:
                self._manager = create_memory_manager(backend_id, api, instance)
            self._create(api, instance, model_options, registry)
        except BaseException:
            self.destroy_parents()
            raise

    def _create(
        self,
        api: abi.armnn_backend_api_t,
        instance: int,
        model_options: NativeModelOptions | None,
        registry: HandleRegistry | None,
    ) -> None:
        backend_id = self.backend_id
        error = ErrorBuffer()
        args = abi.armnn_factory_args_t()
        args.header.struct_size = ctypes.sizeof(args)
        args.header.struct_type = abi.ARMNN_STRUCT_FACTORY_ARGS
        if model_options is not None:
            args.model_options = model_options.pointer
        if self._model_context is not None:
            args.model_context = self._model_context.object
        if self._manager is not None:
            args.memory_manager = self._manager.object
        lent: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
        if registry is not None and registry.preferences(backend_id):
            lent = registry.lent(backend_id)
            args.registry = ctypes.pointer(registry.struct)
            args.input_sources = args.output_sources = abi.ARMNN_MEMORY_SOURCE_MALLOC
        out = ctypes.POINTER(abi.armnn_workload_factory_t)()
        backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
        with lent:
            status = api.create_workload_factory(
                backend, ctypes.byref(args), ctypes.byref(out), ctypes.byref(error.struct)
            )
        if status != abi.ARMNN_STATUS_OK or not out:
            raise backend_failure(backend_id, "create_workload_factory", status, error)
        self._object = out
        self._api = object_table(
            out,
            abi.armnn_workload_factory_api_t,
            abi.ARMNN_STRUCT_WORKLOAD_FACTORY,
            ("destroy", "create_workload"),
            backend_id,
        )
        if registry is not None:
            try:
                registry.raise_problem()
            except BackendError:
                self.destroy()
                raise

    def create(self, structs: LayerStructs, guid: int, name: str) -> NativeWorkload:
        """Make the workload of one layer.

        Raises
        ------
        BackendError
            If the backend does not make it although it declared the layer supported; the message
            names the layer and keeps the backend's words.
        """
        error = ErrorBuffer()
        info = structs.workload_info(guid, name)
        out = ctypes.POINTER(abi.armnn_workload_t)()
        layer = f"'{name}' ({LayerType(info.type).label})"
        with noted_calls.about(self.backend_id, layer):
            status = self._api.create_workload(
                self._object, ctypes.byref(info), ctypes.byref(out), ctypes.byref(error.struct)
            )
        if status != abi.ARMNN_STATUS_OK or not out:
            reason = error.text or "no reason given"
            cause = take_raised(error.text)
            if cause is not None and not isinstance(cause, Exception):
                raise cause  # Ctrl-C while a kernel that is written in Python prepared
            asked = f"create_workload of layer {layer}"
            check_memory(status, self.backend_id, asked, error, layer=name)
            raise BackendError(
                f"backend '{self.backend_id}' made no workload for layer {layer}: {reason}",
                details=[f"status: {status_name(status)}"],
                hints=[_who_can_help(structs)],
            ) from cause
        address = address_of(out)
        if address in self._live:
            raise BackendError(
                f"backend '{self.backend_id}' gives layer '{name}' a workload that it gave before",
                details=["the earlier one is not destroyed yet; it stays as it is"],
                hints=["report it to the backend's vendor"],
            )
        self._live.add(address)
        return NativeWorkload(out, structs, info, name, self.backend_id, self._live)

    def after_workloads_created(self) -> None:
        """Tell the backend that the network is complete."""
        if self._api.after_workloads_created:
            error = ErrorBuffer()
            status = self._api.after_workloads_created(self._object, ctypes.byref(error.struct))
            if status != abi.ARMNN_STATUS_OK:
                raise_status(
                    status, f"backend '{self.backend_id}': after_workloads_created failed", error
                )

    def create_execution_data(self) -> int | None:
        """State of one more execution context, or None if the backend keeps none.

        Raises
        ------
        BackendError
            The backend does not make it, or has no memory for the workloads' shared data.
        """
        error = ErrorBuffer()
        out = ctypes.c_void_p()
        with _contexts.lock:
            if self._manager is not None:
                self._manager.acquire()
            if not self._api.create_execution_data:
                return None
            status = self._api.create_execution_data(
                self._object, ctypes.byref(out), ctypes.byref(error.struct)
            )
        if status != abi.ARMNN_STATUS_OK:
            raise backend_failure(self.backend_id, "create_execution_data", status, error)
        return out.value

    def destroy_execution_data(self, data: int | None) -> None:
        """Give back what ``create_execution_data`` made."""
        if data is not None and self._api.destroy_execution_data:
            with _contexts.lock:
                self._api.destroy_execution_data(self._object, data)

    def destroy(self) -> None:
        """Destroy the factory; harmless when repeated. `destroy_parents` comes later."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None

    def destroy_parents(self) -> None:
        """Destroy memory manager and model context, when handles and their factories are gone."""
        if self._manager is not None:
            manager, self._manager = self._manager, None
            try:
                manager.release()
            except BackendError as error:
                _log.warning("%s", error)
            manager.destroy()
        if self._model_context is not None:
            self._model_context.destroy()
            self._model_context = None


def _kernel_name(api: Any, workload: Any) -> str:
    place = api.get_kernel_name(workload) if api.get_kernel_name else None
    try:
        return read_text(place, _MAX_KERNEL_NAME).decode("utf-8", "replace") if place else ""
    except UnreadableTextError as error:
        return f"(a name that {error})"


def _who_can_help(structs: LayerStructs) -> str:
    """The hint for a layer that gets no workload."""
    if structs.blob is None:
        return "the backend declared this layer supported: report it to its vendor"
    if structs.blob.is_from_file:
        return "optimize() the model anew and save it again"
    return "the backend made this compiled layer itself: report it to its vendor"
