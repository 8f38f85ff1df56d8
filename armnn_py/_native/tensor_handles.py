# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory of backends: tensor handle factories, their registry, memory managers and handles.

A registry is made for one network (to ask what factories can do) or for one execution context (to
make its tensors). It owns what the backends register in it. A backend that breaks a rule of
``backend_api.h`` here is a `BackendError` that names it.
"""

from __future__ import annotations

import ctypes
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure, status_name
from armnn_py._native.dynamic_library import UnreadableTextError, is_readable, read_text
from armnn_py._native.layers import tensor_info
from armnn_py._native.object_table import object_table
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from armnn_py.tensors import TensorInfo

__all__ = ["HandleRegistry", "MemoryManager", "TensorHandle", "TensorHandleFactory"]

#: More preferences than this are a mistake.
_MAX_PREFERENCES = 64
_VENDOR_HINT = "report it to the backend's vendor"
#: What the host lends and borrows: its own memory.
_HOST_SOURCES = abi.ARMNN_MEMORY_SOURCE_MALLOC


class _Backend(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def api(self) -> abi.armnn_backend_api_t: ...
    @property
    def instance(self) -> int: ...


def _address(item: Any) -> int:
    return ctypes.cast(item, ctypes.c_void_p).value or 0


class TensorHandle:
    """An ``armnn_tensor_handle_t``: one tensor in memory of a backend.

    Attributes
    ----------
    address
        Of the object, for plans.
    factory
        Which made it.
    """

    __slots__ = ("_api", "_object", "address", "factory")

    def __init__(self, item: Any, factory: TensorHandleFactory) -> None:
        self.factory = factory
        self.address = _address(item)
        self._object = item
        self._api = object_table(
            item,
            abi.armnn_tensor_handle_api_t,
            abi.ARMNN_STRUCT_TENSOR_HANDLE,
            ("destroy",),
            factory.backend_id,
        )

    def _call(self, function: str) -> None:
        call = getattr(self._api, function)
        if call:
            _check(self.factory.backend_id, f"{function} of a tensor handle", call, self._object)

    def manage(self) -> None:
        """Tell that its life begins here, in the order of the plan."""
        self._call("manage")

    def allocate(self) -> None:
        """Tell that its life ends here; without pools: make its memory."""
        self._call("allocate")

    def has(self, function: str) -> bool:
        """Whether its table has a function, e.g. ``"copy_in_from"``."""
        return bool(getattr(self._api, function))

    @property
    def import_flags(self) -> int:
        """``ARMNN_MEMORY_SOURCE_`` bits that this handle imports."""
        ask = self._api.get_import_flags
        return int(ask(self._object)) if ask else 0

    def destroy(self) -> None:
        """Destroy the handle; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None


class MemoryManager:
    """An ``armnn_memory_manager_t``: the pools behind the tensors of a backend."""

    __slots__ = ("_acquired", "_api", "_object", "address", "backend_id")

    def __init__(self, item: Any, backend_id: str) -> None:
        self.backend_id = backend_id
        self.address = _address(item)
        self._object = item
        self._acquired = False
        self._api = object_table(
            item,
            abi.armnn_memory_manager_api_t,
            abi.ARMNN_STRUCT_MEMORY_MANAGER,
            ("destroy",),
            backend_id,
        )

    def acquire(self) -> None:
        """Make the pools real; nothing happens if they are.

        Raises
        ------
        BackendError
            There is no memory, say; with the backend's words.
        """
        if self._acquired:
            return
        if self._api.acquire:
            _check(self.backend_id, "acquire of a memory manager", self._api.acquire, self._object)
        self._acquired = True

    def release(self) -> None:
        """Give the pools back; nothing happens if they are not acquired.

        Raises
        ------
        BackendError
            With the backend's words.
        """
        if not self._acquired:
            return
        self._acquired = False
        if self._api.release:
            _check(self.backend_id, "release of a memory manager", self._api.release, self._object)

    def destroy(self) -> None:
        """Destroy the manager; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None


class TensorHandleFactory:
    """An ``armnn_tensor_handle_factory_t`` that a backend registered.

    Attributes
    ----------
    id
        Unique in its registry.
    backend_id
        Which backend registered it.
    traits, import_flags, export_flags
        Bits of ``ARMNN_FACTORY_`` and ``ARMNN_MEMORY_SOURCE_``.
    """

    __slots__ = (
        "_api",
        "_object",
        "address",
        "backend_id",
        "export_flags",
        "id",
        "import_flags",
        "traits",
    )

    def __init__(self, item: Any, backend_id: str) -> None:
        self.backend_id = backend_id
        self.address = _address(item)
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
        self._object = item

    @property
    def supports_sub_tensors(self) -> bool:
        """Whether a handle can be a part of another."""
        wanted = abi.ARMNN_FACTORY_SUPPORTS_SUB_TENSORS
        return bool(self.traits & wanted) and bool(self._api.create_sub_tensor_handle)

    @property
    def supports_map_unmap(self) -> bool:
        """Whether the host can look into its handles."""
        return bool(self.traits & abi.ARMNN_FACTORY_SUPPORTS_MAP_UNMAP)

    @property
    def supports_in_place(self) -> bool:
        """Whether one handle may be input and output of a workload."""
        return bool(self.traits & abi.ARMNN_FACTORY_SUPPORTS_IN_PLACE)

    @property
    def imports_host_memory(self) -> bool:
        """Whether its handles can stand for memory of the host."""
        return bool(self.import_flags & abi.ARMNN_MEMORY_SOURCE_MALLOC)

    @property
    def exports_host_memory(self) -> bool:
        """Whether the mapped memory of its handles can serve as memory of the host."""
        return bool(self.export_flags & abi.ARMNN_MEMORY_SOURCE_MALLOC) and self.supports_map_unmap

    def capabilities(self, layer: Any, connected_layer: Any) -> int:
        """``ARMNN_FACTORY_`` capability bits for two ``armnn_layer_t`` that share a tensor."""
        ask = self._api.get_capabilities
        if not ask:
            return 0
        answer = ask(self._object, ctypes.byref(layer), ctypes.byref(connected_layer))
        return int(answer)

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
    ) -> TensorHandle | None:
        """Make a handle for a part of ``parent`` that starts at ``origin``.

        Returns
        -------
        TensorHandle or None
            None if the backend says that this part cannot be had.

        Raises
        ------
        BackendError
            If it fails in another way.
        """
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
            return None
        if status != abi.ARMNN_STATUS_OK or not out:
            raise backend_failure(self.backend_id, "create_sub_tensor_handle", status, error)
        return TensorHandle(out, self)

    def destroy(self) -> None:
        """Destroy the factory; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None


def _check(backend_id: str, what: str, call: Any, item: Any) -> None:
    error = ErrorBuffer()
    status = call(item, ctypes.byref(error.struct))
    if status != abi.ARMNN_STATUS_OK:
        raise BackendError(
            f"backend '{backend_id}': {what} failed: {status_name(status)}",
            details=[error.text] if error.text else [],
        )


# An id comes back as a number: ctypes would follow a c_char_p before it could be checked.
_GetId = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


def _factory_id(api: Any, item: Any, backend_id: str) -> str:
    get_id = _GetId(ctypes.cast(api.get_id, ctypes.c_void_p).value or 0)
    return _read_id(get_id(_address(item)), f"backend '{backend_id}': the id of a factory")


def _read_id(pointer: int | None, what: str) -> str:
    if not pointer:
        raise BackendError(f"{what} is null", hints=[_VENDOR_HINT])
    try:
        text = read_text(pointer, abi.ARMNN_MAX_ID_SIZE).decode("utf-8")
    except UnreadableTextError as error:
        raise BackendError(f"{what} {error}", hints=[_VENDOR_HINT]) from None
    except UnicodeDecodeError:
        raise BackendError(f"{what} is no text", hints=[_VENDOR_HINT]) from None
    if not text or not text.isprintable():
        raise BackendError(f"{what} is {text!r}", hints=[_VENDOR_HINT])
    return text


class HandleRegistry:
    """Tensor handle factories and memory managers of several backends.

    Parameters
    ----------
    backends
        Asked to register in this order; they must outlive the registry. A backend without
        ``register_tensor_handle_factories`` works in host memory.

    Raises
    ------
    BackendError
        If a backend fails to register, registers nonsense or the id of another, or prefers
        factories that nobody registered. What was registered until then is destroyed.
    """

    __slots__ = ("_alive", "_by_id", "_current", "_preferences", "_problem", "managers", "struct")

    def __init__(self, backends: Iterable[_Backend]) -> None:
        self._by_id: dict[str, TensorHandleFactory] = {}
        self._preferences: dict[str, tuple[str, ...]] = {}
        self.managers: list[MemoryManager] = []
        self._current = ""
        self._problem: BackendError | None = None
        self._make_struct()
        try:
            for backend in backends:
                self._register(backend)
                self._preferences[backend.id] = self._ask_preferences(backend)
        except BaseException:
            self.close()
            raise

    def _make_struct(self) -> None:
        struct = abi.armnn_tensor_handle_factory_registry_t()
        struct.header.struct_size = ctypes.sizeof(struct)
        struct.header.struct_type = abi.ARMNN_STRUCT_REGISTRY
        taker = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
        pair = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        finder = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        # Pointers come as numbers and are checked before anything follows them.
        self._alive = [
            taker(self._on_manager),
            taker(self._on_factory),
            pair(self._on_pair),
            finder(self._on_find),
        ]
        names = (
            "register_memory_manager",
            "register_factory",
            "register_copy_and_import_pair",
            "get_factory",
        )
        types: dict[str, Any] = {name: kind for name, kind, *_ in struct._fields_}
        function: Any
        for name, function in zip(names, self._alive, strict=True):
            setattr(struct, name, ctypes.cast(function, types[name]))
        self.struct = struct

    # ---- What backends call ----------------------------------------------------------------------

    def _refuse(self, problem: BackendError) -> int:
        if self._problem is None:
            self._problem = problem
        return abi.ARMNN_STATUS_INVALID_ARGUMENT

    def _complain(self, words: str) -> int:
        return self._refuse(
            BackendError(f"backend '{self._current}' {words}", hints=[_VENDOR_HINT])
        )

    def _on_manager(self, _context: int | None, pointer: int | None) -> int:
        if not pointer or not is_readable(pointer, ctypes.sizeof(ctypes.c_void_p)):
            return self._complain("registers a memory manager that is null or unreadable")
        if any(manager.address == pointer for manager in self.managers):
            return self._complain("registers a memory manager twice")
        item = ctypes.cast(pointer, ctypes.POINTER(abi.armnn_memory_manager_t))
        try:
            self.managers.append(MemoryManager(item, self._current))
        except BackendError as problem:
            return self._refuse(problem)
        return abi.ARMNN_STATUS_OK

    def _on_factory(self, _context: int | None, pointer: int | None) -> int:
        if not pointer or not is_readable(pointer, ctypes.sizeof(ctypes.c_void_p)):
            return self._complain("registers a tensor handle factory that is null or unreadable")
        item = ctypes.cast(pointer, ctypes.POINTER(abi.armnn_tensor_handle_factory_t))
        try:
            factory = TensorHandleFactory(item, self._current)
        except BackendError as problem:
            return self._refuse(problem)
        holder = self._by_id.get(factory.id)
        if holder is not None:
            return self._complain(
                f"registers a tensor handle factory '{factory.id}', but backend "
                f"'{holder.backend_id}' has one of that id"
            )
        self._by_id[factory.id] = factory
        return abi.ARMNN_STATUS_OK

    def _on_pair(self, _context: int | None, copy_id: int | None, import_id: int | None) -> int:
        try:
            for pointer in (copy_id, import_id):
                _read_id(pointer, f"backend '{self._current}': the id of a factory in a pair")
        except BackendError as problem:
            return self._refuse(problem)
        return abi.ARMNN_STATUS_OK

    def _on_find(self, _context: int | None, pointer: int | None) -> int | None:
        try:
            name = _read_id(pointer, f"backend '{self._current}': the id that get_factory asks for")
        except BackendError as problem:
            self._refuse(problem)
            return None
        factory = self._by_id.get(name)
        return None if factory is None else factory.address

    # ---- Asking backends -------------------------------------------------------------------------

    def _register(self, backend: _Backend) -> None:
        register = backend.api.register_tensor_handle_factories
        if not register:
            return
        self._current = backend.id
        error = ErrorBuffer()
        status = register(
            ctypes.cast(backend.instance, ctypes.POINTER(abi.armnn_backend_t)),
            ctypes.byref(self.struct),
            _HOST_SOURCES,
            _HOST_SOURCES,
            ctypes.byref(error.struct),
        )
        self.raise_problem()
        if status != abi.ARMNN_STATUS_OK:
            raise BackendError(
                f"backend '{backend.id}': register_tensor_handle_factories failed: "
                f"{status_name(status)}",
                details=[error.text] if error.text else [],
            )

    def raise_problem(self) -> None:
        """Raise what a backend did wrong since the last call, if anything.

        Raises
        ------
        BackendError
            Names the backend.
        """
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem

    def lend(self, backend_id: str) -> Any:
        """The C structure for one call of ``backend_id``; ask `raise_problem` after it."""
        self._current = backend_id
        return self.struct

    def _ask_preferences(self, backend: _Backend) -> tuple[str, ...]:
        ask = backend.api.get_handle_factory_preferences
        if not ask:
            return ()
        ids = ctypes.POINTER(ctypes.c_char_p)()
        instance = ctypes.cast(backend.instance, ctypes.POINTER(abi.armnn_backend_t))
        count = int(ask(instance, ctypes.byref(ids)))
        if count == 0:
            return ()
        size = ctypes.sizeof(ctypes.c_void_p)
        if count > _MAX_PREFERENCES or not ids or not is_readable(_address(ids), count * size):
            raise BackendError(
                f"backend '{backend.id}': get_handle_factory_preferences says {count} ids, "
                "and they cannot all be read",
                hints=[_VENDOR_HINT],
            )
        pointers = ctypes.cast(ids, ctypes.POINTER(ctypes.c_void_p))[:count]
        names = [
            _read_id(pointer, f"backend '{backend.id}': the id of a preferred factory")
            for pointer in pointers
        ]
        usable = tuple(dict.fromkeys(name for name in names if name in self._by_id))
        if not usable:
            raise BackendError(
                f"backend '{backend.id}' prefers tensor handle factories that nobody registered",
                details=[f"preferred: {', '.join(names)}"],
                hints=[_VENDOR_HINT],
            )
        return usable

    # ---- For the host ----------------------------------------------------------------------------

    @property
    def factories(self) -> Mapping[str, TensorHandleFactory]:
        """By id, in the order of registration."""
        return MappingProxyType(self._by_id)

    def preferences(self, backend: str) -> tuple[str, ...]:
        """Ids of registered factories that a backend prefers, best first; () for host memory."""
        return self._preferences.get(backend, ())

    def acquire(self) -> None:
        """Make the pools of every memory manager real, in the order of registration.

        Raises
        ------
        BackendError
            One of them fails; those before it stay acquired until `release` or `close`.
        """
        for manager in self.managers:
            manager.acquire()

    def release(self) -> None:
        """Give the pools back, last one first.

        Raises
        ------
        BackendError
            The first that failed; the others are released nevertheless.
        """
        problem: BackendError | None = None
        for manager in reversed(self.managers):
            try:
                manager.release()
            except BackendError as error:
                problem = problem or error
        if problem is not None:
            raise problem

    def close(self) -> None:
        """Destroy factories, then memory managers; harmless when repeated.

        Handles must be gone. A manager that is still acquired is released first.
        """
        try:
            self.release()
        finally:
            for factory in reversed(self._by_id.values()):
                factory.destroy()
            self._by_id.clear()
            for manager in reversed(self.managers):
                manager.destroy()
            self.managers.clear()
