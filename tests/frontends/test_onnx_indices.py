# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Indices that count from the end, and those that lie outside, of every operator that has some.

Expected: the text of each operator. Where it leaves a value open: onnxruntime, which refuses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING

X = np.arange(12, dtype=np.float32).reshape(4, 3)
BATCHES = np.arange(24, dtype=np.float32).reshape(2, 4, 3)


def i(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def row(op: str, *operands: Any, opset: int = 17, domain: str = "", **attributes: Any) -> Any:
    return pytest.param(op, operands, opset, domain, attributes, id=f"{op}-{len(ROWS)}")


ROWS: list[Any] = []
ROWS += [
    row("Gather", X, i(-4, 3)),
    row("Gather", X, i(-1, 0), opset=1),
    row("Gather", X, i(-3, 2), axis=-1),
    row("GatherElements", X, i([-4, 3, -1]), axis=0),
    row("GatherElements", X, i([0], [-3], [2], [-1]), axis=-1),
    row("GatherND", X, i([-4, -3], [3, 2], [-1, 0])),
    row("GatherND", X, i([-1], [0])),
    row("GatherND", BATCHES, i([[-1, -3]], [[0, -1]]), batch_dims=1),
    row("GatherND", BATCHES, i([[-1], [0]], [[-4], [1]]), batch_dims=1),
    row("ScatterElements", X, i([-4, 3, -1]), X[:1] + 50, axis=0),
    row("ScatterElements", X, i([-4, 3, -1]), X[:1] + 50, axis=0, reduction="add", opset=18),
    row("GatherElements", X[0], i(-3, 2, 0)),
    row("ScatterElements", X[0], i(-3, 2), np.float32([50, 60])),
    row("ScatterElements", X[:1], i([-1, -1]), X[:1, :2], axis=1, reduction="add", opset=18),
    row("ScatterND", X, i([-1, -3]), np.float32([50])),
    row("ScatterND", X, i([-1, -3]), np.float32([50]), reduction="mul", opset=18),
    row("ReverseSequence", X, i(0, 4, 1)),
    row("ReverseSequence", X, i(0, 3, 1, 2), time_axis=1, batch_axis=0),
    row("ArrayFeatureExtractor", X, i(2, 0), domain=MACHINE_LEARNING),
]
TAKEN = list(ROWS)

ROWS = []
ROWS += [
    row("Gather", X, i(-5)),
    row("Gather", X, i(4)),
    row("GatherElements", X, i([-5, 0, 0]), axis=0),
    row("GatherElements", X, i([0], [3], [0], [0]), axis=1),
    row("GatherElements", X, i([0], [-4], [0], [0]), axis=1),
    row("GatherElements", X, i([2**32, 0, 0]), axis=0),
    row("GatherND", X, i([-1, -4])),
    row("GatherND", X, i([0, 3])),
    row("GatherND", BATCHES, i([[0, 3]], [[0, 0]]), batch_dims=1),
    row("GatherND", BATCHES, i([[4]], [[0]]), batch_dims=1),
    row("ScatterElements", X, i([0], [3], [0], [0]), X[:, :1], axis=1),
    row("ScatterElements", X, i([-5, 0, 0]), X[:1], axis=0),
    row("GatherElements", X[0], i(-4)),
    row("GatherElements", X, i([3]), axis=1),
    row("ScatterElements", X[0], i(3), np.float32([50])),
    row("ScatterElements", X, i([3]), X[:1, :1], axis=1),
    row("ScatterND", X, i([0, 3]), np.float32([50])),
    row("ScatterND", X, i([0, -4]), np.float32([50])),
    row("ReverseSequence", X, i(5, 4, 1)),
    row("ReverseSequence", X, i(4, 3, 1, 2), time_axis=1, batch_axis=0),
    row("ArrayFeatureExtractor", X, i(-1), domain=MACHINE_LEARNING),
    row("ArrayFeatureExtractor", X, i(3), domain=MACHINE_LEARNING),
    row("MaxUnpool", X[None, :1], i([[-1, 0, 2]]), kernel_shape=[2], strides=[2]),
    row("MaxUnpool", X[None, :1], i([[2**32, 0, 2]]), kernel_shape=[2], strides=[2]),
    row("RoiAlign", BATCHES[:, None], np.float32([[0, 0, 2, 2]]), i(-1), sampling_ratio=2),
    row("RoiAlign", BATCHES[:, None], np.float32([[0, 0, 2, 2]]), i(2), sampling_ratio=2),
]
REFUSED = ROWS

PARAMETERS = ("op", "operands", "opset", "domain", "attributes")


def built(
    engines: Any, op: str, operands: Any, opset: int, domain: str, attributes: Any, known: str
) -> tuple[Any, dict[str, np.ndarray]]:
    """A node whose operands are inputs, constants, or constants but for the first."""
    first = {"nothing": len(operands), "indices": 1, "all": 0}[known]
    given = {f"x{k}": value for k, value in enumerate(operands)}
    fed = {name: given[name] for name in list(given)[:first]}
    constants = {name: value for name, value in given.items() if name not in fed}
    node = helper.make_node(op, list(given), ["y"], domain=domain, **attributes)
    model = engines.build([node], fed, ["y"], constants, opset=opset)
    model.opset_import.append(helper.make_opsetid(MACHINE_LEARNING, 1))
    return model, fed


@pytest.mark.parametrize("known", ["nothing", "indices", "all"])
@pytest.mark.parametrize(PARAMETERS, TAKEN)
def test_taken(
    engines: Any, op: str, operands: Any, opset: int, domain: str, attributes: Any, known: str
) -> None:
    model, fed = built(engines, op, operands, opset, domain, attributes, known)
    expected = engines.theirs(model, fed)["y"]
    np.testing.assert_array_equal(engines.ours(model, fed)["y"], expected)


@pytest.mark.parametrize("known", ["nothing", "indices", "all"])
@pytest.mark.parametrize(PARAMETERS, REFUSED)
def test_refused(
    engines: Any, op: str, operands: Any, opset: int, domain: str, attributes: Any, known: str
) -> None:
    model, fed = built(engines, op, operands, opset, domain, attributes, known)
    with pytest.raises(ann.ArmnnError):
        engines.ours(model, fed)


def test_negative_lengths_are_refused(models: Any) -> None:
    model, _ = built(models, "ReverseSequence", (X, i(-1, 4, 2)), 17, "", {}, "indices")
    with pytest.raises(ann.ParseError, match="'sequence_lens' holds -1, expected at least 0"):
        ann.import_model(models.save(model))


@pytest.mark.parametrize("known", ["nothing", "all"])
@pytest.mark.parametrize("opset", [9, 11])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.float32])
def test_one_hot(engines: Any, dtype: Any, opset: int, known: str) -> None:
    """Before version 11 negative indices are outside; real ones are truncated."""
    places = np.array([0, 2, 3, 5, 100, 127], dtype)
    if places.dtype.kind != "u":
        places = np.concatenate([places, np.array([-1, -3, -4, -127], dtype)])
    else:
        places = np.concatenate([places, np.array([255 - 2], dtype)])
    if places.dtype.kind == "f":
        places = np.concatenate([places, np.array([1.75, -1.75], dtype)])
    whole = places.astype(np.int64)
    for depth in (3, 200):
        rows = whole[:, np.newaxis] == np.arange(depth)
        if opset >= 11:
            rows |= (whole + depth)[:, np.newaxis] == np.arange(depth)
        expected = np.where(rows, 7, 2).astype(np.float32)
        fed = {} if known == "all" else {"x": places}
        constants = {"d": i(depth), "v": np.float32([2, 7])} | ({"x": places} if not fed else {})
        node = helper.make_node("OneHot", ["x", "d", "v"], ["y"])
        model = engines.build([node], fed, ["y"], constants, opset=opset)
        np.testing.assert_array_equal(engines.ours(model, fed)["y"], expected)
