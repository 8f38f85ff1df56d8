# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One run of prepared workloads, each tensor in pages of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from msgspec import Struct

from armnn_py._native.memory.guarded_memory import Region
from armnn_py._native.table.direct_execution import DirectCall
from armnn_py.guard.outcome import AnsweredError, CheckFailedError
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from armnn_py._native.memory.guarded_memory import Place
    from armnn_py._native.table.workloads import NativeWorkload
    from armnn_py.network import Network, OutputSlot


class Layout(Struct, frozen=True):
    """How one execute gets its memory.

    Attributes
    ----------
    place
        Where each tensor lies in pages of its own.
    poison
        The byte that fills outputs and scratch before.
    read_only
        Whether the inputs are write-protected.
    checked
        Whether what lies beside each tensor, and the inputs, must be as they were.
    in_place
        The input whose memory an output of the only step takes, and that output; or None.
    """

    place: Place = "middle"
    poison: int = 0xCB
    read_only: bool = False
    checked: bool = False
    in_place: tuple[int, int] | None = None


class Step:
    """One workload and where its operands are."""

    def __init__(
        self, workload: NativeWorkload, inputs: list[OutputSlot | None], outputs: list[OutputSlot]
    ) -> None:
        self.workload, self.inputs, self.outputs = workload, inputs, outputs


class PreparedSteps(Protocol):
    """The parts of a run: prepared workloads, in order, and the values that they know."""

    @property
    def network(self) -> Network:
        """The network of the steps."""

    @property
    def steps(self) -> list[Step]:
        """Its workloads in the order of execution."""

    @property
    def workload_data(self) -> int | None:
        """Data of the only workload, if the caller has made it; None: each call makes its own."""

    @property
    def constants(self) -> dict[OutputSlot, NDArray[Any]]:
        """Values of constant layers."""

    def one_run(self, *, own_data: bool) -> AbstractContextManager[int | None]:
        """Tell the backend that a run begins, and that it ended."""


def in_place_offers(prepared: PreparedSteps) -> list[tuple[int, int]]:
    """Return the inputs whose memory the only step offers to take, each with its output."""
    if len(prepared.steps) != 1:
        return []
    (step,) = prepared.steps
    needs = step.workload.requirements
    return [
        (index, number)
        for number, output in enumerate(step.outputs)
        for index, slot in enumerate(step.inputs)
        if needs.may_be_in_place(number, index)
        and slot is not None
        and slot not in prepared.constants
        and slot.info.byte_size == output.info.byte_size
    ]


class Run:
    """The memory of one run: each tensor, and the scratch of each step, in pages of its own."""

    def __init__(self, prepared: PreparedSteps, layout: Layout) -> None:
        self._prepared, self._layout = prepared, layout
        alignments: dict[OutputSlot, int] = {}
        readable: dict[OutputSlot, int] = {}

        def ask(slot: OutputSlot | None, alignment: int, behind: int) -> None:
            if slot is not None:
                own = max(slot.info.dtype.itemsize, 1)
                alignments[slot] = max(alignments.get(slot, own), alignment)
                readable[slot] = max(readable.get(slot, 0), behind)

        for step in prepared.steps:
            needs = step.workload.requirements
            for index, slot in enumerate(step.inputs):
                ask(slot, needs.input_alignment(index), needs.readable_behind_input(index))
            for index, slot in enumerate(step.outputs):
                ask(slot, needs.output_alignment(index), needs.readable_behind_output(index))
            if layout.in_place is not None:
                index, output = layout.in_place
                ask(
                    step.inputs[index],
                    needs.output_alignment(output),
                    needs.readable_behind_output(output),
                )
        self.regions = {
            slot: Region(
                slot.info.byte_size, alignment, layout.place, layout.poison, readable[slot]
            )
            for slot, alignment in alignments.items()
        }
        self._taken: OutputSlot | None = None
        if layout.in_place is not None:
            (step,) = prepared.steps
            index, output = layout.in_place
            self._taken = step.inputs[index]
            assert self._taken is not None
            self.regions[step.outputs[output]] = self.regions[self._taken]
        self.scratch = [self._scratch_of(step) for step in prepared.steps]
        self.persistent = [self._persistent_of(step) for step in prepared.steps]
        self._zero_persistent()
        self._views = {
            slot: region.view(slot.info.dtype, slot.info.static_shape)
            for slot, region in self.regions.items()
        }
        self._inputs = {
            layer.name: layer.outputs[0]
            for layer in prepared.network.layers
            if layer.type is LayerType.INPUT
        }
        self._calls: list[DirectCall] | None = None
        self._data: int | None = None
        self._is_used = False

    @property
    def all_regions(self) -> list[Region]:
        """Everything that was taken."""
        others = [region for region in (*self.scratch, *self.persistent) if region is not None]
        return [*self.regions.values(), *others]

    def _scratch_of(self, step: Step) -> Region | None:
        needs = step.workload.requirements
        if not needs.scratch_size:
            return None
        layout = self._layout
        return Region(needs.scratch_size, needs.scratch_alignment, layout.place, layout.poison)

    def _persistent_of(self, step: Step) -> Region | None:
        size = step.workload.requirements.persistent_size
        if not size:
            return None
        return Region(size, 64, self._layout.place, self._layout.poison)

    def _zero_persistent(self) -> None:
        for region in self.persistent:
            if region is not None:
                region.view(np.dtype(np.uint8), (region.size,))[:] = 0

    def _renew(self) -> None:
        """Leave nothing of the time before."""
        for region in self.all_regions:
            region.fill()
        self._zero_persistent()

    def through(
        self,
        given: dict[str, NDArray[Any] | None],
        *,
        own_data: bool,
        kept: NDArray[np.uint8] | None = None,
    ) -> list[NDArray[Any]]:
        """Fill in what is known, execute each step, and look at what it left.

        ``kept`` are persistent bytes of the only step, before and after; None: zeros.
        """
        if self._is_used:
            self._renew()
        state = None
        if kept is not None and self.persistent[0] is not None:
            state = self.persistent[0].view(kept.dtype, kept.shape)
            state[:] = kept
        self._is_used = True
        prepared, views = self._prepared, self._views
        known: dict[OutputSlot, NDArray[Any]] = dict(prepared.constants)
        for name, slot in self._inputs.items():
            value = given.get(name)
            if value is not None:
                known[slot] = value
        for slot, value in known.items():
            if slot in views:
                views[slot][...] = value
        with prepared.one_run(own_data=own_data) as data:
            self._execute_all(data)
        if kept is not None and state is not None:
            kept[:] = state
        for slot, value in known.items():
            if not self._layout.checked or slot not in views or slot is self._taken:
                continue
            if views[slot].tobytes() != value.tobytes():
                raise CheckFailedError("an input was written to", before=value)
        found = []
        for layer in prepared.network.output_layers:
            source = layer.inputs[0]
            assert source is not None
            found.append(np.array(known[source] if source in known else views[source]))
        return found

    def repeat(self, count: int, data: int | None) -> None:
        """Execute each step so many times more, over what the tensors hold.

        Raises
        ------
        CheckFailedError
            A step fails.
        """
        for call in self._calls_of(data):
            _raise_for(*call.repeat(count))

    def _execute_all(self, data: int | None) -> None:
        memory = zip(
            self._prepared.steps, self.scratch, self.persistent, self._calls_of(data), strict=True
        )
        for step, scratch, persistent, call in memory:
            self._execute(step, scratch, persistent, call)

    def _calls_of(self, data: int | None) -> list[DirectCall]:
        if self._calls is None or self._data != data:
            self._calls, self._data = self._calls_with(data), data
        return self._calls

    def _calls_with(self, data: int | None) -> list[DirectCall]:
        def address(region: Region | None) -> int | None:
            return None if region is None else region.address

        memory = zip(self._prepared.steps, self.scratch, self.persistent, strict=True)
        return [
            DirectCall(
                step.workload,
                [None if slot is None else self.regions[slot].address for slot in step.inputs],
                [self.regions[slot].address for slot in step.outputs],
                address(scratch),
                data,
                address(persistent),
                workload_data=self._prepared.workload_data,
            )
            for step, scratch, persistent in memory
        ]

    def _execute(
        self, step: Step, scratch: Region | None, persistent: Region | None, call: DirectCall
    ) -> None:
        read_only: list[Region] = []
        if self._layout.read_only:
            read_only = [self.regions[slot] for slot in step.inputs if slot is not None]
        for region in read_only:
            region.allow(read=True, write=False)
        status, text = call()
        for region in read_only:
            region.allow(read=True, write=True)
        _raise_for(status, text)
        if not self._layout.checked:
            return
        named: list[tuple[str, Region | None]] = [
            *(
                (f"input {index}", None if slot is None else self.regions[slot])
                for index, slot in enumerate(step.inputs)
            ),
            *((f"output {index}", self.regions[slot]) for index, slot in enumerate(step.outputs)),
            ("the scratch", scratch),
            ("the persistent bytes", persistent),
        ]
        for name, place in named:
            where = place.damage() if place is not None else ""
            if where:
                raise CheckFailedError(f"execute wrote beside {name}, {where}")


def _raise_for(status: int, text: str) -> None:
    if status != 0:
        raise AnsweredError(f"execute answered {status}: {text or 'no reason given'}")
