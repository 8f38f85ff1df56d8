# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Concat and Splitter without work: tensors that lie inside others.

Where every dimension before the joined or cut axis is 1, the parts are runs of bytes of the whole.
If the whole lies in the arena, its parts get their places in it and nothing needs to be executed.
Kernels ask for aligned tensors, so a part whose offset is not a multiple of that has to be copied
after all: such a layer is executed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py.descriptors import ConcatDescriptor, SplitterDescriptor
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from armnn_py.descriptors.base import View
    from armnn_py.network import Layer
    from armnn_py.runtime.plan_build import Build, PlannedStep, PlannedTensor
    from armnn_py.tensors import TensorInfo

__all__ = ["elide_layers", "is_candidate"]

#: What the host asks for where it moves a tensor between memories: backends import by cache lines.
_MOVE_ALIGNMENT = 64


def is_candidate(layer: Layer) -> bool:
    """Whether a layer joins or cuts along its outermost axis, by its shapes and types alone."""
    return _part_offsets(layer) is not None


def _part_offsets(layer: Layer) -> list[int] | None:
    """Where the parts begin in the whole, in bytes; None if they are no runs of bytes of it."""
    descriptor = layer.descriptor
    sources = [slot.info for slot in layer.inputs if slot is not None]
    targets = [slot.info for slot in layer.outputs]
    if layer.type == LayerType.CONCAT and isinstance(descriptor, ConcatDescriptor):
        parts, wholes, views = sources, targets, descriptor.views
    elif layer.type == LayerType.SPLITTER and isinstance(descriptor, SplitterDescriptor):
        parts, wholes, views = targets, sources, descriptor.views
    else:
        return None
    if len(wholes) != 1 or len(parts) != len(views) or not parts:
        return None
    offsets = []
    for part, view in zip(parts, views, strict=True):
        offset = _offset(wholes[0], part, view)
        if offset is None:
            return None
        offsets.append(offset)
    if layer.type == LayerType.CONCAT:
        end = 0  # the parts of a Concat are written: they must follow each other
        for part, offset in zip(parts, offsets, strict=True):
            if offset != end:
                return None
            end += part.byte_size
        if end != wholes[0].byte_size:
            return None
    return offsets


def _offset(whole: TensorInfo, part: TensorInfo, view: View) -> int | None:
    """Where a part begins in bytes, if it is one run of bytes and its numbers mean the same."""
    if part.data_type != whole.data_type or part.quantization != whole.quantization:
        return None  # its values are converted
    shape = whole.static_shape
    if part.static_shape != tuple(view.size) or len(view.size) != len(shape):
        return None
    cut = [axis for axis, size in enumerate(shape) if view.size[axis] != size]
    if not cut:
        return 0
    axis = cut[0]
    if len(cut) > 1 or math.prod(shape[:axis]) != 1:
        return None
    return int(view.origin[axis]) * math.prod(shape[axis + 1 :]) * whole.dtype.itemsize


def elide_layers(
    build: Build,
    candidates: Iterable[PlannedStep],
    make: Callable[[Layer], PlannedStep],
    *,
    enabled: bool = True,
) -> list[str]:
    """Place the parts of candidates inside the wholes, or make the steps that execute them.

    Parameters
    ----------
    build
        With every step of the network; those of candidates have no workload yet. Those of elided
        layers are removed from it.
    candidates
        Steps of layers that pass `is_candidate`, in the order of the plan.
    make
        Makes the step of a layer that is executed.
    enabled
        False executes all of them.

    Returns
    -------
    list of str
        Names of the layers that are no step any more.
    """
    open_steps = list(candidates)
    while True:
        for tensor in build.tensors:
            tensor.parent, tensor.offset, tensor.is_whole = None, 0, False
        needs = _alignments(build)
        refused = [step for step in open_steps if not (enabled and _place(build, step, needs))]
        if not refused:
            break
        # Their workloads ask for alignments, too: what was placed before is looked at again.
        for step in refused:
            assert step.layer is not None
            position = next(i for i, other in enumerate(build.steps) if other is step)
            build.steps[position] = make(step.layer)
        open_steps = [step for step in open_steps if all(step is not other for other in refused)]
    elided = {id(step) for step in open_steps}
    build.steps = [step for step in build.steps if id(step) not in elided]
    return [step.layer.name for step in open_steps if step.layer is not None]


def _alignments(build: Build) -> dict[int, int]:
    """What the steps ask of each tensor, by its number."""
    needs: dict[int, int] = {}
    for step in build.steps:
        if step.workload is not None:
            wanted = step.workload.requirements.tensor_alignment
        elif step.kind == abi.ARMNN_PLAN_STEP_EXECUTE:
            continue  # a candidate
        else:
            wanted = _MOVE_ALIGNMENT
        for number in (*step.inputs, *step.outputs):
            needs[number] = max(needs.get(number, 1), wanted)
    return needs


def _place(build: Build, step: PlannedStep, needs: dict[int, int]) -> bool:
    """Let the parts of a candidate lie in the whole; False if that cannot be."""
    assert step.layer is not None
    offsets = _part_offsets(step.layer)
    joins = step.layer.type == LayerType.CONCAT
    part_numbers, whole_numbers = (
        (step.inputs, step.outputs) if joins else (step.outputs, step.inputs)
    )
    whole = build.tensors[whole_numbers[0]]
    parts = [build.tensors[number] for number in part_numbers]
    if offsets is None or len(set(part_numbers)) != len(part_numbers):
        return False
    if any(tensor.kind != abi.ARMNN_PLAN_TENSOR_ARENA for tensor in (whole, *parts)):
        return False
    if any(part.parent is not None for part in parts):
        return False  # it lies elsewhere already
    was_whole = whole.is_whole
    whole.is_whole = True
    for part, offset in zip(parts, offsets, strict=True):
        part.parent, part.offset = whole, offset
    if _is_aligned(build, whole, needs):
        return True
    whole.is_whole = was_whole
    for part in parts:
        part.parent, part.offset = None, 0
    return False


def _is_aligned(build: Build, member: PlannedTensor, needs: dict[int, int]) -> bool:
    """Whether all tensors that lie in one place with ``member`` are aligned as steps ask."""
    place, _ = member.place
    for number, tensor in enumerate(build.tensors):
        if tensor.parent is not None:
            root, offset = tensor.place
            if root is place and offset % needs.get(number, 1) != 0:
                return False
    return True
