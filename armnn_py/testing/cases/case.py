# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One case: a layer as a backend gets it, and the values that go in."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct, field

from armnn_py.types import DataType, LayerType, ReduceOperation
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.backends.questions.layer_support import LayerSignature
    from armnn_py.tensors import TensorInfo

Kind = Literal[
    "plain", "other", "special", "flushed", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"
]
"""Values to compute with: ordinary ones, others of that kind, those that kernels get wrong, and
these without denormals."""

DRAWS: tuple[Kind, ...] = ("plain", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
"""Ordinary values, for statistics of results."""

_SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, -1e-40, 1e15)
_POSITIVE = ("variance", "alpha")
#: Where no layer of a network has anything odd; an infinite weight beside padding is not defined.
_ORDINARY = ("weights", "bias")


class Case(Struct, frozen=True):
    """A layer to try.

    Attributes
    ----------
    name
        What tells it from others: ``ElementwiseBinary/float32/add-2x4``.
    type
        The data type that it is an example of.
    signature
        The layer.
    known
        By operand the values that it must have (indices, sizes), else None.
    seed
        Other values are drawn from it.
    spread
        The part of a quantised type's range that values are drawn from, around the zero point.
    is_variant
        Whether it is another case with other numbers: it is for the check of numbers alone.
    usual
        By operand the values that it has in a user's network, else None; empty for cases of the
        kit. Other values are these in another order.
    reference
        The function for an operator of a vendor, ``module:function``; None if unknown. Empty
        for layers of ours.
    drawn
        What `values` gave, by kind: they are asked for again and again.
    """

    name: str
    type: DataType
    signature: LayerSignature
    known: tuple[NDArray[Any] | None, ...]
    seed: int
    spread: float = 1.0
    is_variant: bool = False
    usual: tuple[NDArray[Any] | None, ...] = ()
    reference: str | None = ""
    drawn: dict[Kind, list[NDArray[Any] | None]] = field(default_factory=dict)

    @property
    def layer(self) -> LayerType:
        """The type of its layer."""
        return self.signature.type

    @property
    def in_words(self) -> str:
        """The layer, what it reads and what it makes: ``Softmax of float32 2x3 -> float32 2x3``."""
        signature = self.signature
        read = [
            _in_words(info, is_constant)
            for info, is_constant in zip(signature.inputs, signature.constants, strict=True)
        ]
        made = [_in_words(info, False) for info in signature.outputs]
        return f"{self.layer.label} of {', '.join(read) or 'nothing'} -> {', '.join(made)}"

    @property
    def most_elements(self) -> int:
        """The number of elements of its largest tensor."""
        infos = (*self.signature.inputs, *self.signature.outputs)
        return max(info.element_count for info in infos if info is not None)

    @property
    def _multiplies(self) -> bool:
        """Whether many values are multiplied, so that they have to be near 1."""
        return getattr(self.signature.descriptor, "operation", None) is ReduceOperation.PROD

    @property
    def _bias_step(self) -> int:
        """A quantised bias has multiples of it: it counts as much as a product does."""
        first = self.signature.inputs[0]
        step = 1000 if first is None or first.data_type.bits <= 8 else 250_000
        return max(round(step * self.spread**2), 1)

    def values(self, kind: Kind = "plain") -> list[NDArray[Any] | None]:
        """Return the operands' values, not to be written to; None where one is absent."""
        if kind not in self.drawn:
            drawn = self._draw("special" if kind == "flushed" else kind)
            self.drawn[kind] = [_flushed(one) for one in drawn] if kind == "flushed" else drawn
        return list(self.drawn[kind])

    def _draw(self, kind: Kind) -> list[NDArray[Any] | None]:
        names = FACTS[self.layer].operands
        found: list[NDArray[Any] | None] = []
        for index, info in enumerate(self.signature.inputs):
            if info is None:
                found.append(None)
                continue
            value = self.known[index]
            if value is not None:
                found.append(value)
                continue
            is_constant = self.signature.constants[index]
            # A number of its own for each operand: the same on every machine. What a workload was
            # made from stays what it is.
            token = f"{self.name}|{'' if is_constant else kind}|{index}"
            random = np.random.default_rng((self.seed, zlib.crc32(token.encode())))
            usual = self.usual[index] if self.usual else None
            if usual is not None and kind == "plain":
                found.append(usual)
                continue
            if usual is None:
                drawn = _drawn(random, info.static_shape, info.data_type)
            else:
                drawn = random.permutation(usual.reshape(-1)).reshape(usual.shape)
            if self.spread != 1 and info.quantization is not None and info.data_type.is_quantized:
                drawn = _narrowed(drawn, info.quantization.zero_points[0], self.spread)
            operand = names[index].rstrip("?") if index < len(names) else ""
            if operand in _POSITIVE:
                drawn = np.abs(drawn)
            elif operand == "bias" and info.quantization is not None:
                drawn = (drawn * self._bias_step).astype(drawn.dtype)
            elif self._multiplies and drawn.dtype.kind == "f":
                drawn = (np.sign(drawn) + drawn / 64).astype(drawn.dtype)
            elif kind == "special" and not is_constant and operand not in _ORDINARY:
                _make_special(drawn, random)
            found.append(drawn)
        return found


def _in_words(info: TensorInfo | None, is_constant: bool) -> str:
    if info is None:
        return "nothing"
    shape = "x".join(map(str, info.static_shape)) or "scalar"
    return f"{'constant ' if is_constant else ''}{info.data_type.described} {shape}"


def _drawn(
    random: np.random.Generator, shape: tuple[int, ...], data_type: DataType
) -> NDArray[Any]:
    dtype = data_type.numpy
    if data_type is DataType.BFLOAT16:
        bits = np.asarray(random.uniform(-3, 3, shape)).astype(np.float32).view(np.uint32)
        return np.asarray(bits >> 16).astype(np.uint16)
    if dtype.kind == "f":
        return np.asarray(random.uniform(-3, 3, shape)).astype(dtype)
    if dtype.kind == "b":
        return np.asarray(random.integers(0, 2, shape)).astype(dtype)
    if data_type.is_quantized:
        limits = np.iinfo(dtype)
        return np.asarray(random.integers(limits.min, limits.max, shape, dtype, endpoint=True))
    return np.asarray(random.integers(-9, 10, shape)).astype(dtype)


def _narrowed(levels: NDArray[Any], point: int, spread: float) -> NDArray[Any]:
    """Bring levels nearer to the zero point."""
    limits = np.iinfo(levels.dtype)
    moved = np.rint((levels.astype(np.float64) - point) * spread) + point
    return np.asarray(np.clip(moved, limits.min, limits.max)).astype(levels.dtype)


def _make_special(value: NDArray[Any], random: np.random.Generator) -> None:
    """Put NaN, infinities, signed zeros and tiny numbers in some places."""
    if value.dtype.kind != "f" or value.size == 0:
        return
    flat = value.reshape(-1)
    chosen = random.permutation(flat.size)[: max(len(_SPECIAL), flat.size // 3)]
    with np.errstate(over="ignore", under="ignore"):
        special = np.array(_SPECIAL).astype(value.dtype)
    flat[chosen] = special[np.arange(chosen.size) % len(special)]


def _flushed(value: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return values with zeros of their sign instead of denormals."""
    if value is None or value.dtype.kind != "f" or not value.size:
        return value
    small = np.abs(value) < np.finfo(value.dtype).smallest_normal
    return np.where(small, np.copysign(np.zeros_like(value), value), value)


def layer_type_of(label: str) -> LayerType | None:
    """Return the layer type of this name, whatever its case, or None."""
    wanted = label.replace("_", "").lower()
    for layer_type in LayerType:
        if wanted in (layer_type.label.lower(), layer_type.name.replace("_", "").lower()):
            return layer_type
    return None
