# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory of backends: tensor handles, and the factories that make them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure, status_name
from armnn_py._native.layers.tensor_structs import tensor_info
from armnn_py._native.object_table import object_table
from armnn_py._native.table.dynamic_library import UnreadableTextError, is_readable, read_text
from armnn_py._native.table.memory_manager import check_call, pointer_value
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.layers.subgraph import LayerView
    from armnn_py.tensors import TensorInfo

#: More preferences than this are a mistake.
_MAX_PREFERENCES = 64
#: Capabilities that demand a copy where an import would be possible.
_FORBIDS_IMPORT = abi.ARMNN_FACTORY_PADDING_REQUIRED | abi.ARMNN_FACTORY_FALLBACK_IMPORT_DISABLED


class SubTensorRefusedError(Exception):
    """A backend makes no sub-tensor or decorated handle; the text has its reason."""

    def __init__(self, function: str, error: ErrorBuffer | None = None) -> None:
        words = error.text if error is not None else "the backend has no such function"
        super().__init__(f"{function}: {words or status_name(abi.ARMNN_STATUS_UNSUPPORTED)}")


class TensorHandle:
    """An ``armnn_tensor_handle_t``: one tensor in memory of a backend.

    Attributes
    ----------
    address
        Address of the object, for plans.
    factory
        The factory that made it.
    """

    __slots__ = ("_api", "_object", "address", "factory")

    def __init__(self, item: Any, factory: TensorHandleFactory) -> None:
        self.factory = factory
        self.address = pointer_value(item)
        self._object: Any = None
        if self.address in factory.live:
            raise BackendError(
                f"backend '{factory.backend_id}' gives a tensor handle that it gave before",
                details=["the earlier one is not destroyed yet; it stays as it is"],
                hints=["report it to the backend's vendor"],
            )
        self._api = object_table(
            item,
            abi.armnn_tensor_handle_api_t,
            abi.ARMNN_STRUCT_TENSOR_HANDLE,
            ("destroy",),
            factory.backend_id,
        )
        self._object = item
        factory.live.add(self.address)

    def _call(self, function: str) -> None:
        call = getattr(self._api, function)
        if call:
            check_call(
                self.factory.backend_id, f"{function} of a tensor handle", call, self._object
            )

    def manage(self) -> None:
        """Tell the backend that the tensor's life begins here, in the order of the plan."""
        self._call("manage")

    def allocate(self) -> None:
        """Tell the backend that the tensor's life ends here; without pools: allocate its memory."""
        self._call("allocate")

    @property
    def parent(self) -> int | None:
        """Address of the handle that holds this sub-tensor, 0: none; None: it does not tell."""
        ask = self._api.get_parent
        return pointer_value(ask(self._object)) if ask else None

    def decorate(self, info: TensorInfo) -> TensorHandle:
        """Make a handle for the same memory under another info.

        Raises
        ------
        SubTensorRefusedError
            If the backend refuses, or has no such function.
        BackendError
            If it fails in another way.
        """
        if not self._api.decorate:
            raise SubTensorRefusedError("decorate")
        error = ErrorBuffer()
        out = ctypes.POINTER(abi.armnn_tensor_handle_t)()
        status = self._api.decorate(
            self._object,
            ctypes.byref(tensor_info(info)),
            ctypes.byref(out),
            ctypes.byref(error.struct),
        )
        if status == abi.ARMNN_STATUS_UNSUPPORTED:
            raise SubTensorRefusedError("decorate", error)
        if status != abi.ARMNN_STATUS_OK or not out:
            raise backend_failure(self.factory.backend_id, "decorate", status, error)
        return TensorHandle(out, self.factory)

    def destroy(self) -> None:
        """Destroy the handle; harmless when repeated."""
        if self._object is not None:
            item, self._object = self._object, None
            self.factory.live.discard(self.address)  # before another can get the address
            self._api.destroy(item)


class TensorHandleFactory:
    """An ``armnn_tensor_handle_factory_t`` that a backend registered.

    Attributes
    ----------
    id
        Unique in its registry.
    backend_id
        Which backend registered it.
    live
        Addresses of the handles of its registry's factories that are not destroyed yet.
    traits, import_flags, export_flags
        Bits of ``ARMNN_FACTORY_`` and ``ARMNN_MEMORY_SOURCE_``.
    importer
        Id of the paired factory, whose handles import memory; empty: there is no pair, or the
        factory is paired with itself.
    """

    __slots__ = (
        "_api",
        "_backend_api",
        "_object",
        "address",
        "backend_id",
        "export_flags",
        "id",
        "import_flags",
        "importer",
        "live",
        "traits",
    )

    def __init__(
        self,
        item: Any,
        backend_id: str,
        backend_api: abi.armnn_backend_api_t,
        live: set[int] | None = None,
    ) -> None:
        self.backend_id = backend_id
        self._backend_api = backend_api
        self.address = pointer_value(item)
        self.live = set() if live is None else live
        self._api = api = object_table(
            item,
            abi.armnn_tensor_handle_factory_api_t,
            abi.ARMNN_STRUCT_TENSOR_HANDLE_FACTORY,
            ("destroy", "get_id", "create_tensor_handle"),
            backend_id,
        )
        self.id = _factory_id(api, item, backend_id)
        self.traits = int(api.get_traits(item)) if api.get_traits else 0
        self.import_flags = int(api.get_import_flags(item)) if api.get_import_flags else 0
        self.export_flags = int(api.get_export_flags(item)) if api.get_export_flags else 0
        self.importer = ""
        self._object = item

    @property
    def supports_sub_tensors(self) -> bool:
        """Whether a handle can be a sub-tensor of another."""
        wanted = abi.ARMNN_FACTORY_SUPPORTS_SUB_TENSORS
        return bool(self.traits & wanted) and bool(self._api.create_sub_tensor_handle)

    @property
    def supports_map_unmap(self) -> bool:
        """Whether the host can map its handles."""
        return bool(self.traits & abi.ARMNN_FACTORY_SUPPORTS_MAP_UNMAP)

    @property
    def supports_in_place(self) -> bool:
        """Whether one handle may be input and output of a workload."""
        return bool(self.traits & abi.ARMNN_FACTORY_SUPPORTS_IN_PLACE)

    def forbids_import(self, layer: LayerView, connected: LayerView) -> bool:
        """Whether the tensor that two layers share must be copied although it could be imported.

        Parameters
        ----------
        layer
            The layer whose tensor this factory makes.
        connected
            The layer at the tensor's other end.

        Returns
        -------
        bool
            The factory needs padding, does not want the import, or cannot be asked, because
            one of the layers is newer than its backend's version.
        """
        ask = self._api.get_capabilities
        if not ask:
            return False
        if any(view.too_new_for(self._backend_api) for view in (layer, connected)):
            return True
        answer = ask(self._object, ctypes.byref(layer.struct), ctypes.byref(connected.struct))
        return bool(int(answer) & _FORBIDS_IMPORT)

    def create(self, info: TensorInfo, *, managed: bool) -> TensorHandle:
        """Make a tensor handle.

        Parameters
        ----------
        info
            Shape and data type of the tensor.
        managed
            Whether its memory comes from the pools of a memory manager; otherwise it imports, or
            has memory of its own.

        Raises
        ------
        BackendError
            If the backend does not make it.
        """
        error = ErrorBuffer()
        out = ctypes.POINTER(abi.armnn_tensor_handle_t)()
        status = self._api.create_tensor_handle(
            self._object,
            ctypes.byref(tensor_info(info)),
            int(managed),
            ctypes.byref(out),
            ctypes.byref(error.struct),
        )
        if status != abi.ARMNN_STATUS_OK or not out:
            raise backend_failure(self.backend_id, "create_tensor_handle", status, error)
        return TensorHandle(out, self)

    def create_sub(
        self, parent: TensorHandle, info: TensorInfo, origin: Sequence[int]
    ) -> TensorHandle:
        """Make a handle for a sub-tensor of ``parent`` that starts at ``origin``.

        Raises
        ------
        SubTensorRefusedError
            If the backend refuses this sub-tensor, or makes none.
        BackendError
            If it fails in another way, or the handle does not know its parent.
        """
        if not self.supports_sub_tensors:
            raise SubTensorRefusedError("create_sub_tensor_handle")
        error = ErrorBuffer()
        out = ctypes.POINTER(abi.armnn_tensor_handle_t)()
        status = self._api.create_sub_tensor_handle(
            self._object,
            parent._object,
            ctypes.byref(tensor_info(info)),
            (ctypes.c_uint64 * abi.ARMNN_MAX_DIMS)(*origin),
            ctypes.byref(out),
            ctypes.byref(error.struct),
        )
        if status == abi.ARMNN_STATUS_UNSUPPORTED:
            raise SubTensorRefusedError("create_sub_tensor_handle", error)
        if status != abi.ARMNN_STATUS_OK or not out:
            raise backend_failure(self.backend_id, "create_sub_tensor_handle", status, error)
        handle = TensorHandle(out, self)
        if handle.parent not in (None, parent.address):
            handle.destroy()
            raise BackendError(
                f"backend '{self.backend_id}': get_parent of a sub-tensor does not return the "
                "tensor that it was made in",
                hints=["report it to the backend's vendor"],
            )
        return handle

    def destroy(self) -> None:
        """Destroy the factory; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None


def _factory_id(api: Any, item: Any, backend_id: str) -> str:
    return read_factory_id(api.get_id(item), f"backend '{backend_id}': the id of a factory")


def read_factory_id(pointer: int | None, what: str) -> str:
    if not pointer:
        raise BackendError(f"{what} is null", hints=["report it to the backend's vendor"])
    try:
        text = read_text(pointer, abi.ARMNN_MAX_ID_SIZE).decode("utf-8")
    except UnreadableTextError as error:
        raise BackendError(f"{what} {error}", hints=["report it to the backend's vendor"]) from None
    except UnicodeDecodeError:
        raise BackendError(
            f"{what} is not text", hints=["report it to the backend's vendor"]
        ) from None
    if not text or not text.isprintable():
        raise BackendError(f"{what} is {text!r}", hints=["report it to the backend's vendor"])
    return text


def read_preferred_ids(backend_id: str, api: abi.armnn_backend_api_t, instance: int) -> list[str]:
    """Ask a backend for the ids of the factories that it prefers, best first; none: host memory.

    Raises
    ------
    BackendError
        They cannot be read.
    """
    ask = api.get_handle_factory_preferences
    if not ask:
        return []
    ids = ctypes.POINTER(ctypes.c_char_p)()
    count = int(ask(ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)), ctypes.byref(ids)))
    if count == 0:
        return []
    size = ctypes.sizeof(ctypes.c_void_p)
    if count > _MAX_PREFERENCES or not ids or not is_readable(pointer_value(ids), count * size):
        raise BackendError(
            f"backend '{backend_id}': get_handle_factory_preferences says {count} ids, "
            "and they cannot all be read",
            hints=["report it to the backend's vendor"],
        )
    pointers = ctypes.cast(ids, ctypes.POINTER(ctypes.c_void_p))[:count]
    return [
        read_factory_id(pointer, f"backend '{backend_id}': the id of a preferred factory")
        for pointer in pointers
    ]
