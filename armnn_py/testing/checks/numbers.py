# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers: what comes out is what the definition gives, within the published tolerance."""

from __future__ import annotations

import math
import time
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ArmnnError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.runtime import Runtime
from armnn_py.testing.batches import LARGE
from armnn_py.testing.cases import DRAWS
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.subject import network_of
from armnn_py.testing.tolerances import (
    compare,
    excess,
    heeds_special_values,
    table,
    tolerance_of,
    worst_element,
)
from armnn_py.types import LayerType, ReduceOperation
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from armnn_py.testing.cases import Case, Kind
    from armnn_py.testing.oracles.reference import Expectation
    from armnn_py.testing.prepared import Prepared
    from armnn_py.testing.subject import Subject

Arrays = list[Any]

#: Runs of which the shortest counts.
_ROUNDS = 3
#: Elements that make a statistic of rounding errors.
_ENOUGH = 64
#: An error in steps that is more than half a step, whatever float32 makes of it.
_HALF = 0.51
#: Steps around a half that count as a half.
_TIE = 0.02


def kinds_of(case: Case) -> tuple[Kind, ...]:
    """Return which values a case is computed with."""
    if case.layer is LayerType.STAND_IN:
        return "plain", "other"
    reals = any(info is not None and info.data_type.is_float for info in case.signature.inputs)
    descriptor = case.signature.descriptor
    operation = getattr(descriptor, "operation", getattr(descriptor, "row_rounding", None))
    name = operation.name if isinstance(operation, IntEnum) else ""
    special: tuple[Kind, ...] = ()
    if reals and heeds_special_values(case.layer.label, name):
        special = ("special", "flushed")
    outputs = case.signature.outputs
    facts = FACTS[case.layer]
    if facts.quantization == "calculates" and all(info.data_type.is_quantized for info in outputs):
        least = min(max(info.element_count, 1) for info in outputs)
        return *DRAWS[: math.ceil(_ENOUGH / least)], *special
    return "plain", *special


def check_numbers(
    case: Case,
    prepared: Prepared,
    expected: dict[Kind, list[Expectation]],
    on_step: Callable[[str], None],
) -> None:
    """Compare outputs with each expectation; without special values where they may get lost.

    Raises
    ------
    CheckFailedError
        One is wrong; the message names the worst element.
    """

    def run(kind: Kind) -> list[NDArray[Any]]:
        on_step(f"execute, {kind} values")
        return prepared.run(case.values(kind))

    check_outputs(case, run, expected, finite_math_only=prepared.finite_math_only)


def check_outputs(
    case: Case,
    run: Callable[[Kind], list[NDArray[Any]]],
    expected: dict[Kind, list[Expectation]],
    *,
    finite_math_only: bool = False,
) -> None:
    """Compare the outputs that ``run`` gives for each kind of values; as `check_numbers`.

    Raises
    ------
    CheckFailedError
        One is wrong.
    """
    rounded: list[tuple[NDArray[Any], NDArray[Any]]] = []
    of_reference: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for kind, expectations in expected.items():
        if kind == "flushed" or (kind == "special" and finite_math_only):
            continue
        sure = _with_sure_elements(expectations)
        values, found = case.values(kind), sure(run(kind))
        flushed = expected.get("flushed", ()) if kind == "special" else ()
        for given in expectations:
            expectation = given._replace(outputs=sure(given.outputs))
            others = [one.outputs for one in flushed if one.source == expectation.source]
            _compare(case, kind, values, found, expectation, others)
            if expectation.real is not None:
                rounded += zip(found, expectation.real, strict=True)
                for other in expectations:
                    if other.source == REFERENCE:
                        of_reference += zip(sure(other.outputs), expectation.real, strict=True)
    operation = getattr(case.signature.descriptor, "operation", None)
    if rounded and (of_reference or operation is not ReduceOperation.MEAN):  # see `_check_rounding`
        usual = _errors(of_reference) if of_reference else np.zeros(0)
        _check_rounding(_errors(rounded), usual)


def _with_sure_elements(expectations: Sequence[Expectation]) -> Callable[[Arrays], Arrays]:
    """Return what puts the definition's numbers in the place of those that decide nothing."""
    for one in expectations:
        if one.unsure is not None and one.unsure.any():
            unsure, exact = one.unsure, one.outputs[0]
            return lambda outputs: [
                np.where(unsure, exact, array) if array.shape == exact.shape else array
                for array in outputs
            ]
    return lambda outputs: outputs


def _errors(rounded: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> NDArray[Any]:
    """Return errors in steps: one for each real number, without those that saturate."""
    limits = np.iinfo(rounded[0][0].dtype)
    found = np.concatenate([levels.reshape(-1) for levels, _ in rounded])
    real = np.concatenate([numbers.reshape(-1) for _, numbers in rounded])
    inside = (real > limits.min) & (real < limits.max)
    found, real = found[inside], real[inside]
    # Halves may go either way: not every arithmetic rounds them to even.
    is_no_tie = np.abs(real - np.floor(real) - 0.5) > _TIE
    # Equal numbers have equal errors, which are no statistic.
    numbers, places = np.unique(np.round(real[is_no_tie], 6), return_index=True)
    return np.asarray(found[is_no_tie][places].astype(np.float64) - numbers)


def _check_rounding(errors: NDArray[Any], usual: NDArray[Any]) -> None:
    """Look at all errors of a case together: each alone may be a step.

    ``usual`` are the errors of the reference, which has the arithmetic of TensorFlow Lite. That
    rounds a Mean of few elements up, and a Softmax of many down. The reference's own Mean is
    compared with LiteRT's instead, in ``tests/frontends/tflite``.

    Raises
    ------
    CheckFailedError
        They lean to one side, or too many are of more than half a step.
    """
    if errors.size < _ENOUGH // 2:
        return
    allowed = table()["rounding"]
    # Of whole steps: half steps would tell how near the real numbers are to the steps.
    mean = float(np.rint(errors).mean())
    lean = abs(float(np.rint(usual).mean())) if usual.size else 0.0
    most = max(allowed["bias"], lean) + 4 / math.sqrt(12 * errors.size)
    if abs(mean) > most:
        raise CheckFailedError(
            f"results are {abs(mean):.2f} steps too {'high' if mean > 0 else 'low'} in the mean of "
            f"{errors.size} elements, {most:.2f} are allowed: "
            "it does not round to the nearest step"
        )
    off = float((np.abs(errors) > _HALF).mean())
    most = max(allowed["off"], float((np.abs(usual) > _HALF).mean()) if usual.size else 0.0)
    if off > most:
        raise CheckFailedError(
            f"{off:.0%} of {errors.size} elements are not the nearest step, {most:.0%} are allowed"
        )


def _compare(
    case: Case,
    kind: Kind,
    values: Sequence[NDArray[Any] | None],
    found: Sequence[NDArray[Any]],
    expectation: Expectation,
    others: Sequence[Sequence[NDArray[Any]]],
) -> None:
    """Compare with an expectation; ``others`` are the same where denormals count as zeros."""
    for index, (got, wanted) in enumerate(zip(found, expectation.outputs, strict=True)):
        data_type = case.signature.outputs[index].data_type
        allowed = tolerance_of(case.layer.label, data_type.label)
        worst = compare(got, wanted, data_type, allowed)
        is_rounded = allowed.relative or allowed.scaled  # else every bit counts
        if worst and others and is_rounded and got.shape == wanted.shape:
            beyond = excess(got, wanted, data_type, allowed)
            beyond = np.where(_is_flushed(got, wanted), 0.0, beyond)
            for other in others:
                beyond = np.minimum(beyond, excess(got, other[index], data_type, allowed))
            worst = worst_element(got, wanted, beyond)
        if worst:
            of_kind = ", with special values" if kind == "special" else ""
            inputs = {f"x{number}": value for number, value in enumerate(values)}
            raise CheckFailedError(
                f"output {index} is not {expectation.source}'s{of_kind}: {worst}",
                found=got,
                expected=wanted,
                **inputs,
            )


def _is_flushed(found: NDArray[Any], expected: NDArray[Any]) -> NDArray[np.bool_]:
    """Say where a zero stands for a denormal of its sign, as ``descriptors.h`` allows."""
    if found.dtype.kind != "f" or expected.dtype.kind != "f":
        return np.zeros(found.shape, np.bool_)
    is_small = np.abs(expected) < np.finfo(found.dtype).smallest_normal
    signs = np.signbit(found) == np.signbit(expected)
    return np.asarray((found == 0) & is_small & signs)


def speed_of(subject: Subject, case: Case) -> float | None:
    """Return how many times as fast as CpuRef a layer runs, with all threads.

    None for a small layer, whose time is that of the call, and where CpuRef does not take it. The
    two run in turns, and of each the shortest run counts.
    """
    if case.most_elements < LARGE or case.is_variant or subject.backend.id == REFERENCE:
        return None
    values = case.values()
    network = network_of(case, values)
    inputs = {name: values[int(name[1:])] for name in network.inputs}
    times = {True: float("inf"), False: float("inf")}
    with Runtime(enable_dynamic_backends=False, use_environment=False) as runtime:
        try:
            placed = optimize(network, [REFERENCE], runtime=runtime, options=AS_IT_IS)
        except ArmnnError:
            return None
        with (
            subject.host.bypassed(),
            subject.load(network) as own,
            runtime.load_network(placed) as reference,
        ):
            own.run(inputs)
            for _ in range(_ROUNDS):
                for is_own, loaded in ((True, own), (False, reference)):
                    begin = time.perf_counter()
                    loaded.run(inputs)
                    times[is_own] = min(times[is_own], time.perf_counter() - begin)
    return float(f"{times[False] / max(times[True], 1e-9):.3g}")
