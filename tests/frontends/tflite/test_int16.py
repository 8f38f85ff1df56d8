# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models of int16 activations and int8 weights: on CpuAcc, beside CpuRef and LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import optimize

RNG = np.random.default_rng(5)
SAME, NONE, RELU = 0, 0, 1


def weights(*shape: int) -> np.ndarray:
    return RNG.integers(-127, 128, shape).astype(np.int8)


class Model:
    """An image classifier, layer by layer; each has the scale that fills most of its range."""

    def __init__(self, builder: Any) -> None:
        self.builder, self.count = builder, 0
        self.shape: tuple[int, ...] = (1, 16, 16, 3)
        self.step = 1 / 8192
        self.x = self.start = builder.tensor("x", self.shape, np.int16, self.step)

    def made(self, shape: tuple[int, ...], step: float) -> int:
        self.count += 1
        self.shape, self.step = shape, step
        return int(self.builder.tensor(f"t{self.count}", shape, np.int16, step))

    def product(
        self,
        kind: str,
        kernel: np.ndarray,
        axis: int,
        stride: int,
        fused: int,
        gain: float = 0.3,
    ) -> int:
        """A convolution of any kind, whose scales differ from channel to channel."""
        outputs, side = kernel.shape[axis], -(-self.shape[1] // stride)
        scales = (0.002 + 0.004 * RNG.random(outputs)).astype(np.float32)
        terms = kernel.size // outputs
        bias = RNG.integers(-(2**20), 2**20, outputs)
        name = f"{kind}{self.count}"
        w = self.builder.constant(f"w_{name}", kernel, scales, axis=axis)
        b = self.builder.constant(f"b_{name}", bias, np.float32(self.step) * scales)
        y = self.made((1, side, side, outputs), self.step * float(gain * terms**0.5))
        options = {"padding": SAME, "strideH": stride, "strideW": stride,
                   "fusedActivationFunction": fused}  # fmt: skip
        table = "Conv2DOptions"
        if kind == "DEPTHWISE_CONV_2D":
            table, options = "DepthwiseConv2DOptions", {**options, "depthMultiplier": 1}
        self.builder.op(kind, [self.x, w, b], [y], (table, options), version=5)
        self.x = y
        return y

    def data(self) -> bytes:
        self.builder.ends([self.start], [self.x])
        return bytes(self.builder.data())


def classifier(builder: Any, *, wide: bool = False) -> bytes:
    model = Model(builder)
    model.product("CONV_2D", weights(16, 3, 3, 3), 0, 2, RELU)
    first = model.product("CONV_2D", weights(16, 1, 1, 16), 0, 1, RELU)
    model.product("DEPTHWISE_CONV_2D", weights(1, 3, 3, 16), 3, 1, RELU)
    last = model.product("CONV_2D", weights(16, 1, 1, 16), 0, 1, NONE)
    total = model.made(model.shape, model.step)
    builder.op("ADD", [first, last], [total], ("AddOptions", {}), version=3)
    model.x = total
    if wide:
        model.product("CONV_2D", weights(300, 1, 1, 16), 0, 1, RELU)
        alike = RNG.integers(90, 128, (20, 3, 3, 300)).astype(np.int8)
        model.product("CONV_2D", alike, 0, 1, NONE, gain=8)
    return model.data()


@pytest.mark.parametrize("wide", [False, True])
def test_a_classifier_runs_on_cpu_acc(builder: Any, litert: Any, wide: bool) -> None:
    data = classifier(builder, wide=wide)
    given = {"x": RNG.integers(-32768, 32768, (1, 16, 16, 3)).astype(np.int16)}
    network, found = ann.import_model(data), {}
    with ann.Runtime() as runtime:
        if "CpuAcc" not in runtime.backends:
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
        for backend in ("CpuRef", "CpuAcc"):
            with runtime.load_network(optimize(network, [backend], runtime=runtime)) as net:
                found[backend] = next(iter(net.run(given).values())).copy()
    np.testing.assert_array_equal(found["CpuAcc"], found["CpuRef"])
    wanted = next(iter(litert(data, given).values()))
    np.testing.assert_array_equal(found["CpuAcc"], wanted)
    assert len(np.unique(wanted)) > 500
