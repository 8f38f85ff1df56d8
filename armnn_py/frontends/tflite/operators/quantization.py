# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Between real and quantised numbers."""

from __future__ import annotations

import numpy as np

from armnn_py.descriptors import FakeQuantizationDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported, Value, dtype_of, quantization_of
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LayerType


@operator("DEQUANTIZE")
def _dequantize(view: OperatorView) -> Value:
    if view.output_dtype() != np.float32:
        raise Unsupported(f"an output of {view.output_dtype()}")
    if dtype_of(view.value(0)).kind != "f" and not view.is_quantized(0):
        raise Unsupported(f"{dtype_of(view.value(0))} values without a scale")
    return view.real(0, "")


@operator("QUANTIZE")
def _quantize(view: OperatorView) -> Value:
    stated = view.output_quantization()
    if stated is None:
        raise ParseError("the scale of its output is not stated")
    x = view.value(0)
    if quantization_of(x) == stated and dtype_of(x) == view.output_dtype():
        return x
    return view.layer(LayerType.QUANTIZE, [x])


@operator("FAKE_QUANT")
def _fake_quant(view: OperatorView) -> Value:
    if int(view.option("num_bits", 8)) != 8 or view.option("narrow_range", False):
        raise Unsupported("a range of other than 256 steps")
    descriptor = FakeQuantizationDescriptor(
        min=float(view.option("min")), max=float(view.option("max"))
    )
    return view.layer(LayerType.FAKE_QUANTIZATION, [view.value(0)], descriptor)
