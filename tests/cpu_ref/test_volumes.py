# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CONVOLUTION3D and POOLING3D against ONNX operators in onnxruntime; quantised ones in integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .quantized import Tensor
from .reference import onnx_node, random

LAYOUTS = {"ncdhw": abi.ARMNN_DATA_LAYOUT_NCDHW, "ndhwc": abi.ARMNN_DATA_LAYOUT_NDHWC}
MAX, AVERAGE, L2 = abi.ARMNN_POOLING_MAX, abi.ARMNN_POOLING_AVERAGE, abi.ARMNN_POOLING_L2
IGNORE, EXCLUDE = abi.ARMNN_PADDING_IGNORE_VALUE, abi.ARMNN_PADDING_EXCLUDE
W8 = abi.ARMNN_DATA_TYPE_QSYMM_S8
SIDES = (("front", "back"), ("top", "bottom"), ("left", "right"))

# batch, channels in, channels out, (depth, height, width), kernel, strides, dilations,
# pads (front, top, left, back, bottom, right), bias
CONVOLUTIONS = [
    (1, 1, 1, (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1), (0,) * 6, False),
    (2, 3, 5, (5, 6, 7), (3, 3, 3), (1, 1, 1), (1, 1, 1), (1,) * 6, True),
    (1, 2, 4, (8, 7, 6), (2, 3, 1), (2, 1, 3), (1, 1, 1), (1, 0, 2, 0, 2, 1), True),
    (1, 3, 2, (7, 9, 8), (3, 2, 3), (1, 2, 1), (2, 3, 1), (2, 1, 0, 2, 2, 1), False),
    (1, 66, 67, (3, 4, 5), (2, 2, 2), (1, 1, 1), (1, 1, 1), (0,) * 6, True),
    (1, 2, 3, (4, 12, 13), (3, 3, 3), (1, 1, 1), (1, 1, 1), (1,) * 6, True),
    (1, 2, 3, (2, 2, 2), (3, 3, 3), (1, 1, 1), (1, 1, 1), (3,) * 6, True),
]


def to_layout(ncdhw: np.ndarray, layout: str) -> np.ndarray:
    return np.ascontiguousarray(ncdhw.transpose(0, 2, 3, 4, 1)) if layout == "ndhwc" else ncdhw


def window(pads: Any, strides: Any, **more: Any) -> dict[str, Any]:
    fields = {f"stride_{axis}": value for axis, value in zip("zyx", strides, strict=True)}
    for place, (before, after) in enumerate(SIDES):
        fields[f"pad_{before}"], fields[f"pad_{after}"] = pads[place], pads[place + 3]
    return {**fields, **more}


def convolution(
    layout: str, pads: Any, strides: Any, dilations: Any, has_bias: bool
) -> abi.armnn_convolution3d_descriptor_t:
    fields = {f"dilation_{axis}": value for axis, value in zip("zyx", dilations, strict=True)}
    return descriptor(
        abi.armnn_convolution3d_descriptor_t,
        abi.ARMNN_LAYER_CONVOLUTION3D,
        **window(pads, strides, bias_enabled=int(has_bias), data_layout=LAYOUTS[layout]),
        **fields,
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolution_as_onnx_conv(cpu_ref: Layers, case: tuple[Any, ...], layout: str) -> None:
    batch, channels, outputs, size, kernel, strides, dilations, pads, has_bias = case
    x = random((batch, channels, *size), 1)
    weights = random((outputs, channels, *kernel), 2)
    bias = [random((outputs,), 3)] if has_bias else []
    wanted = onnx_node(
        "Conv",
        [x, weights, *bias],
        {"strides": strides, "dilations": dilations, "pads": pads},
    )
    wanted = to_layout(wanted, layout)
    layer = convolution(layout, pads, strides, dilations, has_bias)
    ours = np.ascontiguousarray(weights.transpose(2, 3, 4, 1, 0))
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_CONVOLUTION3D,
        layer,
        [to_layout(x, layout), ours, *bias],
        [(wanted.shape, np.float32)],
        constants=(1, 2),
    )
    assert_close(y, wanted, LayerType.CONVOLUTION3D)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_quantised_convolution(cpu_ref: Layers, dtype: Any, per_channel: bool, layout: str) -> None:
    """Sums of products in integers, scaled in float64: within one step."""
    rng = np.random.default_rng(1)
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, (2, 4, 5, 6, 3), dtype, endpoint=True)
    weights = rng.integers(-127, 128, (2, 3, 2, 3, 7)).astype(np.int8)
    scales = [0.01 * (1 + i) for i in range(7)] if per_channel else [0.013]
    zero = 3 if dtype == np.int8 else 0
    bias = rng.integers(-20000, 20000, 7).astype(np.int32 if dtype == np.int8 else np.int64)
    padded = np.pad(x.astype(np.int64) - zero, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0)])
    views = np.lib.stride_tricks.sliding_window_view(padded, (2, 3, 2), axis=(1, 2, 3))
    sums = np.einsum("ndhwcijk,ijkco->ndhwo", views, weights.astype(np.int64)) + bias
    out_scale = float(np.float32(0.1 * np.abs(sums).max() * 0.05 * max(scales) / limits.max))
    wanted = np.round(sums * 0.05 * np.array(scales) / out_scale) + zero
    wanted = np.clip(wanted, limits.min, limits.max)

    def turned(array: np.ndarray) -> np.ndarray:
        return array if layout == "ndhwc" else np.ascontiguousarray(array.transpose(0, 4, 1, 2, 3))

    operands = [
        Tensor(turned(x), [0.05], [zero]),
        Tensor(weights, scales, [0] * len(scales), 4, W8, True),
        Tensor(bias, [0.05 * s for s in scales], [0] * len(scales), 0, None, True),
    ]
    layer = convolution(layout, (1, 0, 1, 0, 1, 1), (1, 1, 1), (1, 1, 1), True)
    shape = turned(wanted).shape
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_CONVOLUTION3D,
        layer,
        operands,
        [Tensor(np.zeros(shape, dtype), [out_scale], [zero])],
    )
    assert np.abs(y.astype(np.int64) - turned(wanted)).max() <= 1


def test_an_empty_batch(cpu_ref: Layers) -> None:
    layer = convolution("ndhwc", (0,) * 6, (1, 1, 1), (1, 1, 1), False)
    operands = [np.zeros((0, 3, 3, 3, 2), np.float32), random((2, 2, 2, 2, 4))]
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_CONVOLUTION3D, layer, operands, [((0, 2, 2, 2, 4), np.float32)]
    )
    assert y.shape == (0, 2, 2, 2, 4)


# ---- Pooling -------------------------------------------------------------------------------------

# channels, volume, window, strides, pads
POOLS = [
    (1, (1, 1, 1), (1, 1, 1), (1, 1, 1), (0,) * 6),
    (3, (5, 6, 7), (2, 2, 2), (2, 2, 2), (0,) * 6),
    (70, (4, 5, 6), (3, 3, 3), (2, 1, 2), (1,) * 6),
    (2, (4, 5, 70), (2, 3, 2), (1, 1, 1), (1, 0, 1, 0, 2, 1)),
    (2, (7, 4, 5), (7, 4, 5), (1, 1, 1), (0,) * 6),
]


def pooling(layout: str, size: Any, strides: Any, pads: Any, **more: Any) -> Any:
    sides = zip(("pool_depth", "pool_height", "pool_width"), size, strict=True)
    return descriptor(
        abi.armnn_pooling3d_descriptor_t,
        abi.ARMNN_LAYER_POOLING3D,
        **window(pads, strides, data_layout=LAYOUTS[layout]),
        **dict(sides),
        **more,
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", POOLS)
def test_maximum(cpu_ref: Layers, case: tuple[Any, ...], layout: str) -> None:
    channels, volume, size, strides, pads = case
    x = random((2, channels, *volume), 1) - 3  # a zero from padding would win
    attributes = {"kernel_shape": size, "strides": strides, "pads": pads}
    wanted = to_layout(onnx_node("MaxPool", [x], attributes), layout)
    layer = pooling(layout, size, strides, pads, pool_type=MAX)
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_POOLING3D, layer, [to_layout(x, layout)], [(wanted.shape, np.float32)]
    )
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", [IGNORE, EXCLUDE])
@pytest.mark.parametrize("case", POOLS)
def test_average_and_l2(cpu_ref: Layers, case: tuple[Any, ...], method: int, layout: str) -> None:
    channels, volume, size, strides, pads = case
    x = random((2, channels, *volume), 1)
    attributes = {
        "kernel_shape": size,
        "strides": strides,
        "pads": pads,
        "count_include_pad": int(method == IGNORE),
    }
    for kind, source, finish in ((AVERAGE, x, lambda mean: mean), (L2, x * x, np.sqrt)):
        wanted = to_layout(finish(onnx_node("AveragePool", [source], attributes)), layout)
        layer = pooling(layout, size, strides, pads, pool_type=kind, padding_method=method)
        (y,) = cpu_ref.run(
            abi.ARMNN_LAYER_POOLING3D, layer, [to_layout(x, layout)], [(wanted.shape, np.float32)]
        )
        assert_close(y, wanted, LayerType.POOLING3D)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_windows_of_nothing_but_padding_give_zero(cpu_ref: Layers, layout: str) -> None:
    x = np.full((1, 2, 1, 1, 1), 5, np.float32)
    layer = pooling(layout, (1, 1, 1), (1, 1, 1), (1,) * 6, pool_type=MAX)
    wanted = np.zeros((1, 2, 3, 3, 3), np.float32)
    wanted[:, :, 1, 1, 1] = 5
    wanted = to_layout(wanted, layout)
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_POOLING3D, layer, [to_layout(x, layout)], [(wanted.shape, np.float32)]
    )
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_quantised_average(cpu_ref: Layers, layout: str) -> None:
    x = np.random.default_rng(1).integers(0, 256, (1, 4, 4, 4, 3)).astype(np.uint8)
    mean = x.astype(np.float64).reshape(1, 2, 2, 2, 2, 2, 2, 3).mean(axis=(2, 4, 6))
    wanted = np.floor(mean + 0.5)
    if layout == "ncdhw":
        x, wanted = (np.ascontiguousarray(a.transpose(0, 4, 1, 2, 3)) for a in (x, wanted))
    layer = pooling(layout, (2, 2, 2), (2, 2, 2), (0,) * 6, pool_type=AVERAGE)
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_POOLING3D,
        layer,
        [Tensor(x, [0.5], [0])],
        [Tensor(np.zeros(wanted.shape, np.uint8), [0.5], [0])],
    )
    np.testing.assert_array_equal(y, wanted)
