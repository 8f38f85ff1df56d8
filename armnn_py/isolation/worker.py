# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The worker of a backend as its sub-graphs use it, and what a recorder gets of its calls."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from armnn_py.errors import BackendUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.isolation.events import WorkerEvent
    from armnn_py.isolation.messages import Request
    from armnn_py.isolation.process import WorkerProcess
    from armnn_py.isolation.settings import Isolation


class KeptPart(Struct, frozen=True):
    """A compiled sub-graph.

    Attributes
    ----------
    key
        Its number.
    backend
        Id of the backend that runs it.
    request
        The request to compile it: its payload has the key, the network, and the model options.
    has_state
        Whether a run leaves something for the next.
    """

    key: int
    backend: str
    request: Request
    has_state: bool


class KeptCall(Struct, frozen=True):
    """One run of a sub-graph.

    Attributes
    ----------
    part
        The sub-graph.
    context
        Number of the execution context, to which the state belongs.
    begins
        Whether a sequence begins: the sub-graph keeps nothing of earlier calls.
    status
        Of the call.
    inputs, outputs
        The bytes of all inputs, and of all outputs if the status is OK: without gaps.
    """

    part: KeptPart
    context: int
    begins: bool
    status: int
    inputs: bytes
    outputs: bytes


class Recorder(Protocol):
    """The object that writes recordings.

    Attributes
    ----------
    most_bytes
        Of the calls of an execution context that are kept; 0: only the call in which a worker ends.
    """

    most_bytes: int

    def add(self, backend: Worker, calls: Sequence[KeptCall]) -> None:
        """Add calls to the recording of a whole program, if there is one."""

    def record_end(
        self,
        backend: Worker,
        parts: Sequence[KeptPart],
        calls: Sequence[KeptCall],
        event: WorkerEvent,
    ) -> str | None:
        """Write what a worker did when it ended; returns the file, or None: nothing is written."""


class Worker:
    """The worker of one backend, which another process may replace.

    Parameters
    ----------
    backend_id
        The backend.
    limits
        Of the worker.
    recorder
        Writes recordings of its calls; None: nothing is recorded.

    Attributes
    ----------
    compiling
        The sub-graph that the worker compiles, or was compiling when it ended.
    facts
        The description that it gave of its backend.
    file
        The shared object of the backend.
    lock
        Held while the process is replaced, and while something is made in it or closed.
    options
        Of the backend, for the next process.
    """

    facts: Mapping[str, Any]
    file: str | None = None

    def __init__(self, backend_id: str, limits: Isolation, recorder: Recorder | None) -> None:
        self.id, self.limits, self.recorder = backend_id, limits, recorder
        self.lock = threading.RLock()
        self.options: dict[str, OptionValue] = {}
        self.compiling: KeptPart | None = None
        self._process: WorkerProcess | None = None
        self._is_closed = False
        self._why_abandoned = ""

    def running(self) -> WorkerProcess:
        """The process that answers.

        Raises
        ------
        BackendUnavailableError
            It ended and was not started again yet, or is not started again at all.
        """
        process = self._process
        if process is None or not self.is_running:
            raise BackendUnavailableError(
                f"backend '{self.id}': its worker has ended",
                details=[self._why_abandoned] if self._why_abandoned else [],
                hints=[] if self._why_abandoned else ["it is being started again: try later"],
            )
        return process

    @property
    def process(self) -> WorkerProcess:
        """The last process, which may have ended."""
        assert self._process is not None
        return self._process

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        process = self._process
        return process is not None and not process.ended.is_set() and not self._is_closed

    @property
    def why_not_running(self) -> str:
        """The reason why no process runs; empty if one runs."""
        if self.is_running:
            return ""
        return self._why_abandoned or "its worker ended and is being started again"

    def post(self, request: Request) -> None:
        """Ask for something whose answer does not matter."""
        process = self._process
        if process is not None and self.is_running:
            process.post(request)
