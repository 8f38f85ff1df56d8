# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers: what comes out is what the definition gives, within the published tolerance."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from armnn_py.guard.outcome import CheckFailedError
from armnn_py.testing.tolerances import compare, heeds_special_values, tolerance_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from armnn_py.testing.cases import Case, Kind
    from armnn_py.testing.oracles.reference import Expectation
    from armnn_py.testing.prepared import Prepared

__all__ = ["check_numbers", "kinds_of"]


def kinds_of(case: Case) -> tuple[Kind, ...]:
    """Return which values a case is computed with."""
    reals = any(info is not None and info.data_type.is_float for info in case.signature.inputs)
    descriptor = case.signature.descriptor
    operation = getattr(descriptor, "operation", getattr(descriptor, "row_rounding", None))
    name = operation.name if isinstance(operation, IntEnum) else ""
    if reals and heeds_special_values(case.layer.label, name):
        return "plain", "special"
    return ("plain",)


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
    for kind, expectations in expected.items():
        if kind == "special" and prepared.finite_math_only:
            continue
        values = case.values(kind)
        on_step(f"execute, {kind} values")
        found = prepared.run(values)
        for source, outputs in expectations:
            _compare(case, kind, values, found, source, outputs)


def _compare(
    case: Case,
    kind: Kind,
    values: Sequence[NDArray[Any] | None],
    found: Sequence[NDArray[Any]],
    source: str,
    outputs: Sequence[NDArray[Any]],
) -> None:
    for index, (got, wanted) in enumerate(zip(found, outputs, strict=True)):
        data_type = case.signature.outputs[index].data_type
        allowed = tolerance_of(case.layer.label, data_type.label)
        worst = compare(got, wanted, data_type, allowed)
        if worst:
            of_kind = ", with special values" if kind == "special" else ""
            inputs = {f"x{number}": value for number, value in enumerate(values)}
            raise CheckFailedError(
                f"output {index} is not {source}'s{of_kind}: {worst}",
                found=got,
                expected=wanted,
                **inputs,
            )
