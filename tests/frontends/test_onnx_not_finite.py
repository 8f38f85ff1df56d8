# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants and attributes that are no finite numbers, and what is computed of them at import.

A warning of numpy fails a test.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING

INF, NAN = np.float32(np.inf), np.float32(np.nan)
X = np.arange(1, 19, dtype=np.float32).reshape(1, 2, 3, 3)


def model(
    op: str, operands: list[Any], domain: str = "", version: int = 17, **attributes: Any
) -> onnx.ModelProto:
    """A node over constants; what is named "x" is an input of the shape of ``X``."""
    names = [one if isinstance(one, str) else f"c{k}" for k, one in enumerate(operands)]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], domain=domain, **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, X.shape)],
        [onnx.ValueInfoProto(name="y")],
        [
            numpy_helper.from_array(np.asarray(one), name)
            for name, one in zip(names, operands, strict=True)
            if not isinstance(one, str)
        ],
    )
    opsets = [helper.make_opsetid("", version), helper.make_opsetid(MACHINE_LEARNING, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


FOLDED: dict[str, onnx.ModelProto] = {
    "a product with infinity": model("MatMul", [np.full((2, 2), INF), np.zeros((2, 3), "f4")]),
    "a determinant of NaN": model("Det", [np.full((2, 2), NAN)]),
    "a determinant beyond float32": model("Det", [np.float32([[1e30, 0], [0, 1e30]])]),
    "boxes without end": model(
        "NonMaxSuppression",
        [np.full((1, 3, 4), INF), np.ones((1, 1, 3), "f4"), np.int64([3]), np.float32([0.5]),
         np.float32([0.0])], center_point_box=1),
}  # fmt: skip


@pytest.mark.parametrize("what", FOLDED)
def test_beside_onnxruntime(what: str) -> None:
    made = FOLDED[what]
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (wanted,) = session.run(None, {"x": X})
    with ann.load(made, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({"x": X})["y"], wanted)


def test_an_infinite_factor() -> None:
    """Channels outside of a window do not count, whatever the factor; onnxruntime has NaN there."""
    with ann.load(model("LRN", ["x"], size=1, alpha=float(INF)), ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({"x": X})["y"], np.zeros_like(X))


REFUSED: dict[str, tuple[onnx.ModelProto, str]] = {
    "a rate of NaN": (
        model("MelWeightMatrix", [np.int64(4), np.int64(16), np.float32(NAN), np.float32(0),
                                  np.float32(8)]), "16 samples at nan Hz"),
    **{f"an edge of {edge}": (
        model("MelWeightMatrix", [np.int64(4), np.int64(16), np.int64(16), np.float32(0),
                                  np.float32(edge)]), "edges 0.0 Hz and")
       for edge in (NAN, INF, 1e38)},
    "a huge scale": (model("Resize", ["x", np.float32([]), np.float32([1, 1, 3e38, 1])],
                           version=13), "a scale of 3e+38 does not fit a dimension of 3 elements"),
    "an infinite coefficient": (
        model("Resize", ["x", np.float32([]), np.float32([1, 1, 2, 2])], version=13, mode="cubic",
              cubic_coeff_a=float(INF)), "attribute 'cubic_coeff_a' is inf, expected a finite"),
    "real columns": (model("ArrayFeatureExtractor", ["x", np.float32([NAN])], MACHINE_LEARNING),
                     "the indices are float32, expected int64"),
    "bits of reals": (model("BitwiseNot", [np.float32([1.5])], version=18),
                      "operands are float32"),
    "bits of real operands": (model("BitwiseAnd", [np.float32([1.5])] * 2, version=18),
                              "operands are float32"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    made, message = REFUSED[what]
    with pytest.raises(ann.ParseError) as caught:
        ann.import_model(made)
    assert message in str(caught.value)
    assert "ufunc" not in str(caught.value)
