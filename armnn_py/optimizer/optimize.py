# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a network to one in which every layer has its backend."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armnn_py.errors import BackendNotFoundError, InvalidArgumentError
from armnn_py.network import Network
from armnn_py.optimizer.assign import assign_backends
from armnn_py.optimizer.report import Assignment
from armnn_py.ownership import Owner
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py._native.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.registry import BackendRegistry
    from armnn_py.runtime.runtime import Runtime
    from armnn_py.tensors import TensorInfo

__all__ = ["OptimizedNetwork", "optimize"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A network whose shapes are known, with everything that placing its layers found.

    Attributes
    ----------
    network
        What is run: simplified, with compiled parts and copies in place of the layers they replace.
    layer_backends
        Id of the backend of each layer, by guid; None for Input, Output and Constant layers.
    assignment
        Backend and reason of each layer.
    blobs
        What PreCompiled layers are run from, by guid.
    memory
        By (guid, index of the output): the tensor handle factory of each tensor that does not lie
        in host memory.
    """

    network: Network
    layer_backends: tuple[str | None, ...]
    assignment: Assignment
    blobs: Mapping[int, NativeBlob]
    memory: Mapping[tuple[int, int], str]


class OptimizedNetwork(Owner, instead="copy or pickle its .network, then optimize() that"):
    """A network with a backend for each layer; made by `optimize`, loaded by `Runtime`.

    A network with free dimensions gets its backends when the dimensions are known: `specialize`
    gives the optimised network of one set of shapes.
    """

    __slots__ = ("_placed", "_source", "backends", "runtime")

    def __init__(
        self,
        network: Network,
        backends: Sequence[Backend],
        runtime: Runtime,
        placed: Placed | None,
    ) -> None:
        self._source = network
        self.backends = tuple(backends)
        self.runtime = runtime
        self._placed = placed

    @property
    def network(self) -> Network:
        """What is run; while dimensions are free, the network that was given."""
        return self._source if self._placed is None else self._placed.network

    @property
    def placed(self) -> Placed:
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
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name."""
        return self.network.inputs

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name."""
        return self.network.outputs

    @property
    def is_dynamic(self) -> bool:
        """Whether an input has a free dimension."""
        return self._placed is None

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer; empty while dimensions are free."""
        return Assignment(is_pending=True) if self._placed is None else self._placed.assignment

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
            If a layer is taken by no backend.
        """
        if not self.is_dynamic:
            return self
        return _assigned(self.network.specialize(shapes), self.backends, self.runtime)

    def __repr__(self) -> str:
        if self.is_dynamic:
            ids = "+".join(backend.id for backend in self.backends)
            return f"<OptimizedNetwork '{printable(self.name)}' with free dimensions for {ids}>"
        ids = "+".join(self.assignment.counts)
        return f"<OptimizedNetwork '{printable(self.name)}' {len(self.assignment)} layers on {ids}>"


def optimize(
    network: Network,
    backends: Sequence[str] | str | None = None,
    *,
    runtime: Runtime,
) -> OptimizedNetwork:
    """Prepare a network for loading: check it and give each layer a backend.

    Parameters
    ----------
    network
        Stays as it is; the result holds a copy.
    backends
        Ids in order of preference; for each layer the first one that supports it wins. Only listed
        backends are used, except that a layer may ask for another loaded one by its own hint.
        Default: every loaded backend, best score first, ``CpuRef`` last.
    runtime
        Where the backends are loaded.

    Returns
    -------
    OptimizedNetwork
        With ``.assignment``: the backend of each layer and why not an earlier choice. A network
        with free dimensions has no layers yet: they are checked and placed when the dimensions are
        bound, at `OptimizedNetwork.specialize` or at the first run with a shape.

    Raises
    ------
    InvalidArgumentError
        If the list is empty or the runtime has no backends.
    BackendNotFoundError
        If a listed id is not loaded; says what was found where.
    GraphValidationError
        If the network is not well formed.
    NoBackendForLayerError
        If a layer is taken by no listed backend; lists all of them with all reasons.
    """
    if not isinstance(network, Network):
        raise InvalidArgumentError(
            f"optimize: {type(network).__name__} given, Network expected",
            hints=["import_model(path) makes a network from a file"],
        )
    if not hasattr(runtime, "check_open"):
        raise InvalidArgumentError(
            f"optimize: {type(runtime).__name__} given as runtime, Runtime expected",
            hints=["with armnn_py.Runtime() as runtime: ..."],
        )
    runtime.check_open()
    chosen = select_backends(backends, runtime.backends)
    if network.is_dynamic:
        return OptimizedNetwork(network, chosen, runtime, None)
    return _assigned(network.copy(), chosen, runtime)


def _assigned(network: Network, backends: Sequence[Backend], runtime: Runtime) -> OptimizedNetwork:
    network.validate()
    assignment = assign_backends(network, backends, runtime.backends)
    of_layer = {record.guid: record.backend for record in assignment}
    layer_backends = tuple(of_layer.get(layer.guid) for layer in network.layers)
    placed = Placed(network, layer_backends, assignment, {}, {})
    return OptimizedNetwork(network, backends, runtime, placed)


def select_backends(
    backends: Sequence[str] | str | None, registry: BackendRegistry
) -> list[Backend]:
    """Turn a list of ids into backends, without repeats and in order."""
    if backends is None:
        if not registry:
            raise _nothing_loaded(registry)
        return [registry[name] for name in registry.by_preference]
    try:
        given = iter([backends] if isinstance(backends, str) else backends)
    except TypeError:
        raise InvalidArgumentError(
            f"backends: {type(backends).__name__} given, a list of backend ids expected",
            hints=["backends=['CpuRef']"],
        ) from None
    ids = []
    for name in given:
        if not isinstance(name, str):
            raise InvalidArgumentError(
                f"a backend id is a str, not {type(name).__name__}: {reprlib.repr(name)}"
            )
        ids.append(name)
    if not ids:
        raise InvalidArgumentError(
            "the list of backends is empty",
            hints=["name at least one, or pass None for all loaded backends"],
        )
    chosen: dict[str, Backend] = {}
    for name in ids:
        if name not in registry:
            raise registry.not_found(name, asked_by=f"backends={ids!r}")
        chosen.setdefault(name, registry[name])
    return list(chosen.values())


def _nothing_loaded(registry: BackendRegistry) -> BackendNotFoundError:
    return BackendNotFoundError(
        "no backend is loaded",
        verdicts=registry.load_report,
        details=[str(verdict) for verdict in registry.load_report] or ["no files were found"],
        hints=["'armnn-py backends list -v' shows every file and why it was refused"],
    )
