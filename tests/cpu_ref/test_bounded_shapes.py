# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every kind of kernel with bounded shapes, against plans for each shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

BOUND = 9
Builder = Callable[[ann.Network, Any, int], Any]
RNG = np.random.default_rng(11)


def random(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


W = random(6, 6)
KERNEL = random(3, 2, 2, 6)

#: Layers over ``n x 6``, or images ``n x 6 x 5 x 6`` and ``1 x (n + 3) x 6 x 6``.
ROWS: dict[str, Builder] = {
    "activation": lambda n, x, s: n.add_activation(x, ann.ActivationFunction.TANH),
    "unary": lambda n, x, s: n.add_elementwise_unary(x, ann.UnaryOperation.ABS),
    "binary": lambda n, x, s: n.add_multiplication(x, random_row),
    "maximum of two": lambda n, x, s: n.add_maximum(n.add_softmax(x), x),
    "comparison": lambda n, x, s: n.add_cast(
        n.add_comparison(x, random_row, ann.ComparisonOperation.GREATER), ann.DataType.FLOAT32
    ),
    "select": lambda n, x, s: n.add_select(
        n.add_comparison(x, random_row, ann.ComparisonOperation.GREATER), x, n.add_softmax(x)
    ),
    "prelu": lambda n, x, s: n.add_prelu(x, random_row),
    "fully connected": lambda n, x, s: n.add_fully_connected(x, W, random_row),
    "batch mat mul": lambda n, x, s: n.add_batch_mat_mul(x, x, transpose_y=True),
    "softmax over rows": lambda n, x, s: n.add_softmax(x, axis=0),
    "log softmax": lambda n, x, s: n.add_log_softmax(x),
    "layer normalization": lambda n, x, s: n.add_layer_normalization(x),
    "mean": lambda n, x, s: n.add_mean(x, axes=(0,)),
    "sum of columns": lambda n, x, s: n.add_reduce(x, ann.ReduceOperation.SUM, axes=(1,)),
    "arg max": lambda n, x, s: n.add_cast(
        n.add_arg_min_max(x, ann.ArgMinMaxFunction.MAX, 0), ann.DataType.FLOAT32
    ),
    "transpose": lambda n, x, s: n.add_transpose(x, (1, 0)),
    "reshape": lambda n, x, s: n.add_reshape(x, (s * 2, 3)),
    "broadcast": lambda n, x, s: n.add_broadcast_to(n.add_reshape(x, (1, s, 6)), (2, s, 6)),
    "concat": lambda n, x, s: n.add_concat([x, random_two, x], 0),
    "concat of columns": lambda n, x, s: n.add_concat([x, x], 1),
    "stack": lambda n, x, s: n.add_stack([x, x], 1),
    "split of columns": lambda n, x, s: n.add_addition(*n.add_split(x, 3, 1).outputs[:2]),
    "split of rows": lambda n, x, s: n.add_split(x, [1, s - 1], 0).outputs[1],
    "slice": lambda n, x, s: n.add_slice(x, (0, 2), (s, 3)),
    "strided slice": lambda n, x, s: n.add_strided_slice(
        x, (0, 5), (1000, 0), (2, -2), begin_mask=1, end_mask=1
    ),
    "pad": lambda n, x, s: n.add_pad(x, [(1, 2), (0, 1)], value=0.5),
    "tile": lambda n, x, s: n.add_tile(x, (2, 3)),
    "gather": lambda n, x, s: n.add_gather(x, np.int32([1, 0, 1]), 1),
}
IMAGES: dict[str, Builder] = {
    "convolution": lambda n, x, s: n.add_convolution2d(x, KERNEL, stride=(2, 1)),
    "max pooling": lambda n, x, s: n.add_pooling2d(
        x, ann.PoolingAlgorithm.MAX, (2, 2), stride=2, padding=1
    ),
    "average pooling": lambda n, x, s: n.add_pooling2d(
        x, ann.PoolingAlgorithm.AVERAGE, (3, 3), stride=1, padding="same"
    ),
    "instance normalization": lambda n, x, s: n.add_instance_normalization(x),
    "l2 normalization": lambda n, x, s: n.add_l2_normalization(x),
    "batch normalization": lambda n, x, s: n.add_batch_normalization(
        x, random_row, np.abs(random_row) + 1, random_row, random_row
    ),
}
random_row, random_two = random(6), random(2, 6)


def compare(builder: Builder, shape: tuple[int | None, ...]) -> None:
    free = shape.index(None)

    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("bounded")
        x = network.add_input("x", infos["x"])
        network.add_output("y", builder(network, x, infos["x"].static_shape[free]))
        return network

    made = build({"x": ann.TensorInfo([BOUND if d is None else d for d in shape])})
    rank = made.outputs["y"].rank
    network = ann.Network.from_builder(
        "bounded",
        {"x": ann.TensorInfo(shape)},
        build,
        {"y": ann.TensorInfo((None,) * rank)},
    )
    bounds = {"x": tuple(BOUND if d is None else d for d in shape)}
    with (
        ann.load(network, ["CpuRef"], bounds=bounds) as bounded,
        ann.load(network, ["CpuRef"]) as single,
    ):
        assert bounded.bounded_shapes, bounded.bounded_shapes.reasons
        for size in (BOUND, 3, 4, BOUND - 1, 1):
            if size == 1 and shape[0] == 1:
                continue  # no window fits
            x = random(*(size if d is None else d for d in shape))
            expected, actual = single.run(x)["y"], bounded.run(x)["y"]
            assert actual.shape == expected.shape
            assert np.array_equal(actual, expected, equal_nan=True)
        assert len(bounded._pool.plans) == 1


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    compare(ROWS[name], (None, 6))


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("shape", [(None, 6, 5, 6), (1, None, 6, 6)])
def test_images(name: str, shape: tuple[int | None, ...]) -> None:
    compare(IMAGES[name], shape)
