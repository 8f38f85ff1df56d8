# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The state of one context from run to run: variables, and the state of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native import abi
from armnn_py.interrupts import deferred_interrupts
from armnn_py.runtime.contexts.run_errors import lost_state

if TYPE_CHECKING:
    from armnn_py._native.plans.context import NativeContext
    from armnn_py.runtime.plan.network_plan import NetworkPlan

__all__ = ["ContextState"]

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
