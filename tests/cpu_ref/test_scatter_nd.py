# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""SCATTER_ND against numpy's unbuffered operations and onnxruntime; indices outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import FailedError, Layers, descriptor
from .quantized import Tensor
from .reference import onnx_node
from .tensors import DTYPES, NUMBERS, examples, shapes, values


def _assign(target: np.ndarray, places: Any, updates: np.ndarray) -> None:
    vectors = np.stack(places, -1).reshape(-1, len(places)) if places else np.zeros((1, 0), int)
    slices = updates.reshape(-1, *target.shape[vectors.shape[1] :])
    for vector, update in zip(vectors, slices, strict=True):
        target[tuple(vector)] = update


JOINS: dict[int, Callable[[np.ndarray, Any, np.ndarray], None]] = {
    abi.ARMNN_SCATTER_UPDATE: _assign,
    abi.ARMNN_SCATTER_ADD: np.add.at,
    abi.ARMNN_SCATTER_SUB: np.subtract.at,
    abi.ARMNN_SCATTER_MAX: np.maximum.at,
    abi.ARMNN_SCATTER_MIN: np.minimum.at,
    abi.ARMNN_SCATTER_MUL: np.multiply.at,
}


def form(function: int, input_enabled: bool = True) -> Any:
    return descriptor(
        abi.armnn_scatter_nd_descriptor_t,
        abi.ARMNN_LAYER_SCATTER_ND,
        function=function,
        input_enabled=input_enabled,
    )


def run(
    cpu_ref: Layers, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, function: int
) -> np.ndarray:
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_SCATTER_ND, form(function), [x, indices, updates], [(x.shape, x.dtype)]
    )
    return out


@st.composite
def cases(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = draw(shapes(min_rank=1, max_rank=5, max_elements=300).filter(lambda s: 0 not in s))
    depth = draw(st.integers(1, len(shape)))
    lead = draw(shapes(max_rank=3, max_elements=12))
    return shape, (*lead, depth)


@examples
@given(
    case=cases(),
    function=st.sampled_from(sorted(JOINS)),
    dtype=st.sampled_from(list(NUMBERS.values())),
    index_dtype=st.sampled_from([np.int32, np.int64]),
)
def test_as_numpy(cpu_ref: Layers, case: Any, function: int, dtype: Any, index_dtype: Any) -> None:
    shape, index_shape = case
    depth = index_shape[-1]
    rng = np.random.default_rng(depth)
    limits = np.array(shape[:depth])
    indices = rng.integers(-limits, limits, index_shape).astype(index_dtype)
    x = values(shape, dtype)
    updates = values((*index_shape[:-1], *shape[depth:]), dtype, 1)
    wanted = x.copy()
    with np.errstate(over="ignore"):
        JOINS[function](wanted, tuple(np.moveaxis(indices, -1, 0)), updates)
    found = run(cpu_ref, x, indices, updates, function)
    np.testing.assert_allclose(found, wanted, rtol=1e-5 if x.dtype.kind == "f" else 0)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_updates_of_any_type(cpu_ref: Layers, dtype: Any) -> None:
    x, updates = values((5, 3), dtype), values((2, 3), dtype, 1)
    wanted = x.copy()
    wanted[[4, 1]] = updates
    indices = np.array([[4], [-4]], np.int32)
    np.testing.assert_array_equal(run(cpu_ref, x, indices, updates, 0), wanted)


@pytest.mark.parametrize(
    ("function", "reduction"),
    [
        (abi.ARMNN_SCATTER_UPDATE, "none"),
        (abi.ARMNN_SCATTER_ADD, "add"),
        (abi.ARMNN_SCATTER_MUL, "mul"),
        (abi.ARMNN_SCATTER_MAX, "max"),
        (abi.ARMNN_SCATTER_MIN, "min"),
    ],
)
def test_as_onnxruntime(cpu_ref: Layers, function: int, reduction: str) -> None:
    x, updates = values((4, 5, 6), np.float32), values((3, 6), np.float32, 1)
    indices = np.array([[0, 1], [3, -1], [0, 0]], np.int64)
    wanted = onnx_node("ScatterND", [x, indices, updates], {"reduction": reduction})
    np.testing.assert_array_equal(run(cpu_ref, x, indices, updates, function), wanted)


def test_large_slices_in_parallel(cpu_ref: Layers) -> None:
    x, updates = values((7, 90000), np.float32), values((5, 90000), np.float32, 1)
    indices = np.array([[1], [1], [6], [0], [1]])
    wanted = x.astype(np.float64)
    np.add.at(wanted, indices[:, 0], updates)
    found = run(cpu_ref, x, indices, updates, abi.ARMNN_SCATTER_ADD)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_empty_vectors_name_the_whole_tensor(cpu_ref: Layers) -> None:
    x, updates = values((2, 3), np.float32), values((2, 2, 3), np.float32, 1)
    found = run(cpu_ref, x, np.zeros((2, 0), np.int32), updates, abi.ARMNN_SCATTER_ADD)
    np.testing.assert_array_equal(found, x + updates[0] + updates[1])


def test_into_zeros(cpu_ref: Layers) -> None:
    """A shape in place of the input: as tf.scatter_nd, which adds up."""
    indices, updates = np.array([[2], [0], [2]], np.int32), values((3, 4), np.float32)
    operands = [np.array([5, 4], np.int32), indices, updates]
    (found,) = cpu_ref.run(
        abi.ARMNN_LAYER_SCATTER_ND,
        form(abi.ARMNN_SCATTER_ADD, False),
        operands,
        [((5, 4), np.float32)],
        constants=[0],
    )
    wanted = np.zeros((5, 4), np.float32)
    np.add.at(wanted, [2, 0, 2], updates)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("function", [abi.ARMNN_SCATTER_ADD, abi.ARMNN_SCATTER_MAX])
def test_quantised(cpu_ref: Layers, function: int) -> None:
    x = Tensor(np.array([3, 250, 100, 7], np.uint8), [0.5], [7])
    updates = Tensor(np.array([20, 30, 1], np.uint8), [0.5], [7])
    y = Tensor(np.zeros(4, np.uint8), [0.5], [7])
    indices = np.array([[1], [0], [3]])
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_SCATTER_ND, form(function), [x, indices, updates], [y])
    real = x.real.copy()
    JOINS[function](real, (indices[:, 0],), updates.real)
    np.testing.assert_array_equal(found, np.clip(np.round(real / 0.5) + 7, 0, 255))


def test_float16(cpu_ref: Layers) -> None:
    x, updates = values((600,), np.float16), values((300,), np.float16, 1)
    indices = np.arange(0, 600, 2)[:, None]
    wanted = x.copy()
    np.add.at(wanted, indices[:, 0], updates)
    found = run(cpu_ref, x, indices, updates, abi.ARMNN_SCATTER_ADD)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("bad", [5, -6, 2**31 - 1, -(2**31)])
def test_an_index_outside_ends_the_run(cpu_ref: Layers, bad: int) -> None:
    x, indices = values((4, 5), np.float32), np.array([[0, 4], [1, bad]], np.int32)
    with pytest.raises(FailedError) as raised:
        run(cpu_ref, x, indices, values((2,), np.float32), abi.ARMNN_SCATTER_ADD)
    assert f"index {bad} at place 3" in str(raised.value)
    assert "[-5, 5), the bounds of dimension 1" in str(raised.value)


def test_booleans_are_replaced_only(cpu_ref: Layers) -> None:
    operands = [((4,), np.bool_), ((1, 1), np.int32), ((1,), np.bool_)]
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_SCATTER_ND, form(abi.ARMNN_SCATTER_ADD), operands, [((4,), np.bool_)]
    )
    assert "no kernel for data type bool with a function" in str(reason)
