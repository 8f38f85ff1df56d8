# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""MelWeightMatrix: triangles on the mel scale over the bins of a spectrogram."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Known, Unsupported
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.element_types import dtype_of_number, element_type_name


@operator("MelWeightMatrix", since=17)
def _mel_weight_matrix(view: NodeView) -> Known:
    """Column b rises from 0 to 1 and falls to 0 again over three neighbouring mel frequencies."""
    names = "number of bands", "length of the transform", "sample rate", "lower edge", "upper edge"
    bands, length, rate, low, high = (
        view.constant(index, name).reshape(-1)[0].item() for index, name in enumerate(names)
    )
    number = view.integer("output_datatype", 1)
    dtype = dtype_of_number(number)
    if dtype is None:
        raise Unsupported(f"an output of type {element_type_name(number)}")
    rows = int(length) // 2 + 1
    if (
        bands < 1
        or length < 1
        or not 1 <= rate < math.inf
        or not view.emit.foldable([], (rows, int(bands)))
    ):
        raise ParseError(
            f"{bands} bands of {length} samples at {rate} Hz do not make a filter bank, "
            "or exceed the memory budget"
        )
    if not (0 <= low < math.inf and 0 <= high < math.inf):
        raise ParseError(f"the edges {low} Hz and {high} Hz do not fit a sample rate of {rate} Hz")
    mels = 2595 * np.log10(1 + np.array([low, high], np.float64) / 700)
    step = (mels[1] - mels[0]) / (bands + 2)
    hertz = 700 * (np.power(10, (mels[0] + step * positions_of(bands + 2)) / 2595) - 1)
    places = (length + 1) * hertz // rate
    if not 0 <= places.min() <= places.max() < rows + 1:
        raise ParseError(f"the edges {low} Hz and {high} Hz do not fit a sample rate of {rate} Hz")
    edges = places.astype(np.int64)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    row = positions_of(rows)[:, np.newaxis]
    rising = (row - left) / np.maximum(centre - left, 1)
    falling = (right - row) / np.maximum(right - centre, 1)
    weights = np.where((row >= left) & (row < centre), rising, 0.0)
    weights = np.where((row >= centre) & (row < right), falling, weights)
    weights = np.where(row == centre, 1.0, weights)
    return Known(weights.astype(dtype))
