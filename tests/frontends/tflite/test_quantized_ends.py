# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised operators at the ends of their types, and for each level of 8 bits.

Expected is the answer of LiteRT's plain kernels, except where ``BY_NUMPY`` and ``STEPS`` say why
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

Array = np.ndarray
I8, U8, I16 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int16)


@dataclass(frozen=True, slots=True)
class Q:
    """A quantised tensor, or the type of one."""

    levels: Array | np.dtype
    scale: float
    zero_point: int = 0
    is_known: bool = False

    @property
    def dtype(self) -> np.dtype:
        return self.levels if isinstance(self.levels, np.dtype) else self.levels.dtype

    @property
    def real(self) -> Array:
        return (np.float64(self.levels) - self.zero_point) * np.float64(np.float32(self.scale))

    def rounded(self, real: Array) -> Array:
        """The nearest levels."""
        ends = np.iinfo(self.dtype)
        steps = np.rint(real / np.float64(np.float32(self.scale))) + self.zero_point
        return np.clip(steps, ends.min, ends.max).astype(self.dtype)


#: Where LiteRT is not followed, and the reason: what computes the real numbers.
BY_NUMPY: dict[str, Callable[..., Any]] = {
    # It changes the sign of the stored numbers, whatever they stand for.
    "NEG": np.negative,
    # Its plain kernel adds in the type of the elements, which overflow; the others do not.
    "SUM": np.sum,
    # It rounds each partial product.
    "REDUCE_PROD": np.prod,
    # The product of a slope and an element overflows.
    "PRELU int16": lambda x, slope: np.where(x >= 0, x, x * slope),
    # It draws lines between 513 values of a curve, far from curves that are steep.
    "EXP int16": np.exp,
    # It compares numbers rounded to steps of 1/256, or of other sizes for scales above 1.
    **{
        name: getattr(np, name.lower())
        for name in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
    },
}
#: Where its fixed-point arithmetic leaves it a level beside the nearest one.
STEPS = {
    "HARD_SWISH int8": 1, "HARD_SWISH uint8": 1, "SQRT int8": 1, "REDUCE_PROD int8": 1,
    "REDUCE_PROD int16": 1, "SUM uint8": 1, "SUM int8": 1, "SUM int16": 1, "LOGISTIC int16": 1,
    "L2_NORMALIZATION uint8": 1, "TANH int16": 1, "SOFTMAX int16": 1, "PRELU int16": 1,
    "EXP int16": 1,
}  # fmt: skip


@pytest.fixture
def walk(each_engine: Any, litert: Any, new_builder: Any) -> Callable[..., None]:
    """Run an operator here and elsewhere; operands without a scale are plain arrays."""

    def check(
        name: str,
        operands: Sequence[Any],
        output: Any,
        options: Any = None,
        *,
        version: int = 2,
        wanted: Array | None = None,
    ) -> None:
        builder = new_builder()
        places, feeds = [], {}
        for index, one in enumerate(operands):
            if not isinstance(one, Q):
                places.append(builder.constant(f"c{index}", one))
            elif one.is_known:
                places.append(builder.constant(f"c{index}", one.levels, one.scale, one.zero_point))
            else:
                x = f"x{index}"
                feeds[x] = one.levels
                places.append(
                    builder.tensor(x, one.levels.shape, one.dtype, one.scale, one.zero_point)
                )
        is_q = isinstance(output, Q)
        quantised = (output.dtype, output.scale, output.zero_point) if is_q else (output,)
        y = builder.tensor("y", (), *quantised)
        builder.op(name, places, [y], options, version=version)
        builder.ends([places[int(key[1:])] for key in feeds], [y])
        data = builder.data()
        if wanted is None:
            wanted = litert(data, feeds)["y"]
        found = each_engine(data, feeds)["y"]
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        if found.dtype.kind == "f":
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
            return
        away = np.abs(np.int64(found) - np.int64(wanted))
        assert away.max() <= STEPS.get(f"{name} {operands[0].dtype}", 0)

    return check


def by_numpy(name: str, output: Any, *operands: Q, **others: Any) -> Array | None:
    function = BY_NUMPY.get(name) or BY_NUMPY.get(f"{name} {operands[0].dtype}")
    if function is None:
        return None
    with np.errstate(all="ignore"):
        found = function(*(one.real for one in operands), **others)
    return output.rounded(found) if isinstance(output, Q) else found


def every(dtype: np.dtype) -> Array:
    ends = np.iinfo(dtype)
    if dtype != I16:
        return np.arange(ends.min, ends.max + 1).astype(dtype)
    steps = np.arange(ends.min, ends.max + 1, 77)
    return np.unique([*steps, ends.min + 1, -1, 0, 1, ends.max - 1, ends.max]).astype(dtype)


def at_ends(dtype: np.dtype, zero_point: int) -> Array:
    ends = np.iinfo(dtype)
    some = [ends.min, ends.min + 1, ends.min // 2, -1, 0, 1, ends.max // 2, ends.max - 1, ends.max]
    around = [zero_point - 1, zero_point, zero_point + 1]
    return np.unique(np.clip([*some, *around], ends.min, ends.max)).astype(dtype)


#: Type, scale and zero point of an operand: each end, and between.
OPERANDS = [
    pytest.param(dtype, scale, zero, id=f"{dtype}-{scale:g}-{zero}")
    for dtype, scales, zeros in (
        (I8, (0.05, 3.0), (-128, 0, 127)),
        (U8, (0.05, 3.0), (0, 128, 255)),
        (I16, (2.0**-12, 0.01), (0,)),
    )
    for scale in scales
    for zero in zeros
]
each_operand = pytest.mark.parametrize(("dtype", "scale", "zero"), OPERANDS)


def each_of(names: Iterable[str], takes: Callable[[str, Any], bool]) -> pytest.MarkDecorator:
    """Parametrise by operator and operand, without types for which LiteRT has no kernel."""
    rows = [
        pytest.param(name, *operand.values, id=f"{name}-{operand.id}")
        for name in names
        for operand in OPERANDS
        if takes(name, operand.values[0])
    ]
    return pytest.mark.parametrize(("name", "dtype", "scale", "zero"), rows)


def lowest(dtype: np.dtype) -> int:
    return 0 if dtype == I16 else int(np.iinfo(dtype).min)


#: Types for which LiteRT has a kernel, and one that is near.
UNARY = {
    "RELU": (I8, U8, I16), "RELU6": (I8, U8, I16), "RELU_N1_TO_1": (I8, U8), "ELU": (I8,),
    "HARD_SWISH": (I8, U8), "ABS": (I8, I16), "NEG": (I8, I16), "EXP": (I8, I16), "LOG": (I8,),
    "LEAKY_RELU": (I8, U8, I16), "GELU": (I8, U8), "QUANTIZE": (I8, U8, I16),
}  # fmt: skip
OPTIONS = {
    "LEAKY_RELU": ("LeakyReluOptions", {"alpha": -1.5}),
    "GELU": ("GeluOptions", {"approximate": False}),
}


@each_of(UNARY, lambda name, dtype: dtype in UNARY[name])
def test_one_operand(walk: Any, name: str, dtype: Any, scale: float, zero: int) -> None:
    x, y = Q(every(dtype), scale, zero), Q(dtype, scale * 0.7, 0 if dtype == I16 else 11)
    version = (
        1
        if name in ("RELU_N1_TO_1", "GELU", "QUANTIZE", "HARD_SWISH", "ELU", "EXP", "LOG", "NEG")
        else 2
    )
    walk(name, [x], y, OPTIONS.get(name), version=version, wanted=by_numpy(name, y, x))


@pytest.mark.parametrize(
    ("dtype", "scale", "zero"),
    [one for one in OPERANDS if one.values[0] == I8 and one.values[2] < 127],
)
@pytest.mark.parametrize("name", ["SQRT", "RSQRT"])
def test_roots_of_what_is_not_negative(
    walk: Any, name: str, dtype: Any, scale: float, zero: int
) -> None:
    """LiteRT refuses negative numbers; its other types have no kernel, or none that is near."""
    levels = every(dtype)
    levels = levels[levels > zero]
    walk(name, [Q(levels, scale, zero)], Q(dtype, scale * 0.7, lowest(dtype)))


@each_of(
    ["LOGISTIC", "TANH", "SOFTMAX", "LOG_SOFTMAX"],
    lambda name, dtype: (name, dtype) != ("LOG_SOFTMAX", I16),
)
def test_curves_of_stated_scales(walk: Any, name: str, dtype: Any, scale: float, zero: int) -> None:
    ends = np.iinfo(dtype)
    middle = (int(ends.min) + int(ends.max) + 1) // 2
    output = {
        "LOGISTIC": (1 / 256, lowest(dtype)), "SOFTMAX": (1 / 256, lowest(dtype)),
        "TANH": (1 / 128, middle), "LOG_SOFTMAX": (1 / 16, int(ends.max)),
    }[name]  # fmt: skip
    if dtype == I16:
        output = (2.0**-15, 0)
    levels = every(dtype)
    if "SOFTMAX" in name:
        levels = levels[: len(levels) // 8 * 8].reshape(-1, 8)
    options = ("SoftmaxOptions", {"beta": 1.0}) if name == "SOFTMAX" else None
    walk(name, [Q(levels, scale, zero)], Q(dtype, *output), options)


@each_operand
def test_dequantize(walk: Any, dtype: Any, scale: float, zero: int) -> None:
    walk("DEQUANTIZE", [Q(every(dtype), scale, zero)], np.float32)


def pairs(dtype: np.dtype, zero: int) -> tuple[Array, Array]:
    some = at_ends(dtype, zero)
    x, y = np.meshgrid(some, some)
    return x.reshape(-1).copy(), y.reshape(-1).copy()


@each_operand
@pytest.mark.parametrize("fused", [0, 1])
@pytest.mark.parametrize("name", ["Add", "Sub", "Mul"])
def test_arithmetic(walk: Any, name: str, fused: int, dtype: Any, scale: float, zero: int) -> None:
    x, y = pairs(dtype, zero)
    other = 0 if dtype == I16 else (int(np.iinfo(dtype).min) + int(np.iinfo(dtype).max) + 1) // 2
    operands = [Q(x, scale, zero), Q(y, scale * 1.3, other)]
    options = (f"{name}Options", {"fusedActivationFunction": fused})
    walk(name.upper(), operands, Q(dtype, scale * 2, lowest(dtype)), options)


@each_operand
@pytest.mark.parametrize("name", ["MAXIMUM", "MINIMUM", "EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL",
                                  "GREATER", "GREATER_EQUAL"])  # fmt: skip
def test_order(walk: Any, name: str, dtype: Any, scale: float, zero: int) -> None:
    x, y = (Q(one, scale, zero) for one in pairs(dtype, zero))
    output = x if name.startswith("M") else np.bool_
    walk(name, [x, y], output, wanted=by_numpy(name, output, x, y))


@each_operand
def test_slopes(walk: Any, dtype: Any, scale: float, zero: int) -> None:
    x, y = pairs(dtype, zero)
    x = Q(x.reshape(1, 1, -1), scale, zero)
    slopes = Q(y.reshape(1, -1), 0.01, 0 if dtype != U8 else 128, is_known=True)
    output = Q(dtype, scale * 0.7, lowest(dtype))
    walk("PRELU", [x, slopes], output, version=1, wanted=by_numpy("PRELU", output, x, slopes))


@each_of(
    ["SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"],
    lambda name, dtype: (name, dtype) != ("REDUCE_PROD", U8),
)
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions(walk: Any, name: str, axis: int, dtype: Any, scale: float, zero: int) -> None:
    levels, _ = pairs(dtype, zero)
    x = Q(levels[: len(levels) // 4 * 4].reshape(4, -1), scale, zero)
    output = Q(dtype, scale, zero) if "_M" in name else Q(dtype, scale * 3, lowest(dtype))
    wanted = by_numpy(name, output, x, axis=axis)
    walk(
        name, [x, np.int32([axis])], output, ("ReducerOptions", {"keepDims": False}), wanted=wanted
    )


@each_operand
@pytest.mark.parametrize("fused", [0, 1, 3])
@pytest.mark.parametrize("name", ["MAX_POOL_2D", "AVERAGE_POOL_2D"])
def test_pools(walk: Any, name: str, fused: int, dtype: Any, scale: float, zero: int) -> None:
    x = Q(np.resize(pairs(dtype, zero)[0], (1, 8, 8, 3)), scale, zero)
    options = {"padding": 0, "strideH": 2, "strideW": 2, "filterHeight": 3, "filterWidth": 3}
    walk(name, [x], x, ("Pool2DOptions", {**options, "fusedActivationFunction": fused}))


@each_of(["ARG_MAX", "ARG_MIN", "L2_NORMALIZATION"], lambda _, dtype: dtype != I16)
def test_rows(walk: Any, name: str, dtype: Any, scale: float, zero: int) -> None:
    x = Q(pairs(dtype, zero)[0].reshape(len(at_ends(dtype, zero)), -1), scale, zero)
    if name == "L2_NORMALIZATION":
        walk(name, [x], Q(dtype, 1 / 128, lowest(dtype) + 128), ("L2NormOptions", {}))
        return
    options = (f"{name.title().replace('_', '')}Options", {"outputType": 2})
    walk(name, [x, np.int32(1)], np.int32, options)
