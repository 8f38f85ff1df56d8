# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A layer that calculates needs a scale on each quantised tensor, and is told so by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import (
    BinaryOperation,
    DataType,
    LayerType,
    PoolingAlgorithm,
    ReduceOperation,
    UnaryOperation,
)
from armnn_py.types.facts import FACTS

SCALE = ann.QuantizationInfo(0.5, 3)
IMAGE = (1, 4, 4, 2)
BARE = ann.TensorInfo(IMAGE, DataType.QASYMM_U8)

Add = Callable[[ann.Network, ann.Layer], ann.Layer]
LAYERS: dict[str, Add] = {
    "Addition": lambda n, x: n.add_addition(x, x, output_info=BARE, name="layer"),
    "ElementwiseBinary": lambda n, x: n.add_elementwise_binary(
        x, x, BinaryOperation.POWER, output_info=BARE, name="layer"
    ),
    "ElementwiseUnary": lambda n, x: n.add_elementwise_unary(
        x, UnaryOperation.EXP, output_info=BARE, name="layer"
    ),
    "Mean": lambda n, x: n.add_mean(
        x, (1,), keep_dims=True, output_info=BARE.with_shape((1, 1, 4, 2)), name="layer"
    ),
    "Reduce": lambda n, x: n.add_reduce(
        x, ReduceOperation.MAX, (1,), output_info=BARE.with_shape((1, 4, 2)), name="layer"
    ),
    "Pooling2d": lambda n, x: n.add_pooling2d(
        x, PoolingAlgorithm.AVERAGE, 2, output_info=BARE.with_shape((1, 2, 2, 2)), name="layer"
    ),
    "Resize": lambda n, x: n.add_layer(
        LayerType.RESIZE,
        [x],
        ann.descriptors.ResizeDescriptor(
            target_width=8, target_height=8, data_layout=ann.DataLayout.NHWC
        ),
        output_infos=[BARE.with_shape((1, 8, 8, 2))],
        name="layer",
    ),
}


@pytest.mark.parametrize("kind", LAYERS)
def test_an_output_without_a_scale_is_named(kind: str) -> None:
    network = ann.Network()
    # Pooling and resizing keep the scale of their input; without one there, they have none to keep.
    keeps = kind in ("Pooling2d", "Resize")
    x = network.add_input("x", BARE if keeps else ann.TensorInfo(IMAGE, BARE.data_type, SCALE))
    network.add_output("y", LAYERS[kind](network, x))
    with ann.Runtime() as runtime, pytest.raises(ann.GraphValidationError) as caught:
        ann.optimize(network, ["CpuRef"], runtime=runtime)
    assert caught.value.problems == (
        f"output 0 of layer 'layer' ({kind}) is of type quantised uint8, but has no scale",
    )


def test_a_constant_without_a_scale_is_named() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4), DataType.QASYMM_S8, SCALE))
    weights = network.add_constant(np.ones((4, 2), np.int8), name="weights")
    y = network.add_fully_connected(
        x, weights, output_info=ann.TensorInfo((1, 2), DataType.QASYMM_S8, SCALE), name="dense"
    )
    network.add_output("y", y)
    with ann.Runtime() as runtime, pytest.raises(ann.GraphValidationError) as caught:
        ann.optimize(network, ["CpuRef"], runtime=runtime)
    assert caught.value.problems == (
        "constant 'weights', which layer 'dense' (FullyConnected) calculates with, is of type "
        "quantised int8, but has no scale",
    )


def test_values_that_are_only_moved_need_none() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 2), DataType.QASYMM_S8))
    both = network.add_concat([x, network.add_constant(np.ones((2, 2), np.int8))], 0)
    network.add_output("y", both)
    with ann.load(network, ["CpuRef"]) as loaded:
        y = loaded.run({"x": np.full((2, 2), 7, np.int8)})["y"]
    np.testing.assert_array_equal(y, [[7, 7], [7, 7], [1, 1], [1, 1]])


def test_the_table_says_of_every_layer_what_it_does_with_scales() -> None:
    """Arm NN's layers that move or choose values, or have no quantised output."""
    others = {one.label for one, facts in FACTS.items() if facts.quantization != "calculates"}
    assert {"Concat", "Reshape", "Gather", "Slice", "Pad", "Comparison", "Cast"} <= others
    assert not others & {"Addition", "Softmax", "Convolution2d", "Pooling2d", "Resize", "Lstm"}
