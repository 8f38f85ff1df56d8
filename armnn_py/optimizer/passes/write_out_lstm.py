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
    FullyConnectedDescriptor,
    LstmDescriptor,
    PermuteDescriptor,
    ReshapeDescriptor,
)
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.written_out import WrittenOut, has_earlier_backend
from armnn_py.types import ActivationFunction, BinaryOperation, DataType, LayerType, RowRounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node, Value

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
        if not has_earlier_backend(node, log) or not _can_be_written_out(node):
            continue
        steps = _Steps(graph, node)
        if steps.replace(log):
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


class _Steps(WrittenOut):
    """The layers of one LSTM."""

    def __init__(self, graph: Graph, node: Node) -> None:
        super().__init__(graph, node)
        assert isinstance(node.descriptor, LstmDescriptor)
        self.d = node.descriptor
        self.count = _step_count(node)
        self.gates = [_FORGET, _CELL, _OUTPUT] if self.d.cifg_enabled else list(range(4))
        self.function = _FUNCTIONS[self.d.activation_function]

    def write_out(self) -> tuple[Value, Value, Value]:
        """Return the output state, the cell state and the output."""
        x, h, c = (self.input(place) for place in range(3))
        batch, outputs = h.info.static_shape
        cells = c.info.static_shape[1]
        is_sequence = self.node.type is LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
        size = x.info.static_shape[-1]
        if is_sequence and not self.d.time_major:
            x = self.add(LayerType.TRANSPOSE, "time_first", [x], PermuteDescriptor((1, 0, 2)))
        if is_sequence:
            rows = ReshapeDescriptor((self.count * batch, size))
            x = self.add(LayerType.RESHAPE, "rows", [x], rows)
        bias = self.known("bias", lambda: self._joined(_BIAS))
        weights = self.known("input_weights", lambda: self._joined(_WEIGHTS).T)
        recurrent = self.known("recurrent_weights", lambda: self._joined(_RECURRENT).T)
        products = self._product("inputs", x, weights, bias)
        width = len(self.gates) * cells
        shown = []
        for step in range(self.count):
            part = self.slice(f"{step}/input", products, (step * batch, 0), (batch, width))
            state = self._product(f"{step}/state", h, recurrent)
            sums = self.binary(f"{step}/sums", BinaryOperation.ADD, part, state)
            h, c = self._step(f"{step}/", sums, c, (batch, cells))
            shown.append(h)
        if not is_sequence:
            return h, c, h
        joined = self.join("joined", shown, 0)
        shape = ReshapeDescriptor((self.count, batch, outputs))
        y = self.add(LayerType.RESHAPE, "steps", [joined], shape)
        if not self.d.time_major:
            y = self.add(LayerType.TRANSPOSE, "batch_first", [y], PermuteDescriptor((1, 0, 2)))
        return h, c, y

    def _step(
        self, title: str, sums: Value, c: Value, shape: tuple[int, int]
    ) -> tuple[Value, Value]:
        """Return the output state and the cell state behind a step."""
        batch, cells = shape
        parts = {
            gate: self.slice(f"{title}gate{gate}", sums, (0, place * cells), (batch, cells))
            for place, gate in enumerate(self.gates)
        }
        multiply, add = BinaryOperation.MUL, BinaryOperation.ADD
        forget = self._gate(f"{title}forget", _FORGET, parts, c)
        if self.d.cifg_enabled:
            one = self.known("one", lambda: np.ones((1, 1), np.float32))
            chosen = self.binary(f"{title}chosen", BinaryOperation.SUB, one, forget)
        else:
            chosen = self._gate(f"{title}chosen", _INPUT, parts, c)
        new = self._activate(f"{title}new", parts[_CELL], self.function)
        kept = self.binary(f"{title}kept", multiply, forget, c)
        added = self.binary(f"{title}added", multiply, chosen, new)
        c = self.binary(f"{title}cell", add, kept, added)
        c = self._clip(f"{title}clipped", c, self.d.clipping_threshold_cell)
        output = self._gate(f"{title}output", _OUTPUT, parts, c)
        visible = self._activate(f"{title}visible", c, self.function)
        h = self.binary(f"{title}hidden", multiply, output, visible)
        if self.d.projection_enabled:
            weights = self.known("projection", lambda: self._constant(_PROJECTION).T)
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
            known = self.known(f"peephole{gate}", lambda: self._constant(place).reshape(1, -1))
            seen = self.binary(f"{title}_seen", BinaryOperation.MUL, c, known)
            value = self.binary(f"{title}_sum", BinaryOperation.ADD, value, seen)
        return self._activate(title, value, _SIGMOID)

    def _activate(self, title: str, x: Value, function: ActivationDescriptor | None) -> Value:
        return x if function is None else self.add(LayerType.ACTIVATION, title, [x], function)

    def _clip(self, title: str, x: Value, bound: float) -> Value:
        if not bound > 0:
            return x
        function = ActivationDescriptor(ActivationFunction.BOUNDED_RELU, bound, -bound)
        return self._activate(title, x, function)

    def _product(self, title: str, x: Value, weights: Value, bias: Value | None = None) -> Value:
        operands = [x, weights] if bias is None else [x, weights, bias]
        descriptor = FullyConnectedDescriptor(bias_enabled=bias is not None)
        return self.add(LayerType.FULLY_CONNECTED, title, operands, descriptor)

    # ---- Operands -------------------------------------------------------------------------------

    def _constant(self, place: int) -> NDArray[np.float32]:
        constant = self.input(place).constant
        assert constant is not None
        return np.asarray(constant, np.float32)

    def _joined(self, first: int) -> NDArray[np.float32]:
        """Return the operands of all gates one behind the other."""
        return np.concatenate([self._constant(first + gate) for gate in self.gates])
