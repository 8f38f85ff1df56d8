# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From C to Python: a backend's descriptions of layers, checked and copied."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.layers.attributes import read_attributes, read_text
from armnn_py._native.layers.layer_structs import struct_of
from armnn_py._native.layers.read_tensors import Meaning
from armnn_py._native.memory.read_memory import NonsenseError, address_of, read_array, read_struct
from armnn_py.descriptors import DESCRIPTOR_OF, View
from armnn_py.descriptors.base import defaults_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.descriptors import Descriptor

_MAX_VIEWS = 1 << 16


# ---- Descriptors ---------------------------------------------------------------------------------


@functools.cache
def _readers(kind: type[Any]) -> dict[str, Callable[[Any], Any] | None]:
    """How each field of a descriptor is made from its member, by its default; None for a tuple."""
    types = {name: type(default) for name, default in defaults_of(kind).items()}
    return {name: None if found is tuple else found for name, found in types.items()}


def descriptor_from_struct(
    layer_type: LayerType, pointer: Any, what: str, *, view_rank: int = 0
) -> Descriptor | None:
    """The descriptor that a C structure stands for: the inverse of ``descriptor_struct``.

    Parameters
    ----------
    layer_type
        Type of the layer.
    pointer
        To the header of the structure; null for a layer without parameters.
    what
        For messages.
    view_rank
        Rank of the views of Concat and Splitter, which the structure does not hold.

    Raises
    ------
    NonsenseError
        It is another structure, or a member has an invalid value.
    """
    kind: Any = DESCRIPTOR_OF[layer_type]
    if kind is None:
        if address_of(pointer):
            raise NonsenseError(f"{what}: layers of type {layer_type.label} have no descriptor")
        return None
    structure = struct_of(kind.__name__)
    tag = abi.ARMNN_STRUCT_DESCRIPTOR + int(layer_type)
    struct = read_struct(pointer, structure, tag, what)
    readers = _readers(kind)  # classes are hashable
    length = int(getattr(struct, kind.length_member)) if kind.length_member else 0
    values: dict[str, Any] = {}

    for name, reader in readers.items():
        member = getattr(struct, name)
        if name == "views":
            values[name] = _views(member, length, view_rank, what)
        elif name == "attributes":
            values[name] = read_attributes(member, length, what)
        elif reader is str:
            values[name] = read_text(member, f"{name} of {what}")
        elif reader is None:
            if length > abi.ARMNN_MAX_DIMS:
                raise NonsenseError(f"{what}: {length} values given for {name}")
            values[name] = tuple(member[:length])
        else:
            try:
                values[name] = reader(member)
            except ValueError:
                raise NonsenseError(f"{what}: {name} is {member}") from None
    with Meaning(what):
        made: Descriptor = kind(**values)
    return made


def _views(member: Any, count: int, rank: int, what: str) -> tuple[View, ...]:
    if count > _MAX_VIEWS:
        raise NonsenseError(f"{what}: {count} views")
    array = read_array(member, abi.armnn_view_t, count, f"the views of {what}")
    with Meaning(what):
        return tuple(View(tuple(view.origin[:rank]), tuple(view.size[:rank])) for view in array)
