# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Events of the workers of isolated backends."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

from armnn_py.later import public_class


@public_class
@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """One event of the worker of a backend.

    Attributes
    ----------
    kind
        ``"ended"``: its process is gone; ``"restarted"``: another one has its place;
        ``"abandoned"``: it ended too often, and this runtime uses it no more.
    backend
        The id.
    file
        The shared object of the backend, as far as it is known.
    reason
        How the process ended, or why.
    lines
        The last lines that it wrote.
    signal
        The signal that ended it, as ``"SIGSEGV"``; None: none did.
    exit_status
        Its exit status; None if a signal ended it.
    recording
        The file with the last call of the worker, for ``armnn-py backends replay``; None: the
        worker was neither in a run nor compiling, or nothing is recorded.
    call
        The call of the backend in which a fatal signal came, with its layer; None: none is known.
    address
        The address of the fault, for SIGSEGV and SIGBUS.
    time
        Seconds since the epoch.
    """

    kind: Literal["ended", "restarted", "abandoned"]
    backend: str
    file: str | None = None
    reason: str = ""
    lines: tuple[str, ...] = ()
    signal: str | None = None
    exit_status: int | None = None
    recording: str | None = None
    call: str | None = None
    address: int | None = None
    time: float = field(default_factory=time.time)

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        place = "" if self.address is None else f" at {self.address:#x}"
        call = f", in {self.call}" if self.call else ""
        recording = f"; its last call is recorded in '{self.recording}'" if self.recording else ""
        what = f"the worker of backend '{self.backend}' {_VERBS[self.kind]}"
        return f"{what}{reason}{place}{call}{recording}"


_VERBS = {
    "ended": "ended",
    "restarted": "was started again and is used",
    "abandoned": "is not started again",
}
