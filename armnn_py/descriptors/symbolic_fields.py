# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Descriptors with symbolic sizes in their fields."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TypeVar

from msgspec import structs

from armnn_py.descriptors.base import Checked, Descriptor, View
from armnn_py.symbolic import SymbolicSize

__all__ = ["plain_descriptor"]

_C = TypeVar("_C", bound=Checked)


def plain_descriptor(
    descriptor: Descriptor | None, numbers: Sequence[int] | None = None
) -> Descriptor | None:
    """Return a descriptor with numbers for symbolic sizes; itself if it has none.

    ``numbers`` are those of all sizes of a trace; without them each size is as in the trace. The
    trace has recorded that they are valid, so that nothing is checked again.
    """
    return None if descriptor is None else _plain(descriptor, numbers)


def _plain(record: _C, numbers: Sequence[int] | None) -> _C:
    changed: dict[str, object] = {}
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if type(value) is SymbolicSize:
            changed[name] = value.number if numbers is None else numbers[value.index]
        elif type(value) is tuple:
            items = tuple([_plain_item(item, numbers) for item in value])
            if any(new is not old for new, old in zip(items, value, strict=True)):
                changed[name] = items
    if not changed:
        return record
    new = copy.copy(record)
    for name, value in changed.items():
        structs.force_setattr(new, name, value)
    return new


def _plain_item(item: object, numbers: Sequence[int] | None) -> object:
    if type(item) is SymbolicSize:
        return item.number if numbers is None else numbers[item.index]
    return _plain(item, numbers) if type(item) is View else item
