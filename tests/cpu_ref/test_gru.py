# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""GRU layers against onnxruntime; the conformance kit compares them with numpy."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import RecurrentDirection

RNG = np.random.default_rng(8)
STEPS, BATCH, SIZE, HIDDEN = 5, 3, 4, 6
LENGTHS = np.array([5, 2, 4], np.int32)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def by_onnxruntime(
    operands: dict[str, np.ndarray | None], direction: str, **attributes: float
) -> list[np.ndarray]:
    onnx, ort = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    given = {name: value for name, value in operands.items() if value is not None}
    names = [name if name in given else "" for name in operands]
    node = onnx.helper.make_node(
        "GRU", names, ["y", "h"], direction=direction, hidden_size=HIDDEN, **attributes
    )
    kinds = {np.dtype(np.float32): 1, np.dtype(np.int32): 6}
    graph = onnx.helper.make_graph(
        [node],
        "gru",
        [
            onnx.helper.make_tensor_value_info(name, kinds[value.dtype], value.shape)
            for name, value in given.items()
        ],
        [onnx.helper.make_tensor_value_info(name, 1, None) for name in ("y", "h")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 14)])
    model.ir_version = 8
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, given))


@pytest.mark.parametrize("direction", RecurrentDirection)
@pytest.mark.parametrize("resets_after", [False, True])
@pytest.mark.parametrize("clip", [0.0, 0.5])
@pytest.mark.parametrize("full", [False, True])
def test_as_onnxruntime(
    direction: RecurrentDirection, resets_after: bool, clip: float, full: bool
) -> None:
    k = 2 if direction is RecurrentDirection.BIDIRECTIONAL else 1
    x, w, r = normal(STEPS, BATCH, SIZE), normal(k, 3 * HIDDEN, SIZE), normal(k, 3 * HIDDEN, HIDDEN)
    bias, state = normal(k, 6 * HIDDEN), normal(k, BATCH, HIDDEN)
    attributes = {"linear_before_reset": int(resets_after), **({"clip": clip} if clip else {})}
    expected = by_onnxruntime(
        {
            "x": x, "w": w, "r": r, "b": bias if full else None,
            "lengths": LENGTHS if full else None, "before": state if full else None,
        },
        direction.name.lower(), **attributes,
    )  # fmt: skip
    network = ann.Network()
    source = network.add_input("x", ann.TensorInfo(x.shape))
    halves = np.split(bias, 2, 1) if full else [None, None]
    layer = network.add_gru(
        source, w, r, *halves, state if full else None, LENGTHS if full else None,
        direction=direction, linear_before_reset=resets_after, clip=clip,
    )  # fmt: skip
    for name, slot in zip(("y", "h"), layer.outputs, strict=True):
        network.add_output(name, slot)
    with ann.load(network, ["CpuRef"]) as loaded:
        found = loaded.run({"x": x})
    np.testing.assert_allclose(found["y"], expected[0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found["h"], expected[1], rtol=1e-5, atol=1e-5)
