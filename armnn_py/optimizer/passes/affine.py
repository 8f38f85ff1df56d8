# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that compute ``scale * x + shift`` with constants, and runs of them as one such step.

Scale and shift are kept in double precision and broadcast against x without making it larger.
Float32 and float16 only; a layer whose factor or summand is not finite is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.descriptors import (
    ActivationDescriptor,
    BatchNormalizationDescriptor,
    ElementwiseBinaryDescriptor,
)
from armnn_py.optimizer.passes.base import may_merge
from armnn_py.types import ActivationFunction, BinaryOperation, DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Node, Value

#: Types in which a step may be merged into another.
FLOATS = (DataType.FLOAT32, DataType.FLOAT16)

_OPERATIONS = (BinaryOperation.ADD, BinaryOperation.SUB, BinaryOperation.MUL, BinaryOperation.DIV)


#: Of `Affine.amplified`. One step rounds products with an earlier summand, which several steps may
#: have added exactly: 30 times ``2 * x + 1`` is -1 for -1, but ``2**30 * x + (2**30 - 1)`` is 0.
MOST_AMPLIFIED = 256.0


class Affine(Struct, frozen=True):
    """``scale * source + shift``: arrays of float64 with as many dimensions as the source.

    Attributes
    ----------
    source, scale, shift
        As in the formula.
    amplified
        The largest factor by which later steps multiply the summand of an earlier one.
    """

    source: Value
    scale: NDArray[np.float64]
    shift: NDArray[np.float64]
    amplified: float = 0.0

    def then(self, later: Affine) -> Affine:
        """Return this step and a later one as one."""
        own = max(self.amplified, 1.0 if self.shifts else 0.0)
        return Affine(
            self.source,
            later.scale * self.scale,
            later.scale * self.shift + later.shift,
            max(later.amplified, own * float(np.abs(later.scale).max(initial=0.0))),
        )

    @property
    def is_uniform(self) -> bool:
        """Whether all elements are treated alike."""
        return self.scale.size == self.shift.size == 1

    @property
    def is_finite(self) -> bool:
        """Whether no constant is out of range."""
        return bool(np.isfinite(self.scale).all() and np.isfinite(self.shift).all())

    @property
    def is_accurate(self) -> bool:
        """Whether one step gives what several give, but for a few places at the end."""
        return self.is_finite and self.amplified <= MOST_AMPLIFIED

    @property
    def shifts(self) -> bool:
        """Whether something is added."""
        return bool(self.shift.any())

    def varies_only_along(self, axis: int) -> bool:
        """Whether scale and shift differ along one axis only."""
        return all(
            dim == 1 or place == axis
            for array in (self.scale, self.shift)
            for place, dim in enumerate(array.shape)
        )

    def along(self, axis: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return scale and shift for each index of the axis, the only one they vary along."""
        count = self.source.info.static_shape[axis]
        return (
            np.broadcast_to(self.scale.reshape(-1), (count,)),
            np.broadcast_to(self.shift.reshape(-1), (count,)),
        )


def affine_of(node: Node) -> Affine | None:
    """Return what a layer computes if that is ``scale * x + shift``, else None."""
    if len(node.outputs) != 1:
        return None
    read = _READERS.get(node.type)
    found = None if read is None else read(node)
    if found is None or found.source.info != node.output.info:
        return None
    if found.source.constant is not None or node.output.info.data_type not in FLOATS:
        return None
    return found if found.is_finite else None


def _uniform(source: Value, scale: float, shift: float) -> Affine:
    form = (1,) * source.info.rank
    return Affine(source, np.full(form, scale), np.full(form, shift))


def _activation(node: Node) -> Affine | None:
    d, source = node.descriptor, node.inputs[0] if node.inputs else None
    if not isinstance(d, ActivationDescriptor) or source is None:
        return None
    return _uniform(source, d.a, d.b) if d.function is ActivationFunction.LINEAR else None


def _normalization(node: Node) -> Affine | None:
    d = node.descriptor
    if not isinstance(d, BatchNormalizationDescriptor) or node.inputs[0] is None:
        return None
    form = [1] * node.inputs[0].info.rank
    form[d.data_layout.channel_axis] = -1
    parameters = []
    for array in node.constants[1:]:
        if array is None:
            return None
        parameters.append(np.asarray(array, np.float64).reshape(form))
    mean, variance, beta, gamma = parameters
    with np.errstate(all="ignore"):
        scale = gamma / np.sqrt(variance + d.eps)
        return Affine(node.inputs[0], scale, beta - mean * scale)


def _binary(node: Node) -> Affine | None:
    assert isinstance(node.descriptor, ElementwiseBinaryDescriptor)
    operation = node.descriptor.operation
    if operation not in _OPERATIONS:
        return None
    first, second = node.inputs
    if first is None or second is None or (first.constant is None) == (second.constant is None):
        return None  # both constant: the copies of large ones as float64 would take long
    if first.constant is not None:
        if operation is BinaryOperation.DIV:
            return None
        constant, source = _lengthened(first.constant, second), second
        if operation is BinaryOperation.SUB:
            return None if constant is None else _step(source, -1.0, constant)
    else:
        constant, source = _lengthened(second.constant, first), first
        if operation is BinaryOperation.SUB and constant is not None:
            return _step(source, 1.0, -constant)
    if constant is None:
        return None
    if operation is BinaryOperation.ADD:
        return _step(source, 1.0, constant)
    with np.errstate(all="ignore"):
        return _step(source, 1.0 / constant if operation is BinaryOperation.DIV else constant, 0.0)


def _lengthened(constant: NDArray[Any] | None, source: Value) -> NDArray[np.float64] | None:
    if constant is None:
        return None
    missing = source.info.rank - constant.ndim
    if missing < 0 or constant.dtype.kind != "f":
        return None
    return np.asarray(constant, np.float64).reshape((1,) * missing + constant.shape)


def _step(
    source: Value, scale: NDArray[np.float64] | float, shift: NDArray[np.float64] | float
) -> Affine:
    form = (1,) * source.info.rank
    if isinstance(scale, float):
        scale = np.full(form, scale)
    if isinstance(shift, float):
        shift = np.full(form, shift)
    return Affine(source, scale, shift)


def run_behind(
    value: Value, into: Node, suits: Callable[[Affine], bool] = lambda _: True
) -> tuple[list[Node], Affine | None]:
    """Return the steps behind a value, each the only reader of the one before, and all as one.

    Parameters
    ----------
    value
        Input of the first step; if it has another reader, there are no steps.
    into
        The layer to merge them into; a step that must not be merged ends the run.
    suits
        Whether steps so far, as one, can be used; the first that cannot ends the run.
    """
    steps: list[Node] = []
    whole: Affine | None = None
    while len(value.users) == 1:
        ((node, _),) = value.users
        step = affine_of(node)
        if step is None or not may_merge(node, into):
            break
        longer = step if whole is None else whole.then(step)
        if not (longer.is_accurate and suits(longer)):
            break
        whole = longer
        steps.append(node)
        value = node.output
    return steps, whole


_READERS: dict[LayerType, Callable[[Node], Affine | None]] = {
    LayerType.ACTIVATION: _activation,
    LayerType.BATCH_NORMALIZATION: _normalization,
    LayerType.ELEMENTWISE_BINARY: _binary,
}
