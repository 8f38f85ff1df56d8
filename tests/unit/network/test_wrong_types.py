# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whatever is given to a builder, the answer is a layer or an error of armnn_py."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import Convolution2dDescriptor, PermuteDescriptor, SplitterDescriptor

LONG = range(10**12)
ENDLESS = itertools.count
A_DESCRIPTOR = PermuteDescriptor((0,))
WEIGHTS = np.ones((1, 1, 3, 3), np.float32)
SEQUENCE = "a sequence of integers expected"


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


CASES: list[tuple[Callable[[ann.Network, ann.Layer], Any], str]] = [
    (lambda n, x: n.add_convolution2d(x, ones(3)), "weights has 1 dimensions, 4 expected"),
    (lambda n, x: n.add_convolution2d(x, ones(3, 3)), "weights has 2 dimensions, 4 expected"),
    (lambda n, x: n.add_convolution2d(x, 1.0), "weights has 0 dimensions, 4 expected"),
    (
        lambda n, x: n.add_convolution2d(x, ones(3, 3), padding="same"),
        "weights has 2 dimensions, 4 expected",
    ),
    (lambda n, x: n.add_depthwise_convolution2d(x, ones(3)), "weights has 1 dimensions"),
    (lambda n, x: n.add_transpose_convolution2d(x, ones(3)), "weights has 1 dimensions"),
    (
        lambda n, x: n.add_transpose_convolution2d(x, ones(3), padding="same"),
        "weights has 1 dimensions",
    ),
    (lambda n, x: n.add_convolution3d(x, ones(3)), "weights has 1 dimensions|input has 4"),
    (lambda n, x: n.add_concat(x, x), "inputs .* given, a sequence of layers, slots or values"),
    (lambda n, x: n.add_stack(x, x), "inputs .* given, a sequence of layers, slots or values"),
    (lambda n, x: n.add_stack(LONG), "a sequence of layers, slots or values"),
    (lambda n, x: n.add_stack(ENDLESS()), "a sequence of layers, slots or values"),
    (lambda n, x: n.add_concat(LONG, 0), "a sequence of layers, slots or values"),
    (lambda n, x: n.add_layer(ann.LayerType.CONCAT, LONG), "at most 65536 expected"),
    (lambda n, x: n.add_split(x, LONG, 0), "at most 65536 values expected"),
    (lambda n, x: n.add_split(x, 3.5, 0), SEQUENCE),
    (lambda n, x: n.add_tile(x, 3), SEQUENCE),
    (lambda n, x: n.add_tile(x, LONG), "at most 8 values expected"),
    (lambda n, x: n.add_tile(x, ENDLESS()), "at most 8 values expected"),
    (lambda n, x: n.add_tile(x, (1, 1, 1.5, 1)), "value 2 is 1.5 given, an integer expected"),
    (lambda n, x: n.add_transpose(x, 3), SEQUENCE),
    (lambda n, x: n.add_transpose(x, {0: 1}), SEQUENCE),
    (lambda n, x: n.add_transpose(x, LONG), "at most 8 values expected"),
    (lambda n, x: n.add_permute(x, x), SEQUENCE),
    (lambda n, x: n.add_reverse_v2(x, 1), SEQUENCE),
    (lambda n, x: n.add_reverse_v2(x, np.array(1)), SEQUENCE),
    (lambda n, x: n.add_pad(x, LONG), "pair for each dimension"),
    (lambda n, x: n.add_pad(x, itertools.repeat((0, 0))), "at most 8 values expected"),
    (lambda n, x: n.add_reshape(x, LONG), "more than 8 dimensions"),
    (lambda n, x: n.add_reshape(x, np.array(3)), "is not a sequence of integers"),
    (lambda n, x: n.add_broadcast_to(x, np.array(3)), "is not a sequence of integers"),
    (lambda n, x: n.add_broadcast_to(x, LONG), "more than 8 dimensions"),
    (lambda n, x: n.add_mean(x, 1), SEQUENCE),
    (lambda n, x: n.add_mean(x, x), SEQUENCE),
    (lambda n, x: n.add_reduce(x, ann.ReduceOperation.SUM, True), SEQUENCE),
    (lambda n, x: n.add_slice(x, 0, 1), SEQUENCE),
    (lambda n, x: n.add_strided_slice(x, 0, 1), SEQUENCE),
    (lambda n, x: n.add_strided_slice(x, [0], [1], 1), SEQUENCE),
    (lambda n, x: n.add_strided_slice(x, [0], [1], begin_mask=None), "begin_mask None given"),
    (lambda n, x: n.add_strided_slice(x, [0], [1], new_axis_mask={}), "new_axis_mask {} given"),
    (lambda n, x: n.add_strided_slice(x, LONG, LONG), "at most 17 values expected"),
    (lambda n, x: n.add_space_to_batch_nd(x, 2, [(0, 0)] * 2), SEQUENCE),
    (lambda n, x: n.add_batch_to_space_nd(x, 2, [(0, 0)] * 2), SEQUENCE),
    (lambda n, x: n.add_transpose_convolution2d(x, WEIGHTS, output_shape=3), SEQUENCE),
    (
        lambda n, x: n.add_transpose_convolution2d(x, WEIGHTS, padding=np.array([])),
        "an integer or 4 expected",
    ),
    (lambda n, x: n.add_convolution2d(x, WEIGHTS, stride=ENDLESS()), "an integer or 2 expected"),
    (
        lambda n, x: n.add_convolution2d(
            x, WEIGHTS, stride=np.ones(2), descriptor=Convolution2dDescriptor()
        ),
        "descriptor= and stride= given",
    ),
    (
        lambda n, x: n.add_convolution2d(x, WEIGHTS, descriptor=3),
        "descriptor 3 given, Convolution2dDescriptor expected",
    ),
    (
        lambda n, x: n.add_depthwise_convolution2d(x, WEIGHTS, descriptor=A_DESCRIPTOR),
        "given, DepthwiseConvolution2dDescriptor expected",
    ),
    (lambda n, x: n.add_constant(1.0, info=-1), "-1 is not a TensorInfo"),
    (lambda n, x: n.add_constant(LONG), "range of more than 268435456 members given"),
    (lambda n, x: n.add_constant(range(2**80)), "range of more than 268435456 members given"),
    (lambda n, x: n.add_constant(1e300), "a number does not fit float32"),
    (lambda n, x: ann.TensorInfo(np.array(3)), "is not a sequence of integers"),
    (lambda n, x: x.output.info.with_shape(3), "is not a sequence of integers"),
    (lambda n, x: PermuteDescriptor(ENDLESS()), "at most 8 values expected"),
    (lambda n, x: SplitterDescriptor(0, LONG), "a sequence of View expected"),
    (lambda n, x: n.add_softmax(x, beta=10**400), "beta .* given, a smaller number expected"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "text"), CASES)
def test_wrong_types(build: Callable[[ann.Network, ann.Layer], Any], text: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 8, 8, 3)))
    with pytest.raises(ann.ArmnnError, match=text) as caught:
        build(network, x)
    assert len(str(caught.value)) < 1000
    assert len(network.layers) == 1


def test_a_strided_slice_with_too_many_new_axes_adds_nothing() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,) * 7))
    for options in ({"new_axis_mask": 3}, {"new_axis_mask": 1, "name": 3}):
        with pytest.raises(ann.InvalidArgumentError):
            network.add_strided_slice(x, [0, 0], [1, 1], **options)
        assert len(network.layers) == 1


# ---- At random ----------------------------------------------------------------------------------

SHAPES = [(2, 3), (1, 3, 8, 8), (1, 8, 8, 3), (), (0, 3), (4,), (1, 1, 1, 1, 1), (2,) * 5, (1,) * 8]
TYPES = [ann.DataType.FLOAT32] * 4 + [
    ann.DataType.SIGNED32,
    ann.DataType.BOOLEAN,
    ann.DataType.FLOAT16,
    ann.DataType.SIGNED64,
]
SELF: list[Any] = []
SELF.append(SELF)
VALUES: list[Any] = [
    *(None, 0, 1, -1, 2, 3, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**400, True),
    *(1.5, float("nan"), float("inf"), 1e300, 1j, "", "same", "x", "a\n\x1b[31m", b"z"),
    *((), (1,), (0, 0), (1, 2), (-1, -1), (2, 3), (2**40, 2**40), [1, [2, 3]], [], {}, {1}, SELF),
    *(object(), int, ann, len, ..., slice(None), range(3), range(5), LONG, range(-(2**70), 0)),
    *([(1, 1), (0, 0)], [(2**40, 0), (0, 0)], ((0, 0), (0, 0), (1, 1), (1, 1)), {"a": 1}),
    *(np.float32(1), np.int64(-1), np.array(3), np.array([1, 2]), np.array([[1.0, 2.0]])),
    *(np.array([object()]), np.array(["a"]), np.zeros(0), np.zeros((0, 3), "f4"), np.array([1j])),
    *(WEIGHTS, ones(3, 3, 1, 1), ones(2, 3), np.ones((2, 3), ">f4"), np.ones((2, 3))),
    *(np.array(["2020"], "M8[Y]"), np.zeros(3, [("a", "f4")]), np.ones((2, 3)).view(np.matrix)),
    *(ann.DataType.FLOAT32, ann.DataType.QASYMM_U8, ann.DataType.BOOLEAN, ann.DataLayout.NCHW),
    *(ann.LayerType.ACTIVATION, ann.LayerType.CONVOLUTION2D, ann.ActivationFunction.RELU),
    *(ann.BinaryOperation.ADD, ann.UnaryOperation.ABS, ann.ReduceOperation.SUM),
    *(ann.ComparisonOperation.EQUAL, ann.PoolingAlgorithm.MAX, ann.ResizeMethod.BILINEAR),
    *(ann.PaddingMode.REFLECT, ann.LogicalBinaryOperation.AND, ann.TensorInfo((2, 3))),
    *(Convolution2dDescriptor(), A_DESCRIPTOR),
]
BUILDERS = [name for name in dir(ann.Network) if name.startswith("add_")]


def call(dice: random.Random, network: ann.Network, name: str) -> None:
    """Call a builder with operands that are mostly tensors, and anything else."""
    tensors: list[Any] = [
        network.add_input(key, ann.TensorInfo(dice.choice(SHAPES), dice.choice(TYPES)))
        for key in "xy"
    ]
    operands = [*tensors, WEIGHTS]
    positional, named = [], {}
    for parameter in inspect.signature(getattr(network, name)).parameters.values():
        is_operand = "Source" in str(parameter.annotation) and dice.random() < 0.85
        value = dice.choice(operands if is_operand else VALUES + tensors)
        if parameter.kind is not parameter.KEYWORD_ONLY:
            if parameter.default is not parameter.empty and dice.random() < 0.4:
                break
            positional.append(value)
        elif parameter.default is parameter.empty or dice.random() < 0.3:
            named[parameter.name] = value
    try:
        getattr(network, name)(*positional, **named)
    except ann.ArmnnError as error:
        text = str(error)
        assert len(text) < 4000
        assert all(line.isprintable() for line in text.split("\n"))
    except Exception as error:
        error.add_note(f"{name}(*{positional!r}, **{named!r})")
        raise


@pytest.mark.parametrize("name", BUILDERS)
def test_random_arguments(name: str) -> None:
    dice = random.Random(name)
    for _ in range(120):
        network = ann.Network()
        call(dice, network, name)
        for index, slot in enumerate(network.layers[-1].outputs[:9]):
            network.add_output(f"result {index}", slot)
        network.validate()
