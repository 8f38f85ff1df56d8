# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of strings: inputs and outputs of networks, and what stages hand to each other.

No layer reads or makes one, and no backend hears of one: strings have no size in bytes. So their
type is no `DataType`, which are those that cross to backends, and has no number to cross with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn, SupportsIndex, cast

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
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
        object.__setattr__(self, "late", ())

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
