# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sparse tensors of the format, and the dense arrays that they stand for.

A tensor is stored as a tree with one level for each dimension, in any order. A dimension may be
cut in blocks, whose inside is a further level. A dense level has all its positions; a compressed
one (CSR) lists those that have elements: ``indices[segments[n]:segments[n + 1]]`` below node n of
the level before. The leaves are the stored values, in order; all other elements are 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.tflite.reading import Reader, Table, enum_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.frontends.common.values import Array


class Level(Struct, frozen=True):
    """A level of the tree.

    Attributes
    ----------
    size
        Positions of a dense level.
    segments, indices
        Those of a compressed level; both None for a dense one.
    """

    size: int
    segments: Array | None = None
    indices: Array | None = None


class Sparsity(Struct, frozen=True):
    """How a sparse tensor is stored.

    Attributes
    ----------
    order
        The dimension of each level; from the tensor's rank on they are those of blocks.
    blocks
        For each dimension of blocks: the dimension of the tensor that is cut.
    levels
        One for each entry of ``order``.
    """

    order: tuple[int, ...]
    blocks: tuple[int, ...]
    levels: tuple[Level, ...]


def read_sparsity(reader: Reader, table: Table | None) -> Sparsity | None:
    """Return the sparsity of a tensor; None for a dense one."""
    if table is None:
        return None
    levels = tuple(_level(reader, level) for level in table.get("dim_metadata"))
    return Sparsity(table.get("traversal_order"), table.get("block_map"), levels)


def _level(reader: Reader, table: Table) -> Level:
    kind = enum_names("DimensionType").get(table.get("format"))
    if kind == "DENSE":
        return Level(table.get("dense_size"))
    if kind != "SPARSE_CSR":
        raise ValueError(f"a dimension has format {table.get('format')}, which is not known")
    return Level(0, _indices(reader, table, "segments"), _indices(reader, table, "indices"))


def _indices(reader: Reader, level: Table, what: str) -> Array:
    kind, union = level.get(f"array_{what}_type"), level.get(f"array_{what}")
    name = enum_names("SparseIndexVector").get(kind, "NONE")
    if union is None or name == "NONE":
        raise ValueError(f"a compressed dimension has no {what}")
    found = reader.table(union, name, what).array("values")
    return np.zeros(0, np.int64) if found is None else found.astype(np.int64)


def dense_of(shape: tuple[int, ...], sparsity: Sparsity, values: Array) -> Array:
    """Return the dense array of stored values.

    Raises
    ------
    ParseError
        Shape, levels and values contradict each other.
    """
    rank, sizes = len(shape), _sizes(shape, sparsity)
    places: dict[int, NDArray[np.int64]] = {}
    count = 1
    for dimension, level in zip(sparsity.order, sparsity.levels, strict=True):
        size = sizes[dimension]
        if level.segments is None or level.indices is None:
            parents, found = np.repeat(np.arange(count), size), np.tile(np.arange(size), count)
        else:
            parents, found = _compressed(level.segments, level.indices, count, size), level.indices
        places = {known: place[parents] for known, place in places.items()}
        places[dimension] = found
        count = found.size
    if values.size != count:
        raise ParseError(f"a sparse tensor has {values.size} values, expected {count}")
    result = np.zeros(shape, values.dtype)
    if rank:
        axes = [places[axis] for axis in range(rank)]
        for number, axis in enumerate(sparsity.blocks):
            axes[axis] = axes[axis] * sizes[rank + number] + places[rank + number]
        result[tuple(axes)] = values
    else:
        result[...] = values[0]
    return result


def _sizes(shape: tuple[int, ...], sparsity: Sparsity) -> list[int]:
    """Return the size of each dimension of the tree: how many blocks, then the blocks."""
    order, blocks, levels = sparsity.order, sparsity.blocks, sparsity.levels
    rank = len(shape)
    if sorted(order) != list(range(rank + len(blocks))) or len(levels) != len(order):
        raise ParseError(
            f"a sparse tensor of {rank} dimensions with {len(blocks)} cut in blocks has levels "
            f"{list(order)}, expected each dimension once",
            details=[f"levels that are described: {len(levels)}"],
        )
    if len(set(blocks)) != len(blocks) or not all(0 <= axis < rank for axis in blocks):
        raise ParseError(
            f"a sparse tensor of {rank} dimensions has blocks along {list(blocks)}, expected "
            "distinct axes"
        )
    sizes = [*shape, *(0 for _ in blocks)]
    level_of = dict(zip(order, levels, strict=True))
    for number, axis in enumerate(blocks):
        block = level_of[rank + number].size
        if block < 1 or shape[axis] % block:
            raise ParseError(
                f"dimension {axis} of a sparse tensor has {shape[axis]} elements, expected "
                f"whole blocks of {block}"
            )
        sizes[axis] //= block
        sizes[rank + number] = block
    for dimension, level in level_of.items():
        if level.segments is None and level.size != sizes[dimension]:
            raise ParseError(
                f"dimension {dimension} of a sparse tensor has {level.size} positions, expected "
                f"{sizes[dimension]}"
            )
    return sizes


def _compressed(
    segments: NDArray[np.int64], indices: NDArray[np.int64], count: int, size: int
) -> NDArray[np.int64]:
    """Return the parent of each position of a compressed level."""
    lengths = np.diff(segments)
    fits = segments.size == count + 1 and segments[0] == 0 and segments[-1] == indices.size
    if not fits or (lengths < 0).any():
        raise ParseError(
            f"segments of a sparse tensor do not split {indices.size} indices into {count} parts"
        )
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise ParseError(f"an index of a sparse tensor is outside its {size} positions")
    return np.repeat(np.arange(count), lengths)
