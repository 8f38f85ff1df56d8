# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Finds the constant that already holds the same numbers, so that each is kept once."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from armnn_py.tensors.info import TensorInfo

T = TypeVar("T")

#: Bytes; smaller constants are not worth comparing.
_LEAST = 1 << 14
_SAMPLES = 61
_CHUNK = 1 << 20

_Key = tuple[bytes, int]


class EqualArrays(Generic[T]):
    """Holders of arrays, found by the content of the array and its info.

    Candidates are found by a few elements, then compared byte by byte. The arrays are not kept
    alive by it.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[_Key, list[tuple[weakref.ref[NDArray[Any]], TensorInfo | None, T]]] = {}

    def alike(self, array: NDArray[Any], info: TensorInfo | None) -> Iterator[T]:
        """Yield the holders of equal arrays with the same info."""
        if not _is_compared(array):
            return
        for kept, stated, holder in self._known.get(_key(array), ()):
            other = kept()
            if other is not None and stated == info and _are_equal(array, other):
                yield holder

    def add(self, array: NDArray[Any], info: TensorInfo | None, holder: T) -> None:
        """Register the holder of an array, whose elements never change again."""
        if _is_compared(array):
            self._known.setdefault(_key(array), []).append((weakref.ref(array), info, holder))


def _is_compared(array: NDArray[Any]) -> bool:
    return array.nbytes >= _LEAST and array.flags.c_contiguous and not array.dtype.hasobject


def _key(array: NDArray[Any]) -> _Key:
    flat = array.reshape(-1)
    return flat[:: max(1, flat.size // _SAMPLES)].tobytes(), array.nbytes


def _are_equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Compare bytes, so that NaN equals itself and -0 differs from 0."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one is other:
        return True
    a, b = one.reshape(-1).view(np.uint8), other.reshape(-1).view(np.uint8)
    starts = range(0, a.size, _CHUNK)
    return all(np.array_equal(a[i : i + _CHUNK], b[i : i + _CHUNK]) for i in starts)
