# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How each engine loads a model and runs it once, at its best settings for latency.

What is of float32 is computed in float32; what is of 8 bits as the engine does by itself.

An engine's module is imported only when the engine is asked for, in a process of its own.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from blame import PeerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Inputs = dict[str, np.ndarray]
Run = "Callable[[], list[np.ndarray]]"
Load = "Callable[[Path, Inputs, int], Callable[[], list[np.ndarray]]]"

_WINOGRAD_MEMORY_LEVEL = 3
"""MNN's number of the hint that bounds the tiles of its Winograd convolutions; 3 is any."""


@dataclass(frozen=True)
class Engine:
    """``load(model, inputs, threads)`` returns what runs the model once on these inputs."""

    title: str
    module: str
    suffixes: tuple[str, ...]
    """Of the files that it reads, the one that others are converted to first."""
    load: Load
    uses_winograd: bool = False
    exact: Load | None = None
    """Slower settings, for networks on which those of ``load`` give outputs that differ."""


def _is_image(array: np.ndarray) -> bool:
    """Return whether an input is a picture with channels first."""
    return array.ndim == 4 and array.shape[1] == 3


def ports_of(file: Path) -> dict[str, Any]:
    """Return what `convert` noted of a file's inputs and outputs; nothing without a note."""
    ports = file.with_name(file.name + ".io.json")
    return json.loads(ports.read_text(encoding="utf-8")) if ports.exists() else {}


def by_name(names: list[str], inputs: Inputs) -> Inputs:
    """Return a model's inputs under the names that a peer's file has for them.

    These are the model's own, or hold the place of the input in the model, as in ``args_0``.
    """
    if set(names) <= set(inputs):
        return {name: inputs[name] for name in names}
    places = {name: int(re.findall(r"args_(\d+)", name)[0]) for name in names}
    arrays = list(inputs.values())
    return {name: arrays[place] for name, place in places.items()}


def _succeeded(code: object, what: str) -> None:
    """Raise a peer's refusal that is a status code: not 0, or False."""
    if (code is False) or (code is not True and code not in (0, None)):
        raise PeerError(f"{what} answers {code}")


def _armnn_py(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    import armnn_py

    armnn_py.set_num_threads(threads)
    backends = os.environ.get("ARMNN_PY_BENCH_BACKENDS", "").split(",")
    shapes = {name: array.shape for name, array in inputs.items()}
    loaded = armnn_py.load(model, [b for b in backends if b] or None, shapes=shapes)
    return lambda: list(loaded.run(inputs).values())


def _onnxruntime(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)


def _openvino(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    import openvino

    core = openvino.Core()
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": "f32",  # the default is bf16 where the processor has it
    }
    compiled = core.compile_model(core.read_model(str(model)), "CPU", settings)
    precision = str(compiled.get_property("INFERENCE_PRECISION_HINT"))
    if "float32" not in precision and "f32" not in precision:
        raise RuntimeError(f"OpenVINO would compute in {precision}")
    request = compiled.create_infer_request()
    for name, array in inputs.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def run() -> list[np.ndarray]:
        request.infer()
        return [request.get_output_tensor(i).data for i in range(len(compiled.outputs))]

    return run


def _litert(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(model), num_threads=threads)  # with its XNNPACK delegate
    interpreter.allocate_tensors()
    ports = ports_of(model)
    turned = {list(inputs)[place] for place in ports.get("turned_inputs", ())}
    arrays = {
        name: np.ascontiguousarray(array.transpose(0, 2, 3, 1)) if name in turned else array
        for name, array in inputs.items()
    }
    details = {detail["name"]: detail for detail in interpreter.get_input_details()}
    fed = [
        (details[name]["index"], array.astype(details[name]["dtype"]))
        for name, array in by_name(list(details), arrays).items()
    ]
    targets = [detail["index"] for detail in interpreter.get_output_details()]
    images = ports.get("turned_outputs", ())

    def run() -> list[np.ndarray]:
        for source, array in fed:
            interpreter.set_tensor(source, array)
        interpreter.invoke()
        outputs = [interpreter.get_tensor(index) for index in targets]
        return [y.transpose(0, 3, 1, 2) if i in images else y for i, y in enumerate(outputs)]

    return run


def _ncnn(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = threads
    for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_storage"):
        setattr(net.opt, f"use_{name}", False)
    _succeeded(net.load_param(str(model)), "load_param")
    _succeeded(net.load_model(str(model.with_suffix(".bin"))), "load_model")
    ports, arrays = ports_of(model), list(inputs.values())
    fed = {
        name: ncnn.Mat(in_32_bits(arrays[place]), batch_index=batch).clone()
        for name, (place, batch) in ports["inputs"].items()
    }

    def run() -> list[np.ndarray]:
        extractor = net.create_extractor()
        for name, source in fed.items():
            _succeeded(extractor.input(name, source), "input")
        outputs = []
        for name, batch in ports["outputs"].items():
            code, output = extractor.extract(name)
            _succeeded(code, "extract")
            outputs.append(output.numpy(batch_index=batch))
        return outputs

    return run


def in_32_bits(array: np.ndarray) -> np.ndarray:
    """Return whole numbers as int32, the only ones that ncnn and MNN compute with."""
    return array.astype(np.int32) if np.issubdtype(array.dtype, np.integer) else array


def _torch(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    import torch

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.set_grad_enabled(False)
    module = torch.jit.load(str(model)).eval().to(memory_format=torch.channels_last)
    module = torch.jit.freeze(module)
    tensors = [
        torch.from_numpy(array).contiguous(
            memory_format=torch.channels_last if _is_image(array) else torch.contiguous_format
        )
        for array in inputs.values()
    ]

    def run() -> list[np.ndarray]:
        outputs = module(*tensors)
        outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
        return [output.numpy() for output in outputs]

    return run


def _mnn(
    model: Path, inputs: Inputs, threads: int, largest_tiles: int | None = None
) -> Callable[[], list[np.ndarray]]:
    import MNN

    interpreter = MNN.Interpreter(str(model))
    if largest_tiles is not None:
        interpreter.setSessionHint(_WINOGRAD_MEMORY_LEVEL, largest_tiles)
    session = interpreter.createSession(_mnn_settings(threads))
    names = ports_of(model)["outputs"]
    outputs = interpreter.getSessionOutputAll(session)
    if any(0 in output.getShape() for output in outputs.values()):
        return _mnn_module(model, inputs, names, threads)  # a session cannot run loops

    def tensor(values: np.ndarray) -> Any:
        whole = np.issubdtype(values.dtype, np.integer)
        kind = MNN.Halide_Type_Int if whole else MNN.Halide_Type_Float
        return MNN.Tensor(values.shape, kind, values, MNN.Tensor_DimensionType_Caffe)

    sources = interpreter.getSessionInputAll(session)
    fed = [
        (sources[name], tensor(in_32_bits(array)))
        for name, array in by_name(list(sources), inputs).items()
    ]

    def run() -> list[np.ndarray]:
        for source, host in fed:
            _succeeded(source.copyFrom(host), "copyFrom")
        _succeeded(interpreter.runSession(session), "runSession")
        arrays = []
        outputs = interpreter.getSessionOutputAll(session)
        for output in (outputs[name] for name in names):
            whole = output.getDataType() == MNN.Halide_Type_Int
            target = tensor(np.zeros(output.getShape(), np.int32 if whole else np.float32))
            _succeeded(output.copyToHostTensor(target), "copyToHostTensor")
            arrays.append(target.getNumpyData().copy())  # the view ends with its tensor
        return arrays

    return run


def _mnn_settings(threads: int) -> dict[str, Any]:
    return {"numThread": threads, "backend": "CPU", "precision": "high"}


def _mnn_module(
    model: Path, inputs: Inputs, outputs: list[str], threads: int
) -> Callable[[], list[np.ndarray]]:
    """Return what runs a model with loops, such as those of an LSTM, as MNN asks for."""
    from MNN import expr, nn

    manager = nn.create_runtime_manager((_mnn_settings(threads),))
    module = nn.load_module_from_file(str(model), list(inputs), outputs, runtime_manager=manager)

    def variable(values: np.ndarray) -> Any:
        whole = np.issubdtype(values.dtype, np.integer)
        kind = expr.int if whole else expr.float
        return expr.const(in_32_bits(values), list(values.shape), expr.NCHW, kind)

    fed = [variable(array) for array in inputs.values()]
    return lambda: [np.array(output.read()) for output in module.forward(fed)]


ENGINES = {
    "armnn_py": Engine("armnn_py", "armnn_py", (".onnx", ".tflite"), _armnn_py),
    "onnxruntime": Engine("ONNX Runtime", "onnxruntime", (".onnx",), _onnxruntime),
    "openvino": Engine("OpenVINO", "openvino", (".onnx",), _openvino),
    "litert": Engine("LiteRT", "ai_edge_litert", (".tflite",), _litert),
    "ncnn": Engine("ncnn", "ncnn", (".ncnn.param",), _ncnn, uses_winograd=True),
    "mnn": Engine(
        "MNN", "MNN", (".mnn",), _mnn, uses_winograd=True, exact=partial(_mnn, largest_tiles=2)
    ),
    "torch": Engine("torch", "torch", (".pt",), _torch),
}
