# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``x * clip(x + 3, 0, 6) / 6``, written out in layers, becomes one hard-swish Activation.

Exporters scale before the clip or behind it, and divide by 6 at the end or not at all; all of that
is ``x * (k * clip(s * x + t, low, high) + m)``. It is ``6 * k * s`` times the hard-swish of x if::

    (t - low) / s = 3    (high - low) / s = 6    k * low + m = 0    s > 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.descriptors import ActivationDescriptor, ElementwiseBinaryDescriptor
from armnn_py.optimizer.passes.affine import FLOATS, affine_of
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.types import ActivationFunction, BinaryOperation, LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node, Value

#: Constants such as 1/6 are rounded to float32 (2 ** -24), and a few are multiplied.
_NEAR = 1e-6


class _Gate(Struct, frozen=True):
    """The operand that x is multiplied with: ``x * gate`` is ``factor`` times hard-swish(x)."""

    factor: float
    layers: list[Node]


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in graph.nodes:
        if node not in graph or not _multiplies(node):
            continue
        first, second = node.inputs
        assert first is not None
        assert second is not None
        for x, other in ((first, second), (second, first)):
            gate = _gate(x, other)
            if gate is not None and all(may_merge(layer, node) for layer in gate.layers):
                _replace(graph, node, x, gate, log)
                break


def _multiplies(node: Node) -> bool:
    d = node.descriptor
    if not isinstance(d, ElementwiseBinaryDescriptor) or d.operation is not BinaryOperation.MUL:
        return False
    first, second = node.inputs
    info = node.output.info
    return (
        first is not None
        and second is not None
        and first is not second
        and first.info == second.info == info
        and info.data_type in FLOATS
    )


def _gate(x: Value, value: Value) -> _Gate | None:
    scale, shift, layers = 1.0, 0.0, []  # of the layers behind the clip
    while True:
        node = value.node
        if len(value.users) != 1:
            return None
        layers.append(node)
        d = node.descriptor
        if isinstance(d, ActivationDescriptor) and d.function is ActivationFunction.BOUNDED_RELU:
            break
        found = _uniform(node)
        if found is None:
            return None
        value, s, t = found
        scale, shift = scale * s, scale * t + shift
    source = node.inputs[0]
    before = None if source is None else _before(x, source, layers)
    if before is None:
        return None
    s, t = before
    low, high = d.b, d.a
    agrees = (
        s > 0
        and abs((t - low) / s - 3) < 3 * _NEAR
        and abs((high - low) / s - 6) < 6 * _NEAR
        and abs(scale * low + shift) < _NEAR * abs(scale * high)
    )
    return _Gate(6 * scale * s, layers) if agrees else None


def _uniform(node: Node) -> tuple[Value, float, float] | None:
    step = affine_of(node)
    if step is None or not step.is_uniform:
        return None
    return step.source, step.scale.item(), step.shift.item()


def _before(x: Value, value: Value, layers: list[Node]) -> tuple[float, float] | None:
    """Factor and summand between x and the clip; ``layers`` gets the layers that are between."""
    scale, shift = 1.0, 0.0
    while value is not x:
        found = _uniform(value.node) if len(value.users) == 1 else None
        if found is None:
            return None
        layers.append(value.node)
        source, s, t = found
        scale, shift, value = scale * s, scale * t + shift, source
    return scale, shift


def _replace(graph: Graph, node: Node, x: Value, gate: _Gate, log: PassLog) -> None:
    descriptor = ActivationDescriptor(ActivationFunction.HARD_SWISH)
    swish = _activation(graph, node, x, descriptor, node.name)
    made, new = [swish], swish
    if abs(gate.factor - 1) > _NEAR:
        scale = ActivationDescriptor(ActivationFunction.LINEAR, gate.factor)
        new = _activation(graph, node, swish.output, scale, f"{node.name}/scale")
        made.append(new)
    if not log.runs_as_well(made, [node, *gate.layers]):
        for one in reversed(made):
            graph.remove(one)
        return
    log.changed(f"'{node.name}' and what it multiplies with recognised as a hard-swish")
    graph.substitute(node, new)
    if new is not swish:  # the factor may be fused elsewhere; the layers stay with the swish
        graph.adopt(swish, new)
    for layer in gate.layers:  # each read only by the one before
        graph.adopt(swish, layer)
        graph.remove(layer)


def _activation(
    graph: Graph, node: Node, x: Value, descriptor: ActivationDescriptor, name: str
) -> Node:
    infos = [node.output.info]
    return graph.add(LayerType.ACTIVATION, [x], descriptor, name=name, near=node, infos=infos)
