# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ONE_HOT against numpy and onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor, quantized_info
from .quantized import Tensor
from .reference import onnx_node
from .tensors import DTYPES, examples, shapes, values


def form(depth: int, axis: int) -> Any:
    return descriptor(
        abi.armnn_one_hot_descriptor_t, abi.ARMNN_LAYER_ONE_HOT, depth=depth, axis=axis
    )


def run(
    cpu_ref: Layers, indices: np.ndarray, on: np.ndarray, off: np.ndarray, depth: int, axis: int
) -> np.ndarray:
    shape = list(indices.shape)
    shape.insert(axis % (indices.ndim + 1), depth)
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_ONE_HOT, form(depth, axis), [indices, on, off], [(tuple(shape), on.dtype)]
    )
    return out


@examples
@given(
    shape=shapes(max_rank=7),
    data=st.data(),
    dtype=st.sampled_from(list(DTYPES.values())),
    index_dtype=st.sampled_from([np.int32, np.int64]),
)
def test_as_numpy(cpu_ref: Layers, shape: Any, data: Any, dtype: Any, index_dtype: Any) -> None:
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    depth = data.draw(st.integers(0, 5))
    indices = np.random.default_rng(depth).integers(-9, 9, shape).astype(index_dtype)
    on, off = values((), dtype, 1), values((1,), dtype, 2)
    hit = indices[..., None] == np.arange(depth)
    hit |= indices[..., None] + depth == np.arange(depth)
    wanted = np.moveaxis(np.where(hit, on, off), -1, axis)
    np.testing.assert_array_equal(run(cpu_ref, indices, on, off, depth, axis), wanted)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_as_onnxruntime_in_parallel(cpu_ref: Layers, axis: int) -> None:
    indices = np.random.default_rng(0).integers(-100, 100, (40, 50))
    both = np.array([2, 5], np.float32)
    wanted = onnx_node("OneHot", [indices, np.array(100), both], {"axis": axis}, constant=[1])
    np.testing.assert_array_equal(run(cpu_ref, indices, both[1], both[0], 100, axis), wanted)


@pytest.mark.parametrize("far", [2**62, -(2**63), 2**63 - 1])
def test_far_indices_mark_nothing(cpu_ref: Layers, far: int) -> None:
    one, zero = np.float32(1), np.float32(0)
    found = run(cpu_ref, np.array([far, 1]), one, zero, 3, -1)
    np.testing.assert_array_equal(found, [[0, 0, 0], [0, 1, 0]])


def test_values_of_other_scales_are_refused(cpu_ref: Layers) -> None:
    on, off = (Tensor(np.zeros((), np.uint8), [scale], [0]) for scale in (0.5, 0.25))
    y = Tensor(np.zeros((2, 3), np.uint8), [0.5], [0])
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_ONE_HOT,
        form(3, -1),
        [((2,), np.int32), quantized_info(on), quantized_info(off)],
        [quantized_info(y)],
    )
    assert "quantised differently" in str(reason)
