# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of strings: inputs and outputs of networks, and what stages hand to each other.

No layer reads or makes one, and no backend hears of one: strings have no size in bytes. So their
type is not a `DataType`, which are those that cross to backends, and has no number to cross with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, SupportsIndex, cast

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.tensors.constants import is_masked
from armnn_py.tensors.info import TensorInfo
from armnn_py.tensors.shapes import format_shape, parse_shape

if TYPE_CHECKING:
    from armnn_py.types import DataType


class _StringType:
    """The type of strings, with the interface of `DataType`."""

    name = "STRING"
    label = shown = "string"
    numpy = np.dtype(object)
    is_packed = is_float = is_quantized = False
    package_dtype = zero_points = None

    @property
    def unpacked(self) -> _StringType:
        """The type itself, as of all types of whole bytes."""
        return self

    def __repr__(self) -> str:
        return "<string>"

    def __reduce__(self) -> str:
        return "STRING"


STRING: Final = cast("DataType", _StringType())
"""The ``data_type`` of a tensor of strings: its label is ``string``, its arrays hold ``str``."""


@public_class
@dataclass(frozen=True, slots=True)
class StringInfo(TensorInfo):
    """Shape of a tensor of strings, whose arrays are of dtype object and hold ``str``.

    Parameters
    ----------
    shape
        At most 8 dimensions, as of a `TensorInfo`.
    dimension_names
        One for each dimension, as of a `TensorInfo`.

    Raises
    ------
    InvalidArgumentError
        A dimension is negative or no integer, there are too many of them, or the names do not fit.

    Examples
    --------
    >>> import armnn_py as ann
    >>> ann.StringInfo((None, 1), dimension_names=("rows", None))
    StringInfo(rows x 1)
    >>> ann.StringInfo((2,)).data_type.label
    'string'
    """

    def __init__(
        self,
        shape: Iterable[SupportsIndex | None],
        *,
        dimension_names: Sequence[str | None] = (),
    ) -> None:
        # Checks of dimensions and names; an element takes 8 bytes in an array.
        checked = TensorInfo(shape, np.int64, dimension_names=dimension_names)
        object.__setattr__(self, "shape", checked.shape)
        object.__setattr__(self, "data_type", STRING)
        object.__setattr__(self, "quantization", None)
        object.__setattr__(self, "dimension_names", checked.dimension_names)
        object.__setattr__(self, "bounded", ())

    @property
    def byte_size(self) -> NoReturn:
        """Nothing: strings have no size in bytes.

        Raises
        ------
        InvalidArgumentError
            Always.
        """
        raise InvalidArgumentError("a tensor of strings has no size in bytes")

    def with_shape(self, shape: Sequence[int | None]) -> StringInfo:
        """Return strings of another shape; dimensions that stay free keep their names."""
        dims = parse_shape(shape)
        names = self.dimension_names if len(dims) == len(self.shape) else ()
        return StringInfo(dims, dimension_names=names)

    def __repr__(self) -> str:
        return f"StringInfo({format_shape(self.shape, self.dimension_names)})"


_TEXT_KINDS = "UT"
_CURE = "np.array(texts, dtype=object), or an array of dtype str"


def as_strings(what: str, name: str, value: Any) -> np.ndarray:
    """Return strings as a dense array of dtype object, itself if it is one.

    Parameters
    ----------
    what, name
        ``input`` or what else it is, and its name, for errors.
    value
        An array of dtype object, ``<U...`` or numpy's StringDType, or nested lists of ``str``.

    Raises
    ------
    InvalidArgumentError
        It has another type, or an element is not a ``str``: missing ones are not read as empty.
    """
    if is_masked(value):
        raise InvalidArgumentError(
            f"{what} '{name}': a masked array given, which networks do not support",
            hints=["fill it: array.filled('')"],
        )
    array = value if isinstance(value, np.ndarray) else _as_array(what, name, value)
    if array.dtype.kind in _TEXT_KINDS:
        array = array.astype(object)
    if array.dtype != object:
        raise InvalidArgumentError(
            f"{what} '{name}': dtype {array.dtype} given, strings expected", hints=[_CURE]
        )
    if type(array) is not np.ndarray or not array.flags.c_contiguous:
        array = np.array(array, dtype=object, order="C", subok=False)
    items = array.reshape(-1).tolist()
    if {str}.issuperset(map(type, items)):
        return array
    for place, item in enumerate(items):
        if not isinstance(item, str):
            _refuse(what, name, array, place, item)
    return _of_plain(array)


def _as_array(what: str, name: str, value: Any) -> np.ndarray:
    if value is None:
        raise InvalidArgumentError(f"{what} '{name}': None given, strings expected", hints=[_CURE])
    try:
        return np.asarray(value, dtype=None if hasattr(value, "dtype") else object)
    except Exception as error:
        raise InvalidArgumentError(
            f"{what} '{name}': {type(value).__name__} cannot be read as an array of strings",
            details=[str(error)],
            hints=[_CURE],
        ) from error


def _refuse(what: str, name: str, array: np.ndarray, place: int, item: object) -> None:
    """Raise the error of an element that is not a string."""
    index = ", ".join(str(int(one)) for one in np.unravel_index(place, array.shape))
    hints = [_CURE]
    if isinstance(item, (list, tuple)):
        hints = ["lists inside of a list have one length"]
    elif isinstance(item, bytes):
        hints = ["bytes are decoded by whoever knows how: item.decode('utf-8')"]
    elif item is None or item != item:  # NaN, as pandas has it
        hints = ["what is missing has no string of its own: fill it, as with ''"]
    raise InvalidArgumentError(
        f"{what} '{name}': element [{index}] is of type {type(item).__name__}, str expected",
        hints=hints,
    )


def _of_plain(array: np.ndarray) -> np.ndarray:
    """Return a copy whose elements are no subclasses of ``str``, such as ``numpy.str_``."""
    copy = np.empty(array.shape, object)
    copy.reshape(-1)[:] = [str.__str__(item) for item in array.reshape(-1)]
    return copy
