# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Checks of a descriptor's fields against each other; the table says which descriptors have one.

Descriptors come untyped: the module of their classes imports this one.
"""

from __future__ import annotations

from typing import Any

from armnn_py.descriptors.base import Descriptor, fail
from armnn_py.types import DataLayout, DataType


def check_layout(d: Descriptor, layout: DataLayout, rank: int) -> None:
    """Demand a layout of images (rank 4) or of volumes (rank 5)."""
    if layout.rank != rank:
        expected = " or ".join(member.name for member in DataLayout if member.rank == rank)
        fail(d, f"data_layout {layout.name} given, {expected} expected")


def check_arg_min_max(d: Any) -> None:
    """Indices are integers."""
    allowed = (DataType.SIGNED32, DataType.SIGNED64)
    if d.output_type not in allowed:
        expected = " or ".join(member.described for member in allowed)
        fail(d, f"output_type {d.output_type.described} given, {expected} expected")


check_top_k = check_arg_min_max


def check_batch_mat_mul(d: Any) -> None:
    """An operand is turned once."""
    if (d.transpose_x and d.adjoint_x) or (d.transpose_y and d.adjoint_y):
        fail(d, "an operand is transposed or adjoint, not both")


def check_batch_to_space_nd(d: Any) -> None:
    """One block size and one pair of crops for each spatial dimension."""
    _check_blocks(d, d.block_shape, d.crop_before, d.crop_after)


def check_space_to_batch_nd(d: Any) -> None:
    """One block size and one pair of pads for each spatial dimension."""
    _check_blocks(d, d.block_shape, d.pad_before, d.pad_after)


def _check_blocks(
    d: Descriptor, block: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    if not len(block) == len(before) == len(after):
        fail(
            d,
            f"block_shape has {len(block)} values, before {len(before)}, after {len(after)}: "
            "equally many expected",
        )


def check_fake_quantization(d: Any) -> None:
    """Bounds in order."""
    if not d.min < d.max:
        fail(d, f"min {d.min} given, below max {d.max} expected")


def check_non_max_suppression(d: Any) -> None:
    """A share is a part of a whole."""
    if not 0 <= d.iou_threshold <= 1:
        fail(d, f"iou_threshold {d.iou_threshold} given, 0 to 1 expected")


def check_pad(d: Any) -> None:
    """A pair for each dimension."""
    if len(d.pad_before) != len(d.pad_after):
        fail(d, f"{len(d.pad_before)} pads before and {len(d.pad_after)} after given")


def check_permute(d: Any) -> None:
    """Each dimension once."""
    if sorted(d.mappings) != list(range(len(d.mappings))):
        fail(d, f"mappings {d.mappings} is not a permutation")


def check_slice(d: Any) -> None:
    """A begin and a size for each dimension."""
    if len(d.begin) != len(d.size):
        fail(d, f"{len(d.begin)} begins and {len(d.size)} sizes given")


def check_strided_slice(d: Any) -> None:
    """A begin, an end and a step for each dimension."""
    if not len(d.begin) == len(d.end) == len(d.stride):
        fail(
            d,
            f"{len(d.begin)} begins, {len(d.end)} ends and {len(d.stride)} strides "
            "given, equally many expected",
        )
    if 0 in d.stride:
        fail(d, f"stride {d.stride} given, a stride of 0 goes nowhere")


def check_stand_in(d: Any) -> None:
    """Demand the operator's name where anything else is said of it."""
    if not d.name and (d.domain or d.attributes):
        fail(d, "domain or attributes given without a name")
