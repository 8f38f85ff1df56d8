# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Model files of the engines that do not read ONNX, made beside an ONNX file once."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from tflite_writer import NotConvertibleError, write_tflite

#: The wrapper that MNN installs as a command adds packages to the environment; this is below it.
_MNN_CONVERT = "import sys, _tools; _tools.mnnconvert(['MNNConvert', *sys.argv[1:]])"


def input_shapes(model: Path) -> dict[str, list[int]]:
    """Return the shapes of a model's inputs, all of them fixed."""
    graph = onnx.load(model, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    return {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in graph.input
        if value.name not in constants
    }


def fix_shapes(source: Path, target: Path, shape: list[int]) -> None:
    """Write a copy of a one-input model whose free dimensions have the given values."""
    from onnxruntime.tools.onnx_model_utils import make_input_shape_fixed

    model = onnx.load(source)
    constants = {tensor.name for tensor in model.graph.initializer}
    name = next(value.name for value in model.graph.input if value.name not in constants)
    make_input_shape_fixed(model.graph, name, shape)
    for value in model.graph.output:  # they follow from the input
        value.type.tensor_type.ClearField("shape")
    onnx.save(onnx.shape_inference.infer_shapes(model), target)


def _to_ncnn(model: Path, target: Path) -> None:
    spec = importlib.util.find_spec("pnnx")
    if spec is None or not spec.submodule_search_locations:
        raise NotConvertibleError("pnnx is not installed")
    folder = Path(next(iter(spec.submodule_search_locations)))
    program = next(path for path in folder.rglob("pnnx") if path.is_file())
    shapes = ",".join(str(shape).replace(" ", "") for shape in input_shapes(model).values())
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "m.onnx"
        copy.write_bytes(model.read_bytes())
        command = [str(program), "m.onnx", f"inputshape={shapes}", "fp16=0"]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True, timeout=600)
        (Path(scratch) / "m.ncnn.bin").replace(target.with_suffix(".bin"))
        (Path(scratch) / "m.ncnn.param").replace(target)


def _to_mnn(model: Path, target: Path) -> None:
    arguments = ["-f", "ONNX", "--modelFile", str(model), "--MNNModel", str(target)]
    command = [sys.executable, "-c", _MNN_CONVERT, *arguments, "--bizCode", "benchmark"]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    if not target.exists():
        raise NotConvertibleError("MNN's converter wrote nothing")


_CONVERTERS = {".ncnn.param": _to_ncnn, ".mnn": _to_mnn, ".tflite": write_tflite}


def convert(model: Path, suffix: str) -> Path:
    """Return the file with ``suffix`` for a model; a failure is remembered beside it.

    Raises
    ------
    NotConvertibleError
        Now or in an earlier attempt.
    """
    target = model.with_suffix(suffix)
    failure = target.with_name(target.name + ".failed.json")
    if failure.exists():
        raise NotConvertibleError(json.loads(failure.read_text(encoding="utf-8"))["reason"])
    if target.exists():
        return target
    try:
        _CONVERTERS[suffix](model, target)
    except (NotConvertibleError, subprocess.SubprocessError, OSError, StopIteration) as error:
        output = getattr(error, "stderr", None) or b""
        reason = f"{error} {output[-300:].decode(errors='replace')}".strip()
        failure.write_text(json.dumps({"reason": reason}), encoding="utf-8")
        raise NotConvertibleError(reason) from error
    return target
