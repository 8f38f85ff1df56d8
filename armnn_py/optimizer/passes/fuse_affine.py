# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Batch normalisation and other affine layers are fused into weights and bias beside them.

Exporters write batch normalisation as Sub, Mul and Add too, and a bias is often an Add of its own.
Behind a layer with weights w and bias b, and before one::

    s * (w * x + b) + t  =  (s * w) * x + (s * b + t)
    w * (s * x + t) + b  =  (w * s) * x + (sum(w * t) + b)

Before a layer, t must be 0 where the layer pads with zeros. All is computed in double precision.
The first passes are Arm NN's FuseBatchNormIntoConvolution2d and
FuseBatchNormIntoDepthwiseConvolution2d, where ``s = gamma / sqrt(variance + eps)``.
"""

from __future__ import annotations

from operator import methodcaller
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
from armnn_py.optimizer.passes.affine import FLOATS, Affine, affine_of, run_behind
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.tensors import TensorInfo
from armnn_py.text import quoted
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node, Value


def run(graph: Graph, log: PassLog, layer_type: LayerType) -> None:
    """Run the pass for convolutions of one type."""
    for node in graph.nodes:
        if node.type is not LayerType.BATCH_NORMALIZATION:
            continue
        value = node.inputs[0]
        if value is not None and value.node.type is layer_type and len(value.users) == 1:
            _fuse_one(graph, value.node, node, log)


def _fuse_one(graph: Graph, conv: Node, norm: Node, log: PassLog) -> None:
    if not may_merge(norm, conv):
        return
    weights, step = weights_of(conv), affine_of(norm)
    if weights is None or step is None or not step.varies_only_along(weights.output_axis):
        return
    if take_into_weights(graph, weights, [norm], step):
        log.changed(f"batch normalisation '{norm.name}' fused into '{conv.name}'")


#: Batch normalisation right behind these has passes of its own.
_NORMALIZED_IN_WEIGHTS = (LayerType.CONVOLUTION2D, LayerType.DEPTHWISE_CONVOLUTION2D)


# ---- Into the layer before ---------------------------------------------------------------------


def into_before(graph: Graph, log: PassLog) -> None:
    """Run the pass for constants behind a layer with weights."""
    for node in graph.nodes:
        if node not in graph:
            continue
        weights = None if affine_of(node) is not None else weights_of(node)
        if weights is None:
            continue
        suits = methodcaller("varies_only_along", weights.output_axis)
        steps, whole = run_behind(node.output, node, suits)
        if whole is None or _is_left_to_others(node, steps[0]):
            continue
        if take_into_weights(graph, weights, steps, whole):
            names = quoted(step.name for step in steps)
            log.changed(f"{names} fused into the weights of '{node.name}' before")


def _is_left_to_others(node: Node, step: Node) -> bool:
    return step.type is LayerType.BATCH_NORMALIZATION and node.type in _NORMALIZED_IN_WEIGHTS


def take_into_weights(graph: Graph, weights: Weights, steps: list[Node], whole: Affine) -> bool:
    """Fuse steps behind a layer into its weights and bias; return whether they fit.

    Parameters
    ----------
    weights
        The weights and bias of the layer.
    steps, whole
        As from `run_behind`; scale and shift vary only along the axis of the layer's bias.
    """
    scale, shift = whole.along(weights.output_axis)
    if not weights.may_be_scaled_by(scale):
        return False
    values = weights.scaled_by_output(scale)
    bias = weights.bias * scale + shift
    if not weights.fits(values, bias):
        return False
    _take_out(graph, steps, weights.exchange(graph, values, bias, steps[-1].name))
    return True


def _take_out(graph: Graph, steps: list[Node], new: Node) -> None:
    """Take out a run of steps whose readers may read what the first one reads."""
    source = next(value for value in steps[0].inputs if value and value.constant is None)
    graph.replace(steps[-1].output, source)
    for step in reversed(steps):
        graph.adopt(new, step)
        graph.remove(step)


# ---- Into the layers behind --------------------------------------------------------------------


def into_behind(graph: Graph, log: PassLog) -> None:
    """Run the pass for constants before layers with weights."""
    for node in reversed(graph.nodes):
        # From the last step of a run upwards, as far as all of it can be fused.
        if node not in graph or affine_of(node) is None:
            continue
        readers = _readers(node)
        if not readers:
            continue
        steps, whole = _run_up(node, readers)
        if whole is None:
            continue
        new = [_changed(graph, one, whole, steps) for one in readers]
        names = quoted(one.node.name for one in readers)
        gone = quoted(step.name for step in steps)
        log.changed(f"{gone} fused into the weights of {names} behind")
        _take_out(graph, steps, new[0])


def _readers(node: Node) -> list[Weights]:
    """The readers of a layer, if all have weights that it can be fused into."""
    readers = []
    for reader, index in node.output.users:
        weights = weights_of(reader) if index == 0 else None
        if weights is None or not may_merge(node, reader):
            return []
        readers.append(weights)
    return readers


def _run_up(node: Node, readers: list[Weights]) -> tuple[list[Node], Affine | None]:
    steps: list[Node] = []
    whole: Affine | None = None
    while True:
        step = affine_of(node)
        if step is None or (steps and len(node.output.users) != 1):
            break
        if not all(may_merge(node, one.node) for one in readers):
            break
        longer = step if whole is None else step.then(whole)
        if not (longer.is_finite and all(_suits(longer, one) for one in readers)):
            break
        steps.insert(0, node)
        whole, node = longer, step.source.node
    return steps, whole


def _suits(step: Affine, weights: Weights) -> bool:
    if (weights.pads and step.shifts) or not weights.may_be_scaled_by(step.scale):
        return False
    axis = weights.input_axis
    if axis is None:
        return step.is_uniform and weights.fits(*_uniform_constants(step, weights))
    return step.varies_only_along(axis) and weights.fits(*_constants(step, weights, axis))


def _constants(
    step: Affine, weights: Weights, axis: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scale, shift = step.along(axis)
    added = weights.summed_by_output(weights.times_input(shift)) if step.shifts else 0.0
    return weights.times_input(scale), weights.bias + added


def _uniform_constants(
    step: Affine, weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    added = weights.summed_by_output(weights.values) * step.shift.item()
    return weights.times(step.scale.item()), weights.bias + added


def _changed(graph: Graph, weights: Weights, step: Affine, steps: list[Node]) -> Node:
    axis = weights.input_axis
    values, bias = (
        _uniform_constants(step, weights) if axis is None else _constants(step, weights, axis)
    )
    return weights.exchange(graph, values, bias, steps[0].name)


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
