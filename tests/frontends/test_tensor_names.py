# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors as the model file names them, as further outputs of a network."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.frontends import import_model

X = np.random.default_rng(4).standard_normal((2, 4)).astype(np.float32)


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, **attributes)


def made(models: Any, rows: Any, outputs: list[str]) -> onnx.ModelProto:
    """A tensor of each kind; the node Softplus has the name of a tensor that is not its own."""
    return models.build(
        [
            node("Relu", ["x"], ["h"]),
            node("Add", ["w", "w"], ["w2"]),
            node("Add", ["h", "w2"], ["g"]),
            node("Shape", ["g"], ["dims"]),
            node("Reshape", ["g", "dims"], ["again"]),
            node("Softplus", ["again"], ["soft"], name="h"),
            node("Split", ["soft"], ["left", "right"], axis=1),
            node("Sub", ["left", "right"], ["y"]),
        ],
        {"x": ([rows, 4], TensorProto.FLOAT)},
        outputs,
        {"w": np.ones(4, np.float32)},
    )


INSIDE = ["h", "g", "w", "w2", "dims", "soft", "right"]


@pytest.mark.parametrize("rows", [2, "n"], ids=["static", "dynamic"])
def test_tensors_of_an_onnx_model(engines: Any, rows: Any) -> None:
    """Each has the values that onnxruntime gives where it is an output of the model."""
    model = made(engines, rows, ["y"])
    for x in (X, X[:2] * 2) if rows == 2 else (X, np.concatenate([X, X, X])):
        expected = engines.theirs(made(engines, rows, ["y", *INSIDE]), {"x": x})
        with ann.load(
            model, engines.backends, runtime=engines.runtime, extra_outputs=INSIDE
        ) as network:
            assert list(network.outputs) == ["y", *INSIDE]
            found = network.run({"x": x})
        assert list(found) == list(expected)
        for name, array in expected.items():
            np.testing.assert_allclose(found[name], array, 1e-5, 1e-6, err_msg=name)
            assert found[name].dtype == array.dtype


def test_one_network_with_free_dimensions_meets_many_shapes(models: Any) -> None:
    with ann.load(made(models, "n", ["y"]), ["CpuRef"], extra_outputs=INSIDE) as network:
        for rows in (1, 2, 3, 5, 8, 13):
            found = network.run({"x": np.resize(X, (rows, 4))})
            np.testing.assert_array_equal(found["dims"], [rows, 4])
            np.testing.assert_array_equal(found["h"], np.maximum(np.resize(X, (rows, 4)), 0))


def test_an_imported_network_knows_the_names_through_copies_and_pickles(models: Any) -> None:
    network = import_model(made(models, 2, ["y"]))
    copies = (network, network.copy(), pickle.loads(pickle.dumps(network)))
    for one in copies:
        with ann.load(one, ["CpuRef"], extra_outputs=["g"]) as loaded:
            np.testing.assert_array_equal(loaded.run({"x": X})["g"], np.maximum(X, 0) + 2)
        assert list(one.outputs) == ["y"]
    with pytest.raises(ann.InvalidArgumentError, match="'w': the tensor was computed at import"):
        ann.load(copies[2], ["CpuRef"], extra_outputs=["w"])


@pytest.mark.parametrize("rows", [2, "n"], ids=["static", "dynamic"])
def test_a_name_that_nothing_has(models: Any, rows: Any) -> None:
    with pytest.raises(ann.UnknownNameError, match="no layer and no tensor 'sof'") as caught:
        ann.load(made(models, rows, ["y"]), ["CpuRef"], extra_outputs=["sof"])
    assert "did you mean 'soft'?" in str(caught.value)
    assert "right" in caught.value.valid
    with pytest.raises(ann.InvalidArgumentError, match="'y': it is an output of the network"):
        ann.load(made(models, rows, ["y"]), ["CpuRef"], extra_outputs=["y"])


def test_tensors_that_are_no_outputs(models: Any) -> None:
    large = np.ones((200, 200), np.float32)
    model = models.build(
        [
            node("Transpose", ["w"], ["wt"]),
            node("Add", ["wt", "w"], ["sum"]),
            node("Split", ["x"], ["a", "b"], axis=0, num_outputs=2),
            node("SequenceConstruct", ["a", "b"], ["list"]),
            node("ConcatFromSequence", ["list"], ["c"], axis=0),
            node("MatMul", ["c", "sum"], ["y"]),
        ],
        {"x": ([2, 200], TensorProto.FLOAT)},
        ["y"],
        {"w": large},
        opset=18,
    )
    for name, said in (
        ("wt", "was computed at import, no layer reads it, and its 156.2 KiB are not kept"),
        ("list", "is a sequence, not one tensor"),
    ):
        with pytest.raises(ann.InvalidArgumentError, match=said):
            ann.load(model, ["CpuRef"], extra_outputs=[name])


def test_values_of_inputs_that_decide_shapes(models: Any) -> None:
    """The layers are made for each set of values, and each has the further outputs."""
    model = models.build(
        [node("Relu", ["x"], ["h"]), node("ReduceSum", ["h", "axes"], ["s"], keepdims=0),
         node("Neg", ["s"], ["y"])],
        {"x": ([2, 4], TensorProto.FLOAT), "axes": ([1], TensorProto.INT64)},
        {"y": ([None], TensorProto.FLOAT)},
    )  # fmt: skip
    with ann.load(model, ["CpuRef"], extra_outputs=["s", "h"]) as network:
        for axis in (0, 1):
            found = network.run({"x": X, "axes": np.array([axis])})
            np.testing.assert_allclose(found["s"], np.maximum(X, 0).sum(axis), rtol=1e-6)
