# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The result of `optimize`: a network in which every layer has its backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError
from armnn_py.optimizer.report import Assignment
from armnn_py.ownership import Owner
from armnn_py.records import record
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from armnn_py._native.blob import NativeBlob
    from armnn_py.backends import ModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.network import ModelMetadata, Network
    from armnn_py.optimizer.host import Host
    from armnn_py.optimizer.memory_report import TensorMemory
    from armnn_py.optimizer.options import OptimizerOptions
    from armnn_py.optimizer.pass_record import PassRecord
    from armnn_py.tensors import TensorInfo

__all__ = ["OptimizedNetwork", "PlacedNetwork"]


@record
class PlacedNetwork:
    """A network whose shapes are known, with the backends of its layers.

    Attributes
    ----------
    network
        The network that is run: simplified, with compiled sub-graphs and inserted copies.
    layer_backends
        Id of the backend of each layer, by guid; None for Input, Output and Constant layers.
    assignment
        Backend and reason of each layer.
    blobs
        Blobs of PreCompiled layers, by guid.
    memory
        By (guid, index of the output): the tensor handle factory of each tensor that does not lie
        in host memory.
    passes
        What each pass and stage changed, in order.
    model_options
        Options of this model for the backends.
    origins
        By guid: the layers of the user's network that a layer stands for, as their guids there.
    public_guids
        For each layer, in order, its number for backends: the guid of one of these layers where
        there is one, so that backends name layers of the user's network.
    """

    network: Network
    layer_backends: tuple[str | None, ...]
    assignment: Assignment
    blobs: Mapping[int, NativeBlob]
    memory: Mapping[tuple[int, int], str]
    passes: tuple[PassRecord, ...]
    model_options: ModelOptions
    origins: Mapping[int, tuple[int, ...]]
    public_guids: tuple[int, ...]


class OptimizedNetwork(Owner, instead="copy or pickle its .network, then optimize() that"):
    """A network with a backend for each layer; made by `optimize`, loaded by `Runtime`.

    A network with free dimensions gets its backends when the dimensions are known: `specialize`
    gives the optimised network of one set of shapes.
    """

    __slots__ = ("_place", "_placed", "_source", "backends", "options", "runtime")

    def __init__(
        self,
        network: Network,
        backends: Sequence[Backend],
        runtime: Host,
        options: OptimizerOptions,
        place: Callable[[Network, bool, bool], PlacedNetwork],
    ) -> None:
        self._source = network
        self.backends = tuple(backends)
        self.runtime = runtime
        self.options = options
        self._place = place
        self._placed = None
        if not network.is_dynamic:
            tells = any(slot.info.late for layer in network.layers for slot in layer.outputs)
            self._placed = place(network, tells, False)

    @property
    def network(self) -> Network:
        """The network that is run; while dimensions are free, the given one."""
        return self._source if self._placed is None else self._placed.network

    @property
    def placed(self) -> PlacedNetwork:
        """The network with the backend of each layer, for loading it.

        Raises
        ------
        InvalidArgumentError
            Dimensions are still free.
        """
        if self._placed is None:
            raise InvalidArgumentError(
                f"network '{self.name}' has free dimensions",
                hints=["specialize(shapes) gives the optimised network of one set of shapes"],
            )
        return self._placed

    @property
    def name(self) -> str:
        """Name of the network."""
        return self.network.name

    @property
    def metadata(self) -> ModelMetadata:
        """Metadata of the model file."""
        return self.network.metadata

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name."""
        return self.network.inputs

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name."""
        return self.network.outputs

    @property
    def variables(self) -> Mapping[str, TensorInfo]:
        """Variables by name: tensors that stay from run to run."""
        return self.network.variables

    @property
    def is_dynamic(self) -> bool:
        """Whether an input has a free dimension."""
        return self._placed is None

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer; empty while dimensions are free."""
        return Assignment(is_pending=True) if self._placed is None else self._placed.assignment

    @property
    def memory(self) -> tuple[TensorMemory, ...]:
        """Tensors in memory of backends, and those that are copied or imported on the way.

        In the order of the network that is run; empty while dimensions are free.
        """
        from armnn_py.optimizer.memory_report import memory_records

        if self._placed is None:
            return ()
        return memory_records(self._placed.network, self._placed.memory)

    @property
    def passes(self) -> tuple[PassRecord, ...]:
        """What each pass changed, in order; empty while dimensions are free."""
        return () if self._placed is None else self._placed.passes

    def specialize(self, shapes: Mapping[str, Sequence[int]]) -> OptimizedNetwork:
        """Bind the free dimensions and give every layer its backend.

        Parameters
        ----------
        shapes
            Shape of each input by name.

        Raises
        ------
        InvalidArgumentError
            If a shape does not fit the input.
        NoBackendForLayerError
            If no backend takes a layer.
        """
        if not self.is_dynamic:
            return self
        return OptimizedNetwork(
            self._source.specialize(shapes), self.backends, self.runtime, self.options, self._place
        )

    def place_late(
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
        return self._place(self._source.specialize(shapes), True, trial)

    def __repr__(self) -> str:
        if self.is_dynamic:
            ids = "+".join(backend.id for backend in self.backends)
            return f"<OptimizedNetwork '{printable(self.name)}' with free dimensions for {ids}>"
        counts = self.assignment.counts
        return (
            f"<OptimizedNetwork '{printable(self.name)}' {counted(sum(counts.values()), 'layer')} "
            f"on {'+'.join(counts) or 'no backend'}>"
        )
