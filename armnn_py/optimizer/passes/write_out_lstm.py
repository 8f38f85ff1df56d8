# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM layers written out step by step, for backends that take the steps and not the layer.

The products of all steps with the weights of the input are one layer, whose weights are those of
all gates; a step has one product with the state before, its gates and the state behind it. Only of
float32 with constant weights, without layer normalisation or rounded rows, up to 256 steps, and
only where backends come first that take all of it: to one that takes the layer it is shown as it
is.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import (
    ActivationDescriptor,
    ConcatDescriptor,
    ElementwiseBinaryDescriptor,
    FullyConnectedDescriptor,
    LstmDescriptor,
    PermuteDescriptor,
    ReshapeDescriptor,
    SliceDescriptor,
    View,
)
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.tensors import TensorInfo
from armnn_py.types import ActivationFunction, BinaryOperation, DataType, LayerType, RowRounding

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor
    from armnn_py.optimizer.graph import Graph, Node, Value

__all__ = ["run"]

#: Each step makes a dozen layers.
_MOST_STEPS = 256
_FUNCTIONS = {
    0: None,
    1: ActivationDescriptor(ActivationFunction.RELU),
    3: ActivationDescriptor(ActivationFunction.BOUNDED_RELU, 6.0, 0.0),
    4: ActivationDescriptor(ActivationFunction.TANH, 1.0, 1.0),
    6: ActivationDescriptor(ActivationFunction.SIGMOID),
}
_SIGMOID = _FUNCTIONS[6]
_INPUT, _FORGET, _CELL, _OUTPUT = range(4)
# Places of the operands; those of a gate come behind the first of their kind.
_WEIGHTS, _RECURRENT, _BIAS, _PROJECTION, _BIAS_OF_PROJECTION = 3, 7, 14, 18, 19
_PEEPHOLES = {_INPUT: 11, _FORGET: 12, _OUTPUT: 13}


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    if log.rank_of is None:
        return
    for node in graph.nodes:
        if node.type not in (LayerType.LSTM, LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM):
            continue
        rank = log.rank_of(node)
        if rank == 0 or node.pin.backends or not _can_be_written_out(node):
            continue
        steps = _Steps(graph, node)
        found = steps.write_out()
        ranks = [log.rank_of(made) for made in steps.made]
        if any(one is None or (rank is not None and one >= rank) for one in ranks):
            for made in reversed(steps.made):
                graph.remove(made)
            continue
        for old, new in zip(node.outputs[-3:], found, strict=True):
            graph.replace(old, new)
        graph.adopt(found[2].node, node)
        graph.remove(node)
        log.changed(f"'{node.name}' written out in {steps.count} steps")


def _can_be_written_out(node: Node) -> bool:
    d = node.descriptor
    assert isinstance(d, LstmDescriptor)
    if d.row_rounding is not RowRounding.NONE:
        return False
    if d.layer_norm_enabled or d.activation_function not in _FUNCTIONS:
        return False
    if node.type is LayerType.LSTM and node.outputs[0].users:
        return False  # somebody reads the gates
    for index, value in enumerate(node.inputs):
        if value is None:
            continue
        if value.info.data_type is not DataType.FLOAT32 or not all(value.info.static_shape):
            return False
        if index >= _WEIGHTS and value.constant is None:
            return False
    return _step_count(node) <= _MOST_STEPS


def _step_count(node: Node) -> int:
    d, value = node.descriptor, node.inputs[0]
    assert isinstance(d, LstmDescriptor)
    assert value is not None
    if node.type is LayerType.LSTM:
        return 1
    return operator.index(value.info.static_shape[0 if d.time_major else 1])


class _Steps:
    """The layers of one LSTM."""

    def __init__(self, graph: Graph, node: Node) -> None:
        assert isinstance(node.descriptor, LstmDescriptor)
        self.graph = graph
        self.node = node
        self.d = node.descriptor
        self.count = _step_count(node)
        self.gates = [_FORGET, _CELL, _OUTPUT] if self.d.cifg_enabled else list(range(4))
        self.function = _FUNCTIONS[self.d.activation_function]
        self.made: list[Node] = []
        self._constants: dict[str, Value] = {}

    def write_out(self) -> tuple[Value, Value, Value]:
        """Return the output state, the cell state and the output."""
        x, h, c = (self._input(place) for place in range(3))
        batch, outputs = h.info.static_shape
        cells = c.info.static_shape[1]
        is_sequence = self.node.type is LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
        size = x.info.static_shape[-1]
        if is_sequence and not self.d.time_major:
            x = self._add(LayerType.TRANSPOSE, "time_first", [x], PermuteDescriptor((1, 0, 2)))
        if is_sequence:
            rows = ReshapeDescriptor((self.count * batch, size))
            x = self._add(LayerType.RESHAPE, "rows", [x], rows)
        bias = self._known("bias", lambda: self._joined(_BIAS))
        weights = self._known("input_weights", lambda: self._joined(_WEIGHTS).T)
        recurrent = self._known("recurrent_weights", lambda: self._joined(_RECURRENT).T)
        products = self._product("inputs", x, weights, bias)
        width = len(self.gates) * cells
        shown = []
        for step in range(self.count):
            part = self._slice(f"{step}/input", products, (step * batch, 0), (batch, width))
            state = self._product(f"{step}/state", h, recurrent)
            sums = self._binary(f"{step}/sums", BinaryOperation.ADD, part, state)
            h, c = self._step(f"{step}/", sums, c, (batch, cells))
            shown.append(h)
        if not is_sequence:
            return h, c, h
        joined = self._join(shown, batch, outputs)
        shape = ReshapeDescriptor((self.count, batch, outputs))
        y = self._add(LayerType.RESHAPE, "steps", [joined], shape)
        if not self.d.time_major:
            y = self._add(LayerType.TRANSPOSE, "batch_first", [y], PermuteDescriptor((1, 0, 2)))
        return h, c, y

    def _step(
        self, title: str, sums: Value, c: Value, shape: tuple[int, int]
    ) -> tuple[Value, Value]:
        """Return the output state and the cell state behind a step."""
        batch, cells = shape
        parts = {
            gate: self._slice(f"{title}gate{gate}", sums, (0, place * cells), (batch, cells))
            for place, gate in enumerate(self.gates)
        }
        multiply, add = BinaryOperation.MUL, BinaryOperation.ADD
        forget = self._gate(f"{title}forget", _FORGET, parts, c)
        if self.d.cifg_enabled:
            one = self._known("one", lambda: np.ones((1, 1), np.float32))
            chosen = self._binary(f"{title}chosen", BinaryOperation.SUB, one, forget)
        else:
            chosen = self._gate(f"{title}chosen", _INPUT, parts, c)
        new = self._activate(f"{title}new", parts[_CELL], self.function)
        kept = self._binary(f"{title}kept", multiply, forget, c)
        added = self._binary(f"{title}added", multiply, chosen, new)
        c = self._binary(f"{title}cell", add, kept, added)
        c = self._clip(f"{title}clipped", c, self.d.clipping_threshold_cell)
        output = self._gate(f"{title}output", _OUTPUT, parts, c)
        visible = self._activate(f"{title}visible", c, self.function)
        h = self._binary(f"{title}hidden", multiply, output, visible)
        if self.d.projection_enabled:
            weights = self._known("projection", lambda: self._constant(_PROJECTION).T)
            has_bias = len(self.node.inputs) > _BIAS_OF_PROJECTION
            bias = self.node.inputs[_BIAS_OF_PROJECTION] if has_bias else None
            h = self._product(f"{title}projected", h, weights, bias)
            h = self._clip(f"{title}bounded", h, self.d.clipping_threshold_projection)
        return h, c

    # ---- Layers ---------------------------------------------------------------------------------

    def _gate(self, title: str, gate: int, parts: dict[int, Value], c: Value) -> Value:
        value = parts[gate]
        if self.d.peephole_enabled:
            place = _PEEPHOLES[gate]
            known = self._known(f"peephole{gate}", lambda: self._constant(place).reshape(1, -1))
            seen = self._binary(f"{title}_seen", BinaryOperation.MUL, c, known)
            value = self._binary(f"{title}_sum", BinaryOperation.ADD, value, seen)
        return self._activate(title, value, _SIGMOID)

    def _activate(self, title: str, x: Value, function: ActivationDescriptor | None) -> Value:
        return x if function is None else self._add(LayerType.ACTIVATION, title, [x], function)

    def _clip(self, title: str, x: Value, bound: float) -> Value:
        if not bound > 0:
            return x
        function = ActivationDescriptor(ActivationFunction.BOUNDED_RELU, bound, -bound)
        return self._activate(title, x, function)

    def _binary(self, title: str, operation: BinaryOperation, a: Value, b: Value) -> Value:
        descriptor = ElementwiseBinaryDescriptor(operation)
        return self._add(LayerType.ELEMENTWISE_BINARY, title, [a, b], descriptor)

    def _product(self, title: str, x: Value, weights: Value, bias: Value | None = None) -> Value:
        operands = [x, weights] if bias is None else [x, weights, bias]
        descriptor = FullyConnectedDescriptor(bias_enabled=bias is not None)
        return self._add(LayerType.FULLY_CONNECTED, title, operands, descriptor)

    def _slice(self, title: str, x: Value, begin: tuple[int, ...], size: tuple[int, ...]) -> Value:
        if size == x.info.static_shape:
            return x
        return self._add(LayerType.SLICE, title, [x], SliceDescriptor(begin, size))

    def _join(self, shown: list[Value], batch: int, outputs: int) -> Value:
        if len(shown) == 1:
            return shown[0]
        views = tuple(View((step * batch, 0), (batch, outputs)) for step in range(len(shown)))
        return self._add(LayerType.CONCAT, "joined", shown, ConcatDescriptor(0, views))

    def _add(
        self, kind: LayerType, title: str, inputs: list[Value], descriptor: Descriptor
    ) -> Value:
        name = f"{self.node.name}/{title}"
        node = self.graph.add(kind, inputs, descriptor, name=name, near=self.node)
        self.made.append(node)
        return node.output

    # ---- Operands -------------------------------------------------------------------------------

    def _input(self, place: int) -> Value:
        value = self.node.inputs[place]
        assert value is not None
        return value

    def _constant(self, place: int) -> NDArray[np.float32]:
        constant = self._input(place).constant
        assert constant is not None
        return np.asarray(constant, np.float32)

    def _joined(self, first: int) -> NDArray[np.float32]:
        """Return the operands of all gates one behind the other."""
        return np.concatenate([self._constant(first + gate) for gate in self.gates])

    def _known(self, title: str, make: Callable[[], NDArray[np.float32]]) -> Value:
        """Return a constant that all steps share."""
        if title not in self._constants:
            array = np.ascontiguousarray(make())
            name = f"{self.node.name}/{title}"
            info = TensorInfo(array.shape)
            self._constants[title] = self.graph.add_constant(array, info, name=name, near=self.node)
        return self._constants[title]
