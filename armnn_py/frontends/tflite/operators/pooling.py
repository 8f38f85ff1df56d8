# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pooling over images."""

from __future__ import annotations

from armnn_py.descriptors import Pooling2dDescriptor
from armnn_py.frontends.common.values import Value
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.operators.convolution import window_of
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import (
    DataLayout,
    LayerType,
    OutputShapeRounding,
    PaddingMethod,
    PoolingAlgorithm,
)

_KINDS = {
    "AVERAGE_POOL_2D": PoolingAlgorithm.AVERAGE,
    "L2_POOL_2D": PoolingAlgorithm.L2,
    "MAX_POOL_2D": PoolingAlgorithm.MAX,
}


@operator(*_KINDS)
def _pool(view: OperatorView) -> Value:
    size = view.need_rank(4)[1:3]
    kernel = (int(view.option("filter_height")), int(view.option("filter_width")))
    window = window_of(view, size, kernel, (1, 1))
    descriptor = Pooling2dDescriptor(
        pool_type=_KINDS[view.op.name],
        pool_height=kernel[0],
        pool_width=kernel[1],
        output_shape_rounding=OutputShapeRounding.FLOOR,
        padding_method=PaddingMethod.EXCLUDE,
        data_layout=DataLayout.NHWC,
        **window.descriptor_fields(),
    )
    made = view.layer(LayerType.POOLING2D, [view.value(0)], descriptor, name=view.part("pool"))
    return view.activated(made)
