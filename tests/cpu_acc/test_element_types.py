# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators refuse element types that they have no kernels for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from . import operators as ops
from .operators import UNSUPPORTED, Operators, epilogue, tensor

IMAGE = np.ones((1, 4, 4, 8), np.float32)
MASK = np.ones(IMAGE.shape, np.bool_)
INDICES, PLACES = np.zeros((1, 1), np.int64), np.zeros((4, 8), np.int64)
ONES = np.ones((8, 1, 1, 8), np.float32)
WINDOW = dict.fromkeys(
    ("kernel_y", "kernel_x", "stride_y", "stride_x", "dilation_y", "dilation_x"), 1
)
BOTH = {"input": tensor(IMAGE), "output": tensor(IMAGE)}
SIDES = {"left": tensor(IMAGE), "right": tensor(IMAGE), "output": tensor(IMAGE)}

MAKERS = {
    "convolution": ops.Convolution(**BOTH, **WINDOW, weights=tensor(ONES), groups=1),
    "depthwise": ops.Convolution(**BOTH, **WINDOW, weights=tensor(ONES[..., :1]), groups=8),
    "transpose_convolution": ops.Convolution(**BOTH, **WINDOW, weights=tensor(ONES), groups=1),
    "matmul": ops.Matmul(tensor(IMAGE[..., :4]), tensor(IMAGE), tensor(IMAGE)),
    "attention": ops.Attention(
        *(tensor(IMAGE) for _ in "qkv"),
        output=tensor(IMAGE),
        transpose_key=True,
        group=1,
        scale=1,
        beta=1,
    ),
    "affine": ops.Affine(**BOTH, scale=ONES.ctypes.data, shift=ONES.ctypes.data),
    "pooling": ops.Pooling(**BOTH, **WINDOW),
    "resize": ops.Resize(**BOTH, method=abi.ARMNN_RESIZE_BILINEAR),
    "unary": ops.Unary(**BOTH, epilogue=epilogue("abs")),
    "binary": ops.Binary(**SIDES, operation=abi.ARMNN_BINARY_ADD),
    "select": ops.Select(tensor(MASK), tensor(IMAGE), tensor(IMAGE), tensor(IMAGE)),
    "softmax": ops.Softmax(**BOTH, axis=3, beta=1.0),
    "reduce": ops.Reduce(**BOTH, operation=abi.ARMNN_REDUCE_SUM),
    "whole_reduce": ops.WholeReduce(**BOTH, operation=abi.ARMNN_REDUCE_SUM),
    "normalize": ops.Normalize(**BOTH, axis_mask=8, scale_axis=3, eps=1e-5),
    "pairs": ops.Pairs(**SIDES, kind=0, operation=abi.ARMNN_BINARY_ADD),
    "each": ops.Each(**BOTH, operation=abi.ARMNN_UNARY_ABS),
    "cast": ops.Cast(**BOTH),
    "search": ops.Search(tensor(IMAGE[0]), tensor(PLACES)),
    "gather": ops.Gather(tensor(IMAGE[0]), tensor(INDICES), tensor(IMAGE[0, :, :1])),
    "scatter": ops.Scatter(
        tensor(IMAGE[0]), tensor(INDICES), tensor(IMAGE[0, :1]), tensor(IMAGE[0])
    ),
    "rotary": ops.Rotary(*(tensor(IMAGE) for _ in "xcso"), turned=8),
    "copy": ops.Copy(tensor(IMAGE), tensor(IMAGE), (0, 1, 2, 3)),
    "pad": ops.Pad(**BOTH),
}


def with_type(what: Any, data_type: int) -> Any:
    """A copy of ``what`` all of whose float32 tensors have this type."""
    copy = type(what).from_buffer_copy(what)
    for name, kind in what._fields_:
        element = getattr(copy, name).element if kind is ops.Tensor else None
        if element is not None and element.type == abi.ARMNN_DATA_TYPE_FLOAT32:
            element.type = data_type
    return copy


ANY_TYPE = ("copy", "pad", "select", "gather", "pairs", "each", "cast", "search", "scatter",
            "whole_reduce")  # fmt: skip


@pytest.mark.parametrize("maker", [maker for maker in MAKERS if maker not in ANY_TYPE])
def test_only_float32_has_kernels(operators: Operators, isa: str, maker: str) -> None:
    what = MAKERS[maker]
    for data_type in range(abi.ARMNN_DATA_TYPE_COUNT):
        if data_type != abi.ARMNN_DATA_TYPE_FLOAT32:
            assert operators.run(maker, isa, with_type(what, data_type)) == UNSUPPORTED
    assert operators.run(maker, isa, what) != UNSUPPORTED


def test_copies_go_by_the_size_of_elements(operators: Operators, isa: str) -> None:
    for size in range(20):
        what = ops.Copy.from_buffer_copy(MAKERS["copy"])
        what.input.element.size = what.output.element.size = size
        assert operators.refuses("copy", isa, what) == (size not in (1, 2, 4, 8))
    what.input.element.size, what.output.element.size = 4, 8
    assert operators.refuses("copy", isa, what)


NEAREST = {"resize": ops.Resize(**BOTH, method=abi.ARMNN_RESIZE_NEAREST_NEIGHBOR)}


@pytest.mark.parametrize("maker", ["pad", "select", "gather", "scatter", "resize"])
def test_elements_of_any_type_are_moved(operators: Operators, isa: str, maker: str) -> None:
    what = {**MAKERS, **NEAREST}[maker]
    for data_type in range(abi.ARMNN_DATA_TYPE_COUNT):
        assert not operators.refuses(maker, isa, with_type(what, data_type))


WIDE = {
    abi.ARMNN_DATA_TYPE_FLOAT32,
    abi.ARMNN_DATA_TYPE_FLOAT64,
    abi.ARMNN_DATA_TYPE_SIGNED32,
    abi.ARMNN_DATA_TYPE_SIGNED64,
    abi.ARMNN_DATA_TYPE_UNSIGNED16,
    abi.ARMNN_DATA_TYPE_UNSIGNED32,
    abi.ARMNN_DATA_TYPE_UNSIGNED64,
}


@pytest.mark.parametrize("maker", ["pairs", "each", "search"])
def test_numbers_that_are_computed_with(operators: Operators, isa: str, maker: str) -> None:
    types = range(abi.ARMNN_DATA_TYPE_COUNT)
    taken = {t for t in types if not operators.refuses(maker, isa, with_type(MAKERS[maker], t))}
    # Absolute values of booleans there are not: numpy has sums of them, and false before true.
    assert taken == (WIDE if maker == "each" else WIDE | {abi.ARMNN_DATA_TYPE_BOOLEAN})


def test_operators_on_booleans(operators: Operators, isa: str) -> None:
    """What numpy has: no differences, quotients, powers, remainders and shifts of them."""
    taken = set()
    for operation in range(abi.ARMNN_BINARY_COUNT):
        what = ops.Pairs(**SIDES, kind=0, operation=operation)
        if not operators.refuses("pairs", isa, with_type(what, abi.ARMNN_DATA_TYPE_BOOLEAN)):
            taken.add(operation)
    assert taken == {
        abi.ARMNN_BINARY_ADD, abi.ARMNN_BINARY_MUL,
        abi.ARMNN_BINARY_MAXIMUM, abi.ARMNN_BINARY_MINIMUM,
        abi.ARMNN_BINARY_BITWISE_AND, abi.ARMNN_BINARY_BITWISE_OR, abi.ARMNN_BINARY_BITWISE_XOR,
    }  # fmt: skip


def test_whole_numbers_that_are_folded(operators: Operators, isa: str) -> None:
    types = range(abi.ARMNN_DATA_TYPE_COUNT)
    what = MAKERS["whole_reduce"]
    taken = {t for t in types if not operators.refuses("whole_reduce", isa, with_type(what, t))}
    assert taken == {abi.ARMNN_DATA_TYPE_SIGNED32, abi.ARMNN_DATA_TYPE_SIGNED64}


# By the structure that describes the operator; with nothing but float32 tensors.
QUANTIZED = {
    "quantized_convolution": "quantized_convolution",
    "quantized_depthwise": "quantized_convolution",
    "quantized_transpose_convolution": "quantized_convolution",
    "quantized_affine": "quantized_affine",
    "quantized_matmul": "quantized_matmul",
    "quantized_reduce": "quantized_reduce",
    "quantized_resize": "quantized_resize",
    "quantize": "quantize",
    "dequantize": "dequantize",
    "table": "table",
    "int16_table": "int16_table",
    "quantized_binary": "quantized_binary",
    "quantized_pooling": "quantized_pooling",
    "quantized_softmax": "quantized_softmax",
}


@pytest.mark.parametrize("maker", QUANTIZED)
def test_quantised_operators_want_bytes(operators: Operators, isa: str, maker: str) -> None:
    structure = ops.HEADERS.structs[QUANTIZED[maker]]
    what = structure(**(SIDES if maker == "quantized_matmul" else BOTH))
    if "convolution" in QUANTIZED[maker]:
        what = structure(**BOTH, **WINDOW, groups=8)
    assert operators.refuses(maker, isa, what)


# Descriptions that point to others or to weights; networks with them are in files of their own.
APART = {
    "separable",
    "lstm",
    "lstm_int8",
    "round_rows",
    "gru",
    "trees",
    "rnn",
    "block_product",
    "dequantize_blocks",
    "integer_product",
    "dynamic_range",
    "dynamic_levels",
    "computed_product",
    "suppression",  # it chooses boxes: tests/cpu_acc/test_suppression.py
}


def test_every_maker_is_here(operators: Operators) -> None:
    assert {*MAKERS, *QUANTIZED, *APART} == set(operators.makers)
