# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ARG_MIN_MAX against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import NUMBERS, examples, shapes, values

FORMULAS: dict[int, Any] = {abi.ARMNN_ARG_MIN: np.argmin, abi.ARMNN_ARG_MAX: np.argmax}
OUTPUTS = {np.int32: abi.ARMNN_DATA_TYPE_SIGNED32, np.int64: abi.ARMNN_DATA_TYPE_SIGNED64}


def form(function: int, axis: int, output_type: int) -> Any:
    return descriptor(
        abi.armnn_arg_min_max_descriptor_t,
        abi.ARMNN_LAYER_ARG_MIN_MAX,
        function=function,
        axis=axis,
        output_type=output_type,
    )


def run(
    cpu_ref: Layers, function: int, x: np.ndarray, axis: int, output: Any = np.int64
) -> np.ndarray:
    shape = np.delete(np.array(x.shape), axis).tolist()
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_ARG_MIN_MAX, form(function, axis, OUTPUTS[output]), [x], [(shape, output)]
    )
    return out


@examples
@given(
    shape=shapes(min_rank=1, max_elements=2000),
    axis=st.integers(-8, 7),
    function=st.sampled_from(sorted(FORMULAS)),
    dtype=st.sampled_from(list(NUMBERS.values())),
    output=st.sampled_from(list(OUTPUTS)),
)
def test_as_numpy_with_ties(
    cpu_ref: Layers, shape: tuple[int, ...], axis: int, function: int, dtype: Any, output: Any
) -> None:
    axis %= len(shape)
    if shape[axis] == 0:
        shape = (*shape[:axis], 3, *shape[axis + 1 :])
    x = np.random.default_rng(axis).integers(-3, 4, shape).astype(dtype)
    np.testing.assert_array_equal(
        run(cpu_ref, function, x, axis, output), FORMULAS[function](x, axis=axis)
    )


@pytest.mark.parametrize("function", sorted(FORMULAS))
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", NUMBERS.values(), ids=NUMBERS)
def test_large_tensors_in_parallel(cpu_ref: Layers, function: int, axis: int, dtype: Any) -> None:
    x = values((30, 40, 700), dtype)
    np.testing.assert_array_equal(run(cpu_ref, function, x, axis), FORMULAS[function](x, axis=axis))


@pytest.mark.parametrize("function", sorted(FORMULAS))
def test_the_first_nan_wins(cpu_ref: Layers, function: int) -> None:
    nan, inf = np.nan, np.inf
    x = np.array([[1, nan, 3], [nan, nan, inf], [-inf, inf, nan], [inf, -inf, 0]], np.float32)
    np.testing.assert_array_equal(run(cpu_ref, function, x, 1), FORMULAS[function](x, axis=1))
    np.testing.assert_array_equal(run(cpu_ref, function, x, 0), FORMULAS[function](x, axis=0))


@pytest.mark.parametrize(
    ("descriptor_values", "source", "target", "words"),
    [
        ((0, 2, 3), (2, 3), ((2,), np.int32), "axis 2 given, -2 to 1 expected"),
        ((0, -1, 3), (), ((), np.int32), "axis -1 given, but a scalar has no axis"),
        ((2, 0, 3), (2, 3), ((3,), np.int32), "the descriptor: function is 2"),
        ((0, 0, 3), (2, 3), ((3,), np.int64), "output 0 stated as int64, but it is int32"),
        (
            (0, 0, 1),
            (2, 3),
            ((3,), np.float32),
            "the descriptor: ArgMinMaxDescriptor: output_type float32 given,",
        ),
        ((0, 0, 3), (2, 3), ((1, 3), np.int32), "output 0 stated as 1x3, but it is 3"),
        (
            (0, 0, 3),
            (0, 3),
            ((3,), np.int32),
            "dimension 0 is empty and has neither maximum nor minimum",
        ),
    ],
)
def test_reasons(
    cpu_ref: Layers, descriptor_values: Any, source: Any, target: Any, words: str
) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_ARG_MIN_MAX, form(*descriptor_values), [(source, np.float32)], [target]
    )
    assert words in str(reason)
