# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of images."""

from __future__ import annotations

import random

import armnn_py as ann

from .networks import (
    NCHW,
    NHWC,
    RELU,
    F,
    batch_normalization,
    convolution,
    hard_swish,
    image,
    scale,
    swish,
    values_of,
)


class Vision:
    """A random network of images in both layouts; layers read young tensors more often."""

    def __init__(self, seed: int) -> None:
        self.rng, self.seed = random.Random(seed), seed
        self.network = ann.Network(f"vision {seed}")
        self.layout = self.rng.choice([NCHW, NHWC])
        channels = self.rng.choice([3, 8, 24])
        self.pool = [image(self.network, self.layout, channels=channels)]

    def channels(self, x: ann.OutputSlot) -> int:
        return int(x.info.static_shape[1 if self.layout == NCHW else 3])

    def partner(self, x: ann.OutputSlot) -> ann.OutputSlot:
        same = [y for y in self.pool if y.info.static_shape == x.info.static_shape]
        return self.rng.choice(same)

    def grow(self, number: int) -> list[ann.OutputSlot]:
        network, rng, layout = self.network, self.rng, self.layout
        x = rng.choice(self.pool[-4:])
        axis = 1 if layout == NCHW else 3
        kind = rng.randrange(14)
        if kind < 3:
            outputs, kernel = rng.choice([5, 8, 16, 33]), rng.choice([1, 3, 5])
            return [convolution(network, x, layout, outputs, kernel=kernel, name=f"c{number}")]
        if kind == 3:
            weights = values_of(number, 1, 3, 3, self.channels(x))
            return [
                network.add_depthwise_convolution2d(
                    x, weights, padding="same", data_layout=layout
                ).output
            ]
        if kind < 6:
            chosen = rng.choice([RELU, swish, batch_normalization, scale, hard_swish])
            return [chosen(network, x, layout)]
        if kind == 6:
            return [network.add_addition(x, self.partner(x)).output]
        if kind == 7:
            return [network.add_concat([x, self.partner(x)], axis=axis).output]
        if kind == 8 and self.channels(x) % 2 == 0:
            return list(network.add_split(x, 2, axis=axis).outputs)
        if kind == 9:
            pool = rng.choice([ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
            return [
                network.add_pooling2d(
                    x, pool, (3, 3), stride=(1, 1), padding="same", data_layout=layout
                ).output
            ]
        if kind == 10:
            gate = network.add_mean(x, (2, 3) if layout == NCHW else (1, 2), keep_dims=True)
            return [network.add_multiplication(x, network.add_activation(gate, F.SIGMOID)).output]
        if kind == 11:
            turned = network.add_transpose(x, (0, 3, 2, 1))
            return [
                network.add_transpose(network.add_activation(turned, F.ABS), (0, 3, 2, 1)).output
            ]
        if kind == 12:
            shape = x.info.static_shape
            flat = network.add_reshape(x, (shape[0], shape[1], shape[2] * shape[3]))
            return [network.add_reshape(network.add_activation(flat, F.RELU), shape).output]
        return [network.add_activation(x, F.LEAKY_RELU, 0.1).output]

    def make(self, layers: int) -> ann.Network:
        for number in range(layers):
            self.pool += self.grow(number)
        unread = [slot for slot in self.pool[1:] if not slot.consumers]
        extra = self.rng.sample(self.pool[1:], 2)
        for number, slot in enumerate(dict.fromkeys([*unread, *extra])):
            self.network.add_output(f"y{number}", slot)
        return self.network
