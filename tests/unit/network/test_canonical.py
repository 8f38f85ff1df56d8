# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that Arm NN can state in two ways have one form, shown by the most exact name."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import (
    ElementwiseBinaryDescriptor,
    MeanDescriptor,
    PermuteDescriptor,
    ReduceDescriptor,
)
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

BINARY = {
    "Addition": np.add,
    "Division": np.divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Multiplication": np.multiply,
    "Subtraction": np.subtract,
}
X = np.linspace(-3, 4, 24, dtype=np.float32).reshape(2, 3, 4)
Y = np.linspace(1, 2, 24, dtype=np.float32).reshape(2, 3, 4)


def network_of(
    layer_type: LayerType, descriptor: Any, *arrays: np.ndarray
) -> tuple[ann.Network, ann.Layer]:
    network = ann.Network()
    inputs = [
        network.add_input(f"x{i}", ann.TensorInfo(array.shape, DataType.from_numpy(array.dtype)))
        for i, array in enumerate(arrays)
    ]
    layer = network.add_layer(layer_type, inputs, descriptor, name="layer")
    network.add_output("y", layer)
    return network, layer


def run(network: ann.Network, *arrays: np.ndarray) -> np.ndarray:
    with ann.load(network, ["CpuRef"]) as loaded:
        return loaded.run({f"x{i}": array for i, array in enumerate(arrays)})["y"]


@pytest.mark.parametrize("name", BINARY)
def test_binary_twins(name: str) -> None:
    (kind,) = (one for one in LayerType if one.label == name)
    network, layer = network_of(kind, None, X, Y)
    assert layer.type is LayerType.ELEMENTWISE_BINARY
    assert isinstance(layer.descriptor, ElementwiseBinaryDescriptor)
    assert layer.shown_type is kind
    assert repr(layer).startswith(f"<{name} 'layer' ")
    np.testing.assert_array_equal(run(network, X, Y), BINARY[name](X, Y))
    assert pickle.loads(pickle.dumps(network)).layer("layer").shown_type is kind


def test_mean_is_a_reduce() -> None:
    network, layer = network_of(LayerType.MEAN, MeanDescriptor(True, (1,)), X)
    assert layer.type is LayerType.REDUCE
    assert layer.descriptor == ReduceDescriptor(ann.ReduceOperation.MEAN, True, (1,))
    assert "Mean" in repr(layer)
    np.testing.assert_allclose(run(network, X), X.mean(1, keepdims=True), rtol=1e-6)


def test_floor_is_a_unary() -> None:
    network, layer = network_of(LayerType.FLOOR, None, X)
    assert layer.type is LayerType.ELEMENTWISE_UNARY
    assert "Floor" in repr(layer)
    np.testing.assert_array_equal(run(network, X), np.floor(X))


def test_floor_still_wants_real_numbers() -> None:
    with pytest.raises(ann.LayerValidationError, match=r"\(Floor\): input is int32"):
        network_of(LayerType.FLOOR, None, np.arange(3, dtype=np.int32))


def test_permute_is_the_inverse_transpose() -> None:
    network, layer = network_of(LayerType.PERMUTE, PermuteDescriptor((2, 0, 1)), X)
    assert layer.type is LayerType.TRANSPOSE
    assert layer.descriptor == PermuteDescriptor((1, 2, 0))
    assert "Transpose" in repr(layer)
    # Dimension 0 of the input becomes dimension 2 of the output, and so on.
    np.testing.assert_array_equal(run(network, X), np.moveaxis(X, (0, 1, 2), (2, 0, 1)))


@pytest.mark.parametrize(
    ("kind", "dtype", "target"),
    [
        (LayerType.CONVERT_FP16_TO_FP32, np.float16, np.float32),
        (LayerType.CONVERT_FP32_TO_FP16, np.float32, np.float16),
    ],
)
def test_conversions_are_casts(kind: LayerType, dtype: Any, target: Any) -> None:
    x = X.astype(dtype)
    network, layer = network_of(kind, None, x)
    assert layer.type is LayerType.CAST
    assert layer.shown_type is kind
    np.testing.assert_array_equal(run(network, x), x.astype(target))
    with pytest.raises(ann.LayerValidationError, match="expected"):
        network_of(kind, None, X.astype(np.int32))


def test_every_twin_is_tried_here() -> None:
    twins = {one.label for one, facts in FACTS.items() if facts.canonical is not None}
    assert twins == {*BINARY, "Mean", "Floor", "Permute", "ConvertFp16ToFp32", "ConvertFp32ToFp16"}


@pytest.mark.parametrize(
    ("asked", "made", "meant"),
    [
        ("Addition", LayerType.ADDITION, True),
        ("ElementwiseBinary", LayerType.ADDITION, True),
        ("Subtraction", LayerType.ADDITION, False),
        ("Mean", LayerType.MEAN, True),
        ("Reduce", LayerType.MEAN, True),
        ("Permute", LayerType.PERMUTE, True),
        ("Transpose", LayerType.PERMUTE, True),
        ("Permute", LayerType.TRANSPOSE, True),
        ("Cast", LayerType.CONVERT_FP16_TO_FP32, True),
        ("ConvertFp32ToFp16", LayerType.CONVERT_FP16_TO_FP32, False),
    ],
)
def test_rules_go_by_every_name_of_a_layer(asked: str, made: LayerType, meant: bool) -> None:
    descriptors = {LayerType.MEAN: MeanDescriptor()}
    descriptors |= dict.fromkeys((LayerType.PERMUTE, LayerType.TRANSPOSE), PermuteDescriptor((0,)))
    x = np.ones(3, np.float16 if made is LayerType.CONVERT_FP16_TO_FP32 else np.float32)
    arrays = (x, x) if made is LayerType.ADDITION else (x,)
    _, layer = network_of(made, descriptors.get(made), *arrays)
    rule = ann.PlacementRule("CpuRef", type=asked)
    assert rule.matches(layer.name, layer.shown_type) is meant
