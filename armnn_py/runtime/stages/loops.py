# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops whose turns are runs of one execution context, one after another in the native executor.

A value that one turn hands to the next lies in two buffers that change places; slices are read, and
values of all turns are written, where they lie. Python comes back after some milliseconds, for
signals and stops, and when the memory for values of all turns is full.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.memory.addresses import address_of
from armnn_py._native.plans.repeat import NativeRepeat
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.memory_budget import tensor_limit
from armnn_py.runtime.arrays.buffers import make_room
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from armnn_py.backends.options.run_options import RunOptions
    from armnn_py.network import Repeat
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.execution_context import ExecutionContext

#: Turns for which memory is taken at first, where a condition may end the loop early.
_FIRST_TURNS = 64
_NO_LIMIT = (1 << 64) - 1


class RepeatedRun:
    """One loop over a context, whose plan is that of the first turn.

    Parameters
    ----------
    context
        The context, lent for the whole loop.
    loop
        The values and states of its turns.
    """

    def __init__(self, context: ExecutionContext, loop: Repeat) -> None:
        self._context = context
        self._native = context.native
        self._loop = loop
        network = context.plan.network
        self._inputs = {name: index for index, name in enumerate(network.inputs)}
        self._outputs = {name: index for index, name in enumerate(network.outputs)}
        #: Arrays that the addresses point to, by output: two of a value that turns hand on.
        self._buffers: dict[str, list[np.ndarray]] = {}
        #: Outputs of which values of all turns are kept, and these values.
        self._collected = dict(loop.collected)
        self._all: dict[str, np.ndarray] = {}
        #: An input, empty if nothing reads it, and the output that the next turn reads there.
        self._states = [
            (before if before in self._inputs else "", after)
            for before, after in loop.states
            if after != before
        ]
        self._capacity = _NO_LIMIT if loop.most is None else loop.most
        if loop.collected and loop.goes_on:
            self._capacity = min(self._capacity, _FIRST_TURNS)
        sizes = [network.outputs[name].byte_size for name in self._collected]
        self._most_kept = min((tensor_limit() // size for size in sizes if size), default=_NO_LIMIT)
        self._capacity = min(self._capacity, self._most_kept)
        if not self._capacity:
            self._refuse(1)

    @staticmethod
    def fits(context: ExecutionContext, loop: Repeat) -> bool:
        """Return whether all turns have the shapes and types of the first one."""
        plan = context.plan
        if plan.late is not None or plan.variables:
            return False
        infos, made = plan.network.inputs, plan.network.outputs
        for name, info in infos.items():
            array = loop.values[name]
            shape = array.shape[1:] if name in loop.sliced else array.shape
            if (shape, array.dtype) != (info.static_shape, info.dtype):
                return False
        if loop.goes_on and not (loop.goes_on in made and made[loop.goes_on].byte_size):
            return False
        collected = [name for name, _ in loop.collected]
        if len({*collected}) < len(collected) or any(name not in made for name in collected):
            return False
        return all(
            after == before
            or (
                after in made
                and (
                    before not in infos
                    or (made[after].static_shape, made[after].dtype)
                    == (infos[before].static_shape, infos[before].dtype)
                )
            )
            for before, after in loop.states
        )

    def run(
        self, end: float | None, cancel: CancelToken | None, options: RunOptions | None
    ) -> list[np.ndarray]:
        """Run all turns; return the last states, then the values of all turns.

        ``end`` is a time of the monotonic clock.

        Raises
        ------
        ExecutionError, ExecutionTimeoutError, ExecutionCancelledError
            As of one run.
        """
        loop = self._loop
        kept = self._place_inputs()
        self._place_outputs()
        repeat = self._prepared()
        most = _NO_LIMIT if loop.most is None else loop.most
        with repeat.instead():
            while repeat.turns < most and not repeat.is_ended:
                if repeat.turns == self._capacity:
                    self._grow()
                repeat.limit(min(most, self._capacity))
                self._context.execute(
                    timeout=None if end is None else max(0.0, end - time.monotonic()),
                    cancel=cancel,
                    options=options,
                )
        del kept
        return self._results(repeat.turns)

    # ---- Memory ----------------------------------------------------------------------------------

    def _place_inputs(self) -> list[Any]:
        """Write the addresses of the first turn; return what has to be kept."""
        loop, kept = self._loop, []
        for name, index in self._inputs.items():
            array = np.ascontiguousarray(loop.values[name])
            if name == loop.counter:
                array = array.copy()  # it is written
            kept.append(array)
            address = address_of(array)
            if loop.sliced.get(name):  # from the last one
                address += array.nbytes - array.nbytes // len(array)
            self._native.inputs[index] = address
        return kept

    def _place_outputs(self) -> None:
        carried = {after for before, after in self._states if before}
        for (name, _, room), index in zip(
            self._context.arrays.outputs, self._outputs.values(), strict=True
        ):
            if name in self._collected:
                self._all[name] = self._room(name, self._capacity)
                self._native.outputs[index] = self._address_in(name, 0)
                continue
            buffers = [room.take() for _ in range(2 if name in carried else 1)]
            self._buffers[name] = [array for array, _ in buffers]
            self._native.outputs[index] = buffers[0][1]

    def _room(self, name: str, turns: int) -> np.ndarray:
        """Return memory for the values of an output in so many turns."""
        info = self._context.plan.network.outputs[name]
        room = make_room((turns, *info.static_shape), info.dtype, ALIGNMENT, 0)
        return room.take()[0]

    def _step_of(self, name: str) -> int:
        array = self._all[name]
        step = array.nbytes // len(array)
        return -step if self._collected[name].is_backward else step

    def _address_in(self, name: str, turn: int) -> int:
        """Return where a turn writes its value of an output that keeps all of them."""
        array = self._all[name]
        place = len(array) - 1 - turn if self._collected[name].is_backward else turn
        return address_of(array) + place * abs(self._step_of(name))

    def _grow(self) -> None:
        """Take more memory for values of all turns, of which all places are full."""
        done = self._capacity
        if done == self._most_kept:
            self._refuse(done + 1)
        most = self._loop.most
        self._capacity = min(2 * done, self._most_kept, _NO_LIMIT if most is None else most)
        for name in self._collected:
            old, self._all[name] = self._all[name], self._room(name, self._capacity)
            self._all[name][:done] = old
            self._native.outputs[self._outputs[name]] = self._address_in(name, done)
        for before, after in self._states:
            if before and after in self._collected:
                self._native.inputs[self._inputs[before]] = self._address_in(after, done - 1)

    def _refuse(self, turns: int) -> None:
        """Raise the error of outputs that become too large."""
        for name in self._collected:
            info = self._context.plan.network.outputs[name]
            check_size((turns, *info.static_shape), info.dtype)

    def _prepared(self) -> NativeRepeat:
        loop, native = self._loop, self._native
        strides = [0] * (len(self._inputs) + len(self._outputs))
        for name, index in self._inputs.items():
            if name in loop.sliced:
                array = loop.values[name]
                step = array.nbytes // len(array)
                strides[index] = -step if loop.sliced[name] else step
        for name in self._collected:
            strides[len(self._inputs) + self._outputs[name]] = self._step_of(name)
        carries: list[tuple[int, int, int | None]] = []
        swapped: set[str] = set()
        for before, after in reversed(self._states):
            if not before:
                continue
            second = None
            if after not in self._collected and after not in swapped:
                second = address_of(self._buffers[after][1])
                swapped.add(after)
            # The last of those that read one output has it change places.
            carries.insert(0, (self._inputs[before], self._outputs[after], second))
        counter = self._inputs.get(loop.counter)
        return NativeRepeat(
            native,
            strides,
            carries,
            0 if counter is None else native.inputs[counter] or 0,
            self._outputs[loop.goes_on] if loop.goes_on else None,
        )

    def _results(self, turns: int) -> list[np.ndarray]:
        loop, results = self._loop, []
        for before, after in loop.states:
            if after == before:
                results.append(loop.values[before])
            elif after in self._all:
                last = 0 if self._collected[after].is_backward else turns - 1
                results.append(self._all[after][last].copy())
            else:
                buffers = self._buffers[after]
                results.append(buffers[(turns - 1) % len(buffers)])
        for name, one in loop.collected:
            array = self._all[name]
            array = array if turns == len(array) else array[:turns].copy()
            results.append(np.ascontiguousarray(np.moveaxis(array, 0, one.axis)))
        return results
