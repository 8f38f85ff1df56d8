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
from armnn_py._native.stoppable_work import stoppable_work
from armnn_py.garbage import without_collections
from armnn_py.runtime.bounded.bounded_sizes import BoundedRefusedError
from armnn_py.runtime.bounded.bounded_tables import ShapeTables
from armnn_py.runtime.plan.memory_plan import find_in_place
from armnn_py.runtime.plan.moves import add_move, close_maps, number_handles
from armnn_py.runtime.plan.plan_build import add_syncs, callers_needs, find_needs, plan_memory
from armnn_py.runtime.plan.plan_spec import (
    SpecWriter,
    add_assign_copies,
    add_output_copies,
    bounded_kind,
    number_tensors,
)
from armnn_py.runtime.plan.plan_workloads import PlanWorkloads
from armnn_py.runtime.plan.planned import Build, PlannedStep
from armnn_py.runtime.plan.step_info import Steps
from armnn_py.runtime.plan.sub_tensors import elide_layers, is_candidate
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Container

    from armnn_py._native.plans.plan import NativePlan
    from armnn_py._native.table.workloads import NativeWorkloadFactory
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer import Assignment, OptimizedNetwork
    from armnn_py.runtime.bounded.bounded_shapes import BoundedShapes
    from armnn_py.runtime.debug_hook import DebugHook
    from armnn_py.runtime.plan.moves import PlannedHandle

#: The number of a network that no backend context was told about.
UNANNOUNCED = 2**64 - 1


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
    bounded
        Which shapes a run tells: the plan is for all up to their bounds.

    Raises
    ------
    BackendError
        If a backend does not make a workload that it declared supported.

    Attributes
    ----------
    arena_size, persistent_size
        Bytes of each execution context: for tensors and scratch, and for workloads to keep.
    packed
        By workload: its backend, the bytes that it states to keep, such as packed weights, and
        those of them that others kept before.
    packed_size, shared_size
        The sums of these.
    tensors
        All tensors, with the steps of their lives; tensors in one place have one ``record``.
    state_layers
        Layers whose workloads may keep something from run to run, for messages.
    variables
        The tensors that stay from run to run, in the order of their native numbers.
    elided
        Names of Concat, Splitter and Reshape layers without a step, because their tensors share
        memory.
    in_place
        Indices of inputs and outputs that may be one array of the caller, in pairs.
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
        bounded: BoundedShapes | None = None,
    ) -> None:
        placed = optimized.placed if bounded is None else bounded.placed
        self.network = placed.network
        self.debug = debug
        self.bounded = bounded
        self.handles: list[PlannedHandle] = []
        self.elided: list[str] = []
        self.listeners: tuple[str, ...] = ()
        self.native: NativePlan | None = None
        self.in_place: Container[tuple[int, int]] = ()
        self._placed = placed
        self._workloads = PlanWorkloads(optimized, debug, bounded)
        with contextlib.ExitStack() as undo:
            undo.callback(self.destroy)
            with without_collections(), stoppable_work():
                self._build(network_id, sub_tensors=sub_tensors and bounded is None)
            undo.pop_all()

    # ---- Building ----------------------------------------------------------------------------

    def _build(self, network_id: int, *, sub_tensors: bool) -> None:
        build, workloads, placed = Build(), self._workloads, self._placed
        workloads.take_backends()
        number_tensors(build, self.network, placed.memory, workloads.constant)
        candidates: list[PlannedStep] = []
        for layer in self.network.layers:
            if FACTS[layer.type].host:
                continue
            if FACTS[layer.type].moves_memory:
                add_move(build, layer)
            elif layer.guid not in placed.blobs and _may_need_no_step(layer):
                candidates.append(self._candidate(build, layer))
                build.steps.append(candidates[-1])
            else:
                build.steps.append(workloads.make_step(build, layer))
        if candidates:
            self.elided = elide_layers(
                build,
                candidates,
                lambda layer: workloads.make_step(build, layer),
                workloads.handle_factories,
                enabled=sub_tensors,
            )
        workloads.finish(build)
        add_output_copies(build, self.network)
        add_assign_copies(build, self.network)
        close_maps(build)
        add_syncs(build)
        find_needs(build)
        if self.bounded is not None:
            self._prepare_bounded(build, self.bounded)
        memory = plan_memory(build)
        self.handles = number_handles(build, workloads.in_place_factories())
        self.tensors = build.tensors  # the native plan points at the values of constants
        self.variables = build.variables
        self.arena_size = memory.size
        self.input_needs = callers_needs(build, abi.ARMNN_PLAN_TENSOR_INPUT)
        self.output_needs = callers_needs(build, abi.ARMNN_PLAN_TENSOR_OUTPUT)
        if self.bounded is None and _may_be_in_place(build):
            self.in_place = find_in_place(build)
        self._sum_up(build)
        steps = Steps(build.tensors, workloads, placed.layer_backends)
        self.steps = [steps.describe(step) for step in build.steps]
        writer = SpecWriter(build, workloads, steps, network_id, self.bounded)
        self.listeners = writer.listeners
        self.native = writer.make(self.network, memory, len(self.handles))
        if self.bounded is not None:
            self.shape_tables = ShapeTables(self.bounded, build)
            #: By number of the step: the layers that report sizes.
            self.telling: dict[int, Layer] = {
                number: step.layer
                for number, step in enumerate(build.steps)
                if step.layer is not None
                and bounded_kind(self.bounded, step) == abi.ARMNN_PLAN_BOUNDED_REPORTS
            }

    def _sum_up(self, build: Build) -> None:
        """The state of workloads."""
        made = [(step.layer, step.workload) for step in build.steps if step.workload is not None]
        self.persistent_size = sum(w.requirements.persistent_size for _, w in made)
        self.packed = [
            (w.backend_id, w.requirements.packed_size, w.requirements.shared_size)
            for _, w in made
            if w.requirements.packed_size
        ]
        self.packed_size = sum(size for _, size, _ in self.packed)
        self.shared_size = sum(shared for _, _, shared in self.packed)
        self.state_layers = [
            f"layer '{layer.name}' on {self._placed.layer_backends[layer.guid]}"
            for layer, workload in made
            if layer is not None and workload.may_have_state
        ]

    @staticmethod
    def _candidate(build: Build, layer: Layer) -> PlannedStep:
        """The step, without a workload, of a layer that may turn out to need no step."""
        return PlannedStep(
            [build.number_of[slot] for slot in layer.inputs if slot is not None],
            [build.number_of[slot] for slot in layer.outputs],
            layer,
            kind=abi.ARMNN_PLAN_STEP_EXECUTE,
        )

    @staticmethod
    def _prepare_bounded(build: Build, bounded: BoundedShapes) -> None:
        """Have only tensors share memory that keep one size; refuse moves of tensors that do not.

        A step of the host moves a whole tensor.
        """
        slots = {id(build.tensors[number]): slot for slot, number in build.number_of.items()}
        build.keeps_size = lambda source, target: bounded.same_size(
            slots[id(source)], slots[id(target)]
        )
        changing = {number for slot, number in build.number_of.items() if slot in bounded.masks}
        for step in build.steps:
            if step.workload is None and changing.intersection((*step.inputs, *step.outputs)):
                raise BoundedRefusedError(
                    ["an output of the network is an input, or another output: it is copied"]
                )

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer."""
        return self._placed.assignment

    # ---- Devices -----------------------------------------------------------------------------

    def note_lost_devices(self) -> None:
        """After a failure: note which backends of this plan reported their device lost."""
        for backend in self.backends:
            backend.note_lost_device()

    @property
    def factories(self) -> list[NativeWorkloadFactory]:
        """Workload factories, by the number that steps have for them."""
        return self._workloads.factories

    @property
    def backends(self) -> list[Backend]:
        """The backends that have layers, in the order of their first layers."""
        return self._workloads.backends

    @property
    def lost_devices(self) -> dict[str, str]:
        """Backends of this plan whose device is gone, with the reason each gave."""
        return {b.id: b.lost_device for b in self.backends if b.lost_device is not None}

    # ---- End ---------------------------------------------------------------------------------

    def destroy(self) -> None:
        """Free plan, workloads and factories in the order that the backend API prescribes."""
        if self.native is not None:
            self.native.destroy()
            self.native = None
        self._workloads.destroy()


def _may_need_no_step(layer: Layer) -> bool:
    """Whether a layer leaves bytes as they are, see `is_candidate`."""
    if layer.type not in (LayerType.CONCAT, LayerType.SPLITTER, LayerType.RESHAPE):
        return False

    return is_candidate(layer)


def _may_be_in_place(build: Build) -> bool:
    """Whether an output has the size of an input."""
    sizes = {t.size for t in build.tensors if t.kind == abi.ARMNN_PLAN_TENSOR_INPUT}
    return any(t.size in sizes for t in build.tensors if t.kind == abi.ARMNN_PLAN_TENSOR_OUTPUT)
