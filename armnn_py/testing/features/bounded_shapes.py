# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes that come with each run: one plan for every size up to a bound."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.errors import ArmnnWarning
from armnn_py.runtime.load import load
from armnn_py.testing.features.small_networks import ROWS, check_numbers, taken_by
from armnn_py.testing.outcome import NotApplicableError, NotTriedError

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

_SIZES = (ROWS, 1, 4, 0, 5, ROWS)


def check_bounded_shapes(
    target: Target, seed: int, _taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Run with sizes up to a bound, and compare with networks made for each size.

    Raises
    ------
    CheckFailedError
        An output is not that of the size of its run.
    NotApplicableError
        The backend takes no layer with bounded shapes.
    """
    tried, refused = 0, ""
    with target.runtime() as runtime, warnings.catch_warnings():
        warnings.simplefilter("ignore", ArmnnWarning)  # of bounds that are not taken
        for network in taken_by(runtime, target.id):
            on_step(f"{network.name}, up to {ROWS} rows")
            free = network.with_free_rows()
            with load(free, [target.id], runtime=runtime, bounds={"rows": ROWS}) as bounded:
                if not bounded.bounded_shapes:
                    reason = next(iter(bounded.bounded_shapes.reasons), "")
                    refused = refused or reason or "no layer is taken with bounded shapes"
                    continue
                tried += 1
                for rows in _SIZES:
                    x = network.values(rows, seed)
                    on_step(f"{network.name}, {rows} of {ROWS} rows")
                    found = np.array(bounded.run(x)["y"])
                    with load(network.with_rows(rows), [target.id], runtime=runtime) as known:
                        expected = np.array(known.run(x)["y"])
                    check_numbers(
                        network, found, expected, f"{rows} rows where up to {ROWS} may come"
                    )
    if not tried and not refused:
        raise NotTriedError("it takes no small network whose rows may vary")
    if not tried:
        raise NotApplicableError(refused)
