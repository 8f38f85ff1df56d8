# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Examples again, with one field of the descriptor away from its usual value.

A kernel that ignores a field passes all examples that leave it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import structs

from armnn_py.errors import ArmnnError

if TYPE_CHECKING:
    from armnn_py.backends.questions.examples import Example

__all__ = ["other_fields"]


def other_fields(example: Example, in_float: Example) -> Iterator[tuple[Example, Example, str]]:
    """Give the example and its float32 form with each other value, and the field's name.

    Numbers and booleans get one other value, an axis each other one, from the front and from the
    end. Whether there is such a layer is for the caller to find out.
    """
    descriptor = example.descriptor
    if descriptor is None or not example.operands or example.operands[0] is None:
        return
    rank = example.operands[0].info.rank
    for field in structs.fields(descriptor):
        role = descriptor.roles.get(field.name)
        for value in _others(getattr(descriptor, field.name), role, rank):
            try:
                changed = structs.replace(descriptor, **{field.name: value})
            except ArmnnError:
                continue
            yield (
                structs.replace(example, descriptor=changed),
                structs.replace(in_float, descriptor=changed),
                field.name,
            )


def _others(value: Any, role: str | None, rank: int) -> Iterator[Any]:
    if role == "axis":
        yield from (axis for axis in range(-rank, rank) if axis != value)
    elif role == "axes" and value:
        yield tuple(axis - rank if axis >= 0 else axis + rank for axis in value)
    elif type(value) is bool:
        yield not value
    elif type(value) is float:
        yield value * 0.6 + 0.3
