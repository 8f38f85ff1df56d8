# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Examples of layers that backends are asked about, and operands that fit a data type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.errors import LayerValidationError
from armnn_py.network.shapes import infer
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor
    from armnn_py.types import LayerType

#: One scale for inputs and outputs, as layers that move values need it; it is also the scale that
#: Arm NN demands of the output of a Softmax.
QUANTIZATION = {
    DataType.QASYMM_U8: QuantizationInfo((1 / 256,), (0,)),
    DataType.QASYMM_S8: QuantizationInfo((1 / 256,), (-128,)),
    DataType.QSYMM_S8: QuantizationInfo((1 / 128,)),
    DataType.QSYMM_S16: QuantizationInfo((1 / 32768,)),
    DataType.QASYMM_S4: QuantizationInfo((1 / 16,), (-8,)),
    DataType.QASYMM_U4: QuantizationInfo((1 / 16,), (0,)),
    DataType.QASYMM_S2: QuantizationInfo((1 / 4,), (-2,)),
    DataType.QASYMM_U2: QuantizationInfo((1 / 4,), (0,)),
}
_WEIGHTS = {
    DataType.QASYMM_U8: DataType.QASYMM_U8,
    DataType.QASYMM_S8: DataType.QSYMM_S8,
    DataType.QSYMM_S16: DataType.QSYMM_S8,
}


class Operand(Struct, frozen=True):
    """One operand of an example: its values only where the layer's shape or sense needs them."""

    info: TensorInfo
    is_constant: bool = False
    values: NDArray[Any] | None = None


class Example(Struct, frozen=True):
    """A layer, with None for absent operands; its outputs only where they do not follow."""

    type: LayerType
    descriptor: Descriptor | None
    operands: Sequence[Operand | None]
    outputs: Sequence[TensorInfo] | None = None

    def infer(self, outputs: Sequence[TensorInfo] | None) -> list[TensorInfo]:
        """Return the outputs that Arm NN's rules give."""
        infos = [None if operand is None else operand.info for operand in self.operands]
        values = [None if operand is None else operand.values for operand in self.operands]
        return infer(self.type, self.descriptor, infos, values, outputs=outputs)

    def signature(self, data_type: DataType, in_float: Example) -> LayerSignature | None:
        """Return what a backend is asked about, or None if there is no such layer of this type.

        ``in_float`` is the same example in float32: what is calculated in a quantised type needs
        outputs with a scale, and their shapes are those of the other.
        """
        try:
            outputs = self.outputs
            if outputs is None and data_type.is_quantized:
                outputs = [in_type(info, data_type) for info in in_float.infer(None)]
            return LayerSignature(
                self.type,
                self.descriptor,
                tuple(None if operand is None else operand.info for operand in self.operands),
                tuple(self.infer(outputs)),
                tuple(operand is not None and operand.is_constant for operand in self.operands),
            )
        except LayerValidationError:
            return None


class Operands:
    """Makes the operands of examples of one data type."""

    def __init__(self, data_type: DataType) -> None:
        self.type = data_type

    def info(self, *shape: int) -> TensorInfo:
        """Return the info of a tensor of the type."""
        return TensorInfo(shape, self.type, QUANTIZATION.get(self.type))

    def x(self, *shape: int) -> Operand:
        """Return an operand that is computed."""
        return Operand(self.info(*shape))

    def parameter(self, *shape: int) -> Operand:
        """Return a constant of the type."""
        return Operand(self.info(*shape), is_constant=True)

    def weights(self, *shape: int) -> Operand:
        """Return constant weights, of the type that goes with it."""
        data_type = _WEIGHTS.get(self.type, self.type)
        return Operand(TensorInfo(shape, data_type, QUANTIZATION.get(data_type)), True)

    def bias(self, count: int) -> Operand:
        """Return a constant bias, of the type and the scale that go with both."""
        if not self.type.is_quantized:
            return self.parameter(count)
        weights = _WEIGHTS.get(self.type, self.type)
        scale = QUANTIZATION[self.type].scale * QUANTIZATION[weights].scale
        return Operand(TensorInfo((count,), DataType.SIGNED32, QuantizationInfo((scale,))), True)

    def integers(self, values: list[Any]) -> Operand:
        """Return constant indices, sizes or axes with these values."""
        array = np.array(values, np.int32)
        return Operand(TensorInfo(array.shape, DataType.SIGNED32), True, array)


def in_type(info: TensorInfo, data_type: DataType) -> TensorInfo:
    """Return the info of a tensor of float32 in another type; others stay as they are."""
    if info.data_type is not DataType.FLOAT32:
        return info
    return TensorInfo(info.shape, data_type, QUANTIZATION[data_type])
