# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which outputs of a plan may be written into the array of an input.

A program that generates text has one array for the cache that goes into the network and comes out
of it with a row more. That is right if nothing reads the input after the output was written first.
One step may do both: if its backend says that this output may be the memory of that input, or if
it is a copy of the host, which has nothing to do then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from armnn_py.runtime.plan.planned import Build, PlannedStep, PlannedTensor

__all__ = ["InPlace", "find_in_place"]

_INPUT, _OUTPUT = abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT


@dataclass(frozen=True, slots=True)
class InPlace:
    """The pairs of an input and an output, by index, that may be one array of the caller.

    Found when asked: a network of thousands of inputs and outputs has millions of pairs.
    """

    input_sizes: dict[int, int] = field(default_factory=dict)
    """Size in bytes of each input that may share its array, by index."""
    output_sizes: dict[int, int] = field(default_factory=dict)
    last_read: dict[int, int] = field(default_factory=dict)
    """Position of the last step that reads an input."""
    first_written: dict[int, int] = field(default_factory=dict)
    same_step: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of which one step may read the input and write the output."""

    def __contains__(self, pair: object) -> bool:
        """Whether an input and an output may be one array."""
        assert isinstance(pair, tuple)
        index, output = pair
        size, write = self.input_sizes.get(index), self.first_written.get(output)
        if size is None or write is None or self.output_sizes.get(output) != size:
            return False
        read = self.last_read.get(index, -1)
        return read < write or (read == write and pair in self.same_step)


def find_in_place(build: Build) -> InPlace:
    """Find out when each input is last read, and each output first written."""
    found = InPlace()
    if build.has_fences:
        return found  # steps of queues go on beside those behind them
    unsure: set[int] = set()  # tensors of the caller that steps use beyond their end
    for position, step in enumerate(build.steps):
        read = _callers_tensors(build, step.inputs, _INPUT)
        written = _callers_tensors(build, step.outputs, _OUTPUT)
        for tensor in read:
            found.last_read[tensor.index] = position
        for tensor in written:
            found.first_written.setdefault(tensor.index, position)
        if not _ends_in_time(build, step):
            unsure.update(id(tensor) for tensor in (*read, *written))
    for position in {*found.last_read.values()} & {*found.first_written.values()}:
        found.same_step.update(_pairs_of(build, build.steps[position]))
    sizes = {_INPUT: found.input_sizes, _OUTPUT: found.output_sizes}
    for tensor in build.tensors:
        if tensor.kind in sizes and id(tensor) not in unsure:
            sizes[tensor.kind][tensor.index] = tensor.size
    return found


def _callers_tensors(build: Build, numbers: Sequence[int], kind: int) -> list[PlannedTensor]:
    """The inputs or outputs of the network in whose memory these tensors lie."""
    roots = [build.tensors[n].location[0] for n in numbers if n != abi.ARMNN_PLAN_NONE]
    return [root for root in roots if root.kind == kind]


def _ends_in_time(build: Build, step: PlannedStep) -> bool:
    """Whether what a step does with memory of the host is done when the next one begins."""
    if step.workload is not None:
        return step.context is None
    if step.is_sync:
        return True
    numbers = (*step.inputs, *step.outputs)
    return step.kind == abi.ARMNN_PLAN_STEP_COPY and all(
        build.tensors[number].kind != abi.ARMNN_PLAN_TENSOR_HANDLE for number in numbers
    )


def _pairs_of(build: Build, step: PlannedStep) -> Iterator[tuple[int, int]]:
    """The inputs that a step may read whole, once, while it writes an output in their place."""
    sources = _places(build, step.inputs, _INPUT)
    if step.workload is not None:  # masks of requirements are of 64 bits
        sources = {index: place for index, place in sources.items() if place < 64}
    for output, target in _places(build, step.outputs, _OUTPUT).items():
        for index, source in sources.items():
            if step.workload is None or step.workload.requirements.may_be_in_place(target, source):
                yield index, output


def _places(build: Build, numbers: Sequence[int], kind: int) -> dict[int, int]:
    """Where a step has inputs or outputs of the network whole and once, by their index."""
    found: dict[int, int | None] = {}
    for place, number in enumerate(numbers):
        if number == abi.ARMNN_PLAN_NONE:
            continue
        tensor = build.tensors[number]
        root, _ = tensor.location
        if root.kind == kind:
            is_whole = root is tensor and root.index not in found
            found[root.index] = place if is_whole else None
    return {index: place for index, place in found.items() if place is not None}
