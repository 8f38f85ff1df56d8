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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx

#: Run beside the Python module that pnnx writes. A second trace is not compared: that trips over
#: names that each trace makes up, and outputs are compared before anything is timed.
_TO_TORCH = """
import json, sys, m_pnnx, torch
example = [torch.zeros(shape) for shape in json.loads(sys.argv[1])]
torch.jit.trace(m_pnnx.Model().eval(), example, check_trace=False).save("m.pt")
"""
#: The same for LiteRT: images come and go with channels last, as it wants them.
_TO_LITERT = """
import json, sys, litert_torch, m_pnnx, torch
example = [torch.zeros(shape) for shape in json.loads(sys.argv[1])]
module = m_pnnx.Model().eval()
results = module(*example)
results = results if isinstance(results, (list, tuple)) else [results]
turned = [i for i, value in enumerate(example) if value.ndim == 4 and value.shape[1] == 3]
images = [i for i, value in enumerate(results) if value.ndim == 4]
if turned or images:
    module = litert_torch.to_channel_last_io(module, args=turned, outputs=images)
for i in turned:
    example[i] = example[i].permute(0, 2, 3, 1).contiguous()
litert_torch.convert(module, tuple(example)).export("m.tflite")
"""
#: The wrapper that MNN installs as a command adds packages to the environment; this is below it.
_MNN_CONVERT = "import sys, _tools; _tools.mnnconvert(['MNNConvert', *sys.argv[1:]])"


class NotConvertibleError(Exception):
    """A model has what a converter, or the engine that it writes for, does not know."""


def input_types(model: Path) -> dict[str, tuple[list[int], np.dtype[Any]]]:
    """Return shape and dtype of a model's inputs, all of them fixed."""
    if model.suffix == ".tflite":
        from ai_edge_litert.interpreter import Interpreter

        details = Interpreter(str(model)).get_input_details()
        return {d["name"]: ([int(n) for n in d["shape"]], np.dtype(d["dtype"])) for d in details}
    graph = onnx.load(model, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    return {
        value.name: (
            [dim.dim_value for dim in value.type.tensor_type.shape.dim],
            onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type),
        )
        for value in graph.input
        if value.name not in constants
    }


def input_shapes(model: Path) -> dict[str, list[int]]:
    """Return the shapes of an ONNX model's inputs, all of them fixed."""
    return {name: shape for name, (shape, _) in input_types(model).items()}


def fix_shapes(source: Path, target: Path, shapes: dict[str, list[int]]) -> None:
    """Write a copy of a model whose free dimensions have the given values."""
    from onnxruntime.tools.onnx_model_utils import make_input_shape_fixed

    model = onnx.load(source)
    for name, shape in shapes.items():
        make_input_shape_fixed(model.graph, name, shape)
    for value in model.graph.output:  # they follow from the inputs
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
        lines = (Path(scratch) / "m.ncnn.param").read_text(encoding="utf-8").splitlines()[2:]
        # What ncnn has no layer for keeps the name that it has in torch.
        foreign = sorted({kind for kind in (line.split()[0] for line in lines) if "." in kind})
        if foreign:
            raise NotConvertibleError(f"ncnn has no layer for {', '.join(foreign)}")
        shutil.move(Path(scratch) / "m.ncnn.bin", target.with_suffix(".bin"))
        shutil.move(Path(scratch) / "m.ncnn.param", target)


def _by_script(model: Path, target: Path, script: str, written: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _run_pnnx(model, Path(scratch))
        command = [sys.executable, "-c", script, json.dumps(list(input_shapes(model).values()))]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True, timeout=900)
        shutil.move(Path(scratch) / written, target)


def _to_mnn(model: Path, target: Path) -> None:
    arguments = ["-f", "ONNX", "--modelFile", str(model), "--MNNModel", str(target)]
    command = [sys.executable, "-c", _MNN_CONVERT, *arguments, "--bizCode", "benchmark"]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    if not target.exists():
        raise NotConvertibleError("MNN's converter wrote nothing")


_CONVERTERS = {
    ".ncnn.param": _to_ncnn,
    ".mnn": _to_mnn,
    ".pt": partial(_by_script, script=_TO_TORCH, written="m.pt"),
    ".tflite": partial(_by_script, script=_TO_LITERT, written="m.tflite"),
}


def convert(model: Path, suffix: str) -> Path:
    """Return the file with ``suffix`` for a model; a failure is remembered beside it.

    Raises
    ------
    NotConvertibleError
        Now or in an earlier attempt.
    """
    if model.suffix == ".tflite":
        raise NotConvertibleError("the network is in TensorFlow Lite's format only")
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
