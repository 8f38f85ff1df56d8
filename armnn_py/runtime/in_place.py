# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which outputs of a plan may be written into the array of an input.

A program that generates text has one array for the cache that goes into the network and comes out
of it with a row more. That is right if nothing reads the input after the output was written first.
One step may do both: if its backend says that this output may be the memory of that input, or if
it is a copy of the host, which has nothing to do then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.planned import Build, PlannedStep, PlannedTensor

__all__ = ["find_in_place"]

_INPUT, _OUTPUT = abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT


def find_in_place(build: Build) -> frozenset[tuple[int, int]]:
    """Indices of inputs and outputs that may be one array of the caller, in pairs."""
    if build.has_fences:
        return frozenset()  # steps of queues go on beside those behind them
    last_read: dict[int, int] = {}
    first_written: dict[int, int] = {}
    unsure: set[int] = set()  # tensors of the caller that steps use beyond their end
    for position, step in enumerate(build.steps):
        read = _callers_tensors(build, step.inputs, _INPUT)
        written = _callers_tensors(build, step.outputs, _OUTPUT)
        for tensor in read:
            last_read[tensor.index] = position
        for tensor in written:
            first_written.setdefault(tensor.index, position)
        if not _ends_in_time(build, step):
            unsure.update(id(tensor) for tensor in (*read, *written))
    by_size: dict[int, list[int]] = {}
    for tensor in build.tensors:
        if tensor.kind == _INPUT and id(tensor) not in unsure:
            by_size.setdefault(tensor.size, []).append(tensor.index)
    pairs = []
    for tensor in build.tensors:
        if tensor.kind != _OUTPUT or id(tensor) in unsure or tensor.index not in first_written:
            continue
        write = first_written[tensor.index]
        for index in by_size.get(tensor.size, ()):
            read_at = last_read.get(index, -1)
            if read_at < write or (
                read_at == write and _does_both(build, build.steps[write], index, tensor.index)
            ):
                pairs.append((index, tensor.index))
    return frozenset(pairs)


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


def _does_both(build: Build, step: PlannedStep, index: int, output: int) -> bool:
    """Whether a step may read the whole of an input, once, and write the output in its place."""
    sources = _places(build, step.inputs, _INPUT, index)
    targets = _places(build, step.outputs, _OUTPUT, output)
    if len(sources) != 1 or len(targets) != 1 or None in (*sources, *targets):
        return False
    if step.workload is None:
        return True
    (source,), (target,) = sources, targets
    assert source is not None
    assert target is not None
    return step.workload.requirements.may_be_in_place(target, source)


def _places(build: Build, numbers: Sequence[int], kind: int, index: int) -> list[int | None]:
    """Where a step has an input or output of the network; None for a part of it."""
    found: list[int | None] = []
    for place, number in enumerate(numbers):
        if number == abi.ARMNN_PLAN_NONE:
            continue
        tensor = build.tensors[number]
        root, _ = tensor.location
        if root.kind == kind and root.index == index:
            found.append(place if root is tensor else None)
    return found
