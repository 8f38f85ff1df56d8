# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From an optimised network of known shapes to a native plan.

The steps: one workload a layer (weights are packed here), one number a tensor, lifetimes, one
arena, one flat list for the executor.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.blob import check_blob
from armnn_py._native.handle_registry import HandleRegistry
from armnn_py._native.layers import LayerStructs
from armnn_py._native.plan import NativePlan, PlanSpec
from armnn_py._native.workloads import NativeWorkload, NativeWorkloadFactory
from armnn_py.errors import BackendError
from armnn_py.garbage import without_collections
from armnn_py.network import ConstantLayer
from armnn_py.records import record
from armnn_py.runtime.late_shapes import LateRefusedError
from armnn_py.runtime.late_tables import ShapeTables
from armnn_py.runtime.move_paths import move_path
from armnn_py.runtime.moves import (
    MOVE_NAMES,
    SOURCE_MOVES,
    PlannedHandle,
    add_move,
    add_tensor,
    close_maps,
    lend_output,
    make_place,
    may_import,
    number_handles,
    uses_callers_memory,
)
from armnn_py.runtime.plan_build import (
    add_syncs,
    callers_needs,
    find_needs,
    plan_memory,
    staging_size,
)
from armnn_py.runtime.planned import Build, PlannedStep, PlannedTensor, PlannedVariable
from armnn_py.runtime.sub_tensors import elide_layers, is_candidate
from armnn_py.tensors.memory import ALIGNMENT, aligned_copy
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    import numpy as np

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.debug_hook import DebugHook
    from armnn_py.runtime.late_shapes import LateShapes

__all__ = ["UNANNOUNCED", "NetworkPlan"]

#: The number of a network that no backend context was told about.
UNANNOUNCED = 2**64 - 1


@record
class StepInfo:
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
    #: What its workload states of one execution: arithmetic operations, and its time; 0: nothing.
    operations: int = 0
    expected_ns: int = 0
    #: Whether it may return before its work is done, so that its time says nothing.
    is_queued: bool = False


class NetworkPlan:
    """A native plan with the workloads, factories and constants that it uses.

    Parameters
    ----------
    optimized
        A network without free dimensions.
    network_id
        The network's number for backend contexts.
    debug
        The hook that gets the tensors of Debug layers.
    sub_tensors
        Whether tensors may be sub-tensors of others; if not, every layer is executed.
    late
        Which shapes a run tells: the plan is for all up to their bounds.

    Raises
    ------
    BackendError
        If a backend does not make a workload that it declared supported.

    Attributes
    ----------
    arena_size, persistent_size
        Bytes of each execution context: for tensors and scratch, and for workloads to keep.
    packed_size
        Bytes that workloads state to keep besides, such as packed weights.
    state_layers
        Layers whose workloads may keep something from run to run, for messages.
    variables
        The tensors that stay from run to run, in the order of their native numbers.
    elided
        Names of Concat, Splitter and Reshape layers without a step, because their tensors share
        memory.
    listeners
        Ids of the backends that hear of the begin and end of each run, in that order.
    """

    def __init__(
        self,
        optimized: OptimizedNetwork,
        network_id: int,
        debug: DebugHook | None = None,
        *,
        sub_tensors: bool = True,
        late: LateShapes | None = None,
    ) -> None:
        placed = optimized.placed if late is None else late.placed
        self.network = placed.network
        self._network_id = network_id
        self.debug = debug
        self.assignment = placed.assignment
        self.late = late
        self._layer_backends = placed.layer_backends
        self._guids = placed.public_guids
        self._sub_tensors = sub_tensors and late is None
        self._registry = optimized.runtime.backends
        self._model_options = placed.model_options
        self._memory = placed.memory
        self._blobs = placed.blobs
        self._retained: list[Backend] = []
        self._handle_registry: HandleRegistry | None = None
        self.handles: list[PlannedHandle] = []
        self.elided: list[str] = []
        self.listeners: tuple[str, ...] = ()
        self._constants: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.factories: list[NativeWorkloadFactory] = []
        self._workloads: list[NativeWorkload] = []
        self.native: NativePlan | None = None
        with contextlib.ExitStack() as undo:
            undo.callback(self.destroy)
            with without_collections():
                self._build()
            undo.pop_all()

    # ---- Building ----------------------------------------------------------------------------

    def _build(self) -> None:
        build = Build()
        self._take_backends()
        self._number_tensors(build)
        factory_of: dict[str, int] = {}
        candidates: list[PlannedStep] = []
        for layer in self.network.layers:
            if FACTS[layer.type].host:
                continue
            if FACTS[layer.type].moves_memory:
                add_move(build, layer)
            elif layer.guid not in self._blobs and is_candidate(layer):
                candidates.append(self._candidate(build, layer))
                build.steps.append(candidates[-1])
            else:
                build.steps.append(self._make_step(build, layer, factory_of))
        self.elided = elide_layers(
            build,
            candidates,
            lambda layer: self._make_step(build, layer, factory_of),
            self._handle_registry.factories if self._handle_registry is not None else {},
            enabled=self._sub_tensors,
        )
        for factory in self.factories:
            factory.after_workloads_created()
        for step in build.steps:
            if step.workload is not None and step.layer is not None:
                step.workload.configure(step.layer.name)
        self._add_output_copies(build)
        self._add_assign_copies(build)
        close_maps(build)
        add_syncs(build)
        find_needs(build)
        if self.late is not None:
            self._prepare_late(build, self.late)
        memory = plan_memory(build)
        self.handles = number_handles(build, self._in_place_factories())
        self._tensors = build.tensors  # the native plan points at the values of constants
        self.arena_size = memory.size
        needs = [step.workload.requirements for step in build.steps if step.workload is not None]
        self.persistent_size = sum(one.persistent_size for one in needs)
        self.packed_size = sum(one.packed_size for one in needs)
        self.state_layers = [
            f"layer '{step.layer.name}' on {self._layer_backends[step.layer.guid]}"
            for step in build.steps
            if step.workload is not None and step.layer is not None and step.workload.may_have_state
        ]
        self.input_needs = callers_needs(build, abi.ARMNN_PLAN_TENSOR_INPUT)
        self.output_needs = callers_needs(build, abi.ARMNN_PLAN_TENSOR_OUTPUT)
        self.steps = [self._describe(step) for step in build.steps]
        numbers = {id(tensor): number for number, tensor in enumerate(build.tensors)}
        spec = PlanSpec(len(build.tensors), len(build.steps), len(self.factories))
        self._add_listeners(spec)
        for tensor in build.tensors:
            self._add_tensor(spec, tensor, memory.offsets, numbers)
        for step, offset in zip(build.steps, memory.scratch_offsets, strict=True):
            self._add_step(spec, step, offset)
        self.variables = build.variables
        spec.set_variables(
            [
                (numbers[id(v.value)], None if v.next is None else numbers[id(v.next)])
                for v in build.variables
            ]
        )
        self.native = NativePlan(
            spec,
            input_count=len(self.network.input_layers),
            output_count=len(self.network.output_layers),
            execution_data_count=len(self.factories),
            arena_size=memory.size,
            handle_count=len(self.handles),
            fence_count=1 + max((step.fence for step in build.steps), default=-1),
        )
        if self.late is not None:
            self.shape_tables = ShapeTables(self.late, build)
            #: By number of the step: the layers that tell sizes.
            self.telling: dict[int, Layer] = {
                number: step.layer
                for number, step in enumerate(build.steps)
                if step.layer is not None and self._late_kind(step) == abi.ARMNN_PLAN_LATE_TELLS
            }

    @staticmethod
    def _prepare_late(build: Build, late: LateShapes) -> None:
        """Have only tensors share memory that keep one size; refuse moves of tensors that do not.

        A step of the host moves a whole tensor.
        """
        slots = {id(build.tensors[number]): slot for slot, number in build.number_of.items()}
        build.keeps_size = lambda source, target: late.same_size(
            slots[id(source)], slots[id(target)]
        )
        changing = {number for slot, number in build.number_of.items() if slot in late.masks}
        for step in build.steps:
            if step.workload is None and changing.intersection((*step.inputs, *step.outputs)):
                raise LateRefusedError(
                    ["an output of the network is an input, or another output: it is copied"]
                )

    def _take_backends(self) -> None:
        """Hold the backends that have layers, and ask for their tensor handle factories."""
        for backend_id in dict.fromkeys(name for name in self._layer_backends if name is not None):
            backend = self._registry[backend_id]
            backend.retain()
            self._retained.append(backend)
        if any(backend.api.register_tensor_handle_factories for backend in self._retained):
            self._handle_registry = HandleRegistry(self._retained)

    def _in_place_factories(self) -> set[str]:
        if self._handle_registry is None:
            return set()
        factories = self._handle_registry.factories.values()
        return {factory.id for factory in factories if factory.supports_in_place}

    def _number_tensors(self, build: Build) -> None:
        """Number all tensors; inputs and a slot's first use as output are memory of the caller."""
        for index, layer in enumerate(self.network.input_layers):
            slot = layer.outputs[0]
            build.number_of[slot] = build.add(
                PlannedTensor(abi.ARMNN_PLAN_TENSOR_INPUT, slot.info.byte_size, index)
            )
        if self.network.variables:
            self._number_variables(build)
        for index, layer in enumerate(self.network.output_layers):
            source = layer.inputs[0]
            assert source is not None
            if source in build.number_of or source.layer.type == LayerType.CONSTANT:
                continue  # an input, a constant or a second output of one tensor: copied at the end
            factory = self._memory.get((source.layer.guid, source.index))
            if factory is not None:
                lend_output(build, source, factory, index)
                continue
            if source.layer.type == LayerType.MEM_IMPORT:
                continue  # memory of a backend, copied at the end
            build.number_of[source] = build.add(
                PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, source.info.byte_size, index)
            )
        for layer in self.network.layers:
            if isinstance(layer, ConstantLayer):
                slot = layer.outputs[0]
                build.number_of[slot] = build.add(
                    PlannedTensor(
                        abi.ARMNN_PLAN_TENSOR_CONSTANT,
                        slot.info.byte_size,
                        value=self._constant(layer),
                    )
                )
            elif not FACTS[layer.type].host:
                for slot in layer.outputs:
                    if slot not in build.number_of:
                        add_tensor(build, slot, self._memory)

    def _number_variables(self, build: Build) -> None:
        """Number the places of variables; layers that assign one write to it where they can.

        They cannot if their tensor is an input, a constant, a variable or assigned to another one:
        these are copied at the end of the run.
        """
        assigned = self.network.assign_layers
        for layer in self.network.variable_layers:
            slot = layer.outputs[0]
            factory = self._memory.get((layer.guid, 0), "")
            value = make_place(slot.info, factory)
            build.number_of[slot] = build.add(value)
            after = make_place(slot.info, factory) if layer.name in assigned else None
            build.variables.append(
                PlannedVariable(layer.name, slot.info, layer.initial, value, after)
            )
        for variable in build.variables:
            if variable.next is None:
                continue
            number = build.add(variable.next)
            source = assigned[variable.name].inputs[0]
            assert source is not None
            memory = self._memory.get((source.layer.guid, source.index), "")
            moves = source.layer.type in (LayerType.CONSTANT, LayerType.MEM_IMPORT)
            if source not in build.number_of and not moves and memory == variable.value.factory:
                build.number_of[source] = number

    def _add_assign_copies(self, build: Build) -> None:
        numbers = {id(tensor): number for number, tensor in enumerate(build.tensors)}
        for variable in build.variables:
            source = self.network.assign_layers[variable.name].inputs[0] if variable.next else None
            if source is None:
                continue
            target = numbers[id(variable.next)]
            if build.number_of[source] != target:
                build.steps.append(
                    PlannedStep([build.number_of[source]], [target], assigns=variable.name)
                )

    def _constant(self, layer: ConstantLayer) -> np.ndarray:
        """The value of a constant layer, 64-byte aligned as the backend API promises."""
        value = layer.value
        known = self._constants.get(id(value))
        if known is None:
            # The original is kept too, so that no other array gets its id.
            known = (value, aligned_copy(value, ALIGNMENT))
            self._constants[id(value)] = known
        return known[1]

    @staticmethod
    def _candidate(build: Build, layer: Layer) -> PlannedStep:
        """The step, without a workload, of a layer that may turn out to need no step."""
        return PlannedStep(
            [build.number_of[slot] for slot in layer.inputs if slot is not None],
            [build.number_of[slot] for slot in layer.outputs],
            layer,
            kind=abi.ARMNN_PLAN_STEP_EXECUTE,
        )

    def _make_step(self, build: Build, layer: Layer, factory_of: dict[str, int]) -> PlannedStep:
        backend_id = self._layer_backends[layer.guid]
        assert backend_id is not None, layer
        backend = self._registry[backend_id]
        if backend.id not in factory_of:
            factory_of[backend.id] = len(self.factories)
            self.factories.append(
                NativeWorkloadFactory(
                    backend.id,
                    backend.api,
                    backend.instance,
                    self._model_options.of(backend),
                    self._handle_registry,
                )
            )
        factory = factory_of[backend.id]
        blob = self._blobs.get(layer.guid)
        if blob is not None:
            check_blob(backend.id, backend.api, backend.instance, blob, layer.name)
        structs = LayerStructs(
            layer.type,
            layer.descriptor,
            [None if slot is None else slot.info for slot in layer.inputs],
            [slot.info for slot in layer.outputs],
            [
                self._constant(slot.layer)
                if slot is not None and isinstance(slot.layer, ConstantLayer)
                else None
                for slot in layer.inputs
            ],
            blob=blob,
            late=() if self.late is None else self.late.layer_masks(layer),
        )
        workload = self.factories[factory].create(structs, self._guids[layer.guid], layer.name)
        if layer.type is LayerType.DEBUG and self.debug is not None:
            workload = self.debug.wrap(workload, layer)
        self._workloads.append(workload)
        needs = workload.requirements
        inputs = []
        for index, slot in enumerate(layer.inputs):
            packed = slot is not None and needs.consumes(index)
            if packed and slot is not None and slot.layer.type != LayerType.CONSTANT:
                raise BackendError(
                    f"backend '{backend.id}': layer '{layer.name}' claims to have packed "
                    f"input {index}, which is not constant",
                    hints=["the needs of its workload are wrong: report it to its vendor"],
                )
            inputs.append(abi.ARMNN_PLAN_NONE if slot is None or packed else build.number_of[slot])
        outputs = [build.number_of[slot] for slot in layer.outputs]
        context = backend.context if backend.context and backend.context.waits else None
        return PlannedStep(inputs, outputs, layer, workload, factory, context)

    def _add_listeners(self, spec: PlanSpec) -> None:
        """Note the backends with workloads that want to hear of each run."""
        listeners = []
        for index, factory in enumerate(self.factories):
            context = self._registry[factory.backend_id].context
            if context is not None and context.listens:
                listeners.append(factory.backend_id)
                spec.add_listener(context.address, self._network_id, index)
        self.listeners = tuple(listeners)

    def _add_output_copies(self, build: Build) -> None:
        for index, layer in enumerate(self.network.output_layers):
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

    @staticmethod
    def _add_tensor(
        spec: PlanSpec, tensor: PlannedTensor, offsets: tuple[int, ...], numbers: dict[int, int]
    ) -> None:
        root, begin = tensor.location
        if tensor.kind == abi.ARMNN_PLAN_TENSOR_ARENA and tensor.is_foreign:
            # Of an input or output, of mapped memory, or of a place of a variable.
            spec.add_tensor(
                abi.ARMNN_PLAN_TENSOR_PART,
                tensor.size,
                index=numbers[id(root)],
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

    def _add_step(self, spec: PlanSpec, step: PlannedStep, scratch_offset: int) -> None:
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
                late=self._late_kind(step),
                input_infos=None if self.late is None else step.workload.input_infos,
            )

    def _move_flags(self, step: PlannedStep) -> int:
        """Whether a step may import memory with a descriptor, and its backend waits for that."""
        flags = 0
        if step.kind == abi.ARMNN_PLAN_STEP_COPY and may_import(self._tensors, step):
            flags = abi.ARMNN_PLAN_STEP_MAY_IMPORT
        if flags or step.kind in (abi.ARMNN_PLAN_STEP_IMPORT, abi.ARMNN_PLAN_STEP_LEND):
            source, target = self._sides(step)
            context = self._registry[target or source].context
            if context is not None and context.takes_fences:
                flags |= abi.ARMNN_PLAN_STEP_TAKES_READY
        return flags

    def _late_kind(self, step: PlannedStep) -> int:
        if self.late is None or step.layer is None or not any(self.late.layer_masks(step.layer)):
            return abi.ARMNN_PLAN_LATE_NONE
        if any(slot in self.late.told for slot in step.layer.outputs):
            return abi.ARMNN_PLAN_LATE_TELLS
        return abi.ARMNN_PLAN_LATE_INFOS

    def _describe(self, step: PlannedStep) -> StepInfo:
        if step.is_sync:
            backend = self.factories[step.factory].backend_id
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
                self._sides(step),
            )
        if step.layer is None:
            return StepInfo("copy to output", "MemCopy", "host", "memcpy")
        layer = step.layer
        backend = self._layer_backends[layer.guid] or ""
        if step.workload is None:
            copies = step.kind in (abi.ARMNN_PLAN_STEP_COPY, abi.ARMNN_PLAN_STEP_RETURN)
            path = move_path(self._tensors, step)
            kind = LayerType.MEM_COPY if copies else LayerType.MEM_IMPORT
            sides = self._sides(step)
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
            is_queued=step.context is not None,
        )

    def _sides(self, step: PlannedStep) -> tuple[str, str]:
        """The backends whose memory a step reads and writes; empty: the host's."""
        factories = self._handle_registry.factories if self._handle_registry is not None else {}

        def owner(numbers: list[int]) -> str:
            factory = self._tensors[numbers[0]].factory if numbers else ""
            return factories[factory].backend_id if factory else ""

        return owner(step.inputs), owner(step.outputs)

    # ---- Devices -----------------------------------------------------------------------------

    def note_lost_devices(self) -> None:
        """After a failure: note which backends of this plan reported their device lost."""
        for backend in self._retained:
            backend.note_lost_device()

    @property
    def backends(self) -> list[Backend]:
        """The backends that have layers, in the order of their first layers."""
        return self._retained

    @property
    def lost_devices(self) -> dict[str, str]:
        """Backends of this plan whose device is gone, with the reason each gave."""
        return {b.id: b.lost_device for b in self._retained if b.lost_device is not None}

    # ---- End ---------------------------------------------------------------------------------

    def destroy(self) -> None:
        """Free plan, workloads and factories in the order that the backend API prescribes."""
        if self.native is not None:
            self.native.destroy()
            self.native = None
        for workload in self._workloads:
            workload.destroy()
        self._workloads.clear()
        for factory in self.factories:
            factory.destroy()
        if self._handle_registry is not None:
            self._handle_registry.close()
            self._handle_registry = None
        for factory in self.factories:
            factory.destroy_parents()
        self.factories.clear()
        self._constants.clear()
        while self._retained:
            self._retained.pop().release()
