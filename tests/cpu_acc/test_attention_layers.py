# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers Attention and RotaryEmbedding: one operator each, against onnxruntime and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import armnn_py as ann
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .networks import values_of
from .saving import check_saved

#: Batch, heads, heads of keys, queries, keys, size, columns: in place, packed, cut among threads.
SIZES = [(2, 4, 2, 1, 33, 16, 16), (1, 6, 2, 5, 7, 9, 12), (2, 3, 3, 67, 131, 24, 40)]


def run(
    runtime: ann.Runtime, network: ann.Network, fed: dict[str, Any], threads: int = 1
) -> tuple[np.ndarray, list[str]]:
    """The output and the kernels; what a saved program gives has the same bits."""
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    with runtime.load_network(optimized, threads=threads) as net:
        with net.profile() as profile:
            outputs = {name: np.array(array) for name, array in net.run(fed).items()}
        kernels = [row.kernel for row in profile.layers if not row.layer.startswith("CpuAcc: ")]
    check_saved(runtime, optimized, fed, outputs)
    return outputs["y"], kernels


def attention_of(
    sizes: tuple[int, ...], mask: np.ndarray | None = None, **options: Any
) -> tuple[ann.Network, dict[str, Any]]:
    batch, heads, shared, queries, keys, size, columns = sizes
    shapes = ((heads, queries, size), (shared, keys, size), (shared, keys, columns))
    network, layers, fed = ann.Network(), [], {}
    for seed, (name, shape) in enumerate(zip("qkv", shapes, strict=True)):
        fed[name] = values_of(seed, batch, *shape) * 2
        layers.append(network.add_input(name, ann.TensorInfo((batch, *shape))))
    if mask is not None:
        fed["mask"] = mask
        kind = ann.DataType.BOOLEAN if mask.dtype == np.bool_ else ann.DataType.FLOAT32
        layers.append(network.add_input("mask", ann.TensorInfo(mask.shape, kind)))
    network.add_output("y", network.add_attention(*layers, **options))
    return network, fed


def by_onnxruntime(fed: dict[str, Any], **attributes: Any) -> np.ndarray:
    kinds = {name: helper.np_dtype_to_tensor_dtype(one.dtype) for name, one in fed.items()}
    inputs = [helper.make_tensor_value_info(n, kinds[n], one.shape) for n, one in fed.items()]
    node = helper.make_node("Attention", [*fed], ["y"], **attributes)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    opsets = [helper.make_opsetid("", 23)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    found: np.ndarray = onnxruntime.InferenceSession(model.SerializeToString()).run(None, fed)[0]
    return found


def mask_of(kind: str, sizes: tuple[int, ...]) -> np.ndarray | None:
    numbers = values_of(7, sizes[1], sizes[3], sizes[4])
    seen = numbers[:1] > 0
    seen[..., 0] = True
    return {"none": None, "numbers": numbers, "row": numbers[0, :1], "booleans": seen}[kind]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("mask", ["none", "numbers", "row", "booleans"])
@pytest.mark.parametrize("softcap", [0.0, 1.5])
def test_attention(runtime: ann.Runtime, sizes: tuple[int, ...], mask: str, softcap: float) -> None:
    network, fed = attention_of(sizes, mask_of(mask, sizes), scale=0.3, softcap=softcap)
    whole = dict(fed)
    if mask != "none":  # onnxruntime wants a row for each query
        whole["mask"] = np.repeat(fed["mask"], sizes[3] if mask == "row" else 1, axis=-2)
    expected = by_onnxruntime(whole, scale=0.3, softcap=softcap)
    for threads in (1, 2):
        y, kernels = run(runtime, network, fed, threads)
        assert_close(y, expected, LayerType.ATTENTION)
        assert len(kernels) == 1
        assert "attention" in kernels[0]


@pytest.mark.parametrize("sizes", [*SIZES, (1, 1, 1, 9, 9, 8, 8), (1, 2, 1, 70, 3, 8, 8)])
@pytest.mark.parametrize("mask", ["none", "booleans"])
def test_causality(runtime: ann.Runtime, sizes: tuple[int, ...], mask: str) -> None:
    """A query that sees no keys gives 0, as in the text of ONNX's Attention."""
    queries, keys = sizes[3:5]
    network, fed = attention_of(sizes, mask_of(mask, sizes), scale=0.5, causal=True)
    y, kernels = run(runtime, network, fed)
    seen = np.tri(queries, keys, keys - queries, bool)
    seen = seen & fed.pop("mask") if mask == "booleans" else seen
    shown = np.broadcast_to(seen, (1, queries, keys)).copy()
    empty = ~shown[0].any(axis=-1)
    shown[0, empty] = True
    expected = by_onnxruntime({**fed, "mask": shown}, scale=0.5)
    expected[:, :, empty] = 0
    assert_close(y, expected, LayerType.ATTENTION)
    assert len(kernels) == 1


@pytest.mark.parametrize("queries", [2, 20])
def test_rows_without_keys(runtime: ann.Runtime, queries: int) -> None:
    hidden = values_of(3, queries, 6)
    hidden[0] = -np.inf
    network, fed = attention_of((1, 2, 2, queries, 6, 8, 8), hidden)
    fed["q"][0, 1, 1, 0] = np.nan
    y, _ = run(runtime, network, fed)
    assert not y[0, 0, 0].any()
    assert np.isnan(y[0, 1, 1]).all()
    assert np.isfinite(y[0, 0]).all()


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("turned", [6, 16])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)])
@pytest.mark.parametrize("constant", [False, True])
def test_rotary_embedding(
    runtime: ann.Runtime, interleaved: bool, turned: int, order: tuple[int, ...], constant: bool
) -> None:
    """Bit for bit: each product and sum is rounded."""
    whole = values_of(0, 2, 3, 5, 16)
    x = np.ascontiguousarray(whole.transpose(order))  # transposed back by the network
    angles = [values_of(seed, 5, turned // 2) for seed in (1, 2)]
    network = ann.Network()
    entry = network.add_transpose(
        network.add_input("x", ann.TensorInfo(x.shape)), tuple(np.argsort(order))
    )
    known: list[Any] = angles
    if not constant:
        known = [
            network.add_input(name, ann.TensorInfo(one.shape))
            for name, one in zip("cs", angles, strict=True)
        ]
    network.add_output("y", network.add_rotary_embedding(entry, *known, interleaved=interleaved))
    fed = {"x": x} if constant else {"x": x, "c": angles[0], "s": angles[1]}
    y, kernels = run(runtime, network, fed)
    pairs = np.arange(turned).reshape((-1, 2) if interleaved else (2, -1))
    first, second = pairs.T if interleaved else pairs
    expected, (cos, sin) = whole.copy(), angles
    expected[..., first] = whole[..., first] * cos - whole[..., second] * sin
    expected[..., second] = whole[..., second] * cos + whole[..., first] * sin
    np.testing.assert_array_equal(y, expected)
    assert sum("rotary" in kernel for kernel in kernels) == 1
