# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The normalisations against numpy in double precision, and LRN against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import LAYOUTS, onnx_node, random, to_layout

BATCH = abi.ARMNN_LAYER_BATCH_NORMALIZATION
INSTANCE = abi.ARMNN_LAYER_INSTANCE_NORMALIZATION
L2 = abi.ARMNN_LAYER_L2_NORMALIZATION
LOCAL = abi.ARMNN_LAYER_NORMALIZATION
F = np.float32


def batch_normalization(eps: float, layout: int) -> abi.armnn_batch_normalization_descriptor_t:
    return descriptor(
        abi.armnn_batch_normalization_descriptor_t, BATCH, eps=eps, data_layout=layout
    )


@pytest.mark.parametrize(
    ("shape", "layout", "axis"),
    [
        ((2, 3, 4, 5), abi.ARMNN_DATA_LAYOUT_NCHW, 1),
        ((2, 70, 1, 1), abi.ARMNN_DATA_LAYOUT_NCHW, 1),
        ((2, 3, 4, 70), abi.ARMNN_DATA_LAYOUT_NHWC, 3),
        ((5, 3), abi.ARMNN_DATA_LAYOUT_NCHW, 1),
        ((1, 130), abi.ARMNN_DATA_LAYOUT_NCHW, 1),
        ((2, 3, 9), abi.ARMNN_DATA_LAYOUT_NCHW, 1),
        ((2, 3, 2, 2, 3), abi.ARMNN_DATA_LAYOUT_NCDHW, 1),
        ((2, 3, 2, 2, 3), abi.ARMNN_DATA_LAYOUT_NDHWC, 4),
        ((0, 3, 4, 5), abi.ARMNN_DATA_LAYOUT_NCHW, 1),
    ],
)
def test_batch_normalization(
    cpu_ref: Layers, shape: tuple[int, ...], layout: int, axis: int
) -> None:
    channels = shape[axis]
    x, mean, beta, gamma = (
        random(s, i) for i, s in enumerate([shape, (channels,), (channels,), (channels,)])
    )
    variance = np.abs(random((channels,), 9)) + F(0.1)
    along = [1] * len(shape)
    along[axis] = channels
    m, v, b, g = (p.astype(np.float64).reshape(along) for p in (mean, variance, beta, gamma))
    expected = (x - m) * g / np.sqrt(v + 1e-3) + b
    operands = [x, mean, variance, beta, gamma]
    (y,) = cpu_ref.run(
        BATCH, batch_normalization(1e-3, layout), operands, [(shape, F)], constants=(1, 2, 3, 4)
    )
    assert_close(y, expected, LayerType.NORMALIZATION)


def test_batch_normalization_refusals(cpu_ref: Layers) -> None:
    layer = batch_normalization(1e-3, abi.ARMNN_DATA_LAYOUT_NCHW)
    x, c, wrong = ((2, 3, 4, 5), F), ((3,), F), ((4,), F)
    assert cpu_ref.refusal(BATCH, layer, [x, c, c, c, c], [x]) is None
    for operands, words in [
        ([x, c, c, wrong, c], "beta has shape 4, 3 expected: a value for each channel"),
        ([x, c, c, c], "operand 'gamma' is missing"),
        ([x, c, c, c, None], "operand 'gamma' is missing"),
        ([x, c, ((3,), np.float16), c, c], "input is float32 but variance is float16"),
    ]:
        assert words in str(cpu_ref.refusal(BATCH, layer, operands, [x]))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 4, 5), (2, 70, 3, 1), (3, 1, 9, 9)])
def test_instance_normalization(cpu_ref: Layers, shape: tuple[int, ...], layout: str) -> None:
    x = random(shape, 1) * 3 + 10
    wide = x.astype(np.float64)
    mean = wide.mean(axis=(2, 3), keepdims=True)
    variance = wide.var(axis=(2, 3), keepdims=True)
    expected = to_layout((wide - mean) * 1.5 / np.sqrt(variance + 1e-4) - 0.5, layout)
    layer = descriptor(
        abi.armnn_instance_normalization_descriptor_t,
        INSTANCE,
        gamma=1.5,
        beta=-0.5,
        eps=1e-4,
        data_layout=LAYOUTS[layout],
    )
    (y,) = cpu_ref.run(INSTANCE, layer, [to_layout(x, layout)], [(expected.shape, F)])
    assert_close(y, expected, LayerType.NORMALIZATION)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 4, 5), (1, 70, 9, 9)])
def test_l2_normalization(cpu_ref: Layers, shape: tuple[int, ...], layout: str) -> None:
    x = random(shape, 1)
    x[0, :, 0, 0] = 1e-8  # shorter than eps
    wide = x.astype(np.float64)
    squares = (wide * wide).sum(axis=1, keepdims=True)
    expected = to_layout(wide / np.sqrt(np.maximum(squares, 1e-12)), layout)
    layer = descriptor(
        abi.armnn_l2_normalization_descriptor_t, L2, eps=1e-12, data_layout=LAYOUTS[layout]
    )
    (y,) = cpu_ref.run(L2, layer, [to_layout(x, layout)], [(expected.shape, F)])
    assert_close(y, expected, LayerType.NORMALIZATION)


def local_response(layout: str = "nchw", **values: Any) -> abi.armnn_normalization_descriptor_t:
    defaults: dict[str, Any] = {
        "norm_size": 5,
        "alpha": 0.25,
        "beta": 0.75,
        "k": 1.5,
        "data_layout": LAYOUTS[layout],
    }
    return descriptor(abi.armnn_normalization_descriptor_t, LOCAL, **(defaults | values))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [1, 3, 5, 21])
def test_local_response_across_channels(cpu_ref: Layers, size: int, layout: str) -> None:
    x = random((2, 9, 5, 14), 1) * 3
    attributes = {"size": size, "alpha": 0.25 * size, "beta": 0.75, "bias": 1.5}
    expected = to_layout(onnx_node("LRN", [x], attributes), layout)
    layer = local_response(layout, norm_size=size)
    (y,) = cpu_ref.run(LOCAL, layer, [to_layout(x, layout)], [(expected.shape, F)])
    assert_close(y, expected, LayerType.NORMALIZATION)


def test_local_response_of_even_size(cpu_ref: Layers) -> None:
    """ONNX's definition, which onnxruntime does not run: the longer half lies behind."""
    x = random((1, 9, 2, 3), 1) * 3
    wide = x.astype(np.float64)
    squares = np.stack([(wide[:, max(c - 1, 0) : c + 3] ** 2).sum(axis=1) for c in range(9)], 1)
    (y,) = cpu_ref.run(LOCAL, local_response(norm_size=4), [x], [(x.shape, F)])
    assert_close(y, wide / (1.5 + 0.25 * squares) ** 0.75, LayerType.NORMALIZATION)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [1, 3, 5, 31])
def test_local_response_within_a_channel(cpu_ref: Layers, size: int, layout: str) -> None:
    x = random((2, 3, 6, 7), 1) * 3
    wide, radius = x.astype(np.float64), size // 2
    squares = np.zeros(x.shape)
    for y, z in np.ndindex(6, 7):
        rows = slice(max(y - radius, 0), y + radius + 1)
        columns = slice(max(z - radius, 0), z + radius + 1)
        squares[:, :, y, z] = (wide[:, :, rows, columns] ** 2).sum(axis=(2, 3))
    expected = to_layout(wide / (1.5 + 0.25 * squares) ** 0.75, layout)
    layer = local_response(layout, norm_size=size, channel=abi.ARMNN_NORMALIZATION_WITHIN)
    (out,) = cpu_ref.run(LOCAL, layer, [to_layout(x, layout)], [(expected.shape, F)])
    assert_close(out, expected, LayerType.NORMALIZATION)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("size", [1, 3, 21])
def test_local_contrast(cpu_ref: Layers, size: int, within: bool, layout: str) -> None:
    """The distances from the neighbours' mean take the place of the values."""
    x = random((2, 5, 6, 7), 1) * 3
    wide, radius = x.astype(np.float64), size // 2
    expected = np.zeros(x.shape)
    for n, c, y, z in np.ndindex(*x.shape):
        neighbours = (
            wide[n, c, max(y - radius, 0) : y + radius + 1, max(z - radius, 0) : z + radius + 1]
            if within
            else wide[n, max(c - radius, 0) : c + radius + 1, y, z]
        )
        mean = neighbours.mean()
        squares = ((neighbours - mean) ** 2).sum()
        expected[n, c, y, z] = (wide[n, c, y, z] - mean) / (1.5 + 0.25 * squares) ** 0.75
    layer = local_response(layout, norm_size=size, channel=int(within), method=1)
    (out,) = cpu_ref.run(LOCAL, layer, [to_layout(x, layout)], [(to_layout(x, layout).shape, F)])
    assert_close(out, to_layout(expected, layout), LayerType.NORMALIZATION)


@pytest.mark.parametrize(
    ("values", "shape", "reason"),
    [
        ({"norm_size": 0}, (1, 2, 3, 4), "size is 0"),
        ({"channel": 2}, (1, 2, 3, 4), "the descriptor: channel is 2"),
        ({}, (2, 3, 4), "input has 3 dimensions, 4 expected"),
    ],
)
def test_local_response_refusals(
    cpu_ref: Layers, values: dict[str, int], shape: tuple[int, ...], reason: str
) -> None:
    answer = cpu_ref.refusal(LOCAL, local_response(**values), [(shape, F)], [(shape, F)])
    assert answer is not None
    assert reason in answer
