# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The workloads of a plan, with the backends and factories that made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.layers.layer_structs import LayerStructs
from armnn_py._native.table.blob import check_blob
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py._native.table.workloads import NativeWorkload, NativeWorkloadFactory
from armnn_py.errors import BackendError
from armnn_py.guard.lent import LentConstants, made_unchanged
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.network import ConstantLayer
from armnn_py.runtime.debug_hook import broken_rule
from armnn_py.runtime.plan.planned import PlannedStep
from armnn_py.stopping import check_stopped
from armnn_py.tensors.memory import ALIGNMENT, aligned_copy
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from armnn_py._native.table.backend_context import NativeBackendContext
    from armnn_py._native.table.tensor_handles import TensorHandleFactory
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.bounded.bounded_shapes import BoundedShapes
    from armnn_py.runtime.debug_hook import DebugHook
    from armnn_py.runtime.plan.planned import Build


class PlanWorkloads:
    """Makes the workloads of a plan and owns them, their factories and constants.

    Parameters
    ----------
    optimized
        The network, whose runtime has the backends.
    debug
        The hook that gets the tensors of Debug layers.
    bounded
        Which shapes a run tells, or None.

    Attributes
    ----------
    backends
        Those that have layers, in the order of their first layers.
    factories
        Workload factories, one for each backend that has a step.
    """

    def __init__(
        self, optimized: OptimizedNetwork, debug: DebugHook | None, bounded: BoundedShapes | None
    ) -> None:
        placed = optimized.placed if bounded is None else bounded.placed
        self._layer_backends = placed.layer_backends
        self._guids = placed.public_guids
        self._registry = optimized.runtime.backends
        self._model_options = placed.model_options
        self._blobs = placed.blobs
        self._debug = debug
        self._bounded = bounded
        self._handle_registry: HandleRegistry | None = None
        self._constants: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._lent_constants = LentConstants()
        self._factory_of: dict[str, int] = {}
        self._workloads: list[NativeWorkload] = []
        self.backends: list[Backend] = []
        self.factories: list[NativeWorkloadFactory] = []

    def take_backends(self) -> None:
        """Hold the backends that have layers, and ask for their tensor handle factories."""
        for backend_id in dict.fromkeys(name for name in self._layer_backends if name is not None):
            backend = self._registry[backend_id]
            backend.retain()
            self.backends.append(backend)
        if any(backend.api.register_tensor_handle_factories for backend in self.backends):
            self._handle_registry = HandleRegistry(self.backends)

    @property
    def handle_factories(self) -> Mapping[str, TensorHandleFactory]:
        """Tensor handle factories by id."""
        return {} if self._handle_registry is None else self._handle_registry.factories

    def in_place_factories(self) -> set[str]:
        """Ids of the tensor handle factories whose handles may be written in place."""
        factories = self.handle_factories.values()
        return {factory.id for factory in factories if factory.supports_in_place}

    def context_of(self, backend_id: str) -> NativeBackendContext | None:
        """The context of a backend, if it has one."""
        return self._registry[backend_id].context

    def constant(self, layer: ConstantLayer) -> np.ndarray:
        """The value of a constant layer, 64-byte aligned as the backend API promises."""
        value = layer.value
        known = self._constants.get(id(value))
        if known is None:
            # The original is kept too, so that no other array gets its id.
            known = (value, aligned_copy(value, ALIGNMENT))
            self._constants[id(value)] = known
        return known[1]

    def make_step(self, build: Build, layer: Layer) -> PlannedStep:
        """Make the workload of a layer, and its step.

        Raises
        ------
        BackendError
            The backend does not make it, or says what cannot be.
        """
        check_stopped()
        backend_id = self._layer_backends[layer.guid]
        assert backend_id is not None, layer
        backend = self._registry[backend_id]
        if backend.id not in self._factory_of:
            self._factory_of[backend.id] = len(self.factories)
            self.factories.append(
                NativeWorkloadFactory(
                    backend.id,
                    backend.api,
                    backend.instance,
                    self._model_options.of(backend),
                    self._handle_registry,
                )
            )
        factory = self._factory_of[backend.id]
        blob = self._blobs.get(layer.guid)
        if blob is not None:
            check_blob(backend.id, backend.api, backend.instance, blob, layer.name)
        guards = self._debug is not None and self._debug.guards and backend.place != "isolated"
        constant = self._lent if guards else self.constant
        structs = LayerStructs(
            layer.type,
            None if layer.type is LayerType.PRE_COMPILED else layer.descriptor,
            [None if slot is None else slot.info for slot in layer.inputs],
            [slot.info for slot in layer.outputs],
            [
                constant(slot.layer)
                if slot is not None and isinstance(slot.layer, ConstantLayer)
                else None
                for slot in layer.inputs
            ],
            blob=blob,
            bounded=() if self._bounded is None else self._bounded.layer_masks(layer),
        )
        guid, made_by = self._guids[layer.guid], self.factories[factory]
        if guards:
            workload = self._guarded(structs, guid, layer, made_by)
        else:
            workload = made_by.create(structs, guid, layer.name)
        if layer.type is LayerType.DEBUG and self._debug is not None:
            workload = self._debug.wrap(workload, layer)
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

    def _lent(self, layer: ConstantLayer) -> np.ndarray:
        """The value of a constant layer in pages that `finish` takes away."""
        return self._lent_constants.lend(layer.value)

    def _guarded(
        self, structs: LayerStructs, guid: int, layer: Layer, factory: NativeWorkloadFactory
    ) -> NativeWorkload:
        """Make a workload whose executes are checked."""
        assert self._debug is not None
        try:
            made = made_unchanged(structs, lambda: factory.create(structs, guid, layer.name))
        except CheckFailedError as error:
            raise broken_rule(error, factory.backend_id, layer) from None
        return self._debug.guard(made, layer)

    def finish(self, build: Build) -> None:
        """Tell factories and workloads that all of them exist, in execution order."""
        for factory in self.factories:
            factory.after_workloads_created()
        for step in build.steps:
            if step.workload is not None and step.layer is not None:
                step.workload.configure(step.layer.name)
        self._lent_constants.take_away()

    def destroy(self) -> None:
        """Free workloads and factories in the order that the backend API prescribes."""
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
        while self.backends:
            self.backends.pop().release()
