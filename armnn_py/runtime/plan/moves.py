# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Steps of a plan that move tensors between memory of the host and memory of backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native import abi
from armnn_py.runtime.plan.plan_build import (
    find_groups,
    find_lifetimes,
    share_in_place,
)
from armnn_py.runtime.plan.planned import PlannedStep, PlannedTensor
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from armnn_py.network import Layer, OutputSlot
    from armnn_py.runtime.plan.planned import Build
    from armnn_py.tensors import TensorInfo

#: Kernel name in profiles of a step that moves a tensor.
MOVE_NAMES = {
    abi.ARMNN_PLAN_STEP_COPY: "copy",
    abi.ARMNN_PLAN_STEP_IMPORT: "import",
    abi.ARMNN_PLAN_STEP_LEND: "import of output",
    abi.ARMNN_PLAN_STEP_RETURN: "return",
    abi.ARMNN_PLAN_STEP_MAP: "map",
    abi.ARMNN_PLAN_STEP_UNMAP: "unmap",
}

#: Inputs and outputs of the run.
CALLERS = (abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT)

#: Steps that are executed by the backend whose memory is read.
SOURCE_MOVES = (
    abi.ARMNN_PLAN_STEP_RETURN,
    abi.ARMNN_PLAN_STEP_MAP,
    abi.ARMNN_PLAN_STEP_UNMAP,
)


class PlannedHandle(Struct, frozen=True):
    """A tensor handle that each execution context makes.

    A ``managed`` handle lives from step ``first`` to ``last`` in the pools of a memory manager. A
    handle with a ``parent``, the number of another, is a sub-tensor of that: at ``origin``, or, if
    that is None, all of it under another shape. It is not managed itself.
    """

    factory: str
    info: TensorInfo
    managed: bool
    first: int
    last: int
    parent: int | None = None
    origin: tuple[int, ...] | None = None


def add_tensor(build: Build, slot: OutputSlot, memory: Mapping[tuple[int, int], str]) -> None:
    """Number the tensor of a slot that is neither bound by the caller nor constant."""
    layer = slot.layer
    imports = layer.type == LayerType.MEM_IMPORT
    factory = memory.get((layer.guid, slot.index), "")
    if factory:
        tensor = PlannedTensor(abi.ARMNN_PLAN_TENSOR_HANDLE, slot.info.byte_size)
        tensor.info, tensor.factory, tensor.managed = slot.info, factory, not imports
    else:
        kind = abi.ARMNN_PLAN_TENSOR_MAPPED if imports else abi.ARMNN_PLAN_TENSOR_ARENA
        tensor = PlannedTensor(kind, slot.info.byte_size)
    build.number_of[slot] = build.add(tensor)


def make_place(info: TensorInfo, factory: str) -> PlannedTensor:
    """Make one of the two places of a variable, in memory of a factory or, if empty, the host."""
    handle, host = abi.ARMNN_PLAN_TENSOR_HANDLE, abi.ARMNN_PLAN_TENSOR_VARIABLE
    tensor = PlannedTensor(handle if factory else host, info.byte_size, stays=True)
    if factory:
        tensor.info, tensor.factory, tensor.managed = info, factory, True
    return tensor


def lend_output(build: Build, slot: OutputSlot, factory: str, index: int) -> None:
    """Let the handle of ``slot`` import the caller's buffer of output ``index``."""
    tensor = PlannedTensor(abi.ARMNN_PLAN_TENSOR_HANDLE, slot.info.byte_size)
    tensor.info, tensor.factory, tensor.managed = slot.info, factory, False
    build.number_of[slot] = handle = build.add(tensor)
    target = build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, slot.info.byte_size, index))
    build.lent[index] = target
    build.steps.append(PlannedStep([], [handle, target], slot.layer, kind=abi.ARMNN_PLAN_STEP_LEND))


def add_move(build: Build, layer: Layer) -> None:
    """Add the steps of a MemCopy or MemImport layer.

    A handle is mapped once for all readers that import its memory, and unmapped after the last.
    """
    assert layer.inputs[0] is not None
    source = build.number_of[layer.inputs[0]]
    target = build.number_of[layer.outputs[0]]
    from_handle = build.tensors[source].kind == abi.ARMNN_PLAN_TENSOR_HANDLE
    to_handle = build.tensors[target].kind == abi.ARMNN_PLAN_TENSOR_HANDLE
    if layer.type == LayerType.MEM_COPY:
        build.steps.append(PlannedStep([source], [target], layer))
        return
    if from_handle:
        opened = build.mapped.get(source)
        if opened is None:
            opened = target
            if to_handle:
                size = build.tensors[source].size
                opened = build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_MAPPED, size))
            build.steps.append(PlannedStep([source], [opened], layer, kind=abi.ARMNN_PLAN_STEP_MAP))
            build.mapped[source] = opened
        elif not to_handle:
            build.number_of[layer.outputs[0]] = opened
        source = opened
    if to_handle:
        build.steps.append(PlannedStep([source], [target], layer, kind=abi.ARMNN_PLAN_STEP_IMPORT))


def uses_callers_memory(tensors: Sequence[PlannedTensor], step: PlannedStep) -> bool:
    """Whether a step lets a handle import an input or output of the run."""
    if step.kind == abi.ARMNN_PLAN_STEP_LEND:
        return True
    if step.kind != abi.ARMNN_PLAN_STEP_IMPORT:
        return False
    return tensors[step.inputs[0]].location[0].kind == abi.ARMNN_PLAN_TENSOR_INPUT


def may_import(tensors: Sequence[PlannedTensor], step: PlannedStep) -> bool:
    """Whether the handle of a copy from or to the run's caller is used by no other tensor.

    Such a handle may import the caller's memory for the run, if that has a descriptor.
    """
    source, target = tensors[step.inputs[0]], tensors[step.outputs[0]]
    handle, other = (target, source) if source.kind in CALLERS else (source, target)
    if other.kind not in CALLERS or handle.kind != abi.ARMNN_PLAN_TENSOR_HANDLE:
        return False
    return not any(
        tensor is not handle and tensor.location[0] is handle.location[0] for tensor in tensors
    )


def close_maps(build: Build) -> None:
    """Unmap each mapped handle after the last step that reads it."""
    find_lifetimes(build)
    closing: dict[int, list[PlannedStep]] = {}
    for position, step in enumerate(build.steps):
        if step.kind == abi.ARMNN_PLAN_STEP_MAP:
            last = max(position, build.tensors[step.outputs[0]].last)
            unmap = PlannedStep(step.inputs, [], step.layer, kind=abi.ARMNN_PLAN_STEP_UNMAP)
            closing.setdefault(last, []).append(unmap)
    steps: list[PlannedStep] = []
    for position, step in enumerate(build.steps):
        steps += [step, *closing.get(position, ())]
    build.steps = steps


def number_handles(build: Build, in_place: Collection[str]) -> list[PlannedHandle]:
    """Handles of the plan, in the order of their numbers; call it after `plan_memory`.

    Where the factory is one of ``in_place`` and the kernel allows it, output 0 reuses the handle of
    an input that ends there. Parents come before their children.
    """
    kind = abi.ARMNN_PLAN_TENSOR_HANDLE
    wholes = {id(tensor.parent) for tensor in build.tensors}

    def may_share(source: PlannedTensor, target: PlannedTensor) -> bool:
        return (
            target.managed
            and source.managed
            and not target.stays
            and not source.location[0].stays
            and source.location[0].managed
            and source.factory == target.factory
            and target.factory in in_place
            and source.info == target.info
            # Sub-tensors of sub-tensors were tried only where they are planned.
            and (source.holder.parent is None or id(target) not in wholes)
        )

    share_in_place(build, kind, may_share)
    tensors = [tensor for tensor in build.tensors if tensor.kind == kind]
    planned: list[PlannedHandle] = []
    numbers: dict[int, int] = {}
    lifetimes = {buffer: _lifetime(group) for buffer, group in find_groups(build).items()}

    def number(tensor: PlannedTensor) -> int:
        missing = []
        holder: PlannedTensor | None = tensor.holder
        while holder is not None and id(holder) not in numbers:
            missing.append(holder)
            holder = None if holder.parent is None else holder.parent.holder
        for sub in reversed(missing):
            parent = None if sub.parent is None else numbers[id(sub.parent.holder)]
            numbers[id(sub)] = len(planned)
            planned.append(_plan_handle(sub, parent, *lifetimes[id(sub.location[0])]))
        return numbers[id(tensor.holder)]

    for tensor in tensors:
        tensor.index = number(tensor)
    return planned


def _lifetime(group: list[PlannedTensor]) -> tuple[int, int]:
    """First and last step of all tensors in one buffer: a parent lives as long as its children."""
    first = min((member.first for member in group if member.first >= 0), default=0)
    return first, max(first, *(member.last for member in group))


def _plan_handle(tensor: PlannedTensor, parent: int | None, first: int, last: int) -> PlannedHandle:
    assert tensor.info is not None
    managed = tensor.managed and parent is None
    origin = None if parent is None else tensor.origin
    return PlannedHandle(tensor.factory, tensor.info, managed, first, last, parent, origin)
