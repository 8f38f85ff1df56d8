# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From C to Python: a backend's descriptions of layers, checked and copied."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import typing
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.layers import struct_of
from armnn_py._native.read_memory import NonsenseError, address_of, read_array, read_struct
from armnn_py.descriptors import DESCRIPTOR_OF, View
from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor

__all__ = [
    "descriptor_from_struct",
    "read_constant",
    "read_tensor_info",
]

_MAX_VIEWS = 1 << 16


def read_tensor_info(pointer: Any, what: str, *, takes_late: bool = False) -> TensorInfo:
    """The `TensorInfo` of an ``armnn_tensor_info_t``.

    Every dimension must be known, except with ``takes_late``.

    Raises
    ------
    NonsenseError
        It is no such structure, or describes no tensor.
    """
    struct = read_struct(
        pointer, abi.armnn_tensor_info_t, abi.ARMNN_STRUCT_TENSOR_INFO, what, least="flags"
    )
    if struct.fields_used:
        raise NonsenseError(f"{what} uses members that this version does not know")
    rank = int(struct.rank)
    if rank > abi.ARMNN_MAX_DIMS:
        raise NonsenseError(f"{what} has {rank} dimensions")
    late = [axis for axis in range(rank) if not struct.dim_known_mask >> axis & 1]
    if late and not takes_late:
        raise NonsenseError(f"{what} has free dimensions")
    try:
        data_type = DataType(int(struct.data_type))
    except ValueError:
        raise NonsenseError(f"{what} has unknown data type {struct.data_type}") from None
    count = int(struct.quantization_count)
    quantization = None
    if count:
        if count > 1 << 24:
            raise NonsenseError(f"{what} has {count} scales")
        scales = read_array(struct.scales, ctypes.c_float, count, f"the scales of {what}")
        points = read_array(struct.zero_points, ctypes.c_int32, count, f"zero points of {what}")
        axis = None if struct.quantization_dim < 0 else int(struct.quantization_dim)
        with _Meaning(what):
            quantization = QuantizationInfo(tuple(scales), tuple(points), axis)
    with _Meaning(what):
        return TensorInfo(tuple(struct.dims[:rank]), data_type, quantization, late=late)


class _Meaning:
    """Turn the refusal of a checked class into `NonsenseError`."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InvalidArgumentError):
            raise NonsenseError(f"{self.what}: {error.message}") from None


def read_constant(
    pointer: Any, what: str, known: Mapping[int, NDArray[Any]]
) -> tuple[TensorInfo, NDArray[Any]]:
    """An ``armnn_const_tensor_t``: its info and a copy of its values, dense and read-only.

    Parameters
    ----------
    pointer
        To the structure.
    what
        For messages.
    known
        The host's arrays by address: values at one of them are not copied.

    Raises
    ------
    NonsenseError
        It is no such structure, or its values are not as many bytes as its info needs.
    """
    struct = read_struct(
        pointer, abi.armnn_const_tensor_t, abi.ARMNN_STRUCT_CONST_TENSOR, what, least="size"
    )
    info = read_tensor_info(struct.info, f"the info of {what}")
    size = info.byte_size
    if struct.size != size:
        raise NonsenseError(f"{what} has {struct.size} bytes, {size} are needed for {info}")
    ours = known.get(struct.data or 0)
    if (
        ours is not None
        and ours.nbytes == size
        and ours.dtype == info.dtype
        and ours.shape == info.shape
    ):
        return info, ours
    data = read_array(struct.data, ctypes.c_ubyte, size, f"the values of {what}")
    array = np.empty(info.static_shape, info.dtype)
    ctypes.memmove(array.ctypes.data, data, size)
    array.flags.writeable = False
    return info, array


# ---- Descriptors ---------------------------------------------------------------------------------


@functools.cache
def _readers(kind: type[Any]) -> dict[str, Callable[[Any], Any] | None]:
    """How each field of a descriptor is made from its member; None for a tuple."""
    hints = typing.get_type_hints(kind)
    found: dict[str, Callable[[Any], Any] | None] = {}
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        if typing.get_origin(hint) is tuple:
            found[field.name] = None
        elif hint is bool or hint is float or hint is int or issubclass(hint, IntEnum):
            found[field.name] = hint
        else:
            raise TypeError(f"{kind.__name__}.{field.name}: {hint}")
    return found


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
    kind = DESCRIPTOR_OF[layer_type]
    if kind is None:
        if address_of(pointer):
            raise NonsenseError(f"{what}: layers of type {layer_type.label} have no descriptor")
        return None
    structure = struct_of(kind.__name__)
    tag = abi.ARMNN_STRUCT_DESCRIPTOR + int(layer_type)
    struct = read_struct(pointer, structure, tag, what)
    readers = _readers(kind)  # type: ignore[arg-type]  # classes are hashable
    length = int(getattr(struct, kind.length_member)) if kind.length_member else 0
    values: dict[str, Any] = {}
    for name, reader in readers.items():
        member = getattr(struct, name)
        if name == "views":
            values[name] = _views(member, length, view_rank, what)
        elif reader is None:
            if length > abi.ARMNN_MAX_DIMS:
                raise NonsenseError(f"{what}: {length} values given for {name}")
            values[name] = tuple(member[:length])
        else:
            try:
                values[name] = reader(member)
            except ValueError:
                raise NonsenseError(f"{what}: {name} is {member}") from None
    with _Meaning(what):
        return kind(**values)


def _views(member: Any, count: int, rank: int, what: str) -> tuple[View, ...]:
    if count > _MAX_VIEWS:
        raise NonsenseError(f"{what}: {count} views")
    array = read_array(member, abi.armnn_view_t, count, f"the views of {what}")
    with _Meaning(what):
        return tuple(View(tuple(view.origin[:rank]), tuple(view.size[:rank])) for view in array)
