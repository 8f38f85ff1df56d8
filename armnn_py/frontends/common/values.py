# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Values: a tensor during import is either its known elements or the slot that will hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.network import OutputSlot
from armnn_py.records import record
from armnn_py.symbolic import SymbolicSize
from armnn_py.tensors import QuantizationInfo, StringInfo, TensorInfo, format_shape
from armnn_py.tensors.memory import ALIGNMENT, aligned_empty
from armnn_py.tensors.packing import pack, unpack
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "Array",
    "Known",
    "KnownBlocks",
    "KnownPacked",
    "KnownReals",
    "KnownSizes",
    "NotKnown",
    "RunsApart",
    "StringInput",
    "Unsupported",
    "Value",
    "array_of",
    "as_handed",
    "broadcast_shapes",
    "data_type_of",
    "dense",
    "dtype_of",
    "dtype_of_info",
    "elements_of",
    "known_integers",
    "quantization_of",
    "shape_of",
    "stored",
]

Array: TypeAlias = "NDArray[Any]"
#: Types that numpy lacks: their arrays hold bits.
_ELSEWHERE = frozenset(
    one for one in DataType if one.is_packed or (one.is_float and one.label != one.numpy.name)
)


class Unsupported(Exception):  # noqa: N818 - an answer, not an error: collected and listed
    """A node has no counterpart; the reason is shown beside its operator."""


class NotKnown(Unsupported):
    """An operand that decides shapes is computed at run time.

    Attributes
    ----------
    index
        Number of the operand.
    """

    def __init__(self, reason: str, index: int) -> None:
        super().__init__(reason)
        self.index = index


@record
class StringInput:
    """Strings that a run gives, or that numpy makes of them between stages.

    Nothing is known of them but their shape, and no layer reads them: what does is computed apart.
    """

    info: StringInfo


class RunsApart(Unsupported):
    """A node is to run by itself, with networks of its own for the bodies inside of it."""


def data_type_of(dtype: np.dtype[Any]) -> DataType:
    """Return the tensor type of a dtype; types that no layer computes are unsupported."""
    try:
        return DataType.from_numpy(dtype)
    except InvalidArgumentError:
        if dtype.kind == "O":
            raise Unsupported("strings at run time") from None
        raise Unsupported(f"{dtype} values at run time") from None


class Known:
    """A tensor whose elements are known during conversion.

    Two of them are equal only if they are the same object: a value that several nodes read becomes
    one Constant layer.

    Parameters
    ----------
    array
        The elements. Their type may be one that no tensor has (``complex64``), as long as only the
        importer computes with them.
    info
        Type and quantisation of quantised numbers, which the array does not tell. Shape and dtype
        are those of the array.
    """

    __slots__ = ("array", "stated")

    def __init__(self, array: Array, info: TensorInfo | None = None) -> None:
        assert info is None or (info.shape == array.shape and info.dtype == array.dtype)
        self.array = array
        self.stated = info

    @property
    def elements(self) -> Array:
        """The array, or one of objects with the same elements, some of which are symbolic."""
        return self.array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array."""
        return self.array.dtype

    @property
    def info(self) -> TensorInfo:
        """Shape, type and quantisation as a Constant layer has them.

        Raises
        ------
        Unsupported
            No tensor type has the array's dtype.
        """
        if self.stated is not None:
            return self.stated
        return TensorInfo(self.shape, data_type_of(self.dtype))

    def freeze(self) -> None:
        """Let nobody write to the array from now on."""
        if self.array.flags.writeable:
            self.array.flags.writeable = False

    @property
    def quantization(self) -> QuantizationInfo | None:
        """Scales and zero points; ``None`` for plain numbers."""
        return None if self.stated is None else self.stated.quantization

    def __repr__(self) -> str:
        if self.stated is not None:
            return f"<Known {self.stated!r}>"
        return f"<Known {self.dtype} {format_shape(self.shape)}>"


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
    """Integers some of which are symbolic sizes, or computed from them.

    Parameters
    ----------
    elements
        An array of objects: integers and symbolic sizes.
    dtype
        The type of the integers. What overflows it is not noticed: sizes of tensors do not.
    """

    __slots__ = ("_dtype", "_elements")

    def __init__(self, elements: Array, dtype: np.dtype[Any]) -> None:
        self._elements = elements
        self._dtype = dtype
        self.stated = None

    @property
    def elements(self) -> Array:
        """Integers and symbolic sizes."""
        return self._elements

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The numbers, which other shapes must then give, too."""
        return self._elements.astype(self._dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._elements.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the integers."""
        return self._dtype


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

    What computes at import sees the real numbers. A product that has them for weights gets a layer
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

    What computes at import sees the real numbers, which are computed for the first that asks: a
    layer that reads them gets a Dequantize layer of the stored ones, so that it can become a
    quantised layer, and nobody needs them.

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


def known_integers(elements: Any, dtype: Any) -> Known:
    """Return integers as a known value; some may be symbolic sizes."""
    array = np.asarray(elements)
    if array.dtype != object:
        return Known(array.astype(dtype, copy=False))
    if any(type(item) is SymbolicSize for item in array.reshape(-1)):
        return KnownSizes(array, np.dtype(dtype))
    return Known(array.astype(dtype))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to, by numpy's rule; sizes may be symbolic.

    Raises
    ------
    ValueError
        They do not broadcast.
    """
    result = [1] * max(map(len, shapes))
    for shape in shapes:
        for place, dim in enumerate(shape, len(result) - len(shape)):
            if dim is result[place] or dim == 1 or dim == result[place]:
                continue
            if result[place] != 1:
                given = " and ".join(map(format_shape, shapes))
                raise ValueError(f"shapes {given} do not broadcast")
            result[place] = dim
    return tuple(result)


Value: TypeAlias = "Known | OutputSlot"
"""A tensor during conversion. Both kinds have an ``info``."""


def shape_of(value: Value) -> tuple[int, ...]:
    """Return the shape, of which every dimension is known during conversion."""
    return value.shape if isinstance(value, Known) else value.info.static_shape


def dtype_of(value: Value) -> np.dtype[Any]:
    """Return the dtype of the elements; of ml_dtypes where numpy lacks their type."""
    return value.dtype if isinstance(value, Known) else dtype_of_info(value.info)


def dtype_of_info(info: TensorInfo) -> np.dtype[Any]:
    """Return the dtype of the elements of a tensor, as `dtype_of` does."""
    elsewhere = info.data_type.package_dtype if info.data_type in _ELSEWHERE else None
    return elsewhere or info.dtype


def quantization_of(value: Value) -> QuantizationInfo | None:
    """Return the quantisation; unlike ``value.info``, also of values that no tensor can hold."""
    return value.quantization if isinstance(value, Known) else value.info.quantization


def array_of(value: Value) -> Array:
    """Return the elements of a value that is known."""
    assert isinstance(value, Known)
    return value.array


def elements_of(value: Value) -> Array:
    """Return the elements of a value that is known, of which some may be symbolic sizes."""
    assert isinstance(value, Known)
    return value.elements


def stored(value: Known) -> Array:
    """Return the array that a Constant layer keeps of a value: packed where its type is."""
    if isinstance(value, KnownPacked):
        return dense(value.packed)
    data_type = value.info.data_type
    return dense(pack(value.array, data_type) if data_type.is_packed else value.array)


def as_handed(value: Known) -> Array:
    """Return a known value as stages hand arrays on: bits of the types that numpy lacks."""
    if value.dtype.kind == "O":
        return value.array
    data_type = data_type_of(value.dtype)
    if data_type.is_packed or value.dtype == data_type.numpy:
        return value.array
    return value.array.view(data_type.numpy)


def dense(array: Array) -> Array:
    """Return an array as a Constant layer keeps it: itself if it is so already, else a copy."""
    address = array.__array_interface__["data"][0]
    if array.flags.c_contiguous and not array.flags.writeable and address % ALIGNMENT == 0:
        return array
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    copy.flags.writeable = False
    return copy
