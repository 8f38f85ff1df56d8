# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention in one operator: numpy in double precision, and onnxruntime for whole networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import parser

import armnn_py as ann

from .guarded import laid_out, random_like
from .networks import values_of
from .operators import Attention, Operators, tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

# Queries, keys, their width, that of values.
SIZES = [(1, 1, 1, 1), (1, 40, 16, 24), (5, 7, 3, 9), (13, 50, 17, 33), (197, 197, 64, 64)]
SIZES += [(300, 65, 8, 8), (100, 1500, 5, 7)]
FEW_ROWS = [(1, 300, 64, 64), (2, 9, 7, 130), (4, 33, 65, 40), (5, 33, 65, 40)]


def exact(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None,
    scale: float,
    beta: float,
) -> np.ndarray:
    scores = scale * (query.astype(np.float64) @ key.astype(np.float64))
    scores = beta * (scores if mask is None else scores + mask)
    with np.errstate(invalid="ignore"):
        scores = np.exp(scores - scores.max(-1, keepdims=True))
    result: np.ndarray = scores / scores.sum(-1, keepdims=True) @ value.astype(np.float64)
    return result


def check(
    operators: Operators,
    isa: str,
    size: tuple[int, int, int, int],
    *,
    batch: Sequence[int] = (2,),
    key_batch: Sequence[int] | None = None,
    mask_shape: Sequence[int] | None = None,
    hidden: float = 0.0,
    turn: tuple[bool, bool] = (False, False),
    how: int = 0,
    scale: float = 0.3,
    beta: float = 1.0,
    group: int = 1,
    shown: bool | None = None,
) -> None:
    rng = np.random.default_rng(7)
    m, n, k, d = size
    others = batch if key_batch is None else key_batch
    query = random_like(rng, (*batch, m, k), how)
    key = random_like(rng, (*others, n, k) if turn[0] else (*others, k, n), how)
    value = random_like(rng, (*others, d, n) if turn[1] else (*others, n, d), how)
    out = laid_out((*batch, m, d), how)
    what = Attention(
        query=tensor(query),
        key=tensor(key),
        value=tensor(value),
        output=tensor(out),
        transpose_key=turn[0],
        transpose_value=turn[1],
        scale=scale,
        beta=beta,
        group=group,
    )
    mask = None
    if mask_shape is not None:
        mask = random_like(rng, mask_shape, 0)
        mask[rng.random(mask.shape) < hidden] = -np.inf
        if shown is not None:  # scores are not added to, but replaced
            choice = (mask < 0) == shown
            what.mask, what.shown, what.hidden = tensor(choice), shown, -0.25
        else:
            what.mask = tensor(mask)
    assert operators.run("attention", isa, what) == f"armnn_f32_attention__{isa}"
    keys = key.swapaxes(-1, -2) if turn[0] else key
    values = value.swapaxes(-1, -2) if turn[1] else value
    if group > 1:
        keys, values = np.repeat(keys, group, -3), np.repeat(values, group, -3)
    if mask is not None and shown is not None:
        scores = scale * (query.astype(np.float64) @ keys)
        scores = beta * np.where(mask < 0, scores, -0.25)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        y = scores / scores.sum(-1, keepdims=True) @ values
    else:
        y = exact(query, keys, values, mask, scale, beta)
    np.testing.assert_allclose(out, y, rtol=0, atol=3e-6 * np.nanmax([np.abs(value).max(), 1]))


@pytest.mark.parametrize("size", [*SIZES, *FEW_ROWS], ids=str)
@pytest.mark.parametrize("turn", [(False, False), (True, False), (False, True)])
def test_sizes(
    operators: Operators, isa: str, size: tuple[int, int, int, int], turn: tuple[bool, bool]
) -> None:
    check(operators, isa, size, turn=turn)


@pytest.mark.parametrize(
    ("batch", "key_batch"),
    [((), ()), ((3,), (1,)), ((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (2, 1))],
)
@pytest.mark.parametrize("how", [0, 2])
def test_batches_and_layouts(
    operators: Operators, isa: str, batch: Sequence[int], key_batch: Sequence[int], how: int
) -> None:
    check(operators, isa, (9, 21, 8, 11), batch=batch, key_batch=key_batch, how=how)


@pytest.mark.parametrize("rows", [1, 3, 9])
@pytest.mark.parametrize("turn", [(False, False), (True, True)])
@pytest.mark.parametrize("how", [0, 2])
def test_groups_share_keys(
    operators: Operators, isa: str, rows: int, turn: tuple[bool, bool], how: int
) -> None:
    """Three matrices of the output have the keys and values of one."""
    size = (rows, 21, 8, 11)
    check(operators, isa, size, batch=(2, 6), key_batch=(2, 2), turn=turn, how=how, group=3)
    check(operators, isa, size, batch=(2, 4), key_batch=(1, 1), turn=turn, how=how, group=4)


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("mask", [(2, 3, 1, 21), (1, 1, 1, 21)])
@pytest.mark.parametrize("shown", [True, False])
def test_masks_of_booleans(
    operators: Operators, isa: str, rows: int, mask: Sequence[int], shown: bool
) -> None:
    check(operators, isa, (rows, 21, 8, 11), batch=(2, 3), mask_shape=mask, shown=shown, beta=1.5)


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("mask", [(2, 3, 1, 21), (1, 1, 1, 21)])
@pytest.mark.parametrize("hidden", [0.4, 1.0])
def test_masks_of_few_rows(
    operators: Operators, isa: str, rows: int, mask: Sequence[int], hidden: float
) -> None:
    batch = (2, 3)
    check(operators, isa, (rows, 21, 8, 11), batch=batch, mask_shape=mask, hidden=hidden, beta=1.5)


@pytest.mark.parametrize("mask", [(2, 3, 9, 21), (1, 1, 9, 21), (2, 1, 1, 21), (1, 3, 1, 21)])
@pytest.mark.parametrize("hidden", [0.0, 0.4, 1.0])  # wholly hidden rows give NaN
def test_masks(operators: Operators, isa: str, mask: Sequence[int], hidden: float) -> None:
    check(operators, isa, (9, 21, 8, 11), batch=(2, 3), mask_shape=mask, hidden=hidden)


@pytest.mark.parametrize("beta", [2.0, -0.7])
@pytest.mark.parametrize("mask", [None, (1, 9, 21)])
def test_factors(operators: Operators, isa: str, beta: float, mask: Sequence[int] | None) -> None:
    check(operators, isa, (9, 21, 8, 11), mask_shape=mask, beta=beta, scale=-0.5)


# ---- Networks ----------------------------------------------------------------------------------

_HEADS = """
  qr = Reshape(q, split)
  kr = Reshape(k, split)
  vr = Reshape(v, split)
  qt = Transpose <perm = [0, 2, 1, 3]> (qr)
  kt = Transpose <perm = [0, 2, 3, 1]> (kr)
  vt = Transpose <perm = [0, 2, 1, 3]> (vr)
  s0 = MatMul(qt, kt)
"""
_JOIN = """
  o = MatMul(p, vt)
  ot = Transpose <perm = [0, 2, 1, 3]> (o)
  y = Reshape(ot, joined)
"""
_SCALE = "c = Constant <value_float = 0.25> ()"
FORMS = {
    "plain": "p = Softmax <axis = -1> (s0)",
    "scaled": f"{_SCALE}\ns1 = Mul(s0, c)\np = Softmax(s1)",
    "divided": f"{_SCALE}\ns1 = Div(s0, c)\np = Softmax(s1)",
    "masked": f"{_SCALE}\ns1 = Mul(s0, c)\ns2 = Add(s1, mask)\np = Softmax(s2)",
    "mask first": "s2 = Add(mask, s0)\np = Softmax(s2)",
    "hidden by a condition": f"""{_SCALE}\ns1 = Mul(s0, c)
        zero = Constant <value_float = 0.0> ()\nlow = Constant <value_float = -1e9> ()
        b = GreaterOrEqual(mask, zero)\ns2 = Where(b, s1, low)\np = Softmax(s2)""",
    "shown by a condition": """zero = Constant <value_float = 0.0> ()
        low = Constant <value_float = -3.0> ()
        b = Less(mask, zero)\ns2 = Where(b, low, s0)\np = Softmax(s2)""",
}
OTHERS = {
    "another axis": "p = Softmax <axis = 2> (s0)",
    "logarithm": "p = LogSoftmax(s0)",
    "mask before the scale": f"{_SCALE}\ns1 = Add(s0, mask)\ns2 = Mul(s1, c)\np = Softmax(s2)",
    "a choice of two": "b = Cast <to = 9> (mask)\ns1 = Where(b, s0, mask)\np = Softmax(s1)",
    "softmax twice": "s1 = Softmax(s0)\np = Softmax(s1)",
}


def rows_of(runtime: ann.Runtime, lines: str, mask: tuple[int, ...], threads: int) -> list[str]:
    """Compare with onnxruntime; the kernels of the profile."""
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    net (float[2, 19, 24] q, float[2, 19, 24] k, float[2, 19, 24] v,
         float[{", ".join(map(str, mask))}] mask) => (float[2, 19, 24] y) {{
      {_HEADS}
      {lines}
      {_JOIN}
    }}"""
    model = parser.parse_model(text)
    for name, shape in {"split": [2, 19, 3, 8], "joined": [2, 19, 24]}.items():
        array = np.array(shape, np.int64)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    data = model.SerializeToString()
    inputs = {name: values_of(seed, 2, 19, 24) for seed, name in enumerate("qkv")}
    inputs["mask"] = np.where(values_of(5, *mask) > 0.5, -np.inf, 0).astype(np.float32)
    inputs["mask"][..., 0] = 0
    (expected,) = onnxruntime.InferenceSession(data).run(None, inputs)
    with ann.load(data, ["CpuAcc"], runtime=runtime, threads=threads) as net:
        with net.profile() as profile:
            y = net.run(inputs)["y"]
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-6)
        return [row.kernel for row in profile.layers]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mask", [(2, 1, 1, 19), (19, 19), (2, 3, 19, 19)], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_is_one_operator(
    runtime: ann.Runtime, form: str, mask: tuple[int, ...], threads: int
) -> None:
    kernels = rows_of(runtime, FORMS[form], mask, threads)
    assert sum("attention" in kernel for kernel in kernels) == 1
    assert not any("softmax" in kernel or "matmul" in kernel for kernel in kernels)


@pytest.mark.parametrize("form", OTHERS)
def test_others_stay(runtime: ann.Runtime, form: str) -> None:
    kernels = rows_of(runtime, OTHERS[form], (2, 1, 1, 19), 1)
    assert not any("attention" in kernel for kernel in kernels)


# ---- Repeated heads ------------------------------------------------------------------------------

_REPEATED = """
  k1 = Unsqueeze(k, two)
  k2 = Expand(k1, wide)
  kr = Reshape(k2, heads)
  kt = Transpose <perm = [0, 1, 3, 2]> (kr)
  v1 = Unsqueeze(v, two)
  v2 = Expand(v1, wide)
  vr = Reshape(v2, heads)
  s0 = MatMul(q, kt)
  s1 = Add(s0, mask)
  p = Softmax <axis = -1> (s1)
  y = MatMul(p, vr)
"""


@pytest.mark.parametrize("rows", [1, 3, 17])
@pytest.mark.parametrize("among", [True, False])
def test_repeated_heads(runtime: ann.Runtime, rows: int, among: bool) -> None:
    """Heads 0 and 1 share keys; or, if the others are repeated as a whole, 0 and 3: then they are
    copied."""
    lines = _REPEATED if among else _REPEATED.replace("two", "one")
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    net (float[2, 6, {rows}, 8] q, float[2, 3, 19, 8] k, float[2, 3, 19, 8] v,
         float[2, 1, {rows}, 19] mask) => (float[2, 6, {rows}, 8] y) {{
      {lines}
    }}"""
    model = parser.parse_model(text)
    wide = [2, 3, 2, 19, 8] if among else [2, 2, 3, 19, 8]
    constants = {"two": [2], "one": [1], "wide": wide, "heads": [2, 6, 19, 8]}
    for name, numbers in constants.items():
        array = np.array(numbers, np.int64)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    data = model.SerializeToString()
    inputs = {"q": values_of(1, 2, 6, rows, 8), "mask": values_of(2, 2, 1, rows, 19)}
    inputs |= {name: values_of(seed, 2, 3, 19, 8) for seed, name in ((3, "k"), (4, "v"))}
    (expected,) = onnxruntime.InferenceSession(data).run(None, inputs)
    with ann.load(data, ["CpuAcc"], runtime=runtime) as net:
        with net.profile() as profile:
            y = net.run(inputs)["y"]
        kernels = [row.kernel for row in profile.layers]
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-6)
    assert sum("attention" in kernel for kernel in kernels) == 1
    assert any("copy" in kernel for kernel in kernels) is not among
