# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers in C whose symbolic sizes get other numbers again and again.

To make the structures of a layer takes longer than most backends take to answer about it. Here they
are made once, and only sizes are written anew.
"""

from __future__ import annotations

import ctypes
import functools
from array import array
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.layers.layer_structs import LayerStructs, layer_query
from armnn_py._native.layers.subgraph import LayerData, SubgraphData, SubgraphStructs
from armnn_py._native.library import core
from armnn_py.descriptors.base import View, plain_descriptor
from armnn_py.symbolic import SymbolicSize, is_symbolic
from armnn_py.tensors.info import plain_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.descriptors import Descriptor
    from armnn_py.tensors import TensorInfo


class SizePlaces:
    """The places of symbolic sizes in structures, to which numbers are written."""

    __slots__ = ("_infos", "_keep", "_places", "_tables", "_used")

    def __init__(self) -> None:
        self._places: list[tuple[int, int, int]] = []
        self._infos: list[int] = []
        self._keep: list[Any] = []
        #: Since the first `write`: the places in C, and the sizes that they need.
        self._tables: tuple[Any, Any] | None = None
        self._used: list[int] = []

    def __len__(self) -> int:
        return len(self._places)

    def _add(self, address: int, size: Any, width: int) -> None:
        assert self._tables is None, "a place comes after the first numbers"
        self._places.append((address, size.index, width))

    def add_info(self, struct: Any, info: TensorInfo) -> None:
        """Add the sizes of an info."""
        dims: Sequence[Any] = info.shape
        if not any(map(is_symbolic, dims)):
            return
        self._keep.append(struct)
        self._infos.append(ctypes.addressof(struct))
        first = ctypes.addressof(struct.dims)
        for axis, dim in enumerate(dims):
            if type(dim) is SymbolicSize:
                self._add(first + 8 * axis, dim, 8)

    def add_layer(
        self,
        structs: LayerStructs,
        descriptor: Descriptor | None,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
    ) -> None:
        """Add the sizes of a layer's infos and descriptor."""
        for struct, info in zip(structs.inputs, inputs, strict=True):
            if info is not None:
                self.add_info(struct, info)
        for struct, made in zip(structs.outputs, outputs, strict=True):
            self.add_info(struct, made)
        if descriptor is not None:
            self._keep.append(structs)
            self._add_fields(structs.descriptor, descriptor)

    def _add_fields(self, struct: Any, record: Descriptor | View) -> None:
        for name in record.__struct_fields__:
            value = getattr(record, name)
            if type(value) is SymbolicSize:
                member = getattr(type(struct), name)
                self._add(ctypes.addressof(struct) + member.offset, value, member.size)
            elif type(value) is tuple:
                for place, item in enumerate(value):
                    if type(item) is SymbolicSize:
                        items = getattr(struct, name)
                        width = ctypes.sizeof(items) // len(items)
                        self._add(ctypes.addressof(items) + width * place, item, width)
                    elif type(item) is View:
                        self._add_fields(getattr(struct, name)[place], item)

    def write(self, numbers: Sequence[int]) -> None:
        """Write the numbers of all sizes of the trace.

        Raises
        ------
        OverflowError
            A number has more than 64 bits.
        """
        if self._tables is None:
            self._used = sorted({index for _, index, _ in self._places})
            number_of = {index: place for place, index in enumerate(self._used)}
            found = [
                abi.armnn_size_place_t(address, number_of[index], width)
                for address, index, width in self._places
            ]
            infos = (ctypes.c_void_p * len(self._infos))(*self._infos)
            self._tables = (abi.armnn_size_place_t * len(found))(*found), infos
        places, infos = self._tables
        values = array("q", [numbers[index] for index in self._used])
        core().armnn_core_write_sizes(
            places,
            len(places),
            ctypes.cast(infos, _INFOS),
            len(infos),
            ctypes.cast(values.buffer_info()[0], _NUMBERS),
        )


_INFOS = ctypes.POINTER(ctypes.POINTER(abi.armnn_tensor_info_t))
_NUMBERS = ctypes.POINTER(ctypes.c_int64)


class RepeatedQuestions:
    """Questions whether a backend takes layers, with the answers that it gave.

    Attributes
    ----------
    queries
        In C, an array of pointers.
    taken
        For each 1 if it was taken, or 0.
    """

    def __init__(self) -> None:
        self._structs: list[tuple[LayerStructs, abi.armnn_layer_query_t]] = []
        self._taken: list[bool] = []

    def add(self, signature: tuple[Any, ...], taken: bool, places: SizePlaces) -> None:
        """Add a question, unless no size of it is symbolic.

        Parameters
        ----------
        signature
            The arguments of `layer_query`; sizes may be symbolic.
        taken
            The answer.
        places
            Gets the places of its sizes.
        """
        layer_type, descriptor, inputs, outputs, constants = signature
        before = len(places)
        query = layer_query(
            layer_type,
            plain_descriptor(descriptor),
            [None if info is None else plain_info(info) for info in inputs],
            [plain_info(info) for info in outputs],
            constants,
        )
        places.add_layer(query[0], descriptor, inputs, outputs)
        if len(places) > before:
            self._structs.append(query)
            self._taken.append(taken)

    @functools.cached_property
    def queries(self) -> Any:
        """The questions in C."""
        kind = ctypes.POINTER(abi.armnn_layer_query_t)
        return (kind * len(self._structs))(*[ctypes.pointer(query) for _, query in self._structs])

    @functools.cached_property
    def taken(self) -> Any:
        """The answers in C."""
        return (ctypes.c_int32 * len(self._taken))(*self._taken)


class ReusableSubgraph:
    """A sub-graph in C.

    Parameters
    ----------
    data
        The sub-graph; sizes may be symbolic.
    places
        Gets the places of its sizes.

    Attributes
    ----------
    data
        The same with the numbers of the trace.
    structs
        In C, with the numbers written last.
    """

    __slots__ = ("data", "structs")

    def __init__(self, data: SubgraphData, places: SizePlaces) -> None:
        self.data = plain_subgraph(data)
        self.structs = SubgraphStructs(self.data)
        for layer, structs in zip(data.layers, self.structs.layers, strict=True):
            places.add_layer(structs, layer.descriptor, layer.input_infos, layer.output_infos)
        for struct, info in zip(self.structs.input_infos, data.input_infos, strict=True):
            places.add_info(struct, info)


def plain_subgraph(data: SubgraphData) -> SubgraphData:
    """Return a sub-graph with the numbers of the trace for symbolic sizes."""
    layers = [
        LayerData(
            layer.type,
            layer.name,
            plain_descriptor(layer.descriptor),
            layer.inputs,
            tuple(None if info is None else plain_info(info) for info in layer.input_infos),
            layer.constants,
            tuple(plain_info(info) for info in layer.output_infos),
            layer.blob,
            layer.guid,
        )
        for layer in data.layers
    ]
    infos = tuple(plain_info(info) for info in data.input_infos)
    return SubgraphData(tuple(layers), infos, data.outputs)
