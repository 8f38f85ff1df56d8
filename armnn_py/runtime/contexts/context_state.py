# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The variables, states of workloads and tensors of backends of one execution context."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native import abi
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py._native.table.tensor_handles import SubTensorRefusedError
from armnn_py.errors import BackendError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.runtime.contexts.run_errors import lost_state
from armnn_py.runtime.plan.sub_handles import make_sub_handle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.plans.context import NativeContext
    from armnn_py._native.table.tensor_handles import TensorHandle, TensorHandleFactory
    from armnn_py.backends.backend import Backend
    from armnn_py.runtime.plan.moves import PlannedHandle
    from armnn_py.runtime.plan.network_plan import NetworkPlan

#: How a run ended after which the state of workloads is not known; others: it failed.
_LOSSES = {
    abi.ARMNN_STATUS_CANCELLED: "a run was stopped in its middle",
    abi.ARMNN_STATUS_TIMEOUT: "a run was stopped in its middle, by its timeout",
}


class ContextState:
    """The state of a context, whose variables have their first values when it is made.

    Attributes
    ----------
    is_fresh
        Whether no run has left anything in it.
    """

    __slots__ = ("_loss", "_native", "_plan", "is_fresh")

    def __init__(self, plan: NetworkPlan, native: NativeContext) -> None:
        self._plan = plan
        self._native = native
        self.is_fresh = True
        #: The end of the run after which the state of workloads is unknown.
        self._loss = ""
        self._reset_variables()

    @property
    def is_in_workloads(self) -> bool:
        """Whether workloads keep something from run to run."""
        return self._native.has_state

    def begin_sequence(self) -> None:
        """Begin runs that have nothing to do with earlier ones."""
        if not self.is_fresh:
            self.reset()
        self.is_fresh = False

    def reset(self) -> None:
        """Have workloads and variables forget what earlier runs left; not during a run."""
        if not self._native.has_state and not self._plan.variables:
            return
        with deferred_interrupts():
            if self._native.has_state:
                self._loss = "a backend did not reset it"
                self._native.reset()
                self._loss = ""
            self._reset_variables()

    def _reset_variables(self) -> None:
        for index, variable in enumerate(self._plan.variables):
            self._native.write_variable(index, variable.initial)

    def read(self, name: str) -> np.ndarray:
        """A copy of the value of a variable; not during a run."""
        for index, variable in enumerate(self._plan.variables):
            if variable.name == name:
                array = np.empty(variable.info.static_shape, variable.info.dtype)
                with deferred_interrupts():
                    self._native.read_variable(index, array)
                return array
        raise KeyError(name)

    def write(self, name: str, array: np.ndarray) -> None:
        """Set a variable to a dense array of its shape and dtype; not during a run."""
        for index, variable in enumerate(self._plan.variables):
            if variable.name == name:
                with deferred_interrupts():
                    self._native.write_variable(index, array)

    def note_failure(self, status: int) -> None:
        """Note that a run failed, so that the state of workloads is unknown.

        Raises
        ------
        ExecutionError
            It was refused, because the state was unknown before.
        """
        native = self._native
        if native.handle and native.has_state and native.is_state_lost:
            if native.was_refused and not native.caught:
                raise lost_state(
                    self._plan.network.name, self._loss or "a run failed", self._plan.state_layers
                )
            if not native.was_refused:
                self._loss = _LOSSES.get(status, "a run failed")


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
