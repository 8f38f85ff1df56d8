# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Base classes of the generated enumerations, and the sources of memory."""

from __future__ import annotations

import functools
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Any, Literal, Self

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np


class LayerTypeBase(IntEnum):
    """A number and Arm NN's name of a layer type."""

    _label: str

    def __new__(cls, number: int, label: str = "") -> Self:
        """Make a member of a number and a name."""
        member = int.__new__(cls, number)
        member._value_ = number
        member._label = label
        return member

    @property
    def label(self) -> str:
        """Arm NN's name, as ``Convolution2d`` or ``ElementwiseBinary``."""
        return self._label


class _TypeFacts(Struct, frozen=True):
    """The facts of a data type, as the table in ``schema`` has them."""

    label: str
    shown: str
    described: str
    bits: int
    dtype: str  # its name: programs that only list backends do without numpy
    kind: Literal["float", "integer", "boolean", "quantized"]
    plain: bool  # whether an array of that dtype means this type
    since: int
    zero_points: tuple[int, int] | None = None


class DataTypeBase(IntEnum):
    """Attributes and methods of every data type; `DataType` lists the members."""

    _facts: _TypeFacts
    _numpy: np.dtype[Any] | None

    def __new__(cls, number: int, *facts: Any) -> Self:
        """Make a member of a number and its facts."""
        member = int.__new__(cls, number)
        member._value_ = number
        member._facts = _TypeFacts(*facts)
        member._numpy = None
        return member

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype of arrays that hold this type."""
        if self._numpy is None:
            from numpy import dtype

            self._numpy = dtype(self._facts.dtype)
        return self._numpy

    @property
    def size(self) -> int:
        """Bytes of one element of a numpy array that holds this type."""
        return self.numpy.itemsize

    @property
    def bits(self) -> int:
        """Bits of one element."""
        return self._facts.bits

    @property
    def is_packed(self) -> bool:
        """Whether elements are less than a byte; tensors of such a type exist inside a network."""
        return self._facts.bits < 8

    @property
    def unpacked(self) -> Self:
        """The type of whole bytes that arrays of a packed type have: its numbers, one by one."""
        if not self.is_packed:
            return self
        if not self.is_quantized:
            return type(self)["FLOAT16"]
        low, _ = self._facts.zero_points or (0, 0)
        return type(self)["QASYMM_S8" if low < 0 else "QASYMM_U8"]

    @property
    def package_dtype(self) -> np.dtype[Any] | None:
        """The dtype of the package ml_dtypes for a type that numpy lacks, if that is installed."""
        if self.shown == self._facts.dtype:
            return None
        try:
            import ml_dtypes
        except ImportError:
            return None
        from numpy import dtype

        found: np.dtype[Any] = dtype(getattr(ml_dtypes, self.shown))
        return found

    @property
    def label(self) -> str:
        """The name that tells all types apart, as ``float32`` or ``qasymm_u8``."""
        return self._facts.label

    @property
    def shown(self) -> str:
        """The name for users: numpy's or ml_dtypes', as ``int64``, ``uint8`` or ``bfloat16``."""
        return self._facts.shown

    @property
    def described(self) -> str:
        """The name in messages: `shown`, of a quantised type ``quantised uint8``."""
        return self._facts.described

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self._facts.kind == "float"

    @property
    def is_quantized(self) -> bool:
        """Whether values need a scale to mean anything."""
        return self._facts.kind == "quantized"

    @property
    def zero_points(self) -> tuple[int, int] | None:
        """Lowest and highest zero point of a quantised type."""
        return self._facts.zero_points

    @property
    def since(self) -> int:
        """The minor version of the backend API that brought this type."""
        return self._facts.since

    @classmethod
    def from_numpy(cls, dtype: Any) -> Self:
        """Return the type that a numpy array stands for.

        ``uint8``, ``int8`` and ``int16`` arrays are the quantised types ``QASYMM_U8``,
        ``QASYMM_S8`` and ``QSYMM_S16``, as are ``int4``, ``uint4``, ``int2`` and ``uint2`` of the
        package ml_dtypes. Its floating-point dtypes are the types of these names, ``bfloat16`` for
        example is ``BFLOAT16``, whereas plain ``uint16`` is ``UNSIGNED16``: bits alone do not say
        so.

        Parameters
        ----------
        dtype
            Anything that ``numpy.dtype`` takes.

        Raises
        ------
        InvalidArgumentError
            No tensor type has this dtype.
        """
        from numpy import dtype as dtype_of

        try:
            if dtype is None:  # numpy's float64
                raise TypeError
            resolved = dtype_of(dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f"dtype {dtype!r} is not a numpy dtype") from error
        native = resolved.newbyteorder("=")
        found: Self | None = _plain(cls).get(native)
        if found is not None:
            return found
        for member in cls:
            if member.shown == resolved.name != member._facts.dtype:
                return member
        raise InvalidArgumentError(
            f"dtype '{resolved}' has no tensor type",
            details=[f"tensor types: {', '.join(map(str, _plain(cls)))}"],
            hints=[_DTYPE_CURES.get(resolved.name, "convert the array with .astype()")],
        )


@functools.cache
def _plain(cls: type[DataTypeBase]) -> dict[np.dtype[Any], Any]:
    return {member.numpy: member for member in cls if member._facts.plain}


_DTYPE_CURES = {
    "float128": "array.astype('float64'); nothing is converted silently",
}


class DataLayoutBase(IntEnum):
    """Attributes and methods of every data layout; `DataLayout` lists the members."""

    @property
    def channel_axis(self) -> int:
        """Index of the channel dimension."""
        return self.name.index("C")

    @property
    def spatial_axes(self) -> tuple[int, ...]:
        """Indices of the spatial dimensions, in the order D, H, W."""
        return tuple(axis for axis, letter in enumerate(self.name) if letter in "DHW")

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.name)


class MemorySource(IntFlag):
    """Where memory lies; one bit each, so that a tensor handle can name several."""

    UNDEFINED = 0
    MALLOC = 1  #: at an address of this process
    DMA_BUF = 2  #: descriptor of a Linux DMA-BUF
    DMA_BUF_PROTECTED = 4  #: the same, which cannot be mapped into this process
    GRALLOC = 8  #: reserved
    FILE = 16  #: descriptor of a memfd or a file
