# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each unary operation as a layer: on CpuAcc by numpy, or refused when the backend is asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

O = ann.UnaryOperation  # noqa: E741
FUNCTIONS: dict[O, Callable[[np.ndarray], np.ndarray]] = {
    O.ABS: np.abs,
    O.EXP: np.exp,
    O.SQRT: np.sqrt,
    O.RSQRT: lambda x: 1 / np.sqrt(x),
    O.NEG: np.negative,
    O.LOG: np.log,
    O.SIN: np.sin,
    O.CEIL: np.ceil,
    O.FLOOR: np.floor,
    O.ERF: np.vectorize(math.erf),
    O.ROUND: np.round,
    O.COS: np.cos,
    O.TAN: np.tan,
    O.ASIN: np.arcsin,
    O.ACOS: np.arccos,
    O.ATAN: np.arctan,
    O.SINH: np.sinh,
    O.COSH: np.cosh,
    O.ASINH: np.arcsinh,
    O.ACOSH: np.arccosh,
    O.ATANH: np.arctanh,
}
# Where a function is defined; the others are tried on 0.05 to 4.
DOMAINS = {O.ASIN: (-1, 1), O.ACOS: (-1, 1), O.ATANH: (-0.99, 0.99), O.ACOSH: (1, 4)}
OF_INTEGERS = {O.LOGICAL_NOT, O.BITWISE_NOT}


@pytest.mark.parametrize("operation", FUNCTIONS, ids=lambda operation: operation.name)
def test_operation(runtime: ann.Runtime, operation: O) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 35)))
    network.add_output("y", network.add_elementwise_unary(x, operation, name="layer"))
    optimized = ann.optimize(network, ["CpuAcc", "CpuRef"], runtime=runtime)
    [row] = optimized.assignment.layers
    assert row.backend == "CpuAcc"
    values = np.linspace(*DOMAINS.get(operation, (0.05, 4)), 105).reshape(3, 35).astype(np.float32)
    with runtime.load_network(optimized) as net:
        result = np.array(net.run({"x": values})["y"])
    np.testing.assert_allclose(result, FUNCTIONS[operation](values.astype(np.float64)), rtol=5e-7)


def test_every_operation_is_here() -> None:
    assert set(FUNCTIONS) == set(O) - OF_INTEGERS
