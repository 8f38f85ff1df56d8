# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory: what is read, written, kept in variables and taken by calls, and nothing beside."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armnn_py._native.memory.process_memory import address_bytes, heap_bytes
from armnn_py.guard.memory import check_layouts
from armnn_py.guard.one_run import in_place_offers
from armnn_py.guard.outcome import CheckFailedError, nearly_equal
from armnn_py.testing.prepared import Preparation
from armnn_py.testing.subject import network_of

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared
    from armnn_py.testing.subject import Subject


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


def check_reused_places(
    subject: Subject, case: Case, prepared: Prepared, on_step: Callable[[str], None]
) -> None:
    """Make the layer of other constants, which lie where those of a workload were.

    Raises
    ------
    CheckFailedError
        It does not compute with its own constants.
    """
    constants = case.signature.constants
    if not any(one and known is None for one, known in zip(constants, case.known, strict=True)):
        return
    values = [
        np.flip(value).copy() if constant and known is None and value is not None else value
        for value, constant, known in zip(case.values(), constants, case.known, strict=True)
    ]
    on_step("create_workload, other constants where earlier ones were")
    make = Preparation(subject, case, values)
    found = []
    for places in (None, prepared.lent_constants.again()):
        made = make(places)
        try:
            found.append(made.run(values))
        finally:
            made.close()
    for index, (expected, array) in enumerate(zip(*found, strict=True)):
        if not nearly_equal(array, expected):
            raise CheckFailedError(
                f"output {index} is computed with constants that lay there before",
                found=array,
                expected=expected,
            )


_RUNS = 3


def variable_of(case: Case) -> int | None:
    """Return the index of an operand that output 0 can replace, or None."""
    signature = case.signature
    for index, info in enumerate(signature.inputs):
        if info == signature.outputs[0] and info.byte_size and not signature.constants[index]:
            return index
    return None


def check_variables(case: Case, subject: Subject, prepared: Prepared) -> None:
    """Feed output 0 back, once through the caller and once through a variable of the network.

    Raises
    ------
    CheckFailedError
        The variable is another tensor in the next run.
    """
    index = variable_of(case)
    values = list(case.values())
    assert index is not None
    with subject.load(network_of(case, values, variable=index)) as kept:
        inputs = {name: values[int(name[1:])] for name in kept.inputs}
        for number in range(_RUNS):
            found = kept.run(inputs)["y0"]
            expected = values[index] = prepared.run(values)[0]
            if not nearly_equal(found, expected):
                raise CheckFailedError(
                    f"run {number + 1} does not go on where the run before it ended: operand "
                    f"{index} is a variable, whose handle keeps its contents from run to run",
                    found=found,
                    expected=expected,
                )


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
