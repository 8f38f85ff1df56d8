# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Times of runs in stages, and of functions between them, while a profile is open.

They are on the clock of the trace, which has the runs and steps of plans.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from armnn_py.runtime.profile.open_profiles import LOCK, flush_profiles, open_profiles
from armnn_py.runtime.profile.profile_stages import FunctionRun, StagedRun

if TYPE_CHECKING:
    from armnn_py.runtime.profile.profile_stages import InStages

__all__ = ["StageTimes"]


class StageTimes:
    """Takes the times of one run of a network in stages, for the profiles that are open."""

    __slots__ = ("_begin", "_functions", "_network")

    def __init__(self, network: InStages) -> None:
        self._network = network
        self._functions: list[FunctionRun] = []
        self._begin = time.monotonic_ns()

    def add(self, number: int, begin: int) -> None:
        """Note that the function of a stage, counted from 1, has run since ``begin``."""
        stage = self._network.stages[number - 1]
        self._functions.append(FunctionRun(number, stage, begin, time.monotonic_ns() - begin))

    def end(self) -> None:
        """Tell the profiles; those of the whole network count all that was recorded."""
        duration = time.monotonic_ns() - self._begin
        run = StagedRun(
            self._network, threading.get_ident(), self._begin, duration, tuple(self._functions)
        )
        with LOCK:
            is_whole = [profile._stages.add(run) for profile in open_profiles]
        if any(is_whole):
            flush_profiles()  # a run may have many turns, and the buffer is bounded
