# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Model files of the engines that do not read ONNX, made beside an ONNX file once."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
#: The wrapper that MNN installs as a command adds packages to the environment; this is below it.
_MNN_CONVERT = "import sys, _tools; _tools.mnnconvert(['MNNConvert', *sys.argv[1:]])"
#: Of a tensor in which ncnn leaves out no dimension.
_NO_BATCH = 233


class NotConvertibleError(Exception):
    """A model has what a converter, or the engine that it writes for, does not know."""


class MissingConverterError(NotConvertibleError):
    """A converter is not installed; that is not remembered."""


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


def fix_shapes(
    source: Path, target: Path, shapes: dict[str, list[int]], outputs: list[str] | None = None
) -> None:
    """Write a copy of a model whose free dimensions have the given values.

    ``outputs`` names those that the copy keeps; by default it keeps all.
    """
    from onnxruntime.tools.onnx_model_utils import make_input_shape_fixed

    model = onnx.load(source)
    for name, shape in shapes.items():
        make_input_shape_fixed(model.graph, name, shape)
    kept = [value for value in model.graph.output if outputs is None or value.name in outputs]
    del model.graph.output[:]
    for value in kept:  # shapes of outputs follow from the inputs
        value.type.tensor_type.ClearField("shape")
    model.graph.output.extend(kept)
    onnx.save(onnx.shape_inference.infer_shapes(model), target)


def _run_pnnx(model: Path, folder: Path) -> None:
    """Write a model for ncnn and as a Python module for torch into ``folder``, as m.* and m_*."""
    package = Path(_installed("pnnx"))
    program = next(path for path in package.rglob("pnnx") if path.is_file())
    shapes = ",".join(_pnnx_type(shape, dtype) for shape, dtype in input_types(model).values())
    (folder / "m.onnx").write_bytes(model.read_bytes())
    command = [str(program), "m.onnx", f"inputshape={shapes}", "fp16=0"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)


def _installed(module: str) -> str:
    """Return the folder of a converter's package."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingConverterError(f"{module} is not installed")
    return next(iter(spec.submodule_search_locations))


def _pnnx_type(shape: list[int], dtype: np.dtype[Any]) -> str:
    """Return a tensor's type as pnnx takes it: ``[1,128]i64``."""
    sizes = ",".join(map(str, shape))
    return f"[{sizes}]{dtype.kind}{8 * dtype.itemsize}"


def ncnn_ports(script: str) -> dict[str, Any]:
    """Return how ncnn wants the inputs of a model, from the script that pnnx writes beside it.

    Inputs by their names in ncnn, each with its place in the ONNX model and the dimension that is
    the batch, which ncnn leaves out; outputs with that dimension.
    """
    batch = r".*?(?:batch_index=(\d+))?\)"
    fed = re.findall(r'ex\.input\("(in(\d+))", ncnn\.Mat\(' + batch + r"\.clone", script)
    taken = re.findall(r'ex\.extract\("(\w+)"\)\n' + batch, script)
    return {
        "inputs": {name: [int(place), int(index or _NO_BATCH)] for name, place, index in fed},
        "outputs": {name: int(index or _NO_BATCH) for name, index in taken},
    }


def _to_ncnn(model: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _run_pnnx(model, Path(scratch))
        lines = (Path(scratch) / "m.ncnn.param").read_text(encoding="utf-8").splitlines()[2:]
        # What ncnn has no layer for keeps the name that it has in torch.
        foreign = sorted({kind for kind in (line.split()[0] for line in lines) if "." in kind})
        if foreign:
            raise NotConvertibleError(f"ncnn has no layer for {', '.join(foreign)}")
        _note(target, ncnn_ports((Path(scratch) / "m_ncnn.py").read_text(encoding="utf-8")))
        shutil.move(Path(scratch) / "m.ncnn.bin", target.with_suffix(".bin"))
        shutil.move(Path(scratch) / "m.ncnn.param", target)


def _by_torch(model: Path, target: Path, engine: str) -> None:
    """Write a model for an engine whose converter takes a module of torch."""
    _installed({"torch": "torch", "litert": "litert_torch"}[engine])
    types = [(shape, dtype.name) for shape, dtype in input_types(model).values()]
    with tempfile.TemporaryDirectory() as scratch:
        _run_pnnx(model, Path(scratch))
        command = [sys.executable, str(HERE / "exporters.py"), engine, json.dumps(types)]
        done = subprocess.run(
            command, cwd=scratch, check=False, capture_output=True, text=True, timeout=900
        )
        if done.returncode < 0:
            raise NotConvertibleError(f"the converter ended with {_status(done.returncode)}")
        if done.returncode:
            last = (done.stdout.strip().splitlines() or [""])[-1]
            failure = json.loads(last) if last.startswith("{") else None
            if failure is None or failure["ours"]:
                raise RuntimeError(f"exporters.py {engine}: {failure or done.stderr[-400:]}")
            raise NotConvertibleError(failure["error"])
        written = Path(scratch) / f"m{target.suffix}"
        ports = Path(scratch) / "m.io.json"
        if ports.exists():
            shutil.move(ports, target.with_name(target.name + ".io.json"))
        shutil.move(written, target)


def _to_mnn(model: Path, target: Path) -> None:
    arguments = ["-f", "ONNX", "--modelFile", str(model), "--MNNModel", str(target)]
    command = [sys.executable, "-c", _MNN_CONVERT, *arguments, "--bizCode", "benchmark"]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    if not target.exists():
        raise NotConvertibleError("MNN's converter wrote nothing")
    outputs = [value.name for value in onnx.load(model, load_external_data=False).graph.output]
    _note(target, {"outputs": outputs})  # MNN has them in the order of the alphabet


def _note(target: Path, ports: dict[str, Any]) -> None:
    """Keep what an engine must know of a file's inputs and outputs."""
    target.with_name(target.name + ".io.json").write_text(json.dumps(ports), encoding="utf-8")


_CONVERTERS = {
    ".ncnn.param": _to_ncnn,
    ".mnn": _to_mnn,
    ".pt": partial(_by_torch, engine="torch"),
    ".tflite": partial(_by_torch, engine="litert"),
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
    except MissingConverterError:
        raise
    except (NotConvertibleError, subprocess.SubprocessError) as error:
        reason = _reason(error)
        failure.write_text(json.dumps({"reason": reason}), encoding="utf-8")
        raise NotConvertibleError(reason) from error
    return target


def _reason(error: Exception) -> str:
    """Return a converter's last output, or what became of its program."""
    if not isinstance(error, subprocess.CalledProcessError):
        return str(error)
    program = Path(error.cmd[0]).name if "_tools" not in str(error.cmd) else "MNN's converter"
    output = (error.stderr or b"").decode(errors="replace").strip()
    ended = f"{program} ended with {_status(error.returncode)}"
    last = output.rpartition("\n")[2].strip()
    return f"{ended}: {last}" if last else ended


def _status(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"
