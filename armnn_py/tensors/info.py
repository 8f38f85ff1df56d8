# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shape and type of tensors."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.symbolic import SymbolicSize
from armnn_py.tensors.quantization import QuantizationInfo, outside
from armnn_py.tensors.shapes import format_shape, parse_shape
from armnn_py.text import counted
from armnn_py.types import DataType

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

_set = object.__setattr__


def plain_info(info: TensorInfo, numbers: Sequence[int] | None = None) -> TensorInfo:
    """Return an info with numbers for symbolic sizes; itself if it has none.

    ``numbers`` are those of all sizes of a trace; without them each size is as in the trace. The
    trace has recorded that they make a valid info, so that nothing is checked again.
    """
    dims: Sequence[Any] = info.shape
    for dim in dims:
        if type(dim) is SymbolicSize:
            break
    else:
        return info
    if numbers is None:
        shape = [dim.number if type(dim) is SymbolicSize else dim for dim in dims]
    else:
        shape = [numbers[dim.index] if type(dim) is SymbolicSize else dim for dim in dims]
    new = object.__new__(TensorInfo)
    _set(new, "shape", tuple(shape))
    _set(new, "data_type", info.data_type)
    _set(new, "quantization", info.quantization)
    _set(new, "dimension_names", info.dimension_names)
    _set(new, "bounded", info.bounded)
    return new


_SIZE_LIMIT = 2**63
_ZERO_POINTS = {one: one.zero_points for one in DataType if one.zero_points}
_ZERO_POINTS[DataType.SIGNED32] = (0, 0)  # of a bias


def _parse_data_type(value: object) -> DataType:
    """Return a type given as such, or as anything numpy takes for a dtype."""
    if type(value) is DataType:
        return value
    if isinstance(value, (str, type, np.dtype)):
        return DataType.from_numpy(value)
    raise InvalidArgumentError(
        f"data type {value!r} is not a DataType",
        hints=["DataType.FLOAT32, or a numpy dtype such as np.float32"],
    )


def _parse_names(names: Sequence[str | None], dims: Sequence[int | None]) -> tuple[str | None, ...]:
    """Return the names of the free dimensions; ``()`` if none is free."""
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    if not is_list or not all(name is None or isinstance(name, str) for name in names):
        raise InvalidArgumentError(
            f"dimension names {names!r} given, a sequence of str and None expected"
        )
    if len(names) != len(dims):
        raise InvalidArgumentError(
            f"{counted(len(names), 'dimension name')} given, {len(dims)} expected",
            details=[f"shape: {format_shape(dims)}", f"names: {names!r}"],
            hints=["a dimension without a name is None"],
        )
    kept = tuple((name or None) if d is None else None for name, d in zip(names, dims, strict=True))
    return kept if any(kept) else ()


def _parse_bounded(bounded: Sequence[int], dims: Sequence[int | None]) -> tuple[int, ...]:
    """Return the dimensions that are bounded, in order."""
    try:
        found = tuple(sorted({operator.index(axis) for axis in bounded}))
    except TypeError:
        raise InvalidArgumentError(
            f"bounded dimensions {bounded!r} given, a sequence of integers expected"
        ) from None
    for axis in found:
        if not 0 <= axis < len(dims) or dims[axis] is None:
            raise InvalidArgumentError(
                f"bounded dimension {axis} given, one with an upper bound in shape "
                f"{format_shape(dims)} expected"
            )
    return found


@public_class
@dataclass(frozen=True, slots=True)
class TensorInfo:
    """Shape, type and quantisation of a dense, row-major tensor.

    Parameters
    ----------
    shape
        At most 8 dimensions; ``()`` is a scalar, ``None`` a free dimension.
    data_type
        Type of the elements; also as a numpy dtype or its name, read by `DataType.from_numpy`.
    quantization
        Scales and zero points of a quantised type, or of ``SIGNED32`` (a bias).
    dimension_names
        One for each dimension, ``None`` for one without, as ``("batch", None)``; for display, so
        that infos with other names are equal. Only free dimensions keep theirs, and the attribute
        is ``()`` where none has any.
    bounded
        Dimensions whose size only the layer that makes the tensor finds when it runs, counted from
        0; ``shape`` has their upper bounds. For outputs of StandIn layers alone.

    Raises
    ------
    InvalidArgumentError
        A dimension is negative or no integer, there are too many of them, the tensor has 2**63
        bytes or more, no tensor type has the dtype, or the quantisation, the names or the bounded
        dimensions do not fit shape and type.

    Examples
    --------
    >>> import armnn_py as ann
    >>> ann.TensorInfo((1, 3, 224, 224))
    TensorInfo(float32, 1x3x224x224)
    >>> ann.TensorInfo((1, 3), "float16")
    TensorInfo(float16, 1x3)
    >>> ann.TensorInfo((None, 3), dimension_names=("batch", None))
    TensorInfo(float32, batch x 3)
    >>> ann.TensorInfo((None, 10), ann.DataType.SIGNED64).is_static
    False
    """

    shape: tuple[int | None, ...]
    data_type: DataType
    quantization: QuantizationInfo | None
    dimension_names: tuple[str | None, ...] = field(compare=False)
    bounded: tuple[int, ...]

    def __init__(
        self,
        shape: Iterable[SupportsIndex | None],
        data_type: DataType | DTypeLike = DataType.FLOAT32,
        quantization: QuantizationInfo | None = None,
        *,
        dimension_names: Sequence[str | None] = (),
        bounded: Sequence[int] = (),
    ) -> None:
        dims = parse_shape(shape)
        kind = _parse_data_type(data_type)
        if math.prod(d for d in dims if d) * kind.size >= _SIZE_LIMIT:
            raise InvalidArgumentError(
                f"tensor {format_shape(dims)} of {kind.shown} has 2**63 bytes or more"
            )
        object.__setattr__(self, "shape", dims)
        object.__setattr__(self, "data_type", kind)
        object.__setattr__(self, "quantization", quantization)
        names = _parse_names(dimension_names, dims) if dimension_names else ()
        object.__setattr__(self, "dimension_names", names)
        object.__setattr__(self, "bounded", _parse_bounded(bounded, dims) if bounded else ())
        if quantization is not None:
            self._check_quantization(quantization)

    def _check_quantization(self, quantization: QuantizationInfo) -> None:
        if not isinstance(quantization, QuantizationInfo):
            raise InvalidArgumentError(f"quantization {quantization!r} is not a QuantizationInfo")
        limits = _ZERO_POINTS.get(self.data_type)
        if limits is None:
            raise InvalidArgumentError(
                f"tensor of {self.data_type.shown} given with quantization, a quantised type "
                "expected"
            )
        if (point := outside(quantization.zero_points, limits)) is not None:
            raise InvalidArgumentError(
                f"quantization: zero point {point} given, {limits[0]} to {limits[1]} expected "
                f"for {self.data_type.shown}"
            )
        axis = quantization.axis
        if axis is None:
            return
        if axis >= len(self.shape) or self.shape[axis] not in (None, len(quantization.scales)):
            raise InvalidArgumentError(
                f"quantization: {len(quantization.scales)} scales along axis {axis} do not fit "
                f"shape {format_shape(self.shape)}"
            )

    @property
    def rank(self) -> int:
        """Number of dimensions; 0 for a scalar."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is known."""
        return None not in self.shape

    @property
    def static_shape(self) -> tuple[int, ...]:
        """The shape of a tensor without free dimensions.

        Raises
        ------
        InvalidArgumentError
            A dimension is free.
        """
        if None in self.shape:
            raise InvalidArgumentError(f"shape {format_shape(self.shape)} has free dimensions")
        return self.shape  # type: ignore[return-value]

    @property
    def element_count(self) -> int:
        """Number of elements, 1 for a scalar; needs a static shape, as `static_shape` does."""
        return math.prod(self.static_shape)

    @property
    def byte_size(self) -> int:
        """Bytes that the elements take; needs a static shape, as `static_shape` does."""
        return (self.element_count * self.data_type.bits + 7) // 8

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of arrays that hold this tensor."""
        return self.data_type.numpy

    @property
    def array_shape(self) -> tuple[int, ...]:
        """Shape of the array of a Constant layer: that of its bytes where elements are packed."""
        return (self.byte_size,) if self.data_type.is_packed else self.static_shape

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """The dtype of the array of a Constant layer."""
        return np.dtype(np.uint8) if self.data_type.is_packed else self.dtype

    def quantize(self, array: Any) -> np.ndarray[Any, Any]:
        """Return real numbers as elements of this tensor: ``round(real / scale) + zero_point``.

        Halves are rounded to the even neighbour, and what exceeds the type becomes its end.

        Parameters
        ----------
        array
            Real numbers in any shape; with scales along an axis, in the shape of the tensor.

        Raises
        ------
        InvalidArgumentError
            The tensor has no scale, or the array has NaN or does not fit the scales.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> info = ann.TensorInfo((1, 4), "uint8", ann.QuantizationInfo(0.5, 10))
        >>> info.quantize([[-9.0, 0.0, 0.75, 200.0]])
        array([[  0,  10,  12, 255]], dtype=uint8)
        >>> info.dequantize(np.array([[0, 10, 12, 255]], np.uint8))
        array([[ -5. ,   0. ,   1. , 122.5]], dtype=float32)
        """
        return self._scales()._quantized(array, self.data_type, self.rank)

    def dequantize(self, array: Any) -> np.ndarray[Any, Any]:
        """Return elements of this tensor as float32: ``scale * (element - zero_point)``.

        Parameters
        ----------
        array
            Integers in any shape; with scales along an axis, in the shape of the tensor.

        Raises
        ------
        InvalidArgumentError
            The tensor has no scale, or the array has no integers or does not fit the scales.
        """
        return self._scales()._dequantized(array, self.rank)

    def _scales(self) -> QuantizationInfo:
        if self.quantization is None:
            raise InvalidArgumentError(f"{self!r} has no scale, so that it cannot be quantised")
        return self.quantization

    def with_shape(self, shape: Sequence[int | None]) -> TensorInfo:
        """Return the same tensor with another shape; dimensions that stay free keep their names."""
        dims = parse_shape(shape)
        names = self.dimension_names if len(dims) == len(self.shape) else ()
        return TensorInfo(dims, self.data_type, self.quantization, dimension_names=names)

    def __repr__(self) -> str:
        shape = format_shape(self.shape, self.dimension_names)
        if self.bounded:
            places = enumerate(map(str, self.shape))
            shape = "x".join(f"<={dim}" if axis in self.bounded else dim for axis, dim in places)
        text = f"{self.data_type.shown}, {shape}"
        if self.quantization is not None:
            scales = self.quantization.scales
            if self.quantization.axis is None:
                text += f", scale {scales[0]:g}"
                if self.data_type.zero_points not in (None, (0, 0)):
                    text += f" zero point {self.quantization.zero_point}"
            else:
                text += f", {len(scales)} scales along axis {self.quantization.axis}"
        return f"TensorInfo({text})"
