# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""armnn_py, ONNX Runtime and OpenVINO on any models, by processor time: for a busy machine.

    python benchmarks/peers/processor_time.py MODEL.onnx[,INPUT=1x128...] ... [--turns 12]
        [--turn-ms 400] [--output FILE.json]

One thread each, in turns in one process; a figure is the least processor time of a run. Inputs of
whole numbers are all 1, so that they may be tokens or a mask; others are normally distributed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from compare import difference
from engines import ENGINES

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import publish

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("onnxruntime", "openvino", "armnn_py")


def inputs_of(model: Path, shapes: dict[str, list[int]]) -> dict[str, np.ndarray]:
    """Return an array for every input of a model."""
    graph = onnx.load(model, load_external_data=False).graph
    known = {tensor.name for tensor in graph.initializer}
    random = np.random.default_rng(0)
    result = {}
    for value in graph.input:
        if value.name in known:
            continue
        kind = value.type.tensor_type
        shape = shapes.get(value.name) or [size.dim_value for size in kind.shape.dim]
        if kind.elem_type == onnx.TensorProto.INT64:
            result[value.name] = np.ones(shape, np.int64)
        else:
            result[value.name] = random.standard_normal(shape).astype(np.float32)
    return result


def least_time(run: Callable[[], object], seconds: float) -> float:
    """Return the least processor time of a run, in milliseconds."""
    best, end = float("inf"), time.monotonic() + seconds
    while time.monotonic() < end or best == float("inf"):
        start = time.process_time_ns()
        run()
        best = min(best, (time.process_time_ns() - start) / 1e6)
    return best


def measure(model: Path, shapes: dict[str, list[int]], turns: int, seconds: float) -> Any:
    """Return milliseconds of each engine, and how far outputs are from ONNX Runtime's."""
    inputs = inputs_of(model, shapes)
    runs = {name: ENGINES[name].load(model, inputs, 1) for name in NAMES}
    outputs = {name: [np.array(array) for array in run()] for name, run in runs.items()}
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(turns):
        for name, run in runs.items():
            best[name] = min(best[name], least_time(run, seconds))
    fastest = min(value for name, value in best.items() if name != "armnn_py")
    return {
        **{name: round(value, 3) for name, value in best.items()},
        "ours / fastest": round(best["armnn_py"] / fastest, 3),
        "difference": float(f"{difference(outputs['onnxruntime'], outputs['armnn_py']):.1e}"),
    }


def main() -> None:
    """Measure the models of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="+", help="FILE.onnx,INPUT=1x128,...")
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--turn-ms", type=float, default=400)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    figures = {}
    for text in arguments.model:
        file, *named = text.split(",")
        pairs = (part.split("=") for part in named)
        shapes = {name: [int(size) for size in shape.split("x")] for name, shape in pairs}
        figures[Path(file).stem] = measure(
            Path(file), shapes, arguments.turns, arguments.turn_ms / 1e3
        )
        print(Path(file).stem, figures[Path(file).stem], flush=True)
    document = {"unit": "ms of processor time, one thread", "networks": figures}
    publish("processor_time", document, arguments.output)


if __name__ == "__main__":
    main()
