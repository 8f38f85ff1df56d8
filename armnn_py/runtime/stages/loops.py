# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops whose turns are runs of one execution context, one after another in the native executor.

What all runs of a loop share is made once and stays with the context. A value that one turn hands
to the next lies in two buffers that change places; slices are read, and values of all turns are
written, where they lie. Python comes back after some milliseconds, for signals and stops, and when
the memory for values of all turns is full.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native.memory.addresses import address_of
from armnn_py._native.plans.repeat import NativeRepeat
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.memory_budget import tensor_limit
from armnn_py.runtime.arrays.buffers import make_room
from armnn_py.tensors.memory import ALIGNMENT, aligned_copy

if TYPE_CHECKING:
    from armnn_py._native.plans.context import NativeContext
    from armnn_py.backends.options.run_options import RunOptions
    from armnn_py.network import Repeat
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.execution_context import ExecutionContext
    from armnn_py.tensors import TensorInfo

#: Turns for which memory is taken at first, where a condition may end the loop early.
_FIRST_TURNS = 64
_NO_LIMIT = (1 << 64) - 1


class RepeatedRun:
    """One loop over a context, whose plan is that of each turn.

    Parameters
    ----------
    context
        The context; not kept, which would be a cycle.
    loop
        The loop.

    Attributes
    ----------
    loop
        The loop.
    """

    def __init__(self, context: ExecutionContext, loop: Repeat) -> None:
        self.loop = loop
        network = context.plan.network
        self._infos = made = network.outputs
        self._inputs = [
            (index, name, info.shape, info.dtype, name in loop.sliced)
            for index, (name, info) in enumerate(network.inputs.items())
        ]
        self._outputs = {name: index for index, name in enumerate(made)}
        places = {item[1]: item[0] for item in self._inputs}
        #: Constants that the first turn is given: index of the input, array, address.
        self._constants: list[tuple[int, np.ndarray, int]] = []
        #: An input and the output that the next turn reads there.
        self._states = [
            (places[before], after)
            for before, after in loop.states
            if after != before and before in places
        ]
        #: Outputs of which values of all turns are kept.
        self._collected = dict(loop.collected)
        #: Of an output that turns hand on in two buffers, the number of the state that swaps them.
        self._second = {
            after: number
            for number, (_, after) in enumerate(self._states)
            if after not in self._collected
        }
        self._counter, _ = make_room((), np.dtype(np.int64), ALIGNMENT, 0).take()
        #: Arrays of one run, by output: those that turns write in turn, and values of all turns.
        self._buffers: dict[str, list[np.ndarray]] = {}
        self._all: dict[str, np.ndarray] = {}
        self._capacity = self._most_kept = _NO_LIMIT
        #: None if turns may differ from the first one in shape.
        self._repeat: NativeRepeat | None = None
        if self._has_one_shape(context):
            self._repeat = self._prepared(context, places)
            self._place_constants()

    def _has_one_shape(self, context: ExecutionContext) -> bool:
        loop, plan, made = self.loop, context.plan, self._infos
        if plan.bounded is not None or plan.variables:
            return False
        if loop.goes_on and not (loop.goes_on in made and made[loop.goes_on].byte_size):
            return False
        if len(self._collected) < len(loop.collected) or not self._collected.keys() <= made.keys():
            return False
        kinds = {name: (shape, dtype) for _, name, shape, dtype, _ in self._inputs}
        for before, after in loop.states:
            info = made.get(after)
            if after == before or (info is not None and before not in kinds):
                continue
            if info is None or (info.static_shape, info.dtype) != kinds[before]:
                return False
        return True

    def _prepared(self, context: ExecutionContext, places: Mapping[str, int]) -> NativeRepeat:
        loop, infos = self.loop, context.plan.network.inputs
        strides = [0] * (len(self._inputs) + len(self._outputs))
        for name, is_backward in loop.sliced.items():
            if name in places:
                size = _size(infos[name])
                strides[places[name]] = -size if is_backward else size
        for name, one in self._collected.items():
            size = _size(self._infos[name])
            strides[len(places) + self._outputs[name]] = -size if one.is_backward else size
        return NativeRepeat(
            context.native,
            strides,
            [(place, self._outputs[after]) for place, after in self._states],
            address_of(self._counter) if loop.counter in places else 0,
            self._outputs[loop.goes_on] if loop.goes_on else None,
        )

    def run(
        self,
        context: ExecutionContext,
        values: Mapping[str, np.ndarray],
        most: int | None,
        end: float | None,
        cancel: CancelToken | None,
        options: RunOptions | None,
    ) -> list[np.ndarray] | None:
        """Run all turns as `RunBody.repeat` does; None if their shapes do not fit the plan.

        ``context`` is lent for the whole loop, ``end`` is a time of the monotonic clock.

        Raises
        ------
        ExecutionError, ExecutionTimeoutError, ExecutionCancelledError
            As of one run.
        """
        repeat, native = self._repeat, context.native
        kept = None if repeat is None else self._place_inputs(native, values)
        if repeat is None or kept is None:
            return None
        last = _NO_LIMIT if most is None else most
        usual = native.call
        try:
            self._place_outputs(context, repeat, last)
            repeat.begin()
            native.call = repeat.call
            while repeat.turns < last and not repeat.is_ended:
                if repeat.turns == self._capacity:
                    self._grow(native, last)
                repeat.limit(min(last, self._capacity))
                context.execute(
                    timeout=None if end is None else max(0.0, end - time.monotonic()),
                    cancel=cancel,
                    options=options,
                )
            return self._results(values, repeat.turns)
        finally:
            native.call = usual
            self._buffers, self._all = {}, {}

    # ---- Memory ----------------------------------------------------------------------------------

    def _place_inputs(
        self, native: NativeContext, values: Mapping[str, np.ndarray]
    ) -> list[np.ndarray] | None:
        """Write the addresses of the first turn; return their arrays, None if one does not fit."""
        loop, kept = self.loop, []
        for index, _, address in self._constants:
            native.inputs[index] = address
        for index, name, shape, dtype, is_sliced in self._inputs:
            array = values[name]
            if (array.shape[1:] if is_sliced else array.shape) != shape or array.dtype != dtype:
                return None
            if name == loop.counter:
                array = self._counter
                array[...] = 0
            elif not array.flags.c_contiguous:
                array = np.ascontiguousarray(array)
            kept.append(array)
            address = address_of(array)
            if is_sliced and loop.sliced[name]:  # from the last one
                address += array.nbytes - array.nbytes // len(array)
            native.inputs[index] = address
        return kept

    def _place_constants(self) -> None:
        """Place constants for all runs, so that these look at the other inputs alone."""
        loop, others = self.loop, []
        for item in self._inputs:
            index, name, shape, dtype, _ = item
            array = loop.constants.get(name)
            if (
                array is None
                or name == loop.counter
                or (array.shape, array.dtype) != (shape, dtype)
            ):
                others.append(item)
                continue
            array = aligned_copy(array, ALIGNMENT)
            self._constants.append((index, array, address_of(array)))
        self._inputs = others

    def _place_outputs(self, context: ExecutionContext, repeat: NativeRepeat, last: int) -> None:
        addresses = context.native.outputs
        if self._collected:
            self._limit(last)
        for index, (name, _, room) in enumerate(context.arrays.outputs):
            if name in self._collected:
                self._all[name] = self._room(name, self._capacity)
                addresses[index] = self._address_in(name, 0)
                continue
            array, addresses[index] = room.take()
            self._buffers[name] = [array]
            if name in self._second:
                array, address = room.take()
                self._buffers[name].append(array)
                repeat.set_second(self._second[name], address)

    def _limit(self, last: int) -> None:
        """Set the number of turns whose values have room, at first and at most."""
        sizes = [_size(self._infos[name]) for name in self._collected]
        self._most_kept = min((tensor_limit() // size for size in sizes if size), default=_NO_LIMIT)
        first = _FIRST_TURNS if self.loop.goes_on else _NO_LIMIT
        self._capacity = min(last, first, self._most_kept)
        if not self._capacity:
            self._refuse(1)

    def _room(self, name: str, turns: int) -> np.ndarray:
        """Return memory for the values of an output in so many turns."""
        info = self._infos[name]
        room = make_room((turns, *info.static_shape), info.dtype, ALIGNMENT, 0)
        return room.take()[0]

    def _address_in(self, name: str, turn: int) -> int:
        """Return where a turn writes its value of an output that keeps all of them."""
        array = self._all[name]
        place = len(array) - 1 - turn if self._collected[name].is_backward else turn
        return address_of(array) + place * _size(self._infos[name])

    def _grow(self, native: NativeContext, last: int) -> None:
        """Take more memory for values of all turns, of which all places are full."""
        done = self._capacity
        if done == self._most_kept:
            self._refuse(done + 1)
        self._capacity = min(2 * done, self._most_kept, last)
        for name in self._collected:
            old, self._all[name] = self._all[name], self._room(name, self._capacity)
            self._all[name][:done] = old
            native.outputs[self._outputs[name]] = self._address_in(name, done)
        for place, after in self._states:
            if after in self._collected:
                native.inputs[place] = self._address_in(after, done - 1)

    def _refuse(self, turns: int) -> None:
        """Raise the error of outputs that become too large."""
        for name in self._collected:
            info = self._infos[name]
            check_size((turns, *info.static_shape), info.dtype)

    def _results(self, values: Mapping[str, np.ndarray], turns: int) -> list[np.ndarray]:
        loop, results = self.loop, []
        for before, after in loop.states:
            if after == before:
                results.append(values[before])
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


def _size(info: TensorInfo) -> int:
    """Return the bytes of an array for a run, where each element has whole bytes."""
    return math.prod(info.static_shape) * info.dtype.itemsize
