# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Growth: a workload that runs again and again takes no more memory than it has taken."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

from armnn_py._native.memory.process_memory import address_bytes, heap_bytes
from armnn_py.guard.outcome import CheckFailedError

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared

__all__ = ["check_growth"]

_FIRST = 32  # calls, after which caches are full
_CALLS = 64  # before each look at memory
# After so many looks that mostly found more there is a suspicion, and after so many a leak: what
# malloc keeps for each thread grows for a while too where one thread takes and another gives back.
_SUSPICION, _LEAK = 3, 24
_SECONDS = 0.03  # for each part; a slow layer is called less often
_FEWEST = 8  # calls; fewer say nothing


class _Kind(NamedTuple):
    place: int
    words: str
    least: int
    """Growth in bytes for each call: half of a block of malloc, half of a page."""


_KINDS = _Kind(0, "of the heap", 16), _Kind(1, "of addresses", 2048)


def check_growth(case: Case, prepared: Prepared, on_step: Callable[[str], None]) -> None:
    """Call ``execute`` again and again, and look at the memory of the process now and then.

    Raises
    ------
    CheckFailedError
        The heap, or the address space, grows from look to look and does not stop to, by more than
        half of the least that each call could take.
    """
    on_step("execute, again and again")
    repeat = prepared.repeater(case.values())
    begin = time.perf_counter()
    repeat(_FEWEST)
    each = (time.perf_counter() - begin) / _FEWEST
    calls = min(_CALLS, int(_SECONDS / max(each, 1e-9)))
    if calls < _FEWEST:
        return
    repeat(min(_FIRST, calls))
    looks = [_look(is_suspected=False)]
    suspected = list(_KINDS)
    while len(looks) <= _SUSPICION or suspected:
        repeat(calls)
        looks.append(_look(is_suspected=len(looks) > _SUSPICION))
        suspected = [kind for kind in _KINDS if _growth(looks, kind) >= kind.least * calls]
        if len(looks) > _LEAK and suspected:
            kind = suspected[0]
            raise CheckFailedError(
                f"what execute takes is not freed: {_growth(looks, kind):,} bytes more "
                f"{kind.words} after each {calls} calls"
            )


def _look(*, is_suspected: bool) -> tuple[int, int]:
    if is_suspected:
        gc.collect()  # what calls leave in Python; it takes longer than they do
    return heap_bytes(), address_bytes()


def _growth(looks: list[tuple[int, int]], kind: _Kind) -> int:
    """Return the median growth from look to look: what is freed late is no growth."""
    taken = [look[kind.place] for look in looks]
    return median_low(after - before for before, after in itertools.pairwise(taken))
