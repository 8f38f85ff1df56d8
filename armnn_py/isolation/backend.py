# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend whose code runs in another process, as the table of functions calls it."""

from __future__ import annotations

import os
import pickle
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.python_backend.python_options import option_default
from armnn_py.errors import ArmnnError, BackendError, BackendUnavailableError
from armnn_py.isolation.deaths import Deaths, state_of
from armnn_py.isolation.events import EventLog, WorkerEvent
from armnn_py.isolation.messages import Request
from armnn_py.isolation.parts import network_of, network_of_layer, parts_without
from armnn_py.isolation.process import WorkerEndedError, WorkerProcess
from armnn_py.isolation.worker_part import WorkerPart
from armnn_py.python_backend.option import Option
from armnn_py.python_backend.part import Part
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.python_backend.python_parts import ShownPart
    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py.isolation.settings import Isolation
    from armnn_py.tensors import TensorInfo

__all__ = ["IsolatedBackend"]

#: Those of this process, for its forks.
_backends: weakref.WeakSet[IsolatedBackend] = weakref.WeakSet()
#: A worker that ends so soon after its start may do it again.
_QUICK_SECONDS = 0.3
_LONGEST_PAUSE = 10.0
_REASONS = {
    abi.ARMNN_CHANNEL_PAST_DEADLINE: "a run passed the deadline of the backend",
    abi.ARMNN_CHANNEL_RUN_STOPPED: "a run was stopped, and the backend went on",
}


class IsolatedBackend:
    """The description that a worker gives of its backend, and its sub-graphs.

    Parameters
    ----------
    backend_id
        The backend that is wanted.
    limits
        Of the worker.
    events
        Gets what happens to it.
    runtime_arguments
        Arguments of the worker's `Runtime`: where to search, and what is trusted.
    deaths
        Keeps the ends of workers, and says which backends are in quarantine.

    Attributes
    ----------
    file
        The shared object of the backend.
    lock
        Held while the worker is replaced, and while something new is made in it.

    Raises
    ------
    BackendError
        The worker does not start, or does not load the backend: the text has its verdict.
    """

    place = "isolated"
    infers = False
    takes_late = False
    listens = False
    optimizes = True
    description: str

    def __init__(
        self,
        backend_id: str,
        limits: Isolation,
        events: EventLog,
        runtime_arguments: Mapping[str, Any],
        deaths: Deaths,
    ) -> None:
        self.id = backend_id
        self.limits = limits
        self.events = events
        self.lock = threading.RLock()
        self._deaths = deaths
        self._arguments = dict(runtime_arguments)
        self._options: dict[str, OptionValue] = {}
        self._parts: weakref.WeakSet[WorkerPart] = weakref.WeakSet()
        self._answers: dict[bytes, Any] = {}
        self._restarts = 0
        self._quick_ends = 0
        self._started = 0.0
        self._is_closed = False
        self._why_abandoned = ""
        self._lose_device: Callable[[str], bool] | None = None
        self._end_lock = threading.Lock()
        self._taken_end: WorkerProcess | None = None
        #: A process that has imported what it needs and opened nothing: the next start is quick.
        self._spare: WorkerProcess | None = None
        self._process: WorkerProcess | None = None
        self._process, facts = self._start_process()
        self.file: str | None = facts["file"]
        self._state = state_of(map(str, facts["libraries"]))
        self._check_quarantine()
        self.path: str = facts["file"] or backend_id
        self.score = int(facts["score"])
        self.is_reference = bool(facts["is_reference"])
        self.vendor_version: str = facts["version"]
        self.description = facts["description"]
        self.has_wishes = bool(facts["has_wishes"])
        self.capabilities: Mapping[str, OptionValue] = facts["capabilities"]
        scopes = {
            scope: {one["name"]: _option(one) for one in facts["options"] if one["scope"] == scope}
            for scope in ("backend", "model", "run")
        }
        self.options: Mapping[str, OptionDefault] = scopes["backend"]
        self.model_options: Mapping[str, OptionDefault] = scopes["model"]
        self.run_options: Mapping[str, OptionDefault] = {}
        _backends.add(self)

    def _check_quarantine(self) -> None:
        held = self._deaths.quarantine(self.id, self._state)
        if held is None:
            return
        self.stop()
        raise BackendError(
            f"backend '{self.id}' is in quarantine: its worker ended too often",
            details=[f"the last time: {held.reason}"],
            hints=[f"'armnn-py backends release {self.id}' lifts it"],
        )

    # ---- The worker ------------------------------------------------------------------------------

    def _new_process(self) -> WorkerProcess:
        return WorkerProcess(self.id, self.limits.patience, self)

    def _start_process(self) -> tuple[WorkerProcess, dict[str, Any]]:
        """Open the backend in the spare process, and start the next spare one."""
        process = self._spare
        if process is None or process.ended.is_set():
            process = self._new_process()
        self._spare = None
        try:
            arguments = {**self._arguments, "backend_options": {self.id: self._options}}
            facts = process.ask(Request("open", (self.id, self.limits, arguments)))
        except BaseException:
            process.is_closing = True
            process.kill("")
            raise
        self._spare = self._new_process()
        self._started = time.monotonic()
        return process, facts

    def running(self) -> WorkerProcess:
        """The worker that answers.

        Raises
        ------
        BackendUnavailableError
            It ended and was not started again yet, or is not started again at all.
        """
        process = self._process
        if process is None or process.ended.is_set() or self._is_closed:
            raise BackendUnavailableError(
                f"backend '{self.id}': its worker has ended",
                details=[self._why_abandoned] if self._why_abandoned else [],
                hints=[] if self._why_abandoned else ["it is being started again: try later"],
            )
        return process

    @property
    def process(self) -> WorkerProcess:
        """The last worker, which may have ended."""
        assert self._process is not None
        return self._process

    @property
    def process_id(self) -> int:
        """Number of the worker's process."""
        return self.running().pid

    @property
    def is_running(self) -> bool:
        """Whether there is a worker."""
        process = self._process
        return process is not None and not process.ended.is_set() and not self._is_closed

    @property
    def why_not_running(self) -> str:
        """The reason for which there is no worker; empty if there is one."""
        if self.is_running:
            return ""
        return self._why_abandoned or "its worker ended and is being started again"

    def post(self, request: Request) -> None:
        """Ask for something whose answer does not matter."""
        process = self._process
        if process is not None and self.is_running:
            process.post(request)

    def _after_fork(self) -> None:
        self.lock = threading.RLock()
        for process in filter(None, (self._spare, self._process)):
            process.forget_after_fork()
        self._why_abandoned = "it belongs to the process that this one was forked from"
        for part in list(self._parts):
            part.end_channels()

    def note_end(self, process: WorkerProcess) -> None:
        """The process has ended; called on the thread that watches it."""
        if self._takes_end(process):
            self._tell_end(process)
            self._restart()

    def _takes_end(self, process: WorkerProcess) -> bool:
        """Whether the end is that of the worker, and nobody has taken it yet."""
        with self._end_lock:
            if process is not self._process or process is self._taken_end:
                return False
            self._taken_end = process
        return not (process.is_closing or self._is_closed)

    def _tell_end(self, process: WorkerProcess) -> None:
        reasons = [reason for part in list(self._parts) for reason in part.end_channels()]
        why = next((_REASONS[one] for one in reasons if one in _REASONS), None)
        reason = process.reason if why is None else why
        event = WorkerEvent(
            "ended", self.id, self.file, reason, tuple(process.lines), process.signal,
            process.exit_status,
        )  # fmt: skip
        is_quick = time.monotonic() - self._started < _QUICK_SECONDS
        self._quick_ends = self._quick_ends + 1 if is_quick else 0
        self._deaths.note(event, self._state, is_last=self._restarts >= self.limits.restarts)
        self.events.add(event)

    def _restart(self) -> None:
        """Start the worker again, as often as the limits allow."""
        while self._restarts < self.limits.restarts:
            time.sleep(_seconds_after(self._quick_ends))
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
                    self.events.add(WorkerEvent("restarted", self.id, self.file))
                return
        self._abandon(f"it ended {counted(self._restarts + 1, 'time')}")

    def _take_place(self) -> bool:
        """Put another worker in the place of the one that ended; False if it is not wanted."""
        with self.lock:
            if self._is_closed:
                return False
            process, _ = self._start_process()
            try:
                for part in list(self._parts):
                    part.renew(process)
            except BaseException:
                process.is_closing = True
                process.kill("")
                process.ended.wait()  # two workers must not have the same memory
                for part in list(self._parts):
                    part.end_channels()
                raise
            self._process = process
        if process.ended.is_set() and self._takes_end(process):  # before it was the worker
            self._tell_end(process)
            raise WorkerEndedError(f"backend '{self.id}': {process.reason}")
        return True

    def _abandon(self, why: str) -> None:
        self._why_abandoned = why
        self.events.add(WorkerEvent("abandoned", self.id, self.file, why))

    # ---- As the table calls it -------------------------------------------------------------------

    def start(self, options: Mapping[str, OptionValue], lose_device: Callable[[str], bool]) -> None:
        """Begin to serve a runtime."""
        self._lose_device = lose_device
        if options:
            self._options = dict(options)
            self.running().ask(Request("reopen", {self.id: self._options}))

    def stop(self) -> None:
        """End the worker. Harmless when repeated."""
        if not self._is_closed:
            self._is_closed = True
            with self.lock:
                for process in filter(None, (self._spare, self._process)):
                    process.close()

    def self_test(self, level: int) -> None:
        """Let the backend test itself."""
        self.running().ask(Request("self_test", level))

    def set_option(self, name: str, value: OptionValue) -> None:
        """Take another value for a changeable option."""
        self.running().ask(Request("set_option", (name, value)))
        self._options[name] = value

    def before_run(self, network_id: int, run_id: int, options: Mapping[str, OptionValue]) -> None:
        """Never called: it does not listen."""

    def after_run(self, network_id: int, run_id: int, status: str) -> None:
        """Never called."""

    def options_of(self, run_id: int) -> Mapping[str, OptionValue]:
        """Options of a run do not cross the border."""
        return {}

    def infer(self, layer: ShownLayer) -> Sequence[TensorInfo] | str:
        """Operators without a layer do not cross the border."""
        return "its worker runs no operators that no layer expresses"

    def why_not(self, layer: ShownLayer) -> str:
        """Why it does not run a layer; empty if it does."""
        return self.why_not_many([layer])[0]

    def why_not_many(self, layers: Sequence[ShownLayer]) -> list[str]:
        """The same for many layers, with one message."""
        keys = [pickle.dumps(layer) for layer in layers]
        asked = dict(zip(keys, layers, strict=True))
        unknown = {key: layer for key, layer in asked.items() if key not in self._answers}
        if unknown:
            answer = self.running().ask(Request("support", list(unknown.values())))
            reasons = [str(reason) for reason in answer["reasons"]]
            self._answers.update(zip(unknown, reasons, strict=True))
        return [self._answers[key] for key in keys]

    def why_not_late(self, layer: ShownLayer) -> str:
        """Sizes that are found in a run do not cross the border."""
        return "in a process of its own it needs to know all shapes"

    def preferred_layout(self, layer: ShownLayer) -> int:
        """The layout in which it would have a layer, 0: as it is."""
        return int(self.running().ask(Request("layout", layer))["layout"])

    def make(self, layer: ShownLayer, compiled: object | None) -> WorkerPart:
        """The sub-graph that `optimize` compiled, or one layer that it was not asked about."""
        if isinstance(compiled, WorkerPart):
            return compiled
        consumed = [
            info is None or value is not None
            for info, value in zip(layer.inputs, layer.constants, strict=True)
        ]
        network = network_of_layer(layer, self.id)
        part = WorkerPart(self, network, layer.model_options, layer.name, consumed)
        with self.lock:
            refused = part.compile(self.running())
        if refused:
            raise RuntimeError(f"it took the layer before, and now: {refused[0]}")
        self._parts.add(part)
        return part

    def optimize(self, shown: ShownPart) -> bool:
        """Compile the layers of a sub-graph in the worker."""
        part = Part(shown)
        refused: dict[int, str] = {}
        while True:
            made: list[tuple[Any, WorkerPart]] = []
            newly: dict[int, str] = {}
            for group in parts_without(part, refused):
                cut = part.cut(group)
                network = network_of(part, cut, self.id)
                names = [part.layers[number].name for number in cut.layers]
                name = " + ".join(names[:3]) + (" ..." if len(names) > 3 else "")
                compiled = WorkerPart(self, network, part.layers[0].model_options, name)
                with self.lock:
                    found = compiled.compile(self.running())
                if not found.keys() <= set(cut.layers):
                    raise BackendError(f"backend '{self.id}': its worker refuses other layers")
                newly.update(found)
                made.append((cut, compiled))
            if not newly:
                break
            refused.update(newly)
        for number, reason in refused.items():
            part.fail([number], reason)
        for cut, compiled in made:
            self._parts.add(compiled)
            part.put(cut, compiled)
        return part.finish()


def _option(told: Mapping[str, Any]) -> OptionDefault:
    described = Option(
        told["default"], told["help"], told["unit"], told["minimum"], told["maximum"],
        tuple(told["choices"]), bool(told["secret"]), bool(told["changeable"]),
    )  # fmt: skip
    return option_default(told["default"], described)


def _seconds_after(quick_ends: int) -> float:
    """How long to wait before a restart, after so many workers in a row that ended soon."""
    return 0.0 if quick_ends < 2 else min(0.1 * 2.0**quick_ends, _LONGEST_PAUSE)


def _after_fork_in_child() -> None:
    for backend in list(_backends):
        backend._after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
