# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sides of a comparison: backends, the engines of the model formats, and kept results."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from armnn_py.comparing.tensors import Place, place_of
from armnn_py.errors import InvalidArgumentError
from armnn_py.optimizer.optimize import optimize
from armnn_py.optimizer.options import AS_IT_IS, OptimizerOptions

if TYPE_CHECKING:
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


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InvalidArgumentError(
            f"{package} is not installed, or cannot be imported",
            details=[str(error)],
            hints=[f"pip install {package}"],
        ) from error


class OnnxRuntimeSide:
    """onnxruntime on the processor; the tensors are those that the ONNX file names."""

    name = "onnxruntime"

    def __init__(self, model: str | os.PathLike[str], tensors: Tensors) -> None:
        self._engine = _module("onnxruntime", "onnxruntime")
        self._model, self._tensors = os.fspath(model), tensors
        if not self._model.lower().endswith(".onnx"):
            raise InvalidArgumentError(
                f"'{self._model}' given, the path of an .onnx file expected by onnxruntime"
            )
        self._names = self._file_names()

    def _file_names(self) -> dict[Place, str]:
        onnx = _module("onnx", "onnx")
        graph = onnx.load(self._model, load_external_data=False).graph
        made = {name for node in graph.node for name in node.output if name}
        known = self._tensors.place_of
        return {known[name]: name for name in made if name in known}

    def places(self) -> set[Place] | None:
        """The tensors that the file names."""
        return set(self._names)

    def outputs(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """Run the model as it is."""
        return self._run(self._model, inputs, None)

    def tensors(self, inputs: Arrays, wanted: Sequence[OutputSlot]) -> dict[Place, NDArray[Any]]:
        """Run the model with further outputs."""
        onnx = _module("onnx", "onnx")
        model = onnx.load(self._model)
        present = {output.name for output in model.graph.output}
        asked = {place_of(slot) for slot in wanted} & self._names.keys()
        for place in asked:
            if self._names[place] not in present:
                model.graph.output.append(onnx.ValueInfoProto(name=self._names[place]))
        found = self._run(model.SerializeToString(), inputs, [self._names[one] for one in asked])
        return {place: found[self._names[place]] for place in asked}

    def _run(self, model: Any, inputs: Arrays, wanted: list[str] | None) -> dict[str, Any]:
        options = self._engine.SessionOptions()
        options.log_severity_level = 3
        try:
            session = self._engine.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
            names = wanted or [output.name for output in session.get_outputs()]
            return dict(zip(names, session.run(names, dict(inputs)), strict=True))
        except Exception as error:  # its own classes, made in C++
            raise InvalidArgumentError(
                "onnxruntime does not run the model", details=[str(error)[:500]]
            ) from error


class LiteRTSide:
    """LiteRT with its own kernels; the tensors are those of the TensorFlow Lite file.

    Parameters
    ----------
    model, tensors
        The file, and the names in it.
    reference
        Whether its plain kernels compute instead of the fast ones.
    """

    name = "litert"

    def __init__(
        self, model: str | os.PathLike[str], tensors: Tensors, *, reference: bool = True
    ) -> None:
        self._engine = _module("ai_edge_litert.interpreter", "ai-edge-litert")
        self._model, self._tensors, self._reference = os.fspath(model), tensors, reference
        kinds = self._engine.OpResolverType
        self._kernels = kinds.BUILTIN_REF if reference else kinds.AUTO

    def places(self) -> set[Place] | None:
        """The tensors that the file names."""
        names = {one["name"] for one in self._interpreter(keep=True).get_tensor_details()}
        known = self._tensors.place_of
        return {known[name] for name in names if name in known}

    def outputs(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """Run the model as it is."""
        interpreter = self._run(inputs, keep=False)
        return {
            one["name"]: interpreter.get_tensor(one["index"])
            for one in interpreter.get_output_details()
        }

    def tensors(self, inputs: Arrays, wanted: Sequence[OutputSlot]) -> dict[Place, NDArray[Any]]:
        """Run the model so that all tensors stay."""
        interpreter = self._run(inputs, keep=True)
        asked = {place_of(slot) for slot in wanted}
        found = {}
        for one in interpreter.get_tensor_details():
            place = self._tensors.place_of.get(one["name"])
            if place in asked:
                found[place] = np.array(interpreter.get_tensor(one["index"]))
        return found

    def _interpreter(self, *, keep: bool) -> Any:
        kinds = self._engine.OpResolverType
        kernels = kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES if keep else self._kernels
        try:
            interpreter = self._engine.Interpreter(
                model_path=self._model,
                experimental_op_resolver_type=kinds.BUILTIN_REF if self._reference else kernels,
                experimental_preserve_all_tensors=keep,
                num_threads=1,
            )
            interpreter.allocate_tensors()
        except (RuntimeError, ValueError) as error:
            raise InvalidArgumentError(
                "LiteRT does not run the model", details=[str(error)[:500]]
            ) from error
        return interpreter

    def _run(self, inputs: Arrays, *, keep: bool) -> Any:
        interpreter = self._interpreter(keep=keep)
        for detail in interpreter.get_input_details():
            array = inputs[detail["name"]]
            if tuple(detail["shape"]) != array.shape:
                interpreter.resize_tensor_input(detail["index"], array.shape)
        try:
            interpreter.allocate_tensors()
            for detail in interpreter.get_input_details():
                interpreter.set_tensor(detail["index"], inputs[detail["name"]])
            interpreter.invoke()
        except (RuntimeError, ValueError) as error:
            raise InvalidArgumentError(
                "LiteRT does not run the model", details=[str(error)[:500]]
            ) from error
        return interpreter


ENGINES: dict[str, Callable[[str, Tensors], Side]] = {
    "onnxruntime": OnnxRuntimeSide,
    "litert": LiteRTSide,
}
