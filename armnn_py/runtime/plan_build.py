# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Steps of building a plan: waits, alignments, lifetimes, and the offset of each tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py.records import record
from armnn_py.runtime.memory_plan import UsageRecord, plan_arena
from armnn_py.runtime.neighbours import Neighbours
from armnn_py.runtime.planned import FOREIGN, Build, PlannedStep, PlannedTensor
from armnn_py.tensors.memory import ALIGNMENT, aligned_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = [
    "BuildMemory",
    "add_syncs",
    "find_alignments",
    "find_groups",
    "find_lifetimes",
    "output_alignments",
    "plan_memory",
    "share_in_place",
    "staging_size",
]

#: Steps after which memory of the input is that of the output, too.
_LENDING = (abi.ARMNN_PLAN_STEP_IMPORT, abi.ARMNN_PLAN_STEP_MAP)


@record
class BuildMemory:
    """The arena of a build: its size, offsets by usage record, and those of each step's scratch."""

    size: int
    offsets: tuple[int, ...]
    scratch_offsets: tuple[int, ...]


def add_syncs(build: Build) -> None:
    """End each sequence of one backend's steps that may return early with a wait.

    Within a sequence, memory is planned as if each step were done when it returns: the header makes
    backends work in the order of the calls.
    """
    steps: list[PlannedStep] = []
    for step, following in zip(build.steps, [*build.steps[1:], None], strict=True):
        steps.append(step)
        if step.context is None:
            continue
        if following is None or following.context is not step.context:
            steps.append(PlannedStep([], [], factory=step.factory, context=step.context))
    build.steps = steps


def find_alignments(build: Build) -> None:
    """Give each tensor the largest alignment that a workload asks for."""
    for step in build.steps:
        if step.workload is None:
            continue
        wanted = step.workload.requirements.tensor_alignment
        for number in (*step.inputs, *step.outputs):
            if number != abi.ARMNN_PLAN_NONE:
                tensor = build.tensors[number]
                tensor.alignment = max(tensor.alignment, wanted)
    for tensor in build.tensors:
        root, _ = tensor.location
        if root.kind in FOREIGN:
            root.alignment = max(root.alignment, tensor.alignment)
    for tensor in build.tensors:
        if tensor.value is not None and tensor.alignment > ALIGNMENT:
            tensor.value = aligned_copy(tensor.value, tensor.alignment)


def find_lifetimes(build: Build) -> None:
    """First and last step of each tensor, also of memory that a handle has imported."""
    for tensor in build.tensors:
        tensor.first = tensor.last = -1
    for position, step in enumerate(build.steps):
        for number in step.outputs:
            tensor = build.tensors[number]
            tensor.first = position if tensor.first < 0 else tensor.first
            tensor.last = position
        for number in step.inputs:
            if number != abi.ARMNN_PLAN_NONE:
                build.tensors[number].last = position
    groups = find_groups(build)
    for step in reversed(build.steps):
        if step.workload is None and step.kind in _LENDING:
            source, target = build.tensors[step.inputs[0]], build.tensors[step.outputs[0]]
            # Sub-tensors of the target read the source's memory, too.
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
        elif tensor.kind == abi.ARMNN_PLAN_TENSOR_MAPPED:
            # For a copy of mapped memory that cannot be read directly.
            tensor.record = len(records)
            records.append(UsageRecord(tensor.first, tensor.last, tensor.size, tensor.alignment))
        elif (
            tensor.kind in (abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT)
            and tensor.alignment > 1
        ):
            # Staging for a caller's address that is not aligned: inputs from the start, outputs
            # to the end of the run.
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
    for i, step in enumerate(build.steps):
        if step.workload is None:
            records.append(UsageRecord(i, i, staging_size(build.tensors, step)))
        else:
            need = step.workload.requirements
            records.append(UsageRecord(i, i, need.scratch_size, need.scratch_alignment))
    plan = plan_arena(records)
    return BuildMemory(plan.size, plan.offsets, plan.offsets[len(records) - len(build.steps) :])


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
    """Let output 0 of steps take over the memory of inputs that die there, if kernels allow it.

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
        if step.workload is None or not step.outputs:
            continue
        target = build.tensors[step.outputs[0]]
        if target.kind != kind or target.parent is not None:
            continue  # it is a sub-tensor already
        for index, number in enumerate(step.inputs):
            if not (step.workload.requirements.in_place_mask >> index) & 1:
                continue
            if number == abi.ARMNN_PLAN_NONE or step.inputs.count(number) > 1:
                continue
            source = build.tensors[number]
            if (
                source.kind == kind
                and source.last == position
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


def output_alignments(build: Build) -> dict[int, int]:
    """Alignment by index of output that a new array needs so that nothing is copied."""
    return {
        tensor.index: tensor.alignment
        for tensor in build.tensors
        if tensor.kind == abi.ARMNN_PLAN_TENSOR_OUTPUT
    }
