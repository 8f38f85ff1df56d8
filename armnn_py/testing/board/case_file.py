# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which cases and values go into the file for ``run_cases``."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py._native.layers.case_file import CaseFile
from armnn_py._version import __version__
from armnn_py.errors import InvalidArgumentError
from armnn_py.guard.memory import LAYOUTS
from armnn_py.testing.batches import batches_of
from armnn_py.testing.checks.numbers import kinds_of
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from armnn_py.testing.cases import Case, Kind, Level
    from armnn_py.testing.outcome import Group

_MIDDLE = len(LAYOUTS)


class PlannedRun(NamedTuple):
    """One call of ``execute``: with which values, for which check, in which of `LAYOUTS`."""

    kind: Kind
    group: Group
    layout: int = _MIDDLE


def runs_of(case: Case) -> list[PlannedRun]:
    """Return the runs of a case, in order."""
    numbers = [PlannedRun(kind, "numbers") for kind in kinds_of(case) if kind != "flushed"]
    if case.is_variant:
        return numbers
    truth = [PlannedRun(kind, "truth") for kind in ("plain", "other", "plain")]
    memory = [PlannedRun("plain", "memory", layout) for layout in range(len(LAYOUTS))]
    return [*truth, *numbers, *memory]


def order_of(
    level: Level, seed: int, layers: Collection[LayerType], types: Collection[DataType]
) -> dict[str, Any]:
    """Return what cases are drawn from, for the note of the file."""
    return {
        "version": __version__,
        "level": level,
        "seed": seed,
        "layers": [int(one) for one in layers],
        "types": [int(one) for one in types],
    }


def digest_of(cases: Sequence[Case]) -> str:
    """Return what tells these cases from others; another order gives another digest."""
    found = hashlib.blake2b(digest_size=16)
    for case in cases:
        found.update(f"{case.name} {case.signature} {case.seed} {case.spread}\n".encode())
    return found.hexdigest()


def export_cases(
    path: str | os.PathLike[str], cases: Sequence[Case], order: dict[str, Any]
) -> None:
    """Write cases for ``run_cases``.

    Parameters
    ----------
    path
        The file.
    cases
        The cases; the file has them in the order of `batches_of`.
    order
        The choice of cases, from `order_of`: the results repeat it.

    Raises
    ------
    InvalidArgumentError
        The file cannot be written.
    """
    file = CaseFile(len(cases))
    batches = [*batches_of(cases)]
    order = {**order, "digest": digest_of([case for batch in batches for case in batch])}
    for number, batch in enumerate(batches):
        for case in batch:
            runs = [(case.values(run.kind), run.layout) for run in runs_of(case)]
            file.add(case.name, case.signature, runs, number)
            case.drawn.clear()
    try:
        with open(path, "wb") as target:  # noqa: PTH123
            target.write(file.finished(json.dumps(order).encode()))
    except OSError as error:
        raise InvalidArgumentError(
            f"file '{os.fspath(path)}' cannot be written: {error.strerror}"
        ) from error
