# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Views of memory that its owner may write again only when the last view is gone."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Sets of arrays without views that are kept for later runs.
_SPARE_SETS = 2


class ViewToken:
    """Lives as long as an array that was made with it, or a view of one."""

    __slots__ = ("__weakref__",)


class _Memory:
    """The base of the views. Not an array: numpy replaces an array by its own base."""

    __slots__ = ("__array_interface__", "_array", "_token")

    def __init__(self, array: np.ndarray, token: ViewToken) -> None:
        self._array = array
        self._token = token
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": (array.nbytes,),
            "typestr": "|u1",
            "data": (array.ctypes.data, False),
        }


def guarded_views(arrays: Mapping[str, np.ndarray], token: ViewToken) -> dict[str, np.ndarray]:
    """Views of dense arrays that hold on to the memory and to ``token``."""
    return {
        name: np.asarray(_Memory(array, token)).view(array.dtype).reshape(array.shape)
        for name, array in arrays.items()
    }


class SharedOutputs:
    """The arrays that one execution context lends as outputs, a set for each run.

    A set is written again when no view of it is left; then at most `_SPARE_SETS` are kept. Used by
    one run at a time.
    """

    __slots__ = ("_sets",)

    def __init__(self) -> None:
        self._sets: list[tuple[weakref.ref[ViewToken], dict[str, np.ndarray]]] = []

    def take(
        self, make: Callable[[], dict[str, np.ndarray]]
    ) -> tuple[dict[str, np.ndarray], ViewToken]:
        """Arrays by name without views, made by ``make`` if needed, and their token."""
        spare = [arrays for token, arrays in self._sets if token() is None]
        arrays = spare.pop(0) if spare else make()
        token = ViewToken()
        kept = spare[:_SPARE_SETS]
        gone = weakref.ref(ViewToken())  # collected at once
        self._sets = [
            (weakref.ref(token), arrays),
            *((gone, other) for other in kept),
            *((held, other) for held, other in self._sets if held() is not None),
        ]
        return arrays, token

    def clear(self) -> None:
        """Forget the arrays: the next ones have other shapes. Views of these stay."""
        self._sets.clear()
