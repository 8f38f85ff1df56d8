# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What stages cost: a detector with NonMaxSuppression in its graph, and the suppression alone.

Processor time of one thread. A run of the detector is set beside its first stage, that of an image
whose number of boxes was there before beside one with a new number; the suppression of 8,400 boxes
of 80 classes beside onnxruntime's, by turns. Answers are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import onnxruntime_session, publish, spread
from onnx import ModelProto, TensorProto, helper, numpy_helper

import armnn_py as ann

Arrays = dict[str, np.ndarray[Any, Any]]
_BACKENDS = ["CpuAcc", "CpuRef"]
#: Most boxes of a class, overlap, least score.
_CASES = ((100, 0.5, 0.9), (100, 0.5, 0.25), (300, 0.45, 0.25), (300, 0.7, 0.001))


def _model(
    nodes: list[Any], inputs: dict[str, Any], output: tuple[str, int], constants: Arrays
) -> ModelProto:
    name, kind = output
    graph = helper.make_graph(
        nodes,
        "stages",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, dims) for n, dims in inputs.items()],
        [helper.make_tensor_value_info(name, kind, ["n", None])],
        [numpy_helper.from_array(array, key) for key, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _limits(most: int, overlap: float, least: float) -> Arrays:
    return {
        "most": np.array([most], np.int64),
        "overlap": np.array([overlap], np.float32),
        "least": np.array([least], np.float32),
    }


def suppression(most: int, overlap: float, least: float) -> ModelProto:
    """NonMaxSuppression of boxes that a layer computes."""
    node = helper.make_node
    return _model(
        [
            node("Abs", ["boxes"], ["b"]),
            node("NonMaxSuppression", ["b", "scores", "most", "overlap", "least"], ["y"]),
        ],
        {"boxes": [1, 8400, 4], "scores": [1, 80, 8400]},
        ("y", TensorProto.INT64),
        _limits(most, overlap, least),
    )


def detector() -> ModelProto:
    """Three convolutions, 1,600 boxes of four classes, suppression and the boxes that it keeps."""
    node, random = helper.make_node, np.random.default_rng(0)
    nodes, before = [], "image"
    constants = {
        **_limits(400, 0.5, 0.6),
        "flat": np.array([1, 8, -1]),
        "parts": np.array([4, 4]),
        "places": np.array([0, 2]),
    }
    for index, channels in enumerate((3, 8, 8)):
        weights = random.standard_normal((8, channels, 3, 3)) * 0.3
        constants[f"w{index}"] = weights.astype(np.float32)
        nodes += [
            node("Conv", [before, f"w{index}"], [f"c{index}"], strides=[2, 2], pads=[1] * 4),
            node("LeakyRelu", [f"c{index}"], [f"r{index}"]),
        ]
        before = f"r{index}"
    nodes += [
        node("Reshape", [before, "flat"], ["rows"]),
        node("Split", ["rows", "parts"], ["b", "s"], axis=1),
        node("Sigmoid", ["s"], ["scores"]),
        node("Transpose", ["b"], ["boxes"], perm=[0, 2, 1]),
        node("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["kept"]),
        node("Gather", ["kept", "places"], ["at"], axis=1),
        node("GatherND", ["boxes", "at"], ["y"]),
    ]
    return _model(nodes, {"image": [1, 3, 320, 320]}, ("y", TensorProto.FLOAT), constants)


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = call()
    return (time.process_time() - begin) * 1e3, result


def measure_detector(images: int) -> dict[str, Any]:
    """Time runs of images, each of them twice; its number of boxes may be new the first time."""
    random, seen = np.random.default_rng(1), set()
    made: dict[str, list[float]] = {"new": [], "repeated": [], "first_stage": []}
    model = detector()
    stage = ann.import_model(model).stages[0].network
    assert isinstance(stage, ann.Network)
    with (
        ann.load(model, _BACKENDS, threads=1) as whole,
        ann.load(stage, _BACKENDS, threads=1) as first,
    ):
        for index in range(images):
            x = random.standard_normal((1, 3, 320, 320)).astype(np.float32)
            took, outputs = _timed(lambda x=x: whole.run(x))
            count = len(outputs["y"])
            if index > 1 and count not in seen:
                made["new"].append(took)
            seen.add(count)
            made["repeated"].append(_timed(lambda x=x: whole.run(x))[0])
            made["first_stage"].append(_timed(lambda x=x: first.run(x))[0])
    return {name: spread(times, 1) for name, times in made.items()} | {"counts": len(seen)}


def measure_suppression(turns: int) -> list[dict[str, Any]]:
    """Time suppression beside onnxruntime."""
    random = np.random.default_rng(0)
    corner, size = random.random((1, 8400, 2)) * 640, random.random((1, 8400, 2)) * 100 + 4
    inputs = {
        "boxes": np.concatenate([corner, corner + size], -1).astype(np.float32),
        "scores": (random.random((1, 80, 8400)) ** 20).astype(np.float32),
    }
    rows = []
    for case in _CASES:
        model = suppression(*case)
        session = onnxruntime_session(model.SerializeToString(), 1)
        ours: list[float] = []
        theirs: list[float] = []
        with ann.load(model, _BACKENDS, threads=1) as network:
            for _ in range(turns):
                took, found = _timed(lambda network=network: network.run(inputs)["y"])
                ours.append(took)
                took, wanted = _timed(lambda session=session: session.run(None, inputs)[0])
                theirs.append(took)
        rows.append(
            {
                "most": case[0], "overlap": case[1], "least_score": case[2], "kept": len(found),
                "equal": bool(np.array_equal(found, wanted)), "ours": spread(ours[1:], 1),
                "onnxruntime": spread(theirs[1:], 1),
            }
        )  # fmt: skip
    return rows


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    figures = {
        "detector": measure_detector(given.images),
        "suppression": measure_suppression(given.turns),
    }
    publish("stages", {"unit": "ms of processor time", **figures}, given.output)


if __name__ == "__main__":
    main()
