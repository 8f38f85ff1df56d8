# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ACTIVATION against the formulas in numpy that backends are tested with."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.testing.oracles.independent_activations import ACTIVATIONS
from armnn_py.types import LayerType

from .harness import Layers, descriptor


def activation(function: int, a: float = 0.0, b: float = 0.0) -> abi.armnn_activation_descriptor_t:
    return descriptor(
        abi.armnn_activation_descriptor_t, abi.ARMNN_LAYER_ACTIVATION, function=function, a=a, b=b
    )


def test_every_function_has_a_formula() -> None:
    assert sorted(ACTIVATIONS) == list(range(abi.ARMNN_ACTIVATION_COUNT))


@pytest.mark.parametrize("function", sorted(ACTIVATIONS))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 5, 7), (1, 2, 1, 3, 1, 2, 1, 5)])
def test_matches_the_formula(cpu_ref: Layers, function: int, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(function).normal(0, 4, shape).astype(np.float32)
    if function == abi.ARMNN_ACTIVATION_SQRT:
        x = np.abs(x)
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_ACTIVATION, activation(function, 1.5, 0.75), [x], [(shape, np.float32)]
    )
    expected = ACTIVATIONS[function](x.astype(np.float64), 1.5, 0.75)
    assert_close(y, expected, LayerType.ACTIVATION)


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (abi.ARMNN_ACTIVATION_SIGMOID, [-200, 200], [0, 1]),
        (abi.ARMNN_ACTIVATION_SOFT_RELU, [-200, 200, -np.inf, np.inf], [0, 200, 0, np.inf]),
        (abi.ARMNN_ACTIVATION_HARD_SWISH, [-1e30, 1e30], [0, 1e30]),
        (abi.ARMNN_ACTIVATION_RELU, [-np.inf, np.inf], [0, np.inf]),
        (abi.ARMNN_ACTIVATION_GELU, [-100, 100], [0, 100]),
        (abi.ARMNN_ACTIVATION_SOFTSIGN, [-1e30, 1e30], [-1, 1]),
    ],
)
def test_far_from_zero(
    cpu_ref: Layers, function: int, x: list[float], expected: list[float]
) -> None:
    array = np.array(x, np.float32)
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_ACTIVATION, activation(function), [array], [(array.shape, np.float32)]
    )
    assert_close(y, np.array(expected, np.float32), LayerType.ACTIVATION)


@pytest.mark.parametrize("function", sorted(ACTIVATIONS))
def test_nan_stays_nan(cpu_ref: Layers, function: int) -> None:
    x = np.array([np.nan] * 9, np.float32)
    (y,) = cpu_ref.run(
        abi.ARMNN_LAYER_ACTIVATION, activation(function, 6.0, 1.0), [x], [((9,), np.float32)]
    )
    assert np.isnan(y).all()


def test_refusals_say_why(cpu_ref: Layers) -> None:
    f32 = ((2, 3), np.float32)
    layer = abi.ARMNN_LAYER_ACTIVATION
    relu = activation(abi.ARMNN_ACTIVATION_RELU)
    assert cpu_ref.refusal(layer, relu, [f32], [f32]) is None
    s32 = (2, 3), np.int32
    for form, source, target, words in [
        (relu, f32, ((3, 2), np.float32), "output 0 stated as 3x2, but it is 2x3"),
        (
            activation(abi.ARMNN_ACTIVATION_COUNT),
            f32,
            f32,
            f"function is {abi.ARMNN_ACTIVATION_COUNT}",
        ),
        (relu, s32, s32, "no kernel for data type int32"),
        (relu, s32, f32, "output 0 stated as float32, but it is int32"),
        (None, f32, f32, "the descriptor: 1 at 0x0 cannot be read"),
    ]:
        assert words in str(cpu_ref.refusal(layer, form, [source], [target]))
