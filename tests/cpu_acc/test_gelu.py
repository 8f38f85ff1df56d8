# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""GELU as networks are exported becomes one function: the values of onnxruntime."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import parser

import armnn_py as ann

from .networks import values_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_ROOT = "s = Constant <value_float = 1.41421356237> ()\nh = Constant <value_float = 0.5> ()"
_ONE = "o = Constant <value_float = 1.0> ()"
_ERF = f"{_ROOT}\n{_ONE}\nd = Div(x, s)\ne = Erf(d)\ng = Add(e, o)"
_SLOPE = f"c = Constant <value_float = {math.sqrt(2 / math.pi)!r}> ()"
_CUBIC = "k = Constant <value_float = 0.044715> ()\nh = Constant <value_float = 0.5> ()"
_TANH = f"{_SLOPE}\n{_CUBIC}\n{_ONE}"
_TAIL = "t = Tanh(u)\ng = Add(t, o)"

# Each makes y of x.
FORMS = {
    "product, then half": f"{_ERF}\np = Mul(x, g)\ny = Mul(p, h)",
    "half of x": f"{_ERF}\np = Mul(x, h)\ny = Mul(p, g)",
    "half of the gate": f"{_ERF}\np = Mul(g, h)\ny = Mul(p, x)",
    "no half": f"{_ERF}\ny = Mul(g, x)",
    "power": f"{_TANH}\nn = Constant <value_float = 3.0> ()\nq = Pow(x, n)\nr = Mul(q, k)\n"
    f"w = Add(x, r)\nu = Mul(w, c)\n{_TAIL}\np = Mul(x, h)\ny = Mul(p, g)",
    "products": f"{_TANH}\na = Mul(x, x)\nq = Mul(a, x)\nr = Mul(k, q)\nw = Add(r, x)\n"
    f"u = Mul(c, w)\n{_TAIL}\np = Mul(g, h)\ny = Mul(x, p)",
    "square": f"{_TANH}\na = Mul(x, x)\nr = Mul(k, a)\nw = Add(r, o)\nv = Mul(w, c)\n"
    f"u = Mul(v, x)\n{_TAIL}\np = Mul(g, h)\ny = Mul(x, p)",
    "operator": "y = Gelu(x)",
    "operator, tanh": 'y = Gelu <approximate = "tanh"> (x)',
    "quick": "c = Constant <value_float = 1.702> ()\nu = Mul(x, c)\ng = Sigmoid(u)\ny = Mul(x, g)",
    "sigmoid": "g = Sigmoid(x)\ny = Mul(x, g)",
}

# Alike, but something else.
OTHERS = {
    "another slope": f"{_ERF}\nf = Erf(x)\ng2 = Add(f, o)\np = Mul(x, g2)\ny = Mul(p, h)",
    "another number": f"{_ERF}\ng2 = Add(e, h)\ny = Mul(x, g2)",
    "another x": f"{_ERF}\nz = Abs(x)\np = Mul(z, g)\ny = Mul(p, h)",
    "another cubic": f"{_SLOPE}\n{_CUBIC}\n{_ONE}\na = Mul(x, x)\nw = Add(x, a)\nu = Mul(w, c)\n"
    f"{_TAIL}\np = Mul(x, h)\ny = Mul(p, g)",
}


def model_of(lines: str, shape: Iterable[int], *, more_outputs: str = "") -> onnx.ModelProto:
    size = ", ".join(map(str, shape))
    depth = 24
    text = f"""<ir_version: 10, opset_import: ["" : 20]>
    net (float[{size}, {depth}] input) => (float[{size}, 37] y{more_outputs}) {{
      x = MatMul(input, weights)
      {lines}
    }}"""
    model = parser.parse_model(text)
    weights = values_of(1, depth, 37) / 3
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "weights"))
    return model


def rows_of(runtime: ann.Runtime, model: onnx.ModelProto, shape: tuple[int, ...]) -> list[str]:
    """Compare with onnxruntime; the rows of the profile."""
    data = model.SerializeToString()
    x = values_of(0, *shape, 24)
    expected = onnxruntime.InferenceSession(data).run(None, {"input": x})
    with ann.load(data, ["CpuAcc"], runtime=runtime) as net:
        with net.profile() as profile:
            outputs = net.run({"input": x})
        for name, value in zip((o.name for o in model.graph.output), expected, strict=True):
            np.testing.assert_allclose(outputs[name], value, rtol=1e-5, atol=2e-6)
        return [row.layer for row in profile.layers if not row.layer.startswith("CpuAcc: ")]


@pytest.mark.parametrize("shape", [(3, 5), (1,)], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_is_an_epilogue(runtime: ann.Runtime, form: str, shape: tuple[int, ...]) -> None:
    rows = rows_of(runtime, model_of(FORMS[form], shape), shape)
    assert len(rows) == 1


@pytest.mark.parametrize("form", OTHERS)
def test_others_stay(runtime: ann.Runtime, form: str) -> None:
    rows = rows_of(runtime, model_of(OTHERS[form], (7,)), (7,))
    assert len(rows) > 1


def test_a_part_that_is_an_output_stays(runtime: ann.Runtime) -> None:
    lines = FORMS["product, then half"]
    model = model_of(lines, (7,), more_outputs=", float[7, 37] e")
    assert len(rows_of(runtime, model, (7,))) > 1
