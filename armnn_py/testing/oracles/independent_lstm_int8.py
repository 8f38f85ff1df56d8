# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""8-bit LSTMs by the integers of their definition (TensorFlow Lite's), in numpy.

Fixed-point numbers are int64 arrays here; ``whole`` is their number of integer bits, of 16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

Array = Any
_ONE, _LEAST = 32767, -32768


def is_in_integers(s: LayerSignature) -> bool:
    """Say whether a cell is defined in integers: its biases have 32 bits, its input has 8."""
    bias = s.inputs[15]
    return bias is not None and not bias.data_type.is_quantized and not bias.data_type.is_float


# ---- Numbers ---------------------------------------------------------------------------------


def _narrow(x: Array) -> Array:
    return np.clip(x, _LEAST, _ONE)


def _shifted(x: Array, count: int) -> Array:
    """Divide by a power of two; halves go away from zero."""
    return np.sign(x) * ((np.abs(x) + (1 << count >> 1)) >> count)


def _high(a: Array, b: Array, bits: int) -> Array:
    """Return twice the upper half of a product of two numbers of ``bits`` bits, rounded."""
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    half, unit = 1 << (bits - 2), 1 << (bits - 1)
    return np.where(product >= 0, (product + half) // unit, -((half - 1 - product) // unit))


def _scaled(x: Array, real: float, more: int = 0) -> Array:
    """Multiply with a factor of 31 bits, rounding twice; ``more``: bits to the left."""
    fraction, exponent = math.frexp(real)
    return _multiplied(x, math.floor(fraction * 2**31 + 0.5), exponent + more)


def _multiplied(x: Array, multiplier: int, shift: int) -> Array:
    wide = np.clip(np.asarray(x, np.int64) << max(shift, 0), -(2**31), 2**31 - 1)
    return _shifted(_high(wide, multiplier, 32), max(-shift, 0))


# ---- Functions -------------------------------------------------------------------------------


def _exponential(x: Array, whole: int) -> Array:
    """Return e^x of numbers up to 0: a polynomial between -1/4 and 0, and a factor for each bit."""

    def times(a: Array, b: Array) -> Array:
        return _high(a, b, 16)

    fraction = 15 - whole
    quarter = 1 << (fraction - 2)
    base = x % quarter - quarter
    y = (base << whole) + 4096  # from -1/8
    y2 = times(y, y)
    sums = times(_shifted(times(y2, y2), 2) + times(y2, y), round(2**15 / 3)) + y2
    start = round(math.exp(-1 / 8) * 2**15)
    result = _narrow(start + times(start, y + _shifted(sums, 1)))
    for bit in range(-2, min(5, whole)):
        is_set = ((base - x) >> (fraction + bit)) & 1
        factor = round(math.exp(-(2.0**bit)) * 2**15)
        result = np.where(is_set == 1, times(result, factor), result)
    if whole > 5:
        result = np.where(x < -(32 << fraction), 0, result)
    return np.where(x == 0, _ONE, result)


def _twice_over_one_plus(x: Array) -> Array:
    """Return 2 / (1 + x) with two integer bits: three steps of Newton's method."""
    half = (x + _ONE + 1) // 2
    found = round(48 / 17 * 2**13) + _high(half, round(-32 / 17 * 2**13), 16)
    for _ in range(3):
        rest = 8192 - _high(half, found, 16)
        found = found + _narrow(4 * _high(found, rest, 16))
    return found


def _sigmoid(x: Array, whole: int) -> Array:
    positive = _narrow(2 * _twice_over_one_plus(_exponential(-np.abs(x), whole)))
    found = np.where(x > 0, positive, _ONE - positive)
    return np.where(x == 0, 16384, found)


def _tanh(x: Array, whole: int) -> Array:
    size = _narrow(4 * (_twice_over_one_plus(_exponential(-np.abs(x), whole + 1)) - 8192))
    return np.sign(x) * size


def _inverse_root(value: int) -> tuple[int, int]:
    """Return 1 / sqrt(value) as a factor: five steps of Newton's method from 1."""
    if value <= 1:
        return 2**31 - 1, 0
    right = 11
    while value >= 2**29:
        value, right = value // 4, right + 1
    while value < 2**27:
        value, right = value * 4, right - 1
    half = _shifted(np.int64(value >> 1), 1)
    x = np.int64(2**28)
    limit = 2**31 - 1
    for _ in range(5):
        cube = np.clip(_high(_high(x, x, 32), x, 32) * 64, -limit - 1, limit)
        x = np.clip((_high(3 * 2**27, x, 32) - _high(half, cube, 32)) * 8, -limit - 1, limit)
    found = int(_high(x, round(2**31 / math.sqrt(2)), 32))
    return (found << -right, 0) if right < 0 else (found, -right)


# ---- The cell --------------------------------------------------------------------------------


class _Cell:
    """Operands in levels (q - zero point), by name, and their scales."""

    def __init__(self, s: LayerSignature, v: Sequence[Any]) -> None:
        d: Any = s.descriptor
        self.d = d
        self.levels: dict[str, Array] = {}
        self.scales: dict[str, np.float32] = {}
        self.zeros: dict[str, int] = {}
        for name, info, value in zip(FACTS[s.type].operands, s.inputs, v, strict=False):
            if info is None:
                continue
            scale = np.float32(1)
            if info.quantization is not None and info.data_type.is_quantized:
                scale = np.float32(info.quantization.scales[0])
                self.zeros[name.rstrip("?")] = info.quantization.zero_points[0]
            self.scales[name.rstrip("?")] = scale
            self.levels[name.rstrip("?")] = np.rint(value / float(scale)).astype(np.int64)
        is_step = s.type is LayerType.QLSTM
        self.cell_clip = d.cell_clip if is_step else d.clipping_threshold_cell
        self.output_clip = d.projection_clip if is_step else d.clipping_threshold_projection
        self.exponent = math.frexp(self.scales["cell_state"])[1] - 1
        self.hidden_scale = np.float32(d.hidden_state_scale)
        self.hidden_zero = d.hidden_state_zero_point
        if not self.hidden_scale > 0:
            self.hidden_scale = self.scales["output_state"]
            self.hidden_zero = self.zeros["output_state"]

    def gate(self, name: str, x: Array, h: Array, c: Array | None) -> Array:
        """Return what enters the function of a gate."""
        get, norm = self.levels.get, self.levels.get(f"{name}_layer_norm_weights")
        bias = self.levels["cell_bias" if name == "cell" else f"{name}_gate_bias"]
        target = np.float32(2**-12)
        if norm is not None:
            target = np.float32(getattr(self.d, f"{name}_intermediate_scale"))
        found: Array = 0
        for source, own, factor in (("input", x, "input"), ("recurrent", h, "output_state")):
            weights = f"{source}_to_{name}_weights"
            total = own @ self.levels[weights].T
            if source == "input" and norm is None:
                total = total + bias
            scale = self.scales[weights] * self.scales[factor] / target
            found = _narrow(found + _scaled(total, float(scale)))
        peephole = get(f"cell_to_{name}_weights")
        if peephole is not None and c is not None:
            scale = self.scales["cell_state"] * self.scales[f"cell_to_{name}_weights"] / target
            found = _narrow(found + _scaled(peephole * c, float(scale)))
        if norm is not None:
            scale = self.scales[f"{name}_layer_norm_weights"]
            found = np.stack([self._normalised(row, norm, bias, scale) for row in found])
        return found

    @staticmethod
    def _normalised(row: Array, weights: Array, bias: Array, scale: np.float32) -> Array:
        count = len(row)
        total = int(row.sum()) * 1024
        mean = total // count if total >= 0 else -(-total // count)
        spread = int((row * row).sum()) * (2**20 // count) - mean * mean
        variance = spread // 2**20 if spread >= 2**20 else 0
        if variance < 1:
            variance = max(1, int(np.float32(10000) * scale))
        scaled = _multiplied(1024 * row - mean, *_inverse_root(variance))
        value = scaled * weights + bias
        rounded = np.sign(value) * ((np.abs(value) + 512) // 1024)
        return _narrow(_scaled(rounded, float(scale), 12))

    def step(self, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        """Return the new output state and cell state, in levels."""
        forget = _sigmoid(self.gate("forget", x, h, c), 3)
        chosen = _ONE - forget
        if not self.d.cifg_enabled:
            chosen = _sigmoid(self.gate("input", x, h, c), 3)
        new = _shifted(chosen * _tanh(self.gate("cell", x, h, None), 3), 30 + self.exponent)
        c = self._clipped(
            _narrow(_shifted(forget * c, 15) + new), self.cell_clip, "cell_state", _ONE
        )
        shown = _sigmoid(self.gate("output", x, h, c), 3) * _tanh(c, 15 + self.exponent)
        factor = np.float32(2**-15) / self.hidden_scale * np.float32(2**-15)
        h = np.clip(_scaled(shown, float(factor)) + self.hidden_zero, -128, 127)
        if not self.d.projection_enabled:
            return h - self.zeros["output_state"], c
        total = (h - self.hidden_zero) @ self.levels["projection_weights"].T
        total = total + self.levels.get("projection_bias", 0)
        factor = self.scales["projection_weights"] * self.hidden_scale / self.scales["output_state"]
        h = np.clip(_scaled(total, float(factor)) + self.zeros["output_state"], -128, 127)
        h = self._clipped(h, self.output_clip, "output_state", 127)
        return h - self.zeros["output_state"], c

    def _clipped(self, x: Array, bound: float, name: str, most: int) -> Array:
        """Clip the integers that are stored, whatever their zero point."""
        if not bound > 0:
            return x
        limit = min(most, int(np.float32(bound) / self.scales[name]))
        return np.clip(x, -limit, limit) if limit else x


def lstm_in_integers(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """Return output state, cell state and output of one step or a sequence, as real numbers."""
    cell = _Cell(s, v)
    x, h, c = (cell.levels[name] for name in ("input", "output_state", "cell_state"))
    is_step = s.type is LayerType.QLSTM
    time_first = is_step or cell.d.time_major
    steps = x[np.newaxis] if is_step else x if time_first else x.swapaxes(0, 1)
    found = np.zeros((*steps.shape[:2], h.shape[1]), np.int64)
    for index, one in enumerate(steps):
        h, c = cell.step(one, h, c)
        found[index] = h
    y = found[0] if is_step else found if time_first else found.swapaxes(0, 1)
    scale = float(cell.scales["output_state"])
    return [h * scale, c * float(cell.scales["cell_state"]), y * scale]


def quantized_lstm(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """Return cell state and output state of a QuantizedLstm, as real numbers."""
    names = FACTS[s.type].operands
    infos = dict(zip(names, s.inputs, strict=True))
    scales = {
        name: float(np.float32(info.quantization.scales[0]))
        for name, info in infos.items()
        if info is not None and info.quantization is not None
    }
    levels = {
        name: np.rint(value / scales.get(name, 1.0)).astype(np.int64)
        for name, value in zip(names, v, strict=True)
    }
    factor = 4096.0 * float(np.float32(scales["input"]) * np.float32(scales[names[3]]))

    def gate(name: str) -> Array:
        total = levels["input"] @ levels[f"input_to_{name}_weights"].T
        total = total + levels["output_state"] @ levels[f"recurrent_to_{name}_weights"].T
        total = total + levels["cell_bias" if name == "cell" else f"{name}_gate_bias"]
        return _narrow(_scaled(total, factor))

    added = _high(_sigmoid(gate("input"), 3), _tanh(gate("cell"), 3), 16)
    kept = _high(_sigmoid(gate("forget"), 3), levels["cell_state"], 16)
    state = _narrow(kept + _shifted(added, 4))
    shown = _high(_sigmoid(gate("output"), 3), _tanh(_narrow(2 * state), 3), 16)
    output = np.clip(_shifted(shown, 8), -128, 127)
    return [state * scales["cell_state"], output * scales["output_state"]]
