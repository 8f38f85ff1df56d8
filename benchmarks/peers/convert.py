# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Model files of the engines that do not read ONNX, made beside an ONNX file once."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from tflite_writer import NotConvertibleError, write_tflite

#: Run beside the Python module that pnnx writes. A second trace is not compared: that trips over
#: names that each trace makes up, and outputs are compared before anything is timed.
_TRACE = """
import json, sys, m_pnnx, torch
example = [torch.zeros(shape) for shape in json.loads(sys.argv[1])]
torch.jit.trace(m_pnnx.Model().eval(), example, check_trace=False).save("m.pt")
"""
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


def _run_pnnx(model: Path, folder: Path) -> None:
    """Write a model for ncnn and as a Python module for torch into ``folder``, as m.* and m_*."""
    spec = importlib.util.find_spec("pnnx")
    if spec is None or not spec.submodule_search_locations:
        raise NotConvertibleError("pnnx is not installed")
    package = Path(next(iter(spec.submodule_search_locations)))
    program = next(path for path in package.rglob("pnnx") if path.is_file())
    shapes = ",".join(str(shape).replace(" ", "") for shape in input_shapes(model).values())
    (folder / "m.onnx").write_bytes(model.read_bytes())
    command = [str(program), "m.onnx", f"inputshape={shapes}", "fp16=0"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)


def _to_ncnn(model: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _run_pnnx(model, Path(scratch))
        shutil.move(Path(scratch) / "m.ncnn.bin", target.with_suffix(".bin"))
        shutil.move(Path(scratch) / "m.ncnn.param", target)


def _to_torch(model: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _run_pnnx(model, Path(scratch))
        command = [sys.executable, "-c", _TRACE, json.dumps(list(input_shapes(model).values()))]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True, timeout=600)
        shutil.move(Path(scratch) / "m.pt", target)


def _to_mnn(model: Path, target: Path) -> None:
    arguments = ["-f", "ONNX", "--modelFile", str(model), "--MNNModel", str(target)]
    command = [sys.executable, "-c", _MNN_CONVERT, *arguments, "--bizCode", "benchmark"]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    if not target.exists():
        raise NotConvertibleError("MNN's converter wrote nothing")


_CONVERTERS = {
    ".ncnn.param": _to_ncnn,
    ".mnn": _to_mnn,
    ".pt": _to_torch,
    ".tflite": write_tflite,
}


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
        output = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip()
        reason = output.rpartition("\n")[2] or str(error)
        failure.write_text(json.dumps({"reason": reason}), encoding="utf-8")
        raise NotConvertibleError(reason) from error
    return target
