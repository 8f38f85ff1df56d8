# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Steps of building a plan: waits, needs of tensors, lifetimes, and the offset of each tensor."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native import abi
from armnn_py.runtime.arrays.buffers import readable_copy
from armnn_py.runtime.plan.memory_plan import UsageRecord, plan_arena
from armnn_py.runtime.plan.overlap import add_fences, begins_of
from armnn_py.runtime.plan.planned import FOREIGN, Build, PlannedStep, PlannedTensor
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Steps whose output takes the memory of the input.
_LENDING = (abi.ARMNN_PLAN_STEP_IMPORT, abi.ARMNN_PLAN_STEP_MAP)


class BuildMemory(Struct, frozen=True):
    """The arena of a build: its size, offsets by usage record, and those of each step's scratch."""

    size: int
    offsets: tuple[int, ...]
    scratch_offsets: tuple[int, ...]


class CallersNeeds(Struct, frozen=True):
    """Alignment of an input's or output's array, and how many bytes behind it may be read."""

    alignment: int = 1
    readable: int = 0


def add_syncs(build: Build) -> None:
    """End each sequence of one backend's steps that may return early with a wait.

    Within a sequence, memory is planned as if each step were done when it returns: the header makes
    backends work in the order of the calls. Backends that make fences go on beside other steps.
    """
    if build.has_fences:
        add_fences(build)
        return
    steps: list[PlannedStep] = []
    for step, following in zip(build.steps, [*build.steps[1:], None], strict=True):
        steps.append(step)
        if step.context is None:
            continue
        if following is None or following.context is not step.context:
            steps.append(PlannedStep([], [], factory=step.factory, context=step.context))
    build.steps = steps


def find_needs(build: Build) -> None:
    """Give each tensor what workloads ask for: the largest alignment, the most readable bytes."""
    for step in build.steps:
        if step.workload is None:
            continue
        needs = step.workload.requirements
        for index, number in enumerate(step.inputs):
            if number != abi.ARMNN_PLAN_NONE:
                tensor = build.tensors[number]
                tensor.alignment = max(tensor.alignment, needs.input_alignment(index))
                tensor.readable = max(tensor.readable, needs.readable_behind_input(index))
        for index, number in enumerate(step.outputs):
            tensor = build.tensors[number]
            tensor.alignment = max(tensor.alignment, needs.output_alignment(index))
            tensor.readable = max(tensor.readable, needs.readable_behind_output(index))
    for tensor in build.tensors:
        root, begin = tensor.location
        if root.kind in FOREIGN:
            root.alignment = max(root.alignment, tensor.alignment)
            root.readable = max(root.readable, begin + tensor.size + tensor.readable - root.size)
    for variable in build.variables:  # either place may be the value
        if variable.next is not None:
            most = max(variable.value.alignment, variable.next.alignment)
            variable.value.alignment = variable.next.alignment = most
    for tensor in build.tensors:
        if tensor.value is not None and (tensor.alignment > ALIGNMENT or tensor.readable):
            alignment = max(tensor.alignment, ALIGNMENT)
            tensor.value = readable_copy(tensor.value, alignment, tensor.readable)


def find_lifetimes(build: Build) -> None:
    """First and last step of each tensor, also of memory that a handle has imported."""
    for tensor in build.tensors:
        tensor.first = tensor.last = -1
        if tensor.stays:
            tensor.first, tensor.last = 0, len(build.steps)
    begins = begins_of(build.steps)
    for position, step in enumerate(build.steps):
        unmaps = step.workload is None and step.kind == abi.ARMNN_PLAN_STEP_UNMAP
        for number in step.inputs if unmaps else step.outputs:  # it writes them
            tensor = build.tensors[number]
            begin = begins[position]
            tensor.first = begin if tensor.first < 0 else min(tensor.first, begin)
            tensor.last = max(tensor.last, position)
        for number in step.inputs:
            if number != abi.ARMNN_PLAN_NONE:
                build.tensors[number].last = max(build.tensors[number].last, position)
    groups = find_groups(build)
    for step in reversed(build.steps):
        if step.workload is None and step.kind in _LENDING:
            source, target = build.tensors[step.inputs[0]], build.tensors[step.outputs[0]]
            # Sub-tensors of the target also read the source's memory.
            group = groups[id(target.location[0])]
            source.last = max(source.last, *(member.last for member in group))
    for group in groups.values():
        root, _ = group[0].location
        if root.kind in FOREIGN:
            root.first = min((member.first for member in group if member.first >= 0), default=-1)
            root.last = max(member.last for member in group)


def find_groups(build: Build) -> dict[int, list[PlannedTensor]]:
    """All tensors that lie in one buffer, by the id of the tensor that is the whole buffer."""
    groups: dict[int, list[PlannedTensor]] = {}
    for tensor in build.tensors:
        groups.setdefault(id(tensor.location[0]), []).append(tensor)
    return groups


def plan_memory(build: Build) -> BuildMemory:
    """Lifetimes, in-place reuse and offsets of tensors and scratch."""
    end = len(build.steps)
    find_lifetimes(build)
    share_in_place(build, abi.ARMNN_PLAN_TENSOR_ARENA, build.keeps_size)
    records: list[UsageRecord] = []
    chains: dict[int, list[PlannedTensor]] = {}
    for tensor in build.tensors:
        if tensor.kind == abi.ARMNN_PLAN_TENSOR_ARENA:
            if not tensor.is_foreign:
                chains.setdefault(id(tensor.location[0]), []).append(tensor)
        elif tensor.kind == abi.ARMNN_PLAN_TENSOR_VARIABLE:
            tensor.record = len(records)
            records.append(UsageRecord(tensor.first, tensor.last, tensor.size, tensor.alignment))
        elif tensor.kind == abi.ARMNN_PLAN_TENSOR_MAPPED:
            # For a copy of mapped memory that cannot be read directly.
            tensor.record = len(records)
            records.append(UsageRecord(tensor.first, tensor.last, tensor.size, tensor.alignment))
        elif tensor.kind in (abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT) and (
            tensor.alignment > 1 or tensor.readable
        ):
            # Staging for a caller's address that is not aligned, or with nothing readable behind
            # it: inputs from the start, outputs to the end of the run.
            is_input = tensor.kind == abi.ARMNN_PLAN_TENSOR_INPUT
            first = 0 if is_input else max(tensor.first, 0)
            last = tensor.last if is_input else end
            tensor.record = len(records)
            records.append(UsageRecord(first, max(last, first), tensor.size, tensor.alignment))
    for chain in chains.values():
        for tensor in chain:
            tensor.record = len(records)
        records.append(
            UsageRecord(
                # A whole that was joined without a step is not written by one.
                min((tensor.first for tensor in chain if tensor.first >= 0), default=-1),
                max(tensor.last for tensor in chain),
                max(tensor.size for tensor in chain),
                max(tensor.alignment for tensor in chain),
            )
        )
    for i, (step, begin) in enumerate(zip(build.steps, begins_of(build.steps), strict=True)):
        if step.workload is None:
            records.append(UsageRecord(begin, i, staging_size(build.tensors, step)))
        else:
            need = step.workload.requirements
            records.append(UsageRecord(begin, i, need.scratch_size, need.scratch_alignment))
    plan = plan_arena(records)
    # Whatever lies behind a tensor may be read: other tensors do, and at the end some bytes more.
    size = plan.size
    for tensor in build.tensors:
        if tensor.readable and tensor.record >= 0:
            begin = plan.offsets[tensor.record] + tensor.location[1]
            size = max(size, begin + tensor.size + tensor.readable)
    return BuildMemory(size, plan.offsets, plan.offsets[len(records) - len(build.steps) :])


def staging_size(tensors: Sequence[PlannedTensor], step: PlannedStep) -> int:
    """Bytes for a copy between two backends neither of which can be mapped as dense memory."""
    if step.workload is not None or step.is_sync or step.kind != abi.ARMNN_PLAN_STEP_COPY:
        return 0
    source, target = tensors[step.inputs[0]], tensors[step.outputs[0]]
    handle = abi.ARMNN_PLAN_TENSOR_HANDLE
    return source.size if source.kind == handle and target.kind == handle else 0


def share_in_place(
    build: Build, kind: int, may_share: Callable[[PlannedTensor, PlannedTensor], bool]
) -> None:
    """Let outputs of steps take over the memory of inputs that die there, if kernels allow it.

    Parameters
    ----------
    build
        With lifetimes and sub-tensors.
    kind
        Kind of the tensors: an ``ARMNN_PLAN_TENSOR_`` value.
    may_share
        Called with input and output if everything else allows it.
    """
    if all(tensor.kind != kind for tensor in build.tensors):
        return

    neighbours = {buffer: Neighbours(group) for buffer, group in find_groups(build).items()}
    for position, step in enumerate(build.steps):
        if step.workload is None:
            continue
        for output, made in enumerate(step.outputs):
            target = build.tensors[made]
            if target.kind != kind or target.parent is not None:
                continue  # it is a sub-tensor already
            for index, number in enumerate(step.inputs):
                if not step.workload.requirements.may_be_in_place(output, index):
                    continue
                if number == abi.ARMNN_PLAN_NONE or step.inputs.count(number) > 1:
                    continue
                source = build.tensors[number]
                if (
                    source.kind == kind
                    and source.last == position
                    and target.first == position  # else a row of another queue may use it
                    and source.size == target.size
                    and may_share(source, target)
                    and _can_be_overwritten(source, target, position, neighbours)
                ):
                    root, offset = source.location
                    neighbours[id(root)].take_in(neighbours.pop(id(target)), offset)
                    target.shares = source.holder
                    break


def _can_be_overwritten(
    source: PlannedTensor,
    target: PlannedTensor,
    position: int,
    neighbours: dict[int, Neighbours],
) -> bool:
    """Whether no later step needs the bytes of ``source``, and they suit ``target``."""
    root, offset = source.location
    if root.kind != source.kind or root is target:
        return False
    if neighbours[id(root)].are_in_use(offset, offset + source.size, position, besides=source):
        return False
    return offset % max(neighbours[id(target)].alignment, ALIGNMENT) == 0


def callers_needs(build: Build, kind: int) -> dict[int, CallersNeeds]:
    """Zero-copy requirements on callers' arrays, by index of input or output."""
    return {
        tensor.index: CallersNeeds(tensor.alignment, tensor.readable)
        for tensor in build.tensors
        if tensor.kind == kind
    }


class Neighbours:
    """The tensors of one buffer.

    Tensors that no step needs any more are dropped as they are met: a chain of layers that work in
    place has as many tensors in one buffer as it has layers.

    Parameters
    ----------
    tensors
        All that lie in the buffer, with lifetimes; see `find_groups`.

    Attributes
    ----------
    alignment
        The largest alignment that one of them has.
    """

    __slots__ = ("_by_size", "alignment")

    def __init__(self, tensors: Sequence[PlannedTensor]) -> None:
        #: By bits of the size: begin, id, tensor; in the order of the begins.
        self._by_size: dict[int, list[tuple[int, int, PlannedTensor]]] = {}
        self.alignment = max(tensor.alignment for tensor in tensors)
        for tensor in tensors:
            self._insert(tensor.location[1], tensor)

    def take_in(self, others: Neighbours, offset: int) -> None:
        """Add the tensors of another buffer, which now begins ``offset`` bytes into this one."""
        for entries in others._by_size.values():
            for begin, _, tensor in entries:
                self._insert(offset + begin, tensor)

    def _insert(self, begin: int, tensor: PlannedTensor) -> None:
        insort(self._by_size.setdefault(tensor.size.bit_length(), []), (begin, id(tensor), tensor))

    def are_in_use(self, begin: int, end: int, position: int, *, besides: PlannedTensor) -> bool:
        """Whether a step from ``position`` on needs a tensor that has some of these bytes.

        Call it for positions in order. ``besides`` is not checked.
        """
        for bits, entries in self._by_size.items():
            index = bisect_left(entries, (end,))  # tensors before it begin before the end
            while index:
                index -= 1
                start, _, tensor = entries[index]
                if start + (1 << bits) <= begin:
                    break  # it ends before the begin, and so do all before it
                if tensor is besides:
                    continue
                if tensor.last < position:
                    del entries[index]
                elif begin < start + tensor.size:
                    return True
        return False
