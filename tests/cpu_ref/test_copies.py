# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""MEM_COPY, RESHAPE, FILL, RANK and SHAPE; quantised tensors that move; odd infos."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi
from armnn_py._native.layers import layer_structs as layers
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType

from .harness import Layers, descriptor, tensor_info
from .tensors import DTYPES, examples, shapes, values


def reshape_form(shape: Any) -> Any:
    return descriptor(
        abi.armnn_reshape_descriptor_t,
        abi.ARMNN_LAYER_RESHAPE,
        rank=len(shape),
        target_shape=list(shape),
    )


@examples
@given(shape=shapes(), dtype=st.sampled_from(list(DTYPES.values())))
def test_copies(cpu_ref: Layers, shape: tuple[int, ...], dtype: Any) -> None:
    x = values(shape, dtype)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_MEM_COPY, None, [x], [(shape, dtype)])
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize(
    ("form", "output", "words"),
    [
        ((3, 2), ((2, 3), np.float32), "output 0 stated as 2x3, but it is 3x2"),
        ((2, 4), ((2, 4), np.float32), "6 elements do not fill 2x4, which has 8"),
        ((3, 2), ((3, 2), np.int32), "output 0 stated as int32, but it is float32"),
        ((6,), ((3, 2), np.float32), "output 0 stated as 3x2, but it is 6"),
    ],
)
def test_reshape_reasons(cpu_ref: Layers, form: Any, output: Any, words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_RESHAPE, reshape_form(form), [((2, 3), np.float32)], [output]
    )
    assert words in str(reason)


def test_fill_reasons(cpu_ref: Layers) -> None:
    form = descriptor(abi.armnn_fill_descriptor_t, abi.ARMNN_LAYER_FILL, value=1.0)
    kind, target = abi.ARMNN_LAYER_FILL, ((2, 3), np.float32)
    reason = cpu_ref.refusal(kind, form, [((3,), np.int32)], [target])
    assert "output of 2 dimensions given, 3 expected" in str(reason)
    assert "float32" in str(cpu_ref.refusal(kind, form, [((2,), np.float32)], [target]))
    reason = cpu_ref.refusal(kind, form, [((2,), np.int32)], [((2, 3), np.uint8)])
    assert "quantised uint8" in str(reason)


def quantized(shape: Any, scales: list[float], zero_points: list[int], axis: int = -1) -> Any:
    info = tensor_info(shape, np.uint8)
    info.scales = (ctypes.c_float * len(scales))(*scales)
    info.zero_points = (ctypes.c_int32 * len(scales))(*zero_points)
    info.quantization_count, info.quantization_dim = len(scales), axis
    return info


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (quantized((6,), [0.5], [3]), None),
        (quantized((6,), [0.25], [3]), "quantised differently"),
        (quantized((6,), [0.5], [4]), "quantised differently"),
        (tensor_info((6,), np.uint8), "quantised differently"),
        (quantized((6,), [0.5] * 6, [3] * 6, 0), "output 0 is quantised per axis"),
    ],
)
def test_moving_quantised_elements(cpu_ref: Layers, output: Any, words: str | None) -> None:
    source = quantized((2, 3), [0.5], [3])
    reason = cpu_ref.refusal(abi.ARMNN_LAYER_RESHAPE, reshape_form((6,)), [source], [output])
    assert (reason is None) if words is None else (words in str(reason))


def test_a_tensor_that_contradicts_itself(cpu_ref: Layers) -> None:
    good = tensor_info((2, 3), np.float32)
    for member, value, words in [
        ("rank", 9, "9 dimensions"),
        ("data_type", len(DataType), f"unknown data type {len(DataType)}"),
        ("data_type", -1, "unknown data type -1"),
        ("dim_known_mask", 1, "free dimensions"),
    ]:
        bad = tensor_info((2, 3), np.float32)
        setattr(bad, member, value)
        for pair in ([bad], [good]), ([good], [bad]):
            assert words in str(cpu_ref.refusal(abi.ARMNN_LAYER_MEM_COPY, None, *pair))
    # The number of elements is no choice of anybody: the host computes it for what it shows.
    assert layers.tensor_info(TensorInfo((2, 3))).element_count == good.element_count == 6


def test_a_tensor_beyond_all_memory(cpu_ref: Layers) -> None:
    huge = tensor_info((2**33, 2**33), np.float32)
    reason = cpu_ref.refusal(abi.ARMNN_LAYER_MEM_COPY, None, [huge], [huge])
    assert "has 2**63 bytes or more" in str(reason)
