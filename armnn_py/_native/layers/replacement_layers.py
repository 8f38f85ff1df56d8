# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Replacement layers, as a backend gives them to the sink."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.growth import known_fields, why_not_shown
from armnn_py._native.layers.read_layers import descriptor_from_struct
from armnn_py._native.layers.read_tensors import read_constant, read_tensor_info
from armnn_py._native.layers.subgraph import ABSENT, BOUNDARY, CONSTANT, LayerData, Slot
from armnn_py._native.memory.read_memory import (
    NonsenseError,
    address_of,
    read_array,
    read_counted,
    read_struct,
)
from armnn_py._native.table.blob import NativeBlob, check_functions
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo

_MAX_SLOTS = 1 << 16


def read_slots(pointer: Any, count: int, what: str) -> tuple[Slot, ...]:
    """Read an array of slots."""
    if count > _MAX_SLOTS:
        raise NonsenseError(f"{what}: {count} slots")
    array = read_array(pointer, abi.armnn_slot_t, count, what)
    return tuple((int(slot.layer), int(slot.slot)) for slot in array)


def check_slot(layers: Any, layer: int, slot: int, what: str) -> None:
    """Refuse a slot that no layer of a list has."""
    if layer >= len(layers):
        raise NonsenseError(f"{what}: layer {layer} of {len(layers)}")
    count = len(layers[layer].output_infos)
    if slot >= count:
        raise NonsenseError(f"{what}: output {slot} of a layer with {count}")


class ReplacementReader:
    """Reads layers of one answer.

    Parameters
    ----------
    known
        Constants of the sub-graph by address: a layer that refers to one gets the same array.
    retain, release
        Keep the backend open for the blobs that it makes.
    api
        The backend's table: layers newer than its version are refused.
    """

    def __init__(
        self,
        known: dict[int, NDArray[Any]],
        retain: Callable[[], None],
        release: Callable[[], None],
        api: abi.armnn_backend_api_t,
    ) -> None:
        self._known = known
        self._api = api
        self._retain, self._release = retain, release
        self._infos: dict[bytes, TensorInfo] = {}

    def read(self, pointer: Any, earlier: list[LayerData]) -> LayerData:
        """Copy the layer that follows ``earlier``; the backend still owns its blob.

        Raises
        ------
        NonsenseError
            The layer makes no sense.
        """
        struct = read_struct(
            pointer, abi.armnn_layer_t, abi.ARMNN_STRUCT_LAYER, "the layer", least="output_infos"
        )
        if struct.fields_used & ~known_fields():
            raise NonsenseError("the layer uses members that this version does not know")
        name = read_counted(struct.name, "the name of the layer").decode("utf-8", "replace")
        try:
            layer_type = LayerType(int(struct.type))
        except ValueError:
            raise NonsenseError(f"layer '{name}' has unknown type {struct.type}") from None
        if FACTS[layer_type].host or FACTS[layer_type].moves_memory:
            raise NonsenseError(f"layer '{name}': only the host adds {layer_type.label} layers")
        counts = int(struct.input_count), int(struct.output_count)
        if max(counts) > _MAX_SLOTS:
            raise NonsenseError(f"layer '{name}' has {counts[0]} inputs and {counts[1]} outputs")
        slots = read_slots(struct.inputs, counts[0], f"the inputs of layer '{name}'")
        infos, constants = self._read_operands(struct, slots, name, earlier)
        pointers = read_array(struct.output_infos, ctypes.c_void_p, counts[1], "output_infos")
        outputs = tuple(
            read_tensor_info(pointer, f"output {index} of layer '{name}'", known=self._infos)
            for index, pointer in enumerate(pointers)
        )
        views = outputs if layer_type is LayerType.CONCAT else infos
        rank = views[0].rank if views and views[0] is not None else 0
        descriptor = descriptor_from_struct(
            layer_type, struct.descriptor, f"the descriptor of layer '{name}'", view_rank=rank
        )
        too_new = why_not_shown(self._api, layer_type, descriptor, (*infos, *outputs))
        if too_new:
            raise NonsenseError(f"layer '{name}': {too_new}")
        blob = self._read_blob(struct, layer_type, name)
        layer_type, descriptor = canonical_form(layer_type, descriptor)
        return LayerData(layer_type, name, descriptor, slots, infos, constants, outputs, blob)

    def _read_operands(
        self, struct: Any, slots: tuple[Slot, ...], name: str, earlier: list[LayerData]
    ) -> tuple[tuple[TensorInfo | None, ...], tuple[NDArray[Any] | None, ...]]:
        count = len(slots)
        given = read_array(struct.input_infos, ctypes.c_void_p, count, "input_infos")
        values = (ctypes.c_void_p * count)()
        if address_of(struct.constants):
            values = read_array(struct.constants, ctypes.c_void_p, count, "constants")
        infos: list[TensorInfo | None] = []
        constants: list[NDArray[Any] | None] = []
        for index, (layer, slot) in enumerate(slots):
            what = f"input {index} of layer '{name}'"
            info = None
            if given[index]:
                info = read_tensor_info(given[index], what, known=self._infos)
            value: NDArray[Any] | None = None
            if layer == CONSTANT:
                if slot != index or not values[index]:
                    raise NonsenseError(f"{what} is constant, but constants[{index}] is missing")
                known, value = read_constant(values[index], what, self._known)
                info = info or known
                if info != known:
                    raise NonsenseError(f"{what} is {info}, its constant {known}")
            elif layer == ABSENT:
                if info is not None:
                    raise NonsenseError(f"{what} is absent, but has an info")
            else:
                if layer != BOUNDARY:
                    check_slot(earlier, layer, slot, what)
                if info is None:
                    raise NonsenseError(f"{what} has no info")
            infos.append(info)
            constants.append(value)
        return tuple(infos), tuple(constants)

    def _read_blob(self, struct: Any, layer_type: LayerType, name: str) -> NativeBlob | None:
        if layer_type is not LayerType.PRE_COMPILED:
            if address_of(struct.blob):
                raise NonsenseError(f"layer '{name}' has a blob, but is not a PreCompiled layer")
            return None
        what = f"the blob of layer '{name}'"
        blob = read_struct(
            struct.blob, abi.armnn_blob_t, abi.ARMNN_STRUCT_BLOB, what, least="release"
        )
        check_functions(blob, what)
        text = read_counted(blob.compatibility, f"the compatibility of {what}")
        return NativeBlob(blob, text, retain=self._retain, release=self._release)
