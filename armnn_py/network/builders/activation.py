# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The builder of activations, whose parameters have defaults for each function."""

from __future__ import annotations

from armnn_py.descriptors import ActivationDescriptor
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import ActivationFunction, LayerType
from armnn_py.types.facts import PARAMETERS

__all__ = ["ActivationBuilders"]


class ActivationBuilders(NetworkCore):
    """Functions of each element; ``name=``, ``backend=`` and ``output_info=`` as everywhere."""

    __slots__ = ()

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
