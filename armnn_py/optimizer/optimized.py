# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The result of `optimize`: a network in which every layer has its backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.errors import InputValuesNeededError, InvalidArgumentError
from armnn_py.errors.shortage import tells_shortage
from armnn_py.later import public_class
from armnn_py.network import as_network, stages_needed
from armnn_py.network.stages import why_stages
from armnn_py.optimizer.placing.placer import Placer
from armnn_py.optimizer.reports.report import Assignment, memory_records
from armnn_py.ownership import Owner
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.registry import Skipped
    from armnn_py.network import ModelMetadata, Network, NetworkStorage
    from armnn_py.optimizer.host import Host
    from armnn_py.optimizer.options import OptimizerOptions
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.optimizer.reports.report import TensorMemory
    from armnn_py.optimizer.run_passes import PassRecord
    from armnn_py.tensors import TensorInfo


@public_class
class OptimizedNetwork(Owner, instead="copy or pickle its .network, then optimize() that"):
    """A network with a backend for each layer; made by `optimize`, loaded by `Runtime`.

    A network with free dimensions gets its backends when the dimensions are known: `specialize`
    gives the optimised network of one set of shapes.
    """

    __slots__ = ("_place", "_placed", "_source", "backends", "options", "runtime", "skipped")

    def __init__(
        self,
        network: NetworkStorage,
        backends: Sequence[Backend],
        runtime: Host,
        options: OptimizerOptions,
        place: Callable[[Any, bool, bool], PlacedNetwork],
        skipped: Skipped | None = None,
    ) -> None:
        self._source = network
        self.backends = tuple(backends)
        self.runtime = runtime
        self.options = options
        #: Listed backends that may be absent and are, by id, and why.
        self.skipped = {} if skipped is None else skipped
        self._place = place
        self._placed = None
        if not network.is_dynamic:
            tells = any(slot.info.bounded for layer in network.layers for slot in layer.outputs)
            self._placed = place(network, tells, False)

    @property
    def network(self) -> Network:
        """The network that is run; while dimensions are free, the given one."""
        return as_network(self.contents)

    @property
    def given(self) -> Network:
        """The network that was given to `optimize`."""
        return as_network(self._source)

    @property
    def contents(self) -> NetworkStorage:
        """The layers of `network`, for who adds none."""
        return self._source if self._placed is None else self._placed.network

    @property
    def placed(self) -> PlacedNetwork:
        """The network with the backend of each layer, for loading it.

        Raises
        ------
        InvalidArgumentError
            Dimensions are still free, or values of inputs decide shapes.
        """
        if self._placed is None:
            if self._source.stages:
                raise stages_needed(self.name, self._source.stages)
            if all(info.is_static for info in self.inputs.values()):
                raise InputValuesNeededError(
                    f"network '{self.name}': the layers depend on the values of input "
                    + ", ".join(f"'{name}'" for name in self.value_inputs),
                    names=self.value_inputs,
                    hints=["specialize({}, values) gives the optimised network of such values"],
                )
            raise InvalidArgumentError(
                f"network '{self.name}' has free dimensions",
                hints=["specialize(shapes) gives the optimised network of one set of shapes"],
            )
        return self._placed

    @property
    def name(self) -> str:
        """Name of the network."""
        return self.contents.name

    @property
    def metadata(self) -> ModelMetadata:
        """Metadata of the model file."""
        return self.contents.metadata

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name."""
        return self.contents.inputs

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name."""
        return self.contents.outputs

    @property
    def variables(self) -> Mapping[str, TensorInfo]:
        """Variables by name: tensors that stay from run to run."""
        return self.contents.variables

    @property
    def value_inputs(self) -> tuple[str, ...]:
        """Inputs whose values decide shapes, as far as they are known."""
        return self._source.value_inputs

    @property
    def is_dynamic(self) -> bool:
        """Whether an input has a free dimension, or values of inputs decide shapes."""
        return self._placed is None

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer; empty while dimensions are free."""
        if self._placed is not None:
            return self._placed.assignment.with_skipped(self.skipped)

        stages = self._source.stages

        pending = Assignment(is_pending=True, stages=len(stages), why_stages=why_stages(stages))
        return pending.with_skipped(self.skipped)

    @property
    def memory(self) -> tuple[TensorMemory, ...]:
        """Tensors in memory of backends, and those that are copied or imported on the way.

        In the order of the network that is run; empty while dimensions are free.
        """
        if self._placed is None:
            return ()
        return memory_records(self._placed.network, self._placed.memory)

    @property
    def passes(self) -> tuple[PassRecord, ...]:
        """The changes of each pass, in order; empty while dimensions are free."""
        return () if self._placed is None else self._placed.passes

    def specialize(
        self, shapes: Mapping[str, Sequence[int]], values: Mapping[str, NDArray[Any]] | None = None
    ) -> OptimizedNetwork:
        """Bind the free dimensions and give every layer its backend.

        Parameters
        ----------
        shapes
            Shape of each input by name.
        values
            Arrays by name, for inputs whose values decide shapes.

        Raises
        ------
        InvalidArgumentError
            If a shape does not fit the input.
        InputValuesNeededError
            If values decide shapes and are not given.
        NoBackendForLayerError
            If no backend takes a layer.
        """
        if not self.is_dynamic:
            return self
        return OptimizedNetwork(
            self.given.specialize(shapes, values),
            self.backends,
            self.runtime,
            self.options,
            self._place,
            self.skipped,
        )

    def specialize_cheaply(
        self, shapes: Mapping[str, Sequence[int]], values: Mapping[str, NDArray[Any]] | None = None
    ) -> OptimizedNetwork:
        """`specialize` for a network that is loaded: what shapes have in common is done once.

        The result cannot be saved. Its reports are those of the first of such shapes.
        """
        if self.is_dynamic and isinstance(place := self._place, Placer):
            placed = place.for_shapes(self.given, shapes, values or {})
            if placed is not None:
                return OptimizedNetwork(
                    placed.network, self.backends, self.runtime, self.options, lambda *_: placed
                )
        return self.specialize(shapes, values)

    def like_this(self, network: Network) -> OptimizedNetwork:
        """Optimise another network with the same backends and options: a stage of this one."""
        place = self._place
        if isinstance(place, Placer):
            place.check_on_trial(network)
            place = place.for_another()
        return OptimizedNetwork(network, self.backends, self.runtime, self.options, place)

    @tells_shortage("save {}")
    def save(self, path: str | os.PathLike[str], *, keep_subgraphs: bool | None = None) -> None:
        """Write the network to a file that `load` reads without importing or optimising anything.

        Compiled sub-graphs are in it as the bytes that their backends write of them. A backend that
        writes none, or refuses its bytes later, compiles the layers again when the file is loaded.

        Parameters
        ----------
        path
            The file; one that is there is replaced at once, when the new one is complete. The usual
            suffix is ``.armnnpy``.
        keep_subgraphs
            Whether the file also has the layers of sub-graphs that it has as bytes, so that these
            can be optimised anew where a backend takes the bytes no more. The weights of such
            layers are then in the file twice. None: those whose bytes are for one kind of
            processor, as CpuAcc's packed weights are; False makes a file that is half as large,
            for machines like this one.

        Raises
        ------
        InvalidArgumentError
            The network has free dimensions, a model option is secret, or the file cannot be
            written. `StagesNeededError`: a stage has free dimensions, or only the importer
            computes it.
        ShortageError
            The disk is full, or memory or open files ran out.
        BackendError
            A backend fails to write a compiled sub-graph.

        Examples
        --------
        >>> import armnn_py as ann
        >>> with ann.Runtime() as runtime:
        ...     optimized = ann.optimize(ann.import_model("model.onnx"), runtime=runtime)
        ...     optimized.save("model.armnnpy")
        >>> with ann.load("model.armnnpy") as network:
        ...     print(list(network.outputs))
        ['probabilities']
        """
        self.runtime.check_open()

        from armnn_py.optimizer.saved.write import save_network

        save_network(self, path, keep_subgraphs=keep_subgraphs)

    @classmethod
    @tells_shortage("load {}")
    def load(
        cls, path: str | os.PathLike[str], *, runtime: Host, in_place: bool = True
    ) -> OptimizedNetwork:
        """Read a network that `save` wrote; `armnn_py.load` reads and loads it in one call.

        Backends are asked again whether they take their layers and compiled sub-graphs, and where
        tensors lie is decided anew; no pass runs. What they do not take any more, and the layers of
        a backend that is not loaded, is optimised anew from the layers in the file, for the
        backends that there are; one warning lists it.

        Parameters
        ----------
        path
            The file.
        runtime
            The runtime that has the backends.
        in_place
            Constants stay in the file, which is mapped to memory: do not write to it or cut
            it short while the network lives (`save` replaces a file and does neither). False: the
            file is read as a whole.

        Raises
        ------
        ParseError
            The file cannot be read, is damaged, or is of a later version.
        BackendNotFoundError
            A backend is not loaded, and no other one takes its layers.
        BackendError
            A backend does not take a layer or a compiled sub-graph any more, and no other one does,
            or the file has no layers for it.
        """
        from armnn_py.optimizer.saved.restore import load_network

        place, backends, options = load_network(path, runtime, in_place=in_place)
        return cls(place.network, backends, runtime, options, place)

    def forget_sources(self, *, keeps_given: bool = False) -> None:
        """Drop what only `save` needs; for a network that will not be saved.

        With it goes the given network, and those of its weights that backends have packed, unless
        ``keeps_given``: it may be placed anew.
        """
        if self._placed is not None:
            self._placed.sources.clear()
            if not keeps_given:
                self._source = self._placed.network

    def place_bounded(
        self, shapes: Mapping[str, Sequence[int]], *, trial: bool = False
    ) -> PlacedNetwork:
        """Give every layer its backend, where these shapes are upper bounds.

        No layers are compiled together, and all tensors lie in host memory.

        Parameters
        ----------
        shapes
            As `specialize` takes them.
        trial
            For who does not look at the backends: strategy "preference", and nothing is logged.

        Raises
        ------
        InvalidArgumentError, NoBackendForLayerError
            As `specialize`.
        """
        return self._place(self.given.specialize(shapes), True, trial)

    def __repr__(self) -> str:
        if self.is_dynamic:
            ids = "+".join(backend.id for backend in self.backends)
            return f"<OptimizedNetwork '{printable(self.name)}' with free dimensions for {ids}>"
        counts = self.assignment.counts
        return (
            f"<OptimizedNetwork '{printable(self.name)}' {counted(sum(counts.values()), 'layer')} "
            f"on {'+'.join(counts) or 'no backend'}>"
        )
