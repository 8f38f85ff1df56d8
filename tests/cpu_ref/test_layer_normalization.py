# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LAYER_NORMALIZATION against onnxruntime, RMS_NORMALIZATION against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import onnx_node, random

LAYER = abi.ARMNN_LAYER_LAYER_NORMALIZATION
F = np.float32


def layer_normalization(axis: int, eps: float = 1e-5) -> abi.armnn_layer_normalization_descriptor_t:
    return descriptor(abi.armnn_layer_normalization_descriptor_t, LAYER, axis=axis, eps=eps)


@pytest.mark.parametrize(
    ("shape", "axis", "gamma", "beta"),
    [
        ((3, 5), -1, (5,), (5,)),
        ((3, 5), 0, (3, 5), (5,)),
        ((2, 3, 4), 1, (3, 1), (3, 4)),
        ((2, 3, 4, 5), 2, (5,), None),
        ((1, 1, 300), 2, (300,), (1,)),
        ((7,), 0, (1,), None),
    ],
)
def test_matches_onnx(
    cpu_ref: Layers,
    shape: tuple[int, ...],
    axis: int,
    gamma: tuple[int, ...],
    beta: tuple[int, ...] | None,
) -> None:
    operands = [random(shape, 1) * 3 + 2, random(gamma, 2)]
    operands += [] if beta is None else [random(beta, 3)]
    expected = onnx_node("LayerNormalization", operands, {"axis": axis, "epsilon": 1e-5})
    (y,) = cpu_ref.run(LAYER, layer_normalization(axis), operands, [(shape, F)])
    assert_close(y, expected, LayerType.LAYER_NORMALIZATION)


def test_without_parameters(cpu_ref: Layers) -> None:
    x = random((4, 6), 1).astype(np.float64)
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 0.5)
    (y,) = cpu_ref.run(LAYER, layer_normalization(1, 0.5), [x.astype(F)], [(x.shape, F)])
    assert_close(y, expected, LayerType.LAYER_NORMALIZATION)


def test_far_from_zero(cpu_ref: Layers) -> None:
    """The variance of large numbers that lie close together is not lost."""
    x = (np.arange(8, dtype=F) + 1e6).reshape(1, 8)
    expected = (np.arange(8) - 3.5) / np.sqrt(5.25 + 1e-5)
    (y,) = cpu_ref.run(LAYER, layer_normalization(-1), [x], [(x.shape, F)])
    assert_close(y[0], expected, LayerType.LAYER_NORMALIZATION)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(
    ("shape", "axis", "gamma"),
    [((3, 5), -1, (5,)), ((3, 5), 0, (3, 5)), ((2, 3, 4), 1, (3, 1)), ((1, 1, 300), 2, (1,))],
)
def test_root_mean_square(
    cpu_ref: Layers, shape: tuple[int, ...], axis: int, gamma: tuple[int, ...], dtype: type
) -> None:
    x, scale = ((random(dims, 1) + 2).astype(dtype) for dims in (shape, gamma))
    wide = x.astype(np.float64)
    axes = tuple(range(axis % len(shape), len(shape)))
    expected = wide / np.sqrt((wide**2).mean(axis=axes, keepdims=True) + 0.5) * scale
    layer = abi.ARMNN_LAYER_RMS_NORMALIZATION
    form = descriptor(abi.armnn_rms_normalization_descriptor_t, layer, axis=axis, eps=0.5)
    (y,) = cpu_ref.run(layer, form, [x, scale], [(shape, dtype)])
    assert_close(y, expected.astype(dtype), LayerType.RMS_NORMALIZATION)
