# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sub-graphs as plain data, and as the C structures that a backend sees."""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.growth import why_not_shown
from armnn_py._native.layers.layer_structs import LayerStructs, layer_query
from armnn_py._native.layers.tensor_structs import tensor_info
from armnn_py._native.library import core
from armnn_py._native.memory.owned import owner_of
from armnn_py.tensors.memory import aligned_copy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.descriptors import Descriptor
    from armnn_py.tensors import TensorInfo
    from armnn_py.types import LayerType

Slot = tuple[int, int]
"""A layer's number, or one of the constants below, and its output's: an ``armnn_slot_t``."""

BOUNDARY = abi.ARMNN_SLOT_BOUNDARY
CONSTANT = abi.ARMNN_SLOT_CONSTANT
ABSENT = abi.ARMNN_SLOT_ABSENT


class LayerData(Struct, frozen=True):
    """One layer of a sub-graph or of a replacement.

    Attributes
    ----------
    type, name, descriptor
        As in ``armnn_py.network.Layer``.
    inputs
        The slot of each operand.
    input_infos
        In parallel; None for an absent operand.
    constants
        In parallel; the values where they are known.
    output_infos
        Infos of its outputs.
    blob
        The blob of a PRE_COMPILED layer.
    guid
        A number that is unique in the network.
    """

    type: LayerType
    name: str
    descriptor: Descriptor | None
    inputs: tuple[Slot, ...]
    input_infos: tuple[TensorInfo | None, ...]
    constants: tuple[NDArray[Any] | None, ...]
    output_infos: tuple[TensorInfo, ...]
    blob: NativeBlob | None = None
    guid: int = 0


class SubgraphData(Struct, frozen=True):
    """A sub-graph: layers in topological order, and the tensors at its border.

    Attributes
    ----------
    layers
        Their inputs name layers before them, or boundary inputs.
    input_infos
        One for each boundary input.
    outputs
        Slots that are used outside.
    """

    layers: tuple[LayerData, ...]
    input_infos: tuple[TensorInfo, ...]
    outputs: tuple[Slot, ...]


class SubgraphStructs:
    """The C form of a `SubgraphData`, valid while this object lives.

    Attributes
    ----------
    struct
        The ``armnn_subgraph_t``.
    layers, input_infos
        Its layers, and the infos of its boundary inputs.
    constants
        The arrays that the backend sees, by address: one that it gives back is not copied.
    """

    __slots__ = ("_aligned", "_keep", "constants", "input_infos", "layers", "struct")

    def __init__(self, data: SubgraphData) -> None:
        self._keep: list[Any] = [data]
        self.layers: list[LayerStructs] = []
        self._aligned: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        self.constants: dict[int, NDArray[Any]] = {}
        layers = (ctypes.POINTER(abi.armnn_layer_t) * max(len(data.layers), 1))()
        for index, layer in enumerate(data.layers):
            layers[index] = ctypes.pointer(self._layer(layer))
        infos = (ctypes.POINTER(abi.armnn_tensor_info_t) * max(len(data.input_infos), 1))()
        self.input_infos = [tensor_info(info) for info in data.input_infos]
        for index, info in enumerate(self.input_infos):
            infos[index] = ctypes.pointer(info)
        self._keep += [layers, infos]
        self.struct = abi.armnn_subgraph_t()
        self.struct.header.struct_size = ctypes.sizeof(abi.armnn_subgraph_t)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_SUBGRAPH
        self.struct.layers = layers
        self.struct.input_infos = infos
        self.struct.outputs = _slots(data.outputs)
        self.struct.layer_count = len(data.layers)
        self.struct.input_count = len(data.input_infos)
        self.struct.output_count = len(data.outputs)

    def _constant(self, value: NDArray[Any]) -> NDArray[Any]:
        known = self._aligned.get(id(value))
        if known is None:
            # The original is kept too, so that no other array gets its id.
            known = self._aligned[id(value)] = (value, aligned_copy(value))
            announce(known[1])
            self.constants[known[1].ctypes.data] = known[1]
        return known[1]

    def _layer(self, layer: LayerData) -> abi.armnn_layer_t:
        structs = LayerStructs(
            layer.type,
            layer.descriptor,
            layer.input_infos,
            layer.output_infos,
            [None if value is None else self._constant(value) for value in layer.constants],
            blob=layer.blob,
        )
        self.layers.append(structs)
        return _layer_struct(layer, structs)


class LayerView:
    """One layer in C, without the values of constants, for a support query.

    Built when it is first asked for; valid while this object lives.
    """

    __slots__ = ("_data", "_struct", "_structs")

    def __init__(self, data: LayerData) -> None:
        self._data = data
        self._structs: LayerStructs | None = None
        self._struct: abi.armnn_layer_t | None = None

    def too_new_for(self, api: abi.armnn_backend_api_t) -> bool:
        """Whether a backend must not see the layer, which is newer than the backend's version."""
        data = self._data
        infos = (*data.input_infos, *data.output_infos)
        return bool(why_not_shown(api, data.type, data.descriptor, infos))

    @property
    def struct(self) -> abi.armnn_layer_t:
        """The ``armnn_layer_t``; flags of the inputs' infos tell which inputs are constant."""
        if self._struct is None:
            data = self._data
            constant = [kind == CONSTANT for kind, _ in data.inputs]
            self._structs, _ = layer_query(
                data.type, data.descriptor, data.input_infos, data.output_infos, constant
            )
            self._structs.blob = data.blob
            self._struct = _layer_struct(data, self._structs)
        return self._struct


def _layer_struct(layer: LayerData, structs: LayerStructs) -> abi.armnn_layer_t:
    """The C form of a layer; valid while ``structs`` lives."""
    struct = structs.layer(layer.guid, layer.name)
    struct.inputs = _slots(layer.inputs)
    return struct


def _slots(slots: Sequence[Slot]) -> Any:
    array = (abi.armnn_slot_t * max(len(slots), 1))()
    for struct, (layer, slot) in zip(array, slots, strict=False):
        struct.layer, struct.slot = layer, slot
    return array


#: By the id of an array that lives: what notices its end, and what owns its number.
_announced: dict[int, tuple[weakref.ref[NDArray[Any]], object]] = {}


def announce(array: NDArray[Any]) -> None:
    """Let backends know that the bytes of a read-only array stay as long as the array.

    The array is dense. It is numbered until it is gone (``lasting_constants.h``), and by then
    nothing can have come to its address: numpy clears references before it frees memory. One whose
    memory is that of an array that can be written to has no number: a network that is made of it
    later may be made of other values.
    """
    key = id(array)
    if key in _announced or not array.nbytes or _may_change(array):
        return
    library = core()
    owned = library.armnn_core_new_constant()
    if not owned:
        return
    # At the end of the array, ``pop`` drops the owner: no Python code, so no handler of a signal.
    seen = weakref.ref(array, functools.partial(_announced.pop, key))
    entry = seen, owner_of(owned)
    # One thread adds it: twice added would never be gone. No lock, which a fork could leave taken.
    if _announced.setdefault(key, entry) is not entry:
        return
    if not library.armnn_core_begin_constant(owned, array.ctypes.data, array.nbytes):
        del _announced[key]


def _may_change(array: NDArray[Any]) -> bool:
    """Whether it, or an array that it is a view of, can be written to."""
    memory: object = array
    while isinstance(memory, np.ndarray):
        if memory.flags.writeable:
            return True
        memory = memory.base
    return False
