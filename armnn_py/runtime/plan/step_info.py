# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Descriptions of a plan's steps, for messages and profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native import abi
from armnn_py.runtime.plan.moves import MOVE_NAMES, SOURCE_MOVES, uses_callers_memory
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.plan.plan_workloads import PlanWorkloads
    from armnn_py.runtime.plan.planned import PlannedStep, PlannedTensor


class StepInfo(Struct, frozen=True):
    """The description of a step for messages and profiles."""

    layer: str
    type: str
    backend: str
    kernel: str
    memory: str = ""
    #: Of a step that moves a tensor: whose memory it reads and writes; empty: the host's.
    sides: tuple[str, str] = ("", "")
    #: Whether it imports memory of the caller, which with ``strict`` must not be copied.
    is_promise: bool = False
    #: Arithmetic operations and time of one execution, as its workload states them; 0: unknown.
    operations: int = 0
    expected_ns: int = 0
    #: Bytes of the arena for its workload alone.
    scratch: int = 0
    #: Whether it may return before its work is done, so that its time says nothing.
    is_queued: bool = False


class Steps:
    """Describes the steps of a plan.

    Parameters
    ----------
    tensors
        Of the plan, by number.
    workloads
        Its workloads and the backends that made them.
    layer_backends
        Ids of backends by guid of the layer.
    """

    __slots__ = ("_layer_backends", "_tensors", "_workloads")

    def __init__(
        self,
        tensors: list[PlannedTensor],
        workloads: PlanWorkloads,
        layer_backends: Sequence[str | None],
    ) -> None:
        self._tensors = tensors
        self._workloads = workloads
        self._layer_backends = layer_backends

    def describe(self, step: PlannedStep) -> StepInfo:
        """The description of a step."""
        if step.is_sync:
            backend = self._workloads.factories[step.factory].backend_id
            if step.is_fence and step.kind == abi.ARMNN_PLAN_STEP_SIGNAL:
                return StepInfo(f"fence of {backend}", "Fence", backend, "signal_fence")
            if step.is_fence and step.context is not None:
                return StepInfo(f"wait of {backend}", "Fence", backend, "wait_fence")
            if step.is_fence:
                return StepInfo(f"wait for {backend}", "Sync", backend, "wait")
            return StepInfo(f"wait for {backend}", "Sync", backend, "after_enqueue_workload")
        if step.assigns:
            return StepInfo(
                f"copy to variable {step.assigns}",
                "MemCopy",
                "host",
                MOVE_NAMES[step.kind],
                move_path(self._tensors, step),
                self.sides(step),
            )
        if step.layer is None:
            return StepInfo("copy to output", "MemCopy", "host", "memcpy")
        layer = step.layer
        backend = self._layer_backends[layer.guid] or ""
        if step.workload is None:
            copies = step.kind in (abi.ARMNN_PLAN_STEP_COPY, abi.ARMNN_PLAN_STEP_RETURN)
            path = move_path(self._tensors, step)
            kind = LayerType.MEM_COPY if copies else LayerType.MEM_IMPORT
            sides = self.sides(step)
            if step.kind in SOURCE_MOVES:
                backend = sides[0]
            return StepInfo(
                layer.name,
                kind.label,
                backend,
                MOVE_NAMES[step.kind],
                path,
                sides,
                uses_callers_memory(self._tensors, step),
            )
        needs = step.workload.requirements
        return StepInfo(
            layer.name,
            layer.shown_type.label,
            backend,
            step.workload.kernel_name,
            operations=needs.operations,
            expected_ns=needs.expected_ns,
            scratch=needs.scratch_size,
            is_queued=step.context is not None,
        )

    def sides(self, step: PlannedStep) -> tuple[str, str]:
        """The backends whose memory a step reads and writes; empty: the host's."""
        factories = self._workloads.handle_factories

        def owner(numbers: list[int]) -> str:
            factory = self._tensors[numbers[0]].factory if numbers else ""
            return factories[factory].backend_id if factory else ""

        return owner(step.inputs), owner(step.outputs)


_HOST = "host"


def move_path(tensors: Sequence[PlannedTensor], step: PlannedStep) -> str:
    """``"host -> Acme/AcmeNpu/Device"``: tensor handle factories, or the host, by name."""

    def memory(number: int) -> str:
        return tensors[number].factory or _HOST

    if step.kind == abi.ARMNN_PLAN_STEP_LEND:
        return f"{_HOST} -> {memory(step.outputs[0])}"
    if not step.outputs:
        return memory(step.inputs[0])
    return f"{memory(step.inputs[0])} -> {memory(step.outputs[0])}"
