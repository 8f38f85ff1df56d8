# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of layers that change single values or their types, and of tensors of one value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import ActivationDescriptor, FillDescriptor
from armnn_py.network.core import NetworkCore, known_values
from armnn_py.network.layer import Layer, OutputSlot, Source
from armnn_py.tensors import QuantizationInfo, TensorInfo, parse_static_shape
from armnn_py.types import ActivationFunction, DataType, LayerType
from armnn_py.types.facts import PARAMETERS


class ConversionBuilders(NetworkCore):
    """Layers of single values; ``name=``, ``backend=`` and ``output_info=`` as everywhere."""

    __slots__ = ()

    def add_cast(
        self,
        x: Source,
        data_type: DataType,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a conversion of type: Arm NN's Cast.

        Parameters
        ----------
        x
            Elements of any type.
        data_type
            Type of the output; numbers go towards zero, as in numpy's ``astype``.

        Returns
        -------
        Layer
            One output of the input's shape.
        """
        operand = self._resolve(x)
        info = TensorInfo(operand.info.shape, data_type)
        return self._add(LayerType.CAST, [operand], None, info, name, backend)

    def add_quantize(
        self,
        x: Source,
        data_type: DataType,
        quantization: QuantizationInfo,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add quantisation: Arm NN's Quantize.

        Parameters
        ----------
        x
            Floating-point or quantised numbers.
        data_type, quantization
            Type and scale of the output.

        Raises
        ------
        LayerValidationError
            The types do not suit.
        """
        operand = self._resolve(x)
        info = TensorInfo(operand.info.shape, data_type, quantization)
        return self._add(LayerType.QUANTIZE, [operand], None, info, name, backend)

    def add_dequantize(
        self,
        x: Source,
        data_type: DataType = DataType.FLOAT32,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the way back from quantised to real numbers: Arm NN's Dequantize.

        Parameters
        ----------
        x
            Quantised numbers whose scale is known.
        data_type
            A floating-point type.

        Raises
        ------
        LayerValidationError
            The types do not suit.
        """
        operand = self._resolve(x)
        info = TensorInfo(operand.info.shape, data_type)
        return self._add(LayerType.DEQUANTIZE, [operand], None, info, name, backend)

    def add_fill(
        self,
        shape: Sequence[int] | Layer | OutputSlot,
        value: float,
        *,
        data_type: DataType = DataType.FLOAT32,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a tensor of one value: Arm NN's Fill.

        Parameters
        ----------
        shape
            Shape of the output; of a layer, its values must be known.
        value
            Value of every element.
        data_type
            Type of the output.

        Returns
        -------
        Layer
            One output of that shape.

        Raises
        ------
        LayerValidationError
            The shape is not known or impossible.
        """
        if isinstance(shape, (Layer, OutputSlot)):
            source = self._resolve(shape)
        else:
            dims = np.array(parse_static_shape(shape), dtype=np.int64)
            small = dims.size == 0 or int(dims.max()) < 2**31
            source = self._resolve(dims.astype(np.int32) if small else dims)
        values = known_values(source)
        info = None if values is None else TensorInfo(tuple(values.tolist()), data_type)
        return self._add(LayerType.FILL, [source], FillDescriptor(value), info, name, backend)

    def add_activation(
        self,
        x: Source,
        function: ActivationFunction,
        a: float | None = None,
        b: float | None = None,
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
        function
            The function; `ActivationFunction` has the formula of each.
        a, b
            Constant of the formula. The default is the function's own, see `ActivationFunction`:
            ``TANH`` is then ``tanh(x)``. In an `ActivationDescriptor`, as in Arm NN, they are 0.

        Returns
        -------
        Layer
            One output of the input's shape and type.

        Raises
        ------
        LayerValidationError
            The input is boolean.
        InvalidArgumentError
            The function is not an `ActivationFunction`.

        Examples
        --------
        >>> import armnn_py as ann
        >>> network = ann.Network()
        >>> x = network.add_input("x", ann.TensorInfo((2,)))
        >>> y = network.add_activation(x, ann.ActivationFunction.TANH)
        >>> y.descriptor.a, y.descriptor.b
        (1.0, 1.0)
        """
        is_one = isinstance(function, int)  # else the descriptor says what it is
        known = PARAMETERS[ActivationFunction].get(function, {}) if is_one else {}
        descriptor = ActivationDescriptor(
            function=function,
            a=known.get("a", 0.0) if a is None else a,
            b=known.get("b", 0.0) if b is None else b,
        )
        return self._add(LayerType.ACTIVATION, [x], descriptor, output_info, name, backend)
