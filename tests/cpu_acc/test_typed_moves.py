# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that move elements of any type, Select and Gather by computed indices, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import DataType, PaddingMode

from .networks import values_of
from .one_layer import TYPES, numbers, run

ALL = [pytest.param(dtype.type, id=dtype.name) for dtype in TYPES]
INDICES = [np.int32, np.int64]


def blocks_to_channels(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    return (
        x.reshape(n, h // 2, 2, w // 2, 2, c)
        .transpose(0, 1, 3, 2, 4, 5)
        .reshape(n, h // 2, w // 2, 4 * c)
    )


MOVES = {
    "transpose": (lambda n, x: n.add_transpose(x, (0, 3, 1, 2)), lambda x: x.transpose(0, 3, 1, 2)),
    "reshape": (lambda n, x: n.add_reshape(x, (8, 30)), lambda x: x.reshape(8, 30)),
    "slice": (
        lambda n, x: n.add_slice(x, (0, 1, 2, 0), (2, 2, 3, 4)),
        lambda x: x[:, 1:3, 2:5, :4],
    ),
    "reverse": (
        lambda n, x: n.add_strided_slice(
            x, (0, 3, 5, 4), (2, 0, 0, 0), (1, -1, -2, -1), begin_mask=1, end_mask=15
        ),
        lambda x: x[:, ::-1, ::-2, ::-1],
    ),
    "concat": (lambda n, x: n.add_concat([x, x], 3), lambda x: np.concatenate([x, x], 3)),
    "stack": (lambda n, x: n.add_stack([x, x], 1), lambda x: np.stack([x, x], 1)),
    "tile": (lambda n, x: n.add_tile(x, (1, 2, 1, 3)), lambda x: np.tile(x, (1, 2, 1, 3))),
    "blocks": (lambda n, x: n.add_space_to_depth(x, 2), blocks_to_channels),
    "repeat": (
        lambda n, x: n.add_broadcast_to(n.add_reshape(x, (1, 48, 5)), (3, 48, 5)),
        lambda x: np.broadcast_to(x.reshape(1, 48, 5), (3, 48, 5)),
    ),
    "pad": (
        lambda n, x: n.add_pad(x, [(0, 0), (1, 2), (0, 1), (3, 0)], value=1.0),
        lambda x: np.pad(x, [(0, 0), (1, 2), (0, 1), (3, 0)], constant_values=1),
    ),
    "reflect": (
        lambda n, x: n.add_pad(x, [(0, 0), (1, 2), (0, 1), (3, 0)], mode=PaddingMode.REFLECT),
        lambda x: np.pad(x, [(0, 0), (1, 2), (0, 1), (3, 0)], "reflect"),
    ),
    "pick": (
        lambda n, x: n.add_gather(x, np.array([3, 0, -1], np.int32), 1),
        lambda x: x[:, [3, 0, -1]],
    ),
}


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("move", MOVES)
def test_moves(runtime: ann.Runtime, move: str, dtype: Any) -> None:
    x = numbers(0, (2, 4, 6, 5), dtype)
    make, expected = MOVES[move]
    np.testing.assert_array_equal(run(runtime, [x], make), expected(x))


@pytest.mark.parametrize("dtype", ALL)
def test_constants(runtime: ann.Runtime, dtype: Any) -> None:
    x, c = numbers(1, (3, 5), dtype), numbers(2, (3, 7), dtype)
    out = run(runtime, [x], lambda n, s: n.add_concat([s, c], 1))
    np.testing.assert_array_equal(out, np.concatenate([x, c], 1))


@pytest.mark.parametrize("value", [-1e30, -5.5, 3.75, 1e30])
def test_padding_is_a_cast_of_its_value(runtime: ann.Runtime, value: float) -> None:
    limits = np.iinfo(np.int32)
    out = run(runtime, [np.zeros(2, np.int32)], lambda n, s: n.add_pad(s, [(1, 0)], value=value))
    assert out.tolist() == [int(np.clip(value, limits.min, limits.max)), 0, 0]


def test_bfloat16_moves_as_bits(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 4), DataType.BFLOAT16))
    network.add_output("out", network.add_transpose(x, (1, 0)))
    bits = np.arange(12, dtype=np.uint16).reshape(3, 4) + 0x7F7A  # infinities and NaN as well
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net:
        given = bits.view(net.inputs["x"].data_type.numpy)
        out = np.array(net.run({"x": given})["out"])
    np.testing.assert_array_equal(out.view(np.uint16), bits.T)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    ("condition", "left", "right"),
    [
        ((2, 3, 40), (2, 3, 40), (2, 3, 40)),
        ((2, 3, 1), (40,), (2, 1, 40)),
        ((3, 1), (1,), (2, 3, 1)),
    ],
)
def test_select(runtime: ann.Runtime, dtype: Any, condition: Any, left: Any, right: Any) -> None:
    inputs = [
        numbers(3, condition, np.int32) > 0,
        numbers(4, left, dtype),
        numbers(5, right, dtype),
    ]
    out = run(runtime, inputs, lambda n, c, x, y: n.add_select(c, x, y))
    np.testing.assert_array_equal(out, np.where(*inputs))


# ---- Indices that are computed -------------------------------------------------------------


@pytest.mark.parametrize("index_type", INDICES)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ALL)
def test_gather(runtime: ann.Runtime, dtype: Any, axis: int, index_type: Any) -> None:
    x = numbers(6, (5, 6, 7), dtype)
    indices = np.random.default_rng(7).integers(-5, 5, (3, 4)).astype(index_type)
    out = run(runtime, [x, indices], lambda n, s, i: n.add_gather(s, i, axis))
    np.testing.assert_array_equal(out, np.take(x, indices, axis))


@pytest.mark.parametrize("shape", [(), (1,), (300,)])
def test_gather_of_images_and_constants(runtime: ann.Runtime, shape: tuple[int, ...]) -> None:
    """Images have their channels last inside; a table of constants is kept."""
    x, table = values_of(0, 1, 4, 6, 6), values_of(1, 50, 33)
    indices = np.random.default_rng(8).integers(0, 4, shape)

    def channels(n: Any, s: Any, i: Any) -> Any:
        pooled = n.add_pooling2d(s, ann.PoolingAlgorithm.MAX, 1, data_layout=ann.DataLayout.NCHW)
        return n.add_gather(pooled, i, 1)

    np.testing.assert_array_equal(run(runtime, [x, indices], channels), np.take(x, indices, 1))
    out = run(runtime, [indices], lambda n, i: n.add_gather(table, i))
    np.testing.assert_array_equal(out, table[indices])


@pytest.mark.parametrize("index_type", INDICES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gather_nd(runtime: ann.Runtime, depth: int, index_type: Any) -> None:
    x = numbers(9, (4, 5, 6), np.int64)
    places = np.random.default_rng(10).integers(-4, 4, (3, 2, depth)).astype(index_type)
    out = run(runtime, [x, places], lambda n, s, i: n.add_gather_nd(s, i))
    np.testing.assert_array_equal(out, x[tuple(np.moveaxis(places, -1, 0))])


@pytest.mark.parametrize("nd", [False, True])
@pytest.mark.parametrize("bad", [5, -6])
def test_an_index_outside_ends_the_run(runtime: ann.Runtime, bad: int, nd: bool) -> None:
    """In the words of CpuRef, also between other layers."""
    x, indices = values_of(2, 5, 6), np.array([[4], [bad]], np.int64)

    def make(n: Any, s: Any, i: Any) -> Any:
        absolute = n.add_elementwise_unary(s, ann.UnaryOperation.ABS)
        picked = n.add_gather_nd(absolute, i) if nd else n.add_gather(absolute, i)
        return n.add_elementwise_unary(picked, ann.UnaryOperation.NEG)

    with pytest.raises(ann.ArmnnError, match=rf"index {bad} at place 1 of the indices is outside"):
        run(runtime, [x, indices], make)
