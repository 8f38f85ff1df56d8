# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CUM_SUM against numpy and onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor
from .quantized import Tensor
from .reference import onnx_node
from .tensors import NUMBERS, examples, shapes, values


def form(axis: int, exclusive: bool, reverse: bool) -> Any:
    return descriptor(
        abi.armnn_cum_sum_descriptor_t,
        abi.ARMNN_LAYER_CUM_SUM,
        axis=axis,
        exclusive=exclusive,
        reverse=reverse,
    )


def run(
    cpu_ref: Layers, x: np.ndarray, axis: int, exclusive: bool = False, reverse: bool = False
) -> np.ndarray:
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_CUM_SUM, form(axis, exclusive, reverse), [x], [(x.shape, x.dtype)]
    )
    return out


def expected(x: np.ndarray, axis: int, exclusive: bool, reverse: bool) -> np.ndarray:
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x
    turned = np.flip(wide, axis) if reverse else wide
    total = np.cumsum(turned, axis, dtype=wide.dtype)
    if exclusive:
        total = np.roll(total, 1, axis)
        if total.shape[axis]:
            np.moveaxis(total, axis, 0)[0] = 0
    return (np.flip(total, axis) if reverse else total).astype(x.dtype)


@examples
@given(
    shape=shapes(min_rank=1, max_elements=2000),
    data=st.data(),
    dtype=st.sampled_from(list(NUMBERS.values())),
    exclusive=st.booleans(),
    reverse=st.booleans(),
)
def test_as_numpy(
    cpu_ref: Layers, shape: Any, data: Any, dtype: Any, exclusive: bool, reverse: bool
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = values(shape, dtype)
    np.testing.assert_array_equal(
        run(cpu_ref, x, axis, exclusive, reverse), expected(x, axis, exclusive, reverse)
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_large_tensors_in_parallel(cpu_ref: Layers, axis: int) -> None:
    x = values((50, 60, 130), np.float32)
    np.testing.assert_array_equal(run(cpu_ref, x, axis), expected(x, axis, False, False))


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_as_onnxruntime(cpu_ref: Layers, exclusive: int, reverse: int) -> None:
    x = values((4, 5, 6), np.int32) // 100
    attributes = {"exclusive": exclusive, "reverse": reverse}
    wanted = onnx_node("CumSum", [x, np.array(1, np.int32)], attributes, constant=[1])
    np.testing.assert_array_equal(run(cpu_ref, x, 1, bool(exclusive), bool(reverse)), wanted)


def test_special_values(cpu_ref: Layers) -> None:
    x = np.array([[1, np.inf, 2, np.inf], [1, np.nan, 2, 3]], np.float32)
    np.testing.assert_array_equal(
        run(cpu_ref, x, 1), [[1, np.inf, np.inf, np.inf], [1, np.nan, np.nan, np.nan]]
    )


def test_quantised_and_halves_round_once(cpu_ref: Layers) -> None:
    x = Tensor(np.array([[3, 250, 100, 0]], np.uint8), [0.5], [7])
    y = Tensor(np.zeros((1, 4), np.uint8), [1.0], [3])
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_CUM_SUM, form(1, False, False), [x], [y])
    wanted = np.clip(np.round(np.cumsum(x.real, 1)) + 3, 0, 255)
    np.testing.assert_allclose(found, wanted, atol=1)  # halves
    h = values((3, 50), np.float16)
    wide = np.cumsum(h.astype(np.float64), 1).astype(np.float32).astype(np.float16)
    np.testing.assert_array_equal(run(cpu_ref, h, 1), wide)
