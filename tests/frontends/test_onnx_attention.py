# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The standard's Attention and RotaryEmbedding become layers: numbers as onnx's own evaluator's."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

import armnn_py as ann
from armnn_py.types import LayerType

OPSET = min(25, onnx.defs.onnx_opset_version())
RNG = np.random.default_rng(4)


def real(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def layers_of(
    operator: str, operands: dict[str, Any], outputs: tuple[str, ...] = ("y",), **attributes: Any
) -> set[LayerType]:
    """Compare the outputs on both backends; return the types of the network's layers."""
    names = [name if value is not None else "" for name, value in operands.items()]
    fed = {name: value for name, value in operands.items() if value is not None}
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
        for n, v in fed.items()
    ]
    node = helper.make_node(operator, names, [*outputs], **attributes)
    shown = [onnx.ValueInfoProto(name=name) for name in outputs if name]
    graph = helper.make_graph([node], "g", infos, shown)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11)
    expected = ReferenceEvaluator(model).run(None, fed)
    network = ann.import_model(model)
    for backends in (["CpuRef"], ["CpuAcc", "CpuRef"]):
        with ann.load(network, backends) as loaded:
            found = loaded.run(fed)
        for value, theirs in zip(found.values(), expected, strict=True):
            np.testing.assert_allclose(value, theirs, rtol=2e-5, atol=2e-6)
    return {layer.type for layer in network.layers}


HEADS = {"q": real(2, 4, 3, 8), "k": real(2, 2, 5, 8), "v": real(2, 2, 5, 6)}
SQUARE = {"q": real(2, 4, 5, 8), "k": real(2, 2, 5, 8), "v": real(2, 2, 5, 6)}
ROWS = {"q": real(2, 3, 32), "k": real(2, 5, 16), "v": real(2, 5, 12)}
PAST = {"past_key": real(2, 2, 4, 8), "past_value": real(2, 2, 4, 6)}


@pytest.mark.parametrize(
    ("operands", "attributes"),
    [
        (HEADS, {}),
        (HEADS, {"scale": 0.2, "softcap": 1.5}),
        (ROWS, {"q_num_heads": 4, "kv_num_heads": 2}),
        (SQUARE, {"is_causal": 1}),
        ({**HEADS, "mask": real(3, 5)}, {}),
        ({**HEADS, "mask": real(2, 1, 3, 5) > 0}, {}),
        ({**HEADS, "mask": np.zeros((3, 5), bool)}, {}),
    ],
    ids=["heads", "scaled", "rows", "causal", "numbers", "booleans", "nothing is seen"],
)
def test_attention(operands: dict[str, Any], attributes: dict[str, Any]) -> None:
    found = layers_of("Attention", operands, **attributes)
    assert LayerType.ATTENTION in found
    assert LayerType.SOFTMAX not in found


@pytest.mark.parametrize("attributes", [{}, {"is_causal": 1}])
def test_past_and_present(attributes: dict[str, Any]) -> None:
    operands = {**SQUARE, "mask": None, **PAST}
    found = layers_of("Attention", operands, ("y", "present_key", "present_value"), **attributes)
    assert {LayerType.ATTENTION, LayerType.CONCAT} <= found


@pytest.mark.parametrize(
    "operands", [{**HEADS, "mask": real(3, 4)}, {**HEADS, "mask": real(3, 4) > 0}]
)
def test_a_short_mask_hides_keys_behind_it(operands: dict[str, Any]) -> None:
    assert {LayerType.ATTENTION, LayerType.PAD} <= layers_of("Attention", operands)


@pytest.mark.parametrize(
    ("operands", "outputs", "attributes"),
    [
        (HEADS, ("y", "", "", "scores"), {}),
        (HEADS, ("y",), {"is_causal": 1}),
        ({**HEADS, "mask": None, "pk": None, "pv": None, "lengths": np.int64([2, 5])}, ("y",), {}),
    ],
    ids=["scores", "the first query sees one key", "lengths"],
)
def test_missing_options_are_written_out(
    operands: dict[str, Any], outputs: tuple[str, ...], attributes: dict[str, Any]
) -> None:
    found = layers_of("Attention", operands, outputs, **attributes)
    assert LayerType.SOFTMAX in found
    assert LayerType.ATTENTION not in found


@pytest.mark.skipif(OPSET < 25, reason="this version of onnx lacks windows")
def test_a_window_is_written_out() -> None:
    found = layers_of("Attention", SQUARE, left_window_size=1, right_window_size=1)
    assert LayerType.ATTENTION not in found


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("turned", [0, 4])
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("placed", [False, True])
def test_rotary_embedding(interleaved: int, turned: int, flat: bool, placed: bool) -> None:
    half = (turned or 8) // 2
    angles = real(9, half) if placed else real(2, 3, half)
    operands = {"x": real(2, 3, 32) if flat else real(2, 4, 3, 8), "cos": angles, "sin": -angles}
    if placed:
        operands["places"] = np.int64([[0, 8, 3], [2, 2, 1]])
    found = layers_of(
        "RotaryEmbedding", operands,
        interleaved=interleaved, rotary_embedding_dim=turned, num_heads=4,
    )  # fmt: skip
    assert LayerType.ROTARY_EMBEDDING in found
    assert LayerType.ELEMENTWISE_BINARY not in found


def test_angles_for_other_numbers_of_heads() -> None:
    operands = {"x": real(2, 4, 3, 8), "cos": real(2, 3, 3), "sin": real(2, 3, 3)}
    with pytest.raises(ann.ParseError, match="3 angles for 8 numbers of heads of 8"):
        layers_of_unchecked(operands)


def layers_of_unchecked(operands: dict[str, Any]) -> None:
    infos = [helper.make_tensor_value_info(n, 1, v.shape) for n, v in operands.items()]
    node = helper.make_node("RotaryEmbedding", [*operands], ["y"])
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name="y")])
    opsets = [helper.make_opsetid("", 23)]
    ann.import_model(helper.make_model(graph, opset_imports=opsets, ir_version=11))
