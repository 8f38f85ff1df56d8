# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Texts and attributes of descriptors, to C and back."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from armnn_py._native import abi
from armnn_py._native.layers.read_tensors import read_constant
from armnn_py._native.layers.tensor_structs import const_tensor, tensor_info
from armnn_py._native.memory.read_memory import NonsenseError, read_array, read_counted
from armnn_py._native.texts import counted
from armnn_py.descriptors.attributes import Attribute, Attributes, AttributeTensor

_MAX_ATTRIBUTES = 1 << 12
_MAX_VALUES = 1 << 24
_KINDS: dict[type, tuple[int, Any]] = {
    int: (abi.ARMNN_ATTRIBUTE_INTEGER, ctypes.c_int64),
    float: (abi.ARMNN_ATTRIBUTE_REAL, ctypes.c_double),
    str: (abi.ARMNN_ATTRIBUTE_STRING, abi.armnn_string_t),
    AttributeTensor: (abi.ARMNN_ATTRIBUTE_TENSOR, abi.armnn_const_tensor_t),
}
_ITEMS = dict(_KINDS.values())


def attribute_array(attributes: Attributes) -> tuple[Any, list[Any]]:
    """Return attributes as an array of ``armnn_attribute_t``, and what must live as long."""
    array = (abi.armnn_attribute_t * max(len(attributes), 1))()
    kept: list[Any] = [attributes]
    for struct, one in zip(array, attributes, strict=False):
        is_list = isinstance(one.value, tuple)
        values: Sequence[Any] = one.value if isinstance(one.value, tuple) else (one.value,)
        kind, item = _KINDS[type(values[0]) if values else int]
        made = (item * max(len(values), 1))(*[_item(value) for value in values])
        struct.name = counted(one.name)
        struct.type, struct.is_list, struct.count = kind, is_list, len(values)
        struct.values = ctypes.addressof(made)
        kept.append(made)
    return array, kept


def _item(value: Any) -> Any:
    if isinstance(value, str):
        return counted(value)
    if isinstance(value, AttributeTensor):
        return const_tensor(ctypes.pointer(tensor_info(value.info, constant=True)), value.array)
    return value


def read_text(text: abi.armnn_string_t, what: str) -> str:
    """Return a text of a descriptor.

    Raises
    ------
    NonsenseError
        It cannot be read.
    """
    return read_counted(text, what).decode("utf-8", "surrogateescape")


def read_attributes(pointer: Any, count: int, what: str) -> Attributes:
    """Return the attributes of a descriptor, copied.

    Raises
    ------
    NonsenseError
        They cannot be read, or make no sense.
    """
    if count > _MAX_ATTRIBUTES:
        raise NonsenseError(f"{what}: {count} attributes")
    array = read_array(pointer, abi.armnn_attribute_t, count, f"the attributes of {what}")
    return tuple(_attribute(struct, what) for struct in array)


def _attribute(struct: abi.armnn_attribute_t, what: str) -> Attribute:
    name = read_text(struct.name, f"the name of an attribute of {what}")
    what = f"attribute '{name}' of {what}"
    count, is_list = int(struct.count), int(struct.is_list)
    if struct.type not in _ITEMS:
        raise NonsenseError(f"{what} has the unknown type {struct.type}")
    if is_list not in (0, 1) or count > _MAX_VALUES or (not is_list and count != 1):
        raise NonsenseError(f"{what} has {count} values, is_list is {is_list}")
    items = read_array(struct.values, _ITEMS[struct.type], count, what)
    values: list[Any]
    if struct.type == abi.ARMNN_ATTRIBUTE_STRING:
        values = [read_text(item, what) for item in items]
    elif struct.type == abi.ARMNN_ATTRIBUTE_TENSOR:
        if is_list:
            raise NonsenseError(f"{what} is a list of tensors")
        info, array = read_constant(ctypes.pointer(items[0]), what, {})
        values = [AttributeTensor(array, info)]
    else:
        values = list(items)
    return Attribute(name, tuple(values) if is_list else values[0])
