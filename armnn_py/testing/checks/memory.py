# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory: nothing is read or written that is not the call's, and nothing is read before written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armnn_py.guard.memory import check_layouts
from armnn_py.guard.one_run import in_place_offers

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared

__all__ = ["check_memory"]


def check_memory(case: Case, prepared: Prepared, on_step: Callable[[str], None]) -> None:
    """Run at new addresses each time, in pages of their own; the outputs are always the same.

    What was used before stays mapped but cannot be touched, so who kept an address dies.

    Raises
    ------
    CheckFailedError
        An output depends on what was in memory before, or something beside it was written.
    """
    values = case.values()
    prepared.take_constants_away()
    check_layouts(
        lambda layout, used: prepared.run(values, layout, kept=used),
        on_step,
        in_place_offers(prepared),
    )
