# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How each engine loads a model and runs it once, at its best settings for latency.

What is of float32 is computed in float32; what is of 8 bits as the engine does by itself.

An engine's module is imported only when the engine is asked for, in a process of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

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
    arrays = [
        np.ascontiguousarray(array.transpose(0, 2, 3, 1)) if _is_image(array) else array
        for array in inputs.values()
    ]
    sources = [detail["index"] for detail in interpreter.get_input_details()]  # in the same order
    targets = [detail["index"] for detail in interpreter.get_output_details()]

    def run() -> list[np.ndarray]:
        for source, array in zip(sources, arrays, strict=True):
            interpreter.set_tensor(source, array)
        interpreter.invoke()
        outputs = [interpreter.get_tensor(index) for index in targets]
        return [y.transpose(0, 3, 1, 2) if y.ndim == 4 else y for y in outputs]

    return run


def _ncnn(model: Path, inputs: Inputs, threads: int) -> Callable[[], list[np.ndarray]]:
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = threads
    for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_storage"):
        setattr(net.opt, f"use_{name}", False)
    if net.load_param(str(model)) or net.load_model(str(model.with_suffix(".bin"))):
        raise RuntimeError("ncnn cannot load it")
    (array,) = inputs.values()
    source, names = ncnn.Mat(array[0]).clone(), net.output_names()

    def run() -> list[np.ndarray]:
        extractor = net.create_extractor()
        extractor.input(net.input_names()[0], source)
        return [np.array(extractor.extract(name)[1])[None] for name in names]

    return run


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
    session = interpreter.createSession(
        {"numThread": threads, "backend": "CPU", "precision": "high"}
    )
    (array,) = inputs.values()

    def tensor(values: np.ndarray) -> Any:
        return MNN.Tensor(
            values.shape, MNN.Halide_Type_Float, values, MNN.Tensor_DimensionType_Caffe
        )

    source, host = interpreter.getSessionInput(session), tensor(array)

    def run() -> list[np.ndarray]:
        source.copyFrom(host)
        interpreter.runSession(session)
        outputs = []
        for output in interpreter.getSessionOutputAll(session).values():
            target = tensor(np.zeros(output.getShape(), np.float32))
            output.copyToHostTensor(target)
            outputs.append(target.getNumpyData().copy())  # the view ends with its tensor
        return outputs

    return run


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
