# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Types and layouts of tensors."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

import numpy as np

from armnn_py.errors import InvalidArgumentError

__all__ = ["DataLayout", "DataType", "MemorySource"]


class DataType(IntEnum):
    """Type of a tensor's elements.

    Quantised values mean ``real = scale * (q - zero_point)``; the symmetric types have
    ``zero_point == 0``. ``BOOLEAN`` is one byte, ``BFLOAT16`` travels as ``uint16`` in numpy.
    """

    FLOAT16 = 0
    FLOAT32 = 1
    QASYMM_U8 = 2
    SIGNED32 = 3
    BOOLEAN = 4
    QSYMM_S16 = 5
    QSYMM_S8 = 6
    QASYMM_S8 = 7
    BFLOAT16 = 8
    SIGNED64 = 9

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype of arrays that hold this type."""
        return _NUMPY[self]

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return _NUMPY[self].itemsize

    @property
    def label(self) -> str:
        """The name in messages, as ``float32`` or ``qasymm_u8``."""
        return _LABELS[self]

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self in _FLOATS

    @property
    def is_quantized(self) -> bool:
        """Whether values need a scale to mean anything."""
        return self in _QUANTIZED

    @classmethod
    def from_numpy(cls, dtype: Any) -> DataType:
        """Return the type that a numpy array stands for.

        ``uint8``, ``int8`` and ``int16`` arrays are the quantised types ``QASYMM_U8``,
        ``QASYMM_S8`` and ``QSYMM_S16``; a dtype named ``bfloat16`` is ``BFLOAT16``, whereas plain
        ``uint16`` is refused because it does not say so.

        Parameters
        ----------
        dtype
            Anything that ``numpy.dtype`` takes.

        Raises
        ------
        InvalidArgumentError
            No tensor type has this dtype.
        """
        try:
            resolved = np.dtype(dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f"dtype {dtype!r} is not a numpy dtype") from error
        found = _FROM_NUMPY.get(resolved.newbyteorder("="))
        if found is not None:
            return found
        if resolved.name == "bfloat16":
            return cls.BFLOAT16
        raise InvalidArgumentError(
            f"dtype '{resolved}' has no tensor type",
            details=[f"tensor types: {', '.join(map(str, _FROM_NUMPY))}"],
            hints=[_DTYPE_CURES.get(resolved.name, "convert the array with .astype()")],
        )


_NUMPY: dict[DataType, np.dtype[Any]] = {
    DataType.FLOAT16: np.dtype(np.float16),
    DataType.FLOAT32: np.dtype(np.float32),
    DataType.QASYMM_U8: np.dtype(np.uint8),
    DataType.SIGNED32: np.dtype(np.int32),
    DataType.BOOLEAN: np.dtype(np.bool_),
    DataType.QSYMM_S16: np.dtype(np.int16),
    DataType.QSYMM_S8: np.dtype(np.int8),
    DataType.QASYMM_S8: np.dtype(np.int8),
    DataType.BFLOAT16: np.dtype(np.uint16),
    DataType.SIGNED64: np.dtype(np.int64),
}
# Two types share int8; what an array means by itself is the asymmetric one, as in LiteRT.
_FROM_NUMPY: dict[np.dtype[Any], DataType] = {
    dtype: data_type
    for data_type, dtype in _NUMPY.items()
    if data_type not in (DataType.QSYMM_S8, DataType.BFLOAT16)
}
_LABELS = {data_type: data_type.name.lower() for data_type in DataType}
_FLOATS = frozenset({DataType.FLOAT16, DataType.FLOAT32, DataType.BFLOAT16})
_QUANTIZED = frozenset(
    {DataType.QASYMM_U8, DataType.QASYMM_S8, DataType.QSYMM_S8, DataType.QSYMM_S16}
)
_DTYPE_CURES = {
    "float64": "array.astype('float32'); nothing is converted silently",
    "uint16": "for bfloat16 say so: TensorInfo(shape, DataType.BFLOAT16)",
    "uint32": "array.astype('int64'); nothing is converted silently",
    "uint64": "array.astype('int64'); nothing is converted silently",
}


class DataLayout(IntEnum):
    """Order of batch (N), channels (C), depth (D), height (H) and width (W)."""

    NCHW = 1
    NHWC = 2
    NDHWC = 3
    NCDHW = 4

    @property
    def channel_axis(self) -> int:
        """Index of the channel dimension."""
        return _LAYOUT_AXES[self][0]

    @property
    def spatial_axes(self) -> tuple[int, ...]:
        """Indices of the spatial dimensions, in the order D, H, W."""
        return _LAYOUT_AXES[self][1]

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.name)


_LAYOUT_AXES: dict[DataLayout, tuple[int, tuple[int, ...]]] = {
    DataLayout.NCHW: (1, (2, 3)),
    DataLayout.NHWC: (3, (1, 2)),
    DataLayout.NDHWC: (4, (1, 2, 3)),
    DataLayout.NCDHW: (1, (2, 3, 4)),
}


class MemorySource(IntFlag):
    """Where memory lies; one bit each, combined in what a tensor handle imports or exports."""

    UNDEFINED = 0
    MALLOC = 1
    DMA_BUF = 2  #: reserved
    DMA_BUF_PROTECTED = 4  #: reserved
    GRALLOC = 8  #: reserved
