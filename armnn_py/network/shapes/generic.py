# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The rules that need no more than the table of layers: same, broadcast, reduce, stated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armnn_py.descriptors import MeanDescriptor, ReduceDescriptor
from armnn_py.network.shapes.common import broadcast, reduced_axes
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import BinaryOperation, DataType, ReduceOperation
from armnn_py.types.facts import FACTS


def _same(site: Site) -> list[TensorInfo]:
    """Operand 0 gives the shape; an axis that the parameters name must be there."""
    _check_types(site)
    shape = site.shape()
    if site.descriptor is not None and site.descriptor.roles.get("axis") == "axis":
        site.need_axis(site.descriptor.axis, len(shape))  # type: ignore[attr-defined]
    return _made(site, shape)


def _broadcast(site: Site) -> list[TensorInfo]:
    """All operands have one type, and their shapes broadcast as in numpy."""
    _check_types(site)
    operation = getattr(site.descriptor, "operation", None)
    if isinstance(operation, BinaryOperation):
        if site.info().data_type is DataType.BOOLEAN:
            if operation not in _OF_BOOLEANS:
                site.need_number()
        elif operation in _OF_BITS:
            site.need_integer()
    others = dict(FACTS[site.layer_type].operand_types)
    alike = [index for index in range(len(site.infos)) if index not in others]
    for index in alike[1:]:
        site.need_same_type(alike[0], index)
    shapes = [site.shape(index) for index in range(len(site.infos))]
    return _made(site, broadcast(site, *shapes), alike[0])


#: The numpy functions of boolean operations: or, and, exclusive or.
_OF_BOOLEANS = (
    BinaryOperation.ADD,
    BinaryOperation.MAXIMUM,
    BinaryOperation.MINIMUM,
    BinaryOperation.MUL,
    BinaryOperation.BITWISE_AND,
    BinaryOperation.BITWISE_OR,
    BinaryOperation.BITWISE_XOR,
)

#: Their operands are integers.
_OF_BITS = (
    BinaryOperation.BITWISE_AND,
    BinaryOperation.BITWISE_OR,
    BinaryOperation.BITWISE_XOR,
    BinaryOperation.SHIFT_LEFT,
    BinaryOperation.SHIFT_RIGHT,
)


def _reduce(site: Site) -> list[TensorInfo]:
    """The parameters name axes, which vanish or become 1."""
    _check_types(site)
    d = site.descriptor
    assert isinstance(d, (MeanDescriptor, ReduceDescriptor))
    shape = site.shape()
    gone = reduced_axes(site, d.axes, len(shape))
    if isinstance(d, ReduceDescriptor) and d.operation is ReduceOperation.MEAN:
        site.need_number()
    extreme = isinstance(d, ReduceDescriptor) and d.operation in _EXTREMES
    if extreme and any(shape[axis] == 0 for axis in gone):
        site.fail("a reduced dimension is empty, and this operation has no value for nothing")
    if d.keep_dims:
        return _made(site, [1 if axis in gone else dim for axis, dim in enumerate(shape)])
    return _made(site, [dim for axis, dim in enumerate(shape) if axis not in gone])


_EXTREMES = (ReduceOperation.MAX, ReduceOperation.MIN)


def _stated(site: Site) -> list[TensorInfo]:
    """Take the outputs that the caller states: the table has no rule for them."""
    if site.outputs is None:
        site.fail("outputs of this layer type are not inferred", hint="state them in output_infos=")
    return list(site.outputs)


def _check_types(site: Site) -> None:
    facts = FACTS[site.layer_type]
    others = dict(facts.operand_types)
    for index in range(len(site.infos)):
        group = others.get(index, facts.types)
        if group == "number" and (index == 0 or index in others):
            site.need_number(index)
        elif group == "float" and not site.info(index).data_type.is_float:
            found = site.info(index).data_type.described
            site.fail(f"input is {found}, a floating-point type expected")
        elif group == "boolean":
            site.need_type(index, DataType.BOOLEAN)


def _made(site: Site, shape: Sequence[int], index: int = 0) -> list[TensorInfo]:
    """The output, of the type of an operand."""
    facts = FACTS[site.layer_type]
    if facts.output_type is not None:
        return [TensorInfo(tuple(shape), facts.output_type)]
    if facts.quantization == "calculates":
        return site.computed(shape, index)
    if tuple(shape) == site.shape(index):
        return [site.info(index)]
    return site.moved(shape, index)


GENERIC: dict[str, Callable[[Site], list[TensorInfo]]] = {
    "same": _same,
    "broadcast": _broadcast,
    "reduce": _reduce,
    "stated": _stated,
}
