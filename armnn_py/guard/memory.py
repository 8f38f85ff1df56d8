# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory: one execute after another in other surroundings gives the same outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.guard.one_run import Layout
from armnn_py.guard.outcome import CheckFailedError, nearly_equal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from armnn_py._native.memory.guarded_memory import Region

LAYOUTS = (
    ("an unreadable page behind each tensor and the scratch", Layout("end", 0xCB, checked=True)),
    ("an unreadable page before each tensor and the scratch", Layout("start", 0x35, checked=True)),
    ("the least alignment that was asked for", Layout("least", 0x7F, checked=True)),
    ("inputs that cannot be written", Layout("end", 0xFF, read_only=True, checked=True)),
)


def _in_place(offer: tuple[int, int]) -> tuple[str, Layout]:
    index, output = offer
    words = f"output {output} in the memory of input {index}, as it offers"
    return words, Layout("end", 0xCB, checked=True, in_place=offer)


def check_layouts(
    run: Callable[[Layout, list[Region]], list[NDArray[Any]]],
    on_step: Callable[[str], None],
    offers: Iterable[tuple[int, int]],
) -> list[NDArray[Any]]:
    """Run at new addresses each time; returns the outputs.

    Memory that was used before stays mapped but cannot be touched: a kept address is a fault.

    Parameters
    ----------
    run
        Runs once and returns the outputs; adds its memory to a list.
    on_step
        Is told what comes next.
    offers
        Inputs whose memory an output may take, each with that output.

    Raises
    ------
    CheckFailedError
        An output depends on what was in memory before.
    """
    expected: list[NDArray[Any]] | None = None
    used: list[Region] = []
    for words, layout in (*LAYOUTS, *map(_in_place, offers)):
        on_step(f"execute, {words}")
        for region in used:
            region.allow(read=False, write=False)
        found = run(layout, used)
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
                    f"output {index} {reason}: {words}", found=got, expected=wanted
                )
    assert expected is not None
    return expected
