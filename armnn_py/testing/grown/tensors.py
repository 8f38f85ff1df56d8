# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of growing networks: their values by the reference, and the error they may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.errors import ArmnnError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.testing.grown.fitted import in_real_numbers
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.subject import network_of
from armnn_py.testing.tolerances import tolerance_of
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.network import OutputSlot
    from armnn_py.runtime import Runtime
    from armnn_py.tensors import TensorInfo
    from armnn_py.testing.cases import Case

MOST_ELEMENTS = 2000
"""Of a tensor of a growing network."""

_MOST_VALUE = 300.0
_DRAWS = 2  # of errors
MARGIN = 1.5
"""On what a small error of what is read becomes."""
#: The greatest error of a quantised tensor in steps, by the bytes of an element.
_MOST_STEPS = {1: 6.0, 2: 120.0}
#: The greatest error of others, as a part of the largest value.
_MOST_PART = {DataType.FLOAT32: 1e-3, DataType.FLOAT16: 5e-2}


class Tensor(Struct, frozen=True):
    """A tensor of a growing network: its value, and by how much a correct one may differ.

    The error is in steps where the type is quantised.
    """

    slot: OutputSlot
    info: TensorInfo
    value: NDArray[Any]
    error: float

    def disturbed(self, random: np.random.Generator) -> NDArray[Any]:
        """Return the value with an error of the size that it may have."""
        signs = random.choice([-1.0, 1.0], self.value.shape)
        moved = self.value.astype(np.float64) + signs * self.error
        if not self.info.data_type.is_quantized:
            return np.asarray(moved.astype(self.value.dtype))
        limits = np.iinfo(self.value.dtype)
        return np.asarray(np.clip(np.rint(moved), limits.min, limits.max)).astype(self.value.dtype)


def real_outputs(reference: Runtime, case: Case, values: Sequence[Any]) -> list[Any] | None:
    """Return what a quantised layer computes before it is rounded; None if that is not known."""
    real, given = in_real_numbers(case, values)
    runs = _run(reference, real, [given])
    return None if runs is None else runs[0]


def results(
    reference: Runtime,
    case: Case,
    values: Sequence[Any],
    operands: Sequence[Tensor | None],
    random: np.random.Generator,
) -> list[tuple[NDArray[Any], float]] | None:
    """Return the outputs of a layer with their errors; None if they make no good tensors.

    Parameters
    ----------
    reference
        Computes the layer.
    case, values
        The layer and its operands.
    operands
        The tensors among them, which have errors of their own.
    random
        Draws these errors.
    """
    sets = [list(values)]
    for _ in range(_DRAWS):
        pairs = zip(values, operands, strict=True)
        sets.append([value if of is None else of.disturbed(random) for value, of in pairs])
    runs = _run(reference, case, sets)
    if runs is None:
        return None
    found = []
    for place, value in enumerate(runs[0]):
        error = _error(case, place, [run[place].astype(np.float64) for run in runs])
        if error is None:
            return None
        found.append((value, error))
    return found


def _error(case: Case, place: int, runs: Sequence[NDArray[Any]]) -> float | None:
    """Return the error that an output may have; None if that hides what is wrong."""
    info = case.signature.outputs[place]
    value = runs[0]
    if not np.isfinite(runs).all() or not 0 < value.size <= MOST_ELEMENTS:
        return None
    if value.size > 1 and (value == value.flat[0]).all():
        return None
    largest = float(np.abs(value).max())
    allowed = tolerance_of(case.layer.label, info.data_type.label)
    own = float(allowed.steps) or (allowed.relative + allowed.scaled) * largest
    moved = max(float(np.abs(run - value).max()) for run in runs[1:])
    error = own + MARGIN * moved
    if info.data_type.is_quantized:
        return error if error <= _MOST_STEPS[info.dtype.itemsize] else None
    most = _MOST_PART[info.data_type] * largest
    return error if error <= most and largest <= _MOST_VALUE else None


def _run(
    reference: Runtime, case: Case, sets: Sequence[list[Any]]
) -> list[list[NDArray[Any]]] | None:
    """Compute a layer for each set of values; None if the reference cannot."""
    try:
        network = network_of(case, sets[0])
        placed = optimize(network, [REFERENCE], runtime=reference, options=AS_IT_IS)
        with reference.load_network(placed) as loaded:
            runs = []
            for values in sets:
                given = {name: values[int(name[1:])] for name in network.inputs}
                outputs = loaded.run(given)
                runs.append([np.array(outputs[f"y{index}"]) for index in range(len(outputs))])
            return runs
    except ArmnnError:
        return None
