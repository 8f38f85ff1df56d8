# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network with fixed arrays: the cheapest way to run it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, Protocol

from armnn_py._native.interrupts import deferred_interrupts
from armnn_py._native.log import drain_log
from armnn_py.errors import InvalidArgumentError
from armnn_py.ownership import Closing, Owner
from armnn_py.runtime.binding import check_stops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.context_pool import ContextPool, Lease
    from armnn_py.tensors import TensorInfo

__all__ = ["BoundNetwork"]


class Bindable(Protocol):
    """A `LoadedNetwork`, as `BoundNetwork` uses it."""

    name: str

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name, in order."""

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name, in order."""


class BoundNetwork(Closing, Owner, instead="call bind() again: each has memory of its own"):
    """Arrays that were checked once and an execution context; made by `LoadedNetwork.bind`.

    Write inputs into the arrays of `inputs`, call `run`, read those of `outputs`: each run writes
    the same arrays again. For one thread at a time; threads bind one each.

    Use it in a ``with`` block, or call `close`. When the network is closed, runs raise and the
    arrays stay.

    Attributes
    ----------
    inputs, outputs
        The arrays by name, in the network's order; an `ExternalMemory` where one was given.
    """

    def __init__(
        self,
        network: Bindable,
        pool: ContextPool,
        lease: Lease,
        inputs: Sequence[np.ndarray],
        outputs: Mapping[str, np.ndarray],
    ) -> None:
        self._network = network
        self._pool = pool
        self._lease = lease
        self._is_closed = False
        self.inputs: Mapping[str, np.ndarray] = MappingProxyType(
            {n: getattr(a, "external", a) for n, a in zip(network.inputs, inputs, strict=True)}
        )
        self.outputs: Mapping[str, np.ndarray] = MappingProxyType(
            {name: getattr(array, "external", array) for name, array in outputs.items()}
        )
        assert lease.context is not None
        self._context = lease.context
        self._context.set_addresses(inputs, outputs.values())
        #: Key 0: the call whose turn it is. Not a lock: a signal handler can raise after it is
        #: taken and before any ``try``; a turn always tells its call.
        self._turns: dict[int, object] = {}

    @property
    def network(self) -> Bindable:
        """The `LoadedNetwork` that it belongs to."""
        return self._network

    @property
    def closed(self) -> bool:
        """Whether it, or its network, was closed."""
        return self._is_closed or self._pool.closed

    def run(
        self, *, timeout: float | None = None, cancel: CancelToken | None = None
    ) -> Mapping[str, np.ndarray]:
        """Run one inference over `inputs` and return `outputs`.

        Parameters
        ----------
        timeout, cancel
            As for `LoadedNetwork.run`.

        Raises
        ------
        InvalidArgumentError
            It is closed, or runs already.
        ExecutionError, ExecutionTimeoutError, ExecutionCancelledError, KeyboardInterrupt
            As for `LoadedNetwork.run`; also if a backend refuses the memory.
        """
        if timeout is not None or cancel is not None:
            check_stops(timeout, cancel)
        turn = object()
        turns = self._turns
        is_resumed = False
        try:
            try:
                if turns.setdefault(0, turn) is not turn:
                    self._raise_busy("run")
                if self._is_closed:
                    raise InvalidArgumentError(
                        f"network '{self._network.name}': these bound arrays are closed",
                        hints=["call bind() again"],
                    )
                is_resumed = True
                self._pool.resume(self._lease)
                self._context.execute(timeout=timeout, cancel=cancel, strict=True)
            finally:
                if turns.get(0) is turn:
                    if is_resumed:
                        self._pool.give_back(self._lease)
                    turns.clear()
        finally:  # once more: a signal handler can raise inside the block above
            if turns.get(0) is turn:
                if is_resumed:
                    self._pool.give_back(self._lease)
                turns.clear()
            drain_log()
        return self.outputs

    def reset_state(self) -> None:
        """Have recurrent layers forget earlier runs over these arrays: a new sequence begins.

        Raises
        ------
        InvalidArgumentError
            It is closed, or runs right now.
        ExecutionError
            A backend fails to.
        """
        turn = object()
        try:
            if self._turns.setdefault(0, turn) is not turn:
                self._raise_busy("reset")
            if self.closed:
                raise InvalidArgumentError(
                    f"network '{self._network.name}': these bound arrays are closed",
                    hints=["call bind() again"],
                )
            self._context.reset_state()
        finally:
            if self._turns.get(0) is turn:
                self._turns.clear()

    def _raise_busy(self, verb: str) -> NoReturn:
        raise InvalidArgumentError(
            f"network '{self._network.name}': cannot {verb} bound arrays that run right now",
            hints=["call bind() once for each thread"],
        )

    def close(self) -> None:
        """Give the memory back to the network; the arrays stay. Harmless when repeated.

        Raises
        ------
        InvalidArgumentError
            It runs right now, in another thread or below a signal handler.
        """
        turn = object()
        try:
            if self._turns.setdefault(0, turn) is not turn:
                self._raise_busy("close")
            with deferred_interrupts():
                if not self._is_closed:
                    self._is_closed = True
                    self._pool.release(self._lease)
        finally:
            if self._turns.get(0) is turn:
                self._turns.clear()

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<BoundNetwork of '{self._network.name}'{state}>"
