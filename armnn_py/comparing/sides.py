# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sides of a comparison that are computed here: backends, and kept results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from armnn_py.comparing.tensors import Place, place_of
from armnn_py.errors import InvalidArgumentError
from armnn_py.optimizer.optimize import optimize
from armnn_py.optimizer.options import AS_IT_IS, OptimizerOptions

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from armnn_py.comparing.tensors import Tensors
    from armnn_py.network import Network, OutputSlot
    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.runtime import Runtime

Arrays = Mapping[str, "NDArray[Any]"]


class Side(Protocol):
    """Computes tensors of a network, or knows them.

    Attributes
    ----------
    name
        For people: ``CpuRef``, ``onnxruntime``, the name of a file.
    """

    name: str

    def places(self) -> set[Place] | None:
        """Return the tensors that it can give; None: all."""

    def outputs(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """Run the network as it is; return the outputs that this side has, by name."""

    def tensors(self, inputs: Arrays, wanted: Sequence[OutputSlot]) -> dict[Place, NDArray[Any]]:
        """Return tensors inside of the network."""


class BackendSide:
    """Backends of a runtime.

    Parameters
    ----------
    network
        A network whose shapes are known.
    backends
        Ids in order of preference; None: all.
    runtime
        Has the backends.
    options
        Of `optimize`. None: it is a reference, which computes the layers one by one, as the model
        has them, and heeds no hints of layers.
    """

    def __init__(
        self,
        network: Network,
        backends: Sequence[str] | None,
        runtime: Runtime,
        options: OptimizerOptions | None = None,
    ) -> None:
        self.network, self.backends, self.runtime = network, backends, runtime
        self.options = AS_IT_IS if options is None else options
        self._is_reference = options is None
        listed = backends if backends is not None else runtime.backends.by_preference
        self.name = ", ".join(listed)

    def places(self) -> set[Place] | None:
        """All tensors."""
        return None

    def outputs(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """Run the network as it is."""
        return self.run(self.network, inputs)

    def tensors(self, inputs: Arrays, wanted: Sequence[OutputSlot]) -> dict[Place, NDArray[Any]]:
        """Run the network with further outputs."""
        network = self.network.copy()
        names = {}
        for number, slot in enumerate(dict.fromkeys(wanted)):
            name = f"tap {number}"
            network.add_output(name, network.layers[slot.layer.guid].outputs[slot.index])
            names[name] = place_of(slot)
        found = self.run(network, inputs)
        return {place: found[name] for name, place in names.items()}

    def run(self, network: Network, inputs: Arrays, *, times: int = 1) -> dict[str, NDArray[Any]]:
        """Run another network on the same backends; the last of several runs is returned."""
        for found in self.runs(network, inputs, times=times):
            outputs = found
        return outputs

    def runs(
        self, network: Network, inputs: Arrays, *, times: int
    ) -> Sequence[dict[str, NDArray[Any]]]:
        """Run a network several times; return the outputs of each run."""
        with self.load(network) as loaded:
            return [loaded.run(inputs) for _ in range(times)]

    def load(self, network: Network, *, threads: int | None = None) -> LoadedNetwork:
        """Load a network on these backends."""
        if self._is_reference:
            network = network.copy()
            for layer in network.layers:
                layer.backend_hint = None
        optimized = optimize(network, self.backends, runtime=self.runtime, options=self.options)
        optimized.forget_sources(keeps_given=self.runtime.is_followed(None))
        return self.runtime.load_network(optimized, threads=threads)


class FileSide:
    """Tensors in an archive of numpy, by the names of outputs, tensors or layers.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], tensors: Tensors) -> None:
        self.name = str(path)
        self.arrays = read_arrays(path)
        self._tensors = tensors
        self._places = {
            tensors.place_of[name]: name for name in self.arrays if name in tensors.place_of
        }

    def places(self) -> set[Place] | None:
        """The tensors in the file."""
        return set(self._places)

    def outputs(self, _inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The outputs in the file."""
        return dict(self.arrays)

    def tensors(self, _inputs: Arrays, wanted: Sequence[OutputSlot]) -> dict[Place, NDArray[Any]]:
        """The tensors in the file."""
        found = {place_of(slot) for slot in wanted} & self._places.keys()
        return {place: self.arrays[self._places[place]] for place in found}


def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read the arrays of an ``.npz`` file.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read, or is another kind of file.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except Exception as error:  # a damaged file may make the reader raise anything
        words = "it is a single array" if isinstance(error, AttributeError) else str(error)
        if isinstance(error, OSError) and error.strerror:
            words = error.strerror.lower()
        raise InvalidArgumentError(
            f"file '{path}' cannot be read as .npz", details=[words]
        ) from error
