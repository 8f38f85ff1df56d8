# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Named parameters of an operator that no layer expresses, as its model has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import TensorInfo
from armnn_py.tensors.memory import aligned_empty
from armnn_py.types import DataType

_LEAST, _MOST = -(2**63), 2**63 - 1


class AttributeTensor:
    """A tensor as the value of an attribute; compares by type, shape and bytes.

    Attributes
    ----------
    array
        The values, dense and read-only.
    info
        Their shape and data type.
    """

    __slots__ = ("_key", "array", "info")

    def __init__(self, array: np.ndarray, info: TensorInfo | None = None) -> None:
        self.array = aligned_empty(array.shape, array.dtype)
        self.array[...] = array
        self.array.flags.writeable = False
        self.info = (
            TensorInfo(self.array.shape, DataType.from_numpy(self.array.dtype))
            if info is None
            else info
        )
        self._key = (self.info, self.array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AttributeTensor) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"AttributeTensor({self.info})"


AttributeValue: TypeAlias = (
    "int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | AttributeTensor"
)


class Attribute(Struct, frozen=True):
    """A named parameter: an int of 64 bits, a float, a text, a tuple of one of these, a tensor."""

    name: str
    value: AttributeValue


Attributes = tuple[Attribute, ...]


def check_attributes(given: Mapping[str, Any] | Iterable[Attribute]) -> Attributes:
    """Bring attributes to their form: a mapping of names to values, or `Attribute` objects.

    Raises
    ------
    ValueError
        A name is not a text or is given twice, or a value is of another kind.
    """
    if isinstance(given, Mapping):
        found = tuple(Attribute(name, _plain(name, value)) for name, value in given.items())
    else:
        found = tuple(Attribute(one.name, _plain(one.name, one.value)) for one in given)
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"'{twice}' is given twice")
    return found


def _plain(name: object, value: Any) -> AttributeValue:
    if not isinstance(name, str):
        raise ValueError(f"{name!r} is not a name of an attribute")
    if isinstance(value, np.ndarray):
        try:
            return AttributeTensor(value)
        except InvalidArgumentError as error:
            raise ValueError(f"attribute '{name}': {error.message}") from None
    if isinstance(value, AttributeTensor):
        return value
    if isinstance(value, (list, tuple)):
        items: Any = tuple(_single(name, item) for item in value)
        if len({type(item) for item in items}) > 1:
            raise ValueError(f"attribute '{name}' has values of several kinds")
        return items  # type: ignore[no-any-return]
    return _single(name, value)  # type: ignore[no-any-return]


def _single(name: str, value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        if not _LEAST <= value <= _MOST:
            raise ValueError(f"attribute '{name}' is {value}, which takes more than 64 bits")
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, str):
        return value
    raise ValueError(
        f"attribute '{name}' is {type(value).__name__}; int, float, str, a list of one of these "
        "or an array expected"
    )
