# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Values: a tensor during import is either its known elements or the slot that will hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError
from armnn_py.network import OutputSlot
from armnn_py.tensors import QuantizationInfo, StringInfo, TensorInfo, format_shape
from armnn_py.tensors.memory import ALIGNMENT, aligned_empty
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

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


class StringInput(Struct, frozen=True):
    """Strings that a run gives, or that numpy makes of them between stages.

    Nothing is known of them but their shape, and no layer reads them: what does is computed apart.
    """

    info: StringInfo


class RunsApart(Unsupported):
    """A node is to run by itself, with networks of its own for the bodies inside of it."""


class BetterApart(RunsApart):
    """It could be written out as well, which makes many layers."""


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
        """Make the array read-only."""
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
