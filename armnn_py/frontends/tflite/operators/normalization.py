# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Normalisation by the channels of a pixel."""

from __future__ import annotations

import math

from armnn_py.descriptors import L2NormalizationDescriptor, NormalizationDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Value
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import (
    DataLayout,
    LayerType,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
)

_L2_EPS = 1e-12  # LiteRT divides by at least 1e-6


@operator("L2_NORMALIZATION")
def _l2_normalization(view: OperatorView) -> Value:
    x, shape = view.value(0), view.shape(0)
    if not shape:
        raise ParseError("the input is a scalar, expected channels")
    descriptor = L2NormalizationDescriptor(eps=_L2_EPS, data_layout=DataLayout.NHWC)
    emit, kind = view.emit, LayerType.L2_NORMALIZATION
    if len(shape) == 4:
        return view.activated(view.layer(kind, [x], descriptor, name=view.part("norm")))
    pixels = emit.reshape(x, (math.prod(shape[:-1]), 1, 1, shape[-1]), "pixels")
    norm = view.layer(kind, [pixels], descriptor, name="norm")
    return view.activated(emit.reshape(norm, shape, view.part("shape")))


@operator("LOCAL_RESPONSE_NORMALIZATION")
def _local_response(view: OperatorView) -> Value:
    descriptor = NormalizationDescriptor(
        channel=NormalizationAlgorithmChannel.ACROSS,
        method=NormalizationAlgorithmMethod.LOCAL_BRIGHTNESS,
        norm_size=2 * int(view.option("radius")) + 1,
        alpha=float(view.option("alpha")),
        beta=float(view.option("beta")),
        k=float(view.option("bias")),
        data_layout=DataLayout.NHWC,
    )
    return view.layer(LayerType.NORMALIZATION, [view.value(0)], descriptor)
