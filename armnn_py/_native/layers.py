# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers as C structures: tensor infos, descriptors, support queries and workload infos.

Every function returns ctypes structures together with whatever they point to, so that the caller
decides how long they live. A structure handed to ``create_workload`` must live until the workload
is destroyed (``backend_api.h``); one for a support question only for the call.
"""

from __future__ import annotations

import ctypes
import functools
import re
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from armnn_py._native.blob import NativeBlob
    from armnn_py.tensors import TensorInfo

__all__ = [
    "SKIPPED_FIELDS",
    "LayerStructs",
    "const_tensor",
    "descriptor_struct",
    "layer_query",
    "struct_of",
    "tensor_info",
]

#: Members that no descriptor has as a field.
SKIPPED_FIELDS = {"header", "reserved", "reserved2"}


def _header(structure: Any, tag: int) -> None:
    structure.header.struct_size = ctypes.sizeof(structure)
    structure.header.struct_type = tag


def tensor_info(
    info: TensorInfo, *, constant: bool = False, late: int = 0
) -> abi.armnn_tensor_info_t:
    """The C form of ``info``; its quantisation arrays stay attached to the result.

    Bit d of ``late``: dimension d is known late, ``info`` has its upper bound.
    """
    if info.quantization is not None:
        struct = _make_tensor_info(info, constant)
    else:
        struct = abi.armnn_tensor_info_t.from_buffer_copy(_image_of_info(info, constant))
    if late:
        struct.dim_known_mask &= ~late
    return struct


@functools.lru_cache(maxsize=1024)
def _image_of_info(info: TensorInfo, constant: bool) -> bytes:
    """Return the bytes of a structure without pointers: most layers of a network share theirs."""
    return bytes(_make_tensor_info(info, constant))


def _make_tensor_info(info: TensorInfo, constant: bool) -> abi.armnn_tensor_info_t:
    struct = abi.armnn_tensor_info_t()
    _header(struct, abi.ARMNN_STRUCT_TENSOR_INFO)
    struct.data_type = int(info.data_type)
    rank = len(info.shape)
    struct.rank = rank
    struct.dimensionality = (
        abi.ARMNN_DIMENSIONALITY_SPECIFIED if rank else abi.ARMNN_DIMENSIONALITY_SCALAR
    )
    count, known = 1, 0
    for axis, dimension in enumerate(info.shape):
        if dimension is None:
            continue
        struct.dims[axis] = dimension
        known |= 1 << axis
        count *= dimension
    struct.dim_known_mask = known
    struct.element_count = count if info.is_static else 0
    struct.quantization_dim = -1
    struct.flags = abi.ARMNN_TENSOR_CONSTANT if constant else 0
    if info.quantization is not None:
        scales, zero_points = info.quantization.scales, info.quantization.zero_points
        # Kept alive by the structure itself: ctypes holds what a pointer member was set from.
        struct.scales = (ctypes.c_float * len(scales))(*scales)
        struct.zero_points = (ctypes.c_int32 * len(scales))(*zero_points)
        struct.quantization_count = len(scales)
        if info.quantization.axis is not None:
            struct.quantization_dim = info.quantization.axis
    return struct


def const_tensor(
    info: ctypes._Pointer[abi.armnn_tensor_info_t], value: np.ndarray
) -> abi.armnn_const_tensor_t:
    """The C form of a constant; ``value`` must outlive the result."""
    struct = abi.armnn_const_tensor_t()
    _header(struct, abi.ARMNN_STRUCT_CONST_TENSOR)
    struct.info = info
    struct.data = value.ctypes.data
    struct.size = value.nbytes
    return struct


@functools.cache
def struct_of(class_name: str) -> type[Any]:
    """``Convolution2dDescriptor`` -> ``armnn_convolution2d_descriptor_t``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name.removesuffix("Descriptor")).lower()
    structure: type[Any] = getattr(abi, f"armnn_{words}_descriptor_t")
    return structure


@functools.cache
def _members_of(kind: Any) -> tuple[type[Any], tuple[str, ...]]:
    """Return the structure of a descriptor, and its members that are fields."""
    structure = struct_of(kind.__name__)
    own = {*SKIPPED_FIELDS, kind.length_member}
    return structure, tuple(name for name, *_ in structure._fields_ if name not in own)


@functools.lru_cache(maxsize=256)
def _text_type(size: int) -> Any:
    """Return the array type of texts of a size; making one takes longer than filling it."""
    return ctypes.c_char * size


def descriptor_struct(layer_type: int, descriptor: Any) -> Any | None:
    """The C form of a descriptor dataclass for one layer type; None stays None.

    Fields are copied by name. Tuples fill fixed arrays; the ``length_member`` beside them is their
    length.
    """
    if descriptor is None:
        return None
    kind: Any = type(descriptor)
    structure, copied = _members_of(kind)
    struct = structure()
    _header(struct, abi.ARMNN_STRUCT_DESCRIPTOR + int(layer_type))
    length = 0
    for name in copied:
        value = getattr(descriptor, name)
        if name == "views":
            length = len(value)
            struct.views = _views(value)
        elif isinstance(value, tuple):
            length = len(value)
            getattr(struct, name)[:length] = [int(item) for item in value]
        else:
            setattr(struct, name, value)
    if kind.length_member:
        setattr(struct, kind.length_member, length)
    return struct


def _views(views: Sequence[Any]) -> Any:
    array = (abi.armnn_view_t * len(views))()
    for struct, view in zip(array, views, strict=True):
        struct.origin[: len(view.origin)] = list(view.origin)
        struct.size[: len(view.size)] = list(view.size)
    return array


def _info_array(
    infos: Sequence[abi.armnn_tensor_info_t | None],
) -> Any:
    pointer_type = ctypes.POINTER(abi.armnn_tensor_info_t)
    array = (pointer_type * max(len(infos), 1))()
    for index, info in enumerate(infos):
        if info is not None:
            array[index] = ctypes.pointer(info)
    return array


class LayerStructs:
    """One layer in C: the members that a support query and a workload info share.

    Parameters
    ----------
    layer_type
        Type of the layer.
    descriptor
        Its descriptor dataclass, or None.
    inputs
        Infos of its inputs in operand order; None for an absent operand.
    outputs
        Infos of its outputs.
    constants
        In parallel to ``inputs``: the value where it is known, else None. Values must be dense and
        outlive this object.
    blob
        The blob of a PRE_COMPILED layer.
    late
        For each input, then for each output: bits of dimensions that are known late, see
        `tensor_info`; empty: there are none.
    """

    __slots__ = (
        "_keep",
        "blob",
        "constants",
        "descriptor",
        "fields_used",
        "inputs",
        "layer_type",
        "outputs",
    )

    def __init__(
        self,
        layer_type: int,
        descriptor: Any,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
        constants: Sequence[np.ndarray | None] = (),
        *,
        blob: NativeBlob | None = None,
        late: Sequence[int] = (),
    ) -> None:
        masks = list(late) or [0] * (len(inputs) + len(outputs))
        known = list(constants) or [None] * len(inputs)
        self.layer_type = int(layer_type)
        self.descriptor = descriptor_struct(layer_type, descriptor)
        self.fields_used = 0 if descriptor is None else descriptor.fields_used
        self.inputs = [
            None if info is None else tensor_info(info, constant=value is not None, late=mask)
            for info, value, mask in zip(inputs, known, masks[: len(inputs)], strict=True)
        ]
        self.outputs = [
            tensor_info(info, late=mask)
            for info, mask in zip(outputs, masks[len(inputs) :], strict=True)
        ]
        self.constants = known
        self.blob = blob
        self._keep: list[Any] = []

    def _descriptor_pointer(self) -> Any:
        if self.descriptor is None:
            return None
        return ctypes.pointer(self.descriptor.header)  # its first member

    def _fill_common(self, struct: Any) -> None:
        struct.type = self.layer_type
        struct.input_count = len(self.inputs)
        struct.output_count = len(self.outputs)
        struct.descriptor = self._descriptor_pointer()
        struct.fields_used = self.fields_used
        struct.input_infos = _info_array(self.inputs)
        struct.output_infos = _info_array(self.outputs)

    def query(self) -> abi.armnn_layer_query_t:
        """The question "would you run this layer?"; valid while this object lives."""
        struct = abi.armnn_layer_query_t()
        _header(struct, abi.ARMNN_STRUCT_LAYER_QUERY)
        self._fill_common(struct)
        return struct

    def workload_info(self, guid: int, name: str) -> abi.armnn_workload_info_t:
        """The info that a workload is made from; valid while this object lives."""
        struct = abi.armnn_workload_info_t()
        _header(struct, abi.ARMNN_STRUCT_WORKLOAD_INFO)
        self._fill(struct, guid, name)
        return struct

    def layer(self, guid: int, name: str) -> abi.armnn_layer_t:
        """A layer of a sub-graph, its inputs left open; valid while this object lives."""
        struct = abi.armnn_layer_t()
        _header(struct, abi.ARMNN_STRUCT_LAYER)
        self._fill(struct, guid, name)
        return struct

    def _fill(self, struct: Any, guid: int, name: str) -> None:
        self._fill_common(struct)
        struct.guid = guid
        text = name.encode()
        struct.name.data = _text_type(len(text) + 1)(*text)
        struct.name.size = len(text)
        pointer_type = ctypes.POINTER(abi.armnn_const_tensor_t)
        array = (pointer_type * max(len(self.inputs), 1))()
        for index, value in enumerate(self.constants):
            info = self.inputs[index]
            if value is not None and info is not None:
                array[index] = ctypes.pointer(const_tensor(ctypes.pointer(info), value))
        self._keep.append(array)
        struct.constants = array
        if self.blob is not None:
            struct.blob = ctypes.pointer(self.blob.struct)


def layer_query(
    layer_type: int,
    descriptor: Any,
    inputs: Sequence[TensorInfo | None],
    outputs: Sequence[TensorInfo],
    constant_inputs: Sequence[bool],
    late: Sequence[int] = (),
) -> tuple[LayerStructs, abi.armnn_layer_query_t]:
    """A support query without values: it only tells which inputs are constant."""
    structs = LayerStructs(layer_type, descriptor, inputs, outputs, late=late)
    for info, constant in zip(structs.inputs, constant_inputs, strict=True):
        if info is not None and constant:
            info.flags |= abi.ARMNN_TENSOR_CONSTANT
    return structs, structs.query()
