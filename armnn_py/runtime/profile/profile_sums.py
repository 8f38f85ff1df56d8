# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sums that a profile makes of executions: the time of each layer in all."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armnn_py.runtime.profile.profile_records import LayerProfile
from armnn_py.runtime.profile.profile_stages import order_of_stage

if TYPE_CHECKING:
    from armnn_py.runtime.plan.step_info import StepInfo

__all__ = ["LayerSums", "Sum"]


@dataclass(slots=True)
class Sum:
    """The sums for a step, or for layers inside it."""

    info: StepInfo
    stage: str = ""
    calls: int = 0
    total_ns: int = 0
    whole_ns: int = 0
    copied_bytes: int = 0
    reason: str = ""
    operations: int = 0
    expected_ns: int = 0


class LayerSums:
    """The sums of one profile, in the order in which their layers were met first."""

    __slots__ = ("_functions", "_sums")

    def __init__(self) -> None:
        # By plan (of stages: by what is shown), step, kernel and guids of layers inside it.
        self._sums: dict[tuple[Hashable, int, str, tuple[int, ...]], Sum] = {}
        # The sums of functions between stages, by stage.
        self._functions: dict[str, Sum] = {}

    def count(
        self,
        shown_by: Hashable,
        stage: str,
        step: int,
        guids: tuple[int, ...],
        info: StepInfo,
        time_ns: int,
    ) -> Sum:
        """Add one execution of a step, or of layers inside it; return the sums so far."""
        entry = self._sums.setdefault((shown_by, step, info.kernel, guids), Sum(info, stage))
        entry.calls += 1
        entry.total_ns += time_ns
        entry.operations += info.operations
        entry.expected_ns += info.expected_ns
        return entry

    def count_function(self, stage: str, info: StepInfo, duration_ns: int) -> None:
        """Add one execution of a function between stages."""
        entry = self.count(stage, stage, 0, (), info, duration_ns)
        entry.whole_ns += duration_ns
        self._functions[stage] = entry

    def records(self, time_inside: Callable[[str], int]) -> tuple[LayerProfile, ...]:
        """Return the sums by stage, and forget them.

        ``time_inside`` tells the time of all runs of the bodies of a stage, which is not that of
        its function.
        """
        for stage, function in self._functions.items():
            function.total_ns = max(0, function.total_ns - time_inside(stage))
        sums = sorted(self._sums.items(), key=lambda item: order_of_stage(item[1].stage))
        made = tuple(
            LayerProfile(
                entry.info.layer,
                entry.info.type,
                entry.info.backend,
                entry.info.kernel,
                entry.calls,
                entry.total_ns,
                entry.info.memory,
                guids,
                entry.copied_bytes,
                entry.reason,
                entry.operations // entry.calls,
                entry.expected_ns // entry.calls,
                entry.whole_ns,
                entry.stage,
            )
            for (*_, guids), entry in sums
        )
        self._sums.clear()
        return made
