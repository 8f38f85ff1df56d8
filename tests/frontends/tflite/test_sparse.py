# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sparse constants in every order of levels, with blocks, and with indices of every type."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(15)
INDICES = {np.int32: "Int32Vector", np.uint16: "Uint16Vector", np.uint8: "Uint8Vector"}


def scattered(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Numbers of which two thirds are 0."""
    array = RNG.integers(1, 100, shape) * (RNG.random(shape) < 1 / 3)
    return array.astype(dtype)


def encoded(
    builder: Any,
    array: np.ndarray,
    order: Sequence[int],
    compressed: Sequence[int],
    blocks: Sequence[tuple[int, int]] = (),
    index: Any = np.int32,
) -> tuple[Any, np.ndarray]:
    """The sparsity of an array and its stored values, by walking the tree of its levels.

    ``compressed`` names levels by dimension; ``blocks`` pairs dimensions with their block sizes.
    """
    schema, sizes = builder.schema, list(array.shape)
    for axis, size in blocks:
        sizes[axis] //= size
        sizes.append(size)
    rank = array.ndim

    def element(place: dict[int, int]) -> tuple[int, ...]:
        found = [place[axis] for axis in range(rank)]
        for number, (axis, size) in enumerate(blocks):
            found[axis] = found[axis] * size + place[rank + number]
        return tuple(found)

    def used(place: dict[int, int], rest: Sequence[int]) -> bool:
        free = [range(sizes[d]) for d in rest]
        return any(
            array[element({**place, **dict(zip(rest, more, strict=True))})]
            for more in itertools.product(*free)
        )

    nodes: list[dict[int, int]] = [{}]
    levels = []
    for depth, dimension in enumerate(order):
        level, after = schema.DimensionMetadataT(), []
        segments, indices = [0], []
        for node in nodes:
            for at in range(sizes[dimension]):
                place = {**node, dimension: at}
                if dimension in compressed and not used(place, order[depth + 1 :]):
                    continue
                after.append(place)
                indices.append(at)
            segments.append(len(indices))
        if dimension in compressed:
            level.format = schema.DimensionType.SPARSE_CSR
            kind = INDICES[index]
            for field, numbers in (("arraySegments", segments), ("arrayIndices", indices)):
                vector = getattr(schema, f"{kind}T")()
                vector.values = np.array(numbers, index)
                setattr(level, field, vector)
                setattr(level, f"{field}Type", getattr(schema.SparseIndexVector, kind))
        else:
            level.format, level.denseSize = schema.DimensionType.DENSE, sizes[dimension]
        levels.append(level)
        nodes = after
    sparsity = schema.SparsityParametersT()
    sparsity.traversalOrder, sparsity.dimMetadata = list(order), levels
    sparsity.blockMap = [axis for axis, _ in blocks]
    return sparsity, np.array([array[element(node)] for node in nodes], array.dtype)


def model(builder: Any, array: np.ndarray, *arguments: Any, **options: Any) -> bytes:
    """``y = x + DENSIFY(w)``; x is a tensor of zeros of the same shape."""
    sparsity, values = encoded(builder, array, *arguments, **options)
    w = builder.tensor("w", array.shape, array.dtype, data=values)
    builder.graph.tensors[w].sparsity = sparsity
    dense = builder.tensor("dense", array.shape, array.dtype)
    builder.op("DENSIFY", [w], [dense])
    x, y = builder.tensor("x", array.shape), builder.tensor("y", array.shape)
    real = dense
    if array.dtype != np.float32:
        real = builder.tensor("real", array.shape)
        builder.op("CAST", [dense], [real], ("CastOptions", {}))
    builder.op("ADD", [x, real], [y], ("AddOptions", {}))
    builder.ends([x], [y])
    return builder.data()


CASES: dict[
    str, tuple[tuple[int, ...], Sequence[int], Sequence[int], Sequence[tuple[int, int]]]
] = {
    "rows": ((5, 7), (0, 1), (1,), ()),
    "columns": ((5, 7), (1, 0), (0,), ()),
    "both": ((5, 7), (0, 1), (0, 1), ()),
    "none": ((2, 3), (0, 1), (), ()),
    "a vector": ((9,), (0,), (0,), ()),
    "four dimensions": ((3, 2, 2, 4), (0, 1, 2, 3), (3,), ()),
    "channels first": ((3, 2, 2, 4), (3, 0, 1, 2), (0, 2), ()),
    "blocks": ((4, 8), (0, 1, 2, 3), (1,), ((0, 2), (1, 4))),
    "one block": ((4, 8), (0, 1, 2), (1,), ((1, 4),)),
}


@pytest.mark.parametrize("case", CASES)
def test_each_form(engines: Any, builder: Any, case: str) -> None:
    shape, order, compressed, blocks = CASES[case]
    array = scattered(*shape)
    data = model(builder, array, order, compressed, blocks)
    x = {"x": np.zeros(shape, np.float32)}
    np.testing.assert_array_equal(engines.theirs(data, x, reference=False)["y"], array)
    np.testing.assert_array_equal(engines.ours(data, x)["y"], array)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
def test_each_type(builder: Any, index: Any, dtype: Any) -> None:
    array = scattered(6, 9, dtype=dtype)
    network = ann.import_model(model(builder, array, (0, 1), (1,), index=index))
    constants = [layer.value for layer in network.layers if layer.type is ann.LayerType.CONSTANT]
    np.testing.assert_array_equal(constants[0], array.astype(np.float32))


def test_without_densify(builder: Any) -> None:
    """An operator may name the sparse tensor itself."""
    weights = scattered(4, 6)
    sparsity, values = encoded(builder, weights, (0, 1), (1,))
    x, y = builder.tensor("x", (2, 6)), builder.tensor("y", (2, 4))
    w = builder.tensor("w", weights.shape, data=values)
    builder.graph.tensors[w].sparsity = sparsity
    builder.op("FULLY_CONNECTED", [x, w, -1], [y], ("FullyConnectedOptions", {}))
    builder.ends([x], [y])
    fed = np.ones((2, 6), np.float32)
    with ann.load(builder.data(), ["CpuRef"]) as network:
        np.testing.assert_allclose(network.run(fed)["y"], fed @ weights.T, rtol=1e-6)


def _shorter(sparsity: Any) -> None:
    sparsity.dimMetadata.pop()


def _twice(sparsity: Any) -> None:
    sparsity.traversalOrder = [0, 0]


def _blocks(sparsity: Any) -> None:
    sparsity.blockMap, sparsity.traversalOrder = [0], [0, 1, 2]
    block = copy.copy(sparsity.dimMetadata[0])
    block.denseSize = 3
    sparsity.dimMetadata.append(block)


def _size(sparsity: Any) -> None:
    sparsity.dimMetadata[0].denseSize = 2**30


def _segments(sparsity: Any) -> None:
    sparsity.dimMetadata[1].arraySegments.values[-1] += 1


def _indices(sparsity: Any) -> None:
    sparsity.dimMetadata[1].arrayIndices.values[0] = 9


def _missing(sparsity: Any) -> None:
    sparsity.dimMetadata[1].arrayIndices = None
    sparsity.dimMetadata[1].arrayIndicesType = 0


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_shorter, "has levels"),
        (_twice, "expected each dimension once"),
        (_blocks, "expected whole blocks of"),
        (_size, "positions, expected 5"),
        (_segments, "do not split"),
        (_indices, "is outside its 7 positions"),
        (_missing, "has no indices"),
    ],
)
def test_levels_that_contradict_themselves(builder: Any, damage: Any, words: str) -> None:
    array = scattered(5, 7)
    model(builder, array, (0, 1), (1,))
    damage(builder.graph.tensors[0].sparsity)
    with pytest.raises(ann.ParseError) as caught:
        ann.import_model(builder.data())
    assert words in str(caught.value)


def test_values_that_are_too_few_and_tensors_that_are_too_large(builder: Any) -> None:
    model(builder, scattered(5, 7), (0, 1), (1,))
    buffer = builder.model.buffers[builder.graph.tensors[0].buffer]
    buffer.data = buffer.data[:-4]
    with pytest.raises(ann.ParseError, match=r"has \d+ values, expected \d+"):
        ann.import_model(builder.data())
    builder.graph.tensors[0].shape = [2**15, 2**15]
    with pytest.raises(ann.ParseError, match="sparse tensor 'w' would take 4"):
        ann.import_model(builder.data())
