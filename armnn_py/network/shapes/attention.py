# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of transformers.

Definitions: ONNX's operators of these names.
"""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.network.shapes.common import broadcast
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType


def _rotary_embedding(site: Site) -> list[TensorInfo]:
    shape = site.need_least_rank(1)
    site.need_float()
    for index in (1, 2):
        site.need_same_type(0, index)
    angles = site.need_least_rank(1, 1)
    site.need_shape(angles, 2, why="cos and sin have one shape")
    if angles[-1] == 0 or 2 * angles[-1] > shape[-1]:
        site.fail(f"{angles[-1]} angles do not turn pairs in rows of {shape[-1]} numbers")
    if broadcast(site, shape[:-1], angles[:-1]) != shape[:-1]:
        expected = (*shape[:-1], angles[-1])
        site.need_shape(expected, 1, why="it broadcasts to the input before the last dimension")
    return site.computed(shape)


def _attention(site: Site) -> list[TensorInfo]:
    site.need_float()
    query, key, value = (site.need_rank(4, index) for index in range(3))
    for index in (1, 2):
        site.need_same_type(0, index)
    batch, heads, queries, size = query
    shared, keys = key[1:3]
    if shared == 0 or heads % shared:
        site.fail(f"{heads} heads of queries cannot share {shared} heads of keys")
    site.need_shape((batch, shared, keys, size), 1, why="batch and size are those of the query")
    site.need_shape((batch, shared, keys, value[3]), 2, why="a value for each key")
    if site.optional(3) is not None:
        _check_mask(site, (batch, heads, queries, keys))
    return site.computed((batch, heads, queries, value[3]))


def _check_mask(site: Site, scores: tuple[int, ...]) -> None:
    if site.info(3).data_type is not DataType.BOOLEAN:
        site.need_same_type(0, 3)
    mask = site.need_least_rank(1, 3)
    if mask[-1] != scores[-1] or broadcast(site, scores, mask) != scores:
        site.need_shape(scores, 3, why="it broadcasts to the scores, with an element for each key")


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.ATTENTION: _attention,
    LayerType.ROTARY_EMBEDDING: _rotary_embedding,
}
