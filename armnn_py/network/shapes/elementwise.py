# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Conversions, and elementwise layers whose types the table alone does not decide.

Definitions: Arm NN's layers of these names.
"""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.descriptors import ElementwiseUnaryDescriptor
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType, UnaryOperation


def _unary(site: Site) -> list[TensorInfo]:
    operation = site.parameters(ElementwiseUnaryDescriptor).operation
    if operation is UnaryOperation.LOGICAL_NOT:
        site.need_type(0, DataType.BOOLEAN)
    elif operation is UnaryOperation.BITWISE_NOT:
        if site.info().data_type is not DataType.BOOLEAN:
            site.need_integer()
    else:
        site.need_number()
    return site.computed(site.shape())


def _cast(site: Site) -> list[TensorInfo]:
    if site.outputs is None:
        site.fail("the output type is not given", hint="state the output in output_infos=")
    return [TensorInfo(site.shape(), site.outputs[0].data_type)]


def _quantize(site: Site) -> list[TensorInfo]:
    if not (site.info().data_type.is_float or site.info().data_type.is_quantized):
        site.fail(f"input is {site.info().data_type.described}, real numbers expected")
    if site.outputs is None or not site.outputs[0].data_type.is_quantized:
        site.fail("a quantised output type must be given")
    if site.outputs[0].quantization is None:
        site.fail("the scale of the output is not given")
    return [TensorInfo(site.shape(), site.outputs[0].data_type)]


def _dequantize(site: Site) -> list[TensorInfo]:
    info = site.info()
    if not (info.data_type.is_quantized or info.data_type is DataType.FLOAT16):
        site.fail(f"input is {info.data_type.described}, a quantised type expected")
    if info.data_type.is_quantized and info.quantization is None:
        site.fail("the scale of the input is not known", hint="give it in the input's TensorInfo")
    data_type = site.outputs[0].data_type if site.outputs else DataType.FLOAT32
    if not data_type.is_float:
        site.fail(f"output type {data_type.described} given, a floating-point type expected")
    return [TensorInfo(site.shape(), data_type)]


def _convert(source: DataType, target: DataType) -> Callable[[Site], list[TensorInfo]]:
    def rule(site: Site) -> list[TensorInfo]:
        site.need_type(0, source)
        return [TensorInfo(site.shape(), target)]

    return rule


def _fill(site: Site) -> list[TensorInfo]:
    site.need_rank(1)
    site.need_type(0, DataType.SIGNED32, DataType.SIGNED64)
    values = site.constant(0)
    data_type = site.outputs[0].data_type if site.outputs else DataType.FLOAT32
    if values is not None:
        return [TensorInfo(tuple(values.tolist()), data_type)]
    if site.outputs is None:
        site.fail("the shape is not a constant", hint="state the output in output_infos=")
    if site.outputs[0].rank != site.shape()[0]:
        site.fail(f"output of {site.outputs[0].rank} dimensions given, {site.shape()[0]} expected")
    return [TensorInfo(site.outputs[0].static_shape, data_type)]


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.CAST: _cast,
    LayerType.CONVERT_FP16_TO_FP32: _convert(DataType.FLOAT16, DataType.FLOAT32),
    LayerType.CONVERT_FP32_TO_FP16: _convert(DataType.FLOAT32, DataType.FLOAT16),
    LayerType.DEQUANTIZE: _dequantize,
    LayerType.ELEMENTWISE_UNARY: _unary,
    LayerType.FILL: _fill,
    LayerType.QUANTIZE: _quantize,
}
