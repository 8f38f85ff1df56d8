# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The short way from the arguments of a run to addresses: plain arrays of the right kind.

Nearly every run is given these. They are checked in one pass, which writes addresses as it
goes and copies nothing. Whatever else is given is left to `Binder`, which copies, takes other
objects, and has the words for errors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armnn_py._native import abi
from armnn_py._native.memory.addresses import address_of_buffer, buffer_over
from armnn_py.errors import OutOfMemoryError
from armnn_py.runtime.arrays.buffers import check_in_place, make_room
from armnn_py.runtime.arrays.shared_outputs import SharedOutputs
from armnn_py.runtime.plan.plan_build import CallersNeeds
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from armnn_py._native.plans.context import NativeContext
    from armnn_py.runtime.arrays.buffers import Room
    from armnn_py.runtime.arrays.shared_outputs import ViewToken
    from armnn_py.runtime.plan.network_plan import NetworkPlan
    from armnn_py.tensors import TensorInfo

_ndarray = np.ndarray


class PlainArrays:
    """Writes the addresses of arrays into a native context, for inputs of one set of shapes.

    Parameters
    ----------
    native
        The context.
    inputs
        Name and info of each, in the network's order.
    outputs
        The same, and what makes its fresh arrays.
    """

    __slots__ = ("_inputs", "_names", "_native", "_outputs", "_sizes")

    def __init__(
        self,
        native: NativeContext,
        inputs: Iterable[tuple[str, TensorInfo]],
        outputs: Iterable[tuple[str, TensorInfo, Room]],
    ) -> None:
        self._native = native
        self._inputs = [(i, name, *_kind(info)) for i, (name, info) in enumerate(inputs)]
        self._outputs = [
            (i, name, *_kind(info), room) for i, (name, info, room) in enumerate(outputs)
        ]
        self._sizes = [(item[0], item[4]) for item in self._inputs if item[4]]
        self._names = [item[1] for item in self._inputs]

    def set_inputs(self, inputs: Any) -> list[np.ndarray] | None:
        """Use these inputs of a run; return what has to be kept until its end.

        None: they are not all plain, and nothing may be run.
        """
        named = inputs if type(inputs) is dict else self._by_name(inputs)
        items = self._inputs
        if named is None or len(named) != len(items):
            return None
        addresses = self._native.inputs
        kept = []
        for index, name, dtype, shape, _ in items:
            value = named.get(name)
            if (
                type(value) is not _ndarray
                or (value.dtype is not dtype and value.dtype != dtype)
                or value.shape != shape
                or not (flags := value.flags).c_contiguous
                or not flags.aligned
            ):
                return None
            try:
                addresses[index] = address_of_buffer(buffer_over(value))
            except (TypeError, ValueError):  # read-only, or without elements
                addresses[index] = value.ctypes.data
            kept.append(value)
        return kept

    def set_outputs(self, out: dict[str, Any] | None) -> dict[str, np.ndarray] | None:
        """Use these arrays for outputs and fresh ones for the others; return all by name.

        It comes after `set_inputs`. None: one is not plain, or has memory in common with another or
        with an input; nothing may be run.

        Raises
        ------
        MemoryError
            No memory is left for a fresh array.
        """
        addresses = self._native.outputs
        made: dict[str, np.ndarray] = {}
        if out is None:
            for index, name, _, _, _, room in self._outputs:
                made[name], addresses[index] = room.take()
            return made
        given = self._native.inputs
        count = len(out)
        spans: list[tuple[int, int]] = []
        for index, name, dtype, shape, size, room in self._outputs:
            value = out.get(name)
            if value is None:
                made[name], addresses[index] = room.take()
                continue
            if (
                type(value) is not _ndarray
                or (value.dtype is not dtype and value.dtype != dtype)
                or value.shape != shape
                or not value.flags.aligned
            ):
                return None
            try:
                begin = address_of_buffer(buffer_over(value))
            except (TypeError, ValueError):
                return None
            end = begin + size
            for number, other_size in self._sizes:
                other = given[number] or 0
                if begin < other + other_size and other < end:
                    return None
            if spans or count > 1:
                for other, other_end in spans:
                    if begin < other_end and other < end:
                        return None
                spans.append((begin, end))
            addresses[index] = begin
            made[name] = value
            count -= 1
        return None if count else made

    def _by_name(self, inputs: Any) -> dict[str, Any] | None:
        """The same inputs by name."""
        names = self._names
        if type(inputs) is _ndarray and len(names) == 1:
            return {names[0]: inputs}
        if type(inputs) in (list, tuple) and len(inputs) == len(names):
            return dict(zip(names, inputs, strict=True))
        return None


def _kind(info: TensorInfo) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """Dtype, shape and bytes of a tensor."""
    dtype, shape = info.dtype, info.static_shape
    return dtype, shape, dtype.itemsize * math.prod(shape)


_NO_NEEDS = CallersNeeds()


class CallersArrays:
    """The arrays that one context works over.

    Attributes
    ----------
    outputs
        Of each output in order: its name, what its array needs, and what makes a fresh one.
    """

    __slots__ = ("_plan", "_shared", "outputs")

    def __init__(self, plan: NetworkPlan) -> None:
        self._plan = plan
        self._shared = SharedOutputs()
        self.outputs: list[tuple[str, CallersNeeds, Room]] = []
        self.set_outputs(plan.network.outputs.values())

    def set_outputs(self, infos: Iterable[TensorInfo]) -> None:
        """Make fresh arrays of these shapes from now on."""
        names, needs_of = self._plan.network.outputs, self._plan.output_needs
        made = []
        for index, (name, info) in enumerate(zip(names, infos, strict=True)):
            needs = needs_of.get(index, _NO_NEEDS)
            alignment = max(ALIGNMENT, needs.alignment)
            room = make_room(info.static_shape, info.dtype, alignment, needs.readable)
            made.append((name, needs, room))
        self.outputs = made
        self._shared.clear()

    def check_inputs(self, arrays: Sequence[np.ndarray]) -> None:
        """Raise `InvalidArgumentError` unless the arrays can be used without a copy."""
        for index, (name, array) in enumerate(zip(self._plan.network.inputs, arrays, strict=True)):
            needs = self._plan.input_needs.get(index, _NO_NEEDS)
            check_in_place("input", name, array, needs.alignment, needs.readable)

    def check_outputs(self, arrays: Mapping[str, np.ndarray]) -> None:
        """As `check_inputs` for arrays that outputs are written into."""
        for name, needs, _ in self.outputs:
            if name in arrays:
                check_in_place("output", name, arrays[name], needs.alignment, needs.readable)

    def fresh_inputs(self) -> list[np.ndarray]:
        """Arrays for the inputs, filled with zeros."""
        arrays = []
        for index, info in enumerate(self._plan.network.inputs.values()):
            needs = self._plan.input_needs.get(index, _NO_NEEDS)
            alignment = max(ALIGNMENT, needs.alignment)
            room = make_room(info.static_shape, info.dtype, alignment, needs.readable)
            arrays.append(room.take()[0])
            arrays[-1].fill(0)
        return arrays

    def fresh_outputs(self, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Arrays for the outputs in order: those given, and fresh ones."""
        outputs = {}
        for name, _, room in self.outputs:
            try:
                outputs[name] = given[name] if name in given else room.take()[0]
            except MemoryError as error:
                self.raise_no_memory(name, room, error)
        return outputs

    def lend(self) -> tuple[dict[str, np.ndarray], ViewToken]:
        """Arrays for the outputs of a run, in memory that is used again when the token is gone."""
        return self._shared.take(lambda: self.fresh_outputs({}))

    def raise_no_memory(self, name: str, room: Room, error: MemoryError) -> NoReturn:
        """Raise `OutOfMemoryError` for a fresh array of this output."""
        raise OutOfMemoryError(
            f"output '{name}' of network '{self._plan.network.name}': out of memory",
            status=abi.ARMNN_STATUS_OUT_OF_MEMORY,
            details=[f"{room.size} bytes were asked for"],
        ) from error
