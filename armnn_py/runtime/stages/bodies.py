# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The networks that a stage runs by itself: branches, functions, and the turns of loops."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from armnn_py._native.log import drain_log
from armnn_py.errors import (
    ExecutionCancelledError,
    ExecutionError,
    ExecutionTimeoutError,
    InvalidArgumentError,
    StagesNeededError,
)
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.quoting import quoted
from armnn_py.runtime.stages.loops import RepeatedRun
from armnn_py.tensors import format_shape

if TYPE_CHECKING:
    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.options.run_options import RunOptions
    from armnn_py.network import Collected, Repeat
    from armnn_py.optimizer import Assignment
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.context_pool import ContextPool
    from armnn_py.runtime.contexts.plan_choice import PlanChoice
    from armnn_py.runtime.network_state import NetworkState
    from armnn_py.runtime.profile.profile_stages import InStages
    from armnn_py.tensors import TensorInfo


class Part(Protocol):
    """A `LoadedNetwork`, for the network that it is a part of and for its bound arrays."""

    id: int
    name: str
    _pool: ContextPool
    _choice: PlanChoice

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name, in order."""

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name, in order."""

    @property
    def _stages(self) -> InStages | None:
        """The runner of its parts, if it runs in stages and has one."""

    @property
    def _failover(self) -> Any:
        """The `Failover` that answers runs whose backend was lost, or None."""

    def _run_options(self, options: Mapping[str, Mapping[str, OptionValue]]) -> RunOptions:
        """Check options of a run."""

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer."""

    @property
    def state(self) -> NetworkState:
        """The variables."""

    @property
    def arena_size(self) -> int:
        """Bytes of memory that one execution context needs."""

    @property
    def persistent_size(self) -> int:
        """Bytes that one execution context keeps from run to run."""

    @property
    def packed_size(self) -> int:
        """Bytes that backends keep for all contexts."""

    @property
    def elided(self) -> tuple[str, ...]:
        """Names of layers that are not executed."""

    def run(
        self,
        inputs: Mapping[str, Any],
        *,
        out: Mapping[str, np.ndarray] | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        share_inputs: bool = False,
        share_outputs: bool = False,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    ) -> dict[str, np.ndarray]:
        """Run one inference."""

    def bind(
        self,
        inputs: Any = None,
        outputs: Mapping[str, np.ndarray] | None = None,
        *,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    ) -> Any:
        """Check arrays once; return the `BoundNetwork`, whose module imports this one."""

    def reset_state(self) -> None:
        """Forget earlier runs."""

    def close(self) -> None:
        """Free everything."""

    def _close(self, *, patience: float | None, obey: bool = True) -> None:
        """Close, with some patience for calls that are running."""

    def _after_fork(self) -> None:
        """Forget what the child of a fork does not have."""


class Bodies:
    """Runs the networks that a part runs by itself, until the time is up; see `StagedRuns.run`."""

    __slots__ = ("_bodies", "_cancel", "_end", "_name", "_options")

    def __init__(
        self,
        bodies: Mapping[str, Part],
        name: str,
        end: float | None,
        cancel: CancelToken | None,
        options: Mapping[str, Mapping[str, OptionValue]] | None,
    ) -> None:
        self._bodies = bodies
        self._name = name
        self._end = end
        self._cancel = cancel
        self._options = options

    def __call__(self, key: str, arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Run a body, of which results stay the caller's; one without a network makes nothing."""
        body = self._bodies.get(key)
        left = None if self._end is None else self._end - time.monotonic()
        if body is not None:
            return body.run(
                arrays,
                timeout=None if left is None else max(0.0, left),
                cancel=self._cancel,
                options=self._options,
            )
        if self._cancel is not None and self._cancel.cancelled:
            raise ExecutionCancelledError(f"network '{self._name}': cancelled before a body")
        if left is not None and left <= 0:
            raise ExecutionTimeoutError(f"network '{self._name}': timed out before a body")
        return {}

    def repeat(
        self, loop: Repeat, values: Mapping[str, np.ndarray], most: int | None
    ) -> list[np.ndarray]:
        """Run a loop; see `RunBody`."""
        body = self._bodies.get(loop.key)
        made = None if body is None or most == 0 else self._at_once(body, loop, values, most)
        return self._turn_by_turn(loop, values, most) if made is None else made

    def _at_once(
        self, body: Part, loop: Repeat, values: Mapping[str, np.ndarray], most: int | None
    ) -> list[np.ndarray] | None:
        """Run the turns without Python in between; None if they have no common plan."""
        pool, choice = body._pool, body._choice
        if body._stages is not None or pool.sequence is not None:
            return None
        lease = pool.take()
        try:
            if lease is None:
                lease = pool.start(cancel=self._cancel)
            context = lease.context
            if context is None:
                arrays = [
                    values[name][0] if name in loop.sliced else values[name] for name in body.inputs
                ]
                context = choice.borrow(lease, arrays, None, self._cancel)
            if choice.depends_on_values:
                return None
            prepared = context.loop
            if not isinstance(prepared, RepeatedRun) or prepared.loop is not loop:
                context.loop = prepared = RepeatedRun(context, loop)
            options = None if self._options is None else body._run_options(self._options)
            return prepared.run(context, values, most, self._end, self._cancel, options)
        except StagesNeededError:
            return None
        except ExecutionError:
            if body._failover is None:
                raise
            return None  # one by one, on the backends that take over
        finally:
            if lease is not None:
                pool.give_back(lease)
            drain_log()

    def _turn_by_turn(
        self, loop: Repeat, values: Mapping[str, np.ndarray], most: int | None
    ) -> list[np.ndarray]:
        """Run the turns one by one: each may have other shapes, or strings."""
        known, collected = dict(values), [_Values(one) for _, one in loop.collected]
        turn, goes_on = 0, True
        while goes_on and (most is None or turn < most):
            for name, backward in loop.sliced.items():
                known[name] = values[name][-1 - turn if backward else turn, ...]
            if loop.counter:
                known[loop.counter] = np.array(turn, np.int64)
            made = {**known, **self(loop.key, {name: known[name] for name in loop.reads})}
            for one, (name, _) in zip(collected, loop.collected, strict=True):
                one.take(made[name])
            known |= {before: made[after] for before, after in loop.states}
            if loop.goes_on:
                condition = made[loop.goes_on]
                if not condition.size:
                    raise InvalidArgumentError(
                        f"{loop.label}: the condition after turn {turn} has no elements, expected 1"
                    )
                goes_on = bool(condition.flat[0])
            turn += 1
        return [*(known[name] for name, _ in loop.states), *(one.stacked() for one in collected)]


class _Values:
    """The values of one output in all turns."""

    def __init__(self, collected: Collected) -> None:
        self._collected = collected
        self._found: list[np.ndarray] = []
        self._letters = 0

    def take(self, value: np.ndarray) -> None:
        """Take the value of a turn.

        Raises
        ------
        ParseError
            All values are larger now than a tensor may be: turns may have no end.
        """
        found = self._found
        check_size((len(found) + 1, *value.shape), value.dtype)
        if value.dtype.kind == "O":
            self._letters += sum(map(len, value.flat))
            check_size((self._letters,), np.dtype(np.uint8))
        found.append(value)

    def stacked(self) -> np.ndarray:
        """Return the values of all turns as one array.

        Raises
        ------
        InvalidArgumentError
            Turns made values of different shapes.
        """
        one, found = self._collected, self._found
        if not found:
            return np.zeros((*one.shape[: one.axis], 0, *one.shape[one.axis :]), one.dtype)
        for turn, value in enumerate(found):
            if value.shape != found[0].shape:
                raise InvalidArgumentError(
                    f"output {quoted(one.name)} collects values of one shape, but turn {turn} "
                    f"makes {format_shape(value.shape)} and turn 0 {format_shape(found[0].shape)}"
                )
        return np.stack(found[::-1] if one.is_backward else found, one.axis)
