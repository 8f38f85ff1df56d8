# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Scales and zero points, and the conversion of arrays by them."""

from __future__ import annotations

import itertools
import math
import operator
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.tensors.shapes import MAX_DIMENSIONS, format_shape
from armnn_py.types import DataType

INT32 = (-(2**31), 2**31 - 1)
"""Lowest and highest 32-bit integer."""

_MOST_SCALES = 2**24


def _items(value: Any) -> list[Any]:
    """Return the members of a sequence or array, or a number as the only one."""
    try:
        values = iter(value)
    except TypeError:
        return [value]
    items = list(itertools.islice(values, _MOST_SCALES + 1))
    if len(items) > _MOST_SCALES:
        raise ValueError
    return items


def outside(points: tuple[int, ...], limits: tuple[int, int]) -> int | None:
    """Return the first number that is not between the limits, or ``None``."""
    if limits[0] <= min(points) and max(points) <= limits[1]:
        return None
    return next(point for point in points if not limits[0] <= point <= limits[1])


@public_class
@dataclass(frozen=True, slots=True)
class QuantizationInfo:
    """Meaning of quantised values: ``real = scale * (q - zero_point)``.

    Parameters
    ----------
    scales
        One for the whole tensor, or one for each index along ``axis``; each above 0. A single
        number is taken as one.
    zero_points
        As many as ``scales``; left out, all are 0.
    axis
        Dimension along which scales differ, or ``None``.

    Raises
    ------
    InvalidArgumentError
        The values do not fit together.

    Examples
    --------
    >>> import armnn_py as ann
    >>> quantization = ann.QuantizationInfo(0.5, 10)
    >>> quantization.scale, quantization.zero_point
    (0.5, 10)
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...] = ()
    axis: int | None = None

    def __post_init__(self) -> None:
        try:
            scales = tuple(map(float, _items(self.scales)))
            points = tuple(map(operator.index, _items(self.zero_points)))
            axis = None if self.axis is None else operator.index(self.axis)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidArgumentError(
                "quantization: scales are numbers, zero points and axis are integers",
                details=[
                    f"scales: {reprlib.repr(self.scales)}",
                    f"zero points: {reprlib.repr(self.zero_points)}",
                    f"axis: {reprlib.repr(self.axis)}",
                ],
            ) from error
        points = points or (0,) * len(scales)
        if not scales or len(points) != len(scales) or (axis is None and len(scales) != 1):
            raise InvalidArgumentError(
                f"quantization: {len(scales)} scales and {len(points)} zero points given, "
                + ("one of each expected" if axis is None else "equally many expected"),
                hints=[] if axis is not None else ["scales that differ along a dimension: axis="],
            )
        if axis is not None and not 0 <= axis < MAX_DIMENSIONS:
            raise InvalidArgumentError(f"quantization: axis {axis} is not a dimension")
        if not all(map(math.isfinite, scales)) or min(scales) <= 0:
            wrong = next(scale for scale in scales if not (math.isfinite(scale) and scale > 0))
            raise InvalidArgumentError(f"quantization: scale {wrong} given, above 0 expected")
        if (point := outside(points, INT32)) is not None:
            raise InvalidArgumentError(f"quantization: zero point {point} is not an int32")
        object.__setattr__(self, "scales", scales)
        object.__setattr__(self, "zero_points", points)
        object.__setattr__(self, "axis", axis)

    @property
    def scale(self) -> float:
        """The scale of a whole tensor.

        Raises
        ------
        InvalidArgumentError
            The scales differ along an axis: ``scales`` has them.
        """
        return self.scales[self._only("scale")]

    @property
    def zero_point(self) -> int:
        """The zero point of a whole tensor; raises as `scale` does."""
        return self.zero_points[self._only("zero_point")]

    def _only(self, name: str) -> int:
        if len(self.scales) > 1:
            raise InvalidArgumentError(
                f"quantization: {name} asked for, but {len(self.scales)} are given along axis "
                f"{self.axis}",
                hints=[f"{name}s has all of them"],
            )
        return 0

    def quantize(self, array: Any, data_type: DataType | str = DataType.QASYMM_S8) -> Any:
        """Return real numbers as quantised elements: ``round(real / scale) + zero_point``.

        Halves are rounded to the even neighbour, and what exceeds the type becomes its end.

        Parameters
        ----------
        array
            Real numbers; with scales along an axis, of as many dimensions as the tensor.
        data_type
            A quantised type, such as ``"int8"`` or ``"uint8"``.

        Returns
        -------
        numpy.ndarray
            Of the shape of the array and the dtype of the type.

        Raises
        ------
        InvalidArgumentError
            The type is not quantised, or the array has NaN or does not fit the scales.

        Examples
        --------
        >>> import armnn_py as ann
        >>> ann.QuantizationInfo(0.5, 10).quantize([-9.0, 0.0, 0.75], "uint8")
        array([ 0, 10, 12], dtype=uint8)
        """
        kind = data_type if type(data_type) is DataType else DataType.from_numpy(data_type)
        if not kind.is_quantized:
            raise InvalidArgumentError(f"quantize: {kind.shown} given, a quantised type expected")
        return self._quantized(array, kind, np.ndim(array))

    def dequantize(self, array: Any) -> Any:
        """Return quantised elements as float32: ``scale * (element - zero_point)``.

        Parameters
        ----------
        array
            Integers; with scales along an axis, of as many dimensions as the tensor.

        Returns
        -------
        numpy.ndarray
            Of dtype float32 and the shape of the array.

        Raises
        ------
        InvalidArgumentError
            The array has no integers, or does not fit the scales.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> ann.QuantizationInfo(0.5, 10).dequantize(np.array([0, 10, 12], np.uint8))
        array([-5.,  0.,  1.], dtype=float32)
        """
        return self._dequantized(array, np.ndim(array))

    def _quantized(self, array: Any, data_type: DataType, rank: int) -> np.ndarray[Any, Any]:
        """Return real numbers as elements of a type; see `TensorInfo.quantize`."""
        real = np.asarray(array)
        if real.dtype.kind not in "fiub":
            raise InvalidArgumentError(f"array of {real.dtype} given, real numbers expected")
        if real.dtype != np.float64:
            real = real.astype(np.float32)
        if np.isnan(real).any():
            raise InvalidArgumentError("array has NaN, which no quantised number stands for")
        scales, points = self._spread(real, rank)
        with np.errstate(over="ignore"):  # infinity saturates
            steps = np.rint(real / scales).astype(np.float64)
        limits = np.iinfo(data_type.numpy)
        ends = data_type.zero_points if data_type.is_packed else None
        lowest, highest = ends or (limits.min, limits.max)
        found: np.ndarray[Any, Any] = (steps + points).clip(lowest, highest)
        return found.astype(data_type.numpy)

    def _dequantized(self, array: Any, rank: int) -> np.ndarray[Any, Any]:
        """Return elements as real numbers; see `TensorInfo.dequantize`."""
        steps = np.asarray(array)
        if steps.dtype.kind not in "iu":
            raise InvalidArgumentError(f"array of {steps.dtype} given, integers expected")
        scales, points = self._spread(steps, rank)
        with np.errstate(over="ignore"):
            return np.asarray((steps.astype(np.int64) - points).astype(np.float32) * scales)

    def _spread(
        self, array: np.ndarray[Any, Any], rank: int
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return scales and zero points in a shape that broadcasts with an array."""
        scales, points = np.array(self.scales, np.float32), np.array(self.zero_points, np.int64)
        if self.axis is None:
            return scales.reshape(()), points.reshape(())
        if array.ndim != rank or array.shape[self.axis] != scales.size:
            raise InvalidArgumentError(
                f"array of shape {format_shape(array.shape)} given, but the tensor has {rank} "
                f"dimensions and {scales.size} scales along axis {self.axis}"
            )
        shape = [1] * rank
        shape[self.axis] = scales.size
        return scales.reshape(shape), points.reshape(shape)
