# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The instance of a backend and its users: it is destroyed with the last of them."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from armnn_py._native.table.backend_table import destroy_instance, lost_reason, quiesce_instance
from armnn_py._native.table.guarded_calls import guarded
from armnn_py.backends.loader import shared_library
from armnn_py.device_ids import device_id
from armnn_py.errors import InvalidArgumentError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.ownership import Owner

if TYPE_CHECKING:
    from armnn_py._native import abi
    from armnn_py._native.table.allocators import GivenAllocator, NativeAllocator
    from armnn_py._native.table.backend_context import NativeBackendContext
    from armnn_py._native.table.profiling_context import ProfilingContext
    from armnn_py.backends.loader.source import BackendSource

_log = logging.getLogger("armnn_py.backends")

#: Nanoseconds that a backend may take to finish its queues before it is destroyed.
QUIESCE_NS = 2_000_000_000


class _Use:
    """One use of a backend, in a ``with`` block; Ctrl-C between two lines does not lose it."""

    __slots__ = ("_backend", "_is_counted")

    def __init__(self, backend: InstanceLife) -> None:
        self._backend = backend
        self._is_counted = False

    def __enter__(self) -> None:
        with deferred_interrupts():
            self._backend.retain()
            self._is_counted = True

    def __exit__(self, *_: object) -> None:
        with deferred_interrupts():
            is_counted, self._is_counted = self._is_counted, False
            if is_counted:
                self._backend.release()

    def __del__(self) -> None:
        if self._is_counted:
            self.__exit__()


class InstanceLife(Owner):
    """The part of a `Backend` that owns the instance, and what was made with it.

    The instance has users: its registry, plans and running support queries. It is destroyed with
    the last of them, in whatever order Python frees objects.
    """

    __slots__ = (
        "_allocator",
        "_default_allocator",
        "_instance",
        "_is_open",
        "_profiling",
        "_quiesced",
        "_table",
        "_users",
        "context",
        "device_index",
        "id",
        "lost_device",
        "source",
    )

    def __init__(
        self,
        source: BackendSource,
        device_index: int,
        instance: int,
        context: NativeBackendContext | None,
        profiling: ProfilingContext | None,
        allocator: GivenAllocator | None,
    ) -> None:
        self.source = source
        self.id = device_id(source.id, device_index)
        self.device_index = device_index
        self._table = source.table
        self._instance = instance
        self._quiesced = False
        self.context = context
        self._profiling = profiling
        self._allocator = allocator  # outlives the instance
        self._default_allocator: NativeAllocator | None = None
        self._is_open = True
        self._users = 1
        self.lost_device: str | None = None

    @property
    def api(self) -> abi.armnn_backend_api_t:
        """A private copy of its table; functions that an older backend lacks are null."""
        return guarded(self._table.api, self.id)

    @property
    def instance(self) -> int:
        """Address of the backend object; 0 after :meth:`close`."""
        return self._instance

    def in_use(self) -> contextlib.AbstractContextManager[None]:
        """Keep the instance for the length of a block; raises if the runtime is closed."""
        return _Use(self)

    def note_lost_device(self) -> None:
        """After a failure: remember whether the backend reported its device lost."""
        if self.lost_device is None and self._instance:
            self.lost_device = lost_reason(self._instance)

    def retain(self) -> None:
        """Count one more user, who must call :meth:`release`.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with shared_library.LOADING:
            if not self._is_open:
                raise InvalidArgumentError(
                    f"backend '{self.id}' is closed", hints=["make a new Runtime()"]
                )
            self._users += 1

    def close(self) -> None:
        """End the registry's use; may be repeated. No new user is accepted from now on."""
        # An interrupt between two steps would leave it neither open nor closed.
        with shared_library.LOADING, deferred_interrupts():
            if self._is_open:
                self._is_open = False
                self.source.forget()
                self.release()

    def quiesce(self) -> None:
        """Tell the instance to finish and rest, once; a failure is logged."""
        with shared_library.LOADING:
            if self._quiesced or not self._instance:
                return
            self._quiesced = True
            reason = quiesce_instance(self._table, self._instance, QUIESCE_NS, self.id)
            if reason is not None:
                _log.warning("backend '%s' did not come to rest: %s", self.id, reason)

    def release(self) -> None:
        """Count one user less; the last one destroys the instance and closes the library."""
        with shared_library.LOADING, deferred_interrupts():
            self._users -= 1
            if self._users:
                return
            self.quiesce()
            if self._profiling is not None:
                self._profiling.destroy()
            if self._default_allocator is not None:
                self._default_allocator.destroy()
                self._default_allocator = None
            if self.context is not None:
                self.context.destroy()
                self.context = None
            instance, self._instance = self._instance, 0
            destroy_instance(self._table, instance, self.id)
            self._allocator = None
            if self.source.library is not None:
                shared_library.release(self.source.library, unloadable=self._table.unloadable)
