# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cases fitted to a tensor: the layer of a case over another shape or quantisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from armnn_py.errors import LayerValidationError
from armnn_py.network.shapes import infer, infer_shapes
from armnn_py.tensors import TensorInfo
from armnn_py.testing.cases.quantizations import of_output
from armnn_py.types import DataType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from armnn_py.testing.cases.case import Case
    from armnn_py.testing.cases.quantizations import Variant


def fitted(case: Case, place: int, info: TensorInfo) -> Case | None:
    """Return a case whose operand is another tensor; None if the layer does not fit it.

    Operands that were like this one stay like it. Constants may get another number of channels.
    """
    before = case.signature.inputs[place]
    assert before is not None
    if before == info:
        return case
    inputs = [info if one == before else one for one in case.signature.inputs]
    for candidate in _with_channels(case, before, info, inputs):
        changed = with_inputs(case, candidate)
        if changed is not None:
            return changed
    return None


def with_operand(
    case: Case, place: int, info: TensorInfo, *, constant: bool = False
) -> Case | None:
    """Return a case with another operand, which may be constant; None if the layer forbids it."""
    inputs, constants = list(case.signature.inputs), list(case.signature.constants)
    inputs[place], constants[place] = info, constant
    signature = case.signature._replace(constants=tuple(constants))
    return with_inputs(structs.replace(case, signature=signature, drawn={}), inputs)


def _with_channels(
    case: Case, before: TensorInfo, after: TensorInfo, inputs: Sequence[TensorInfo | None]
) -> Iterator[list[TensorInfo | None]]:
    """Give the operands as they are, then constants with the channels of another tensor."""
    yield list(inputs)
    if not before.rank or before.rank != after.rank:
        return
    for axis in (-1, 1):
        old = before.static_shape[axis] if before.rank > 1 or axis == -1 else 0
        new = after.static_shape[axis] if before.rank > 1 or axis == -1 else 0
        for last in (True, False):
            changed = list(inputs)
            for place, info in enumerate(inputs):
                is_free = case.signature.constants[place] and case.known[place] is None
                if info is not None and is_free:
                    changed[place] = _other_dimension(info, old, new, last=last)
            yield changed


def _other_dimension(info: TensorInfo, old: int, new: int, *, last: bool) -> TensorInfo:
    """Change the last, or the first, dimension of a size to another size."""
    shape = list(info.static_shape)
    places = [axis for axis, size in enumerate(shape) if size == old]
    if places:
        shape[places[-1 if last else 0]] = new
    return info.with_shape(shape)


def with_inputs(case: Case, inputs: Sequence[TensorInfo | None]) -> Case | None:
    """Return a case with other operands; None if the layer does not fit them."""
    signature = case.signature
    try:
        outputs: Any = signature.outputs
        shapes = infer_shapes(case.layer, signature.descriptor, inputs, case.known, outputs=outputs)
        moves = FACTS[case.layer].quantization == "moves"
        requested = (
            None
            if moves
            else [one.with_shape(shape) for one, shape in zip(outputs, shapes, strict=True)]
        )
        made = infer(case.layer, signature.descriptor, inputs, case.known, outputs=requested)
    except LayerValidationError:
        return None
    changed = signature._replace(inputs=tuple(inputs), outputs=tuple(made))
    return structs.replace(case, signature=changed, drawn={})


def in_real_numbers(case: Case, values: Sequence[Any]) -> tuple[Case, list[Any]]:
    """Return a quantised case in float32, with its values."""
    signature = case.signature
    inputs = tuple(_real_info(info) for info in signature.inputs)
    outputs = tuple(
        TensorInfo(i.shape) if i.data_type.is_quantized else i for i in signature.outputs
    )
    given = [
        value
        if now is before or before is None or value is None
        else before.dequantize(value).astype(np.float32)
        for value, before, now in zip(values, signature.inputs, inputs, strict=True)
    ]
    changed = signature._replace(inputs=inputs, outputs=outputs)
    return structs.replace(case, signature=changed, drawn={}), given


def _real_info(info: TensorInfo | None) -> TensorInfo | None:
    """Return float32 instead of a quantised type, or of a bias that counts in steps."""
    if info is None or info.quantization is None:
        return info
    if info.data_type.is_quantized or info.data_type is DataType.SIGNED32:
        return TensorInfo(info.shape)
    return info


def with_outputs_for(
    case: Case, real: Sequence[NDArray[Any]] | None, variant: Variant
) -> Iterator[Case]:
    """Give a case with outputs that hold these real numbers, then as it is."""
    if real is not None and FACTS[case.layer].quantization == "calculates":
        infos = tuple(
            TensorInfo(info.shape, info.data_type, of_output(info.data_type, array, variant))
            if info.data_type.is_quantized
            else info
            for info, array in zip(case.signature.outputs, real, strict=True)
        )
        yield structs.replace(case, signature=case.signature._replace(outputs=infos), drawn={})
    yield case
