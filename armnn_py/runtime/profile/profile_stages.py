# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The profile of a network that runs in stages.

Plans trace their own runs and steps; `stage_times` has whole runs, and functions between stages.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from armnn_py.network.stages import sub_stage
from armnn_py.runtime.plan.step_info import StepInfo

if TYPE_CHECKING:
    from armnn_py._native.trace import TraceEvent
    from armnn_py.network import Stage
    from armnn_py.runtime.plan.network_plan import NetworkPlan


class Pool(Protocol):
    """The plans of a network."""

    @property
    def plans(self) -> list[NetworkPlan]:
        """All plans."""


class InStages(Protocol):
    """`StagedRuns`, as profiles see them."""

    stages: tuple[Stage, ...]

    @property
    def numbered_parts(self) -> Iterator[tuple[int, str, Profiled]]:
        """Networks with the number of their stage, and the name of one that a function runs."""


class Profiled(Protocol):
    """A `LoadedNetwork`, as profiles see it."""

    @property
    def _pool(self) -> Pool:
        """Its plans."""

    @property
    def _stages(self) -> InStages | None:
        """Its parts, if it runs in stages and that is known."""


def describe_run(stage: str) -> StepInfo:
    """Return what profiles show of one run of the network, or of a stage or body of it."""
    name, kind = (f"stage {stage}", "Stage") if stage else ("run", "Run")
    return StepInfo(name, kind, "host", "")


def order_of_stage(stage: str) -> list[tuple[int, str]]:
    """Return a key that sorts stages by number, each before the bodies that it runs."""
    parts = stage.split("/") if stage else []
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


class FunctionRun(Struct, frozen=True):
    """One execution of a function between stages; times on the monotonic clock."""

    number: int
    """Of its stage, from 1."""
    stage: Stage
    time_ns: int
    duration_ns: int

    def describe(self, called: str) -> StepInfo:
        """Return what profiles show of it."""
        stage = self.stage
        name, kind = stage.name or f"stage {called}", stage.operator or "Function"
        return StepInfo(name, kind, "host", stage.manner)


class StagedRun(Struct, frozen=True):
    """One run of a network in stages; times on the monotonic clock."""

    network: InStages
    thread: int
    """Python's number of the thread."""
    time_ns: int
    duration_ns: int
    functions: tuple[FunctionRun, ...]


class StageBook:
    """The stages of one profiled network, which its first run may have to find.

    A network without stages has its plans here and nothing else.
    """

    __slots__ = ("_inner_ns", "_network", "_noted", "_pool", "_runs", "_stages", "_threads")

    def __init__(self, network: Profiled) -> None:
        self._network = weakref.ref(network)  # a profile does not keep it open
        self._pool = network._pool
        self._stages: InStages | None = None
        #: The time of all runs of a stage or body.
        self._inner_ns: dict[str, int] = {}
        #: Runs, with what their network is called, until the events inside are counted.
        self._runs: list[tuple[str, StagedRun]] = []
        #: Python's threads by plan and run; the trace's threads by Python's.
        self._noted: dict[tuple[int, int], int] = {}
        self._threads: dict[int, int] = {}

    @property
    def is_used(self) -> bool:
        """Whether the network has stages."""
        return self._stages is not None

    def forget(self) -> None:
        """Let the stages go."""
        self._stages = None

    def _walk(self) -> Iterator[tuple[str, Pool, InStages | None]]:
        """Give what each network is called, its pool and its stages, the whole one first."""
        network = self._network()
        if network is not None and network._stages is not None:
            self._stages = network._stages
        return _walk("", self._pool, self._stages)

    def plans(self) -> dict[NetworkPlan, str]:
        """All plans, each with what its stage is called."""
        return {plan: called for called, pool, _ in self._walk() for plan in pool.plans}

    # ---- Threads -----------------------------------------------------------------------------

    def note_thread(self, plan: NetworkPlan, run_id: int) -> None:
        """Note the thread of a run of a plan, which has just ended on this thread."""
        if self._stages is not None and plan.native is not None:
            self._noted[plan.native.address, run_id] = threading.get_ident()

    def hear(self, event: TraceEvent) -> None:
        """Find out from a plan's run what the trace calls the thread of it."""
        thread = self._noted.pop((event.plan, event.run_id), None)
        if thread is not None:
            self._threads[thread] = event.thread

    # ---- Runs --------------------------------------------------------------------------------

    def add(self, run: StagedRun) -> bool:
        """Keep a run, if it is one of the network; return whether it is one of the whole."""
        for called, _, stages in self._walk():
            if stages is run.network:
                self._runs.append((called, run))
                return not called
        return False

    def take_runs(self) -> Iterator[tuple[str, StagedRun, int]]:
        """Give the runs that were added, with what the trace calls their threads; 0: unknown."""
        self._noted.clear()  # their events did not fit into the buffer
        runs, self._runs = self._runs, []
        for called, run in runs:
            yield called, run, self._threads.get(run.thread, 0)

    def count(self, stage: str, duration_ns: int) -> None:
        """Add the time of one run of a stage or body."""
        self._inner_ns[stage] = self._inner_ns.get(stage, 0) + duration_ns

    def time_inside(self, stage: str) -> int:
        """Return the time of all runs of the bodies of a stage."""
        runs = self._inner_ns.items()
        return sum(duration for one, duration in runs if one.rpartition("/")[0] == stage)


def _walk(
    called: str, pool: Pool, stages: InStages | None
) -> Iterator[tuple[str, Pool, InStages | None]]:
    yield called, pool, stages
    for number, key, part in () if stages is None else stages.numbered_parts:
        inside = sub_stage(called, number)
        yield from _walk(sub_stage(inside, key) if key else inside, part._pool, part._stages)
