# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layer and RMS normalisation: one operator, with parameters that run along the last dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .networks import values_of


def model_of(shape: tuple[int, ...], axis: int, *parameters: tuple[int, ...]) -> bytes:
    known = [
        onnx.numpy_helper.from_array(values_of(index + 1, *size), f"p{index}")
        for index, size in enumerate(parameters)
    ]
    names = ["x", *(tensor.name for tensor in known)]
    node = helper.make_node("LayerNormalization", names, ["y"], axis=axis, epsilon=1e-4)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy")
    graph = helper.make_graph([node], "g", [x], [y], known)
    opset = [helper.make_opsetid("", 17)]
    result: bytes = helper.make_model(graph, opset_imports=opset, ir_version=9).SerializeToString()
    return result


@pytest.mark.parametrize(
    ("shape", "axis", "parameters"),
    [
        ((2, 9, 64), -1, [(64,), (64,)]),
        ((2, 9, 65), 2, [(65,)]),
        ((3, 4, 5), 1, [(4, 5), (5,)]),
        ((3, 4, 5), 0, [(3, 4, 5), (4, 1)]),
        ((6,), 0, [(6,), (6,)]),
    ],
)
def test_matches_onnxruntime(
    runtime: ann.Runtime, shape: tuple[int, ...], axis: int, parameters: list[Any]
) -> None:
    model = model_of(shape, axis, *parameters)
    x = values_of(0, *shape) * 3 + 1
    (expected,) = onnxruntime.InferenceSession(model).run(None, {"x": x})
    with ann.load(model, ["CpuAcc"], runtime=runtime) as net:
        y = net.run({"x": x})["y"]
    assert_close(y, expected, LayerType.LAYER_NORMALIZATION)


@pytest.mark.parametrize(
    ("shape", "axis", "gamma"),
    [((2, 9, 65), -1, (65,)), ((3, 4, 5), 1, (4, 5)), ((3, 4, 5), 0, (4, 1)), ((6,), 0, (6,))],
)
def test_root_mean_square(
    runtime: ann.Runtime, shape: tuple[int, ...], axis: int, gamma: tuple[int, ...]
) -> None:
    network = ann.Network()
    x, scale = values_of(0, *shape) * 3 + 1, values_of(1, *gamma)
    entry = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("y", network.add_rms_normalization(entry, scale, axis, eps=1e-3))
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net:
        y = net.run({"x": x})["y"]
    wide = x.astype(np.float64)
    axes = tuple(range(axis % len(shape), len(shape)))
    expected = wide / np.sqrt((wide**2).mean(axis=axes, keepdims=True) + 1e-3) * scale
    assert_close(y, expected, LayerType.RMS_NORMALIZATION)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_parameters_join_the_operator(runtime: ann.Runtime, kind: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 8, 32)))
    if kind == "rms":
        y = network.add_rms_normalization(x, values_of(1, 32), name="norm")
    else:
        y = network.add_layer_normalization(x, values_of(1, 32), values_of(2, 32), name="norm")
    network.add_output("y", y)
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net:
        with net.profile() as profile:
            net.run({"x": values_of(0, 2, 8, 32)})
        kernels = [row.kernel for row in profile.layers if row.layer == "norm"]
    assert len(kernels) == 1
    assert "normalize" in kernels[0]


WRITTEN_OUT = {
    "power, reciprocal": ["q = Pow(x, two)", "i = Div(one, r)", "n = Mul(x, i)"],
    "product, quotient": ["q = Mul(x, x)", "n = Div(x, r)"],
    "reciprocal first": ["q = Mul(x, x)", "i = Reciprocal(r)", "n = Mul(i, x)"],
}


@pytest.mark.parametrize("form", WRITTEN_OUT)
@pytest.mark.parametrize("read_again", [False, True])
def test_root_mean_square_written_out(runtime: ann.Runtime, form: str, read_again: bool) -> None:
    """As exporters of language models write it; what is normalised is read elsewhere, too, and of
    numbers that make it up, one may be."""
    square, *others = WRITTEN_OUT[form]
    rest = "\n".join(others)
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    net (float[2, 5, 33] x) => (float[2, 5, 33] y, float[2, 5, 1] z)
    <float two = {{2}}, float one = {{1}}, float eps = {{1e-3}}> {{
      {square}
      m = ReduceMean <axes = [-1]> (q)
      s = Add(m, eps)
      r = Sqrt(s)
      {rest}
      g = Mul(gamma, n)
      y = Add(g, x)
      z = {"Neg(m)" if read_again else "ReduceMax <axes = [-1]> (x)"}
    }}"""
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(values_of(1, 33), "gamma"))
    data = model.SerializeToString()
    x = values_of(0, 2, 5, 33) * 2
    expected = onnxruntime.InferenceSession(data).run(None, {"x": x})
    with ann.load(data, ["CpuAcc"], runtime=runtime) as net:
        with net.profile() as profile:
            found = net.run({"x": x})
        kernels = [row.kernel for row in profile.layers]
    for one, other in zip(expected, found.values(), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6)
    assert any("normalize" in kernel for kernel in kernels) is not read_again
    assert any("sqrt" in kernel for kernel in kernels) is read_again
