# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A layer as a rule of inference sees it, and the errors for operands that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from armnn_py.descriptors import Descriptor
from armnn_py.errors import LayerValidationError
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.text import first_of
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def operand_name(layer_type: LayerType, index: int) -> str:
    """Return the name of one operand: ``weights``, or ``input 3``."""
    names = FACTS[layer_type].operands
    return names[index].removesuffix("?") if index < len(names) else f"input {index}"


_D = TypeVar("_D", bound=Descriptor)


class Site:
    """One layer whose outputs are being inferred.

    Parameters
    ----------
    layer_type, descriptor
        Type and parameters of the layer.
    infos
        Its operands, ``None`` where an optional one is absent.
    constants
        The operands' values where they are known, else ``None``.
    outputs
        Infos that the caller requests for the outputs, or ``None``.
    name
        Name of the layer, for messages.
    """

    __slots__ = ("constants", "descriptor", "infos", "layer_type", "name", "outputs")

    def __init__(
        self,
        layer_type: LayerType,
        descriptor: Descriptor | None,
        infos: Sequence[TensorInfo | None],
        constants: Sequence[NDArray[Any] | None],
        outputs: Sequence[TensorInfo] | None,
        name: str,
    ) -> None:
        self.layer_type = layer_type
        self.descriptor = descriptor
        self.infos = infos
        self.constants = constants
        self.outputs = outputs
        self.name = name

    def fail(self, text: str, *, hint: str | None = None) -> NoReturn:
        """Raise the error that names the layer and shows its operands."""
        message = f"layer '{self.name}' ({self.layer_type.label}): {text}"
        details = [
            f"{operand_name(self.layer_type, index)}: {info}"
            for index, info in enumerate(self.infos)
            if info is not None
        ]
        details = first_of(details)
        if self.descriptor is not None:
            text = repr(self.descriptor)
            details.append(text if len(text) <= 300 else text[:297] + "...")
        raise LayerValidationError(
            message,
            layer=self.name,
            problems=[message],
            details=details,
            hints=[] if hint is None else [hint],
        )

    def parameters(self, kind: type[_D]) -> _D:
        """Return the descriptor, whose type was checked before any rule ran."""
        assert isinstance(self.descriptor, kind)
        return self.descriptor

    def info(self, index: int = 0) -> TensorInfo:
        """Return an operand that must be there."""
        info = self.infos[index] if index < len(self.infos) else None
        if info is None:
            self.fail(f"operand '{operand_name(self.layer_type, index)}' is missing")
        return info

    def optional(self, index: int) -> TensorInfo | None:
        """Return an operand that may be absent."""
        return self.infos[index] if index < len(self.infos) else None

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """Return the shape of an operand."""
        return self.info(index).static_shape

    def constant(self, index: int) -> NDArray[Any] | None:
        """Return the values of an operand where they are known."""
        return self.constants[index] if index < len(self.constants) else None

    # ---- Demands --------------------------------------------------------------------------------

    def need_rank(self, rank: int, index: int = 0, *, hint: str | None = None) -> tuple[int, ...]:
        """Return the shape of an operand that must have this many dimensions."""
        shape = self.shape(index)
        if len(shape) != rank:
            self.fail(
                f"{operand_name(self.layer_type, index)} has {len(shape)} dimensions, "
                f"{rank} expected",
                hint=hint,
            )
        return shape

    def need_least_rank(self, rank: int, index: int = 0) -> tuple[int, ...]:
        """Return the shape of an operand that must have at least this many dimensions."""
        shape = self.shape(index)
        if len(shape) < rank:
            self.fail(
                f"{operand_name(self.layer_type, index)} has {len(shape)} dimensions, "
                f"at least {rank} expected"
            )
        return shape

    def need_shape(self, expected: tuple[int, ...], index: int, *, why: str) -> None:
        """Demand a shape of an operand."""
        shape = self.shape(index)
        if shape != expected:
            self.fail(
                f"{operand_name(self.layer_type, index)} has shape {format_shape(shape)}, "
                f"{format_shape(expected)} expected: {why}"
            )

    def need_type(self, index: int, *allowed: DataType) -> None:
        """Demand one of some types of an operand."""
        data_type = self.info(index).data_type
        if data_type not in allowed:
            self.fail(
                f"{operand_name(self.layer_type, index)} is {data_type.described}, "
                f"{' or '.join(one.described for one in allowed)} expected"
            )

    def need_number(self, index: int = 0) -> DataType:
        """Demand that an operand is not boolean; returns its type."""
        data_type = self.info(index).data_type
        if data_type is DataType.BOOLEAN:
            self.fail(
                f"{operand_name(self.layer_type, index)} is bool, numbers expected",
                hint="add_cast() makes numbers of booleans",
            )
        return data_type

    def need_real(self, index: int = 0) -> None:
        """Demand that an operand is of floating point or quantised."""
        data_type = self.info(index).data_type
        if not (data_type.is_float or data_type.is_quantized):
            name = operand_name(self.layer_type, index)
            self.fail(
                f"{name} is {data_type.described}, floating point or a quantised type expected"
            )

    def need_float(self, index: int = 0) -> None:
        """Demand that an operand is of floating point."""
        data_type = self.info(index).data_type
        if not data_type.is_float:
            name = operand_name(self.layer_type, index)
            self.fail(f"{name} is {data_type.described}, a floating-point type expected")

    def need_integer(self, index: int = 0) -> None:
        """Demand that an operand is of integers without a scale."""
        data_type = self.info(index).data_type
        if data_type.is_float or data_type.is_quantized or data_type is DataType.BOOLEAN:
            name = operand_name(self.layer_type, index)
            self.fail(f"{name} is {data_type.described}, integers expected")

    def need_same_type(self, first: int, second: int) -> None:
        """Demand that two operands have one type."""
        a, b = self.info(first).data_type, self.info(second).data_type
        if a is not b:
            names = [operand_name(self.layer_type, index) for index in (first, second)]
            cure = "convert one of them with add_cast()"
            if DataType.FLOAT64 in (a, b):  # what numpy makes of numbers
                cure = "array.astype('float32') for a constant, or add_cast()"
            self.fail(
                f"{names[0]} is {a.described} but {names[1]} is {b.described}, one type expected",
                hint=f"{cure}; nothing is converted silently",
            )

    def need_scales(self, index: int, along: int | None = None) -> None:
        """Demand one scale of a quantised operand, or one for each index of dimension ``along``."""
        quantization = self.info(index).quantization
        if quantization is None or len(quantization.scales) == 1 or quantization.axis == along:
            return
        also = "" if along is None else f", or scales along dimension {along} (the output channels)"
        self.fail(
            f"{operand_name(self.layer_type, index)} has {len(quantization.scales)} scales along "
            f"dimension {quantization.axis}, one scale{also} expected",
            hint="a Dequantize layer before it makes floats",
        )

    def need_axis(self, axis: int, rank: int, *, what: str = "axis") -> int:
        """Return an axis counted from the front."""
        if not -rank <= axis < rank:
            self.fail(
                f"{what} {axis} given, {-rank} to {rank - 1} expected"
                if rank
                else f"{what} {axis} given, but a scalar has no axis"
            )
        return axis + rank if axis < 0 else axis

    # ---- Results --------------------------------------------------------------------------------

    def moved(self, shape: Sequence[int], index: int = 0) -> list[TensorInfo]:
        """Return the output of a layer whose elements keep the meaning of an operand's."""
        info = self.info(index)
        quantization = info.quantization
        if (
            quantization is not None
            and quantization.axis is not None
            and tuple(shape) != info.shape
            and self.outputs is None
        ):
            self.fail(
                "the scales of the input along an axis do not carry over to the output",
                hint="state the output in output_infos=",
            )
        if quantization is not None and self.outputs is not None:
            quantization = None if quantization.axis is not None else quantization
        return [TensorInfo(tuple(shape), info.data_type, quantization)]

    def computed(self, shape: Sequence[int], index: int = 0) -> list[TensorInfo]:
        """Return the output of a layer that makes new values of an operand's type."""
        data_type = self.info(index).data_type
        if data_type.is_quantized and self.outputs is None:
            self.fail(
                f"the scale of the {data_type.described} output is not known",
                hint="give output_info=TensorInfo(shape, data type, QuantizationInfo(...))",
            )
        return [TensorInfo(tuple(shape), data_type)]
