# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays of callers: what those must be like that are used without a copy, and fresh ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from armnn_py._native import abi
from armnn_py.errors import OutOfMemoryError
from armnn_py.runtime.arrays.buffers import check_in_place, make_room
from armnn_py.runtime.arrays.shared_outputs import SharedOutputs
from armnn_py.runtime.plan.plan_build import CallersNeeds
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np

    from armnn_py.runtime.arrays.buffers import Room
    from armnn_py.runtime.arrays.shared_outputs import ViewToken
    from armnn_py.runtime.plan.network_plan import NetworkPlan
    from armnn_py.tensors import TensorInfo

__all__ = ["CallersArrays"]

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
