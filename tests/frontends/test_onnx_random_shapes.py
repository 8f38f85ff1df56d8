# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks with free dimensions: each shape computes as in a network made for it alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

FLOAT = TensorProto.FLOAT
CHANNELS = 12


class Maker:
    """A network in the making; each value has the shape [n, m, 12]."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}
        self.values = ["x"]

    def node(self, op: str, inputs: list[str], **attributes: Any) -> str:
        name = f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def weight(self, *shape: int) -> str:
        return self.constant((self.numbers.standard_normal(shape) / 3).astype(np.float32))

    def constant(self, values: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.array(values)
        return name

    def any_value(self) -> str:
        return self.choose.choice(self.values)

    def unary(self, x: str) -> str:
        return self.node(self.choose.choice(["Relu", "Sigmoid", "Tanh", "Neg"]), [x])

    def dense(self, x: str) -> str:
        product = self.node("MatMul", [x, self.weight(CHANNELS, CHANNELS)])
        return self.node("Add", [product, self.weight(CHANNELS)])

    def binary(self, x: str) -> str:
        return self.node(self.choose.choice(["Add", "Mul", "Max"]), [x, self.any_value()])

    def mean(self, x: str) -> str:
        axis = self.choose.choice([1, 2])
        return self.node("Sub", [x, self.node("ReduceMean", [x], axes=[axis], keepdims=1)])

    def softmax(self, x: str) -> str:
        return self.node("Softmax", [x], axis=self.choose.choice([1, 2]))

    def heads(self, x: str) -> str:
        count = self.choose.choice([2, 3, 4])
        split = self.constant(np.int64([0, 0, count, CHANNELS // count]))
        q, k = (self.node("Reshape", [one, split]) for one in (x, self.any_value()))
        q = self.node("Transpose", [q], perm=[0, 2, 1, 3])
        v = self.node("Transpose", [k], perm=[0, 2, 1, 3])
        scores = self.node("MatMul", [q, self.node("Transpose", [k], perm=[0, 2, 3, 1])])
        seen = self.node("MatMul", [self.node("Softmax", [scores], axis=-1), v])
        joined = self.node("Transpose", [seen], perm=[0, 2, 1, 3])
        return self.node("Reshape", [joined, self.constant(np.int64([0, 0, CHANNELS]))])

    def convolution(self, x: str) -> str:
        channels = self.node("Transpose", [x], perm=[0, 2, 1])
        weights = self.weight(CHANNELS, CHANNELS, 3)
        made = self.node("Conv", [channels, weights], pads=[1, 1], kernel_shape=[3])
        return self.node("Transpose", [made], perm=[0, 2, 1])

    def joined(self, x: str) -> str:
        """Two sequences in a row, of which the middle is cut out by a size of run time."""
        both = self.node("Concat", [x, self.any_value()], axis=1)
        length = self.node("Slice", [self.node("Shape", [x]), *self.numbers_of(1, 2)])
        half = self.node("Div", [length, self.constant(np.int64([2]))])
        end = self.node("Add", [half, length])
        return self.node("Slice", [both, half, end, self.constant(np.int64([1]))])

    def numbers_of(self, *numbers: int) -> list[str]:
        return [self.constant(np.int64([number])) for number in numbers]


STEPS: list[Callable[[Maker, str], str]] = [
    Maker.unary,
    Maker.dense,
    Maker.binary,
    Maker.mean,
    Maker.softmax,
    Maker.heads,
    Maker.convolution,
    Maker.joined,
]


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
@pytest.mark.parametrize("seed", range(8))
def test_shapes_in_any_order_compute_as_alone(models: Any, seed: int, backends: list[str]) -> None:
    maker = Maker(seed)
    for _ in range(10):
        step = maker.choose.choice(STEPS)
        maker.values.append(step(maker, maker.any_value()))
    ends = {maker.values[-1], maker.values[-2]} - {"x"}
    shape: list[Any] = ["n", "m", CHANNELS]
    outputs = dict.fromkeys(sorted(ends), (shape, FLOAT))
    path = models.save(models.build(maker.nodes, {"x": (shape, FLOAT)}, outputs, maker.weights))
    sizes = [(maker.choose.randint(1, 4), maker.choose.randint(1, 14)) for _ in range(5)]
    with ann.load(path, backends, plan_cache_size=3) as network:
        for n, m in [*sizes, *sizes[:2]]:
            x = maker.numbers.standard_normal((n, m, CHANNELS)).astype(np.float32)
            with ann.load(path, backends, shapes={"x": x.shape}) as alone:
                expected = alone.run(x)
            found = network.run(x)
            for name, array in expected.items():
                assert array.shape == (n, m, CHANNELS)
                assert np.array_equal(found[name], array), (name, n, m)
