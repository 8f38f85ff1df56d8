# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that move or choose elements, beside LiteRT's reference kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .operands import RNG, bools, i32, ints, normal

__all__ = ["RNG"]


# ---- Movement ------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [(4, 6), (-1, 3), (2, 2, -1), (24,)])
def test_reshape(agree: Any, target: tuple[int, ...]) -> None:
    agree("RESHAPE", [normal(2, 3, 4), (i32(target),)])


def test_reshape_by_its_options(agree: Any) -> None:
    agree("RESHAPE", [normal(2, 3, 4)], ("ReshapeOptions", {"newShape": [6, -1]}))


def test_squeeze_and_expand(agree: Any) -> None:
    agree("SQUEEZE", [normal(1, 3, 1, 4)], ("SqueezeOptions", {"squeezeDims": [-2]}))
    agree("SQUEEZE", [normal(1, 3, 1, 4)], ("SqueezeOptions", {"squeezeDims": []}))
    agree("EXPAND_DIMS", [normal(3, 4), (i32(-1),)])


def test_transpose(agree: Any) -> None:
    agree("TRANSPOSE", [normal(2, 3, 4), (i32([2, 0, 1]),)])


@pytest.mark.parametrize("axis", [0, -1])
def test_concatenation(agree: Any, axis: int) -> None:
    options = ("ConcatenationOptions", {"axis": axis})
    agree("CONCATENATION", [normal(2, 3), (normal(2, 3),), normal(2, 3)], options)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_pack_and_unpack(agree: Any, axis: int) -> None:
    agree("PACK", [normal(2, 3), normal(2, 3)], ("PackOptions", {"axis": axis, "valuesCount": 2}))
    options = ("UnpackOptions", {"axis": axis, "num": 2})
    agree("UNPACK", [normal(2, 2, 2)], options, outputs=[np.float32] * 2)


def test_split(agree: Any) -> None:
    agree("SPLIT", [(i32(1),), normal(2, 6)], ("SplitOptions", {"numSplits": 3}),
          outputs=[np.float32] * 3)  # fmt: skip
    agree("SPLIT_V", [normal(2, 6), (i32([1, -1, 2]),), (i32(1),)],
          ("SplitVOptions", {"numSplits": 3}), outputs=[np.float32] * 3)  # fmt: skip


def test_slice(agree: Any) -> None:
    agree("SLICE", [normal(4, 5, 6), (i32([1, 0, 2]),), (i32([2, -1, 3]),)])


@pytest.mark.parametrize(
    ("begin", "end", "step", "masks"),
    [
        ([1, 0, 5], [3, 4, 0], [1, 2, -2], {}),
        ([0, 1], [0, 3], [1, 1], {"beginMask": 1, "endMask": 1}),
        ([0, -1, 0], [0, 0, 0], [1, 1, 1], {"endMask": 5, "shrinkAxisMask": 2}),
        ([0, 2], [0, 4], [1, 1], {"ellipsisMask": 1}),
        ([0, 0, 1], [0, 0, 3], [1, 1, 1], {"newAxisMask": 1, "ellipsisMask": 2}),
        ([1, 1, 1], [2, 2, 2], [1, 1, 1], {"offset": True}),
        ([0, 0, 0], [0, 0, 0], [-1, 1, 1], {"beginMask": 7, "endMask": 7}),
    ],
)
def test_strided_slice(
    agree: Any, begin: list[int], end: list[int], step: list[int], masks: dict[str, Any]
) -> None:
    operands = [normal(4, 5, 6), (i32(begin),), (i32(end),), (i32(step),)]
    agree("STRIDED_SLICE", operands, ("StridedSliceOptions", masks))


def test_pad(agree: Any) -> None:
    pads = i32([[0, 1], [2, 0], [1, 1]])
    agree("PAD", [normal(2, 3, 4), (pads,)])
    agree("PADV2", [normal(2, 3, 4), (pads,), (np.float32(-1.5),)])
    agree("PADV2", [ints(2, 3, 4), (pads,), (i32(7),)], outputs=[np.int32])
    for mode in (0, 1):
        agree("MIRROR_PAD", [normal(2, 3, 4), (pads,)], ("MirrorPadOptions", {"mode": mode}))


def test_repeat(agree: Any) -> None:
    agree("TILE", [normal(2, 3), (i32([2, 3]),)])
    agree("BROADCAST_TO", [normal(3, 1), (i32([2, 3, 4]),)], version=2)


def test_space(agree: Any) -> None:
    agree("SPACE_TO_DEPTH", [normal(1, 4, 6, 3)], ("SpaceToDepthOptions", {"blockSize": 2}))
    agree("DEPTH_TO_SPACE", [normal(1, 2, 3, 8)], ("DepthToSpaceOptions", {"blockSize": 2}))
    agree("SPACE_TO_BATCH_ND", [normal(2, 3, 5, 2), (i32([2, 3]),), (i32([[1, 0], [0, 1]]),)])
    agree("BATCH_TO_SPACE_ND", [normal(12, 2, 3, 2), (i32([2, 3]),), (i32([[1, 0], [0, 2]]),)])


def test_reverse(agree: Any) -> None:
    agree("REVERSE_V2", [normal(2, 3, 4), (i32([1]),)])
    agree("REVERSE_V2", [ints(2, 3), (i32([0]),)], outputs=[np.int32])


@pytest.mark.parametrize(("align", "half"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("size", [(5, 9), (2, 3)])
@pytest.mark.parametrize("name", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
def test_resize(agree: Any, name: str, align: bool, half: bool, size: tuple[int, int]) -> None:
    kind = "ResizeBilinearOptions" if "BI" in name else "ResizeNearestNeighborOptions"
    options = (kind, {"alignCorners": align, "halfPixelCenters": half})
    agree(name, [normal(1, 4, 6, 2), (i32(size),)], options, version=3)


# ---- Indices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather(agree: Any, axis: int) -> None:
    operands = [normal(4, 4, 4), ints(2, 3, low=0, high=4)]
    agree("GATHER", operands, ("GatherOptions", {"axis": axis}))


def test_gather_of_batches(agree: Any) -> None:
    operands = [normal(2, 4, 3), (ints(2, 5, low=0, high=4),)]
    agree("GATHER", operands, ("GatherOptions", {"axis": 1, "batchDims": 1}), version=5)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("shape", "places", "batch", "axis"),
    [
        ((2, 4, 3), (2, 5), 1, 1),
        ((2, 4, 3), (2,), 1, 1),
        ((2, 3, 4, 5), (2, 3, 6), 2, 2),
        ((2, 3, 4, 5), (2, 6), 1, 2),
        ((2, 3, 4, 5), (2, 2, 3), 1, 3),
        ((2, 3, 4, 5), (2, 3), 2, 3),
        ((2, 3, 4), (2, 3), 2, 2),
        ((2, 1, 4), (2, 0), 1, 2),
    ],
)
def test_gather_in_batches(
    agree: Any, known: bool, shape: Any, places: Any, batch: int, axis: int
) -> None:
    indices = ints(*places, low=0, high=shape[axis])
    operands = [normal(*shape), (indices,) if known else indices]
    agree("GATHER", operands, ("GatherOptions", {"axis": axis, "batchDims": batch}), version=5)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.int8])
@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 1, 3), (1,)])
def test_matrix_diag(agree: Any, dtype: Any, shape: Any) -> None:
    agree("MATRIX_DIAG", [ints(*shape).astype(dtype)], outputs=[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8])
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 5), (2, 5, 3), (1, 2, 1, 1)])
def test_matrix_set_diag(agree: Any, dtype: Any, shape: Any) -> None:
    diagonal = (*shape[:-2], min(shape[-2:]))
    operands = [ints(*shape).astype(dtype), ints(*diagonal).astype(dtype)]
    agree("MATRIX_SET_DIAG", operands, outputs=[dtype])


def test_diagonals_leave_what_is_not_finite(agree: Any) -> None:
    special = np.array([[np.inf, np.nan, -np.inf]], np.float32)
    agree("MATRIX_DIAG", [special])


@pytest.mark.parametrize("dtype", [np.bool_, np.float32, np.int32, np.int8])
def test_places_of_what_is_not_zero(engines: Any, new_builder: Any, dtype: Any) -> None:
    """Values of a small input decide how many there are: each set has a plan of its own."""
    builder = new_builder()
    x, y = builder.tensor("x", (3, 4), dtype), builder.tensor("y", (), np.int64)
    builder.op("WHERE", [x], [y])
    builder.ends([x], [y])
    data = builder.data()
    for array in (bools(3, 4), bools(3, 4), np.ones((3, 4), bool)):
        fed = {"x": array.astype(dtype)}
        wanted = engines.theirs(data, fed)["y"]
        np.testing.assert_array_equal(wanted, np.argwhere(array))
        found = engines.ours(data, fed)["y"]
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("places", [np.int32, np.int64])
def test_different_numbers(engines: Any, new_builder: Any, dtype: Any, places: Any) -> None:
    builder, x = new_builder(), np.array([5, 2, 5, 9, 2, 2], dtype)
    value = builder.tensor("x", (6,), dtype)
    made = builder.tensor("y", (), dtype), builder.tensor("i", (), places)
    kind = (
        builder.schema.TensorType.INT64 if places is np.int64 else builder.schema.TensorType.INT32
    )
    builder.op("UNIQUE", [value], made, ("UniqueOptions", {"idxOutType": kind}))
    builder.ends([value], made)
    wanted, found = engines.theirs(builder.data(), {"x": x}), engines.ours(builder.data(), {"x": x})
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_broadcast_args(engines: Any, new_builder: Any, dtype: Any) -> None:
    builder = new_builder()
    x, y = builder.tensor("x", (3,)), builder.tensor("y", (2, 3))
    shapes = [builder.constant(n, np.array(s, dtype)) for n, s in (("a", [2, 1]), ("b", [3]))]
    shape = builder.tensor("shape", (2,), dtype)
    builder.op("BROADCAST_ARGS", shapes, [shape])
    builder.op("BROADCAST_TO", [x, shape], [y], version=2)
    builder.ends([x], [y])
    fed = {"x": normal(3)}
    data = builder.data()
    np.testing.assert_array_equal(engines.ours(data, fed)["y"], engines.theirs(data, fed)["y"])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("kind", ["MAX", "MIN", "PROD", "SUM"])
def test_unsorted_segments(agree: Any, kind: str, dtype: Any, known: bool) -> None:
    """Two of six segments have no elements."""
    x, places = ints(2, 3, 4).astype(dtype), np.array([[0, 3, 0], [5, 2, 3]], np.int32)
    operands = [x, (places,) if known else places, (np.int32(6),)]
    agree(f"UNSORTED_SEGMENT_{kind}", operands, outputs=[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize(
    ("places", "shape", "values"),
    [
        ([[0, 1], [2, 3]], [3, 4], [5, 6]),
        ([[0, 1], [2, 3]], [3, 4], 7),
        ([1, 4], [5], [5, 6]),
        ([2], [5], 3),
        (3, [5], 4),
        ([[1, 3]], [3, 4], 4),
    ],
)
def test_sparse_to_dense(agree: Any, places: Any, shape: Any, values: Any, dtype: Any) -> None:
    operands = [i32(places), (i32(shape),), np.array(values, dtype), (np.array(-1, dtype),)]
    agree("SPARSE_TO_DENSE", operands, ("SparseToDenseOptions", {}), outputs=[dtype], version=2)


def test_gather_nd(agree: Any) -> None:
    agree("GATHER_ND", [normal(3, 4, 5), ints(2, 2, low=0, high=3)])
    agree("GATHER_ND", [normal(3, 4, 5), (ints(2, 3, low=0, high=3),)])


@pytest.mark.parametrize(
    ("draw", "shape"),
    [(normal, (6, 3)), (normal, (6, 2, 3)), (ints, (6, 3))],
    ids=["rows", "matrices", "integers"],
)
def test_embedding_lookup(agree: Any, draw: Any, shape: tuple[int, ...]) -> None:
    table = draw(*shape)
    agree("EMBEDDING_LOOKUP", [i32([4, 0, 4]), (table,)], outputs=[table.dtype])


@pytest.mark.parametrize("scale", [0.5, np.linspace(0.1, 0.6, 6)])
def test_embedding_lookup_of_8_bits(engines: Any, new_builder: Any, scale: Any) -> None:
    builder = new_builder()
    x, y = builder.tensor("x", (3,), np.int32), builder.tensor("y", (3, 4))
    stored = ints(6, 4, low=-127, high=128, dtype=np.int8)
    table = builder.constant("table", stored, scale)
    builder.op("EMBEDDING_LOOKUP", [x, table], [y])
    builder.ends([x], [y])
    fed, data = {"x": i32([4, 0, 5])}, builder.data()
    real = stored * np.broadcast_to(np.float32(scale), 6)[:, None]
    np.testing.assert_allclose(engines.ours(data, fed)["y"], real[fed["x"]], rtol=1e-6)
    if np.ndim(scale) == 0:  # LiteRT takes the first scale for all rows
        np.testing.assert_allclose(engines.theirs(data, fed)["y"], real[fed["x"]], rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "size", "start"),
    [
        ((4, 5), (2, 3), (1, 2)),
        ((4, 5), (2, 3), (-3, 4)),  # moved to where the box fits
        ((4, 5), (1, 5), (2, 9)),
        ((4, 5), (4, 5), (1, 1)),
        ((2, 3, 4), (2, 1, 4), (0, 2, 0)),
        ((7,), (3,), (2,)),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_dynamic_update_slice(
    agree: Any, shape: tuple[int, ...], size: tuple[int, ...], start: tuple[int, ...], known: bool
) -> None:
    place = i32(list(start))
    operands = [normal(*shape), normal(*size), (place,) if known else place]
    agree("DYNAMIC_UPDATE_SLICE", operands)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize(("steps", "batch"), [(1, 0), (0, 1), (2, 1), (0, 2)])
def test_reverse_sequence(agree: Any, dtype: Any, steps: int, batch: int) -> None:
    x = ints(3, 4, 5, low=0, dtype=dtype)
    lengths = RNG.integers(1, x.shape[steps] + 1, x.shape[batch]).astype(np.int32)
    options = {"seqDim": steps, "batchDim": batch}
    agree("REVERSE_SEQUENCE", [x, lengths], ("ReverseSequenceOptions", options), outputs=[dtype])


def test_scatter_nd(agree: Any) -> None:
    """Slices at one place are added up."""
    operands = [(i32([[0], [2], [0]]),), normal(3, 4), (i32([5, 4]),)]
    agree("SCATTER_ND", operands)


def test_one_hot(agree: Any) -> None:
    operands = [ints(2, 3, low=0, high=5), (i32(4),), (np.float32(2),), (np.float32(-1),)]
    agree("ONE_HOT", operands, ("OneHotOptions", {"axis": 1}))


def test_top_k(agree: Any) -> None:
    agree("TOPK_V2", [normal(3, 7), (i32(4),)], outputs=[np.float32, np.int32])
