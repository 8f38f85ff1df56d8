# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Functions of one element: their accuracy over all floats, and what they do at the ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from .guarded import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from .operators import Operators

Array = np.ndarray


def _erf(x: Array) -> Array:
    result: Array = np.vectorize(math.erf, otypes=[np.float64])(x)
    return result


def _sigmoid(x: Array) -> Array:
    e = np.exp(-np.abs(x))
    result: Array = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    return result


# Double precision, for the arguments a = b = 1 of the tests.
EXACT: dict[str, Callable[[Array], Array]] = {
    "identity": lambda x: x,
    "clamp": lambda x: np.clip(x, 1.0, 1.0),
    "leaky": lambda x: x,
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
    "swish": lambda x: x * _sigmoid(x),
    "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6 + 1,
    "hard_sigmoid": lambda x: np.clip(x + 1, 0, 1),
    "gelu": lambda x: x / 2 * (1 + _erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: x * _sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "soft_relu": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "abs": np.abs,
    "sqrt": np.sqrt,
    "square": np.square,
    "linear": lambda x: x + 1,
    "exp": np.exp,
    "log": np.log,
    "neg": np.negative,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": _erf,
    "sin": np.sin,
    "ceil": np.ceil,
    "floor": np.floor,
    "reciprocal": lambda x: 1 / x,
}

# Units of the last place, as kernels/simd/vector_math.h promises.
ULPS = {
    "sigmoid": 2.2,
    "tanh": 2.5,
    "elu": 1.1,
    "soft_relu": 1.7,
    "exp": 1.0,
    "log": 0.8,
    "erf": 1.2,
    "sin": 2.6,
    "sqrt": 0.51,
    "rsqrt": 1.51,
    "square": 0.51,
    "reciprocal": 0.51,
}


def _all_floats(step: int) -> Array:
    """Every |step|th float by its bits, infinities and NaN among them; denser from -20 to 20."""
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32)
    special = np.array(
        [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 88.72284, 88.73, -87.4, -103.9, -104.1, 1e-45],
        np.float32,
    )
    near = np.linspace(-20, 20, 100_003, dtype=np.float32)
    nearer = np.linspace(-1, 1, 100_003, dtype=np.float32)
    return np.concatenate([bits.view(np.float32), special, near, nearer])


FLOATS = _all_floats(20_011)


@pytest.mark.parametrize("function", ULPS)
def test_accuracy_over_all_floats(operators: Operators, isa: str, function: str) -> None:
    with np.errstate(all="ignore"):
        exact = EXACT[function](FLOATS.astype(np.float64))
        rounded = exact.astype(np.float32)
    y = operators.apply(isa, function, FLOATS)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(y[~finite], rounded[~finite])  # NaN and infinities alike
    assert np.isfinite(y[finite]).all()
    units = np.maximum(np.spacing(np.abs(rounded[finite])).astype(np.float64), 2.0**-149)
    errors = np.abs(y[finite].astype(np.float64) - exact[finite]) / units
    worst = int(np.argmax(errors))
    assert errors[worst] <= ULPS[function], f"{FLOATS[finite][worst]!r}: {y[finite][worst]!r}"


@pytest.mark.parametrize("function", [name for name in EXACT if name not in ULPS])
def test_values(operators: Operators, isa: str, function: str) -> None:
    x = FLOATS[np.abs(FLOATS) < 1e4]
    expected = EXACT[function](x.astype(np.float64))
    y = operators.apply(isa, function, x)
    bound = 3e-7 * np.maximum(np.abs(expected), np.abs(x) if "gelu" in function else 0) + 1e-37
    if function in ("hard_swish", "hard_sigmoid", "linear"):
        bound = 5e-7 * np.maximum(np.abs(expected), 1)
    assert (np.abs(y - expected) <= bound).all()


@pytest.mark.parametrize("function", ["sigmoid", "tanh", "erf", "exp", "log", "sqrt", "abs"])
def test_zeros_keep_their_sign_and_infinity_its_limit(
    operators: Operators, isa: str, function: str
) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf], np.float32)
    with np.errstate(all="ignore"):
        expected = EXACT[function](x.astype(np.float64)).astype(np.float32)
    y = operators.apply(isa, function, x)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(np.signbit(y[:2]), np.signbit(expected[:2]))


@pytest.mark.parametrize("function", EXACT)
def test_not_a_number_stays(operators: Operators, isa: str, function: str) -> None:
    y = operators.apply(isa, function, np.full(19, np.nan, np.float32))
    assert np.isnan(y).all()


@pytest.mark.parametrize("function", EXACT)
@pytest.mark.parametrize("count", [1, 3, 4, 7, 9, 16, 19, 33, 65])
def test_tails(operators: Operators, isa: str, function: str, count: int) -> None:
    """Any length, up to the end of a page, gives the same as element by element."""
    x = guarded((count,))
    x[...] = np.linspace(0.1, 5.0, count)
    y = operators.apply(isa, function, x)
    one_by_one = [operators.apply(isa, function, x[i : i + 1])[0] for i in range(count)]
    np.testing.assert_array_equal(y, np.array(one_by_one))


def test_arguments(operators: Operators, isa: str) -> None:
    x = np.linspace(-9, 9, 1001, dtype=np.float32)
    d = x.astype(np.float64)
    expected = {
        "clamp": np.clip(d, -2.5, 1.5),
        "leaky": np.where(d > 0, d, -2.5 * d),
        "tanh": -2.5 * np.tanh(1.5 * d),
        "swish": d * _sigmoid(-2.5 * d),
        "hard_swish": -2.5 * d * np.clip(d + 3, 0, 6) / 6 + 1.5,
        "hard_sigmoid": np.clip(-2.5 * d + 1.5, 0, 1),
        "elu": np.where(d > 0, d, -2.5 * np.expm1(d)),
        "linear": -2.5 * d + 1.5,
    }
    for function, values in expected.items():
        y = operators.apply(isa, function, x, -2.5, 1.5)
        np.testing.assert_allclose(y, values, rtol=1e-6, atol=2e-6, err_msg=function)
