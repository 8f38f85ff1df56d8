# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers in C whose symbolic sizes get other numbers again and again.

To make the structures of a layer takes longer than most backends take to answer about it. Here they
are made once, and only sizes are written anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py._native.layers.layer_structs import LayerStructs, layer_query
from armnn_py._native.layers.subgraph import LayerData, SubgraphData, SubgraphStructs
from armnn_py.descriptors.base import View
from armnn_py.descriptors.symbolic_fields import plain_descriptor
from armnn_py.symbolic import SymbolicSize
from armnn_py.tensors.symbolic_infos import plain_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.descriptors import Descriptor
    from armnn_py.tensors import TensorInfo

__all__ = ["ReusableQuery", "ReusableSubgraph", "plain_subgraph"]


class _Sizes:
    """The places of symbolic sizes in some structures."""

    __slots__ = ("_infos", "_items", "_members")

    def __init__(self) -> None:
        self._infos: list[tuple[Any, Any, tuple[tuple[int, int], ...], int]] = []
        #: Members of descriptors, and items of their arrays, each with the number of its size.
        self._members: list[tuple[Any, str, int]] = []
        self._items: list[tuple[Any, int, int]] = []

    def add_info(self, struct: Any, info: TensorInfo) -> None:
        places, others = [], 1
        dims: Sequence[Any] = info.shape
        for axis, dim in enumerate(dims):
            if type(dim) is SymbolicSize:
                places.append((axis, dim.index))
            else:
                others *= dim
        if places:
            self._infos.append((struct, struct.dims, tuple(places), others))

    def add_layer(
        self,
        structs: LayerStructs,
        descriptor: Descriptor | None,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
    ) -> None:
        for struct, info in zip(structs.inputs, inputs, strict=True):
            if info is not None:
                self.add_info(struct, info)
        for struct, made in zip(structs.outputs, outputs, strict=True):
            self.add_info(struct, made)
        if descriptor is not None:
            self._add_fields(structs.descriptor, descriptor)

    def _add_fields(self, struct: Any, record: Descriptor | View) -> None:
        for name in record.__struct_fields__:
            value = getattr(record, name)
            if type(value) is SymbolicSize:
                self._members.append((struct, name, value.index))
            elif type(value) is tuple:
                for place, item in enumerate(value):
                    if type(item) is SymbolicSize:
                        self._items.append((getattr(struct, name), place, item.index))
                    elif type(item) is View:
                        self._add_fields(getattr(struct, name)[place], item)

    @property
    def is_any(self) -> bool:
        """Whether there are any."""
        return bool(self._infos or self._members or self._items)

    def write(self, numbers: Sequence[int]) -> None:
        """Write the numbers of all sizes of the trace."""
        for struct, dims, places, others in self._infos:
            count = others
            for axis, index in places:
                dims[axis] = number = numbers[index]
                count *= number
            struct.element_count = count
        for struct, name, index in self._members:
            setattr(struct, name, numbers[index])
        for array, place, index in self._items:
            array[place] = numbers[index]


class ReusableQuery:
    """A question whether a backend takes a layer.

    Parameters
    ----------
    signature
        The arguments of `layer_query`; sizes may be symbolic.
    """

    __slots__ = ("_keep", "_sizes", "is_symbolic", "query")

    def __init__(self, signature: tuple[Any, ...]) -> None:
        layer_type, descriptor, inputs, outputs, constants = signature
        self._sizes = _Sizes()
        self._keep, self.query = layer_query(
            layer_type,
            plain_descriptor(descriptor),
            [None if info is None else plain_info(info) for info in inputs],
            [plain_info(info) for info in outputs],
            constants,
        )
        self._sizes.add_layer(self._keep, descriptor, inputs, outputs)
        self.is_symbolic = self._sizes.is_any

    def write(self, numbers: Sequence[int]) -> None:
        """Write the numbers of all sizes of the trace."""
        self._sizes.write(numbers)


class ReusableSubgraph:
    """A sub-graph in C.

    Parameters
    ----------
    data
        The sub-graph; sizes may be symbolic.

    Attributes
    ----------
    data
        The same with the numbers of the trace.
    structs
        In C, with the numbers written last.
    """

    __slots__ = ("_sizes", "data", "structs")

    def __init__(self, data: SubgraphData) -> None:
        self.data = plain_subgraph(data)
        self.structs = SubgraphStructs(self.data)
        self._sizes = _Sizes()
        for layer, structs in zip(data.layers, self.structs.layers, strict=True):
            self._sizes.add_layer(structs, layer.descriptor, layer.input_infos, layer.output_infos)
        for struct, info in zip(self.structs.input_infos, data.input_infos, strict=True):
            self._sizes.add_info(struct, info)

    def write(self, numbers: Sequence[int]) -> None:
        """Write the numbers of all sizes of the trace."""
        self._sizes.write(numbers)


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
