# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Known values that keep another form than an array: sizes, formulas, packed numbers, levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.frontends.common.values import Array, Known, dense
from armnn_py.symbolic import SymbolicSize
from armnn_py.tensors import TensorInfo
from armnn_py.tensors.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from armnn_py.frontends.common.values import Value
    from armnn_py.tensors.equal_arrays import EqualArrays


class _Computed(Known):
    """A tensor whose array is computed when somebody asks, and holds nothing that could change."""

    __slots__ = ()

    def freeze(self) -> None:
        """Do nothing: the array is made for the one who asks, or read-only."""


class _OfLevels(_Computed):
    """Real numbers, float32, that are made of quantised ones."""

    __slots__ = ("levels",)
    levels: Known

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the levels."""
        return self.levels.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the real numbers."""
        return np.dtype(np.float32)


class KnownSizes(_Computed):
    """Numbers some of which are symbolic sizes, or computed from them.

    Parameters
    ----------
    elements
        An array of objects: numbers and symbolic sizes.
    dtype
        The type of the numbers, integers or floats. Overflow is not checked: sizes of tensors fit.
    """

    __slots__ = ("_dtype", "_elements")

    def __init__(self, elements: Array, dtype: np.dtype[Any]) -> None:
        self._elements = elements
        self._dtype = dtype
        self.stated = None

    @property
    def elements(self) -> Array:
        """Numbers and symbolic sizes."""
        return self._elements

    @property
    def sizes(self) -> tuple[SymbolicSize, ...]:
        """The symbolic sizes."""
        return tuple(item for item in self._elements.reshape(-1) if type(item) is SymbolicSize)

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The numbers; reading them binds the network to shapes that give the same ones."""
        return self._elements.astype(self._dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._elements.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self._dtype


class KnownFormula(_Computed):
    """Numbers that are computed from sizes, in other ways than sizes are.

    Whoever asks for the array binds the network to shapes that give the same sizes. A layer that
    reads the value gets layers that compute it when the network runs.

    Parameters
    ----------
    sample
        The numbers for the shapes at hand. Shape and type hold for all.
    sizes
        The sizes that the numbers depend on.
    layers
        Adds the layers, and returns the output of the last one.
    depth
        How many formulas are computed one after the other.
    """

    __slots__ = ("depth", "layers", "sample", "sizes")

    def __init__(
        self,
        sample: Array,
        sizes: tuple[SymbolicSize, ...],
        layers: Callable[[], Value],
        depth: int = 0,
    ) -> None:
        self.sample = sample
        self.sizes = sizes
        self.layers = layers
        self.depth = depth
        self.stated = None

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The numbers; reading them binds the network to shapes that give the same sizes."""
        for size in self.sizes:
            size.pin()
        return self.sample

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.sample.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self.sample.dtype


class KnownPacked(_Computed):
    """Numbers of less than a byte, several to a byte as the file has them.

    Parameters
    ----------
    packed
        The bytes, in one dimension.
    info
        Shape and type of the numbers.
    """

    __slots__ = ("_info", "packed")

    def __init__(self, packed: Array, info: TensorInfo) -> None:
        self.packed = packed
        self.stated = None
        self._info = info

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The numbers one by one, in the type of the package ml_dtypes."""
        numbers = unpack(self.packed, self._info.data_type, self.shape)
        return (
            numbers.view(self.dtype)
            if self._info.data_type.is_float
            else numbers.astype(self.dtype)
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the numbers."""
        return self._info.static_shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self._info.data_type.package_dtype or self._info.dtype


class KnownBlocks(_OfLevels):
    """Real numbers that a model stores as levels, with a scale for each block along an axis.

    Operators computed at import see the real numbers. A product with such weights gets a layer
    that makes them of the levels, which a backend may multiply as they are.

    Parameters
    ----------
    levels
        Of 8 or 4 bits.
    scales, points
        Scales and zero points, one for each block; without the latter they are 0.
    axis
        The dimension that is cut in blocks.
    block
        Elements of a block; the last one may be shorter.
    """

    __slots__ = ("axis", "block", "points", "scales")

    def __init__(
        self, levels: Known, scales: Known, points: Known | None, axis: int, block: int
    ) -> None:
        self.levels = levels
        self.scales = scales
        self.points = points
        self.axis = axis
        self.block = block
        self.stated = None

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The real numbers, which are computed each time."""
        place = np.arange(self.shape[self.axis]) // self.block
        real = self.levels.array.astype(np.float32)
        if self.points is not None:
            real -= self.points.array.astype(np.float32).take(place, self.axis)
        real *= self.scales.array.take(place, self.axis)
        return real


class KnownReals(_OfLevels):
    """Real numbers that a model stores as quantised ones.

    Operators computed at import see the real numbers, which are computed on first use. A
    layer that reads them gets a Dequantize layer of the stored ones, so that it can become a
    quantised layer, and the real numbers are not needed.

    Parameters
    ----------
    levels
        The quantised numbers with their scales, whose type holds 8 or 16 bits.
    scales, points
        Float32 of shapes that broadcast to the levels'; without points they are 0.
    """

    __slots__ = ("_real", "points", "scales")

    def __init__(self, levels: Known, scales: Array, points: Array | None) -> None:
        self.levels = levels
        self.scales = scales
        self.points = points
        self.stated = None
        self._real: Array | None = None

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The real numbers."""
        if self._real is None:
            real = self.levels.array.astype(np.float32)
            with np.errstate(all="ignore"):
                if self.points is not None:
                    real -= self.points
                real *= self.scales
            real.flags.writeable = False
            self._real = real
        return self._real

    def transposed(self, levels: Known, order: Sequence[int]) -> KnownReals:
        """Return the same numbers with ``levels``, whose dimensions have this order."""

        def turned(array: Array) -> Array:
            return array.transpose(order) if array.ndim == len(order) else array

        points = None if self.points is None else turned(self.points)
        return KnownReals(levels, turned(self.scales), points)


def known_numbers(elements: Any, dtype: Any) -> Known:
    """Return numbers as a known value; some may be symbolic sizes."""
    array = np.asarray(elements)
    if array.dtype != object:
        return Known(array.astype(dtype, copy=False))
    if any(type(item) is SymbolicSize for item in array.reshape(-1)):
        return KnownSizes(array, np.dtype(dtype))
    return Known(array.astype(dtype))


def as_formula(value: Value) -> Value:
    """Return symbolic sizes as a formula, which any function may be computed of."""
    if not isinstance(value, KnownSizes):
        return value
    numbers = [
        item.number if type(item) is SymbolicSize else item for item in value.elements.reshape(-1)
    ]
    sample = np.array(numbers, value.dtype).reshape(value.shape)
    return KnownFormula(sample, value.sizes, lambda: value)


def stored(value: Known) -> Array:
    """Return the array that a Constant layer keeps of a value: packed where its type is."""
    if isinstance(value, KnownPacked):
        return dense(value.packed)
    data_type = value.info.data_type
    return dense(pack(value.array, data_type) if data_type.is_packed else value.array)


def stored_once(value: Known, kept: EqualArrays[Array]) -> Array:
    """Return the same array for values of equal content, as `stored` makes it."""
    array, info = stored(value), value.info
    for equal in kept.alike(array, info):
        return equal
    kept.add(array, info, array)
    return array
