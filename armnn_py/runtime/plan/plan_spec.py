# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tensors of a plan, their copies at the end of a run, and the plan as the executor gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.plans.plan import NativePlan, PlanSpec
from armnn_py._native.process import noted_calls
from armnn_py.network import ConstantLayer
from armnn_py.runtime.plan.moves import add_tensor, lend_output, make_place, may_import
from armnn_py.runtime.plan.plan_build import staging_size
from armnn_py.runtime.plan.planned import PlannedStep, PlannedTensor, PlannedVariable
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from armnn_py.network import NetworkStorage
    from armnn_py.runtime.bounded.bounded_shapes import BoundedShapes
    from armnn_py.runtime.plan.plan_build import BuildMemory
    from armnn_py.runtime.plan.plan_workloads import PlanWorkloads
    from armnn_py.runtime.plan.planned import Build
    from armnn_py.runtime.plan.step_info import Steps


def bounded_kind(bounded: BoundedShapes | None, step: PlannedStep) -> int:
    """The shapes that a step gets or reports: an ``ARMNN_PLAN_BOUNDED_`` value."""
    if bounded is None or step.layer is None or not any(bounded.layer_masks(step.layer)):
        return abi.ARMNN_PLAN_BOUNDED_NONE
    if any(slot in bounded.reported for slot in step.layer.outputs):
        return abi.ARMNN_PLAN_BOUNDED_REPORTS
    return abi.ARMNN_PLAN_BOUNDED_INFOS


class SpecWriter:
    """Writes the specification of a plan.

    Parameters
    ----------
    build
        Finished but for its memory.
    workloads
        The workloads of its steps.
    steps
        Knows whose memory a step moves.
    network_id
        The network's number for backend contexts.
    bounded
        Which shapes a run tells, or None.

    Attributes
    ----------
    listeners
        Ids of the backends that hear of the begin and end of each run, in that order.
    """

    def __init__(
        self,
        build: Build,
        workloads: PlanWorkloads,
        steps: Steps,
        network_id: int,
        bounded: BoundedShapes | None,
    ) -> None:
        self._build = build
        self._tensors = build.tensors
        self._workloads = workloads
        self._steps = steps
        self._network_id = network_id
        self._bounded = bounded
        self._numbers = {id(tensor): number for number, tensor in enumerate(build.tensors)}
        self.spec = PlanSpec(len(build.tensors), len(build.steps), len(workloads.factories))
        self.listeners = self._add_listeners()

    def make(self, network: NetworkStorage, memory: BuildMemory, handle_count: int) -> NativePlan:
        """The native plan."""
        build, numbers = self._build, self._numbers
        for tensor in build.tensors:
            self._add_tensor(tensor, memory.offsets)
        for step, offset in zip(build.steps, memory.scratch_offsets, strict=True):
            self._add_step(step, offset)
        self.spec.set_variables(
            [
                (numbers[id(v.value)], None if v.next is None else numbers[id(v.next)])
                for v in build.variables
            ]
        )
        plan = NativePlan(
            self.spec,
            input_count=len(network.input_layers),
            output_count=len(network.output_layers),
            execution_data_count=len(self._workloads.factories),
            arena_size=memory.size,
            handle_count=handle_count,
            fence_count=1 + max((step.fence for step in build.steps), default=-1),
        )
        labels = self._labels()
        if labels:
            plan.label(labels)
        return plan

    def _labels(self) -> list[bytes | None]:
        """The labels of the calls of a run, see `NativePlan.label`."""
        owners = {factory.backend_id for factory in self._workloads.factories}
        noted = sorted(filter(noted_calls.is_noted, owners))
        if not noted:
            return []
        labels = [self._label(step) for step in self._build.steps]
        for backend_id in self.listeners:
            labels += [_label(backend_id, call) for call in ("before_run", "after_run")]
        return [*labels, _label(noted[0], "a call after a run")]

    def _label(self, step: PlannedStep) -> bytes | None:
        layer, workload = step.layer, step.workload
        if layer is not None and workload is not None:
            call = f"execute of layer '{layer.name}' ({layer.shown_type.label})"
            return _label(workload.backend_id, call)
        info = self._steps.describe(step)
        about = f" for layer '{layer.name}'" if layer is not None else ""
        sides = [info.backend] if step.is_sync else info.sides
        labels = (_label(side, f"{info.kernel}{about}") for side in sides)
        return next(filter(None, labels), None)

    def _add_listeners(self) -> tuple[str, ...]:
        """Note the backends with workloads that want to hear of each run; return their ids."""
        listeners = []
        for index, factory in enumerate(self._workloads.factories):
            context = self._workloads.context_of(factory.backend_id)
            if context is not None and context.listens:
                listeners.append(factory.backend_id)
                self.spec.add_listener(context.address, self._network_id, index)
        return tuple(listeners)

    def _add_tensor(self, tensor: PlannedTensor, offsets: tuple[int, ...]) -> None:
        spec = self.spec
        root, begin = tensor.location
        if tensor.kind == abi.ARMNN_PLAN_TENSOR_ARENA and tensor.is_foreign:
            # Of an input or output, of mapped memory, or of a place of a variable.
            spec.add_tensor(
                abi.ARMNN_PLAN_TENSOR_PART,
                tensor.size,
                index=self._numbers[id(root)],
                offset=begin,
                alignment=tensor.alignment,
                readable=tensor.readable,
            )
            return
        offset = offsets[tensor.record] + begin if tensor.record >= 0 else 0
        external = tensor.kind in (abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT)
        if external and tensor.record < 0:
            offset = abi.ARMNN_PLAN_NO_STAGING
        spec.add_tensor(
            tensor.kind,
            tensor.size,
            index=tensor.index,
            offset=offset,
            alignment=tensor.alignment,
            readable=tensor.readable,
            address=tensor.value.ctypes.data if tensor.value is not None else 0,
        )

    def _add_step(self, step: PlannedStep, scratch_offset: int) -> None:
        spec = self.spec
        context = 0 if step.context is None else step.context.address
        if step.is_sync:
            spec.add_step(
                step.kind if step.is_fence else abi.ARMNN_PLAN_STEP_SYNC,
                fence=max(step.fence, 0),
                execution_data_index=step.factory,
                backend_context=context,
                network_id=self._network_id,
            )
        elif step.workload is None:
            spec.add_step(
                step.kind,
                step.inputs,
                step.outputs,
                scratch_offset=scratch_offset,
                scratch_size=staging_size(self._tensors, step),
                flags=self._move_flags(step),
            )
        else:
            spec.add_step(
                abi.ARMNN_PLAN_STEP_EXECUTE,
                step.inputs,
                step.outputs,
                workload=step.workload.address,
                scratch_offset=scratch_offset,
                scratch_size=step.workload.requirements.scratch_size,
                persistent_size=step.workload.requirements.persistent_size,
                is_serial=step.workload.requirements.is_serial,
                execution_data_index=step.factory,
                backend_context=context,
                bounded=bounded_kind(self._bounded, step),
                input_infos=None if self._bounded is None else step.workload.input_infos,
            )

    def _move_flags(self, step: PlannedStep) -> int:
        """Whether a step may import memory with a descriptor, and its backend waits for that."""
        flags = 0
        if step.kind == abi.ARMNN_PLAN_STEP_COPY and may_import(self._tensors, step):
            flags = abi.ARMNN_PLAN_STEP_MAY_IMPORT
        if flags or step.kind in (abi.ARMNN_PLAN_STEP_IMPORT, abi.ARMNN_PLAN_STEP_LEND):
            source, target = self._steps.sides(step)
            context = self._workloads.context_of(target or source)
            if context is not None and context.takes_fences:
                flags |= abi.ARMNN_PLAN_STEP_TAKES_READY
        return flags


def _label(backend_id: str, call: str) -> bytes | None:
    """The label of a call; None of a backend of the package."""
    return noted_calls.label(backend_id, call) if noted_calls.is_noted(backend_id) else None


def number_tensors(
    build: Build,
    network: NetworkStorage,
    memory: Mapping[tuple[int, int], str],
    value_of: Callable[[ConstantLayer], np.ndarray],
) -> None:
    """Number all tensors; inputs and a slot's first use as output are memory of the caller.

    ``memory`` has the tensor handle factory of each slot that has one, by guid and index;
    ``value_of`` gives the value of a constant, aligned.
    """
    for index, layer in enumerate(network.input_layers):
        slot = layer.outputs[0]
        build.number_of[slot] = build.add(
            PlannedTensor(abi.ARMNN_PLAN_TENSOR_INPUT, slot.info.byte_size, index)
        )
    if network.variables:
        _number_variables(build, network, memory)
    for index, layer in enumerate(network.output_layers):
        source = layer.inputs[0]
        assert source is not None
        if source in build.number_of or source.layer.type == LayerType.CONSTANT:
            continue  # an input, a constant or a second output of one tensor: copied at the end
        factory = memory.get((source.layer.guid, source.index))
        if factory is not None:
            lend_output(build, source, factory, index)
            continue
        if source.layer.type == LayerType.MEM_IMPORT:
            continue  # memory of a backend, copied at the end
        build.number_of[source] = build.add(
            PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, source.info.byte_size, index)
        )
    for layer in network.layers:
        if isinstance(layer, ConstantLayer):
            slot = layer.outputs[0]
            build.number_of[slot] = build.add(
                PlannedTensor(
                    abi.ARMNN_PLAN_TENSOR_CONSTANT,
                    slot.info.byte_size,
                    value=value_of(layer),
                )
            )
        elif not FACTS[layer.type].host:
            for slot in layer.outputs:
                if slot not in build.number_of:
                    add_tensor(build, slot, memory)


def _number_variables(
    build: Build, network: NetworkStorage, memory: Mapping[tuple[int, int], str]
) -> None:
    """Number the places of variables; layers that assign one write to it where they can.

    They cannot if their tensor is an input, a constant, a variable or assigned to another one:
    these are copied at the end of the run.
    """
    assigned = network.assign_layers
    for layer in network.variable_layers:
        slot = layer.outputs[0]
        factory = memory.get((layer.guid, 0), "")
        value = make_place(slot.info, factory)
        build.number_of[slot] = build.add(value)
        after = make_place(slot.info, factory) if layer.name in assigned else None
        build.variables.append(PlannedVariable(layer.name, slot.info, layer.initial, value, after))
    for variable in build.variables:
        if variable.next is None:
            continue
        number = build.add(variable.next)
        source = assigned[variable.name].inputs[0]
        assert source is not None
        place = memory.get((source.layer.guid, source.index), "")
        moves = source.layer.type in (LayerType.CONSTANT, LayerType.MEM_IMPORT)
        if source not in build.number_of and not moves and place == variable.value.factory:
            build.number_of[source] = number


def add_assign_copies(build: Build, network: NetworkStorage) -> None:
    """Copy at the end of the run what is assigned to a variable and written elsewhere."""
    numbers = {id(tensor): number for number, tensor in enumerate(build.tensors)}
    for variable in build.variables:
        source = network.assign_layers[variable.name].inputs[0] if variable.next else None
        if source is None:
            continue
        target = numbers[id(variable.next)]
        if build.number_of[source] != target:
            build.steps.append(
                PlannedStep([build.number_of[source]], [target], assigns=variable.name)
            )


def add_output_copies(build: Build, network: NetworkStorage) -> None:
    """Copy outputs that no step writes to where the caller has them, or return lent memory."""
    for index, layer in enumerate(network.output_layers):
        source = layer.inputs[0]
        assert source is not None
        number = build.number_of[source]
        tensor = build.tensors[number]
        if tensor.kind == abi.ARMNN_PLAN_TENSOR_OUTPUT and tensor.index == index:
            continue
        if index in build.lent:
            build.steps.append(
                PlannedStep(
                    [number],
                    [build.lent[index]],
                    source.layer,
                    kind=abi.ARMNN_PLAN_STEP_RETURN,
                )
            )
            continue
        target = build.add(
            PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, source.info.byte_size, index)
        )
        build.steps.append(PlannedStep([number], [target]))
