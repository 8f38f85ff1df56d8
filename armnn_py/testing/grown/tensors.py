# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of growing networks: their values by the reference, and the error they may have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct

from armnn_py.errors import ArmnnError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.testing.grown.fitted import in_real_numbers
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.subject import network_of
from armnn_py.testing.tolerances import table, tolerance_of
from armnn_py.types import DataType
from armnn_py.types.facts import FACTS

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
#: Signs of errors: away from 0, or of all elements of an operand, by its place.
_Signs = Literal["random", "outward"] | tuple[int, ...]
_SIGNS: tuple[_Signs, ...] = ("random", "random", "outward", (1,), (1, -1))
MARGIN = 1.5
"""On what a small error of what is read becomes."""
#: The greatest error of a quantised tensor in steps, by the bytes of an element.
_MOST_STEPS = {1: 6.0, 2: 120.0}
#: The greatest error of others, as a part of the largest value.
_MOST_PART = {DataType.FLOAT32: 1e-3, DataType.FLOAT16: 5e-2}


class Tensor(Struct, frozen=True):
    """A tensor of a growing network: its value, and by how much a correct one may differ.

    Errors are in steps where the type is quantised; ``mean`` and ``spread`` mean nothing elsewhere.

    Attributes
    ----------
    error
        The largest one.
    mean, spread
        The largest mean of all elements, and the standard deviation beside it.
    """

    slot: OutputSlot
    info: TensorInfo
    value: NDArray[Any]
    error: float = 0.0
    mean: float = 0.0
    spread: float = 0.0

    def disturbed(
        self, random: np.random.Generator, signs: _Signs = "random", place: int = 0
    ) -> NDArray[Any]:
        """Return the value with an error of the size that it may have."""
        value = self.value.astype(np.float64)
        moved = value + self.error * (
            random.choice([-1.0, 1.0], value.shape)
            if signs == "random"
            else np.sign(value - zero_of(self.info))
            if signs == "outward"
            else signs[place % len(signs)]
        )
        if not self.info.data_type.is_quantized:
            return np.asarray(moved.astype(self.value.dtype))
        limits = np.iinfo(self.value.dtype)
        return np.asarray(np.clip(np.rint(moved), limits.min, limits.max)).astype(self.value.dtype)


def real_outputs(reference: Runtime, case: Case, values: Sequence[Any]) -> list[Any] | None:
    """Return what a quantised layer computes before it is rounded; None if that is not known."""
    real, given = in_real_numbers(case, values)
    runs = _run(reference, real, [given])
    return None if runs is None else runs[0]


def zero_of(info: TensorInfo) -> int:
    """Return the level of the number 0."""
    points = info.quantization.zero_points if info.quantization is not None else ()
    return int(points[0]) if info.data_type.is_quantized and points else 0


def mean_errors(
    found: NDArray[Any], expected: NDArray[Any], zero: float
) -> tuple[NDArray[np.float64], int]:
    """Return the mean error, and that away from ``zero``, over so many different numbers.

    Each number that is expected counts once: equal ones have equal errors.
    """
    numbers, places = np.unique(expected.astype(np.float64), return_inverse=True)
    differences = (found.astype(np.float64) - expected).reshape(-1)
    errors = np.bincount(places.reshape(-1), differences) / np.bincount(places.reshape(-1))
    return np.array([errors.mean(), (errors * np.sign(numbers - zero)).mean()]), numbers.size


def results(
    reference: Runtime,
    case: Case,
    values: Sequence[Any],
    operands: Sequence[Tensor | None],
    random: np.random.Generator,
    real: Sequence[NDArray[Any]] | None,
) -> list[tuple[NDArray[Any], float, float, float]] | None:
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
    real
        Its results before they are rounded, if they are known.
    """
    sets = [list(values)]
    for signs in _SIGNS if case.signature.outputs[0].data_type.is_quantized else _SIGNS[:2]:
        changed, place = list(values), 0
        for index, of in enumerate(operands):
            if of is not None:
                changed[index] = of.disturbed(random, signs, place)
                place += 1
        sets.append(changed)
    runs = _run(reference, case, sets)
    if runs is None:
        return None
    read = [of for of in operands if of is not None and of.error]
    found = []
    for place, value in enumerate(runs[0]):
        of_output = [run[place].astype(np.float64) for run in runs]
        error = _error(case, place, of_output)
        if error is None:
            return None
        number = None if real is None else real[place]
        found.append((value, error, *_mean_and_spread(case, place, of_output, number, read)))
    return found


def _mean_and_spread(
    case: Case,
    place: int,
    runs: Sequence[NDArray[Any]],
    real: NDArray[Any] | None,
    read: Sequence[Tensor],
) -> tuple[float, float]:
    """Return the mean error that an output may have, and the deviation beside it, in steps.

    Infinite, if the results before rounding are not known. Runs with the largest errors show how
    the layer amplifies them.
    """
    info = case.signature.outputs[place]
    own, variance = np.zeros(2), 0.0
    if info.data_type.is_quantized and FACTS[case.layer].quantization != "moves":
        if real is None or info.quantization is None:
            return math.inf, math.inf
        scale = np.float64(info.quantization.scales[0])
        limits = np.iinfo(info.dtype)
        levels = np.clip(real / scale + zero_of(info), limits.min, limits.max)
        usual = np.abs(mean_errors(levels, runs[0], zero_of(info))[0])
        own = np.maximum(table()["rounding"]["bias"], usual) + usual
        variance = 2 / 12  # of two that round
    moved = [mean_errors(run, runs[0], zero_of(info))[0] for run in runs[1:]]
    mean = own + np.abs(moved).max(0) * max((of.mean / of.error for of in read), default=0.0)
    part = max((of.spread / of.error for of in read), default=0.0)
    variance += max(float((run - runs[0]).var()) for run in runs[1:3]) * part**2
    return float(mean.max()), math.sqrt(variance)


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
