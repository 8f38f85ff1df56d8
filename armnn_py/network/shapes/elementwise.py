# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that compute each element by itself, and those that convert its type.

Definitions: Arm NN's layers of these names; two operands broadcast as in numpy.
"""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.descriptors import ElementwiseUnaryDescriptor
from armnn_py.network.shapes.common import broadcast
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType, UnaryOperation

__all__ = ["RULES"]


def _binary(site: Site) -> list[TensorInfo]:
    site.need_number(0)
    site.need_same_type(0, 1)
    return site.computed(broadcast(site, site.shape(0), site.shape(1)))


def _comparison(site: Site) -> list[TensorInfo]:
    site.need_same_type(0, 1)
    return [TensorInfo(broadcast(site, site.shape(0), site.shape(1)), DataType.BOOLEAN)]


def _logical_binary(site: Site) -> list[TensorInfo]:
    for index in (0, 1):
        site.need_type(index, DataType.BOOLEAN)
    return [TensorInfo(broadcast(site, site.shape(0), site.shape(1)), DataType.BOOLEAN)]


def _unary(site: Site) -> list[TensorInfo]:
    if site.parameters(ElementwiseUnaryDescriptor).operation is UnaryOperation.LOGICAL_NOT:
        site.need_type(0, DataType.BOOLEAN)
    else:
        site.need_number()
    return site.computed(site.shape())


def _number(site: Site) -> list[TensorInfo]:
    site.need_number()
    return site.computed(site.shape())


def _same(site: Site) -> list[TensorInfo]:
    return [site.info()]


def _floor(site: Site) -> list[TensorInfo]:
    if not site.info().data_type.is_float:
        site.fail(f"input is {site.info().data_type.label}, a floating-point type expected")
    return [site.info()]


def _cast(site: Site) -> list[TensorInfo]:
    if site.outputs is None:
        site.fail("the output type is not given", hint="state the output in output_infos=")
    return [TensorInfo(site.shape(), site.outputs[0].data_type)]


def _quantize(site: Site) -> list[TensorInfo]:
    if not (site.info().data_type.is_float or site.info().data_type.is_quantized):
        site.fail(f"input is {site.info().data_type.label}, real numbers expected")
    if site.outputs is None or not site.outputs[0].data_type.is_quantized:
        site.fail("a quantised output type must be given")
    if site.outputs[0].quantization is None:
        site.fail("the scale of the output is not given")
    return [TensorInfo(site.shape(), site.outputs[0].data_type)]


def _dequantize(site: Site) -> list[TensorInfo]:
    info = site.info()
    if not (info.data_type.is_quantized or info.data_type is DataType.FLOAT16):
        site.fail(f"input is {info.data_type.label}, a quantised type expected")
    if info.data_type.is_quantized and info.quantization is None:
        site.fail("the scale of the input is not known", hint="give it in the input's TensorInfo")
    data_type = site.outputs[0].data_type if site.outputs else DataType.FLOAT32
    if not data_type.is_float:
        site.fail(f"output type {data_type.label} given, a floating-point type expected")
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
    LayerType.ACTIVATION: _number,
    LayerType.ADDITION: _binary,
    LayerType.CAST: _cast,
    LayerType.COMPARISON: _comparison,
    LayerType.CONVERT_FP16_TO_FP32: _convert(DataType.FLOAT16, DataType.FLOAT32),
    LayerType.CONVERT_FP32_TO_FP16: _convert(DataType.FLOAT32, DataType.FLOAT16),
    LayerType.DEBUG: _same,
    LayerType.DEQUANTIZE: _dequantize,
    LayerType.DIVISION: _binary,
    LayerType.ELEMENTWISE_BINARY: _binary,
    LayerType.ELEMENTWISE_UNARY: _unary,
    LayerType.FAKE_QUANTIZATION: _floor,
    LayerType.FILL: _fill,
    LayerType.FLOOR: _floor,
    LayerType.LOGICAL_BINARY: _logical_binary,
    LayerType.MAXIMUM: _binary,
    LayerType.MEM_COPY: _same,
    LayerType.MEM_IMPORT: _same,
    LayerType.MINIMUM: _binary,
    LayerType.MULTIPLICATION: _binary,
    LayerType.PRELU: _binary,
    LayerType.QUANTIZE: _quantize,
    LayerType.SUBTRACTION: _binary,
}
