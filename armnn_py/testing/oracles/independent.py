# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers by their definition in numpy, in float64 where they are real: no line of any backend."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.tensors import TensorInfo
from armnn_py.testing.oracles.independent_activations import ACTIVATIONS, erf
from armnn_py.testing.oracles.independent_images import MOVED_IMAGES, WINDOWS
from armnn_py.testing.oracles.independent_orders import DETECTIONS, MOVED_ORDERS, ORDERS
from armnn_py.testing.oracles.independent_quantized import LEVELS, along, cut_off, decoded, encoded
from armnn_py.testing.oracles.independent_recurrent import ATTENTIONS, RECURRENT
from armnn_py.types import (
    BinaryOperation as B,
)
from armnn_py.types import (
    ComparisonOperation as C,
)
from armnn_py.types import (
    DataType,
    LogicalBinaryOperation,
    RandomDistribution,
)
from armnn_py.types import (
    LayerType as L,
)
from armnn_py.types import (
    ReduceOperation as R,
)
from armnn_py.types import (
    UnaryOperation as U,
)
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.questions.layer_support import LayerSignature

Array = Any


def _shifted(shift: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    """Shift bits: zeros come in, and numbers of bits that the type has not give 0."""
    bits = np.dtype(f"u{x.dtype.itemsize}")
    inside = (y >= 0) & (y < 8 * x.dtype.itemsize)
    moved = shift(x.view(bits), np.where(inside, y, 0).astype(bits))
    return np.where(inside, moved, 0).astype(bits).view(x.dtype)


def _divided(x: Array, y: Array) -> Array:
    """Divide; integers towards zero, and by zero to 0."""
    if x.dtype.kind == "f":
        return np.divide(x, y)
    divisor = np.where(y == 0, 1, y)
    down = x // divisor
    is_below = (down * divisor != x) & ((x < 0) != (divisor < 0))
    return np.where(y == 0, 0, down + is_below.astype(x.dtype))


def _power(x: Array, y: Array) -> Array:
    """Raise to a power; of integers to negative ones only those of 1 and -1 are not 0."""
    if x.dtype.kind == "f":
        return np.power(x, y)
    sign = np.where(y % 2 == 0, 1, -1)
    of_ones = np.where(x == 1, 1, np.where(x == -1, sign, 0)).astype(x.dtype)
    return np.where(y < 0, of_ones, np.power(x, np.maximum(y, 0)))


_UNARY: dict[U, Callable[[Array], Array]] = {
    U.ABS: np.abs, U.EXP: np.exp, U.SQRT: np.sqrt, U.RSQRT: lambda x: 1 / np.sqrt(x),
    U.NEG: np.negative, U.LOGICAL_NOT: np.logical_not, U.LOG: np.log, U.SIN: np.sin,
    U.CEIL: np.ceil, U.FLOOR: np.floor, U.ERF: erf, U.ROUND: np.rint,
    U.COS: np.cos, U.TAN: np.tan, U.ASIN: np.arcsin, U.ACOS: np.arccos, U.ATAN: np.arctan,
    U.SINH: np.sinh, U.COSH: np.cosh, U.ASINH: np.arcsinh, U.ACOSH: np.arccosh,
    U.ATANH: np.arctanh, U.BITWISE_NOT: np.bitwise_not,
}  # fmt: skip
_OF_INTEGERS = (U.ABS, U.NEG, U.BITWISE_NOT)
_BINARY: dict[B, Callable[[Array, Array], Array]] = {
    B.ADD: np.add, B.DIV: _divided, B.MAXIMUM: np.maximum, B.MINIMUM: np.minimum,
    B.MUL: np.multiply, B.SUB: np.subtract, B.SQ_DIFF: lambda x, y: (x - y) * (x - y),
    B.POWER: _power, B.MOD: np.mod, B.FMOD: np.fmod, B.BITWISE_AND: np.bitwise_and,
    B.BITWISE_OR: np.bitwise_or, B.BITWISE_XOR: np.bitwise_xor,
    B.SHIFT_LEFT: lambda x, y: _shifted(np.left_shift, x, y),
    B.SHIFT_RIGHT: lambda x, y: _shifted(np.right_shift, x, y),
}  # fmt: skip
_COMPARISONS: dict[C, Callable[[Array, Array], Array]] = {
    C.EQUAL: np.equal, C.GREATER: np.greater, C.GREATER_OR_EQUAL: np.greater_equal,
    C.LESS: np.less, C.LESS_OR_EQUAL: np.less_equal, C.NOT_EQUAL: np.not_equal,
}  # fmt: skip
_REDUCTIONS: dict[R, Callable[..., Array]] = {
    R.SUM: np.sum, R.MAX: np.max, R.MIN: np.min, R.PROD: np.prod,
}  # fmt: skip


def by_definition(
    signature: LayerSignature, values: Sequence[NDArray[Any] | None]
) -> list[NDArray[Any]] | None:
    """Return the outputs of a layer, or None if it is not written down here.

    Parameters
    ----------
    signature
        The layer. Quantised arithmetic is real arithmetic that is rounded once; of bfloat16 only
        what moves elements is defined here.
    values
        The operands.

    Returns
    -------
    list of array
        Real outputs in float64, quantised ones in steps.
    """
    kind = signature.type
    moved = MOVES.get(kind)
    if moved is not None:
        with np.errstate(all="ignore"):
            return [np.asarray(array) for array in moved(signature, values)]
    if kind is L.CAST:
        return _cast(signature, values)
    infos = [info for info in (*signature.inputs, *signature.outputs) if info is not None]
    if any(info.data_type is DataType.BFLOAT16 for info in infos):
        return None
    rule = _COMPUTED.get(kind)
    if rule is None and (infos[0].data_type.is_float or infos[0].data_type.is_quantized):
        rule = WINDOWS.get(kind)
    if rule is None:
        return None
    with np.errstate(all="ignore"):
        found = rule(signature, decoded(signature, values))
        if found is None:
            return None
        pairs = zip(signature.outputs, found, strict=True)
        return [encoded(info, np.asarray(array)) for info, array in pairs]


def steps_by_definition(
    signature: LayerSignature, values: Sequence[NDArray[Any] | None]
) -> list[NDArray[Any]] | None:
    """Return real numbers in steps of each output; None unless all are quantised and computed.

    A correct output is the nearest integer.
    """
    outputs = signature.outputs
    if FACTS[signature.type].quantization != "calculates" or not all(
        info.data_type.is_quantized for info in outputs
    ):
        return None
    real = tuple(TensorInfo(info.shape) for info in outputs)
    found = by_definition(signature._replace(outputs=real), values)
    if found is None:
        return None
    return [
        array / info.quantization.scale + info.quantization.zero_point
        for info, array in zip(outputs, found, strict=True)
        if info.quantization is not None
    ]


def unsure_elements(
    signature: LayerSignature, values: Sequence[NDArray[Any] | None], real: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Say which elements of a quantised elementwise layer decide nothing.

    There a small error of an operand moves the result by more than half a step: at a jump of MOD,
    where a curve is steep. The error is two roundings of float32; for a squared difference, which
    backends compute with 7 bits below the step, 1/256 of a step.

    Parameters
    ----------
    signature, values
        As in `by_definition`.
    real
        The output's real numbers in steps, from `steps_by_definition`.

    Returns
    -------
    array of bool or None
        One for each element of the output; None for other layers.
    """
    if signature.type not in (L.ELEMENTWISE_BINARY, L.ELEMENTWISE_UNARY):
        return None
    limits = np.iinfo(signature.outputs[0].dtype)  # beyond them everything saturates
    exact, unsure = np.clip(real, limits.min, limits.max), np.zeros(real.shape, np.bool_)
    for index, (info, value) in enumerate(zip(signature.inputs, values, strict=True)):
        if info is None or value is None or not info.data_type.is_quantized:
            continue
        levels = value.astype(np.float64)
        error = np.abs(levels - along(info)[1]) * 2.0**-22
        if signature.descriptor.operation is B.SQ_DIFF:  # type: ignore[union-attr]
            error += 1 / 256
        for move in (-error, error):
            moved = list(values)
            moved[index] = levels + move
            found = steps_by_definition(signature, moved)
            if found is not None:
                unsure |= np.abs(np.clip(found[0], limits.min, limits.max) - exact) > 0.5
    return unsure


def _binary(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    return [_BINARY[s.descriptor.operation](v[0], v[1])]  # type: ignore[union-attr]


def _activation(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    d: Any = s.descriptor
    return None if v[0].dtype.kind != "f" else [ACTIVATIONS[d.function](v[0], d.a, d.b)]


def _unary(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    d: Any = s.descriptor
    if v[0].dtype.kind not in "iu" or d.operation in _OF_INTEGERS:
        return [_UNARY[d.operation](v[0])]
    if d.operation in (U.CEIL, U.FLOOR, U.ROUND):
        return [v[0]]
    # Of 64 bits there are more integers than real numbers to compute them with.
    real = _UNARY[d.operation](v[0].astype(np.float64))
    return None if v[0].dtype.itemsize > 4 else [cut_off(real, v[0].dtype)]


def _select(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    return [np.where(v[0].astype(bool), v[1], v[2])]


def _log_softmax(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = d.beta * v[0]
    if x.ndim == 0 or x.size == 0:
        return [x * 0]
    x = x - x.max(axis=d.axis, keepdims=True)
    return [x - np.log(np.exp(x).sum(axis=d.axis, keepdims=True))]


def _softmax(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    return [np.exp(_log_softmax(s, v)[0])]


def _reduce(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    d: Any = s.descriptor
    axes, dtype = tuple(d.axes) or tuple(range(v[0].ndim)), v[0].dtype
    if d.operation is not R.MEAN:
        found = _REDUCTIONS[d.operation](v[0], axis=axes, keepdims=d.keep_dims)
        return [np.asarray(found).astype(dtype)]  # sums of integers wrap around
    count = math.prod(v[0].shape[axis] for axis in axes)
    if not count and s.outputs[0].data_type.is_quantized:
        return None
    wide = {"i": np.int64, "u": np.uint64}.get(dtype.kind)
    total = np.sum(v[0], axis=axes, keepdims=d.keep_dims, dtype=wide)
    return [_divided(total, np.array(count, total.dtype)).astype(dtype)]


def _arg_min_max(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    d: Any = s.descriptor
    if v[0].ndim == 0 or v[0].shape[d.axis] == 0 or v[0].size == 0:
        return None
    found = np.argmax(v[0], d.axis) if d.function else np.argmin(v[0], d.axis)
    return [found.reshape(s.outputs[0].static_shape)]


def _layer_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    axes = tuple(range(d.axis % v[0].ndim, v[0].ndim))
    if not v[0].size:
        return [v[0]]
    mean = v[0].mean(axis=axes, keepdims=True)
    variance = ((v[0] - mean) ** 2).mean(axis=axes, keepdims=True)
    y = (v[0] - mean) / np.sqrt(variance + d.eps)
    if len(v) > 1 and v[1] is not None:
        y = y * v[1]
    return [y + v[2] if len(v) > 2 and v[2] is not None else y]


def _rms_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    axes = tuple(range(d.axis % v[0].ndim, v[0].ndim))
    if not v[0].size:
        return [v[0]]
    return [v[0] / np.sqrt((v[0] ** 2).mean(axis=axes, keepdims=True) + d.eps) * v[1]]


def _fully_connected(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    d: Any = s.descriptor
    weights = v[1].T if d.transpose_weight_matrix else v[1]
    if weights.ndim != 2:
        return None
    y = v[0].reshape(-1, weights.shape[0]) @ weights
    if len(v) > 2 and v[2] is not None:
        y = y + v[2].reshape(-1)
    return [y.reshape(s.outputs[0].static_shape)]


def _batch_mat_mul(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = v[0].swapaxes(-1, -2) if d.transpose_x or d.adjoint_x else v[0]
    y = v[1].swapaxes(-1, -2) if d.transpose_y or d.adjoint_y else v[1]
    return [np.matmul(x, y)]


def _logical(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    both = np.logical_and if d.operation is LogicalBinaryOperation.AND else np.logical_or
    return [both(v[0], v[1])]


def _comparison(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    return [_COMPARISONS[d.operation](v[0], v[1])]


def _fake_quantization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """256 steps between bounds that move so that 0 is one of them (TensorFlow's definition)."""
    d: Any = s.descriptor
    step = (d.max - d.min) / 255
    place = np.clip(np.floor(-d.min / step + 0.5), 0, 255)
    least = -place * step
    inside = np.clip(v[0], least, (255 - place) * step)
    return [np.floor((inside - least) / step + 0.5) * step + least]


def _fill(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    info = s.outputs[0]
    filled = np.full(info.static_shape, float(np.float32(d.value)))
    return [filled if info.data_type.is_quantized else filled.astype(info.dtype)]


_WORD = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(counter: Sequence[Array], key: Sequence[int]) -> list[Array]:
    """Return four words of 32 bits for four words of counters and two of a key, as uint64."""
    c0, c1, c2, c3 = (np.asarray(word, np.uint64) for word in counter)
    low, high = key
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (
            (second >> _HALF) ^ c1 ^ np.uint64(low),
            second & _WORD,
            (first >> _HALF) ^ c3 ^ np.uint64(high),
            first & _WORD,
        )
        low, high = (low + 0x9E3779B9) % 2**32, (high + 0xBB67AE85) % 2**32
    return [c0, c1, c2, c3]


def _random(s: Any, v: Sequence[Any]) -> list[Array]:
    d = s.descriptor
    seed, run = (int(value) % 2**64 for value in v[1])
    count = v[0].size
    blocks = np.arange(-(-count // 4), dtype=np.uint64)
    zeros = np.zeros_like(blocks)
    counter = [blocks, *(zeros + np.uint64(w) for w in (d.stream, run % 2**32, run >> 32))]
    words = np.stack(philox(counter, (seed % 2**32, seed >> 32)), 1)
    if d.distribution is RandomDistribution.UNIFORM:
        numbers = (words >> np.uint64(8)) / 2.0**24
    else:
        size = np.sqrt(-2 * np.log((words[:, ::2] + 1.0) / 2.0**32))
        angle = words[:, 1::2] * (2 * np.pi / 2.0**32)
        numbers = np.stack([size * np.cos(angle), size * np.sin(angle)], 2)
    return [numbers.reshape(-1)[:count].reshape(v[0].shape).astype(np.float32)]


_Rule = Callable[["LayerSignature", "Sequence[Any]"], "list[Array] | None"]
_COMPUTED: dict[L, _Rule] = {
    **ATTENTIONS,
    **DETECTIONS,
    **ORDERS,
    **RECURRENT,
    L.ACTIVATION: _activation,
    L.ARG_MIN_MAX: _arg_min_max,
    L.BATCH_MAT_MUL: _batch_mat_mul,
    L.COMPARISON: _comparison,
    L.ELEMENTWISE_BINARY: _binary,
    L.ELEMENTWISE_UNARY: _unary,
    L.FILL: _fill,
    L.FULLY_CONNECTED: _fully_connected,
    L.LAYER_NORMALIZATION: _layer_normalization,
    L.LOGICAL_BINARY: _logical,
    L.LOG_SOFTMAX: _log_softmax,
    L.PRELU: lambda s, v: [np.where(v[0] > 0, v[0], v[0] * v[1])],
    L.REDUCE: _reduce,
    L.RMS_NORMALIZATION: _rms_normalization,
    L.FAKE_QUANTIZATION: _fake_quantization,
    L.SOFTMAX: _softmax,
    L.DEQUANTIZE: lambda s, v: [v[0]],
    L.QUANTIZE: lambda s, v: [v[0]],
}


def _cast(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    """Quantised types count as the integers that they store."""
    if DataType.BFLOAT16 in (s.inputs[0].data_type, s.outputs[0].data_type):  # type: ignore[union-attr]
        return None
    x, dtype = v[0], s.outputs[0].dtype
    if x.dtype.kind != "f" or dtype.kind not in "iu":
        with np.errstate(over="ignore"):  # too great for a narrower float is infinite
            return [x != 0 if dtype.kind == "b" else x.astype(dtype)]
    return [cut_off(x, dtype)]


MOVES: dict[L, Callable[[Any, Any], list[Array]]] = {
    **LEVELS,
    **MOVED_IMAGES,
    **MOVED_ORDERS,
    L.RANDOM: _random,
    L.SELECT: _select,
}

DEFINED = frozenset((L.CAST, *MOVES, *_COMPUTED, *WINDOWS))
"""Layers that are written down, in some data types at least."""
