# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""float16 and bfloat16: each layer is what float32 gives of the same values, rounded once.

Float32 itself is compared with other implementations in the tests of each layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor
from .quantized import Tensor

NCHW = abi.ARMNN_DATA_LAYOUT_NCHW
IMAGE = (2, 6, 5, 7)

#: Layer type, descriptor structure and its members, shapes of operands, shape of the output.
LAYERS: dict[str, tuple[int, Any, dict[str, Any], list[tuple[int, ...]], tuple[int, ...]]] = {
    "Convolution2d": (
        abi.ARMNN_LAYER_CONVOLUTION2D,
        abi.armnn_convolution2d_descriptor_t,
        {
            "stride_x": 1,
            "stride_y": 1,
            "dilation_x": 1,
            "dilation_y": 1,
            "groups": 2,
            "bias_enabled": 1,
            "data_layout": NCHW,
        },
        [IMAGE, (4, 3, 3, 3), (4,)],
        (2, 4, 3, 5),
    ),
    "Convolution3d": (
        abi.ARMNN_LAYER_CONVOLUTION3D,
        abi.armnn_convolution3d_descriptor_t,
        {
            **{f"{what}_{axis}": 1 for what in ("stride", "dilation") for axis in "xyz"},
            "bias_enabled": 1,
            "data_layout": abi.ARMNN_DATA_LAYOUT_NCDHW,
        },
        [(2, 3, 4, 5, 6), (2, 3, 3, 3, 4), (4,)],
        (2, 4, 3, 3, 4),
    ),
    "Pooling3d": (
        abi.ARMNN_LAYER_POOLING3D,
        abi.armnn_pooling3d_descriptor_t,
        {
            **{f"stride_{axis}": 1 for axis in "xyz"},
            **{f"pool_{side}": 2 for side in ("depth", "height", "width")},
            "pool_type": abi.ARMNN_POOLING_AVERAGE,
            "data_layout": abi.ARMNN_DATA_LAYOUT_NCDHW,
        },
        [(2, 3, 4, 5, 6)],
        (2, 3, 3, 4, 5),
    ),
    "CumSum": (
        abi.ARMNN_LAYER_CUM_SUM,
        abi.armnn_cum_sum_descriptor_t,
        {"axis": 1},
        [IMAGE],
        IMAGE,
    ),
    "FullyConnected": (
        abi.ARMNN_LAYER_FULLY_CONNECTED,
        abi.armnn_fully_connected_descriptor_t,
        {"bias_enabled": 1},
        [(5, 70), (70, 9), (9,)],
        (5, 9),
    ),
    "BatchMatMul": (
        abi.ARMNN_LAYER_BATCH_MAT_MUL,
        abi.armnn_batch_mat_mul_descriptor_t,
        {"data_layout_x": NCHW, "data_layout_y": NCHW},
        [(3, 5, 40), (40, 6)],
        (3, 5, 6),
    ),
    "Softmax": (
        abi.ARMNN_LAYER_SOFTMAX,
        abi.armnn_softmax_descriptor_t,
        {"beta": 1.0, "axis": 1},
        [IMAGE],
        IMAGE,
    ),
    "BatchNormalization": (
        abi.ARMNN_LAYER_BATCH_NORMALIZATION,
        abi.armnn_batch_normalization_descriptor_t,
        {"eps": 1e-3, "data_layout": NCHW},
        [IMAGE, (6,), (6,), (6,), (6,)],
        IMAGE,
    ),
    "Normalization": (
        abi.ARMNN_LAYER_NORMALIZATION,
        abi.armnn_normalization_descriptor_t,
        {"norm_size": 3, "alpha": 0.5, "beta": 0.75, "k": 1.0, "data_layout": NCHW},
        [IMAGE],
        IMAGE,
    ),
    "Pooling2d": (
        abi.ARMNN_LAYER_POOLING2D,
        abi.armnn_pooling2d_descriptor_t,
        {
            "pool_type": abi.ARMNN_POOLING_AVERAGE,
            "pool_width": 3,
            "pool_height": 2,
            "stride_x": 1,
            "stride_y": 1,
            "data_layout": NCHW,
        },
        [IMAGE],
        (2, 6, 4, 5),
    ),
    "Resize": (
        abi.ARMNN_LAYER_RESIZE,
        abi.armnn_resize_descriptor_t,
        {"target_height": 9, "target_width": 4, "method": 0, "data_layout": NCHW},
        [IMAGE],
        (2, 6, 9, 4),
    ),
    "Reduce": (
        abi.ARMNN_LAYER_REDUCE,
        abi.armnn_reduce_descriptor_t,
        {"operation": abi.ARMNN_REDUCE_SUM, "axes": [2], "axis_count": 1},
        [IMAGE],
        (2, 6, 7),
    ),
    "Add": (
        abi.ARMNN_LAYER_ELEMENTWISE_BINARY,
        abi.armnn_elementwise_binary_descriptor_t,
        {"operation": abi.ARMNN_BINARY_ADD},
        [IMAGE, (1, 6, 1, 1)],
        IMAGE,
    ),
    "Exp": (
        abi.ARMNN_LAYER_ELEMENTWISE_UNARY,
        abi.armnn_elementwise_unary_descriptor_t,
        {"operation": abi.ARMNN_UNARY_EXP},
        [IMAGE],
        IMAGE,
    ),
    "TanH": (
        abi.ARMNN_LAYER_ACTIVATION,
        abi.armnn_activation_descriptor_t,
        {"function": abi.ARMNN_ACTIVATION_TANH, "a": 1.5, "b": 0.5},
        [IMAGE],
        IMAGE,
    ),
}


def to_bits(values: np.ndarray, half: str) -> np.ndarray:
    """Elements of the type: as float16, or the upper halves of float32, halves to even."""
    if half == "float16":
        return values.astype(np.float16)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_real(elements: np.ndarray, half: str) -> np.ndarray:
    if half == "float16":
        return elements.astype(np.float32)
    return (elements.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", LAYERS)
def test_is_float32_rounded_once(cpu_ref: Layers, name: str, half: str) -> None:
    layer_type, structure, values, shapes, output = LAYERS[name]
    data_type = abi.ARMNN_DATA_TYPE_BFLOAT16 if half == "bfloat16" else None
    generator = np.random.default_rng(1)
    operands = [to_bits(np.abs(generator.normal(0, 1, shape)), half) for shape in shapes]
    layer = descriptor(structure, layer_type, **values)
    (wide,) = cpu_ref.run(
        layer_type, layer, [to_real(x, half) for x in operands], [(output, np.float32)]
    )
    (found,) = cpu_ref.run(
        layer_type,
        layer,
        [Tensor(x, data_type=data_type) for x in operands],
        [Tensor(np.zeros(output, operands[0].dtype), data_type=data_type)],
    )
    np.testing.assert_array_equal(found, to_bits(wide, half))


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_comparisons(cpu_ref: Layers, half: str) -> None:
    data_type = abi.ARMNN_DATA_TYPE_BFLOAT16 if half == "bfloat16" else None
    x = to_bits(np.array([0.0, 1.0, -1.0, np.inf, np.nan, 2.0]), half)
    y = to_bits(np.array([-0.0, 2.0, -1.0, np.inf, np.nan, 1.0]), half)
    layer = descriptor(
        abi.armnn_comparison_descriptor_t,
        abi.ARMNN_LAYER_COMPARISON,
        operation=abi.ARMNN_COMPARISON_EQUAL,
    )
    operands = [Tensor(one, data_type=data_type) for one in (x, y)]
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_COMPARISON, layer, operands, [((6,), np.bool_)])
    assert found.tolist() == [True, False, True, True, False, False]
