# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of what enters and leaves a network: inputs, outputs, and variables, which stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import InvalidArgumentError, LayerValidationError
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import AssignLayer, Layer, Source, VariableLayer
from armnn_py.network.storage import check_name
from armnn_py.tensors import StringInfo, TensorInfo, as_constant
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EndBuilders(NetworkCore):
    """Inputs, outputs and variables."""

    __slots__ = ()

    def add_input(self, name: str, info: TensorInfo) -> Layer:
        """Add an input.

        Parameters
        ----------
        name
            Its name in `run`; unique among inputs.
        info
            Shape and type; no free dimensions.

        Returns
        -------
        Layer
            The Input layer, to read from.

        Raises
        ------
        InvalidArgumentError
            The name is empty or taken, or the info is not a `TensorInfo`.
        """
        self._check_static()
        check_name(name, "input")
        if name in self._inputs:
            raise InvalidArgumentError(
                f"input '{name}' exists already", details=[f"inputs: {', '.join(self._inputs)}"]
            )
        if not isinstance(info, TensorInfo):
            raise InvalidArgumentError(
                f"input '{name}': {info!r} is not a TensorInfo",
                hints=["TensorInfo((1, 224, 224, 3), DataType.FLOAT32)"],
            )
        if isinstance(info, StringInfo):
            raise InvalidArgumentError(
                f"input '{name}': {info!r}, and no layer reads strings",
                hints=["Network.from_builder(..., stages=...) takes stages that do"],
            )
        if info.bounded:
            raise InvalidArgumentError(
                f"input '{name}': {info!r} has bounded dimensions, which only a StandIn layer has",
                hints=["load(..., bounds={...}) bounds the free dimensions of inputs"],
            )
        if not info.is_static:
            raise InvalidArgumentError(
                f"input '{name}': {info!r} has free dimensions",
                hints=["Network.from_builder() makes a network for each shape it meets"],
            )
        _refuse_packed(f"input '{name}'", info)
        return self.append_unchecked(name, LayerType.INPUT, None, (), [info])

    def add_output(self, name: str, source: Source) -> Layer:
        """Add an output.

        Parameters
        ----------
        name
            Its name in `run`; unique among outputs.
        source
            The tensor that `run` returns under that name.

        Returns
        -------
        Layer
            The Output layer; nothing reads from it.

        Raises
        ------
        InvalidArgumentError
            The name is empty or taken, or the source is of another network.
        """
        self._check_static()
        check_name(name, "output")
        if name in self._outputs:
            raise InvalidArgumentError(
                f"output '{name}' exists already",
                details=[f"outputs: {', '.join(self._outputs)}"],
            )
        operand = self._resolve(source)
        _refuse_packed(f"output '{name}'", operand.info)
        slot = self._settle(operand, f"{name}.value")
        return self.append_unchecked(name, LayerType.OUTPUT, None, (slot,), [])

    def add_variable(self, name: str, info: TensorInfo, value: Any = None) -> VariableLayer:
        """Add a tensor that stays from run to run: recurrent state, a cache, a filter's past.

        Layers read its value from before the run. `assign` says what it is after the run; a
        variable that is never assigned stays as it is until the user changes it through
        `LoadedNetwork.state`.

        Parameters
        ----------
        name
            Its name in `LoadedNetwork.state`; unique among variables.
        info
            Shape and type; no free dimensions.
        value
            The value before the first run, an array of that shape and type. Default: zeros, which
            for a quantised type are its zero points.

        Returns
        -------
        VariableLayer
            To read from.

        Raises
        ------
        InvalidArgumentError
            The name is empty or taken, the info has the wrong type, or the value does not fit.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> network = ann.Network("counter")
        >>> x = network.add_input("x", ann.TensorInfo((1,)))
        >>> total = network.add_variable("total", ann.TensorInfo((1,)))
        >>> new = network.add_addition(total, x)
        >>> network.assign(total, new)
        <Assign 'total.next' 1>
        >>> output = network.add_output("sum", new)
        >>> with ann.load(network, ["CpuRef"]) as loaded:
        ...     for number in np.float32([[1], [2], [3]]):
        ...         print(loaded.run(number)["sum"], loaded.state["total"])
        [1.] [1.]
        [3.] [3.]
        [6.] [6.]
        """
        self._check_static()
        check_name(name, "variable")
        if name in self._variables:
            raise InvalidArgumentError(
                f"variable '{name}' exists already",
                details=[f"variables: {', '.join(self._variables)}"],
            )
        if not isinstance(info, TensorInfo):
            raise InvalidArgumentError(
                f"variable '{name}': {info!r} is not a TensorInfo",
                hints=["TensorInfo((1, 128), DataType.FLOAT32)"],
            )
        if info.bounded:
            raise InvalidArgumentError(
                f"variable '{name}': {info!r} has bounded dimensions, "
                "which only a StandIn layer has",
                hints=["a variable has the same shape in all runs, whatever the inputs' shapes"],
            )
        if not info.is_static:
            raise InvalidArgumentError(
                f"variable '{name}': {info!r} has free dimensions",
                hints=["a variable has the same shape in all runs, whatever the inputs' shapes"],
            )
        _refuse_packed(f"variable '{name}'", info)
        array = _zeros(info) if value is None else as_constant(value, like=info.data_type)
        if array.shape != info.shape or array.dtype != info.dtype:
            raise InvalidArgumentError(
                f"variable '{name}': a value of {array.dtype} {array.shape} does not fit {info!r}"
            )
        layer = self.append_unchecked(name, LayerType.INPUT, None, (), [info], value=array)
        assert isinstance(layer, VariableLayer)
        return layer

    def assign(self, variable: VariableLayer, source: Source) -> AssignLayer:
        """Say what a variable is after a run; the run itself reads the value from before.

        Parameters
        ----------
        variable
            A variable of this network, which is not assigned yet.
        source
            The tensor that it becomes, of the same shape, type and quantisation. A run that fails
            or is stopped changes nothing.

        Returns
        -------
        AssignLayer
            Nothing reads from it.

        Raises
        ------
        InvalidArgumentError
            The variable is assigned already, or one of the two is of another network.
        LayerValidationError
            The source does not fit the variable.
        """
        self._check_static()
        if not isinstance(variable, VariableLayer) or variable.network is not self:
            raise InvalidArgumentError(
                f"assign: {variable!r} is not a variable of network '{self._name}'",
                hints=["add_variable() makes one"],
            )
        if variable.name in self._assigned:
            raise InvalidArgumentError(
                f"variable '{variable.name}' is assigned already",
                details=[f"by: {self._assigned[variable.name]!r}"],
                hints=["one assignment says what it is after a run; add_select() chooses"],
            )
        operand = self._resolve(source, like=variable.output.info.data_type)
        if operand.info != variable.output.info:
            raise LayerValidationError(
                f"variable '{variable.name}': {operand.info!r} assigned, "
                f"{variable.output.info!r} expected"
            )
        name = f"{variable.name}.next"
        slot = self._settle(operand, f"{name}.value")
        layer = self.append_unchecked(name, LayerType.OUTPUT, None, (slot,), [], variable=variable)
        assert isinstance(layer, AssignLayer)
        return layer


def _zeros(info: TensorInfo) -> NDArray[Any]:
    """The array that means 0 everywhere: zero points, where the type has some."""
    array: NDArray[Any] = np.zeros(info.static_shape, info.dtype)
    quantization = info.quantization
    if quantization is not None:
        points = np.asarray(quantization.zero_points, info.dtype)
        if quantization.axis is not None:
            points = points.reshape(-1, *[1] * (info.rank - quantization.axis - 1))
        array[...] = points
    array.flags.writeable = False
    return array


def _refuse_packed(what: str, info: TensorInfo) -> None:
    """Raise for elements of less than a byte, of which there are no arrays."""
    packed = info.data_type
    if packed.is_packed:
        raise InvalidArgumentError(
            f"{what} is {packed.described}, whose elements are less than a byte",
            details=["such tensors exist inside a network alone: no array holds them"],
            hints=[f"use {packed.unpacked.described} there, and add_cast() between the two"],
        )
