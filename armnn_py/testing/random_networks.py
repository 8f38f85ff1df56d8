# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks over many layer types, with the patterns in them that passes look for.

A seed gives the same network on every machine. Values stay small, and nothing jumps (a comparison,
a rounding) where a rewriting may change the last bit, so that outputs may be compared closely.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["random_inputs", "random_network"]

_MOST_ELEMENTS = 2000
_NHWC, _NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW


def random_inputs(network: ann.Network, seed: int) -> dict[str, NDArray[np.float32]]:
    """Return values for every input."""
    random = np.random.default_rng((seed, 1))
    return {
        name: random.normal(size=info.static_shape).astype(np.float32)
        for name, info in network.inputs.items()
    }


def random_network(seed: int, layers: int = 70) -> ann.Network:
    """Return a network of about so many layers, all of them float32."""
    return _Maker(seed).make(layers)


class _Maker:
    """Grows a network from a pool of tensors, of which young ones are read more often."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng((seed, 0))
        self.network = ann.Network(f"random {seed}")
        self.pool: list[ann.OutputSlot] = []
        self.rules: list[Callable[[ann.OutputSlot], object]] = [
            self._activation,
            self._activation,
            self._activation,
            self._binary,
            self._binary,
            self._with_constant,
            self._with_constant,
            self._with_input_of_less_rank,
            self._permute,
            self._permute,
            self._permuted_twice,
            self._permuted_there_and_back,
            self._siblings,
            self._siblings,
            self._reshape,
            self._reshape,
            self._identity,
            self._identity,
            self._pad,
            self._join,
            self._split,
            self._slice,
            self._reduce,
            self._convolution,
            self._convolution,
            self._depthwise,
            self._batch_norm,
            self._pooling,
            self._only_constants,
            self._matrix,
            self._affine_run,
            self._affine_run,
            self._hard_swish,
            self._hard_swish,
            self._transposed_convolution,
            self._affine_around_convolution,
            self._affine_around_convolution,
            self._residual_blocks,
            self._residual_blocks,
            self._blocks,
            self._channels_to_space,
            self._edges_before_pooling,
            self._cut_twice,
        ]

    def make(self, layers: int) -> ann.Network:
        """Grow, then let some of the tensors be outputs."""
        for index, shape in enumerate([(1, 6, 5, 4), (2, 4, 1, 3), (3, 4), (4,)]):
            self.pool.append(self.network.add_input(f"x{index}", ann.TensorInfo(shape)).output)
        while len(self.network.layers) < layers:
            rule = self.rules[self.random.integers(len(self.rules))]
            rule(self._pick())
        unread = [
            slot
            for layer in self.network.layers
            for slot in layer.outputs
            if not slot.consumers and layer.type is not ann.LayerType.CONSTANT
        ]
        kept = [slot for slot in unread if self.random.random() < 0.8] or unread[-1:]
        kept += [self._pick(), self._pick()]  # some that are read as well, perhaps an input
        for index, slot in enumerate(kept):
            self.network.add_output(f"y{index}", slot)
        return self.network

    # ---- Means ---------------------------------------------------------------------------------

    def _pick(self) -> ann.OutputSlot:
        place = len(self.pool) - 1 - int(self.random.geometric(0.15) - 1) % len(self.pool)
        return self.pool[place]

    def _keep(self, made: ann.Layer | ann.OutputSlot) -> None:
        slot = made.output if isinstance(made, ann.Layer) else made
        if slot.info.element_count <= _MOST_ELEMENTS:
            self.pool.append(slot)

    def _values(self, *shape: int, scale: float = 1.0) -> NDArray[np.float32]:
        return (self.random.normal(size=shape) * scale).astype(np.float32)

    def _chance(self, probability: float = 0.5) -> bool:
        return bool(self.random.random() < probability)

    def _permutation(self, rank: int) -> tuple[int, ...]:
        return tuple(self.random.permutation(rank).tolist())

    def _reordered(self, x: ann.OutputSlot | ann.Layer, order: tuple[int, ...]) -> ann.Layer:
        """Move dimensions as numpy's transpose does, by either layer."""
        if self._chance():
            return self.network.add_transpose(x, order)
        return self.network.add_permute(x, np.argsort(order).tolist())

    def _bounded(self, x: ann.OutputSlot | ann.Layer) -> ann.Layer:
        return self.network.add_activation(x, ann.ActivationFunction.TANH, 1.0, 1.0)

    # ---- Layers that compute -------------------------------------------------------------------

    def _activation(self, x: ann.OutputSlot) -> None:
        function = ann.ActivationFunction
        one = [
            (function.RELU, 0.0, 0.0),
            (function.TANH, 1.0, 1.0),
            (function.SIGMOID, 0.0, 0.0),
            (function.BOUNDED_RELU, 2.0, -1.0),
            (function.LEAKY_RELU, 0.1, 0.0),
            (function.LINEAR, 0.5, 0.25),
            (function.HARD_SWISH, 0.0, 0.0),
        ][self.random.integers(7)]
        self._keep(self.network.add_activation(x, one[0], one[1], one[2]))

    def _binary(self, x: ann.OutputSlot) -> None:
        same = [slot for slot in self.pool if slot.info.shape == x.info.shape]
        y = same[self.random.integers(len(same))]
        add = [
            self.network.add_addition,
            self.network.add_subtraction,
            self.network.add_maximum,
            self.network.add_multiplication,
        ][self.random.integers(4)]
        self._keep(self._bounded(add(x, y)))

    def _with_constant(self, x: ann.OutputSlot) -> None:
        shape = x.info.static_shape
        kept = shape[int(self.random.integers(len(shape) + 1)) :]
        operand = self._values(*(dim if self._chance(0.7) else 1 for dim in kept))
        if self._chance(0.3):
            self._keep(self.network.add_prelu(x, np.abs(operand) * 0.3))
        elif self._chance():
            self._keep(self.network.add_addition(x, operand))
        else:
            self._keep(self._bounded(self.network.add_multiplication(operand, x)))

    def _with_input_of_less_rank(self, x: ann.OutputSlot) -> None:
        if x.info.rank > 1:
            y = self.network.add_mean(x, list(range(x.info.rank - 1)))
            self._keep(self._bounded(self.network.add_addition(x, y)))

    def _affine_step(self, x: ann.OutputSlot | ann.Layer, axis: int | None) -> ann.Layer:
        """Multiply or add constants, all alike or along one axis."""
        info = (x.output if isinstance(x, ann.Layer) else x).info
        if axis is None or self._chance(0.3):
            shape: tuple[int, ...] = () if self._chance() else (1,) * info.rank
        else:
            shape = (info.static_shape[axis],) + (1,) * (info.rank - 1 - axis)
        values = self._values(*shape)
        factors = np.asarray(0.5 + np.abs(values) / 2, np.float32)
        ways: list[Callable[[], ann.Layer]] = [
            lambda: self.network.add_addition(x, values),
            lambda: self.network.add_subtraction(x, values),
            lambda: self.network.add_subtraction(values, x),
            lambda: self.network.add_multiplication(factors, x),
            lambda: self.network.add_division(x, factors),
            lambda: self.network.add_activation(x, ann.ActivationFunction.LINEAR, -0.5, 0.25),
        ]
        return ways[self.random.integers(len(ways))]()

    def _affine_run(self, x: ann.OutputSlot) -> None:
        axis = None if self._chance(0.3) else int(self.random.integers(x.info.rank))
        y = self._affine_step(x, axis)
        for _ in range(int(self.random.integers(4))):
            y = self._affine_step(y, axis)
            if self._chance(0.1):
                self._keep(y)
        self._keep(self._bounded(y))

    def _hard_swish(self, x: ann.OutputSlot) -> None:
        """Write x * clip(x + 3, 0, 6) / 6 in one of the ways exporters have, or nearly so."""
        function = ann.ActivationFunction
        three = 3.0 if self._chance(0.8) else 2.5
        if self._chance():
            gate = self.network.add_addition(x, np.float32(three))
            gate = self.network.add_activation(gate, function.BOUNDED_RELU, 6.0, 0.0)
            if self._chance():
                gate = self.network.add_division(gate, np.float32(6))
        else:
            gate = self.network.add_activation(x, function.LINEAR, 1 / 6, three / 6)
            gate = self.network.add_activation(gate, function.BOUNDED_RELU, 1.0, 0.0)
        if self._chance(0.1):
            self._keep(gate)
        operands = (x, gate) if self._chance() else (gate, x)
        y = self.network.add_multiplication(*operands)
        if self._chance():
            y = self.network.add_multiplication(y, np.float32(1 / 6))
        self._keep(self._bounded(y))

    def _reduce(self, x: ann.OutputSlot) -> None:
        axis = int(self.random.integers(x.info.rank))
        if x.info.rank > 1 and x.info.element_count:
            self._keep(self.network.add_mean(x, [axis], keep_dims=self._chance()))
            self._keep(self.network.add_softmax(x, axis=axis))

    def _matrix(self, x: ann.OutputSlot) -> None:
        if x.info.rank == 2:
            weights = self._values(x.info.static_shape[1], 3, scale=0.5)
            bias = self._values(3) if self._chance() else None
            self._keep(self._bounded(self.network.add_fully_connected(x, weights, bias)))

    def _only_constants(self, x: ann.OutputSlot) -> None:
        shape = x.info.static_shape
        known = self.network.add_activation(
            self.network.add_constant(self._values(*shape)), ann.ActivationFunction.SIGMOID
        )
        there = self._permutation(len(shape))
        back = tuple(np.argsort(there).tolist())
        moved = self._reordered(self._reordered(known, there), back)
        self._keep(self.network.add_multiplication(x, moved))

    # ---- Layers over images --------------------------------------------------------------------

    def _image(self, x: ann.OutputSlot) -> tuple[ann.OutputSlot, ann.DataLayout, int]:
        """Return an image at least 2 high and wide, perhaps padded, and its channels."""
        if x.info.rank != 4 or 1 in x.info.shape[1:]:
            images = [
                one
                for one in self.pool
                if one.info.rank == 4 and min(one.info.static_shape[1:]) > 1
            ]
            x = images[self.random.integers(len(images))]  # an input is one
        layout = _NHWC if self._chance(0.7) else _NCHW
        shape = x.info.static_shape
        channels = shape[3] if layout is _NHWC else shape[1]
        if self._chance(0.4):
            spatial = [(int(self.random.integers(2)), 1), (1, int(self.random.integers(2)))]
            pads = [(0, 0), *spatial, (0, 0)] if layout is _NHWC else [(0, 0), (0, 0), *spatial]
            value = 0.0 if self._chance(0.7) else 0.5
            x = self.network.add_pad(x, pads, value=value).output
        return x, layout, channels

    def _convolution(self, x: ann.OutputSlot) -> None:
        x, layout, channels = self._image(x)
        count = int(self.random.integers(1, 5))
        shape = (count, 2, 2, channels) if layout is _NHWC else (count, channels, 2, 2)
        y = self.network.add_convolution2d(
            x,
            self._values(*shape, scale=0.3),
            self._values(count) if self._chance() else None,
            data_layout=layout,
            padding="same" if self._chance() else "valid",
        )
        self._finish(y, layout, count)

    def _depthwise(self, x: ann.OutputSlot) -> None:
        x, layout, channels = self._image(x)
        count = channels * int(self.random.integers(1, 3))
        y = self.network.add_depthwise_convolution2d(
            x,
            self._values(1, 2, 2, count, scale=0.5),
            self._values(count) if self._chance() else None,
            data_layout=layout,
        )
        self._finish(y, layout, count)

    def _finish(self, y: ann.Layer, layout: ann.DataLayout, count: int) -> None:
        if self._chance(0.4):
            y = self._normalised(y, layout, count)
        if self._chance(0.2):
            self._keep(y)
        self._keep(self._bounded(y))

    def _transposed_convolution(self, x: ann.OutputSlot) -> None:
        x, layout, channels = self._image(x)
        count = int(self.random.integers(1, 4))
        shape = (count, 2, 2, channels) if layout is _NHWC else (count, channels, 2, 2)
        y = self.network.add_transpose_convolution2d(
            x,
            self._values(*shape, scale=0.3),
            self._values(count) if self._chance() else None,
            data_layout=layout,
        )
        self._keep(self._bounded(self._affine_step(y, 3 if layout is _NHWC else 1)))

    def _affine_around_convolution(self, x: ann.OutputSlot) -> None:
        """Write normalisation as exporters do, before and behind layers with weights."""
        x, layout, channels = self._image(x)
        axis = 3 if layout is _NHWC else 1
        y: ann.OutputSlot | ann.Layer = x
        for _ in range(int(self.random.integers(3))):
            y = self._affine_step(y, axis)
        if self._chance():
            weights = self._values(1, 2, 2, channels * 2, scale=0.3)
            y = self.network.add_depthwise_convolution2d(
                y,
                weights,
                data_layout=layout,
                padding="same" if self._chance(0.3) else "valid",
            )
        else:
            shape = (3, 1, 1, channels) if layout is _NHWC else (3, channels, 1, 1)
            bias = self._values(3) if self._chance() else None
            y = self.network.add_convolution2d(
                y, self._values(*shape, scale=0.3), bias, data_layout=layout
            )
        for _ in range(int(self.random.integers(4))):
            y = self._affine_step(y, axis)
        self._keep(self._bounded(y))

    def _residual_blocks(self, x: ann.OutputSlot) -> None:
        """Keep images in one order around convolutions that want the other."""
        x, _, _ = self._image(x)
        there, back = [0, 3, 1, 2], [0, 2, 3, 1]
        y: ann.OutputSlot | ann.Layer = x
        for _ in range(int(self.random.integers(1, 4))):
            channels = (y.output if isinstance(y, ann.Layer) else y).info.static_shape[3]
            weights = self._values(channels, channels, 1, 1, scale=0.3)
            z: ann.OutputSlot | ann.Layer = self.network.add_convolution2d(
                self.network.add_transpose(y, there), weights, data_layout=_NCHW
            )
            z = self.network.add_transpose(z, back)
            if self._chance():
                z = self.network.add_addition(z, self._values(channels))
            if self._chance(0.3):
                z = self.network.add_concat([z, self._bounded(z)], 3)
                z = self.network.add_split(z, 2, 3).outputs[int(self.random.integers(2))]
            if self._chance(0.3):
                padded = self.network.add_pad(z, [(0, 1)] * 4)
                z = self.network.add_slice(padded, [0] * 4, x.info.static_shape)
            if self._chance(0.3):
                z = self.network.add_softmax(z, axis=int(self.random.integers(4)))
            y = self._bounded(self.network.add_addition(z, y))
        if self._chance():
            self._keep(self.network.add_mean(y, [1, 2], keep_dims=self._chance()))
        else:
            self._keep(y)

    def _blocks(self, x: ann.OutputSlot) -> None:
        """Compute on batches of every other element, as exporters write dilated convolutions."""
        x, _, _ = self._image(x)
        _, height, width, _ = x.info.static_shape
        pads = [(int(self.random.integers(2)) * 2, height % 2), (0, width % 2)]
        y = self.network.add_space_to_batch_nd(x, [2, 2], pads)
        if self._chance():
            y = self._bounded(y)
        crops = pads if self._chance() else [(0, 0), (0, 0)]
        self._keep(self.network.add_batch_to_space_nd(y, [2, 2], crops))

    def _channels_to_space(self, x: ann.OutputSlot) -> None:
        """Write DepthToSpace as a permutation and BatchToSpaceNd."""
        layout = _NHWC if self._chance() else _NCHW
        flat = self.network.add_reshape(x, [1, x.info.element_count])
        shape = (1, 2, 3, 4) if layout is _NHWC else (1, 4, 2, 3)
        few = self.network.add_fully_connected(
            flat, self._values(x.info.element_count, 24, scale=0.1)
        )
        order = (3, 1, 2, 0) if layout is _NHWC else (1, 0, 2, 3)
        y = self._reordered(self._bounded(self.network.add_reshape(few, shape)), order)
        self._keep(
            self.network.add_batch_to_space_nd(y, [2, 2], [(0, 0), (0, 0)], data_layout=layout)
        )

    def _normalised(
        self, x: ann.OutputSlot | ann.Layer, layout: ann.DataLayout, channels: int
    ) -> ann.Layer:
        mean, beta, gamma = (self._values(channels, scale=0.5) for _ in range(3))
        variance = np.abs(self._values(channels)) + np.float32(0.5)
        return self.network.add_batch_normalization(
            x, mean, variance, beta, gamma, data_layout=layout
        )

    def _batch_norm(self, x: ann.OutputSlot) -> None:
        if x.info.rank == 4:
            layout = _NHWC if self._chance() else _NCHW
            channels = x.info.static_shape[3 if layout is _NHWC else 1]
            self._keep(self._bounded(self._normalised(x, layout, channels)))

    def _pooling(self, x: ann.OutputSlot) -> None:
        image, layout, _ = self._image(x)
        kinds, methods = ann.PoolingAlgorithm, ann.PaddingMethod
        self._keep(
            self.network.add_pooling2d(
                image,
                kinds.MAX if self._chance() else kinds.AVERAGE,
                2,
                stride=1 if self._chance() else 2,
                padding_method=methods.EXCLUDE if self._chance() else methods.IGNORE_VALUE,
                data_layout=layout,
            )
        )

    def _edges_before_pooling(self, x: ann.OutputSlot) -> None:
        """Repeat edges by Gathers, as the ONNX reader writes a Pad of mode edge, or nearly so."""
        x, layout, _ = self._image(x)
        y: ann.OutputSlot | ann.Layer = x
        for axis in (1, 2) if layout is _NHWC else (2, 3):
            width = (int(self.random.integers(2)), int(self.random.integers(3)))
            mode = "edge" if self._chance(0.8) else "reflect"
            indices = np.pad(np.arange(x.info.static_shape[axis]), width, mode=mode)  # type: ignore[call-overload]
            y = self.network.add_gather(y, indices.astype(np.int32), axis)
        self._keep(
            self.network.add_pooling2d(
                y,
                ann.PoolingAlgorithm.MAX,
                2,
                stride=int(self.random.integers(1, 3)),
                padding=1 if self._chance(0.2) else 0,
                data_layout=layout,
            )
        )

    # ---- Layers that move ----------------------------------------------------------------------

    def _permute(self, x: ann.OutputSlot) -> None:
        self._keep(self._reordered(x, self._permutation(x.info.rank)))

    def _permuted_twice(self, x: ann.OutputSlot) -> None:
        order = self._permutation(x.info.rank)
        y = self._reordered(x, order)
        if self._chance(0.3):
            self._keep(y)
        self._keep(self._reordered(y, tuple(np.argsort(order).tolist())))

    def _permuted_there_and_back(self, x: ann.OutputSlot) -> None:
        """Compute in another layout."""
        order = self._permutation(x.info.rank)
        y = self._reordered(x, order)
        for _ in range(int(self.random.integers(1, 4))):
            if self._chance():
                y = self._bounded(y)
            elif self._chance():
                channel = y.output.info.static_shape[-1]
                y = self.network.add_addition(y, self._values(channel))
            else:
                y = self.network.add_multiplication(y, y)
                y = self._bounded(y)
        if self._chance(0.2):
            self._keep(y)
        self._keep(self._reordered(y, tuple(np.argsort(order).tolist())))

    def _siblings(self, x: ann.OutputSlot) -> None:
        order = self._permutation(x.info.rank)
        ways: list[Callable[[], ann.Layer]] = [
            lambda: self.network.add_transpose(x, order),
            lambda: self.network.add_permute(x, order),
            lambda: self.network.add_reshape(x, [x.info.element_count]),
        ]
        chosen = self.random.integers(3)
        first, second, other = ways[chosen](), ways[chosen](), ways[chosen - 1]()
        self._keep(self._bounded(self.network.add_addition(first, second)))
        self._keep(other)

    def _reshape(self, x: ann.OutputSlot) -> None:
        shape = list(x.info.static_shape)
        if self._chance(0.3):
            shape = [math.prod(shape)]
        elif self._chance() and len(shape) < 4:
            shape.insert(int(self.random.integers(len(shape) + 1)), 1)
        elif len(shape) > 1:
            place = int(self.random.integers(len(shape) - 1))
            shape[place : place + 2] = [shape[place] * shape[place + 1]]
        y = self.network.add_reshape(x, shape)
        self._keep(y)
        if self._chance(0.4):
            self._keep(self.network.add_reshape(y, x.info.static_shape))

    def _identity(self, x: ann.OutputSlot) -> None:
        shape = x.info.static_shape
        rank = len(shape)
        ways: list[Callable[[], ann.Layer]] = [
            lambda: self.network.add_reshape(x, shape),
            lambda: self.network.add_cast(x, ann.DataType.FLOAT32),
            lambda: self.network.add_transpose(x, list(range(rank))),
            lambda: self.network.add_pad(x, [(0, 0)] * rank),
            lambda: self.network.add_concat([x], 0),
            lambda: self.network.add_slice(x, [0] * rank, shape),
            lambda: self.network.add_tile(x, [1] * rank),
            lambda: self.network.add_multiplication(x, np.float32(1)),
        ]
        self._keep(ways[self.random.integers(len(ways))]())

    def _pad(self, x: ann.OutputSlot) -> None:
        pads = [tuple(self.random.integers(2, size=2).tolist()) for _ in x.info.shape]
        self._keep(self.network.add_pad(x, pads, value=0.5 if self._chance() else 0.0))

    def _join(self, x: ann.OutputSlot) -> None:
        axis = int(self.random.integers(x.info.rank))
        other = self._bounded(x).output
        self._keep(self.network.add_concat([x, other, x][: self.random.integers(2, 4)], axis))

    def _split(self, x: ann.OutputSlot) -> None:
        axis = int(self.random.integers(x.info.rank))
        dim = x.info.static_shape[axis]
        if dim > 1:
            parts = self.network.add_split(x, [1, dim - 1], axis)
            for slot in itertools.islice(parts.outputs, int(self.random.integers(1, 3))):
                self._keep(slot)

    def _slice(self, x: ann.OutputSlot) -> None:
        shape = x.info.static_shape
        begin = [int(self.random.integers(max(1, dim))) if dim > 1 else 0 for dim in shape]
        size = [dim - first for dim, first in zip(shape, begin, strict=True)]
        self._keep(self.network.add_slice(x, begin, size))

    def _cut_twice(self, x: ann.OutputSlot) -> None:
        """Cut one dimension after the other, or the same one again, with steps and without."""
        y: ann.OutputSlot | ann.Layer = x
        for _ in range(int(self.random.integers(2, 4))):
            shape = (y.output if isinstance(y, ann.Layer) else y).info.static_shape
            begin = [int(self.random.integers(dim)) if dim > 1 else 0 for dim in shape]
            if self._chance(0.3):
                size = [dim - first for dim, first in zip(shape, begin, strict=True)]
                y = self.network.add_slice(y, begin, size)
                continue
            steps = [int(self.random.integers(1, 3)) for _ in shape]
            signed = [
                b - dim if self._chance(0.3) else b for b, dim in zip(begin, shape, strict=True)
            ]
            mask = int(self.random.integers(1 << len(shape))) if self._chance(0.3) else 0
            y = self.network.add_strided_slice(y, signed, shape, steps, begin_mask=mask)
            if self._chance(0.2):
                self._keep(y)
        self._keep(y if isinstance(y, ann.Layer) else self._bounded(y))
