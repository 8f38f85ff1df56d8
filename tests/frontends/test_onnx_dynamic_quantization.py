# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators with 8-bit weights that ONNX Runtime's quantisers write, beside onnxruntime."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from tests.frontends.beside_onnxruntime import theirs

STEPS, BATCH, INPUTS, HIDDEN = 6, 3, 5, 8
BOTH = "bidirectional"


def made(op: str, operands: dict[str, Any], known: set[str], outputs: list[str],
         domain: str = "com.microsoft", **attributes: Any) -> onnx.ModelProto:  # fmt: skip
    """A model of one node; operands are named arrays or None."""
    element = helper.np_dtype_to_tensor_dtype
    names = [name if value is not None else "" for name, value in operands.items()]
    given = {name: value for name, value in operands.items() if value is not None}
    graph = helper.make_graph(
        [helper.make_node(op, names, outputs, domain=domain, **attributes)],
        "graph",
        [helper.make_tensor_value_info(name, element(value.dtype), value.shape)
         for name, value in given.items() if name not in known],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in given.items() if name in known],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def levels_of(weights: np.ndarray, dtype: Any, per_channel: bool) -> tuple[np.ndarray, ...]:
    """Weights [directions, inputs, units] in steps, their scales and zero points.

    Signed ones have 7 bits: onnxruntime's sums of pairs saturate 16 bits without VNNI.
    """
    axes = (1,) if per_channel else (1, 2)
    low, high = (0, 255) if dtype is np.uint8 else (-64, 63)
    least, most = np.minimum(weights.min(axes), 0), np.maximum(weights.max(axes), 0)
    if per_channel:  # symmetric, as onnxruntime wants it
        least, low = -np.maximum(most, -least), -63
        most = -least
    scale = ((most - least) / (high - low)).astype(np.float32)
    point = np.round(low - least / scale).astype(np.int64)
    wide = (len(weights), 1, -1)
    steps = np.round(weights / scale.reshape(wide)) + point.reshape(wide)
    return np.clip(steps, low, high).astype(dtype), scale, point.astype(dtype)


def dequantised(levels: np.ndarray, scale: np.ndarray, point: np.ndarray) -> np.ndarray:
    wide = (len(levels), 1, -1)
    whole = levels.astype(np.float32) - point.astype(np.float32).reshape(wide)
    return np.ascontiguousarray((whole * scale.reshape(wide)).transpose(0, 2, 1))


@pytest.mark.parametrize(
    ("dtype", "per_channel"),
    [(np.uint8, False), (np.int8, False), (np.int8, True)],  # all that onnxruntime runs
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"direction": "reverse", "first": True},
        {"direction": BOTH, "first": True},
        {"lengths": [6, 2, 4]},
        {"direction": BOTH, "first": True, "peepholes": True, "lengths": [1, 6, 3]},
        {"bias": False, "activations": ["Sigmoid", "Relu", "Relu"]},
        {"clip": 0.3},
    ],
    ids=str,
)
def test_lstm(options: dict[str, Any], dtype: Any, per_channel: bool) -> None:
    """As near to the LSTM of the dequantised weights as onnxruntime's, which rounds states."""
    options = dict(options)
    r = np.random.default_rng(5)
    directions = 2 if options.get("direction") == BOTH else 1

    def f(*shape: int) -> np.ndarray:
        return r.uniform(-0.4, 0.4, (directions, *shape)).astype(np.float32)

    w = levels_of(f(INPUTS, 4 * HIDDEN), dtype, per_channel)
    u = levels_of(f(HIDDEN, 4 * HIDDEN), dtype, per_channel)
    first, lengths = options.pop("first", False), options.pop("lengths", None)
    own = {
        "b": f(8 * HIDDEN) if options.pop("bias", True) else None,
        "lengths": None if lengths is None else np.int32(lengths),
        "h0": f(BATCH, HIDDEN) if first else None,
        "c0": f(BATCH, HIDDEN) if first else None,
        "p": f(3 * HIDDEN) if options.pop("peepholes", False) else None,
    }
    x = r.standard_normal((STEPS, BATCH, INPUTS)).astype(np.float32)
    scales = {"ws": w[1], "wp": w[2], "us": u[1], "up": u[2]}
    known = {"w", "u", "b", "lengths", "p", *scales}
    outputs, hidden = ["y", "h", "c"], {"hidden_size": HIDDEN}
    model = made("DynamicQuantizeLSTM", {"x": x, "w": w[0], "u": u[0], **own, **scales}, known,
                 outputs, **hidden, **options)  # fmt: skip
    feeds = {name: value for name, value in {"x": x, **own}.items()
             if value is not None and name not in known}  # fmt: skip
    real = {"x": x, "w": dequantised(*w), "u": dequantised(*u), **own}
    exact = theirs(made("LSTM", real, known, outputs, "", **hidden, **options), feeds)
    wanted = theirs(model, feeds)
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(feeds)
    for name in outputs:
        assert found[name].shape == wanted[name].shape
        own_error = np.abs(wanted[name] - exact[name]).max()
        assert np.abs(found[name] - wanted[name]).max() <= max(own_error, 2e-3)
        assert np.abs(found[name] - exact[name]).max() <= max(1.5 * own_error, 2e-3)


# Not in this process, where a folder of tests hides the package "packaging" that it imports.
QUANTIZE = """
import sys
from onnxruntime.quantization import quantize_dynamic
# Of 7 bits: onnxruntime's sums of pairs saturate 16 bits on processors without VNNI.
quantize_dynamic(sys.argv[1], sys.argv[2], per_channel=sys.argv[3] == "True", reduce_range=True)
"""


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("backend", ["CpuRef", "CpuAcc"])
def test_an_lstm_that_was_quantised(tmp_path: Path, per_channel: bool, backend: str) -> None:
    r = np.random.default_rng(8)

    def f(*shape: int) -> np.ndarray:
        return r.uniform(-0.3, 0.3, shape).astype(np.float32)

    x = r.standard_normal((12, 1, 16)).astype(np.float32)
    real = {"x": x, "w": f(2, 4 * 24, 16), "u": f(2, 4 * 24, 24), "b": f(2, 8 * 24)}
    outputs = ["y", "h", "c"]
    plain = made("LSTM", real, {"w", "u", "b"}, outputs, "", hidden_size=24, direction=BOTH)
    onnx.save(onnx.shape_inference.infer_shapes(plain), tmp_path / "plain.onnx")
    command = [sys.executable, "-c", QUANTIZE, "plain.onnx", "quantized.onnx", str(per_channel)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    model = onnx.load(tmp_path / "quantized.onnx")
    assert [node.op_type for node in model.graph.node] == ["DynamicQuantizeLSTM"]
    wanted = theirs(model, {"x": x})
    with ann.load(tmp_path / "quantized.onnx", [backend, "CpuRef"]) as network:
        found = network.run({"x": x})
    for name in outputs:
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=2e-3)


def test_weights_that_do_not_fit_their_scales() -> None:
    w = np.zeros((1, INPUTS, 4 * HIDDEN), np.int8)
    u, one = np.zeros((1, HIDDEN, 4 * HIDDEN), np.int8), np.ones(1, np.float32)
    operands = {
        "x": np.zeros((2, 1, INPUTS), np.float32), "w": w, "u": u, "b": None, "n": None,
        "h": None, "c": None, "p": None, "ws": np.ones(3, np.float32), "wp": None, "us": one,
    }  # fmt: skip
    model = made("DynamicQuantizeLSTM", operands, {"w", "u", "ws", "us"}, ["y"], hidden_size=HIDDEN)
    with pytest.raises(ann.ParseError, match=r"have shape \(3,\), expected \(1,\) or \(1, 32\)"):
        ann.load(model, ["CpuRef"])


def one_scale(values: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    levels, scale, point = levels_of(values.reshape(1, -1, values.shape[-1]), dtype, False)
    return levels.reshape(values.shape), scale[0], point[0]


@pytest.mark.parametrize("with_past", [False, True])
def test_attention(with_past: bool) -> None:
    r = np.random.default_rng(9)
    x, xs, xp = one_scale(r.standard_normal((2, 3, 8)), np.uint8)
    w, ws, wp = one_scale(r.standard_normal((8, 24)), np.int8)
    past = r.standard_normal((2, 2, 2, 4, 4)).astype(np.float32) if with_past else None
    operands = {
        "x": x, "w": w, "b": r.standard_normal(24).astype(np.float32), "xs": xs, "ws": ws,
        "mask": None if with_past else np.int32([2, 3]), "xp": xp, "wp": wp, "past": past,
    }  # fmt: skip
    outputs = ["y", "present"] if with_past else ["y"]
    options = {"unidirectional": 1} if with_past else {}
    model = made("QAttention", operands, {"w", "ws", "wp"}, outputs, num_heads=2, **options)
    feeds = {name: np.asarray(value) for name, value in operands.items()
             if value is not None and name not in ("w", "ws", "wp")}  # fmt: skip
    wanted = theirs(model, feeds)
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(feeds)
    for name in outputs:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-3, atol=1e-3)


def test_embeddings() -> None:
    r = np.random.default_rng(10)
    tables = [one_scale(r.standard_normal(shape), np.uint8)
              for shape in ((11, 8), (7, 8), (2, 8), (1, 8), (1, 8))]  # fmt: skip
    tables[3:] = [(levels[0], scale, point) for levels, scale, point in tables[3:]]
    ids, segments = np.int32([[1, 10, 4], [0, 2, 2]]), np.int32([[0, 1, 1], [0, 0, 1]])
    mask = np.int32([[1, 1, 0], [1, 1, 1]])
    operands = {"ids": ids, "segments": segments}
    operands |= {f"t{k}": one[0] for k, one in enumerate(tables)} | {"mask": mask}
    operands |= {f"s{k}": one[1] for k, one in enumerate(tables)}
    operands |= {f"p{k}": one[2] for k, one in enumerate(tables)}
    feeds = {"ids": ids, "segments": segments, "mask": mask}
    model = made("QEmbedLayerNormalization", operands, set(operands) - set(feeds),
                 ["y", "mask_index"], epsilon=1e-5)  # fmt: skip
    wanted = theirs(model, feeds)
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(feeds)
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-4)
