# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory: nothing is read or written that is not the call's, and nothing is read before written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armnn_py.testing.one_run import Layout
from armnn_py.testing.outcome import CheckFailedError
from armnn_py.testing.tolerances import nearly_equal

if TYPE_CHECKING:
    from armnn_py._native.memory.guarded_memory import Region
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared

__all__ = ["check_memory"]

_LAYOUTS = (
    ("an unreadable page behind each tensor and the scratch", Layout("end", 0xCB, checked=True)),
    ("an unreadable page before each tensor and the scratch", Layout("start", 0x35, checked=True)),
    ("the least alignment that was asked for", Layout("least", 0x7F, checked=True)),
    ("inputs that cannot be written", Layout("end", 0xFF, read_only=True, checked=True)),
)


def _in_place_of(index: int, output: int) -> Layout:
    return Layout("end", 0xCB, checked=True, in_place=(index, output))


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
    expected = None
    used: list[Region] = []
    in_place = [
        (
            f"output {output} in the memory of input {index}, as it offers",
            _in_place_of(index, output),
        )
        for index, output in prepared.in_place_offers()
    ]
    for words, layout in (*_LAYOUTS, *in_place):
        on_step(f"execute, {words}")
        for region in used:
            region.allow(read=False, write=False)
        found = prepared.run(values, layout, kept=used)
        if expected is None:
            expected = found
        for index, (got, wanted) in enumerate(zip(found, expected, strict=True)):
            if not nearly_equal(got, wanted):
                reason = (
                    "is wrong"
                    if layout.in_place is not None
                    else "depends on what was in memory before"
                )
                raise CheckFailedError(
                    f"output {index} {reason}: {words}",
                    found=got,
                    expected=wanted,
                )
