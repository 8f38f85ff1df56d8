# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""TOP_K against a stable sort of numpy, and against onnxruntime."""

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

TYPES = {name: dtype for name, dtype in DTYPES.items() if name != "boolean"}
OUTPUTS = {np.int32: abi.ARMNN_DATA_TYPE_SIGNED32, np.int64: abi.ARMNN_DATA_TYPE_SIGNED64}


def form(k: int, axis: int, largest: bool, output: Any = np.int64) -> Any:
    return descriptor(
        abi.armnn_top_k_descriptor_t,
        abi.ARMNN_LAYER_TOP_K,
        k=k,
        axis=axis,
        largest=largest,
        sorted=1,
        output_type=OUTPUTS[output],
    )


def run(
    cpu_ref: Layers, x: np.ndarray, k: int, axis: int, largest: bool, output: Any = np.int64
) -> list[np.ndarray]:
    shape = list(x.shape)
    shape[axis] = k
    return cpu_ref.run(
        abi.ARMNN_LAYER_TOP_K,
        form(k, axis, largest, output),
        [x],
        [(tuple(shape), x.dtype), (tuple(shape), output)],
    )


def expected(x: np.ndarray, k: int, axis: int, largest: bool) -> list[np.ndarray]:
    """Sort stably, integers by their complement for the greatest, as negation overflows."""
    keys = x if not largest else (-x if x.dtype.kind == "f" else ~x)
    order = np.argsort(keys, axis=axis, kind="stable").take(range(k), axis)
    return [np.take_along_axis(x, order, axis), order]


@examples
@given(
    shape=shapes(min_rank=1, max_elements=2000),
    data=st.data(),
    largest=st.booleans(),
    dtype=st.sampled_from(list(TYPES.values())),
    output=st.sampled_from(list(OUTPUTS)),
)
def test_as_a_stable_sort(
    cpu_ref: Layers, shape: tuple[int, ...], data: Any, largest: bool, dtype: Any, output: Any
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    k = data.draw(st.integers(0, shape[axis]))
    low = 0 if np.dtype(dtype).kind == "u" else -3
    x = np.random.default_rng(k).integers(low, 4, shape).astype(dtype)
    for found, wanted in zip(
        run(cpu_ref, x, k, axis, largest, output), expected(x, k, axis, largest), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", TYPES.values(), ids=TYPES)
def test_the_whole_range_of_a_type(cpu_ref: Layers, dtype: Any, largest: bool) -> None:
    x = values((7, 300), dtype)
    if x.dtype.kind in "iu":
        x[:, :2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    else:
        x[:, :4] = -np.inf, np.inf, -0.0, 0.0
    for found, wanted in zip(
        run(cpu_ref, x, 40, 1, largest), expected(x, 40, 1, largest), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_as_onnxruntime(cpu_ref: Layers, axis: int) -> None:
    x = values((20, 30, 10), np.float32)
    operands = [x, np.array([4], np.int64)]
    for index, names in enumerate((["y", "other"], ["other", "y"])):
        wanted = onnx_node("TopK", operands, {"axis": axis}, constant=[1], outputs=names)
        np.testing.assert_array_equal(run(cpu_ref, x, 4, axis, True)[index], wanted)


@pytest.mark.parametrize("largest", [True, False])
def test_a_nan_wins(cpu_ref: Layers, largest: bool) -> None:
    x = np.array([1, np.nan, np.inf, -np.inf, -np.nan, 2], np.float32)
    found, indices = run(cpu_ref, x, 3, 0, largest)
    best = 2 if largest else 3
    np.testing.assert_array_equal(indices, [1, 4, best])
    np.testing.assert_array_equal(found, x[[1, 4, best]])


def test_bfloat16_and_quantised(cpu_ref: Layers) -> None:
    bits = np.array([0x3F80, 0xBF80, 0x7F80, 0x8000, 0x0000, 0x4000], np.uint16)
    x = Tensor(bits, data_type=abi.ARMNN_DATA_TYPE_BFLOAT16)
    y = Tensor(np.zeros(3, np.uint16), data_type=abi.ARMNN_DATA_TYPE_BFLOAT16)
    found, indices = cpu_ref.run(
        abi.ARMNN_LAYER_TOP_K, form(3, 0, False), [x], [y, ((3,), np.int64)]
    )
    np.testing.assert_array_equal(indices, [1, 3, 4])
    np.testing.assert_array_equal(found, bits[[1, 3, 4]])
    x = Tensor(np.array([3, 250, 100], np.uint8), [0.5], [7])
    y = Tensor(np.zeros(2, np.uint8), [0.5], [7])
    found, indices = cpu_ref.run(
        abi.ARMNN_LAYER_TOP_K, form(2, 0, True), [x], [y, ((2,), np.int64)]
    )
    np.testing.assert_array_equal(found, [250, 100])
    np.testing.assert_array_equal(indices, [1, 2])


def test_other_scales_of_the_values_are_refused(cpu_ref: Layers) -> None:
    x = Tensor(np.zeros(3, np.uint8), [0.5], [7])
    y = Tensor(np.zeros(2, np.uint8), [0.25], [7])
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_TOP_K,
        form(2, 0, True),
        [quantized_info(x)],
        [quantized_info(y), ((2,), np.int64)],
    )
    assert "quantised differently" in str(reason)
