# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tensors of one execution context that lie in memory of backends."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py._native.table.tensor_handles import SubTensorRefusedError
from armnn_py.errors import BackendError
from armnn_py.runtime.plan.sub_handles import make_sub_handle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.table.tensor_handles import TensorHandle, TensorHandleFactory
    from armnn_py.backends.backend import Backend
    from armnn_py.runtime.plan.moves import PlannedHandle

__all__ = ["ContextHandles"]

_log = logging.getLogger("armnn_py.runtime")


class ContextHandles:
    """Makes the handles of a plan, tells backends their lifetimes and acquires the pools.

    Parameters
    ----------
    backends
        The backends of the plan; they register factories and memory managers for this context.
    planned
        The handles that the plan wants.

    Raises
    ------
    BackendError
        A backend failed; all objects made until then are destroyed.
    """

    __slots__ = ("_handles", "_registry")

    def __init__(self, backends: Sequence[Backend], planned: Sequence[PlannedHandle]) -> None:
        self._handles: list[TensorHandle] = []
        self._registry: HandleRegistry | None = None
        if not planned:
            return

        self._registry = registry = HandleRegistry(backends)
        try:
            for want in planned:
                self._handles.append(self._make(registry.factories[want.factory], want))
            self._tell_lifetimes(planned)
            registry.acquire()
        except BaseException:
            self.destroy()
            registry.close()
            raise

    def _make(self, factory: TensorHandleFactory, want: PlannedHandle) -> TensorHandle:
        if want.parent is None:
            return factory.create(want.info, managed=want.managed)

        try:
            return make_sub_handle(factory, self._handles[want.parent], want.info, want.origin)
        except SubTensorRefusedError as refused:
            raise BackendError(
                f"backend '{factory.backend_id}': a tensor cannot lie in another now, though the "
                "same was possible when the network was loaded",
                details=[str(refused)],
                hints=["report it to the backend's vendor"],
            ) from None

    def _tell_lifetimes(self, planned: Sequence[PlannedHandle]) -> None:
        """Tell begins and ends in the order of the plan; within one step begins come first."""
        moments = []
        for number, want in enumerate(planned):
            if want.managed:
                moments.append((want.first, 0, number))
                moments.append((max(want.last, want.first), 1, number))
        for _, ends, number in sorted(moments):
            handle = self._handles[number]
            if ends:
                handle.allocate()
            else:
                handle.manage()

    @property
    def addresses(self) -> list[int]:
        """The handles, in the order of the plan."""
        return [handle.address for handle in self._handles]

    def destroy(self) -> None:
        """Give the pools back and destroy the handles; `close` follows. A failure is logged."""
        try:
            if self._registry is not None:
                self._registry.release()
        except BackendError as error:
            _log.warning("%s", error)
        for handle in reversed(self._handles):
            handle.destroy()
        self._handles.clear()

    def close(self) -> None:
        """Destroy factories and memory managers; call it after execution data is destroyed."""
        if self._registry is not None:
            registry, self._registry = self._registry, None
            registry.close()

    def abandon(self) -> None:
        """Forget everything without freeing it."""
        self._handles.clear()
