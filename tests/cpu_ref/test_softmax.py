# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""SOFTMAX and LOG_SOFTMAX against onnxruntime and numpy."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import onnx_node, random

SOFTMAX, LOG_SOFTMAX = abi.ARMNN_LAYER_SOFTMAX, abi.ARMNN_LAYER_LOG_SOFTMAX
F = np.float32


def softmax(axis: int, beta: float = 1.0, layer: int = SOFTMAX) -> abi.armnn_softmax_descriptor_t:
    return descriptor(abi.armnn_softmax_descriptor_t, layer, axis=axis, beta=beta)


@pytest.mark.parametrize(("layer", "operator"), [(SOFTMAX, "Softmax"), (LOG_SOFTMAX, "LogSoftmax")])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((7,), 0),
        ((3, 1000), -1),
        ((3, 1), 1),
        ((5, 70), 0),
        ((2, 21, 3, 67), 1),
        ((2, 3, 4, 5), 2),
        ((2, 3, 4, 5), -4),
        ((1, 2, 1, 3, 2, 1, 4, 2), 3),
    ],
)
def test_matches_onnx(
    cpu_ref: Layers, shape: tuple[int, ...], axis: int, layer: int, operator: str
) -> None:
    x = random(shape, 1) * 5
    expected = onnx_node(operator, [x], {"axis": axis})
    (y,) = cpu_ref.run(layer, softmax(axis, layer=layer), [x], [(shape, F)])
    assert_close(y, expected, LayerType.SOFTMAX)


@pytest.mark.parametrize("beta", [0.0, 0.25, 3.0, -2.0])
def test_beta(cpu_ref: Layers, beta: float) -> None:
    x = random((4, 9), 1)
    powers = np.exp(beta * x.astype(np.float64))
    expected = powers / powers.sum(axis=1, keepdims=True)
    (y,) = cpu_ref.run(SOFTMAX, softmax(1, beta), [x], [(x.shape, F)])
    assert_close(y, expected, LayerType.SOFTMAX)
    (y,) = cpu_ref.run(LOG_SOFTMAX, softmax(1, beta, LOG_SOFTMAX), [x], [(x.shape, F)])
    assert_close(y, np.log(expected), LayerType.SOFTMAX)


@pytest.mark.parametrize("axis", [0, 1])
def test_large_values_do_not_overflow(cpu_ref: Layers, axis: int) -> None:
    x = np.array([[1e4, -1e4], [-np.inf, 1e4]], F)
    x = x if axis == 1 else np.ascontiguousarray(x.T)
    expected = np.array([[1, 0], [0, 1]], F)
    (y,) = cpu_ref.run(SOFTMAX, softmax(axis), [x], [(x.shape, F)])
    np.testing.assert_array_equal(y, expected if axis == 1 else expected.T)


@pytest.mark.parametrize(("shape", "axis"), [((0, 3), 1), ((3, 0), 1), ((3, 0), 0)])
def test_empty(cpu_ref: Layers, shape: tuple[int, ...], axis: int) -> None:
    (y,) = cpu_ref.run(SOFTMAX, softmax(axis), [np.zeros(shape, F)], [(shape, F)])
    assert y.shape == shape


def test_refusals_say_why(cpu_ref: Layers) -> None:
    x = ((2, 3), F)
    for axis, source, target, words in [
        (2, x, x, "axis 2 given, -2 to 1 expected"),
        (-3, x, x, "axis -3 given, -2 to 1 expected"),
        (0, ((), F), ((), F), "axis 0 given, but a scalar has no axis"),
        (0, x, ((3, 2), F), "output 0 stated as 3x2, but it is 2x3"),
    ]:
        assert words in str(cpu_ref.refusal(SOFTMAX, softmax(axis), [source], [target]))
