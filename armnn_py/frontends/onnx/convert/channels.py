# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sizes of free dimensions that weights tell: a convolution of 3 channels reads 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from armnn_py.frontends.common.values import Known
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.frontends.onnx.file.model import OnnxModel

__all__ = ["told_sizes"]

Axes: TypeAlias = "list[tuple[str, int]]"
"""For each axis of a value: the input of the model that it comes from, and the axis there."""

#: Operators whose output has the shape of their first input, if the others are weights.
_SAME_SHAPE = frozenset(
    [
        "Add",
        "Cast",
        "Clip",
        "DequantizeLinear",
        "Div",
        "Dropout",
        "Elu",
        "Gelu",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "LeakyRelu",
        "Mul",
        "QuantizeLinear",
        "Relu",
        "Selu",
        "Sigmoid",
        "Softplus",
        "Sqrt",
        "Sub",
        "Tanh",
        "Abs",
        "Neg",
        "Erf",
        "PRelu",
        "BatchNormalization",
        "InstanceNormalization",
        "LayerNormalization",
    ]
)


def told_sizes(model: OnnxModel) -> dict[tuple[str, int], int]:
    """Return sizes by input and axis, for dimensions that the file leaves free.

    Dimensions of one name have one size. The conversion refuses sizes that contradict weights.
    """
    free = {
        name: [(name, axis) for axis in range(len(info.dims))]
        for name, info in model.inputs.items()
        if info.dims is not None
    }
    origins: dict[str, Axes] = dict(free)
    found: dict[tuple[str, int], int] = {}
    for node in model.nodes:
        axes = origins.get(node.inputs[0]) if node.inputs and not node.domain else None
        if axes is None:
            continue
        shapes = [
            one.shape if isinstance(one := model.constants.get(name), Known) else None
            for name in node.inputs[1:]
        ]
        tell = _TOLD.get(node.op_type)
        if tell is not None and shapes and shapes[0]:
            axis, size = tell(node, shapes[0], len(axes))
            if -len(axes) <= axis < len(axes):
                found.setdefault(axes[axis], size)
        if node.op_type == "Transpose":
            order = node.attributes.get("perm") or list(range(len(axes)))[::-1]
            if isinstance(order, list) and sorted(order) == list(range(len(axes))):
                origins[node.outputs[0]] = [axes[axis] for axis in order]
        elif node.op_type in _SAME_SHAPE and all(
            shape is not None and len(shape) <= len(axes) for shape in shapes
        ):
            origins[node.outputs[0]] = axes
    return _by_name(model, found)


def _by_name(model: OnnxModel, found: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """Give sizes to all dimensions of the names that some of them have."""
    dims = {
        (name, axis): dim
        for name, info in model.inputs.items()
        for axis, dim in enumerate(info.dims or ())
    }
    named = {dims[place]: size for place, size in found.items() if isinstance(dims[place], str)}
    return {**found, **{place: named[dim] for place, dim in dims.items() if dim in named}}


def _last(node: Node, shape: tuple[int, ...], _: int) -> tuple[int, int]:
    turned = node.op_type == "Gemm" and node.attributes.get("transB")
    return -1, shape[-1] if turned or len(shape) == 1 else shape[-2]


def _gemm(node: Node, shape: tuple[int, ...], rank: int) -> tuple[int, int]:
    axis, size = _last(node, shape, rank)
    return (-2 if node.attributes.get("transA") else axis), size


def _convolution(node: Node, shape: tuple[int, ...], _: int) -> tuple[int, int]:
    group = node.attributes.get("group", 1)
    return 1, shape[1] * (group if isinstance(group, int) else 1) if len(shape) > 1 else 1


_TOLD: dict[str, Callable[[Node, tuple[int, ...], int], tuple[int, int]]] = {
    "BatchNormalization": lambda _, shape, rank: (1, shape[0]),
    "Conv": _convolution,
    "ConvTranspose": lambda _, shape, rank: (1, shape[0]),
    "Gemm": _gemm,
    "InstanceNormalization": lambda _, shape, rank: (1, shape[0]),
    "LayerNormalization": lambda _, shape, rank: (-1, shape[-1]),
    "MatMul": _last,
    **dict.fromkeys(("GRU", "LSTM", "RNN"), lambda _, shape, rank: (2, shape[-1])),
}
"""An axis of the first input, and its size by the shape of the weights behind it."""
