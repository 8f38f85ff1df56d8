# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The worker of one backend over time: started, replaced when it ends, given up in the end."""

from __future__ import annotations

import dataclasses
import os
import re
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py.device_ids import device_id
from armnn_py.errors import ArmnnError, BackendError
from armnn_py.interrupts import interruptible
from armnn_py.isolation.deaths import Deaths, state_of
from armnn_py.isolation.events import WorkerEvent
from armnn_py.isolation.keeper import Keeper, WorkerEndedError, take_keeper
from armnn_py.isolation.messages import Request
from armnn_py.isolation.process import WorkerProcess
from armnn_py.isolation.worker import Worker
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from armnn_py.isolation.settings import Isolation
    from armnn_py.isolation.worker import Recorder
    from armnn_py.isolation.worker_part import WorkerPart

#: Those of this process, for its forks.
_supervisors: weakref.WeakSet[Supervisor] = weakref.WeakSet()
#: A worker that ends so soon after its start may do it again.
QUICK_SECONDS = 0.3
_LONGEST_PAUSE = 10.0
#: After a worker has run that long, ends before it count no more.
STEADY_SECONDS = 3600.0
#: So many ends of workers are recorded for one backend of a runtime: more tell nothing new.
_MOST_RECORDED = 3
_REASONS = {
    abi.ARMNN_CHANNEL_PAST_DEADLINE: "a run passed the deadline of the backend",
    abi.ARMNN_CHANNEL_RUN_STOPPED: "a run was stopped, and the backend went on",
}


class Supervisor(Worker):
    """Keeps a worker running as long as its limits allow, with all sub-graphs in it.

    Parameters
    ----------
    backend_id
        The backend that is wanted.
    limits
        Of the worker.
    tell
        Is called with each event.
    runtime_arguments
        Arguments of the worker's `Runtime`: where to search, and what is trusted.
    deaths
        Keeps the ends of workers, and says which backends are in quarantine.
    recorder
        Writes recordings of its calls; None: nothing is recorded.

    Attributes
    ----------
    is_profiled
        Whether a worker tells which kernels ran; the next one does so from its start.
    parts
        The sub-graphs that each worker compiles.

    Raises
    ------
    BackendError
        The worker does not start, or does not load the backend: the text has its verdict. Or the
        backend is in quarantine.
    """

    def __init__(
        self,
        backend_id: str,
        limits: Isolation,
        tell: Callable[[WorkerEvent], object],
        runtime_arguments: Mapping[str, Any],
        deaths: Deaths,
        recorder: Recorder | None = None,
    ) -> None:
        super().__init__(backend_id, limits, recorder)
        self.parts: weakref.WeakSet[WorkerPart] = weakref.WeakSet()
        self._tell, self._deaths = tell, deaths
        self._arguments = dict(runtime_arguments)
        self.is_profiled = False
        self._restarts = self._quick_ends = self._recorded = 0
        self._started = 0.0
        self._end_lock = threading.Lock()
        self._taken_end: WorkerProcess | None = None
        self._keeper: Keeper | None = None
        try:
            self._process, self.facts = self._start_process()
        except BaseException:
            self.stop()
            raise
        self.file = self.facts["file"]
        self._state = state_of(map(str, self.facts["libraries"]))
        held = deaths.quarantine(self.id, self._state)
        if held is not None:
            self.stop()
            raise BackendError(
                f"backend '{self.id}' is in quarantine: its worker ended too often",
                details=[f"the last time: {held.reason}"],
                hints=[f"'armnn-py backends release {self.id}' lifts it"],
            )
        _supervisors.add(self)

    def of_device(self, index: int) -> Supervisor:
        """Another one, for another device of the backend; raises as the class does."""
        return Supervisor(
            device_id(self.id, index), self.limits, self._tell, self._arguments, self._deaths,
            self.recorder,
        )  # fmt: skip

    def _new_process(self) -> WorkerProcess:
        before, self._keeper = self._keeper, take_keeper()
        if before is not None:
            before.give_back()
        return WorkerProcess(self.id, self._keeper, self.limits.patience, self._note_end)

    def _start_process(self) -> tuple[WorkerProcess, dict[str, Any]]:
        """Start a worker and open the backend in it."""
        process = self._new_process()
        try:
            arguments = {**self._arguments, "backend_options": {self.id: self.options}}
            with interruptible():
                facts = process.ask(Request("open", (self.id, self.limits, arguments)))
                if self.is_profiled:
                    process.ask(Request("profile", True))
            file, libraries = facts.get("file"), facts.get("libraries")
            if not isinstance(file, str | None) or not isinstance(libraries, list):
                raise BackendError(f"backend '{self.id}': its worker does not name its files")
        except BaseException:
            process.is_closing = True
            process.kill("")
            raise
        self._started = time.monotonic()
        return process, facts

    def _after_fork(self) -> None:
        self.lock = threading.RLock()
        if self._process is not None:
            self._process.forget_after_fork()
        self._why_abandoned = "it belongs to the process that this one was forked from"
        for part in list(self.parts):
            part.forget_after_fork()

    def _note_end(self, process: WorkerProcess) -> None:
        """The process has ended; called on the thread that watches it."""
        if self._takes_end(process):
            self._tell_end(process)
            self._restart()

    def _takes_end(self, process: WorkerProcess) -> bool:
        """Whether the process was the worker, and its end is reported for the first time."""
        with self._end_lock:
            if process is not self._process or process is self._taken_end:
                return False
            self._taken_end = process
        return not (process.is_closing or self._is_closed)

    def _tell_end(self, process: WorkerProcess) -> None:
        reasons = [reason for part in list(self.parts) for reason in part.end_channels()]
        why = next((_REASONS[one] for one in reasons if one in _REASONS), None)
        reason = process.reason if why is None else why
        call, address = _call_and_address(process.lines)
        event = WorkerEvent(
            "ended", self.id, self.file, reason, tuple(process.lines), process.signal,
            process.exit_status, call=call, address=address,
        )  # fmt: skip
        event = dataclasses.replace(event, recording=self._record_end(event))
        lived = time.monotonic() - self._started
        if lived >= STEADY_SECONDS:
            self._restarts = 0
        self._quick_ends = self._quick_ends + 1 if lived < QUICK_SECONDS else 0
        if process.was_stopped:  # that does not count
            self._restarts = max(self._restarts - 1, -1)
        else:
            self._deaths.note(event, self._state, is_last=self._restarts >= self.limits.restarts)
        self._tell(event)

    def _record_end(self, event: WorkerEvent) -> str | None:
        """Record the calls in which the worker ended, or the sub-graph that it was compiling."""
        with self.lock:  # no channel is closed meanwhile
            last = [call for part in list(self.parts) for call in part.calls_at_end()]
        compiling, self.compiling = self.compiling, None
        kept = [call.part for call in last] or ([compiling] if compiling else [])
        if self.recorder is None or not kept or self._recorded >= _MOST_RECORDED:
            return None
        self._recorded += 1
        return self.recorder.record_end(self, kept, last, event)

    def _restart(self) -> None:
        """Start the worker again, as often as the limits allow."""
        while self._restarts < self.limits.restarts:
            if self._quick_ends >= 2:
                time.sleep(min(0.1 * 2.0**self._quick_ends, _LONGEST_PAUSE))
            self._restarts += 1
            try:
                is_started = self._take_place()
            except WorkerEndedError:
                continue
            except ArmnnError as error:
                self._abandon(str(error))
                return
            else:
                if is_started:
                    self._tell(WorkerEvent("restarted", self.id, self.file))
                return
        self._abandon(
            f"it ended {counted(self._restarts + 1, 'time')}; 'armnn-py backends release "
            f"{self.id}' lifts its quarantine for the next start"
        )

    def _take_place(self) -> bool:
        """Put another worker in the place of the one that ended; False if it is not wanted."""
        with self.lock:
            if self._is_closed:
                return False
            process, _ = self._start_process()
            try:
                parts = list(self.parts)
                for part in parts:
                    part.renew(process)
                for part in parts:
                    part.go_on(process)
            except BaseException:
                process.is_closing = True
                process.kill("")
                process.ended.wait()  # two workers must not have the same memory
                for part in list(self.parts):
                    part.end_channels()
                raise
            self._process = process
        if process.ended.is_set() and self._takes_end(process):  # before it was the worker
            self._tell_end(process)
            raise WorkerEndedError(f"backend '{self.id}': {process.reason}")
        return True

    def _abandon(self, why: str) -> None:
        self._why_abandoned = why
        self._tell(WorkerEvent("abandoned", self.id, self.file, why))
        with self.lock:
            self._close_processes()

    def stop(self) -> None:
        """End the worker. Harmless when repeated."""
        if not self._is_closed:
            self._is_closed = True
            with self.lock:
                self._close_processes()

    def _close_processes(self) -> None:
        if self._process is not None:
            self._process.close()
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.give_back()


def _call_and_address(lines: Iterable[str]) -> tuple[str | None, int | None]:
    """The call of a backend in which a fatal signal came, and the address of the fault."""
    for line in lines:
        found = re.match(
            r"armnn_py: SIG[A-Z]+(?: at (0x[0-9a-f]+))? in (.+?)(?:, backend |$)", line
        )
        if found:  # the name of a layer in a worker begins with a number, see `network_of`
            call = re.sub(r"(?<= of layer ')\d+ ", "", found[2])
            return call, None if found[1] is None else int(found[1], 16)
    return None, None


def _after_fork_in_child() -> None:
    for supervisor in list(_supervisors):
        supervisor._after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
