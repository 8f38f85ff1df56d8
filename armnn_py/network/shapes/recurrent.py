# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Recurrent layers: Gru as ONNX defines it; outputs of Arm NN's LSTMs are stated by the caller."""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.descriptors import GruDescriptor
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType, RecurrentDirection

__all__ = ["RULES"]


def _gru(site: Site) -> list[TensorInfo]:
    d = site.parameters(GruDescriptor)
    site.need_number()
    steps, batch, size = site.need_rank(3)
    directions = 2 if d.direction is RecurrentDirection.BIDIRECTIONAL else 1
    gates = site.need_rank(3, 1)[1]
    if gates % 3:
        site.fail(f"input_weights have {gates} rows, a multiple of 3 expected: one for each gate")
    hidden = gates // 3
    expected = {
        1: (directions, gates, size),
        2: (directions, gates, hidden),
        3: (directions, gates),
        4: (directions, gates),
        5: (directions, batch, hidden),
        6: (batch,),
    }
    for index, shape in expected.items():
        if site.optional(index) is None:
            continue
        site.need_shape(shape, index, why="directions, gates of the hidden size, batch")
        if index < 6 and not site.info().data_type.is_quantized:
            site.need_same_type(0, index)
    if site.optional(6) is not None:
        site.need_type(6, DataType.SIGNED32, DataType.SIGNED64)
    states, last = (steps, directions, batch, hidden), (directions, batch, hidden)
    return [*site.computed(states), *site.computed(last)]


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {LayerType.GRU: _gru}
