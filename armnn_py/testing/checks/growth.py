# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Growth: a workload that runs again and again takes no more memory than it has taken."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from armnn_py._native.process_memory import address_bytes, heap_bytes
from armnn_py.testing.outcome import CheckFailedError

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared

__all__ = ["check_growth"]

_FIRST = 32  # calls, after which caches are full
_PARTS, _CALLS = 3, 64  # how often memory is looked at, and calls before each look
_SECONDS = 0.03  # for each part; a slow layer is called less often
_FEWEST = 8  # calls; fewer say nothing
# For each call. A block of malloc takes 32 bytes at least, a mapping a page.
_HEAP, _ADDRESSES = 16, 2048


def check_growth(case: Case, prepared: Prepared, on_step: Callable[[str], None]) -> None:
    """Call ``execute`` some two hundred times; what it takes in each part of them is not freed.

    Raises
    ------
    CheckFailedError
        The heap, or the address space, grows in every part, by more than half of the least that
        each call could take.
    """
    on_step("execute, again and again")
    again = prepared.again_and_again(case.values())
    begin = time.perf_counter()
    for _ in range(_FEWEST):
        again()
    each = (time.perf_counter() - begin) / _FEWEST
    calls = min(_CALLS, int(_SECONDS / max(each, 1e-9)))
    if calls < _FEWEST:
        return
    heap, addresses = [], []
    for part in range(1 + _PARTS):
        for _ in range(calls if part else min(_FIRST, calls)):
            again()
        gc.collect()  # what calls leave in Python
        heap.append(heap_bytes())
        addresses.append(address_bytes())
    for what, found, least in (
        ("of the heap", heap, _HEAP),
        ("of addresses", addresses, _ADDRESSES),
    ):
        growth = min(after - before for before, after in itertools.pairwise(found))
        if growth >= least * calls:
            raise CheckFailedError(
                f"what execute takes is not freed: {growth:,} bytes more {what} after each "
                f"{calls} calls"
            )
