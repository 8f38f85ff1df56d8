# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`load` keeps no weights of which the optimiser has made others; given networks stay."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.file import node_reading
from armnn_py.network import ConstantLayer
from armnn_py.optimizer import pipeline
from armnn_py.optimizer.graph import Graph

R = np.random.default_rng(4)
WEIGHTS = R.standard_normal((4, 3, 3, 3)).astype(np.float32)
SCALE, SHIFT = R.random(4, np.float32) + 1, R.random(4, np.float32)
X = R.standard_normal((1, 3, 5, 5)).astype(np.float32)


@pytest.fixture
def model() -> bytes:
    """A convolution whose weights take in a multiplication."""
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["c"]),
            helper.make_node("Mul", ["c", "s"], ["m"]),
            helper.make_node("Add", ["m", "b"], ["y"]),
        ],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 4, 3, 3))],
        initializer=[
            numpy_helper.from_array(WEIGHTS, "w"),
            numpy_helper.from_array(SCALE.reshape(4, 1, 1), "s"),
            numpy_helper.from_array(SHIFT.reshape(4, 1, 1), "b"),
        ],
    )
    opsets = [helper.make_opsetid("", 17)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


def expected() -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(X, (3, 3), (2, 3))
    sums = np.einsum("nchwij,ocij->nohw", windows, WEIGHTS)
    return np.asarray(sums * SCALE.reshape(4, 1, 1) + SHIFT.reshape(4, 1, 1))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Any]]:
    """The tensors that the importer has read since."""
    found: list[weakref.ref[Any]] = []
    read_tensor = node_reading.read_tensor  # type: ignore[attr-defined]

    def remembered(*arguments: Any) -> Any:
        array = read_tensor(*arguments)
        found.append(weakref.ref(array))
        return array

    monkeypatch.setattr(node_reading, "read_tensor", remembered)
    return found


def test_weights_of_a_model_go_while_it_is_optimised(
    model: bytes, read: list[weakref.ref[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[int] = []
    from_network = Graph.from_network
    place_simplified = pipeline.place_simplified

    def begun(network: Any) -> Any:
        gc.collect()  # what the importer left behind
        return from_network(network)

    def simplified(*arguments: Any, **options: Any) -> Any:
        alive.append(sum(one() is not None for one in read))
        return place_simplified(*arguments, **options)

    monkeypatch.setattr(Graph, "from_network", begun)
    monkeypatch.setattr(pipeline, "place_simplified", simplified)
    with ann.load(model, ["CpuRef"]) as network:
        assert len(read) == 3
        assert alive == [0]
        np.testing.assert_allclose(network.run({"x": X})["y"], expected(), 1e-5, 1e-5)


def test_weights_go_when_a_backend_has_packed_them(read: list[weakref.ref[Any]]) -> None:
    """At once: the garbage collector may not run for a long time."""
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"])],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 4, 3, 3))],
        initializer=[numpy_helper.from_array(WEIGHTS, "w")],
    )
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    gc.disable()
    try:
        with ann.load(model, ["CpuAcc"]):
            assert [one() is None for one in read] == [True]
    finally:
        gc.enable()


def test_a_given_network_keeps_its_weights(model: bytes) -> None:
    network = ann.import_model(model)
    for _ in range(2):
        with ann.load(network, ["CpuRef"]) as loaded:
            np.testing.assert_allclose(loaded.run({"x": X})["y"], expected(), 1e-5, 1e-5)
    sizes = {one.value.size for one in network.layers if isinstance(one, ConstantLayer)}
    assert WEIGHTS.size in sizes
