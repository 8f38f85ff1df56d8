# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of numbers of 16 bits on CpuAcc: the bits of CpuRef."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import Rescaling

from .quantized import check_equal, numbers, quantized_runtime, rescaled, scale_in
from .quantized_networks import QuantizedVision
from .words import W16, F, byte_weights, word_info

__all__ = ["quantized_runtime"]


class WordVision(QuantizedVision):
    """Images of 16 bits, and the layers that there are for them."""

    def info(self, shape: tuple[int, ...], scale: float = 0.0) -> ann.TensorInfo:
        return word_info(self.numbers, shape, scale)

    def sums(
        self, x: ann.OutputSlot, weights: ann.TensorInfo, terms: int, shape: tuple[int, ...]
    ) -> ann.TensorInfo:
        assert weights.quantization is not None
        mean = float(np.array(weights.quantization.scales).mean())
        return self.info(shape, scale_in(x.info) * mean * 50 * terms**0.5)

    def bias(self, count: int) -> np.ndarray | None:
        if self.rng.random() < 0.3:
            return None
        values = self.numbers.integers(-99999, 99999, count)
        return values.astype(self.rng.choice([np.int32, np.int64]))

    def convolution(self, x: ann.OutputSlot) -> Any:
        network, rng, channels = self.network, self.rng, self.channels(x)
        outputs, kernel = rng.choice([5, 16, 33, channels]), rng.choice([1, 1, 3, 5])
        first = self.layout == ann.DataLayout.NCHW
        sides = (channels, kernel, kernel) if first else (kernel, kernel, channels)
        weights, info = byte_weights(self.numbers, (outputs, *sides), 0, large=rng.random() < 0.2)
        shape = list(x.info.static_shape)
        shape[self.axis] = outputs
        return network.add_convolution2d(
            x,
            network.add_constant(weights, info=info),
            self.bias(outputs),
            padding="same",
            data_layout=self.layout,
            output_info=self.sums(x, info, channels * kernel**2, tuple(shape)),
        )

    def depthwise(self, x: ann.OutputSlot) -> Any:
        channels, kernel = self.channels(x), self.rng.choice([2, 3, 3, 5])
        weights, info = byte_weights(self.numbers, (1, kernel, kernel, channels), 3)
        return self.network.add_depthwise_convolution2d(
            x,
            self.network.add_constant(weights, info=info),
            self.bias(channels),
            padding="same",
            data_layout=self.layout,
            output_info=self.sums(x, info, kernel**2, x.info.static_shape),
        )

    def gate(self, x: ann.OutputSlot) -> Any:
        axes = (2, 3) if self.layout == ann.DataLayout.NCHW else (1, 2)
        shape = self.shape(x.info.static_shape[0], 1, 1, self.channels(x))
        mean = self.network.add_reduce(
            x, ann.ReduceOperation.MEAN, axes, keep_dims=True, output_info=self.like(x, shape)
        )
        gate = self.network.add_activation(mean, F.SIGMOID, output_info=self.info(shape, 2**-15))
        return self.network.add_multiplication(x, gate, output_info=self.like(x))

    def grow(self) -> Any:
        network, rng = self.network, self.rng
        x = rng.choice(self.pool[-4:])
        kind = rng.randrange(14)
        if kind < 4:
            return self.convolution(x)
        if kind < 6:
            return self.depthwise(x)
        if kind < 8:
            function, a, b = rng.choice([(F.RELU, 0, 0), (F.BOUNDED_RELU, 3, -1), (F.TANH, 1, 1)])
            info = x.info if function != F.TANH else self.like(x)
            return network.add_activation(x, function, a, b, output_info=info)
        if kind < 10:
            return network.add_addition(x, self.partner(x), output_info=self.like(x))
        if kind == 10:
            scale = ann.QuantizationInfo((scale_in(x.info),), (0,))
            pieces = [network.add_quantize(y, W16, scale) for y in (x, self.partner(x))]
            return network.add_concat(pieces, axis=self.axis)
        if kind == 11:
            return network.add_pooling2d(
                x,
                rng.choice([ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE]),
                (3, 3),
                stride=(1, 1),
                padding="same",
                data_layout=self.layout,
                output_info=x.info,
            )
        if kind == 12:
            return self.gate(x)
        turned = network.add_transpose(x, (0, 3, 2, 1))
        turned = network.add_activation(turned, F.ABS, output_info=turned.output.info)
        return network.add_transpose(turned, (0, 3, 2, 1))

    def inputs(self) -> dict[str, Any]:
        return {name: numbers(self.numbers, info) for name, info in self.network.inputs.items()}


@pytest.mark.parametrize("seed", range(36))
def test_random_networks(quantized_runtime: ann.Runtime, seed: int) -> None:
    vision = WordVision(seed)
    network = rescaled(vision.make(16), Rescaling(seed % len(Rescaling)))
    rng = np.random.default_rng(seed)
    outputs = check_equal(quantized_runtime, network, rng, **vision.inputs())
    assert any(len(np.unique(value)) > 2 for value in outputs.values())
