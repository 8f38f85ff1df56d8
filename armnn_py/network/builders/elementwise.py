# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of elementwise layers and conversions."""

from __future__ import annotations

from armnn_py.descriptors import (
    ActivationDescriptor,
    ComparisonDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
    LogicalBinaryDescriptor,
)
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    LayerType,
    LogicalBinaryOperation,
    UnaryOperation,
)

__all__ = ["ElementwiseBuilders"]


class ElementwiseBuilders(NetworkCore):
    """Layers that compute each element by itself; two operands broadcast as in numpy.

    A plain Python number beside a tensor takes its type. ``name=``, ``backend=`` and
    ``output_info=`` as everywhere.
    """

    __slots__ = ()

    def add_activation(
        self,
        x: Source,
        function: ActivationFunction,
        a: float = 0.0,
        b: float = 0.0,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add an activation: Arm NN's Activation.

        Parameters
        ----------
        x
            Numbers of any shape.
        function, a, b
            The function and its parameters, see `ActivationFunction`.

        Returns
        -------
        Layer
            One output of the input's shape and type.

        Raises
        ------
        LayerValidationError
            The input is boolean.
        InvalidArgumentError
            The function is none.
        """
        descriptor = ActivationDescriptor(function, a, b)
        return self._add(LayerType.ACTIVATION, [x], descriptor, output_info, name, backend)

    def add_elementwise_binary(
        self,
        x: Source,
        y: Source,
        operation: BinaryOperation,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add arithmetic of two operands: Arm NN's ElementwiseBinary.

        Parameters
        ----------
        x, y
            Numbers of one type, of shapes that broadcast.
        operation
            What to do with each pair.

        Returns
        -------
        Layer
            One output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            Types differ or shapes do not broadcast.
        InvalidArgumentError
            The operation is none.
        """
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            ElementwiseBinaryDescriptor(operation),
            output_info,
            name,
            backend,
        )

    def add_addition(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x + y``: `add_elementwise_binary` with ``ADD``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.ADD, output_info=output_info, name=name, backend=backend
        )

    def add_subtraction(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x - y``: `add_elementwise_binary` with ``SUB``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.SUB, output_info=output_info, name=name, backend=backend
        )

    def add_multiplication(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x * y``: `add_elementwise_binary` with ``MUL``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.MUL, output_info=output_info, name=name, backend=backend
        )

    def add_division(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x / y``: `add_elementwise_binary` with ``DIV``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.DIV, output_info=output_info, name=name, backend=backend
        )

    def add_maximum(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the greater of x and y: `add_elementwise_binary` with ``MAXIMUM``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.MAXIMUM, output_info=output_info, name=name, backend=backend
        )

    def add_minimum(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the lesser of x and y: `add_elementwise_binary` with ``MINIMUM``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.MINIMUM, output_info=output_info, name=name, backend=backend
        )

    def add_squared_difference(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``(x - y) ** 2``: `add_elementwise_binary` with ``SQ_DIFF``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.SQ_DIFF, output_info=output_info, name=name, backend=backend
        )

    def add_power(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x ** y``: `add_elementwise_binary` with ``POWER``."""
        return self.add_elementwise_binary(
            x, y, BinaryOperation.POWER, output_info=output_info, name=name, backend=backend
        )

    def add_elementwise_unary(
        self,
        x: Source,
        operation: UnaryOperation,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add arithmetic of one operand: Arm NN's ElementwiseUnary.

        Parameters
        ----------
        x
            Numbers, or booleans for ``LOGICAL_NOT``, of any shape.
        operation
            What to do with each element.

        Returns
        -------
        Layer
            One output of the input's shape and type.

        Raises
        ------
        LayerValidationError
            The type does not suit the operation.
        InvalidArgumentError
            The operation is none.
        """
        return self._add(
            LayerType.ELEMENTWISE_UNARY,
            [x],
            ElementwiseUnaryDescriptor(operation),
            output_info,
            name,
            backend,
        )

    def add_comparison(
        self,
        x: Source,
        y: Source,
        operation: ComparisonOperation,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a comparison: Arm NN's Comparison.

        Parameters
        ----------
        x, y
            Elements of one type, of shapes that broadcast.
        operation
            What is asked of each pair.

        Returns
        -------
        Layer
            One boolean output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            Types differ or shapes do not broadcast.
        InvalidArgumentError
            The operation is none.
        """
        descriptor = ComparisonDescriptor(operation)
        return self._add(LayerType.COMPARISON, [x, y], descriptor, None, name, backend)

    def add_logical_binary(
        self,
        x: Source,
        y: Source,
        operation: LogicalBinaryOperation,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a logical operation of two operands: Arm NN's LogicalBinary.

        Parameters
        ----------
        x, y
            Booleans, of shapes that broadcast.
        operation
            AND or OR.

        Returns
        -------
        Layer
            One boolean output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            An operand is not boolean, or shapes do not broadcast.
        InvalidArgumentError
            The operation is none.
        """
        descriptor = LogicalBinaryDescriptor(operation)
        return self._add(LayerType.LOGICAL_BINARY, [x, y], descriptor, None, name, backend)

    def add_prelu(
        self,
        x: Source,
        alpha: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x if x >= 0 else alpha * x``: Arm NN's Prelu.

        Parameters
        ----------
        x, alpha
            Numbers of one type, of shapes that broadcast.

        Returns
        -------
        Layer
            One output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            Types differ or shapes do not broadcast.
        """
        return self._add(LayerType.PRELU, [x, alpha], None, output_info, name, backend)
