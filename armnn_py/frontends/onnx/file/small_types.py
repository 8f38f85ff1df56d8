# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers that numpy lacks: bfloat16, floating point of 8 and 4 bits, integers of 4 and 2 bits.

Their dtypes are those of the package ml_dtypes. Cast, QuantizeLinear and DequantizeLinear know
them. Other operators compute bfloat16 in float32 and round. Operators that
move elements move them, those of less than a byte as the integers or halves that hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Known, Unsupported, Value, data_type_of, dtype_of
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.file.element_types import is_small, small_type
from armnn_py.network import OutputSlot
from armnn_py.types import ActivationFunction, ComparisonOperation, DataType

_BFLOAT16, _E8M0 = "bfloat16", "float8_e8m0fnu"
_KNOW_THEM = {
    "Cast", "CastLike", "ConstantOfShape", "DequantizeLinear", "GatherBlockQuantized", "Identity",
    "If", "Loop", "QuantizeLinear", "Scan", "SequenceConstruct", "Shape", "Size",
}  # fmt: skip
_MOVE = {
    "Concat", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Reshape", "Slice",
    "Split", "SplitToSequence", "Squeeze", "Tile", "Transpose", "Unsqueeze",
}  # fmt: skip


def unpacked(emit: Emitter, value: Value) -> Value:
    """Return elements of less than a byte in the type of arrays that hold them."""
    dtype = dtype_of(value)
    if not is_small(dtype) or not data_type_of(dtype).is_packed:
        return value
    return emit.cast(value, data_type_of(dtype).unpacked.numpy)


# ---- Operands of operators -----------------------------------------------------------------------


def prepared(
    emit: Emitter, op_type: str, values: Sequence[Value | None]
) -> tuple[Sequence[Value | None], np.dtype[Any] | None]:
    """Return operands that an operator knows, and the dtype that its results are to have again.

    Raises
    ------
    Unsupported
        It computes with numbers that no layer computes with.
    """
    given = [v for v in values if v is not None]
    if op_type in _KNOW_THEM or not all(isinstance(v, (Known, OutputSlot)) for v in given):
        return values, None  # a sequence keeps what it holds
    small = next((v for v in given if is_small(dtype_of(v))), None)
    if small is None:
        return values, None
    dtype = dtype_of(small)
    if op_type in _MOVE:
        held = data_type_of(dtype).unpacked.numpy if data_type_of(dtype).is_packed else None
    elif dtype.name == _BFLOAT16:
        held = np.dtype(np.float32)
    else:
        raise Unsupported(f"{dtype} operands")
    if held is None:
        return values, None
    return [
        emit.cast(v, held, "held") if v is not None and dtype_of(v) == dtype else v for v in values
    ], dtype


def restored(
    emit: Emitter, results: Sequence[Value | None], dtype: np.dtype[Any] | None
) -> Sequence[Value | None]:
    """Return results of prepared operands in the dtype that the operands had."""
    if dtype is None:
        return results
    held = data_type_of(dtype).unpacked.numpy if dtype.name != _BFLOAT16 else np.dtype(np.float32)

    def back(value: Any) -> Any:
        if isinstance(value, TensorList):
            return TensorList(tuple(back(item) for item in value.items))
        return emit.cast(value, dtype, "rounded") if dtype_of(value) == held else value

    return [value and back(value) for value in results]


# ---- Casts ---------------------------------------------------------------------------------------


def convert(
    emit: Emitter, x: Value, target: np.dtype[Any], saturate: bool = True, rounding: str = "up"
) -> Value:
    """Cast as ONNX defines it for these types: saturated unless told otherwise.

    Parameters
    ----------
    emit
        Makes the layers.
    x
        Numbers of any type.
    target
        Any dtype; where it is not of this module, or bfloat16, this is a plain Cast.
    saturate
        Whether what is too large, infinity too, becomes the largest number of 8 bits.
    rounding
        To powers of two (float8e8m0): ``up``, ``down`` or ``nearest``.
    """
    if not is_small(target) or target.name == _BFLOAT16 or dtype_of(x) == target:
        return emit.cast(x, target)
    if not data_type_of(target).is_float:
        # Integers lose high bits, and real numbers become integers first.
        is_real = data_type_of(dtype_of(x)).is_float
        return emit.cast(emit.cast(x, np.int32, "whole") if is_real else x, target)
    if is_small(dtype_of(x)) or dtype_of(x).kind != "f":
        x = emit.cast(x, np.float32, "wide")
    if saturate and data_type_of(target) is not DataType.FLOAT4_E2M1FN:  # which always does
        import ml_dtypes

        ends = ml_dtypes.finfo(target)  # type: ignore[no-untyped-call]
        low = float(ends.smallest_normal) if target.name == _E8M0 else float(ends.min)
        limit = ActivationFunction.BOUNDED_RELU
        x = emit.activation(limit, emit.cast(x, np.float32), float(ends.max), low, "saturated")
    if target.name == _E8M0 and rounding != "nearest":
        x = _power_of_two(emit, emit.cast(x, np.float32), rounding)
    return emit.cast(x, target)


def _power_of_two(emit: Emitter, x: Value, rounding: str) -> Value:
    """Return the power of two next to a positive number in one direction."""
    near = emit.cast(emit.cast(x, small_type(_E8M0), "power"), np.float32, "near")
    up = rounding == "up"
    passed = emit.compare(
        ComparisonOperation.LESS if up else ComparisonOperation.GREATER, near, x, "passed"
    )
    other = emit.mul(near, emit.scalar(2.0 if up else 0.5, near), "other")
    return emit.where(passed, other, near)
