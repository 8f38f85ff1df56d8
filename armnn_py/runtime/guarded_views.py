# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Views of memory that its owner may write again only when the last view is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ViewToken", "guarded_views"]


class ViewToken:
    """Lives as long as an array that was made with it, or a view of one."""

    __slots__ = ("__weakref__",)


class _Memory:
    """The base of the views. It is no array, because numpy replaces an array by its own base."""

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
