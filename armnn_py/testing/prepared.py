# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network on the backend under test, ready to be called at addresses of our choice."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.layers.layer_structs import LayerStructs
from armnn_py._native.table.blob import check_blob
from armnn_py._native.table.workloads import NativeWorkloadFactory
from armnn_py.errors import ArmnnError
from armnn_py.guard.lent import LentConstants, made_unchanged
from armnn_py.guard.one_run import Layout, Run, Step
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.network import ConstantLayer, Layer, OutputSlot
from armnn_py.optimizer import optimize
from armnn_py.testing.subject import AS_GIVEN, Subject, network_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from armnn_py._native.memory.guarded_memory import Region
    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.testing.cases import Case

_run_ids = itertools.count(1)

Runner = Callable[[Sequence["NDArray[Any] | None"]], list["NDArray[Any]"]]
"""Takes the operands of a case and gives the outputs."""


class Prepared:
    """A network on the backend under test, ready to be run many times."""

    def __init__(
        self,
        subject: Subject,
        optimized: OptimizedNetwork,
        constants: LentConstants | None = None,
    ) -> None:
        self._subject = subject
        self._stack = contextlib.ExitStack()
        self.steps: list[Step] = []
        self._constants: dict[OutputSlot, NDArray[Any]] = {}
        self.lent_constants = constants or LentConstants()
        self._data: int | None = None
        self._factory: NativeWorkloadFactory | None = None
        backend = subject.backend
        self._optimized = optimized
        self.network = optimized.network
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            if subject.in_host_memory:
                self._make(backend)
            else:
                self._loaded = self._stack.enter_context(
                    subject.runtime.load_network(self._optimized)
                )
            undo.pop_all()

    @property
    def finite_math_only(self) -> bool:
        """Whether the backend says that NaN and infinity may get lost."""
        return self._subject.finite_math_only

    def _make(self, backend: Backend) -> None:
        placed = self._optimized.placed
        self._factory = factory = NativeWorkloadFactory(
            backend.id, backend.api, backend.instance, placed.model_options.of(backend)
        )
        for layer in self.network.layers:
            if isinstance(layer, ConstantLayer):
                self._constants[layer.outputs[0]] = layer.value
            elif layer.type not in (LayerType.INPUT, LayerType.OUTPUT):
                self._make_step(backend, factory, layer)
        for step in self.steps:
            step.workload.configure("layer")
        factory.after_workloads_created()
        self._data = factory.create_execution_data()

    def _make_step(self, backend: Backend, factory: NativeWorkloadFactory, layer: Layer) -> None:
        placed = self._optimized.placed
        blob = placed.blobs.get(layer.guid)
        if blob is not None:
            check_blob(backend.id, backend.api, backend.instance, blob, layer.name)
        constants = [None if slot is None else self._lent(slot) for slot in layer.inputs]
        structs = LayerStructs(
            layer.type,
            layer.descriptor,
            [None if slot is None else slot.info for slot in layer.inputs],
            [slot.info for slot in layer.outputs],
            constants,
            blob=blob,
        )
        guid = placed.public_guids[layer.guid]
        workload = made_unchanged(structs, lambda: factory.create(structs, guid, layer.name))
        needs = workload.requirements
        inputs: list[OutputSlot | None] = []
        for index, slot in enumerate(layer.inputs):
            is_packed = slot is not None and needs.consumes(index)
            if is_packed and constants[index] is None:
                workload.destroy()
                raise CheckFailedError(
                    f"the workload says that it has packed input {index}, which is not constant"
                )
            inputs.append(None if is_packed else slot)
        self.steps.append(Step(workload, inputs, list(layer.outputs)))

    def _lent(self, slot: OutputSlot) -> NDArray[Any] | None:
        """Return a constant in pages that can be taken away."""
        value = self._constants.get(slot)
        return None if value is None else self.lent_constants.lend(value)

    # ---- Runs ------------------------------------------------------------------------------------

    def run(
        self,
        values: Sequence[NDArray[Any] | None],
        layout: Layout | None = None,
        *,
        kept: list[Region] | None = None,
        own_data: bool = False,
    ) -> list[NDArray[Any]]:
        """Run once.

        Parameters
        ----------
        values
            The operands of the case.
        layout
            How memory is laid out.
        kept
            Gets the memory of this run, so that it lives on at its addresses.
        own_data
            Whether the run is an execution context of its own, as each thread has.

        Returns
        -------
        list of array
            The outputs.

        Raises
        ------
        CheckFailedError
            The backend fails, writes beside its outputs or scratch, or writes to its inputs.
        """
        return self.runner(layout, kept=kept, own_data=own_data)(values)

    def runner(
        self, layout: Layout | None = None, *, kept: list[Region] | None = None, own_data: bool
    ) -> Runner:
        """Return what runs as `run` does, in memory that is the same each time."""
        if not self._subject.in_host_memory:
            return self._run_through_runtime
        run = Run(self, layout or Layout())
        if kept is not None:
            kept.extend(run.all_regions)
        return lambda values: run.through(self._given(values), own_data=own_data)

    def _run_through_runtime(self, values: Sequence[NDArray[Any] | None]) -> list[NDArray[Any]]:
        given = self._given(values)
        arrays = {name: value for name, value in given.items() if value is not None}
        outputs = self._loaded.run(arrays)
        return [np.array(outputs[name]) for name in sorted(outputs)]

    def repeater(self, values: Sequence[NDArray[Any] | None]) -> Callable[[int], None]:
        """Run once; returns what executes so many times more at the same addresses.

        A backend with memory of its own is run through the runtime.
        """
        if not self._subject.in_host_memory:

            def run_again(count: int) -> None:
                for _ in range(count):
                    self.run(values)

            return run_again
        run = Run(self, Layout())
        run.through(self._given(values), own_data=False)

        def repeat(count: int) -> None:
            with self._subject.host.bypassed():
                run.repeat(count, self._data)

        return repeat

    def _given(self, values: Sequence[NDArray[Any] | None]) -> dict[str, NDArray[Any] | None]:
        return {
            layer.name: values[int(layer.name[1:])]
            for layer in self.network.layers
            if layer.type is LayerType.INPUT
        }

    @contextlib.contextmanager
    def one_run(self, *, own_data: bool) -> Iterator[int | None]:
        """Tell the backend of a run; gives the state of its execution context, or of one more.

        Raises
        ------
        CheckFailedError
            The backend does not let the run begin.
        """
        with self._execution_data(own=own_data) as data:
            context = self._subject.backend.context
            if context is None:
                yield data
                return
            run_id = next(_run_ids)
            why_not = context.begin_run(run_id, data)
            if why_not is not None:
                raise CheckFailedError(f"before_run does not let a run begin: {why_not}")
            try:
                yield data
            finally:
                context.end_run(run_id, data)

    @contextlib.contextmanager
    def _execution_data(self, *, own: bool) -> Iterator[int | None]:
        if not own or self._factory is None:
            yield self._data
            return
        data = self._factory.create_execution_data()
        try:
            yield data
        finally:
            self._factory.destroy_execution_data(data)

    def take_constants_away(self) -> None:
        """Make the values that workloads were made from unreadable; runs get copies elsewhere."""
        self.lent_constants.take_away()

    @property
    def is_serial(self) -> bool:
        """Whether a step takes one call at a time."""
        return any(step.workload.requirements.is_serial for step in self.steps)

    @property
    def workload_data(self) -> None:
        """Each call makes its own."""
        return None

    @property
    def constants(self) -> dict[OutputSlot, NDArray[Any]]:
        """The values of its constant tensors."""
        return self._constants

    def close(self) -> None:
        """Destroy workloads and factory."""
        for step in self.steps:
            step.workload.destroy()
        self.steps = []
        if self._factory is not None:
            self._factory.destroy_execution_data(self._data)
            self._factory.destroy()
            self._factory.destroy_parents()
            self._factory = None
        self._stack.close()


class Preparation:
    """Makes the workloads of a case's layer, as often as wanted."""

    def __init__(
        self, subject: Subject, case: Case, values: Sequence[NDArray[Any] | None] | None = None
    ) -> None:
        self._subject, self._case, self._values = subject, case, values
        self._optimized: OptimizedNetwork | None = None

    def __call__(self, constants: LentConstants | None = None) -> Prepared:
        """Make them; ``constants`` are places for their values.

        Raises
        ------
        CheckFailedError
            The backend took the layer and does not make it.
        """
        subject = self._subject
        try:
            if self._optimized is None:
                network = network_of(self._case, self._values or self._case.values())
                self._optimized = optimize(
                    network, [subject.backend.id], runtime=subject.runtime, options=AS_GIVEN
                )
            return Prepared(subject, self._optimized, constants)
        except ArmnnError as error:
            words = "; ".join((error.message, *error.details))
            raise CheckFailedError(f"the layer was taken but is not made: {words}") from None
