# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Strings that a run is given: arrays of dtype object whose elements are all ``str``."""

from __future__ import annotations

from typing import Any

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors.constants import is_masked

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
            f"{what} '{name}': a masked array given, and a network knows no masks",
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
    is_plain = True
    for place, item in enumerate(array.reshape(-1)):  # numpy has no flat beyond 32 dimensions
        if type(item) is not str:
            if not isinstance(item, str):
                _refuse(what, name, array, place, item)
            is_plain = False
    return array if is_plain else _of_plain(array)


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
