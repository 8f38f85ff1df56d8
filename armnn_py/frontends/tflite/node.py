# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The view of an operator that a converter gets: operands, options, outputs, and the emitter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from armnn_py.descriptors import ActivationDescriptor, Descriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Unsupported,
    Value,
    array_of,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.model import Graph, Operator, Tensor
from armnn_py.frontends.tflite.reading import enum_names
from armnn_py.frontends.tflite.tensors import data_type, dtype_named, quantization
from armnn_py.network import Layer, OutputSlot, VariableLayer
from armnn_py.network.shapes import infer_shapes
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import ActivationFunction, LayerType

FUSED: dict[str, tuple[ActivationFunction, float, float]] = {
    "RELU": (ActivationFunction.RELU, 0.0, 0.0),
    "RELU_N1_TO_1": (ActivationFunction.BOUNDED_RELU, 1.0, -1.0),
    "RELU6": (ActivationFunction.BOUNDED_RELU, 6.0, 0.0),
    "TANH": (ActivationFunction.TANH, 1.0, 1.0),
}


Call = Callable[[int, Sequence[Value], str], Sequence[Value]]
"""Converts a sub-graph for operands."""


class VariableValues(Protocol):
    """The values of a model's resource variables during conversion."""

    def values(self) -> dict[str, Value]:
        """Return the present values of all variables that were used."""

    def restore(self, values: Mapping[str, Value]) -> None:
        """Let variables have other values; those that are not named have their first one."""


class RunTimeOperand(Unsupported):
    """An operand that shapes depend on is not known; the run knows it."""

    #: Of a loop: whether its first condition is known, and holds.
    begins = False

    def __init__(self, what: str, value: Value) -> None:
        super().__init__(f"{what} computed at run time")
        self.value: Value | None = value


class RunsApart(RunTimeOperand):
    """A loop that is not written out."""

    def __init__(self, reason: str, *, begins: bool = False) -> None:
        Unsupported.__init__(self, reason)
        self.value = None
        self.begins = begins


class OperatorView:
    """One operator during conversion.

    Attributes
    ----------
    op
        The operator.
    emit
        Adds layers, or computes what is known.
    keeps_loops
        Whether a loop of many layers runs by itself.
    """

    def __init__(
        self,
        op: Operator,
        graph: Graph,
        values: Sequence[Value | ComplexValue | None],
        emit: Emitter,
        variables: dict[int, VariableLayer] | None = None,
        call: Call | None = None,
        resources: VariableValues | None = None,
        *,
        keeps_loops: bool = False,
    ) -> None:
        self.op = op
        self.keeps_loops = keeps_loops
        self._call = call
        self._resources = resources
        self.emit = emit
        self._graph = graph
        self._values = values
        self._variables = variables or {}

    # ---- Operands -------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many operands are named, absent ones at the end left out."""
        count = len(self._values)
        while count and self._values[count - 1] is None:
            count -= 1
        return count

    def has(self, index: int) -> bool:
        """Return whether an optional operand is given."""
        return index < len(self._values) and self._values[index] is not None

    def value(self, index: int) -> Value:
        """Return an operand that must be there."""
        value = self._values[index] if index < len(self._values) else None
        if value is None:
            raise ParseError(f"input {index} is missing")
        if isinstance(value, ComplexValue):
            raise Unsupported("complex64 operands")
        return value

    def optional(self, index: int) -> Value | None:
        """Return an operand, ``None`` if it is absent."""
        return self.value(index) if self.has(index) else None

    def values(self) -> list[Value]:
        """Return all operands of an operator that takes any number of them."""
        if not self._values:
            raise ParseError("the operator has no inputs, expected at least one")
        return [self.value(index) for index in range(len(self._values))]

    def shape(self, index: int) -> tuple[int, ...]:
        """Return the shape of an operand."""
        return shape_of(self.value(index))

    def rank(self, index: int) -> int:
        """Return the rank of an operand."""
        return len(self.shape(index))

    def need_rank(self, rank: int, index: int = 0) -> tuple[int, ...]:
        """Return the shape of an operand that must have this many dimensions."""
        shape = self.shape(index)
        if len(shape) != rank:
            raise ParseError(f"input {index} has {len(shape)} dimensions, expected {rank}")
        return shape

    def known(self, index: int) -> Array | None:
        """Return the elements of an operand that is known, or ``None``."""
        value = self._values[index] if index < len(self._values) else None
        return value.array if isinstance(value, Known) else None

    def constant(self, index: int, what: str) -> Array:
        """Return the elements of an operand that shapes depend on, which must be known."""
        value = self.value(index)
        if not isinstance(value, Known):
            raise RunTimeOperand(what, value)
        return value.array

    def integers(self, index: int, what: str) -> list[int]:
        """Return a known operand as integers."""
        array = self.constant(index, what)
        if array.dtype.kind not in "iu":
            raise ParseError(f"{what} must be of an integer type, not {array.dtype}")
        if array.size > 2**16:
            raise ParseError(f"expected at most {2**16} numbers as {what}, not {array.size}")
        return [int(item) for item in array.reshape(-1)]

    def integer(self, index: int, what: str) -> int:
        """Return a known operand of one element as an integer."""
        found = self.integers(index, what)
        if len(found) != 1:
            raise ParseError(f"expected one number as {what}, not {len(found)}")
        return found[0]

    def is_quantized(self, index: int) -> bool:
        """Return whether an operand has quantised numbers."""
        return self.has(index) and quantization_of(self.value(index)) is not None

    def variable(self, index: int) -> VariableLayer | None:
        """Return the variable behind an operand; ``None`` for other operands."""
        return self._variables.get(self.op.inputs[index]) if self.has(index) else None

    def is_complex(self, index: int) -> bool:
        """Return whether an operand has complex numbers."""
        return index < len(self._values) and isinstance(self._values[index], ComplexValue)

    def complex(self, index: int) -> ComplexValue:
        """Return an operand of complex numbers."""
        value = self._values[index] if index < len(self._values) else None
        if not isinstance(value, ComplexValue):
            raise ParseError(f"input {index} is not complex64")
        return value

    def call(self, graph: int, values: Sequence[Value], name: str) -> Sequence[Value]:
        """Convert a sub-graph for these operands; ``name`` begins the names of its layers."""
        assert self._call is not None
        return self._call(graph, values, name)

    @property
    def resources(self) -> VariableValues:
        """The resource variables of the model."""
        assert self._resources is not None
        return self._resources

    # ---- Options --------------------------------------------------------------------------------

    def option(self, name: str, default: Any = 0) -> Any:
        """Return a field of the options; ``default`` if the file has no options at all."""
        if not self.op.options_type:
            return default
        if name not in self.op.options:
            raise ParseError(f"its options ({self.op.options_type}) have no {quoted(name)}")
        return self.op.options[name]

    def choice(self, name: str, enumeration: str, default: int = 0) -> str:
        """Return a field of the options that is of an enumeration, by name."""
        number = self.option(name, default)
        found = enum_names(enumeration).get(number)
        if found is None:
            raise Unsupported(f"{name.replace('_', ' ')} {number}, which is not known")
        return found

    # ---- Outputs --------------------------------------------------------------------------------

    def output(self, index: int = 0) -> Tensor:
        """Return an output as the file states it; its shape may be that of another input."""
        if index >= len(self.op.outputs):
            raise ParseError(f"output {index} is missing")
        return self._graph.tensors[self.op.outputs[index]]

    def intermediate(self, index: int) -> Tensor | None:
        """Return a tensor that only states a scale inside of the operator."""
        places = self.op.intermediates
        return self._graph.tensors[places[index]] if index < len(places) else None

    def output_dtype(self, index: int = 0) -> np.dtype[Any]:
        """Return the dtype of an output."""
        return dtype_named(self.output(index).type)

    def output_quantization(self, index: int = 0) -> QuantizationInfo | None:
        """Return scale and zero point of an output; ``None`` for plain numbers."""
        return quantization(self.output(index))

    def info(self, shape: Sequence[int], index: int = 0) -> TensorInfo:
        """Return the info of an output with a shape that was worked out."""
        tensor = self.output(index)
        return TensorInfo(tuple(shape), data_type(tensor), quantization(tensor))

    # ---- Layers ---------------------------------------------------------------------------------

    def layers(
        self,
        kind: LayerType,
        inputs: Sequence[Value | None],
        descriptor: Descriptor | None = None,
        *,
        name: str = "",
        outputs: Sequence[int] = (0,),
    ) -> Layer:
        """Add a layer with the types and scales that the file states for these outputs."""
        stated = [self.output(index) for index in outputs]
        if all(quantization(tensor) is None for tensor in stated):
            return self.emit.layers(kind, inputs, descriptor, name=name)
        infos = [None if value is None else value.info for value in inputs]
        known = [value.array if isinstance(value, Known) else None for value in inputs]
        requested = [self.info(tensor.shape, k) for k, tensor in zip(outputs, stated, strict=True)]
        shapes = infer_shapes(
            kind, descriptor, infos, known, outputs=requested, layer=self.op.label
        )
        found = [self.info(shape, k) for k, shape in zip(outputs, shapes, strict=True)]
        return self.emit.layers(kind, inputs, descriptor, name=name, outputs=found)

    def layer(
        self,
        kind: LayerType,
        inputs: Sequence[Value | None],
        descriptor: Descriptor | None = None,
        *,
        name: str = "",
    ) -> OutputSlot:
        """Add a layer that makes the first output."""
        return self.layers(kind, inputs, descriptor, name=name).outputs[0]

    def activation(self, function: ActivationFunction, x: Value, a: float, b: float) -> Value:
        """Apply an activation function; the output has the stated scale."""
        if quantization_of(x) is None:
            return self.emit.activation(function, x, a, b)
        descriptor = ActivationDescriptor(function=function, a=a, b=b)
        return self.layer(LayerType.ACTIVATION, [x], descriptor)

    @property
    def fused(self) -> str:
        """Name of the activation function that the operator ends with; empty for none."""
        found = self.choice("fused_activation_function", "ActivationFunctionType")
        if found == "NONE":
            return ""
        if found not in FUSED:
            raise Unsupported(f"fused activation {found}")
        return found

    def part(self, name: str) -> str:
        """Return the name of the layer in front of a fused activation, which has the node's own."""
        return name if self.fused else ""

    def activated(self, value: Value) -> Value:
        """Apply the fused activation function.

        Between quantised numbers of one scale it is a clamp: the same numbers as those of a layer
        that clamps before it stores.
        """
        fused = self.fused
        return self.activation(FUSED[fused][0], value, *FUSED[fused][1:]) if fused else value

    # ---- Real numbers ---------------------------------------------------------------------------

    def real(self, index: int, name: str) -> Value:
        """Return an operand as float32: weights at once, other quantised values by a layer."""
        return real(self.emit, self.value(index), name)

    def stored(self, value: Value) -> Value:
        """Return float32 values as the output has them: quantised, if it is."""
        if self.output_quantization() is None:
            return value
        return self.layer(LayerType.QUANTIZE, [value])


def real(emit: Emitter, value: Value, name: str) -> Value:
    """Return a value as float32."""
    scales = quantization_of(value)
    if scales is None:
        return emit.cast(value, np.float32, name)
    if emit.movable([value], shape_of(value), np.dtype(np.float32)):
        array = array_of(value)
        lane = [-1 if axis == scales.axis else 1 for axis in range(array.ndim)]
        scale = np.asarray(scales.scales, np.float32)
        point = np.asarray(scales.zero_points, np.int32)
        if scales.axis is None:
            lane = [1] * array.ndim
        numbers = array.astype(np.int32) - point.reshape(lane)
        return Known(numbers.astype(np.float32) * scale.reshape(lane))
    info = TensorInfo(shape_of(value))
    return emit.layer(LayerType.DEQUANTIZE, [value], name=name, output=info)


def same_type(x: Value, y: Value) -> None:
    """Raise if two operands that an operator joins are of different types."""
    if dtype_of(x) != dtype_of(y):
        raise ParseError(f"the operands are {dtype_of(x)} and {dtype_of(y)}, expected one type")
