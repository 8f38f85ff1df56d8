# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that no backend sees, as layers that every backend has.

A Switch of Arm NN, which took it from TensorFlow, hands its input to the first output where the
condition is zero and to the second one elsewhere; a Merge hands on the operand that was computed.
Here both sides are computed: the outputs of a Switch are its input, and a Merge is a Select by the
condition of the Switch that its operands come from.

Arm NN's BatchMatMul with the layout NHWC or NDHWC multiplies the two dimensions before the last.
Backends see the last two dimensions multiply: Transpose layers stand around the product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from msgspec import structs

from armnn_py.descriptors import BatchMatMulDescriptor, ComparisonDescriptor, PermuteDescriptor
from armnn_py.errors import GraphValidationError, LayerValidationError
from armnn_py.network.shapes.reduction import channels_behind, channels_first
from armnn_py.tensors import TensorInfo
from armnn_py.types import ComparisonOperation, DataLayout, DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.optimizer.graph import Graph, Node, Value

#: By condition: the sides of its Switch layers that a value depends on; True where it holds.
_Sides: TypeAlias = "dict[Value, frozenset[bool]]"

_CONTROL_FLOW = frozenset({LayerType.SWITCH, LayerType.MERGE})


def lower_control_flow(graph: Graph) -> None:
    """Replace every Switch and Merge of a graph, in place.

    A side that is an output of the network has what that side would give, whatever the condition.

    Raises
    ------
    GraphValidationError
        No Switch decides between the operands of a Merge, or the shape of its condition does not
        fit them.
    """
    if not any(node.type in _CONTROL_FLOW for node in graph.nodes):
        return
    graph.stage = "lower-control-flow"
    sides: dict[Value, _Sides] = {}
    made: dict[Value, Value] = {}
    switches = []
    for node in graph.nodes:
        if node.type is LayerType.MERGE:
            _lower_merge(graph, node, sides, made)
            continue
        found = _union(*(sides.get(value, {}) for value in node.inputs if value is not None))
        for value in node.outputs:
            sides[value] = found
        if node.type is LayerType.SWITCH:
            switches.append(node)
            condition = _operand(node, 1)
            for value, side in zip(node.outputs, (False, True), strict=True):
                sides[value] = {**found, condition: frozenset({side})}
    for node in switches:
        for value in node.outputs:
            graph.replace(value, _operand(node, 0))
        graph.remove(node)


def _operand(node: Node, index: int) -> Value:
    value = node.inputs[index]
    assert value is not None
    return value


def _union(*several: _Sides) -> _Sides:
    found: _Sides = {}
    for one in several:
        for condition, of_it in one.items():
            found[condition] = found.get(condition, frozenset()) | of_it
    return found


def _lower_merge(
    graph: Graph, node: Node, sides: dict[Value, _Sides], made: dict[Value, Value]
) -> None:
    x, y = _operand(node, 0), _operand(node, 1)
    of_x, of_y = sides.get(x, {}), sides.get(y, {})
    for condition, side in of_x.items():
        if len(side) == 1 and of_y.get(condition) == frozenset({not next(iter(side))}):
            break
    else:
        raise GraphValidationError(
            f"Merge '{node.name}': no Switch decides which of its operands is computed",
            details=[_told(value, sides.get(value, {})) for value in (x, y)],
            hints=["let each operand depend on another output of one Switch, or use add_select"],
        )
    operands = [x, y] if True in side else [y, x]
    try:
        chosen = graph.add(
            LayerType.SELECT,
            [_as_boolean(graph, condition, made), *operands],
            name=node.name,
            near=node,
            infos=[node.output.info],
        )
    except LayerValidationError as error:
        raise _unfit(node, condition) from error
    if chosen.output.info.shape != node.output.info.shape:
        raise _unfit(node, condition)
    rest = _union(of_x, of_y)
    del rest[condition]
    sides[chosen.output] = rest
    graph.substitute(node, chosen)


def _unfit(node: Node, condition: Value) -> GraphValidationError:
    return GraphValidationError(
        f"Merge '{node.name}': its condition does not choose among its elements",
        details=[
            f"the condition '{condition.node.name}' is {condition.info!r}",
            f"the merged tensor is {node.output.info!r}",
        ],
        hints=["a condition of one element fits every shape"],
    )


def _told(value: Value, sides: _Sides) -> str:
    if not sides:
        return f"'{value.node.name}' depends on no Switch"
    told = ", ".join(
        f"'{condition.node.name}' is {' or '.join(str(one).lower() for one in sorted(side))}"
        for condition, side in sides.items()
    )
    return f"'{value.node.name}' is computed where {told}"


def _as_boolean(graph: Graph, condition: Value, made: dict[Value, Value]) -> Value:
    """Return booleans: true where a number is not zero."""
    info = condition.info
    if info.data_type is DataType.BOOLEAN:
        return condition
    if condition not in made:
        near = condition.node
        of_zero = TensorInfo((), info.data_type, info.quantization)
        level = 0 if info.quantization is None else info.quantization.zero_point
        array = np.array(level, info.dtype)
        zero = graph.add_constant(array, of_zero, name=f"{near.name}/zero", near=near)
        compared = ComparisonDescriptor(ComparisonOperation.NOT_EQUAL)
        node = graph.add(
            LayerType.COMPARISON,
            [condition, zero],
            compared,
            name=f"{near.name}/holds",
            near=near,
        )
        made[condition] = node.output
    return made[condition]


_LAST = (DataLayout.NHWC, DataLayout.NDHWC)


def lower_matrices(graph: Graph) -> None:
    """Write out every BatchMatMul of a graph with channels in the last dimension, in place."""
    for node in graph.nodes:
        d = node.descriptor
        if isinstance(d, BatchMatMulDescriptor) and (
            d.data_layout_x in _LAST or d.data_layout_y in _LAST
        ):
            graph.stage = "lower-matrices"
            _lower(graph, node, d)


def _lower(graph: Graph, node: Node, d: BatchMatMulDescriptor) -> None:
    values = []
    for name, value, layout in zip(
        "xy", node.inputs, (d.data_layout_x, d.data_layout_y), strict=True
    ):
        assert value is not None
        if layout in _LAST:
            value = _transposed(graph, node, value, f"turned_{name}", channels_first)
        values.append(value)
    plain = structs.replace(d, data_layout_x=DataLayout.NCHW, data_layout_y=DataLayout.NCHW)
    ranks = [len(value.info.shape) for value in values]
    is_last = (d.data_layout_y if ranks[1] > ranks[0] else d.data_layout_x) in _LAST
    shape = node.output.info.shape
    product = graph.add(
        node.type,
        values,
        plain,
        name=node.name,
        near=node,
        infos=[node.output.info.with_shape(channels_first(shape) if is_last else shape)],
    )
    made = product.output
    if is_last:
        made = _transposed(graph, node, made, "turned_back", channels_behind)
    graph.replace(node.output, made)
    graph.adopt(product, node)
    graph.remove(node)


def _transposed(
    graph: Graph,
    node: Node,
    value: Value,
    name: str,
    order: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Value:
    descriptor = PermuteDescriptor(order(tuple(range(len(value.info.shape)))))
    title = f"{node.name}/{name}"
    return graph.add(LayerType.TRANSPOSE, [value], descriptor, name=title, near=node).output
