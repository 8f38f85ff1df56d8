# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Symbolic sizes: what is computed and decided with them holds for the shapes that are accepted."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import TensorInfo
from armnn_py._native.layers.layer_structs import layer_query
from armnn_py._native.layers.reusable import SizePlaces
from armnn_py._native.layers.tensor_structs import tensor_info
from armnn_py.descriptors import (
    ReshapeDescriptor,
    ResizeDescriptor,
    SliceDescriptor,
    SplitterDescriptor,
    View,
)
from armnn_py.descriptors.base import plain_descriptor
from armnn_py.symbolic import SizeTrace, SymbolicSize
from armnn_py.tensors.info import plain_info


def numbers_of(trace: SizeTrace, free: list[int], *sizes: Any) -> list[int] | None:
    """The numbers of sizes for other free dimensions, None if these are refused."""
    found = trace.compile()(free)
    return None if found is None else [
        found[size.index] if type(size) is SymbolicSize else size for size in sizes
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_formulas_give_what_integers_give(seed: int) -> None:
    """The same random program, run on sizes once and on integers for each shape."""
    source = random.Random(seed)
    steps = [
        (source.choice("+-*/%nc"), source.random(), source.random(), source.randint(1, 7))
        for _ in range(20)
    ]

    def program(width: Any, height: Any) -> list[Any]:
        values = [width, height]
        for sign, first, second, number in steps:
            a = values[int(first * len(values))]
            b = values[int(second * len(values))] if number > 3 else number
            if sign == "+":
                values.append(a + b)
            elif sign == "-":
                values.append(b - a)
            elif sign == "*":
                values.append((a * b) % 10007)
            elif sign == "/":
                values.append(a // b if b != 0 else b)
            elif sign == "%":
                values.append(number + a % (number + 1))
            elif sign == "n":
                values.append(-(-a // number))
            else:
                values.append(max(a, b) if a <= b + number else min(a, 3))
        return values

    trace = SizeTrace()
    made = program(trace.free(12), trace.free(35))
    accepted = 0
    for width in range(2, 40, 3):
        for height in range(2, 60, 7):
            found = numbers_of(trace, [width, height], *made)
            if found is not None:
                accepted += 1
                assert found == program(width, height)
    assert numbers_of(trace, [12, 35], *made) == program(12, 35)


def test_a_comparison_is_asked_again() -> None:
    trace = SizeTrace()
    size = trace.free(8)
    assert size // 2 < 5
    evaluate = trace.compile()
    assert evaluate([9]) is not None
    assert evaluate([10]) is None


@pytest.mark.parametrize(
    "use",
    [
        np.zeros,
        lambda size: list(range(size)),
        int,
        lambda size: [0] * size,
        lambda size: np.array([size, 2], dtype=np.int64),
        lambda size: np.array([size, 2]).astype(np.int64),
        lambda size: [1, 2, 3, 4, 5, 6, 7, 8, 9][:size],
        lambda size: size / 2,
        lambda size: math.floor(float(size)),
        lambda size: 1.5 * size,
        lambda size: np.float32(2) * size,
        lambda size: "x" * size,
    ],
)
def test_reading_the_number_fixes_it(use: Callable[[Any], Any]) -> None:
    trace = SizeTrace()
    use(trace.free(4))
    assert trace.compile()([4]) is not None
    assert trace.compile()([5]) is None


def test_sizes_of_numpy_integers_stay_symbolic() -> None:
    trace = SizeTrace()
    size = trace.free(6)
    doubled = np.int64(2) * size + np.int64(1)
    assert numbers_of(trace, [9], doubled) == [19]


def test_one_and_zero_are_numbers() -> None:
    trace = SizeTrace()
    assert type(trace.free(1)) is int
    assert trace.compile()([1]) is not None
    assert trace.compile()([2]) is None


def test_a_size_plus_and_minus_a_number_is_the_size() -> None:
    trace = SizeTrace()
    size: Any = trace.free(6)
    assert (size + 3) - 1 - 2 is size
    assert (size + 3) - (size + 1) == 2
    assert trace.answers == {}  # equal for every size


def test_a_size_is_not_a_key() -> None:
    with pytest.raises(TypeError, match="not a key"):
        hash(SizeTrace().free(7))


def test_a_division_by_a_size_that_is_zero_is_refused() -> None:
    trace = SizeTrace()
    size: Any = trace.free(6)
    assert numbers_of(trace, [8], 24 // (size - 4)) == [6]
    assert trace.compile()([4]) is None


@pytest.mark.parametrize("free", [[10, 4], [3, 2**20], [7, 7]])
def test_places_in_c_get_what_new_structures_have(free: list[int]) -> None:
    trace = SizeTrace()
    a: Any = trace.free(6)
    b: Any = trace.free(5)
    info, other = TensorInfo((a, 2, a * b)), TensorInfo((b,))
    descriptors = [
        (ann.LayerType.RESHAPE, ReshapeDescriptor(target_shape=(2, a * a * b))),
        (
            ann.LayerType.SPLITTER,
            SplitterDescriptor(
                axis=2, views=(View((0, 0, 0), (a, 2, b)), View((0, 0, b), (a, 2, 1)))
            ),
        ),
        (ann.LayerType.RESIZE, ResizeDescriptor(target_width=b - 1, target_height=a + 1)),
        (ann.LayerType.SLICE, SliceDescriptor(begin=(0, 1, b), size=(a, 1, 3))),
        (ann.LayerType.FLOOR, None),
    ]
    places = SizePlaces()
    structs = []
    for layer_type, descriptor in descriptors:
        infos = [plain_info(info), plain_info(other)]
        query, _ = layer_query(layer_type, plain_descriptor(descriptor), infos, infos, [False] * 2)
        places.add_layer(query, descriptor, [info, other], [info, other])
        structs.append(query)
    found = trace.compile()(free)
    assert found is not None
    places.write(found)
    for (layer_type, descriptor), query in zip(descriptors, structs, strict=True):
        infos = [plain_info(info, found), plain_info(other, found)]
        plain = plain_descriptor(descriptor, found)
        expected, _ = layer_query(layer_type, plain, infos, infos, [False] * 2)
        for made, own in zip(
            expected.inputs + expected.outputs, query.inputs + query.outputs, strict=True
        ):
            assert bytes(made) == bytes(own)
        if descriptor is None:
            continue
        if layer_type is ann.LayerType.SPLITTER:
            for index in range(2):
                assert bytes(expected.descriptor.views[index]) == bytes(
                    query.descriptor.views[index]
                )
        else:
            assert bytes(expected.descriptor) == bytes(query.descriptor)


def test_a_number_beyond_64_bits_has_no_place() -> None:
    trace = SizeTrace()
    a: Any = trace.free(6)
    places = SizePlaces()
    unchecked: Any = SimpleNamespace(shape=(a * a * a * a,))
    places.add_info(tensor_info(TensorInfo((3,))), unchecked)
    found = trace.compile()([2**20])
    assert found is not None
    with pytest.raises(OverflowError):
        places.write(found)


def test_infos_and_descriptors_get_numbers() -> None:
    trace = SizeTrace()
    size: Any = trace.free(6)
    info = TensorInfo((2, size, size * 2), dimension_names=(None, None, None))
    reshape = ReshapeDescriptor(target_shape=(2, size * size * 2))
    views = SplitterDescriptor(axis=1, views=(View((0, 0), (2, size)), View((0, size), (2, 3))))
    found = trace.compile()([10])
    assert found is not None
    assert plain_info(info, found) == TensorInfo((2, 10, 20))
    assert plain_info(info) == TensorInfo((2, 6, 12))
    assert plain_descriptor(reshape, found) == ReshapeDescriptor(target_shape=(2, 200))
    expected = SplitterDescriptor(axis=1, views=(View((0, 0), (2, 10)), View((0, 10), (2, 3))))
    assert plain_descriptor(views, found) == expected
    plain = TensorInfo((2, 3))
    assert plain_info(plain, found) is plain
