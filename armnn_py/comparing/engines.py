# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The engines of the model formats as sides of a comparison: onnxruntime and LiteRT."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.comparing.tensors import Place, place_of
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.comparing.sides import Arrays, Side
    from armnn_py.comparing.tensors import Tensors
    from armnn_py.network import OutputSlot


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
