# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""NaN, infinities, zeros, the smallest and largest numbers through operators on floats.

Expected is the answer of LiteRT's plain kernels, except where ``BY_NUMPY`` says why not. The sign
of a zero is left open, and the smallest numbers may become zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.frontends.special_values import SPECIAL

Array = np.ndarray

_KEEP = {"keepDims": False}
_PLAIN = """
    ABS NEG SIGN CEIL FLOOR ROUND EXP LOG SQRT RSQRT SIN COS SQUARE ELU RELU RELU6 RELU_N1_TO_1
    RELU_0_TO_1 HARD_SWISH LOGISTIC TANH
"""
UNARY: dict[str, Sequence[Any]] = {
    **{name: [None] for name in _PLAIN.split()},
    "LEAKY_RELU": [("LeakyReluOptions", {"alpha": alpha}) for alpha in (0.0, 0.3, -2.0)],
    "GELU": [("GeluOptions", {"approximate": flag}) for flag in (False, True)],
}
_FUSED = (0, 1, 2, 3)
_PAIRS = "MAXIMUM MINIMUM SQUARED_DIFFERENCE POW FLOOR_DIV FLOOR_MOD"
BINARY: dict[str, Sequence[Any]] = {
    **{name: [None] for name in _PAIRS.split()},
    **{
        name.upper(): [(f"{name}Options", {"fusedActivationFunction": one}) for one in _FUSED]
        for name in ("Add", "Sub", "Mul", "Div")
    },
}
COMPARISONS = ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]


def _fused(function: Callable[..., Any], kind: int) -> Callable[..., Any]:
    """A function, and the activation behind it; NaN stays."""
    low, high = {0: (-np.inf, np.inf), 1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}[kind]
    return lambda *x: np.clip(function(*x), np.float32(low), np.float32(high))


def _hard_swish(x: Array) -> Array:
    return np.float32(np.float64(x) * np.clip(np.float64(x) + 3, 0, 6) / 6)


#: Where LiteRT is not followed, and the reason.
BY_NUMPY: dict[str, Callable[..., Any]] = {
    # Vectors of its library give 0 for the smallest number above 0; single elements give 1.
    "CEIL": np.ceil,
    # The product before the division overflows.
    "HARD_SWISH": lambda x: np.where(np.isneginf(x), np.float32(np.nan), _hard_swish(x)),
    # It answers the second operand where one is NaN, so that the order decides; NaN wins here.
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    # Without a fused activation it clips to finite numbers.
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    # It drops NaN where that is not the first element; NaN wins here, as in numpy.
    "REDUCE_MAX": np.max,
    "REDUCE_MIN": np.min,
    "ARG_MAX": np.argmax,
    "ARG_MIN": np.argmin,
}


@pytest.fixture(params=[False, True], ids=["", "folded"])
def folds(request: pytest.FixtureRequest) -> bool:
    """Whether all operands are constants of the model."""
    return bool(request.param)


@pytest.fixture
def walk(each_engine: Any, litert: Any, new_builder: Any, folds: bool) -> Callable[..., None]:
    """Run an operator here and elsewhere; operands in tuples are constants."""

    def check(
        name: str,
        operands: Sequence[Any],
        options: Any = None,
        dtype: Any = np.float32,
        *,
        wanted: Array | None = None,
        version: int = 1,
        atol: float = 1e-36,
    ) -> None:
        feeds = {
            f"x{index}": one for index, one in enumerate(operands) if not isinstance(one, tuple)
        }

        def model(is_known: bool) -> bytes:
            builder, places, inputs = new_builder(), [], []
            for index, one in enumerate(operands):
                array = one[0] if isinstance(one, tuple) else one
                if is_known or isinstance(one, tuple):
                    places.append(builder.constant(f"x{index}", array))
                else:
                    places.append(builder.tensor(f"x{index}", array.shape, array.dtype))
                    inputs.append(places[-1])
            y = builder.tensor("y", (), dtype)
            builder.op(name, places, [y], options, version=version)
            builder.ends(inputs, [y])
            return bytes(builder.data())

        if wanted is None:
            wanted = litert(model(is_known=False), feeds)["y"]
        found = each_engine(model(folds), {} if folds else feeds)["y"]
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=atol)

    return check


def by_numpy(name: str, *operands: Any, options: Any = None) -> Array | None:
    if name not in BY_NUMPY:
        return None
    kind = {} if options is None else options[1]
    function = _fused(BY_NUMPY[name], kind.get("fusedActivationFunction", 0))
    with np.errstate(all="ignore"):
        return np.asarray(function(*operands))


@pytest.mark.parametrize("length", [5, 133])
@pytest.mark.parametrize(
    ("name", "options"), [(name, one) for name, found in UNARY.items() for one in found]
)
def test_one_operand(walk: Any, name: str, options: Any, length: int) -> None:
    """Each number in each place of a vector."""
    x = np.resize(SPECIAL, length)
    walk(name, [x], options, wanted=by_numpy(name, x))


def pairs() -> tuple[Array, Array]:
    x, y = np.meshgrid(SPECIAL, SPECIAL)
    return x.reshape(-1).copy(), y.reshape(-1).copy()


@pytest.mark.parametrize(
    ("name", "options"), [(name, one) for name, found in BINARY.items() for one in found]
)
def test_two_operands(walk: Any, name: str, options: Any) -> None:
    x, y = pairs()
    if name == "FLOOR_DIV":  # LiteRT refuses to run
        x, y = x[y != 0], y[y != 0]
    version = 2 if name.startswith("FLOOR") else 1
    wanted = by_numpy(name, x, y, options=options)
    walk(name, [x, y], options, wanted=wanted, version=version)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(walk: Any, name: str) -> None:
    walk(name, [*pairs()], dtype=np.bool_)


@pytest.mark.parametrize("name", ["SELECT", "SELECT_V2"])
def test_selections_keep_every_bit(walk: Any, name: str) -> None:
    x, y = pairs()
    walk(name, [x > 0, x, y])


@pytest.mark.parametrize("known", [False, True])
def test_slopes(walk: Any, known: bool) -> None:
    x, y = pairs()
    slopes = y.reshape(1, -1)
    walk("PRELU", [x.reshape(1, 1, -1), (slopes,) if known else slopes])


def test_sums_of_three(walk: Any) -> None:
    x, y = pairs()
    with np.errstate(all="ignore"):
        wanted = x + y + x  # LiteRT clips to finite numbers
    walk("ADD_N", [x, y, x], wanted=wanted)


@pytest.mark.parametrize(
    "dtype", ["int32", "int64", "int16", "int8", "uint8", "uint32", "bool", "float16", "float64"]
)
def test_casts_saturate(walk: Any, dtype: str) -> None:
    """NaN is a number only by chance in LiteRT, and 0 here."""
    x = SPECIAL if dtype in ("bool", "float16", "float64") else SPECIAL[1:]
    walk("CAST", [x], ("CastOptions", {}), dtype)


# ---- Rows ----------------------------------------------------------------------------------------

#: Whose squares or sums do not fit float32 in each order of additions.
HUGE = 1e9


def rows(limit: float = np.inf) -> Array:
    """Each number in a row of 37, alone and beside another one."""
    others = np.float32([1, np.nan, np.inf, -np.inf])
    numbers = SPECIAL[~((np.abs(SPECIAL) > limit) & np.isfinite(SPECIAL))]
    x = np.tile(np.linspace(0.25, 1.25, 37, dtype=np.float32), (numbers.size * others.size, 1))
    x[:, 5], x[:, 33] = (a.reshape(-1) for a in np.meshgrid(numbers, others))
    return x


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["SUM", "MEAN", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"])
def test_reductions(walk: Any, name: str, axis: int) -> None:
    x = rows()
    if name == "REDUCE_PROD":  # the order of the factors decides about others
        x = rows(1e30)
        x = x[~np.any((x != 0) & (np.abs(x) < 1e-30), axis=1)]
    x = x if axis else np.ascontiguousarray(x.T)
    wanted = BY_NUMPY[name](x, axis) if name in BY_NUMPY else None
    walk(name, [x, (np.int32([axis]),)], ("ReducerOptions", _KEEP), wanted=wanted)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["ARG_MAX", "ARG_MIN"])
def test_places_of_extremes(walk: Any, name: str, axis: int) -> None:
    x = rows() if axis else np.ascontiguousarray(rows().T)
    options = (f"{name.title().replace('_', '')}Options", {"outputType": 2})
    wanted = BY_NUMPY[name](x, axis).astype(np.int32)
    walk(name, [x, (np.int32(axis),)], options, np.int32, wanted=wanted)


@pytest.mark.parametrize("beta", [1.0, 0.7])
def test_softmax(walk: Any, beta: float) -> None:
    walk("SOFTMAX", [rows()], ("SoftmaxOptions", {"beta": beta}))


def test_log_softmax(walk: Any) -> None:
    walk("LOG_SOFTMAX", [rows()], atol=1e-5)


def test_rows_of_length_1(walk: Any) -> None:
    walk("L2_NORMALIZATION", [rows(HUGE)], ("L2NormOptions", {}))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums(walk: Any, exclusive: bool, reverse: bool) -> None:
    options = {"exclusive": exclusive, "reverse": reverse}
    walk("CUMSUM", [rows(), (np.int32(1),)], ("CumsumOptions", options))


@pytest.mark.parametrize("kind", [0, 1, 3])
@pytest.mark.parametrize("name", ["MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D"])
def test_pools(walk: Any, name: str, kind: int) -> None:
    """Expected is numpy's answer: LiteRT clips to finite numbers, and drops NaN of extremes."""
    x = rows(HUGE)
    x = x[: len(x) // 12 * 12].reshape(1, 12, -1, 37)
    options = {"padding": 1, "strideH": 2, "strideW": 2, "filterHeight": 2, "filterWidth": 3}
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 3), (1, 2))[:, ::2, ::2]
    with np.errstate(all="ignore"):
        function = {
            "MAX_POOL_2D": lambda x: x.max((-2, -1)),
            "AVERAGE_POOL_2D": lambda x: x.mean((-2, -1), np.float64),
            "L2_POOL_2D": lambda x: np.sqrt(np.mean(np.float64(x) ** 2, (-2, -1))),
        }[name]
        wanted = np.float32(_fused(function, kind)(windows))
    options |= {"fusedActivationFunction": kind}
    walk(name, [x], ("Pool2DOptions", options), wanted=wanted, atol=1e-6)


# ---- Integers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int16])
@pytest.mark.parametrize("name", ["FLOOR_DIV", "FLOOR_MOD"])
def test_integers_divide_downwards(walk: Any, name: str, dtype: Any) -> None:
    """The lowest number by -1 has no quotient of its type."""
    if name == "FLOOR_DIV" and dtype is np.int64:
        pytest.skip("LiteRT has no kernel for it")
    ends = np.iinfo(dtype)
    some = np.array([ends.min, ends.min + 1, -7, -2, -1, 0, 1, 2, 3, ends.max - 1, ends.max], dtype)
    x, y = (a.reshape(-1) for a in np.meshgrid(some, some))
    fits = (y != 0) & ~((x == ends.min) & (y == -1))
    walk(name, [x[fits], y[fits]], dtype=dtype, version=2)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", *COMPARISONS])
def test_integers_at_their_ends(walk: Any, name: str, dtype: Any) -> None:
    ends = np.iinfo(dtype)
    some = np.array([ends.min, ends.min + 1, 0, 1, 2, ends.max // 2, ends.max - 1, ends.max], dtype)
    x, y = (a.reshape(-1).copy() for a in np.meshgrid(some, some))
    walk(name, [x, y], dtype=np.bool_ if name in COMPARISONS else dtype, version=2)
