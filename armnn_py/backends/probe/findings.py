# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The findings of the probe of one file, and those that refuse the file."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.backends.loader.steps import Stage

#: How the process of a probe ended: after all stages; early, because the file is not usable, which
#: the loader finds again and words; or in one of the ways that a backend must not end a process.
Ended = Literal["passed", "refused", "signal", "exit", "time", "gone"]

#: Stage of the program -> step of the loader, and whose code runs in it.
CALLS: dict[str, tuple[Stage, str]] = {
    "start": ("open", "the start of the probe"),
    "open": ("open", "code that runs at opening, such as a C++ constructor,"),
    "symbols": ("symbols", "the search for symbols"),
    "id": ("id", "GetBackendId"),
    "version": ("version", "GetVersion"),
    "table": ("table", "BackendFactory"),
    "options": ("table", "get_option_defaults"),
    "create": ("create", "create or get_id"),
    "context": ("create", "the making of contexts"),
    "devices": ("create", "list_devices"),
    "support": ("create", "get_layer_support or is_layer_supported"),
    "quiesce": ("create", "quiesce"),
    "destroy": ("create", "destroy"),
    "close": ("create", "code that runs at closing, such as a destructor,"),
    "exit": ("create", "code that runs at the end of the process"),
}
#: Happenings that refuse a file even if it passed all stages: word of the report -> code.
_HAPPENINGS = {
    "forked": "forked",
    "children": "forked",
    "closed": "descriptors",
    "wild": "wild-answer",
}
#: Happenings that change the process of the probe: word of the report -> what was changed.
CHANGES = {
    "rounding": "how numbers are rounded",
    "mask": "which signals are blocked",
    "folder": "the working folder",
    "locale": "the locale",
    "streams": "flags of the standard streams",
}
_MOST_WORDS = 300


class Library(Struct, frozen=True):
    """A library that came with the file, as it was then."""

    path: str
    device: int
    inode: int
    size: int
    modified_ns: int


class ProbeFinding(Struct, frozen=True):
    """The findings of the probe of one file.

    Attributes
    ----------
    stage
        The last stage that was entered, one of ``open``, ``symbols``, ``id``, ``version``,
        ``table``, ``options``, ``create``, ``context``, ``devices``, ``support``, ``quiesce``,
        ``destroy``, ``close`` and ``exit``.
    ended, number
        How the process ended: ``passed`` all stages; ``refused`` early, for a reason that the
        loader gives; ``signal`` and ``exit`` with their number; ``time``: not within the limit;
        ``gone``: with the program that watched over it.
    happenings
        Stage by happening: ``forked``, ``children``, ``closed``, ``wild``, ``refused``, and the
        words of `CHANGES`.
    id, version
        The answers of the file, if it came so far; the version is that of the backend API.
    last_output
        The end of what its code wrote to standard output and standard error.
    load_seconds
        Time from opening the file to its backend object; 0 if it did not come so far.
    limit_seconds
        The time that it was given.
    variables
        Environment variables that it asked for.
    libraries
        Libraries that were loaded with it; empty if opening it did not return.
    is_whole
        Whether the lists of variables and libraries are complete.
    """

    stage: str
    ended: Ended
    number: int
    happenings: tuple[tuple[str, str], ...]
    id: str | None
    version: tuple[int, int] | None
    last_output: str
    load_seconds: float
    limit_seconds: float
    variables: tuple[str, ...]
    libraries: tuple[Library, ...]
    is_whole: bool = True

    @property
    def is_good(self) -> bool:
        """Whether the file may be opened by a process that wants to live."""
        return fault_of(self) is None

    @property
    def changes(self) -> tuple[str, ...]:
        """Changes that the file made to the process of the probe."""
        return tuple(CHANGES[name] for name, _ in self.happenings if name in CHANGES)

    def as_dict(self) -> dict[str, object]:
        """Return what people ask for, ready for JSON."""
        return {
            "stage": self.stage,
            "ended": self.ended,
            "number": self.number,
            "last_output": self.last_output,
            "load_seconds": self.load_seconds,
            "changes": list(self.changes),
        }


class Fault(Struct, frozen=True):
    """Why a file is refused: the loader's step, a code for programs, and a message."""

    stage: Stage
    code: str
    reason: str
    hint: str


def fault_of(finding: ProbeFinding) -> Fault | None:
    """Return why a file must not be opened, or None."""
    stage, whose = CALLS[finding.stage]
    code, hint = "died", ""
    if finding.ended == "signal":
        reason = f"{whose} ended the process that tried the file: {_signal_name(finding.number)}"
    elif finding.ended == "exit":
        reason = (
            f"{whose} ended the process that tried the file: exit status {finding.number} "
            "without a return"
        )
    elif finding.ended == "gone":
        reason = f"{whose} ended the program that tried the file"
    elif finding.ended == "time":
        code = "timed-out"
        reason = f"{whose} did not return within {finding.limit_seconds:g} s"
        hint = "ARMNN_PY_PROBE_SECONDS gives files more time"
    else:
        return _fault_of_happenings(finding)
    if stage in ("open", "symbols"):  # before any function of the backend is called
        hint = hint or _HINT_DAMAGED
    return Fault(stage, code, _with_words(reason, finding), hint or _HINT)


def untried_part(finding: ProbeFinding) -> str:
    """Return what to say of a file that is used, but whose probe ended early; else empty."""
    if finding.ended != "refused":
        return ""
    _, whose = CALLS[dict(finding.happenings).get("refused", finding.stage)]
    reason = f"its probe ended with {whose}, which works here: what comes later was not tried"
    return _with_words(reason, finding)


_HINT_DAMAGED = (
    "the file may be damaged: copy or download it again; if that does not help, report it to the "
    "backend's vendor"
)
_HINT = "report it to the backend's vendor; until it is mended, other backends are used without it"


def _fault_of_happenings(finding: ProbeFinding) -> Fault | None:
    for name, stage in finding.happenings:
        if name not in _HAPPENINGS:
            continue
        step, whose = CALLS[stage]
        reason = {
            "forked": f"{whose} forked, and the copy of the process ran on",
            "children": f"{whose} forked, and the copy of the process is still there",
            "closed": f"{whose} closed descriptors that are not its own",
            "wild": f"{whose} gave an object that cannot be read, or has no destroy function",
        }[name]
        return Fault(step, _HAPPENINGS[name], _with_words(reason, finding), _HINT)
    return None


def _with_words(reason: str, finding: ProbeFinding) -> str:
    words = printable(" ".join(finding.last_output.split()))
    if not words:
        return reason
    shown = words if len(words) <= _MOST_WORDS else f"...{words[-_MOST_WORDS:]}"
    return f"{reason}; its last output: '{shown}'"


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
