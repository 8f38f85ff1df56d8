# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The registry of tensor handle factories: what backends register, and how the host uses it.

A registry is made for one network (to ask what factories can do) or for one execution context (to
make its tensors). It owns what the backends register in it. If a backend breaks a rule of
``backend_api.h``, a `BackendError` names it.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import logging
import threading
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, check_memory, status_name
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py._native.table.memory_manager import MemoryManager
from armnn_py._native.table.tensor_handles import (
    TensorHandleFactory,
    read_factory_id,
    read_preferred_ids,
)
from armnn_py.device_ids import device_id, split_id
from armnn_py.errors import BackendError
from armnn_py.interrupts import deferred_interrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_log = logging.getLogger("armnn_py.backends")

_VENDOR_HINT = "report it to the backend's vendor"
#: Sources of the memory that the host exports and imports: its own.
_HOST_SOURCES = abi.ARMNN_MEMORY_SOURCE_MALLOC


class _Backend(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def api(self) -> abi.armnn_backend_api_t: ...
    @property
    def instance(self) -> int: ...


class HandleRegistry:
    """Tensor handle factories and memory managers of several backends.

    Factories are known by their ids, to which the index of a device beyond a backend's first is
    added: ``"Acme/AcmeNpu/Device:1"``.

    Parameters
    ----------
    backends
        Asked to register in this order; they must outlive the registry. A backend without
        ``register_tensor_handle_factories`` works in host memory.

    Raises
    ------
    BackendError
        If a backend fails to register, registers nonsense or the id of another, or prefers
        factories that are not registered. Earlier registrations are destroyed.
    """

    __slots__ = (
        "_by_id",
        "_current",
        "_device_of",
        "_live",
        "_pairs",
        "_preferences",
        "_problem",
        "_tables",
        "_thread",
        "managers",
        "struct",
    )

    def __init__(self, backends: Iterable[_Backend]) -> None:
        self._by_id: dict[str, TensorHandleFactory] = {}
        self._preferences: dict[str, tuple[str, ...]] = {}
        self.managers: list[MemoryManager] = []
        self._current = ""
        self._device_of: dict[str, tuple[str, int]] = {}
        self._pairs: list[tuple[str, str]] = []
        self._problem: BackendError | None = None
        self._live: set[int] = set()
        self._tables: dict[str, abi.armnn_backend_api_t] = {}
        self._thread = 0
        self.struct = abi.armnn_tensor_handle_factory_registry_t()
        self.struct.header.struct_size = ctypes.sizeof(self.struct)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_REGISTRY
        for name, address in _addresses.items():
            setattr(self.struct, name, _TYPES[name](address))
        try:
            for backend in backends:
                self._tables[backend.id] = backend.api
                self._device_of[backend.id] = split_id(backend.id)
                self._register(backend)
                self._preferences[backend.id] = self._ask_preferences(backend)
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def lent(self, backend_id: str) -> Iterator[Any]:
        """A ``with`` block for one call of ``backend_id`` that takes the C structure.

        Call `raise_problem` after it.
        """
        self._current = backend_id
        self._thread = threading.get_ident()
        token = next(_tokens)
        self.struct.context = token
        with deferred_interrupts():
            _lent[token] = self
            try:
                yield self.struct
            finally:
                del _lent[token]

    # ---- What backends call ----------------------------------------------------------------------

    def _refuse(self, problem: BackendError) -> int:
        if self._problem is None:
            self._problem = problem
        return abi.ARMNN_STATUS_INVALID_ARGUMENT

    def _complain(self, words: str) -> int:
        return self._refuse(
            BackendError(f"backend '{self._current}' {words}", hints=[_VENDOR_HINT])
        )

    def _on_manager(self, pointer: int | None) -> int:
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

    def _on_factory(self, pointer: int | None) -> int:
        if not pointer or not is_readable(pointer, ctypes.sizeof(ctypes.c_void_p)):
            return self._complain("registers a tensor handle factory that is null or unreadable")
        item = ctypes.cast(pointer, ctypes.POINTER(abi.armnn_tensor_handle_factory_t))
        try:
            factory = TensorHandleFactory(
                item, self._current, self._tables[self._current], self._live
            )
            factory.id = self._key(factory.id)
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

    def _on_pair(self, copy_id: int | None, import_id: int | None) -> int:
        try:
            what = f"backend '{self._current}': the id of a factory in a pair"
            pair = tuple(read_factory_id(pointer, what) for pointer in (copy_id, import_id))
        except BackendError as problem:
            return self._refuse(problem)
        self._pairs.append((pair[0], pair[1]))
        return abi.ARMNN_STATUS_OK

    def _key(self, name: str) -> str:
        """A factory's id among those of all instances; the index of a device is added to it.

        Two devices of one backend run the same code, which knows one id, and have memory of their
        own each.
        """
        return device_id(name, self._device_of[self._current][1])

    def _find(self, name: str) -> TensorHandleFactory | None:
        """The factory that a backend means by an id: its own, else that of another backend."""
        own = self._by_id.get(self._key(name))
        if own is not None:
            return own
        found = self._by_id.get(name)
        mine, _ = self._device_of[self._current]
        if found is None or self._device_of[found.backend_id][0] == mine:
            return None  # of another device
        return found

    def _join_pairs(self) -> None:
        """Tell the copy factory of each pair its import factory; both are registered by now."""
        joined: dict[str, str] = {}
        for copy_id, import_id in self._pairs:
            for name in (copy_id, import_id):
                factory = self._find(name)
                if factory is None or factory.backend_id != self._current:
                    self._complain(
                        f"registers a pair of factories '{copy_id}' and '{import_id}', but it has "
                        f"no tensor handle factory '{name}'"
                    )
                    return
            if joined.setdefault(copy_id, import_id) != import_id:
                self._complain(
                    f"registers two import factories for '{copy_id}': '{joined[copy_id]}' and "
                    f"'{import_id}'"
                )
                return
            # A factory that copies and imports is paired with itself, as in Arm NN's CpuRef.
            importer = self._key(import_id) if import_id != copy_id else ""
            self._by_id[self._key(copy_id)].importer = importer

    def _on_find(self, pointer: int | None) -> int | None:
        try:
            name = read_factory_id(
                pointer, f"backend '{self._current}': the id that get_factory asks for"
            )
        except BackendError as problem:
            self._refuse(problem)
            return None
        factory = self._find(name)
        return None if factory is None else factory.address

    # ---- Asking backends -------------------------------------------------------------------------

    def _register(self, backend: _Backend) -> None:
        register = backend.api.register_tensor_handle_factories
        if not register:
            return
        error = ErrorBuffer()
        self._pairs.clear()
        with self.lent(backend.id) as struct:
            status = register(
                ctypes.cast(backend.instance, ctypes.POINTER(abi.armnn_backend_t)),
                ctypes.byref(struct),
                _HOST_SOURCES,
                _HOST_SOURCES,
                ctypes.byref(error.struct),
            )
        self._join_pairs()
        self.raise_problem()
        check_memory(status, backend.id, "register_tensor_handle_factories", error)
        if status != abi.ARMNN_STATUS_OK:
            raise BackendError(
                f"backend '{backend.id}': register_tensor_handle_factories failed: "
                f"{status_name(status)}",
                details=[error.text] if error.text else [],
            )

    def raise_problem(self) -> None:
        """Raise the first problem noted since the last call, if any.

        Raises
        ------
        BackendError
            The problem; it names the backend.
        """
        problem, self._problem = self._problem, None
        if problem is not None:
            try:
                raise problem
            finally:
                del problem  # else it and this frame hold each other, and the network with them

    def _ask_preferences(self, backend: _Backend) -> tuple[str, ...]:
        names = read_preferred_ids(backend.id, backend.api, backend.instance)
        if not names:
            return ()
        self._current = backend.id
        found = [self._find(name) for name in names]
        usable = tuple(dict.fromkeys(factory.id for factory in found if factory is not None))
        if not usable:
            raise BackendError(
                f"backend '{backend.id}' prefers tensor handle factories that are not registered",
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
        """Acquire the pools of every memory manager, in the order of registration.

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
            try:
                raise problem
            finally:
                del problem  # else it and this frame hold each other, and the network with them

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


# ---- The functions of the structure --------------------------------------------------------------
# They live as long as the process, so that a call that comes too late is refused and does not
# crash. The context, a number that is used once, tells which registry is meant.

_TYPES: dict[str, Any] = {
    name: kind for name, kind, *_ in abi.armnn_tensor_handle_factory_registry_t._fields_
}
_tokens = itertools.count(0x5C000000)
_lent: dict[int, HandleRegistry] = {}


def _entry(method: Callable[..., int | None], refusal: int | None) -> Callable[..., int | None]:
    def call(context: int | None, *arguments: int | None) -> int | None:
        registry = _lent.get(context or 0)
        if registry is None:
            _log.warning("a registry of tensor handle factories is used after its call: refused")
            return refusal
        try:
            if threading.get_ident() != registry._thread:
                registry._complain("uses the registry from another thread than its call's")
                return refusal
            return method(registry, *arguments)
        except BaseException as error:  # none may leave a callback
            registry._complain(f"could not use the registry: {error!r}")
            return refusal

    return call


_Taker = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
_Pair = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Finder = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_REFUSED = abi.ARMNN_STATUS_INVALID_ARGUMENT
# Pointers come as numbers and are checked before anything follows them.
_functions: dict[str, Any] = {
    "register_memory_manager": _Taker(_entry(HandleRegistry._on_manager, _REFUSED)),
    "register_factory": _Taker(_entry(HandleRegistry._on_factory, _REFUSED)),
    "register_copy_and_import_pair": _Pair(_entry(HandleRegistry._on_pair, _REFUSED)),
    "get_factory": _Finder(_entry(HandleRegistry._on_find, None)),
}
_addresses = {
    name: ctypes.c_void_p.from_buffer(function).value for name, function in _functions.items()
}
