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
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.layers.attributes import attribute_array
from armnn_py._native.layers.tensor_structs import const_tensor, tensor_info, with_header
from armnn_py._native.texts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.tensors import TensorInfo

#: Members that no descriptor has as a field.
SKIPPED_FIELDS = {"header", "reserved", "reserved2"}


@functools.cache
def struct_of(class_name: str) -> type[Any]:
    """``Convolution2dDescriptor`` -> ``armnn_convolution2d_descriptor_t``."""
    # Capitals begin words; the pattern of a regular expression would take longer to compile.
    name = class_name.removesuffix("Descriptor")
    words = "".join(
        f"_{one.lower()}" if one.isupper() and not before.isupper() and before else one.lower()
        for before, one in zip(("", *name), name, strict=False)
    )
    structure: type[Any] = getattr(abi, f"armnn_{words}_descriptor_t")
    return structure


@functools.cache
def _members_of(kind: Any) -> tuple[type[Any], tuple[str, ...]]:
    """Return the structure of a descriptor, and its members that are fields."""
    structure = struct_of(kind.__name__)
    own = {*SKIPPED_FIELDS, kind.length_member}
    return structure, tuple(name for name, *_ in structure._fields_ if name not in own)


def descriptor_struct(layer_type: int, descriptor: Any) -> Any | None:
    """The C form of a descriptor for one layer type; None stays None.

    Fields are copied by name. Tuples fill fixed arrays; the ``length_member`` beside them is their
    length.
    """
    if descriptor is None:
        return None
    kind: Any = type(descriptor)
    structure, _ = _members_of(kind)
    struct = structure()
    with_header(struct, abi.ARMNN_STRUCT_DESCRIPTOR + int(layer_type))
    _fill_descriptor(struct, descriptor)
    return struct


def _compiled_struct(input_count: int, output_count: int) -> Any:
    """The descriptor of a PRE_COMPILED layer."""
    struct = abi.armnn_pre_compiled_descriptor_t()
    with_header(struct, abi.ARMNN_STRUCT_DESCRIPTOR + abi.ARMNN_LAYER_PRE_COMPILED)
    struct.input_count, struct.output_count = input_count, output_count
    return struct


def _fill_descriptor(struct: Any, descriptor: Any) -> None:
    """Copy the fields of a descriptor into its structure."""
    kind: Any = type(descriptor)
    _, copied = _members_of(kind)
    length = 0
    for name in copied:
        value = getattr(descriptor, name)
        if name == "views":
            length = len(value)
            struct.views = _views(value)
        elif name == "attributes":
            length = len(value)
            struct.attributes, struct._kept = attribute_array(value)
        elif isinstance(value, str):
            setattr(struct, name, counted(value))
        elif isinstance(value, tuple):
            length = len(value)
            getattr(struct, name)[:length] = [int(item) for item in value]
        else:
            setattr(struct, name, value)
    if kind.length_member:
        setattr(struct, kind.length_member, length)


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
        Its descriptor, or None; None also of a PRE_COMPILED layer, whose descriptor has
        the numbers of inputs and outputs.
    inputs
        Infos of its inputs in operand order; None for an absent operand.
    outputs
        Infos of its outputs.
    constants
        In parallel to ``inputs``: the value where it is known, else None. Values must be dense and
        outlive this object.
    blob
        The blob of a PRE_COMPILED layer.
    bounded
        For each input, then for each output: bits of bounded dimensions, see
        `tensor_info`; empty if the layer has none.
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
        bounded: Sequence[int] = (),
    ) -> None:
        masks = list(bounded) or [0] * (len(inputs) + len(outputs))
        known = list(constants) or [None] * len(inputs)
        self.layer_type = int(layer_type)
        if descriptor is None and self.layer_type == abi.ARMNN_LAYER_PRE_COMPILED:
            self.descriptor = _compiled_struct(len(inputs), len(outputs))
        else:
            self.descriptor = descriptor_struct(layer_type, descriptor)
        self.fields_used = 0 if descriptor is None else descriptor.fields_used
        self.inputs = [
            None if info is None else tensor_info(info, constant=value is not None, bounded=mask)
            for info, value, mask in zip(inputs, known, masks[: len(inputs)], strict=True)
        ]
        self.outputs = [
            tensor_info(info, bounded=mask)
            for info, mask in zip(outputs, masks[len(inputs) :], strict=True)
        ]
        self.constants = known
        self.blob = blob
        self._keep: list[Any] = []

    def image(self) -> dict[str, bytes]:
        """The bytes of the descriptor and of the infos, by name."""
        named = {"its descriptor": self.descriptor}
        named |= {f"the info of input {i}": one for i, one in enumerate(self.inputs)}
        named |= {f"the info of output {i}": one for i, one in enumerate(self.outputs)}
        return {name: bytes(one) for name, one in named.items() if one is not None}

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
        with_header(struct, abi.ARMNN_STRUCT_LAYER_QUERY)
        self._fill_common(struct)
        return struct

    def workload_info(self, guid: int, name: str) -> abi.armnn_workload_info_t:
        """The info that a workload is made from; valid while this object lives."""
        struct = abi.armnn_workload_info_t()
        with_header(struct, abi.ARMNN_STRUCT_WORKLOAD_INFO)
        self._fill(struct, guid, name)
        return struct

    def layer(self, guid: int, name: str) -> abi.armnn_layer_t:
        """A layer of a sub-graph, its inputs left open; valid while this object lives."""
        struct = abi.armnn_layer_t()
        with_header(struct, abi.ARMNN_STRUCT_LAYER)
        self._fill(struct, guid, name)
        return struct

    def _fill(self, struct: Any, guid: int, name: str) -> None:
        self._fill_common(struct)
        struct.guid = guid
        struct.name = counted(name)
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
    bounded: Sequence[int] = (),
) -> tuple[LayerStructs, abi.armnn_layer_query_t]:
    """A support query without values: it only tells which inputs are constant."""
    structs = LayerStructs(layer_type, descriptor, inputs, outputs, bounded=bounded)
    for info, constant in zip(structs.inputs, constant_inputs, strict=True):
        if info is not None and constant:
            info.flags |= abi.ARMNN_TENSOR_CONSTANT
    return structs, structs.query()
