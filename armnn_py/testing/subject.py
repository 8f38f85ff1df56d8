# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend under test in this process, and its workloads, called at addresses of our choice."""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.blob import check_blob
from armnn_py._native.direct_execution import execute
from armnn_py._native.guarded_memory import Region
from armnn_py._native.handle_registry import HandleRegistry
from armnn_py._native.kit_host import KitHost
from armnn_py._native.layers import LayerStructs
from armnn_py._native.library import use_host
from armnn_py._native.workloads import NativeWorkload, NativeWorkloadFactory
from armnn_py.errors import ArmnnError, BackendSkippedWarning
from armnn_py.network import ConstantLayer, Layer, Network, OutputSlot
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.records import record
from armnn_py.runtime import Runtime
from armnn_py.testing.outcome import CheckFailedError
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from armnn_py._native.guarded_memory import Place
    from armnn_py.backends.backend import Backend
    from armnn_py.runtime import LoadedNetwork
    from armnn_py.testing.cases import Case

__all__ = ["Layout", "Prepared", "Subject", "Target", "network_of"]

_AS_GIVEN = OptimizerOptions(simplify=False)
_CONSTANT_POISON = 0xA5


@record
class Target:
    """Where the backend under test is: a file, or folders that are searched for an id.

    ``options`` are those of the backend, as text or values by name.
    """

    id: str
    folders: tuple[str, ...] = ()
    search: bool = False
    options: dict[str, Any] | None = None

    def runtime(self, *, with_others: bool = False) -> Runtime:
        """Make a runtime that has it; of a file it is alone there, unless others are wanted."""
        options = {self.id: self.options} if self.options else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BackendSkippedWarning)
            if self.search:
                return Runtime(list(self.folders) or None, backend_options=options)
            return Runtime(
                list(self.folders),
                bundled_backends=with_others,
                use_environment=False,
                backend_options=options,
            )


@record
class Layout:
    """How one execute gets its memory.

    Attributes
    ----------
    place
        Where each tensor lies in pages of its own.
    poison
        What outputs and scratch are full of before.
    read_only
        Whether nobody may write to the inputs.
    checked
        Whether what lies beside each tensor, and the inputs, must be as they were.
    in_place
        The input whose memory an output of the only step takes, and that output; or None.
    """

    place: Place = "middle"
    poison: int = 0xCB
    read_only: bool = False
    checked: bool = False
    in_place: tuple[int, int] | None = None


def network_of(
    case: Case, values: Sequence[NDArray[Any] | None], *, variable: int | None = None
) -> Network:
    """Return the network that is the layer of a case: inputs x0, x1, ..., outputs y0, y1, ...

    ``variable`` is the index of an operand that becomes output 0 after each run.
    """
    network = Network(case.name)
    sources: list[Layer | None] = []
    for index, (info, value) in enumerate(zip(case.signature.inputs, values, strict=True)):
        if info is None or value is None:
            sources.append(None)
        elif case.signature.constants[index]:
            sources.append(network.add_constant(value, info=info))
        elif index == variable:
            sources.append(network.add_variable(f"x{index}", info, value))
        else:
            sources.append(network.add_input(f"x{index}", info))
    signature = case.signature
    layer = network.add_layer(
        signature.type, sources, signature.descriptor, name="layer", output_infos=signature.outputs
    )
    for index, slot in enumerate(layer.outputs):
        network.add_output(f"y{index}", slot)
    for kept in network.variable_layers:
        network.assign(kept, layer.outputs[0])
    return network


class Subject:
    """The backend under test, with a host whose parallel_for is ours.

    Attributes
    ----------
    host
        The table that the backend was made with.
    in_host_memory
        Whether its workloads take addresses and are done when ``execute`` returns; else it is
        called through the runtime alone.
    """

    def __init__(self, target: Target) -> None:
        self.host = KitHost()
        use_host(self.host.pointer)
        self.runtime = target.runtime()
        self.backend: Backend = self.runtime.backends[target.id]
        registry = HandleRegistry([self.backend])
        try:
            own = bool(registry.preferences(self.backend.id))
        finally:
            registry.close()
        context = self.backend.context
        self.in_host_memory = not own and not (context is not None and context.waits)

    def check_devices(self) -> None:
        """Let the backend list its devices as before there was an instance, and with one.

        Raises
        ------
        BackendError
            It fails to list them, or gives two answers.
        """
        self.backend.source.devices()
        self.backend.devices  # noqa: B018

    def prepare(self, case: Case, values: Sequence[NDArray[Any] | None]) -> Prepared:
        """Make the workloads of a case's layer.

        Raises
        ------
        CheckFailedError
            The backend took the layer and does not make it.
        """
        network = network_of(case, values)
        try:
            return Prepared(self, network)
        except ArmnnError as error:
            words = "; ".join((error.message, *error.details))
            raise CheckFailedError(f"the layer was taken but is not made: {words}") from None

    def load(self, network: Network) -> LoadedNetwork:
        """Load a network on the backend alone, as it is; who calls closes it."""
        optimized = optimize(network, [self.backend.id], runtime=self.runtime, options=_AS_GIVEN)
        return self.runtime.load_network(optimized)

    def close(self) -> None:
        """Destroy the instance."""
        self.runtime.close()


class _Step:
    """One workload and where its operands are."""

    def __init__(
        self, workload: NativeWorkload, inputs: list[OutputSlot | None], outputs: list[OutputSlot]
    ) -> None:
        self.workload, self.inputs, self.outputs = workload, inputs, outputs


class Prepared:
    """A network on the backend under test, ready to be run many times."""

    def __init__(self, subject: Subject, network: Network) -> None:
        self._subject = subject
        self._stack = contextlib.ExitStack()
        self.steps: list[_Step] = []
        self._constants: dict[OutputSlot, NDArray[Any]] = {}
        self._made_from: list[Region] = []
        self._data: int | None = None
        self._factory: NativeWorkloadFactory | None = None
        backend = subject.backend
        self._optimized = optimize(
            network, [backend.id], runtime=subject.runtime, options=_AS_GIVEN
        )
        self.network = self._optimized.network
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            if subject.in_host_memory:
                self._make(backend)
            else:
                self._loaded = self._stack.enter_context(
                    subject.runtime.load_network(self._optimized)
                )
            undo.pop_all()

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
        workload = factory.create(structs, placed.public_guids[layer.guid], layer.name)
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
        self.steps.append(_Step(workload, inputs, list(layer.outputs)))

    def _lent(self, slot: OutputSlot) -> NDArray[Any] | None:
        """Return a constant in pages that can be taken away."""
        value = self._constants.get(slot)
        if value is None:
            return None
        region = Region(value.nbytes, 64, "least", _CONSTANT_POISON)
        view = region.view(value.dtype, value.shape)
        view[...] = value
        self._made_from.append(region)
        return view

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
        given = {
            layer.name: values[int(layer.name[1:])]
            for layer in self.network.layers
            if layer.type is LayerType.INPUT
        }
        if not self._subject.in_host_memory:
            arrays = {name: value for name, value in given.items() if value is not None}
            outputs = self._loaded.run(arrays)
            return [np.array(outputs[name]) for name in sorted(outputs)]
        run = _Run(self, layout or Layout())
        if kept is not None:
            kept.extend(run.all_regions)
        return run.through(given, own_data=own_data)

    @contextlib.contextmanager
    def execution_data(self, *, own: bool) -> Iterator[int | None]:
        """Give the state of an execution context: the one there is, or one more."""
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
        for region in self._made_from:
            region.allow(read=False, write=False)

    def in_place_offers(self) -> list[tuple[int, int]]:
        """Return the inputs whose memory the only step offers to take, each with its output."""
        if len(self.steps) != 1:
            return []
        (step,) = self.steps
        needs = step.workload.requirements
        return [
            (index, number)
            for number, output in enumerate(step.outputs)
            for index, slot in enumerate(step.inputs)
            if needs.may_be_in_place(number, index)
            and slot is not None
            and slot not in self._constants
            and slot.info.byte_size == output.info.byte_size
        ]

    @property
    def is_serial(self) -> bool:
        """Whether a step takes one call at a time."""
        return any(step.workload.requirements.is_serial for step in self.steps)

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


class _Run:
    """The memory of one run: each tensor, and the scratch of each step, in pages of its own."""

    def __init__(self, prepared: Prepared, layout: Layout) -> None:
        self._prepared, self._layout = prepared, layout
        alignments: dict[OutputSlot, int] = {}
        readable: dict[OutputSlot, int] = {}

        def ask(slot: OutputSlot | None, alignment: int, behind: int) -> None:
            if slot is not None:
                own = max(slot.info.dtype.itemsize, 1)
                alignments[slot] = max(alignments.get(slot, own), alignment)
                readable[slot] = max(readable.get(slot, 0), behind)

        for step in prepared.steps:
            needs = step.workload.requirements
            for index, slot in enumerate(step.inputs):
                ask(slot, needs.input_alignment(index), needs.readable_behind_input(index))
            for index, slot in enumerate(step.outputs):
                ask(slot, needs.output_alignment(index), needs.readable_behind_output(index))
            if layout.in_place is not None:
                index, output = layout.in_place
                ask(
                    step.inputs[index],
                    needs.output_alignment(output),
                    needs.readable_behind_output(output),
                )
        self.regions = {
            slot: Region(
                slot.info.byte_size, alignment, layout.place, layout.poison, readable[slot]
            )
            for slot, alignment in alignments.items()
        }
        self._taken: OutputSlot | None = None
        if layout.in_place is not None:
            (step,) = prepared.steps
            index, output = layout.in_place
            self._taken = step.inputs[index]
            assert self._taken is not None
            self.regions[step.outputs[output]] = self.regions[self._taken]
        self.scratch = [self._scratch_of(step) for step in prepared.steps]
        self.persistent = [self._persistent_of(step) for step in prepared.steps]

    @property
    def all_regions(self) -> list[Region]:
        """Everything that was taken."""
        others = [region for region in (*self.scratch, *self.persistent) if region is not None]
        return [*self.regions.values(), *others]

    def _scratch_of(self, step: _Step) -> Region | None:
        needs = step.workload.requirements
        if not needs.scratch_size:
            return None
        layout = self._layout
        return Region(needs.scratch_size, needs.scratch_alignment, layout.place, layout.poison)

    def _persistent_of(self, step: _Step) -> Region | None:
        size = step.workload.requirements.persistent_size
        if not size:
            return None
        region = Region(size, 64, self._layout.place, self._layout.poison)
        region.view(np.dtype(np.uint8), (size,))[:] = 0
        return region

    def through(
        self, given: dict[str, NDArray[Any] | None], *, own_data: bool
    ) -> list[NDArray[Any]]:
        """Fill in what is known, execute each step, and look at what it left."""
        prepared = self._prepared
        known: dict[OutputSlot, NDArray[Any]] = dict(prepared.constants)
        for layer in prepared.network.layers:
            value = given.get(layer.name)
            if layer.type is LayerType.INPUT and value is not None:
                known[layer.outputs[0]] = value
        for slot, value in known.items():
            if slot in self.regions:
                self._view(slot)[...] = value
        with prepared.execution_data(own=own_data) as data:
            memory = zip(prepared.steps, self.scratch, self.persistent, strict=True)
            for step, scratch, persistent in memory:
                self._execute(step, scratch, persistent, data)
        for slot, value in known.items():
            if not self._layout.checked or slot not in self.regions or slot is self._taken:
                continue
            if self._view(slot).tobytes() != value.tobytes():
                raise CheckFailedError("an input was written to", before=value)
        found = []
        for layer in prepared.network.output_layers:
            source = layer.inputs[0]
            assert source is not None
            found.append(np.array(known[source] if source in known else self._view(source)))
        return found

    def _view(self, slot: OutputSlot) -> NDArray[Any]:
        return self.regions[slot].view(slot.info.dtype, slot.info.static_shape)

    def _execute(
        self, step: _Step, scratch: Region | None, persistent: Region | None, data: int | None
    ) -> None:
        read = [None if slot is None else self.regions[slot] for slot in step.inputs]
        written = [self.regions[slot] for slot in step.outputs]
        if self._layout.read_only:
            for region in read:
                if region is not None:
                    region.allow(read=True, write=False)
        status, text = execute(
            step.workload,
            [None if region is None else region.address for region in read],
            [region.address for region in written],
            None if scratch is None else scratch.address,
            data,
            None if persistent is None else persistent.address,
        )
        for region in read:
            if region is not None:
                region.allow(read=True, write=True)
        if status != 0:
            raise CheckFailedError(f"execute answered {status}: {text or 'no reason given'}")
        if not self._layout.checked:
            return
        named: list[tuple[str, Region | None]] = [
            *((f"input {index}", region) for index, region in enumerate(read)),
            *((f"output {index}", region) for index, region in enumerate(written)),
            ("the scratch", scratch),
            ("the persistent bytes", persistent),
        ]
        for name, region in named:
            where = region.damage() if region is not None else ""
            if where:
                raise CheckFailedError(f"execute wrote beside {name}, {where}")
