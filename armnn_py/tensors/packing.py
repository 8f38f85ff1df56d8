# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers of less than a byte: several to a byte, as Constant layers of such types keep them.

Element i of b bits lies in byte i * b // 8, from bit i * b % 8 upwards; the last byte is filled up
with zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def pack(array: NDArray[Any], data_type: DataType) -> NDArray[np.uint8]:
    """Return the bytes that hold numbers; read-only, of one dimension.

    Parameters
    ----------
    array
        The numbers as integers of a byte (of floating point: their bits), or in the type of the
        package ml_dtypes.
    data_type
        A type of less than a byte.

    Raises
    ------
    InvalidArgumentError
        The numbers are of another type, or do not fit.
    """
    package = data_type.package_dtype
    if package is not None and array.dtype == package:
        codes = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    elif data_type.is_quantized and array.dtype in (np.int8, np.uint8):
        low, high = data_type.zero_points or (0, 0)
        if array.size and not (low <= int(array.min()) and int(array.max()) <= high):
            raise InvalidArgumentError(f"constant: a number does not fit {data_type.described}")
        codes = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    elif data_type.is_float and array.dtype == np.uint8:
        codes = np.ascontiguousarray(array).reshape(-1)
    else:
        raise InvalidArgumentError(
            f"constant: {data_type.described} cannot be made of an array of {array.dtype}"
        )
    bits = data_type.bits
    per_byte, mask = 8 // bits, np.uint8((1 << bits) - 1)
    whole = codes.size // per_byte * per_byte
    packed = np.zeros(-(-codes.size // per_byte), np.uint8)
    for place in range(per_byte):
        part = codes[place:whole:per_byte] & mask
        packed[: part.size] |= part << np.uint8(place * bits)
    for place, code in enumerate(codes[whole:]):
        packed[-1] |= (code & mask) << np.uint8(place * bits)
    packed.flags.writeable = False
    return packed


def unpack(packed: NDArray[np.uint8], data_type: DataType, shape: Sequence[int]) -> NDArray[Any]:
    """Return numbers one by one, in `DataType.numpy` (of floating point: their bits)."""
    bits = data_type.bits
    per_byte, mask = 8 // bits, np.uint8((1 << bits) - 1)
    codes = np.empty((packed.size, per_byte), np.uint8)
    for place in range(per_byte):
        codes[:, place] = (packed >> np.uint8(place * bits)) & mask
    numbers = codes.reshape(-1)[: int(np.prod(shape))].reshape(shape)
    low, _ = data_type.zero_points or (0, 0)
    if low < 0:  # two's complement
        sign = np.uint8(1 << (bits - 1))
        return ((numbers ^ sign) - sign).view(np.int8)
    return numbers
