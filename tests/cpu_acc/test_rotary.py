# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rotary embedding as one operator: numpy bit for bit, and onnxruntime for whole networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper, parser

import armnn_py as ann

from .guarded import laid_out, random_like
from .networks import values_of
from .operators import UNSUPPORTED, Operators, Rotary, tensor
from .saving import check_saved

if TYPE_CHECKING:
    from collections.abc import Sequence


def turned(
    x: np.ndarray, cosine: np.ndarray, sine: np.ndarray, count: int, *, neighbours: bool
) -> np.ndarray:
    """Float32, each product and sum rounded."""
    out = x.copy()
    first, second = np.arange(0, count, 2), np.arange(1, count, 2)
    if not neighbours:
        first, second = np.arange(count // 2), np.arange(count // 2, count)
    if cosine.shape[-1] != count:  # one for each pair
        both = np.empty(count, int)
        both[first] = both[second] = np.arange(count // 2)
        cosine, sine = cosine[..., both], sine[..., both]
    a, b = x[..., first], x[..., second]
    out[..., first] = a * cosine[..., first] - b * sine[..., first]
    out[..., second] = b * cosine[..., second] + a * sine[..., second]
    return out


SHAPES: list[tuple[Sequence[int], Sequence[int]]] = [
    ((64,), (64,)),
    ((2, 3, 5, 16), (1, 1, 5, 16)),
    ((2, 5, 3, 6), (2, 5, 1, 6)),
    ((7, 2), (7, 2)),
    ((1, 9, 130), (1, 1, 130)),
    ((3, 40, 20, 80), (3, 40, 1, 80)),
]


@pytest.mark.parametrize(("shape", "of_angles"), SHAPES, ids=str)
@pytest.mark.parametrize("neighbours", [False, True])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("how", [0, 2])
def test_rows(
    operators: Operators,
    isa: str,
    shape: Sequence[int],
    of_angles: Sequence[int],
    neighbours: bool,
    both: bool,
    how: int,
) -> None:
    rng = np.random.default_rng(3)
    how = 0 if len(shape) < 3 else how
    for count in {shape[-1], max(shape[-1] // 4 * 2, 2)}:
        angles = (*of_angles[:-1], count if both else count // 2)
        x, out = random_like(rng, shape, how), laid_out(shape, how)
        cosine, sine = random_like(rng, angles, how), random_like(rng, angles, 0)
        what = Rotary(
            tensor(x), tensor(cosine), tensor(sine), tensor(out), turned=count,
            neighbours=neighbours,
        )  # fmt: skip
        assert operators.run("rotary", isa, what) == f"armnn_f32_rotary__{isa}"
        expected = turned(x, cosine, sine, count, neighbours=neighbours)
        np.testing.assert_array_equal(out, expected)
        what.output = tensor(x)  # in place
        assert operators.run("rotary", isa, what, threads=(3,)) != UNSUPPORTED
        np.testing.assert_array_equal(x, expected)


def test_gaps_inside_of_rows_are_refused(operators: Operators, isa: str) -> None:
    arrays = [values_of(seed, 3, 16) for seed in range(4)]
    for place in range(4):
        tensors = [tensor(array[:, ::2] if n == place else array[:, :8].copy())
                   for n, array in enumerate(arrays)]  # fmt: skip
        assert operators.refuses("rotary", isa, Rotary(*tensors, turned=8))


# ---- Networks ------------------------------------------------------------------------------------

BATCH, HEADS, STEPS, WIDTH = 2, 3, 5, 16
HALF = WIDTH // 2

_ROTATE_HALF = """
  b = Slice({x}, half, end, last)
  a = Slice({x}, zero, half, last)
  n = Neg(b)
  r = Concat <axis = -1> (n, a)
"""
_ROTATE_EVERY_TWO = """
  b = Slice({x}, one, end, last, two)
  a = Slice({x}, zero, end, last, two)
  n = Neg(b)
  n1 = Unsqueeze(n, last)
  a1 = Unsqueeze(a, last)
  j = Concat <axis = -1> (n1, a1)
  r = Reshape(j, whole)
"""
_SPLIT = "a, b = Split <axis = -1> ({x})\n"
_SUM = "xc = Mul({x}, c)\nrs = Mul(r, s)\n{y} = Add(xc, rs)\n"
_PAIRS = """
  ac = Mul(a, hc)
  bs = Mul(b, hs)
  bc = Mul(b, hc)
  as = Mul(hs, a)
  p = Sub(ac, bs)
  q = Add(as, bc)
"""
FORMS = {
    "halves": (_ROTATE_HALF + _SUM).format(x="x", y="y"),
    "halves by Split": (_SPLIT + "n = Neg(b)\nr = Concat <axis = -1> (n, a)\n" + _SUM).format(
        x="x", y="y"
    ),
    "sum the other way": _ROTATE_HALF.format(x="x") + "xc = Mul(c, x)\nrs = Mul(s, r)\n"
    "y = Add(rs, xc)",
    "neighbours": (_ROTATE_EVERY_TWO + _SUM).format(x="x", y="y"),
    "pairs": _SPLIT.format(x="x") + _PAIRS + "y = Concat <axis = -1> (p, q)",
    "pairs of neighbours": """
      a = Slice(x, zero, end, last, two)
      b = Slice(x, one, end, last, two)
    """
    + _PAIRS
    + """
      p1 = Unsqueeze(p, last)
      q1 = Unsqueeze(q, last)
      j = Concat <axis = -1> (p1, q1)
      y = Reshape(j, whole)
    """,
    "pairs as a dimension": """
      pairs = Reshape(x, apart)
      a1, b1 = Split <axis = -1> (pairs)
      a = Squeeze(a1, last)
      b = Squeeze(b1, last)
    """
    + _PAIRS
    + """
      p1 = Unsqueeze(p, last)
      q1 = Unsqueeze(q, last)
      j = Concat <axis = -1> (p1, q1)
      y = Reshape(j, whole)
    """,
    "part of a row": "f, rest = Split <axis = -1> (wide, parts)\n"
    + (_ROTATE_HALF + _SUM).format(x="f", y="t")
    + "y = Concat <axis = -1> (t, rest)",
}
OTHERS = {
    "the first ones negated": _ROTATE_HALF.replace("n, a)", "a, n)").format(x="x")
    + _SUM.format(x="x", y="y"),
    "nothing negated": _ROTATE_HALF.replace("Neg(b)", "Relu(b)").format(x="x")
    + _SUM.format(x="x", y="y"),
    "another x": _ROTATE_HALF.format(x="x") + _SUM.format(x="s", y="y"),
    "a difference": (_ROTATE_HALF + _SUM.replace("Add", "Sub")).format(x="x", y="y"),
    "other angles": _SPLIT.format(x="x")
    + _PAIRS.replace("bc = Mul(b, hc)", "bc = Mul(b, hs)")
    + "y = Concat <axis = -1> (p, q)",
    "neighbours joined as halves": """
      a = Slice(x, zero, end, last, two)
      b = Slice(x, one, end, last, two)
    """
    + _PAIRS
    + "y = Concat <axis = -1> (p, q)",
}


def model_of(
    lines: str, *, order: str = "x", constant: bool = False
) -> tuple[bytes, dict[str, Any]]:
    """Heads of ``order`` "x" lie as the network has them; "t": positions come before heads."""
    wide = WIDTH + (6 if "wide" in lines else 0)
    name = "wide" if "wide" in lines else "x"
    shape = [BATCH, HEADS, STEPS, wide] if order == "x" else [BATCH, STEPS, HEADS, wide]
    angle = {"c": WIDTH, "s": WIDTH, "hc": HALF, "hs": HALF}
    angles = {name: values_of(seed, 1, 1, STEPS, size)
              for seed, (name, size) in enumerate(angle.items())}  # fmt: skip
    declared = ", ".join(f"float[1, 1, {STEPS}, {size}] {name}" for name, size in angle.items())
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    net (float[{", ".join(map(str, shape))}] given, {declared})
      => (float[{BATCH}, {HEADS}, {STEPS}, {wide}] y) {{
      {name} = Transpose <perm = {[0, 1, 2, 3] if order == "x" else [0, 2, 1, 3]}> (given)
      {lines}
    }}"""
    model = parser.parse_model(text)
    constants = {
        "zero": [0], "one": [1], "two": [2], "half": [HALF], "end": [2**31 - 1], "last": [-1],
        "whole": [BATCH, HEADS, STEPS, WIDTH], "apart": [BATCH, HEADS, STEPS, HALF, 2],
        "parts": [WIDTH, wide - WIDTH],
    }  # fmt: skip
    used = {word for node in model.graph.node for word in node.input}
    model.graph.initializer.extend(
        numpy_helper.from_array(np.array(value, np.int64), name)
        for name, value in constants.items() if name in used
    )  # fmt: skip
    inputs = {"given": values_of(9, *shape), **angles}
    if constant:
        model.graph.initializer.extend(
            numpy_helper.from_array(array, name) for name, array in angles.items()
        )
        del model.graph.input[1:]
        inputs = {"given": inputs["given"]}
    return model.SerializeToString(), inputs


def run(
    runtime: ann.Runtime, data: bytes, inputs: dict[str, Any], threads: int = 1
) -> tuple[np.ndarray, list[str]]:
    """The output and the kernels; what a saved program gives has the same bits."""
    optimized = ann.optimize(ann.import_model(data), ["CpuAcc"], runtime=runtime)
    with runtime.load_network(optimized, threads=threads) as net:
        fed = {name: inputs[name] for name in net.inputs}
        with net.profile() as profile:
            outputs = {name: np.array(array) for name, array in net.run(fed).items()}
        kernels = [row.kernel for row in profile.layers if not row.layer.startswith("CpuAcc: ")]
    check_saved(runtime, optimized, fed, outputs)
    return outputs["y"], kernels


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("order", ["x", "t"])
@pytest.mark.parametrize("form", FORMS)
def test_is_one_operator(runtime: ann.Runtime, form: str, order: str, constant: bool) -> None:
    data, inputs = model_of(FORMS[form], order=order, constant=constant)
    y, kernels = run(runtime, data, inputs)
    (expected,) = onnxruntime.InferenceSession(data).run(None, inputs)
    np.testing.assert_array_equal(y, expected)
    assert sum("rotary" in kernel for kernel in kernels) == 1
    assert not any(word in kernel for kernel in kernels for word in ("mul", "add", "sub", "neg"))


@pytest.mark.parametrize("form", OTHERS)
def test_others_stay(runtime: ann.Runtime, form: str) -> None:
    data, inputs = model_of(OTHERS[form])
    y, kernels = run(runtime, data, inputs)
    (expected,) = onnxruntime.InferenceSession(data).run(None, inputs)
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)
    assert not any("rotary" in kernel for kernel in kernels)


def test_special_values(runtime: ann.Runtime) -> None:
    """Infinities and NaN are what the layers one by one make of them."""
    data, inputs = model_of(FORMS["halves"])
    for place, value in enumerate((np.inf, -np.inf, np.nan, -0.0)):
        inputs["given"][0, 0, place] = value
        inputs["s"][0, 0, 4, place] = 0.0
    with ann.load(data, ["CpuRef"], runtime=runtime) as net, np.errstate(invalid="ignore"):
        expected = net.run({name: inputs[name] for name in net.inputs})["y"]
    y, kernels = run(runtime, data, inputs)
    assert any("rotary" in kernel for kernel in kernels)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("part", [0, 8])
def test_the_operator_of_onnxruntime(runtime: ann.Runtime, interleaved: int, part: int) -> None:
    """RotaryEmbedding of com.microsoft, all of the heads or the first numbers of each."""
    size = part or WIDTH
    more: dict[str, Any] = {"num_heads": HEADS, "rotary_embedding_dim": part} if part else {}
    node = helper.make_node("RotaryEmbedding", ["given", "places", "cosines", "sines"], ["y"],
                            domain="com.microsoft", interleaved=interleaved, **more)  # fmt: skip
    angles = np.outer(np.arange(40), 0.7 ** np.arange(size // 2)).astype(np.float32)
    shape = [BATCH, STEPS, HEADS * WIDTH]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node], "net",
        [info("given", onnx.TensorProto.FLOAT, shape), info("places", 7, [BATCH, STEPS])],
        [info("y", onnx.TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.cos(angles), "cosines"),
         numpy_helper.from_array(np.sin(angles), "sines")],
    )  # fmt: skip
    if not part:
        graph.node[0].attribute.append(helper.make_attribute("num_heads", HEADS))
        graph.node[0].attribute.append(helper.make_attribute("rotary_embedding_dim", size))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    data = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    places = np.random.default_rng(2).integers(0, 40, (BATCH, STEPS))
    inputs = {"given": values_of(1, *shape), "places": places}
    (expected,) = onnxruntime.InferenceSession(data).run(None, inputs)
    y, kernels = run(runtime, data, inputs)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    assert sum("rotary" in kernel for kernel in kernels) == 1
