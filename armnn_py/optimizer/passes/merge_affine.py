# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs of multiplications and additions of constants become one layer.

With one factor and one summand for all elements, a linear Activation; with one for each channel of
an image, a BatchNormalization; with only factors or only summands, one Mul or Add.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import (
    ActivationDescriptor,
    BatchNormalizationDescriptor,
    ElementwiseBinaryDescriptor,
)
from armnn_py.optimizer.passes.affine import Affine, affine_of, run_behind
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.tensors import TensorInfo
from armnn_py.text import quoted
from armnn_py.types import ActivationFunction, BinaryOperation, DataLayout, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node, Value


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in graph.nodes:
        if node not in graph:
            continue
        first = affine_of(node)
        if first is None:
            continue
        later, rest = run_behind(node.output, node, partial(_fit, first))
        if rest is None:
            continue
        steps = [node, *later]
        whole = first.then(rest)
        names = quoted(step.name for step in steps)
        source = whole.source
        if not whole.shifts and np.all(whole.scale == 1):
            log.changed(f"{names} undo each other, and are gone")
            graph.replace(steps[-1].output, source)
            for step in reversed(steps):
                graph.remove(step)
            continue
        made = _merged(graph, whole, steps)
        if not made or not log.runs_as_well(made, steps):
            for one in reversed(made):
                graph.remove(one)
            continue
        log.changed(f"{names} merged into '{made[-1].name}' ({made[-1].shown_type.label})")
        graph.replace(steps[-1].output, made[-1].output)
        for step in reversed(steps):
            graph.adopt(made[-1], step)
            graph.remove(step)


def _fit(first: Affine, rest: Affine) -> bool:
    """Return whether two steps can be one."""
    step = first.then(rest)
    dtype = step.source.info.dtype
    with np.errstate(over="ignore"):
        return bool(
            step.is_accurate
            and np.isfinite(step.scale.astype(dtype)).all()
            and np.isfinite(step.shift.astype(dtype)).all()
        )


def _merged(graph: Graph, whole: Affine, steps: list[Node]) -> list[Node]:
    """Add the layers that replace a run; none if they would not be fewer."""
    if whole.is_uniform:
        scale, shift = float(whole.scale.item()), float(whole.shift.item())
        descriptor = ActivationDescriptor(ActivationFunction.LINEAR, scale, shift)
        return [_add(graph, LayerType.ACTIVATION, [whole.source], descriptor, steps)]
    if not whole.shifts:
        return [_binary(graph, BinaryOperation.MUL, whole.source, whole.scale, steps)]
    if np.all(whole.scale == 1):
        return [_binary(graph, BinaryOperation.ADD, whole.source, whole.shift, steps)]
    if whole.source.info.rank == 4:
        for layout in (DataLayout.NCHW, DataLayout.NHWC):
            if whole.varies_only_along(layout.channel_axis):
                return [_normalization(graph, whole, layout, steps)]
    if len(steps) < 3:
        return []
    product = _binary(graph, BinaryOperation.MUL, whole.source, whole.scale, steps)
    return [product, _binary(graph, BinaryOperation.ADD, product.output, whole.shift, steps)]


def _add(
    graph: Graph,
    layer_type: LayerType,
    operands: list[Value],
    descriptor: ActivationDescriptor | BatchNormalizationDescriptor | ElementwiseBinaryDescriptor,
    steps: list[Node],
) -> Node:
    name, near, infos = steps[-1].name, steps[0], [steps[-1].output.info]
    return graph.add(layer_type, operands, descriptor, name=name, near=near, infos=infos)


def _constant(
    graph: Graph, array: NDArray[np.float64], like: Value, what: str, steps: list[Node]
) -> Value:
    data_type = like.info.data_type
    return graph.add_constant(
        array.astype(data_type.numpy),
        TensorInfo(array.shape, data_type),
        name=f"{steps[-1].name}/{what}",
        near=steps[0],
    )


def _binary(
    graph: Graph,
    operation: BinaryOperation,
    value: Value,
    array: NDArray[np.float64],
    steps: list[Node],
) -> Node:
    operand = _constant(graph, array, value, operation.name.lower(), steps)
    descriptor = ElementwiseBinaryDescriptor(operation)
    return _add(graph, LayerType.ELEMENTWISE_BINARY, [value, operand], descriptor, steps)


def _normalization(graph: Graph, whole: Affine, layout: DataLayout, steps: list[Node]) -> Node:
    scale, shift = whole.along(layout.channel_axis)
    parameters = {
        "mean": np.zeros_like(scale),
        "variance": np.ones_like(scale),
        "beta": shift,
        "gamma": scale,
    }
    operands = [
        _constant(graph, array, whole.source, name, steps) for name, array in parameters.items()
    ]
    return _add(
        graph,
        LayerType.BATCH_NORMALIZATION,
        [whole.source, *operands],
        BatchNormalizationDescriptor(0.0, layout),
        steps,
    )
