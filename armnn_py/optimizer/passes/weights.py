# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers with constant weights and bias: their channel axes, and their exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, structs

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    DepthwiseConvolution2dDescriptor,
    FullyConnectedDescriptor,
    TransposeConvolution2dDescriptor,
)
from armnn_py.network.shapes.convolution import output_dimension
from armnn_py.optimizer.passes.affine import FLOATS
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node, Value

__all__ = ["WeightedDescriptor", "Weights", "weights_of"]

#: Bytes: readers of one constant get copies of their own up to here, and share it beyond. Backends
#: that scale what a product makes, as CpuAcc does, lose nothing by that.
_MOST_COPIES = 2**20

WeightedDescriptor = (
    Convolution2dDescriptor
    | DepthwiseConvolution2dDescriptor
    | TransposeConvolution2dDescriptor
    | FullyConnectedDescriptor
)


class Weights(Struct, eq=False):
    """Weights and bias of a layer in float64; a missing bias is 0.

    Attributes
    ----------
    node, descriptor
        The layer and its parameters.
    stored
        The weights in their stored data type.
    bias
        The bias.
    """

    node: Node
    descriptor: WeightedDescriptor
    stored: NDArray[Any]
    bias: NDArray[np.float64]

    @property
    def values(self) -> NDArray[np.float64]:
        """The weights."""
        return np.asarray(self.stored, np.float64)

    @property
    def output_axis(self) -> int:
        """The axis of the layer's output along which the bias lies."""
        if isinstance(self.descriptor, FullyConnectedDescriptor):
            return self.node.output.info.rank - 1
        return self.descriptor.data_layout.channel_axis

    def may_be_scaled_by(self, factors: NDArray[np.float64]) -> bool:
        """Whether these factors leave the weights as they are, or may copy them for each reader."""
        return bool(np.all(factors == 1)) or _copies(self.node) <= _MOST_COPIES

    def scaled_by_output(self, factors: NDArray[np.float64]) -> NDArray[Any]:
        """Return the weights times a factor for each output channel."""
        form = [1] * self.stored.ndim
        form[output_dimension(self.descriptor)] = -1
        return self.times(factors.reshape(form))

    def times(self, factors: NDArray[np.float64] | float) -> NDArray[Any]:
        """Return the weights times factors of a shape that goes with theirs.

        In float64, or `stored` itself if all factors are 1. Without `values`: numpy widens a few
        elements at a time, not all of them before.
        """
        if np.all(np.equal(factors, 1)):
            return self.stored
        return np.asarray(np.multiply(self.stored, factors, dtype=np.float64))

    @property
    def input_axis(self) -> int | None:
        """The axis of the layer's input that has the channels; None if none has them alone."""
        value = self.node.inputs[0]
        assert value is not None
        if isinstance(self.descriptor, FullyConnectedDescriptor):
            features = self.stored.shape[1 - output_dimension(self.descriptor)]
            last = value.info.rank - 1
            return last if value.info.shape[last] == features else None
        return self.descriptor.data_layout.channel_axis

    def times_input(self, factors: NDArray[np.float64]) -> NDArray[Any]:
        """Return the weights times a factor for each input channel, as `times` does."""
        d = self.descriptor
        if np.all(factors == 1):
            return self.stored
        if isinstance(d, DepthwiseConvolution2dDescriptor):
            multiplier = self.stored.shape[3] // len(factors)
            return self.times(np.repeat(factors, multiplier))
        if isinstance(d, FullyConnectedDescriptor):
            return self.times(factors if d.transpose_weight_matrix else factors[:, None])
        # Each group of outputs sees its own group of inputs.
        outputs, *window = self.stored.shape
        form = (-1, 1, 1) if d.data_layout is DataLayout.NCHW else (1, 1, -1)
        grouped = self.stored.reshape(d.groups, outputs // d.groups, *window)
        values = np.multiply(grouped, factors.reshape(d.groups, 1, *form), dtype=np.float64)
        return np.asarray(values.reshape(self.stored.shape))

    def summed_by_output(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of weights for each output channel."""
        kept = output_dimension(self.descriptor)
        others = tuple(axis for axis in range(weights.ndim) if axis != kept)
        return np.asarray(weights.sum(others, np.float64))

    @property
    def pads(self) -> bool:
        """Whether border elements of the output sum fewer products, as with zero padding.

        For a transposed convolution that is always so.
        """
        d = self.descriptor
        if isinstance(d, FullyConnectedDescriptor):
            return False
        if isinstance(d, TransposeConvolution2dDescriptor):
            return True
        return bool(d.pad_left or d.pad_right or d.pad_top or d.pad_bottom)

    def fits(self, weights: NDArray[Any], bias: NDArray[np.float64]) -> bool:
        """Whether other constants are finite in the data type of the layer."""
        dtype = self.node.output.info.data_type.numpy
        with np.errstate(over="ignore"):
            is_kept = weights is self.stored
            return bool(
                (is_kept or np.isfinite(weights.astype(dtype)).all())
                and np.isfinite(bias.astype(dtype)).all()
            )

    def exchange(
        self, graph: Graph, weights: NDArray[Any], bias: NDArray[np.float64], why: str
    ) -> Node:
        """Replace the layer by the same with other constants; ``why`` goes into their names.

        Weights that are `stored` stay the constant that they are, which others may read.
        """
        node, data_type = self.node, self.node.output.info.data_type

        def constant(what: str, array: NDArray[Any]) -> Value | None:
            return graph.add_constant(
                array.astype(data_type.numpy),
                TensorInfo(array.shape, data_type),
                name=f"{node.name}/{what} with {why}",
                near=node,
            )

        made = [node.inputs[1] if weights is self.stored else constant("weights", weights)]
        if bias.any() or self.descriptor.bias_enabled:
            made.append(constant("bias", bias))
        new = graph.add(
            node.type,
            [node.inputs[0], *made],
            structs.replace(self.descriptor, bias_enabled=len(made) > 1),
            name=node.name,
            near=node,
            infos=[node.output.info],
        )
        graph.substitute(node, new)
        return new


def _copies(node: Node) -> int:
    """Return the bytes that weights take if each of several readers gets weights of its own."""
    value = node.inputs[1]
    readers = 0 if value is None else len(value.users)
    return 0 if value is None or readers == 1 else readers * value.info.byte_size


def weights_of(node: Node) -> Weights | None:
    """Return the constants of a layer that has weights, if all are known and all are floats."""
    d = node.descriptor
    if not isinstance(d, WeightedDescriptor) or node.inputs[0] is None:
        return None
    data_type = node.output.info.data_type
    if data_type not in FLOATS or any(
        value is not None and value.info.data_type is not data_type for value in node.inputs
    ):
        return None
    weights, bias = node.constants[1], (node.constants[2:] or [None])[0]
    has_bias = len(node.inputs) > 2 and node.inputs[2] is not None
    if weights is None or (has_bias and bias is None):
        return None
    channels = node.output.info.static_shape[
        node.output.info.rank - 1
        if isinstance(d, FullyConnectedDescriptor)
        else d.data_layout.channel_axis
    ]
    return Weights(
        node,
        d,
        weights,
        np.zeros(channels) if bias is None else np.asarray(bias, np.float64).reshape(-1),
    )
