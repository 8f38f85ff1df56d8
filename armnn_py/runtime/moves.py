# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Steps of a plan that move tensors between memory of the host and memory of backends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py.runtime.plan_build import PlannedStep, PlannedTensor, find_lifetimes
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from armnn_py.network import Layer, OutputSlot
    from armnn_py.runtime.plan_build import Build
    from armnn_py.tensors import TensorInfo

__all__ = [
    "MOVE_LAYERS",
    "MOVE_NAMES",
    "PlannedHandle",
    "add_move",
    "add_tensor",
    "close_maps",
    "lend_output",
    "number_handles",
]

#: Layers that the host executes by moving a tensor.
MOVE_LAYERS = frozenset({LayerType.MEM_COPY, LayerType.MEM_IMPORT})

#: What profiles call the kernel of a step that moves a tensor.
MOVE_NAMES = {
    abi.ARMNN_PLAN_STEP_COPY: "copy",
    abi.ARMNN_PLAN_STEP_IMPORT: "import",
    abi.ARMNN_PLAN_STEP_LEND: "import of output",
    abi.ARMNN_PLAN_STEP_RETURN: "return",
    abi.ARMNN_PLAN_STEP_MAP: "map",
    abi.ARMNN_PLAN_STEP_UNMAP: "unmap",
}


@dataclass(frozen=True, slots=True)
class PlannedHandle:
    """A tensor handle that each execution context makes.

    ``managed`` ones live from step ``first`` to ``last`` in the pools of a memory manager.
    """

    factory: str
    info: TensorInfo
    managed: bool
    first: int
    last: int


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


def lend_output(build: Build, slot: OutputSlot, factory: str, index: int) -> None:
    """Let the handle of ``slot`` stand for the caller's buffer of output ``index``."""
    tensor = PlannedTensor(abi.ARMNN_PLAN_TENSOR_HANDLE, slot.info.byte_size)
    tensor.info, tensor.factory, tensor.managed = slot.info, factory, False
    build.number_of[slot] = handle = build.add(tensor)
    target = build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, slot.info.byte_size, index))
    build.lent[index] = target
    build.steps.append(PlannedStep([], [handle, target], slot.layer, kind=abi.ARMNN_PLAN_STEP_LEND))


def add_move(build: Build, layer: Layer) -> None:
    """Add the steps of a MemCopy or MemImport layer."""
    assert layer.inputs[0] is not None
    source = build.number_of[layer.inputs[0]]
    target = build.number_of[layer.outputs[0]]
    from_handle = build.tensors[source].kind == abi.ARMNN_PLAN_TENSOR_HANDLE
    to_handle = build.tensors[target].kind == abi.ARMNN_PLAN_TENSOR_HANDLE
    if layer.type == LayerType.MEM_COPY:
        build.steps.append(PlannedStep([source], [target], layer))
        return
    if from_handle:
        opened = target
        if to_handle:
            size = build.tensors[source].size
            opened = build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_MAPPED, size))
        build.steps.append(PlannedStep([source], [opened], layer, kind=abi.ARMNN_PLAN_STEP_MAP))
        source = opened
    if to_handle:
        build.steps.append(PlannedStep([source], [target], layer, kind=abi.ARMNN_PLAN_STEP_IMPORT))


def close_maps(build: Build) -> None:
    """Unmap what is mapped, after the last step that reads it."""
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

    Where the factory is one of ``in_place`` and the kernel allows it, output 0 is the handle of an
    input that dies.
    """
    for position, step in enumerate(build.steps):
        _share_handle(build, step, position, in_place)
    handles: list[list[PlannedTensor]] = []
    number_of: dict[int, int] = {}
    for tensor in build.tensors:
        if tensor.kind != abi.ARMNN_PLAN_TENSOR_HANDLE:
            continue
        tensor.index = number_of.setdefault(id(tensor.root), len(handles))
        if tensor.index == len(handles):
            handles.append([])
        handles[tensor.index].append(tensor)
    planned = []
    for chain in handles:
        info = chain[0].info
        assert info is not None
        first = min(tensor.first for tensor in chain)
        last = max(tensor.last for tensor in chain)
        planned.append(PlannedHandle(chain[0].factory, info, chain[0].managed, first, last))
    return planned


def _share_handle(
    build: Build, step: PlannedStep, position: int, in_place: Collection[str]
) -> None:
    if step.workload is None or not step.outputs:
        return
    mask = step.workload.requirements.in_place_mask
    target = build.tensors[step.outputs[0]]
    if not mask or not target.factory or not target.managed or target.factory not in in_place:
        return
    for index, number in enumerate(step.inputs):
        if not (mask >> index) & 1 or number == abi.ARMNN_PLAN_NONE:
            continue
        source = build.tensors[number]
        if (
            step.inputs.count(number) == 1
            and source.managed
            and source.factory == target.factory
            and source.last == position
            and source.info == target.info
        ):
            target.shares = source
            return
