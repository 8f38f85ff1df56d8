# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of any type between others, with constants and with indices that are computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .networks import values_of
from .one_layer import TYPES, numbers, run

ALL = [pytest.param(dtype.type, id=dtype.name) for dtype in TYPES]
SIGNED = [np.int32, np.int64]
B, U = ann.BinaryOperation, ann.UnaryOperation


def test_convolution_outputs_are_compared_and_selected(runtime: ann.Runtime) -> None:
    """Masks of images lie channels last, too, and feed Select, Cast and logic inside one part."""
    x, weights = values_of(3, 1, 3, 8, 8), values_of(4, 5, 3, 1, 1)

    def make(n: Any, s: Any) -> Any:
        y = n.add_convolution2d(s, weights, data_layout=ann.DataLayout.NCHW)
        above = n.add_comparison(y, np.float32(0.1), ann.ComparisonOperation.GREATER)
        below = n.add_comparison(y, np.float32(1.0), ann.ComparisonOperation.LESS)
        both = n.add_logical_binary(above, below, ann.LogicalBinaryOperation.AND)
        chosen = n.add_select(both, y, np.float32(-1))
        return n.add_multiplication(chosen, n.add_cast(above, ann.DataType.FLOAT32))

    y = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0], x)
    expected = np.where((y > 0.1) & (y < 1), y, -1) * (y > 0.1)
    np.testing.assert_allclose(run(runtime, [x], make), expected, rtol=1e-5, atol=1e-5)


# ---- Arithmetic ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", SIGNED)
def test_constants_of_integers(runtime: ann.Runtime, dtype: Any) -> None:
    """One element and one row: what a float32 function would be made of."""
    x, row = numbers(6, (4, 9), dtype), numbers(7, (9,), dtype)
    out = run(runtime, [x], lambda n, a: n.add_addition(n.add_multiplication(a, dtype(3)), row))
    np.testing.assert_array_equal(out, x * dtype(3) + row)


def test_operations_that_a_type_lacks_are_refused(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,), ann.DataType.UNSIGNED32))
    network.add_output("u", network.add_elementwise_unary(x, U.SQRT))
    with pytest.raises(ann.ArmnnError, match="no kernel for Sqrt of uint32"):
        ann.optimize(network, ["CpuAcc"], runtime=runtime)


# ---- Casts ---------------------------------------------------------------------------------


def test_casts_to_the_same_type_keep_every_bit(runtime: ann.Runtime) -> None:
    """Of NaN as well, whose bits a way through float32 changes."""
    codes = np.arange(2**16, dtype=np.uint16)
    out = run(runtime, [codes.view(np.float16)], lambda n, a: n.add_cast(a, ann.DataType.FLOAT16))
    np.testing.assert_array_equal(out.view(np.uint16), codes)


@pytest.mark.parametrize("dtype", SIGNED)
def test_casts_of_large_integers_round_once(runtime: ann.Runtime, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    x = np.random.default_rng(13).integers(limits.min, limits.max, 5000, dtype, endpoint=True)
    x[:4] = limits.min, limits.max, 2**24 + 1, -(2**24) - 3
    out = run(runtime, [x], lambda n, a: n.add_cast(a, ann.DataType.FLOAT32))
    np.testing.assert_array_equal(out, x.astype(np.float32))


# ---- Places ---------------------------------------------------------------------------------


def test_places_in_images_and_of_nan(runtime: ann.Runtime) -> None:
    """The classes of an image's pixels; a NaN is both the least and the greatest, as in numpy."""
    x, weights = values_of(11, 2, 3, 6, 5), values_of(12, 21, 3, 1, 1)
    layout = {"data_layout": ann.DataLayout.NCHW}

    def make(n: Any, s: Any) -> Any:
        y = n.add_convolution2d(s, weights, **layout)
        return n.add_arg_min_max(y, ann.ArgMinMaxFunction.MAX, 1)

    y = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0].astype(np.float64), x)
    np.testing.assert_array_equal(run(runtime, [x], make), y.argmax(1))
    x[0, 1, 2, 3] = x[1, 2, 0, 0] = np.nan
    for function, find in (
        (ann.ArgMinMaxFunction.MIN, np.argmin),
        (ann.ArgMinMaxFunction.MAX, np.argmax),
    ):
        out = run(runtime, [x], lambda n, a, f=function: n.add_arg_min_max(a, f, 1))
        np.testing.assert_array_equal(out, find(x, 1))


@pytest.mark.parametrize("dtype", ALL)
def test_constants(runtime: ann.Runtime, dtype: Any) -> None:
    x, c = numbers(1, (3, 5), dtype), numbers(2, (3, 7), dtype)
    out = run(runtime, [x], lambda n, s: n.add_concat([s, c], 1))
    np.testing.assert_array_equal(out, np.concatenate([x, c], 1))


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


def test_images_of_a_convolution(runtime: ann.Runtime) -> None:
    """Images lie channels last inside, conditions as the network has them."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    mask = network.add_input("mask", ann.TensorInfo((1, 1, 8, 8), ann.DataType.BOOLEAN))
    nchw = ann.DataLayout.NCHW
    y = network.add_convolution2d(x, values_of(1, 4, 3, 1, 1), data_layout=nchw)
    network.add_output("out", network.add_select(mask, y, -1.0))
    arrays = {"x": values_of(0, 1, 3, 8, 8), "mask": values_of(2, 1, 1, 8, 8) > 0}
    found = []
    for backends in (["CpuRef"], ["CpuAcc"]):
        with ann.load(network, backends, runtime=runtime) as net:
            found.append(net.run(arrays)["out"])
    expected = np.einsum("oi,nihw->nohw", values_of(1, 4, 3, 1, 1)[:, :, 0, 0], arrays["x"])
    for out in found:
        np.testing.assert_allclose(
            out, np.where(arrays["mask"], expected, -1), rtol=1e-5, atol=1e-5
        )
