# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The check for growth tells a leak from what malloc keeps for its threads."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from armnn_py.guard.outcome import CheckFailedError
from armnn_py.testing.checks import memory


def check(monkeypatch: pytest.MonkeyPatch, steps: Iterable[int]) -> None:
    """Check a backend whose heap grows by these bytes from look to look."""
    taken = itertools.accumulate(itertools.chain(steps, itertools.repeat(0)), initial=10_000)
    monkeypatch.setattr(memory, "heap_bytes", lambda: next(taken))
    # Slow enough for eight calls to a look.
    clock = itertools.count(0.0, memory._SECONDS * 0.99)
    monkeypatch.setattr(memory, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    case: Any = SimpleNamespace(values=tuple)
    prepared: Any = SimpleNamespace(repeater=lambda _: lambda _count: None)
    memory.check_growth(case, prepared, lambda _: None)


@pytest.mark.parametrize(
    "steps",
    [
        # Read off a backend with a thread of its own on a machine with too much to do.
        (1152, 1184, 752, 1200, 400, 832, -32, 400, 0, 0, 0, 0, 432, -432, 432, -432, 0, 432),
        (864, 400, 1232, 400, -432, 0, 96, 0, 0, 0, 0, 0, 528, 0, 0, -432, 432, -432),
        (10_000, 10_000, 10_000, 10_000),
    ],
)
def test_growth_that_stops_is_not_a_leak(
    monkeypatch: pytest.MonkeyPatch, steps: tuple[int, ...]
) -> None:
    check(monkeypatch, steps)


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("noise", [(0,), (0, -432, 432, 0), (0, 1184, 0, -32, 752)])
def test_steady_growth_is_a_leak(monkeypatch: pytest.MonkeyPatch, noise: tuple[int, ...]) -> None:
    with pytest.raises(CheckFailedError, match=r"bytes more of the heap after each \d+ calls"):
        check(monkeypatch, (256 + more for more in itertools.cycle(noise)))
