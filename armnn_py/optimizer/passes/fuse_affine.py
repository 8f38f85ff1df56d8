# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Multiplications and additions of constants are fused into the weights and bias beside them.

Batch normalisation comes in many shapes: exporters write it as Sub, Mul and Add, and a bias is
often an Add of its own. Behind a layer with weights w and bias b, and before one::

    s * (w * x + b) + t  =  (s * w) * x + (s * b + t)
    w * (s * x + t) + b  =  (w * s) * x + (sum(w * t) + b)

Before a layer, t must be 0 where the layer pads with zeros. All is computed in double precision.
"""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.affine import Affine, affine_of, run_behind
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.optimizer.passes.weights import Weights, weights_of
from armnn_py.text import quoted
from armnn_py.types import LayerType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node

__all__ = ["into_before", "into_behind", "take_into_weights"]

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
