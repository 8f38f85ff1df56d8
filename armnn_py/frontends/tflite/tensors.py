# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Types, quantisation and constant values of the tensors of a TensorFlow Lite model."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from armnn_py.errors import InvalidArgumentError, ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Unsupported,
    Value,
    data_type_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.model import Operator, Tensor, TfliteModel
from armnn_py.frontends.tflite.reading import enum_names
from armnn_py.frontends.tflite.sparse import Sparsity, dense_of
from armnn_py.memory_budget import computed_budget
from armnn_py.tensors import QuantizationInfo, TensorInfo, format_shape
from armnn_py.text import format_bytes
from armnn_py.types import DataType, LayerType

_DTYPES: dict[str, np.dtype[Any]] = {
    "FLOAT32": np.dtype(np.float32),
    "FLOAT16": np.dtype(np.float16),
    "BFLOAT16": np.dtype(np.uint16),
    "FLOAT64": np.dtype(np.float64),
    "INT32": np.dtype(np.int32),
    "UINT32": np.dtype(np.uint32),
    "UINT8": np.dtype(np.uint8),
    "INT8": np.dtype(np.int8),
    "INT4": np.dtype(np.int8),
    "INT16": np.dtype(np.int16),
    "UINT16": np.dtype(np.uint16),
    "INT64": np.dtype(np.int64),
    "UINT64": np.dtype(np.uint64),
    "BOOL": np.dtype(np.bool_),
}
_QUANTIZED = {
    "UINT8": DataType.QASYMM_U8,
    "INT8": DataType.QASYMM_S8,
    "INT4": DataType.QASYMM_S8,
    "INT16": DataType.QSYMM_S16,
}
_PACKED = {"INT4": 2}
"""Types of which a byte holds several elements."""
_TENSOR_LIMIT = 2**36


def type_name(tensor: Tensor) -> str:
    """Return the name of a tensor's type, as the schema has it."""
    return enum_names("TensorType").get(tensor.type, f"type {tensor.type}")


def dtype_named(number: int) -> np.dtype[Any]:
    """Return the numpy dtype of a ``TensorType``.

    Raises
    ------
    Unsupported
        No tensor has the type.
    """
    name = enum_names("TensorType").get(number, f"type {number}")
    found = _DTYPES.get(name)
    if found is None:
        raise Unsupported(f"{name.lower()} values")
    return found


def quantization(tensor: Tensor) -> QuantizationInfo | None:
    """Return scales and zero points of a quantised tensor; ``None`` for plain numbers.

    Raises
    ------
    Unsupported
        Scales differ along a dimension, with zero points that are not 0.
    ParseError
        Scales and shape do not fit together.
    """
    name = type_name(tensor)
    if not tensor.scales or name not in _QUANTIZED:
        return None  # scales of int32 are those of a bias, which follow from its layer's operands
    points = tensor.zero_points or (0,) * len(tensor.scales)
    if len(points) == 1 and len(tensor.scales) > 1:
        points = points * len(tensor.scales)
    axis: int | None = None
    if len(tensor.scales) > 1:
        axis = tensor.axis
        if not 0 <= axis < len(tensor.shape) or tensor.shape[axis] != len(tensor.scales):
            raise ParseError(
                f"tensor {quoted(tensor.name)} of shape {format_shape(tensor.shape)} has "
                f"{len(tensor.scales)} scales along dimension {axis}, expected one an element"
            )
        if any(points):
            raise Unsupported("zero points other than 0 beside scales for each channel")
    if name == "INT16" and any(points):
        raise Unsupported("int16 values with a zero point other than 0")
    try:
        return QuantizationInfo(tensor.scales, points, axis)
    except InvalidArgumentError as error:
        raise ParseError(f"tensor {quoted(tensor.name)}: {error.message}") from error


def data_type(tensor: Tensor) -> DataType:
    """Return the data type of a tensor.

    Raises
    ------
    Unsupported
        No tensor type of ours has such elements.
    """
    name = type_name(tensor)
    if name == "BFLOAT16":
        return DataType.BFLOAT16
    if name in ("INT8", "INT4") and len(tensor.scales) > 1:
        return DataType.QSYMM_S8
    found = _QUANTIZED.get(name)
    return data_type_of(dtype_named(tensor.type)) if found is None else found


def check_type(op: Operator, tensor: Tensor, dtype: np.dtype[Any]) -> None:
    """Raise if the file states another type of an output than an operator makes."""
    stated = dtype_named(tensor.type)
    if dtype != stated:
        raise ParseError(f"{quoted(op.label)} makes {dtype}, but the file says {stated}")


def tensor_info(tensor: Tensor, shape: tuple[int | None, ...] | None = None) -> TensorInfo:
    """Return shape, type and quantisation of a tensor, with another shape if one is given.

    Raises
    ------
    Unsupported
        No tensor type of ours has such elements.
    ParseError
        The fields of the tensor contradict each other.
    """
    kind = data_type(tensor)
    try:
        return TensorInfo(tensor.shape if shape is None else shape, kind, quantization(tensor))
    except InvalidArgumentError as error:
        raise ParseError(f"tensor {quoted(tensor.name)}: {error.message}") from error


def variable_info(tensor: Tensor, emit: Emitter) -> TensorInfo:
    """Return the info of a variable, whose memory is taken at import and counts as computed.

    Raises
    ------
    Unsupported
        No tensor type of ours has such elements.
    ParseError
        It would take more memory than a file of this size may ask for.
    """
    info = tensor_info(tensor)
    if not emit.movable([], info.static_shape, info.dtype):
        raise ParseError(
            f"variable {quoted(tensor.name)} would take {info.byte_size / 2**20:.0f} MiB, which "
            "exceeds the limit",
            details=[f"shape: {format_shape(tensor.shape)}"],
        )
    return info


def as_stated(emit: Emitter, value: Value, stated: QuantizationInfo | None) -> Value:
    """Return moved numbers with the scale that the file states for them, where that differs.

    LiteRT's kernels that move elements copy bytes: what comes after them takes the bytes for
    numbers of the stated scale.
    """
    if stated is None or quantization_of(value) in (None, stated):
        return value
    info = TensorInfo(shape_of(value), value.info.data_type, stated)
    if isinstance(value, Known):
        return Known(value.array, info)
    # By way of numbers without a scale: a Cast from one scale to another would compute.
    numbers = emit.cast(value, np.int64 if info.dtype == np.int32 else np.int32, "numbers")
    return emit.layer(LayerType.CAST, [numbers], name="scale", output=info)


def constant_of(model: TfliteModel, tensor: Tensor) -> Known | None:
    """Return the values of a tensor that the file holds, or that has none; else ``None``.

    Raises
    ------
    Unsupported
        They are of a type that numpy lacks, or sparse and less than a byte.
    ParseError
        Shape and stored bytes do not match.
    """
    raw = model.buffers[tensor.buffer] if tensor.buffer < len(model.buffers) else None
    if raw is None or tensor.is_variable:
        return empty_of(tensor)
    if not all(tensor.shape):
        return empty_of(tensor)
    if tensor.sparsity is not None:
        return _known(tensor, _dense(model, tensor, tensor.sparsity, raw))
    dtype, name = dtype_named(tensor.type), type_name(tensor)
    count = math.prod(tensor.shape)
    per_byte = _PACKED.get(name, 1)
    size = -(-count // per_byte) if per_byte > 1 else count * dtype.itemsize
    if count > _TENSOR_LIMIT or raw.size != size:
        raise ParseError(
            f"tensor {quoted(tensor.name)} has the wrong amount of data",
            details=[
                f"shape: {format_shape(tensor.shape)} of {name.lower()}, {size} bytes",
                f"stored: {raw.size} bytes",
            ],
            hints=["the file is damaged, or was cut short"],
        )
    array = _unpacked(raw, count) if per_byte > 1 else _elements(raw[:size], dtype)
    return _known(tensor, array.reshape(tensor.shape))


def _known(tensor: Tensor, array: Array) -> Known:
    array.flags.writeable = False
    scales = quantization(tensor)
    if scales is None and type_name(tensor) != "BFLOAT16":
        return Known(array)
    return Known(array, TensorInfo(array.shape, data_type(tensor), scales))


def _dense(model: TfliteModel, tensor: Tensor, sparsity: Sparsity, raw: Array) -> Array:
    """Return a sparse tensor with all elements, if a file of this size may ask for them."""
    dtype, name = dtype_named(tensor.type), type_name(tensor)
    if name in _PACKED:
        raise Unsupported(f"sparse {name.lower()} values")
    size, most = math.prod(tensor.shape) * dtype.itemsize, computed_budget(model.size)
    if size > most:
        raise ParseError(
            f"sparse tensor {quoted(tensor.name)} would take {format_bytes(size)}, at most "
            f"{format_bytes(most)} are allowed",
            details=[f"shape: {format_shape(tensor.shape)} of {name.lower()}"],
            hints=["set_memory_budget or ARMNN_PY_MEMORY_BUDGET sets the limit"],
        )
    if raw.size % dtype.itemsize:
        raise ParseError(
            f"sparse tensor {quoted(tensor.name)} has {raw.size} bytes, which is not a multiple of "
            f"{dtype}"
        )
    try:
        return dense_of(tensor.shape, sparsity, _elements(raw, dtype))
    except ParseError as error:
        raise ParseError(
            f"tensor {quoted(tensor.name)}: {error.message}", details=error.details
        ) from error


def empty_of(tensor: Tensor) -> Known | None:
    """Return a tensor that has no elements and needs none stored; ``None`` if it has some.

    Raises
    ------
    Unsupported
        It is of a type that numpy lacks.
    ParseError
        No tensor can have its shape.
    """
    if all(tensor.shape) or tensor.is_variable:
        return None
    info = tensor_info(tensor)
    return Known(np.zeros(tensor.shape, dtype_named(tensor.type)), info)


def _elements(raw: Array, dtype: np.dtype[Any]) -> Array:
    if dtype == np.bool_:  # any byte but 0 is true
        return np.asarray(raw != 0)
    if sys.byteorder == "big":
        return raw.view(dtype.newbyteorder("<")).astype(dtype)
    if raw.__array_interface__["data"][0] % dtype.itemsize:
        return np.frombuffer(raw.tobytes(), dtype)
    return raw.view(dtype)


def _unpacked(raw: Array, count: int) -> Array:
    """Return 4-bit integers as bytes: the low half of a byte comes first."""
    nibbles = np.empty(2 * raw.size, np.int8)
    nibbles[0::2] = (raw << 4).view(np.int8) >> 4
    nibbles[1::2] = raw.view(np.int8) >> 4
    return nibbles[:count]
