# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of quantised images: what each layer may be, and how its scale is found."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import armnn_py as ann

from .products import NCHW, NHWC, W16, F, Family
from .quantized import S8, U8, numbers, scale_in

_COMMON = ("convolution", "function", "addition") * 2 + ("concat", "pooling", "gate", "turned")
#: Names of methods, those of common layers several times.
_OF_BYTES = (*_COMMON, *("convolution",) * 2, "depthwise", "transposed", "addition", "resized")
_OF_BYTES += ("product", "unary")
_OF_WORDS = (*_COMMON, *("convolution", "depthwise") * 2)


class QuantizedVision:
    """A random network of quantised images; layers read young tensors more often."""

    def __init__(self, seed: int, data_type: ann.DataType | None = None) -> None:
        self.rng, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.network = ann.Network(f"quantised vision {seed}")
        self.layout = self.rng.choice([NCHW, NHWC])
        self.data_type = data_type or self.rng.choice([S8, S8, U8])
        self.family = Family(self.data_type)
        shape = (self.rng.choice([1, 2]), 9, self.rng.choice([4, 10]), self.rng.choice([3, 8, 24]))
        self.pool = [self.network.add_input("x", self.info(self.shape(*shape))).output]

    def shape(self, n: int, h: int, w: int, c: int) -> tuple[int, ...]:
        return (n, c, h, w) if self.layout == NCHW else (n, h, w, c)

    def info(self, shape: tuple[int, ...], scale: float = 0.0) -> ann.TensorInfo:
        """Of a zero point in the middle more often than not: numbers do not saturate at once."""
        info = self.family.info(self.numbers, shape, scale)
        if self.data_type == W16 or self.rng.random() < 0.2:
            return info
        point = self.rng.randrange(-20, 20) + (128 if self.data_type == U8 else 0)
        quantization = ann.QuantizationInfo((scale_in(info),), (point,))
        return ann.TensorInfo(shape, self.data_type, quantization=quantization)

    @property
    def axis(self) -> int:
        return 1 if self.layout == NCHW else 3

    def channels(self, x: ann.OutputSlot) -> int:
        return int(x.info.static_shape[self.axis])

    def partner(self, x: ann.OutputSlot) -> ann.OutputSlot:
        same = [y for y in self.pool if y.info.static_shape == x.info.static_shape]
        return self.rng.choice(same)

    def like(self, x: ann.OutputSlot, shape: tuple[int, ...] | None = None) -> ann.TensorInfo:
        """The scale of ``x``, or half or twice as large a one."""
        factor = self.rng.choice([0.5, 1.0, 1.0, 2.0])
        return self.info(shape or x.info.static_shape, scale_in(x.info) * factor)

    def sums(
        self, x: ann.OutputSlot, weights: ann.TensorInfo, terms: int, shape: tuple[int, ...]
    ) -> ann.TensorInfo:
        """For sums of |terms| products, whose numbers fill the range of the type."""
        assert weights.quantization is not None
        scales = np.array(weights.quantization.scales)
        return self.info(shape, float(scale_in(x.info) * scales.mean() * 60 * terms**0.5))

    def bias(self, count: int) -> np.ndarray | None:
        if self.rng.random() < 0.3:
            return None
        values = self.numbers.integers(-999, 999, count)
        wide = self.data_type == W16 and self.rng.random() < 0.5
        return (100 * values).astype(np.int64) if wide else values.astype(np.int32)

    def convolution(self, x: ann.OutputSlot) -> Any:
        network, rng, channels = self.network, self.rng, self.channels(x)
        outputs, kernel = rng.choice([5, 16, 33, channels]), rng.choice([1, 1, 3, 5])
        sides = (channels, kernel, kernel) if self.layout == NCHW else (kernel, kernel, channels)
        large = rng.random() < 0.2
        weights, info = self.family.weights(self.numbers, (outputs, *sides), 0, large=large)
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
        weights, info = self.family.weights(self.numbers, (1, kernel, kernel, channels), 3)
        return self.network.add_depthwise_convolution2d(
            x,
            self.network.add_constant(weights, info=info),
            self.bias(channels),
            padding="same",
            data_layout=self.layout,
            output_info=self.sums(x, info, kernel**2, x.info.static_shape),
        )

    def transposed(self, x: ann.OutputSlot) -> Any:
        """And back to the size that it was."""
        channels = self.channels(x)
        sides = (channels, 3, 3) if self.layout == NCHW else (3, 3, channels)
        weights, info = self.family.weights(self.numbers, (8, *sides), 0)
        n, h, w = (
            x.info.static_shape[d] for d in ((0, 2, 3) if self.layout == NCHW else (0, 1, 2))
        )
        large = self.network.add_transpose_convolution2d(
            x,
            self.network.add_constant(weights, info=info),
            stride=2,
            padding=(0, 1, 0, 1),
            data_layout=self.layout,
            output_info=self.sums(x, info, 2 * channels, self.shape(n, 2 * h, 2 * w, 8)),
        )
        return self.network.add_pooling2d(
            large,
            ann.PoolingAlgorithm.MAX,
            (2, 2),
            stride=(2, 2),
            data_layout=self.layout,
        )

    def gate(self, x: ann.OutputSlot) -> Any:
        """Squeeze and excite."""
        axes = (2, 3) if self.layout == NCHW else (1, 2)
        shape = self.shape(x.info.static_shape[0], 1, 1, self.channels(x))
        words = self.data_type == W16
        operations = [ann.ReduceOperation.MEAN, ann.ReduceOperation.MAX]
        operation = self.rng.choice(operations[: 1 if words else 2])
        mean = self.network.add_reduce(
            x, operation, axes, keep_dims=True, output_info=self.like(x, shape)
        )
        share = self.info(shape, 2**-15 if words else 2**-8)
        gate = self.network.add_activation(mean, F.SIGMOID, output_info=share)
        return self.network.add_multiplication(x, gate, output_info=self.like(x))

    def resized(self, x: ann.OutputSlot) -> Any:
        """To twice the size and back."""
        sides = [x.info.static_shape[d] for d in ((2, 3) if self.layout == NCHW else (1, 2))]
        method = self.rng.choice(list(ann.ResizeMethod))
        options: dict[str, Any] = {"data_layout": self.layout, "half_pixel_centers": True}
        large = self.network.add_resize(
            x, (2 * sides[0], 2 * sides[1]), ann.ResizeMethod(method), **options
        )
        return self.network.add_resize(
            large, (sides[0], sides[1]), ann.ResizeMethod.BILINEAR, **options
        )

    def product(self, x: ann.OutputSlot) -> Any:
        """Each channel's image by another's, transposed: rows of a large sum."""
        other = self.partner(x)
        shape = (*x.info.static_shape[:3], x.info.static_shape[2])
        scores = self.network.add_batch_mat_mul(
            x,
            other,
            transpose_y=True,
            output_info=self.info(shape, 400 * scale_in(x.info) * scale_in(other.info)),
        )
        softmax = self.network.add_softmax(scores, output_info=self.info(shape, 1 / 256))
        return self.network.add_batch_mat_mul(softmax, other, output_info=self.like(x))

    def function(self, x: ann.OutputSlot) -> Any:
        function, a, b = self.rng.choice([(F.RELU, 0, 0), (F.BOUNDED_RELU, 3, -1), (F.TANH, 1, 1)])
        info = x.info if function != F.TANH else self.like(x)
        return self.network.add_activation(x, function, a, b, output_info=info)

    def addition(self, x: ann.OutputSlot) -> Any:
        return self.network.add_addition(x, self.partner(x), output_info=self.like(x))

    def concat(self, x: ann.OutputSlot) -> Any:
        kind = x.info.data_type, x.info.quantization
        pieces = [self.network.add_quantize(y, *kind) for y in (x, self.partner(x))]
        return self.network.add_concat(pieces, axis=self.axis)

    def pooling(self, x: ann.OutputSlot) -> Any:
        return self.network.add_pooling2d(
            x,
            self.rng.choice([ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE]),
            (3, 3),
            stride=(1, 1),
            padding="same",
            data_layout=self.layout,
            output_info=x.info,
        )

    def unary(self, x: ann.OutputSlot) -> Any:
        operation = self.rng.choice([ann.UnaryOperation.ABS, ann.UnaryOperation.EXP])
        return self.network.add_elementwise_unary(x, operation, output_info=self.like(x))

    def turned(self, x: ann.OutputSlot) -> Any:
        turned = self.network.add_transpose(x, (0, 3, 2, 1))
        turned = self.network.add_activation(turned, F.ABS, output_info=turned.output.info)
        return self.network.add_transpose(turned, (0, 3, 2, 1))

    def grow(self) -> Any:
        x = self.rng.choice(self.pool[-4:])
        kinds = _OF_WORDS if self.data_type == W16 else _OF_BYTES
        return getattr(self, self.rng.choice(kinds))(x)

    def make(self, layers: int) -> ann.Network:
        for _ in range(layers):
            self.pool.append(self.grow().output)
        unread = [slot for slot in self.pool[1:] if not slot.consumers]
        extra = self.rng.sample(self.pool[1:], 2)
        for number, slot in enumerate(dict.fromkeys([*unread, *extra])):
            self.network.add_output(f"y{number}", slot)
        return self.network

    def inputs(self) -> dict[str, Any]:
        return {name: numbers(self.numbers, info) for name, info in self.network.inputs.items()}
