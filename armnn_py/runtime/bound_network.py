# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network with fixed arrays: the cheapest way to run it."""

from __future__ import annotations

import contextlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from armnn_py._native.log import drain_log
from armnn_py.errors import ExecutionError, InvalidArgumentError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.later import public_class
from armnn_py.ownership import Closing, Owner
from armnn_py.runtime.network_state import NetworkState
from armnn_py.stopping import check_stops

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.options.run_options import RunOptions
    from armnn_py.runtime.arrays.binding import Binder
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.context_pool import ContextPool
    from armnn_py.runtime.contexts.plan_cache import Lease
    from armnn_py.runtime.contexts.plan_choice import PlanChoice
    from armnn_py.runtime.stages.bodies import Part


@public_class
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
        network: Part,
        pool: ContextPool,
        lease: Lease,
        inputs: Sequence[np.ndarray],
        outputs: Mapping[str, np.ndarray],
        options: RunOptions | None,
    ) -> None:
        self._network = network
        self._pool = pool
        self._lease = lease
        self._is_closed = False
        self._options = options
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
    def network(self) -> Part:
        """The `LoadedNetwork` that it belongs to."""
        return self._network

    @property
    def closed(self) -> bool:
        """Whether it, or its network, was closed."""
        return self._is_closed or self._pool.closed

    def run(
        self,
        *,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    ) -> Mapping[str, np.ndarray]:
        """Run one inference over `inputs` and return `outputs`.

        Parameters
        ----------
        timeout, cancel
            As for `LoadedNetwork.run`.
        options
            As for `LoadedNetwork.run`, instead of those that were bound; those cost less.

        Raises
        ------
        InvalidArgumentError
            It is closed, or runs already.
        ExecutionError, ExecutionTimeoutError, ExecutionCancelledError, KeyboardInterrupt
            As for `LoadedNetwork.run`; also if a backend refuses the memory.
        """
        if timeout is not None or cancel is not None:
            check_stops(timeout, cancel)
        run_options = self._options if options is None else self._network._run_options(options)
        failover, failure = self._network._failover, None
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
                self._context.execute(
                    timeout=timeout, cancel=cancel, strict=True, options=run_options
                )
            finally:
                if turns.get(0) is turn:
                    if is_resumed:
                        self._pool.give_back(self._lease)
                    turns.clear()
        except ExecutionError as error:
            if failover is None:
                raise
            failure = error
        finally:  # once more: a signal handler can raise inside the block above
            if turns.get(0) is turn:
                if is_resumed:
                    self._pool.give_back(self._lease)
                turns.clear()
            drain_log()
        if failover is not None and failure is not None:
            failover.run(
                failure, self.state, inputs=self.inputs, out=self.outputs, timeout=timeout,
                cancel=cancel, options=options,
            )  # fmt: skip
        return self.outputs

    @property
    def has_state(self) -> bool:
        """Whether a run leaves something for the next: in variables, or in a backend."""
        return self._context.state.is_in_workloads or bool(self._context.plan.variables)

    @property
    def state(self) -> NetworkState:
        """The variables of these arrays, as `LoadedNetwork.state`; not during a run."""
        infos = {v.name: v.info for v in self._context.plan.variables}
        return NetworkState(self._network.name, infos, self._read_variable, self._write_variables)

    def _read_variable(self, name: str) -> np.ndarray[Any, Any]:
        with self._turn("read variables of"):
            return self._context.state.read(name)

    def _write_variables(self, values: Mapping[str, np.ndarray[Any, Any]]) -> None:
        with self._turn("set variables of"):
            for name, array in values.items():
                self._context.state.write(name, array)

    def reset_state(self) -> None:
        """Have recurrent layers and variables forget earlier runs over these arrays.

        Raises
        ------
        InvalidArgumentError
            It is closed, or runs right now.
        ExecutionError
            A backend fails to.
        """
        with self._turn("reset"):
            self._context.state.reset()

    @contextlib.contextmanager
    def _turn(self, verb: str) -> Iterator[None]:
        """Have the context for work between two runs."""
        turn = object()
        try:
            if self._turns.setdefault(0, turn) is not turn:
                self._raise_busy(verb)
            if self.closed:
                raise InvalidArgumentError(
                    f"network '{self._network.name}': these bound arrays are closed",
                    hints=["call bind() again"],
                )
            yield
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


def bind_arrays(
    network: Part,
    pool: ContextPool,
    binder: Binder,
    choice: PlanChoice,
    inputs: Any,
    outputs: Mapping[str, np.ndarray] | None,
    options: RunOptions | None,
) -> BoundNetwork:
    """Check arrays and give them a context of their own, see `LoadedNetwork.bind`."""
    arrays = None if inputs is None else binder.bind(inputs, share=True)
    key = choice.static_key if arrays is None else choice.ready_key(arrays)
    if key is None:
        raise InvalidArgumentError(
            f"network '{network.name}' has free dimensions: bind() needs inputs",
            hints=["pass arrays of the shapes that you want to run"],
        )
    if arrays is not None:
        arrays = choice.fixed(arrays)
    lease = pool.start(waits=False)
    try:
        context = pool.borrow(lease, choice.key_in_pool(key), new_sequence=True)
        context.set_key(key)
        if arrays is None:
            arrays = context.arrays.fresh_inputs()
        context.arrays.check_inputs(arrays)
        if outputs is not None:
            arrays, outputs = binder.bind_out(
                outputs,
                arrays,
                lambda name: choice.output(name, key),
                share=True,
                in_place=lambda: context.plan.in_place,
            )
            context.arrays.check_outputs(outputs)
        own = context.arrays.fresh_outputs(outputs or {})
        bound = BoundNetwork(network, pool, lease, arrays, own, options)
        pool.keep(lease, bound)
        return bound
    finally:
        pool.give_back(lease)
        drain_log()
