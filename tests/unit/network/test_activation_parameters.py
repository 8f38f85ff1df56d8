# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Defaults of the parameters of activations, and their formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import armnn_py as ann
from armnn_py.descriptors import ActivationDescriptor

F = ann.ActivationFunction
Array = NDArray[Any]
X = np.linspace(-8, 8, 33, dtype=np.float32)

#: Each function as its common definition has it: tanh of numpy, ReLU6, ELU and LeakyReLU of ONNX.
COMMON: dict[F, Callable[[Array], Array]] = {
    F.TANH: np.tanh,
    F.LINEAR: lambda x: x,
    F.BOUNDED_RELU: lambda x: np.clip(x, 0, 6),
    F.LEAKY_RELU: lambda x: np.where(x > 0, x, 0.01 * x),
    F.ELU: lambda x: np.where(x >= 0, x, np.expm1(x)),
    F.HARD_SIGMOID: lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    F.THRESHOLDED_RELU: lambda x: np.where(x >= 1, x, 0),
}


def run(function: F, *parameters: float, **named: float) -> Array:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_activation(x, function, *parameters, **named))
    result: Array = ann.load(network, ["CpuRef"]).run(X)["y"]
    return result


@pytest.mark.parametrize("function", COMMON, ids=lambda one: one.name)
def test_without_parameters_a_function_is_the_common_one(function: F) -> None:
    np.testing.assert_allclose(run(function), COMMON[function](X), rtol=1e-5, atol=1e-6)


def test_parameters_that_are_given_count_and_the_other_stays() -> None:
    np.testing.assert_allclose(run(F.TANH, 2.0), 2 * np.tanh(X), rtol=1e-5)
    np.testing.assert_allclose(run(F.TANH, b=0.5), np.tanh(0.5 * X), rtol=1e-5)
    np.testing.assert_allclose(run(F.TANH, 0, 0), 0 * X)
    np.testing.assert_allclose(run(F.BOUNDED_RELU, 1, -1), np.clip(X, -1, 1))


def test_a_descriptor_has_what_it_is_given_as_in_arm_nn() -> None:
    assert (ActivationDescriptor(F.TANH).a, ActivationDescriptor(F.TANH).b) == (0, 0)


def test_help_shows_every_formula() -> None:
    shown = F.__doc__ or ""
    rows = {line.split("``")[1]: line for line in shown.splitlines() if "``" in line[:8]}
    assert set(rows) == {one.name for one in F}
    assert "a * tanh(b * x)" in rows["TANH"]
    assert rows["TANH"].endswith("a = 1, b = 1")
