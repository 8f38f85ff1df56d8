# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The one way to add a layer: operands resolved, outputs inferred, then stored."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from armnn_py.descriptors import Descriptor
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.errors import InvalidArgumentError
from armnn_py.network import shapes
from armnn_py.network.layer import (
    ConstantLayer,
    Layer,
    OutputSlot,
    Source,
    check_backend_hint,
)
from armnn_py.network.shapes.site import operand_name
from armnn_py.network.storage import NetworkStorage, check_name
from armnn_py.tensors import StringInfo, TensorInfo, as_constant
from armnn_py.tensors.packing import pack
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_OPERANDS = 2**16
"""Most tensors that one layer reads, or makes."""

_BOUND = {
    LayerType.CONSTANT: "add_constant()",
    LayerType.INPUT: "add_input()",
    LayerType.OUTPUT: "add_output()",
}


class PendingConstant:
    """Values given as an operand, before the layer that reads them is known to be valid."""

    __slots__ = ("array", "info")

    def __init__(self, array: NDArray[Any], info: TensorInfo) -> None:
        self.array = array
        self.info = info


Resolved: TypeAlias = OutputSlot | PendingConstant


#: Dtypes of arrays that may hold the bits of a type that numpy lacks.
_BITS = (np.dtype(np.uint16), np.dtype(np.uint8))


@functools.cache
def _automatic_base(layer_type: LayerType) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", layer_type.label).lower()


class NetworkCore(NetworkStorage):
    """A network that layers of any type can be added to; `Network` adds a builder for each type."""

    __slots__ = ()

    # ---- Adding -------------------------------------------------------------------------------

    def add_constant(
        self, value: Any, *, info: TensorInfo | None = None, name: str | None = None
    ) -> ConstantLayer:
        """Add values that are known now.

        Values given as the operand of another layer become a Constant layer by themselves; this
        is for values that several layers read, and for types that an array does not tell.

        Parameters
        ----------
        value
            An array, a number, or a sequence of numbers, see `armnn_py.tensors.as_constant`.
        info
            Type and quantisation where the array does not tell them: quantised values, bfloat16.
            Its shape and its dtype are the array's. Of a type of less than a byte, the array has
            the numbers, or the bytes that hold them, in one dimension.
        name
            Name of the layer; one is made up without.

        Returns
        -------
        ConstantLayer
            Its ``value`` is read-only.

        Raises
        ------
        InvalidArgumentError
            No constant can be made of the value, or the info does not fit it.
        """
        self._check_static()
        if info is not None and not isinstance(info, TensorInfo):
            raise InvalidArgumentError(f"constant: {info!r} is not a TensorInfo")
        if info is None and isinstance(value, np.ndarray):
            info = _packed_info(value)
        if info is not None and info.data_type.is_packed:
            value = _packed(value, info)
        array = as_constant(value, like=None if info is None else info.data_type)
        if info is None:
            info = _constant_info(value, array)
        elif (info.array_shape, info.array_dtype) != (array.shape, array.dtype):
            raise InvalidArgumentError(
                f"constant: an array of {array.dtype} {array.shape} does not fit {info!r}"
            )
        return self._add_values(self._name_for(LayerType.CONSTANT, name), array, info)

    def add_layer(
        self,
        layer_type: LayerType,
        inputs: Sequence[Source | Resolved | None],
        descriptor: Descriptor | None = None,
        *,
        name: str | None = None,
        output_infos: Sequence[TensorInfo] | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a layer of any type; all other builders call this.

        Parameters
        ----------
        layer_type
            Type of the layer. The layer gets the canonical type: Addition for example becomes
            ElementwiseBinary with the operation ADD.
        inputs
            Operands in the order of ``armnn/descriptors.h``; ``None`` for an absent optional one.
        descriptor
            Parameters, of the class that ``DESCRIPTOR_OF[layer_type]`` names.
        name
            Name of the layer; one is made up without.
        output_infos
            The outputs, where they cannot be inferred or are quantised.
        backend
            Hint: id of the backend that should run the layer.

        Returns
        -------
        Layer
            The new layer, its outputs inferred.

        Raises
        ------
        LayerValidationError
            The layer does not fit its operands. Nothing was added.
        InvalidArgumentError
            An argument is not a layer, type, name or constant.
        """
        self._check_static()
        if type(layer_type) is not LayerType:
            raise InvalidArgumentError(f"layer type {layer_type!r} is not a LayerType")
        if layer_type in _BOUND:
            raise InvalidArgumentError(
                f"a layer of type {layer_type.label} is not added this way",
                hints=[f"use {_BOUND[layer_type]}"],
            )
        check_backend_hint(backend)
        name = self._name_for(layer_type, name)
        operands = self._resolve_all(layer_type, inputs)
        while operands and operands[-1] is None:
            operands.pop()
        requested = None if output_infos is None else _check_infos(name, output_infos)
        found = shapes.infer(
            layer_type,
            descriptor,
            [None if operand is None else operand.info for operand in operands],
            [known_values(operand) for operand in operands],
            outputs=requested,
            layer=name,
        )
        layer_type, descriptor = canonical_form(layer_type, descriptor)
        slots = tuple(
            None
            if operand is None
            else self._settle(operand, f"{name}.{operand_name(layer_type, index)}")
            for index, operand in enumerate(operands)
        )
        return self.append_unchecked(name, layer_type, descriptor, slots, found, backend=backend)

    def _add(
        self,
        layer_type: LayerType,
        inputs: Sequence[Source | Resolved | None],
        descriptor: Descriptor | None,
        output_info: TensorInfo | None,
        name: str | None,
        backend: str | None,
    ) -> Layer:
        """Add a layer with one output, for the builders."""
        return self.add_layer(
            layer_type,
            inputs,
            descriptor,
            name=name,
            output_infos=None if output_info is None else [output_info],
            backend=backend,
        )

    # ---- Inside -------------------------------------------------------------------------------

    def _name_for(self, layer_type: LayerType, name: str | None) -> str:
        """Return the given name, or the next automatic one that is free."""
        if name is not None:
            return check_name(name, "layer")
        number = self._counters.get(layer_type, 0)
        while True:
            number += 1
            automatic = f"{_automatic_base(layer_type)}_{number}"
            if automatic not in self._by_name:
                self._counters[layer_type] = number
                return automatic

    def _resolve(self, source: Source | Resolved, like: DataType | None = None) -> Resolved:
        """Return the slot that a source means, or the constant it will become."""
        if isinstance(source, PendingConstant):
            return source
        if isinstance(source, (Layer, OutputSlot)):
            layer = source if isinstance(source, Layer) else source.layer
            if layer._network is not self:
                raise InvalidArgumentError(
                    f"layer '{layer.name}' belongs to network '{layer._network.name}', "
                    f"one of network '{self._name}' expected",
                    hints=["a copy of a network has layers of its own: look them up by layer()"],
                )
            return source.output if isinstance(source, Layer) else source
        if source is None:
            raise InvalidArgumentError("None given, a layer, a slot or values expected")
        array = as_constant(source, like=like)
        return PendingConstant(array, _constant_info(source, array))

    def _resolve_all(
        self, layer_type: LayerType, inputs: Sequence[Source | Resolved | None]
    ) -> list[Resolved | None]:
        if isinstance(inputs, (Layer, OutputSlot)) or not isinstance(inputs, Sequence):
            raise InvalidArgumentError(
                f"inputs {inputs!r} given, a sequence of layers, slots or values expected"
            )
        if len(inputs) > MOST_OPERANDS:
            raise InvalidArgumentError(
                f"{len(inputs)} inputs given, at most {MOST_OPERANDS} expected"
            )
        like = None
        others = dict(FACTS[layer_type].operand_types)
        if FACTS[layer_type].shape == "broadcast":
            for index, source in enumerate(inputs):
                if index not in others and isinstance(source, (Layer, OutputSlot, PendingConstant)):
                    like = self._resolve(source).info.data_type
                    break
        return [
            None if source is None else self._resolve(source, None if index in others else like)
            for index, source in enumerate(inputs)
        ]

    def _settle(self, operand: Resolved, name: str) -> OutputSlot:
        """Return an operand's slot; makes the Constant layer of values."""
        if isinstance(operand, OutputSlot):
            return operand
        return self._add_values(name, operand.array, operand.info).outputs[0]

    def _add_values(self, name: str, array: NDArray[Any], info: TensorInfo) -> ConstantLayer:
        layer = self.append_unchecked(name, LayerType.CONSTANT, None, (), [info], value=array)
        assert isinstance(layer, ConstantLayer)
        return layer


def _constant_info(value: Any, array: NDArray[Any]) -> TensorInfo:
    """Return the info of a constant; only the dtype of ``value`` tells bfloat16 from uint16."""
    dtype = getattr(value, "dtype", None) if array.dtype in _BITS else None
    exact = dtype if isinstance(dtype, np.dtype) else array.dtype
    return TensorInfo(array.shape, DataType.from_numpy(exact))


def _packed_info(array: NDArray[Any]) -> TensorInfo | None:
    """Return the info of numbers of less than a byte in a type of ml_dtypes, else ``None``."""
    if array.dtype.kind != "V" and array.dtype.isbuiltin == 1:
        return None
    try:
        data_type = DataType.from_numpy(array.dtype)
    except InvalidArgumentError:
        return None
    return TensorInfo(array.shape, data_type) if data_type.is_packed else None


def _packed(value: Any, info: TensorInfo) -> NDArray[Any]:
    """Return the bytes that hold the numbers of a constant, which may be given as such."""
    array = np.asarray(value)
    if array.dtype == np.uint8 and array.shape == info.array_shape:
        return array
    if array.shape != info.shape:
        raise InvalidArgumentError(
            f"constant: an array of {array.dtype} {array.shape} does not fit {info!r}"
        )
    return pack(array, info.data_type)


def known_values(operand: Resolved | None) -> NDArray[Any] | None:
    """Return the values of an operand where they are known."""
    if isinstance(operand, PendingConstant):
        return operand.array
    if operand is not None and isinstance(operand.layer, ConstantLayer):
        return operand.layer.value
    return None


def _check_infos(name: str, infos: Sequence[TensorInfo]) -> list[TensorInfo]:
    if isinstance(infos, TensorInfo) or not all(isinstance(info, TensorInfo) for info in infos):
        raise InvalidArgumentError(
            f"layer '{name}': output infos {infos!r} given, a sequence of TensorInfo expected"
        )
    for info in infos:
        if not info.is_static:
            raise InvalidArgumentError(f"layer '{name}': output {info!r} has free dimensions")
        if isinstance(info, StringInfo):
            raise InvalidArgumentError(
                f"layer '{name}': output {info!r}, and no layer makes strings"
            )
    return list(infos)
