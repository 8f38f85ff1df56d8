# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers without work: Concat, Splitter and Reshape whose tensors share memory.

Where every dimension before the joined or cut axis is 1, the sub-tensors are runs of bytes of the
whole; the result of a Reshape has the same bytes. Then nothing is executed: in host memory the
sub-tensors are ranges of the whole, which may be the caller's; in memory of a backend they are
sub-tensor handles of its factory. Kernels ask for aligned tensors: a layer is executed after all if
a sub-tensor would begin at another offset, or if the factory refuses one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from armnn_py._native import abi
from armnn_py.runtime.plan.sub_handles import find_refused
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from armnn_py._native.table.tensor_handles import TensorHandleFactory
    from armnn_py.descriptors import ConcatDescriptor, SplitterDescriptor
    from armnn_py.descriptors.base import View
    from armnn_py.network import Layer
    from armnn_py.runtime.plan.planned import Build, PlannedStep, PlannedTensor
    from armnn_py.tensors import TensorInfo

#: Alignment of tensors that the host moves between memories: backends import by cache lines.
_MOVE_ALIGNMENT = 64


def is_candidate(layer: Layer) -> bool:
    """Whether a layer leaves bytes as they are, by its shapes and types alone.

    That is a Concat or Splitter along its outermost axis, or a Reshape.
    """
    return _is_reshape(layer) or _sub_offsets(layer) is not None


def _is_reshape(layer: Layer) -> bool:
    """Whether the output has the bytes of the first input under another shape."""
    if layer.type != LayerType.RESHAPE or layer.inputs[0] is None:
        return False
    source, target = layer.inputs[0].info, layer.outputs[0].info
    return (
        source.data_type == target.data_type
        and source.quantization == target.quantization
        and source.byte_size == target.byte_size
    )


def _sub_offsets(layer: Layer) -> list[int] | None:
    """Offsets of the sub-tensors in the whole, in bytes; None if one is not a run of its bytes."""
    if layer.type not in (LayerType.CONCAT, LayerType.SPLITTER):
        return None
    views = cast("ConcatDescriptor | SplitterDescriptor", layer.descriptor).views
    sources = [slot.info for slot in layer.inputs if slot is not None]
    targets = [slot.info for slot in layer.outputs]
    joins = layer.type == LayerType.CONCAT
    subs, wholes = (sources, targets) if joins else (targets, sources)
    if len(wholes) != 1 or len(subs) != len(views) or not subs:
        return None
    offsets = []
    for sub, view in zip(subs, views, strict=True):
        offset = _offset(wholes[0], sub, view)
        if offset is None:
            return None
        offsets.append(offset)
    if joins:
        end = 0  # the sub-tensors of a Concat are written: they must follow each other
        for sub, offset in zip(subs, offsets, strict=True):
            if offset != end:
                return None
            end += sub.byte_size
        if end != wholes[0].byte_size:
            return None
    return offsets


def _offset(whole: TensorInfo, sub: TensorInfo, view: View) -> int | None:
    """Offset of a sub-tensor, in bytes; None if it is not a run of bytes, or is converted."""
    if sub.data_type != whole.data_type or sub.quantization != whole.quantization:
        return None  # its values are converted
    shape = whole.static_shape
    if sub.static_shape != tuple(view.size) or len(view.size) != len(shape):
        return None
    cut = [axis for axis, size in enumerate(shape) if view.size[axis] != size]
    if not cut:
        return 0
    axis = cut[0]
    if len(cut) > 1 or math.prod(shape[:axis]) != 1:
        return None
    return int(view.origin[axis]) * math.prod(shape[axis + 1 :]) * whole.dtype.itemsize


class _Link(Struct, eq=False):
    """One tensor is to be a sub-tensor of another."""

    sub: PlannedTensor
    whole: PlannedTensor
    offset: int
    origin: tuple[int, ...] | None


def elide_layers(
    build: Build,
    candidates: Iterable[PlannedStep],
    make: Callable[[Layer], PlannedStep],
    factories: Mapping[str, TensorHandleFactory],
    *,
    enabled: bool = True,
) -> list[str]:
    """Lay out the sub-tensors of candidates in the wholes, or make steps that execute them.

    Parameters
    ----------
    build
        With every step of the network; those of candidates have no workload yet. Steps of elided
        layers are removed from it.
    candidates
        Steps of layers that pass `is_candidate`, in the order of the plan.
    make
        Makes the step of a layer that is executed.
    factories
        By id; they are asked for the handles of sub-tensors.
    enabled
        False: all candidates are executed.

    Returns
    -------
    list of str
        Names of the elided layers.
    """
    open_steps = list(candidates)
    position_of = {id(step): position for position, step in enumerate(build.steps)}
    while True:
        layout = _Layout(build)
        refused = [step for step in open_steps if not (enabled and layout.take(step))]
        if not refused and open_steps and factories:
            faulty = find_refused(build, factories)
            guilty = {id(t.joined_by) for t in build.tensors if id(t) in faulty}
            refused = [step for step in open_steps if id(step) in guilty]
        if not refused:
            break
        # The new workloads also ask for alignments, so all candidates are laid out again.
        executed = {id(step) for step in refused}
        for step in refused:
            assert step.layer is not None
            build.steps[position_of[id(step)]] = make(step.layer)
        open_steps = [step for step in open_steps if id(step) not in executed]
    elided = {id(step) for step in open_steps}
    build.steps = [step for step in build.steps if id(step) not in elided]
    return [step.layer.name for step in open_steps if step.layer is not None]


def _alignments(build: Build) -> dict[int, int]:
    """Alignments that the steps need, by id of the tensor.

    For a handle, only those of readers of its mapped memory: its factory cares for its own
    workloads.
    """
    needs: dict[int, int] = {}

    def ask(number: int, wanted: int) -> None:
        tensor = id(build.tensors[number])
        needs[tensor] = max(needs.get(tensor, 1), wanted)

    def ask_of_host(number: int, wanted: int) -> None:
        if number == abi.ARMNN_PLAN_NONE:
            return
        if build.tensors[number].kind != abi.ARMNN_PLAN_TENSOR_HANDLE:
            ask(number, wanted)

    for step in build.steps:
        if step.workload is not None:
            stated = step.workload.requirements
            for index, number in enumerate(step.inputs):
                ask_of_host(number, stated.input_alignment(index))
            for index, number in enumerate(step.outputs):
                ask_of_host(number, stated.output_alignment(index))
        elif step.kind in (abi.ARMNN_PLAN_STEP_EXECUTE, abi.ARMNN_PLAN_STEP_MAP):
            continue  # a candidate; a map needs what its readers need
        else:
            for number in (*step.inputs, *step.outputs):
                ask_of_host(number, _MOVE_ALIGNMENT)
    for step in build.steps:
        if step.workload is None and step.kind == abi.ARMNN_PLAN_STEP_MAP:
            ask(step.inputs[0], needs.get(id(build.tensors[step.outputs[0]]), 1))
    return needs


# ---- Layout --------------------------------------------------------------------------------------


class _Layout:
    """The memory layout of a plan's tensors, while layers are elided one after the other."""

    def __init__(self, build: Build) -> None:
        for tensor in build.tensors:
            tensor.leave()
        self._build = build
        needs = _alignments(build)
        #: By id: the alignment that the tensors in one need of its address. Alignments are powers
        #: of two: where the largest is kept, all are.
        self._alignment = {id(t): needs.get(id(t), 1) for t in build.tensors}
        #: By id: a tensor further up, and the offset in it; links in between stay.
        self._above: dict[int, tuple[PlannedTensor, int]] = {}
        self._undo: list[tuple[PlannedTensor, _Link | None, PlannedStep | None]] = []

    def take(self, step: PlannedStep) -> bool:
        """Lay out the sub-tensors of a candidate in the whole; False if that is impossible."""
        links = _links(self._build, step)
        self._undo.clear()
        moved = []  # groups of tensors that move
        for link in links:
            root = self._locate(link.sub)[0]
            if not self._join(link, step):
                break
            moved.append(root)
        else:
            if links and all(self._is_aligned(root) for root in moved):
                whole = id(self._locate(links[0].whole)[0])
                for root in moved:
                    asked = self._alignment.pop(id(root))
                    self._alignment[whole] = max(asked, self._alignment.get(whole, 1))
                return True
        if self._undo:
            self._above.clear()
        for tensor, old, joined_by in reversed(self._undo):
            tensor.leave()
            if old is not None:
                tensor.parent, tensor.offset, tensor.origin = old.whole, old.offset, old.origin
                tensor.joined_by = joined_by
        return False

    def _join(self, link: _Link, step: PlannedStep) -> bool:
        """Put the sub-tensor into the whole, with its own sub-tensors."""
        sub, whole = link.sub, link.whole
        if whole.kind == abi.ARMNN_PLAN_TENSOR_CONSTANT:
            return False
        handle = abi.ARMNN_PLAN_TENSOR_HANDLE
        if (sub.kind == handle) != (whole.kind == handle) or sub.factory != whole.factory:
            return False
        if not _can_lie_elsewhere(sub) or not self._make_root(sub):
            return False
        root = self._locate(whole)[0]
        if root is sub or (root.stays and root.kind == handle):
            return False  # the two handles of a variable change places, their sub-tensors would not
        self._link(link, step)
        return True

    def _link(self, link: _Link, step: PlannedStep | None) -> None:
        sub = link.sub
        old = None
        if sub.parent is not None:
            old = _Link(sub, sub.parent, sub.offset, sub.origin)
        self._undo.append((sub, old, sub.joined_by))
        sub.parent, sub.offset, sub.origin = link.whole, link.offset, link.origin
        sub.joined_by = step

    def _make_root(self, tensor: PlannedTensor) -> bool:
        """Make a tensor that has all bytes of its parents their parent instead.

        False if it has fewer bytes than a parent, or a parent cannot be moved.
        """
        chain = [tensor]
        while chain[-1].parent is not None:
            chain.append(chain[-1].parent)
            if chain[-1].size != tensor.size or not _can_lie_elsewhere(chain[-1]):
                return False
        if tensor.parent is not None:
            self._above.clear()
        for i in range(len(chain) - 1, 0, -1):
            above, below = chain[i], chain[i - 1]
            self._link(_Link(above, below, 0, below.origin), below.joined_by)
        if tensor.parent is not None:
            old = _Link(tensor, tensor.parent, tensor.offset, tensor.origin)
            self._undo.append((tensor, old, tensor.joined_by))
            tensor.leave()
        return True

    def _locate(self, tensor: PlannedTensor) -> tuple[PlannedTensor, int]:
        """The tensor that holds this one, or itself, and the offset in it, in bytes."""
        passed: list[tuple[int, int]] = []
        while tensor.parent is not None:
            above, offset = self._above.get(id(tensor)) or (tensor.parent, tensor.offset)
            passed.append((id(tensor), offset))
            tensor = above
        begin = 0
        for below, offset in reversed(passed):
            begin += offset
            self._above[below] = (tensor, begin)
        return tensor, begin

    def _is_aligned(self, root: PlannedTensor) -> bool:
        """Whether all tensors in ``root`` are aligned at its new offset."""
        return self._locate(root)[1] % self._alignment[id(root)] == 0


def _links(build: Build, step: PlannedStep) -> list[_Link]:
    """The sub-tensors to lay out if the step is elided; none if tensors occur twice."""
    layer = step.layer
    assert layer is not None
    inputs = [build.tensors[number] for number in step.inputs]
    outputs = [build.tensors[number] for number in step.outputs]
    if layer.type == LayerType.RESHAPE:
        source, target = inputs[0], outputs[0]
        if _can_lie_elsewhere(target):
            return [_Link(target, source, 0, None)]
        return [_Link(source, target, 0, None)]
    offsets = _sub_offsets(layer)
    assert offsets is not None
    descriptor = cast("ConcatDescriptor | SplitterDescriptor", layer.descriptor)
    subs, whole = (inputs, outputs[0]) if layer.type == LayerType.CONCAT else (outputs, inputs[0])
    if len({id(sub) for sub in subs}) != len(subs):
        return []
    return [
        _Link(sub, whole, offset, tuple(view.origin))
        for sub, offset, view in zip(subs, offsets, descriptor.views, strict=True)
    ]


def _can_lie_elsewhere(tensor: PlannedTensor) -> bool:
    """Whether the plan is free to choose the memory of a tensor."""
    if tensor.kind == abi.ARMNN_PLAN_TENSOR_HANDLE:
        return tensor.managed and not tensor.stays  # other handles import memory of the host
    return tensor.kind == abi.ARMNN_PLAN_TENSOR_ARENA
