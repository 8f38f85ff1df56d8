# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A run whose backend was lost is answered by the next backend."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct

from armnn_py.errors import (
    ArmnnError,
    ExecutionCancelledError,
    ExecutionError,
    ExecutionTimeoutError,
)
from armnn_py.later import public_class
from armnn_py.network.layer import ConstantLayer
from armnn_py.optimizer import optimize

if TYPE_CHECKING:
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.network_owner import NetworkOwner
    from armnn_py.runtime.network_state import NetworkState
    from armnn_py.runtime.stages.bodies import Part


@public_class
class LastRun(Struct, frozen=True):
    """How the last run of a network by the calling thread was answered.

    Attributes
    ----------
    degraded
        Whether a backend was lost, and another one answered.
    lost
        Ids of the backends that were lost.
    reason
        The error of the backend; empty if nothing was lost.
    """

    degraded: bool = False
    lost: tuple[str, ...] = ()
    reason: str = ""


@public_class
@dataclass(frozen=True, slots=True)
class Health:
    """Whether a network can answer, and on which backends.

    Attributes
    ----------
    status
        ``"ready"``; ``"degraded"``: a backend is lost, and the next run is answered by others;
        ``"lost"``: no other backend takes its layers.
    reasons
        One text for each backend that is lost.
    """

    status: Literal["ready", "degraded", "lost"]
    reasons: tuple[str, ...] = ()


NOTHING_LOST = LastRun()
#: Smaller weights are not worth a search.
_SHARED_BYTES = 1 << 16


def _are_same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two dense arrays have the same bytes."""
    bytes_of = (array.reshape(-1).view(np.uint8) for array in (one, other))
    begin, end = zip(*((array[:64], array[64:]) for array in bytes_of), strict=True)
    return np.array_equal(*begin) and np.array_equal(*end)


class Failover:
    """The networks that stand in for one, by the backends that are lost.

    Parameters
    ----------
    optimized
        The network, with its source.
    runtime
        Its owner.
    """

    def __init__(self, optimized: OptimizedNetwork, runtime: NetworkOwner) -> None:
        self._optimized, self._runtime = optimized, runtime
        self._lock = threading.Lock()
        self._networks: dict[frozenset[str], Part] = {}
        self._of_thread = threading.local()
        self._share_weights()

    def _share_weights(self) -> None:
        """Move large weights of the given network into the memory that workers have mapped.

        Nothing is done if a backend of this process has layers of the network.
        """
        isolated = self._runtime.isolated
        if not isolated.keys() >= self._optimized.assignment.counts.keys():
            return
        constants: dict[int, list[ConstantLayer]] = {}
        for layer in self._optimized.given.layers:
            if isinstance(layer, ConstantLayer) and layer.value.nbytes >= _SHARED_BYTES:
                constants.setdefault(layer.value.nbytes, []).append(layer)
        for backend in isolated.values() if constants else ():
            for memory in backend.weights(constants):
                for layer in list(constants[memory.nbytes]):
                    shared = np.frombuffer(memory, layer.value.dtype).reshape(layer.value.shape)
                    if _are_same(layer.value, shared):
                        layer.move_to(shared)
                        constants[memory.nbytes].remove(layer)

    @property
    def last_run(self) -> LastRun:
        """How the last run of the calling thread was answered."""
        found: LastRun = getattr(self._of_thread, "last_run", NOTHING_LOST)
        return found

    @last_run.setter
    def last_run(self, value: LastRun) -> None:
        self._of_thread.last_run = value

    def run(
        self, error: ExecutionError, state: NetworkState, **arguments: Any
    ) -> dict[str, np.ndarray]:
        """Answer a run that failed; raises ``error`` if no other backend can.

        Parameters
        ----------
        error
            Of the run.
        state
            Of the network, or of the arrays that were bound to it.
        arguments
            Of its `LoadedNetwork.run`.
        """
        lost: set[str] = set()
        while True:
            if error.backend is None or error.backend in lost or not self._is_followed(error):
                raise error
            lost.add(error.backend)
            other = self._without(frozenset(lost), error)
            if state:
                other.state.update(state)
            try:
                made = other.run(**arguments)
            except ExecutionError as another:
                error = another
                continue
            if state:
                state.update(other.state)
            self.last_run = LastRun(
                degraded=True,
                lost=tuple(sorted(lost)),
                reason="; ".join([error.message, *error.details]),
            )
            return made

    def _is_followed(self, error: ExecutionError) -> bool:
        """Whether the backend failed and other backends answer; not for a run that was stopped."""
        if isinstance(error, (ExecutionTimeoutError, ExecutionCancelledError)):
            return False
        return self._runtime.is_followed(error.backend)

    def _without(self, lost: frozenset[str], error: ExecutionError) -> Part:
        with self._lock:
            known = self._networks.get(lost)
            if known is not None:
                return known
            optimized = self._optimized
            ids = [backend.id for backend in optimized.backends if backend.id not in lost]
            options = optimized.options
            if options.placement is not None:
                options = replace(options, placement=options.placement.without(lost))
            try:
                made = optimize(optimized.given, ids, runtime=self._runtime, options=options)
                network = self._runtime.load_network(made)
            except ArmnnError as why:
                error.add_note(f"no other backend answers: {why}")
                raise error from why
            self._networks[lost] = network
            return network

    def health(self) -> Health:
        """Whether the backends of the network are there."""
        used = self._optimized.assignment.counts
        reasons = [
            f"{name}: {why}"
            for name, backend in self._runtime.isolated.items()
            if name in used and (why := backend.why_not_running)
        ]
        if not reasons:
            return Health("ready")
        others = [one.id for one in self._optimized.backends if one.id not in self._lost_ids()]
        return Health("degraded" if others else "lost", tuple(reasons))

    def _lost_ids(self) -> set[str]:
        return {name for name, one in self._runtime.isolated.items() if one.why_not_running}

    def close(self) -> None:
        """Close the networks that stand in."""
        for network in self._networks.values():
            network.close()
        self._networks.clear()
