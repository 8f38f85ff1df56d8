# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""COMPARISON and LOGICAL_BINARY against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import NUMBERS, examples, values

FORMULAS = {
    abi.ARMNN_COMPARISON_EQUAL: np.equal,
    abi.ARMNN_COMPARISON_GREATER: np.greater,
    abi.ARMNN_COMPARISON_GREATER_OR_EQUAL: np.greater_equal,
    abi.ARMNN_COMPARISON_LESS: np.less,
    abi.ARMNN_COMPARISON_LESS_OR_EQUAL: np.less_equal,
    abi.ARMNN_COMPARISON_NOT_EQUAL: np.not_equal,
}
LOGICAL = {abi.ARMNN_LOGICAL_AND: np.logical_and, abi.ARMNN_LOGICAL_OR: np.logical_or}


def compare(operation: int) -> Any:
    return descriptor(
        abi.armnn_comparison_descriptor_t, abi.ARMNN_LAYER_COMPARISON, operation=operation
    )


def logical(operation: int) -> Any:
    return descriptor(
        abi.armnn_logical_binary_descriptor_t, abi.ARMNN_LAYER_LOGICAL_BINARY, operation=operation
    )


def test_every_operation_has_a_formula() -> None:
    assert sorted(FORMULAS) == list(range(abi.ARMNN_COMPARISON_COUNT))
    assert sorted(LOGICAL) == list(range(abi.ARMNN_LOGICAL_BINARY_COUNT))


@examples
@given(
    shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=8, min_side=0, max_side=4),
    operation=st.sampled_from(sorted(FORMULAS)),
    dtype=st.sampled_from([*NUMBERS.values(), np.bool_]),
    seed=st.integers(0, 99),
)
def test_comparison_broadcasts_as_numpy(
    cpu_ref: Layers, shapes: Any, operation: int, dtype: Any, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    x, y = (draw.integers(-1, 2, shape).astype(dtype) for shape in shapes.input_shapes)
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_COMPARISON, compare(operation), [x, y], [(shapes.result_shape, np.bool_)]
    )
    np.testing.assert_array_equal(out, FORMULAS[operation](x, y))


@pytest.mark.parametrize("operation", sorted(FORMULAS))
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_extreme_values(cpu_ref: Layers, operation: int, dtype: Any) -> None:
    if dtype is np.float32:
        x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45], dtype)
    else:
        x = np.array([-(2**63), -(2**53) - 1, -(2**53), 2**53, 2**53 + 1, 2**63 - 1], dtype)
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_COMPARISON, compare(operation), [x[:, None], x], [((6, 6), np.bool_)]
    )
    np.testing.assert_array_equal(out, FORMULAS[operation](x[:, None], x))


def test_comparison_in_parallel(cpu_ref: Layers) -> None:
    x, y = values((90, 401), np.float32), values((401,), np.float32, 1)
    operation = abi.ARMNN_COMPARISON_LESS
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_COMPARISON, compare(operation), [x, y], [((90, 401), np.bool_)]
    )
    np.testing.assert_array_equal(out, x < y)


@examples
@given(
    shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=8, min_side=0, max_side=4),
    operation=st.sampled_from(sorted(LOGICAL)),
)
def test_logical_broadcasts_as_numpy(cpu_ref: Layers, shapes: Any, operation: int) -> None:
    x, y = (values(shape, np.bool_, i) for i, shape in enumerate(shapes.input_shapes))
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_LOGICAL_BINARY,
        logical(operation),
        [x, y],
        [(shapes.result_shape, np.bool_)],
    )
    np.testing.assert_array_equal(out, LOGICAL[operation](x, y))


def test_any_byte_but_zero_is_true(cpu_ref: Layers) -> None:
    x = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    y = np.array([2, 2, 4, 0], np.uint8).view(np.bool_)
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_LOGICAL_BINARY, logical(abi.ARMNN_LOGICAL_AND), [x, y], [((4,), np.bool_)]
    )
    assert out.view(np.uint8).tolist() == [0, 1, 1, 0]
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_COMPARISON,
        compare(abi.ARMNN_COMPARISON_EQUAL),
        [x, y],
        [((4,), np.bool_)],
    )
    assert out.view(np.uint8).tolist() == [0, 1, 1, 0]


def test_reasons(cpu_ref: Layers) -> None:
    boolean, real = ((2,), np.bool_), ((2,), np.float32)
    kind = abi.ARMNN_LAYER_COMPARISON
    equal = compare(0)
    assert cpu_ref.refusal(kind, equal, [real, real], [boolean]) is None
    assert "bool" in str(cpu_ref.refusal(kind, equal, [real, real], [real]))
    assert "99" in str(cpu_ref.refusal(kind, compare(99), [real, real], [boolean]))
    kind = abi.ARMNN_LAYER_LOGICAL_BINARY
    assert "float32" in str(cpu_ref.refusal(kind, logical(0), [real, real], [boolean]))
    assert "-1" in str(cpu_ref.refusal(kind, logical(-1), [boolean, boolean], [boolean]))
