# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""All loading steps on one file, in any folder."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from msgspec import Struct

from armnn_py import environment
from armnn_py._native.process.parent_process import child_command, end_with_parent, how_it_ended
from armnn_py._native.table.backend_options import OptionDefault, OptionValue
from armnn_py._native.table.dynamic_library import EXPORTS
from armnn_py.backends.loader.discovery import BackendPath, Candidate, Finding, look_at, refusal
from armnn_py.backends.loader.dynamic_backend import OnStep, load_file
from armnn_py.backends.loader.elf_notes import loading_seconds
from armnn_py.backends.loader.inspection import inspect_file
from armnn_py.backends.loader.loading import load_backends
from armnn_py.backends.loader.naming import is_reserved, parse_file_name
from armnn_py.backends.loader.shared_library import LOADING
from armnn_py.backends.loader.verdict import Stage, Verdict
from armnn_py.backends.probe.gate import DEFAULT_SECONDS
from armnn_py.backends.trust.rules import TrustRules
from armnn_py.errors import InvalidArgumentError

STEP_SECONDS = 10.0
WHEN_CLOSED = "it was made, and when it was closed: "
"""Begins the reason of a verdict on a file that loads, and does not close."""

STEPS: tuple[Stage, ...] = tuple(stage for stage in get_args(Stage) if stage != "place")

_PASSED = {
    "resolve": "a regular file",
    "inspect": "a whole shared object for this machine",
    "open": "immediate binding, local symbols",
    "symbols": "GetBackendId, GetVersion, BackendFactory",
    "unique": "no linked backend has this id",
    "table": "readable, tagged, complete",
    "create": "the backend made its object, which was destroyed again",
}


class CheckedStep(Struct, frozen=True):
    """One step: its result is ``ok``, ``died``, ``timed out``, ``not tried`` or a status."""

    step: str
    result: str
    detail: str


def check_file(
    path: BackendPath, *, timeout: float = STEP_SECONDS
) -> tuple[Verdict, list[CheckedStep]]:
    """Try every step of loading on one file, in a process of its own, then close it.

    The code of a file can end the process that opens it: then the verdict is a refusal of code
    ``died`` at the current step; ``timed-out`` if the step did not return in time. The id is
    compared with those of the backends linked into the core library. A person who names a file
    vouches for it, but for one that the lock file does not name where ``ARMNN_PY_TRUST`` is
    ``locked``.

    Parameters
    ----------
    path
        The file.
    timeout
        Seconds that one step may take.

    Raises
    ------
    InvalidArgumentError
        There is no such file, or an environment variable makes no sense.
    """
    name, finding = _find(path)
    if isinstance(finding, Verdict):
        return finding, _steps(name, finding)
    begun: dict[str, float] = {}
    with open(finding.real_path, "rb") as file:
        limit = max(DEFAULT_SECONDS, loading_seconds(file.fileno()))
    timeout = max(timeout, limit)
    # In a program that embeds Python, sys.executable may be empty.
    if sys.executable:
        verdict = _ask_child(finding, timeout, begun)
    else:
        verdict = _load(finding, lambda _step: None)
    return verdict, _noting_slow_ones(_steps(name, verdict), begun, limit)


def _noting_slow_ones(
    steps: list[CheckedStep], begun: Mapping[str, float], limit: float
) -> list[CheckedStep]:
    """Mark the longest step of a file whose code takes more time than other programs give it."""
    times = list(begun.values())
    taken = {step: end - at for (step, at), end in zip(begun.items(), times[1:], strict=False)}
    taken.pop("inspect", None)
    total = sum(taken.values())
    if total <= limit or steps[-1].result == "not tried":
        return steps
    slowest = max(taken, key=taken.__getitem__)
    note = (
        f"took {taken[slowest]:.1f} s; programs of users give loading {limit:g} s in all and "
        "refuse the file: ARMNN_LOADING_SECONDS of loading_time.h states more"
    )
    return [
        CheckedStep(one.step, "note", f"{one.detail}; {note}") if one.step == slowest else one
        for one in steps
    ]


def _find(path: BackendPath) -> tuple[str, Finding]:
    absolute = os.path.abspath(os.fsdecode(path))
    try:
        os.lstat(absolute)
    except (OSError, ValueError):
        raise InvalidArgumentError(f"file '{absolute}' does not exist") from None
    return os.path.basename(absolute), look_at("argument", absolute, {})


def _load(
    candidate: Candidate, on_step: OnStep, on_close: Callable[[], None] = lambda: None
) -> Verdict:
    """Load the file, in this process, and close it again."""
    linked = load_backends(enable_dynamic_backends=False)
    trust = None
    if environment.trust_level() == "locked":
        trust = TrustRules("locked", environment.lock_file())
    try:
        with LOADING:
            inspected = inspect_file(candidate, trust)
            verdict, backend = load_file(
                candidate, linked, _no_options, on_step=on_step, inspected=inspected
            )
        if backend is not None:
            on_close()
            backend.close()
    finally:
        linked.close()
    return verdict


def _no_options(
    _backend_id: str, _index: int, _defaults: Mapping[str, OptionDefault]
) -> dict[str, OptionValue]:
    return {}


# ---- A process of its own -----------------------------------------------------------------------

_START_SECONDS = 60.0  # at least: the start of Python is not time of the backend
_CODE: dict[Stage, str] = {
    "open": "code that runs at opening, such as a C++ constructor,",
    "id": "GetBackendId",
    "version": "GetVersion",
    "table": "BackendFactory or get_option_defaults",
    "create": "create or get_id",
}


def _check(parent: int, descriptor: int, path: str) -> None:
    """Check ``path``; write each step before it begins, then the verdict, as lines of JSON."""
    end_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.set_inheritable(descriptor, False)
    with open(descriptor, "w", encoding="utf-8") as pipe:

        def tell(**message: object) -> None:
            print(json.dumps(message), file=pipe, flush=True)

        try:
            _, finding = _find(path)
            verdict = (
                finding
                if isinstance(finding, Verdict)
                else _load(finding, lambda step: tell(step=step), lambda: tell(closing=True))
            )
        except InvalidArgumentError as error:
            tell(error=[error.message, error.details, error.hints])
        else:
            tell(verdict=verdict.as_dict())


def _ask_child(candidate: Candidate, timeout: float, begun: dict[str, float]) -> Verdict:
    """Check a file in a process; ``begun`` gets the time when each step began, and the end."""
    receiver, sender = os.pipe()
    step: Stage = "inspect"
    verdict: Verdict | None = None
    is_closing = False
    with open(receiver, "rb", buffering=0) as pipe:
        try:
            child = subprocess.Popen(
                child_command(__name__, "_check", os.getpid(), sender, candidate.path),
                stdin=subprocess.DEVNULL,
                stdout=2,  # keeps the backend's prints out of stdout
                pass_fds=[sender],
                process_group=0,  # Ctrl-C is for the parent, which ends the group
            )
        finally:
            os.close(sender)
        code: int | None
        with child:
            try:
                for message in _messages(pipe.fileno(), timeout):
                    if "error" in message:
                        raise _error_of(message["error"])
                    step = message.get("step", step)
                    is_closing = is_closing or "closing" in message
                    begun.setdefault("end" if "verdict" in message else step, time.monotonic())
                    if "verdict" in message:
                        verdict = _verdict_of(message["verdict"])
                        break
                code = child.wait(timeout)
            except _ForgedError:
                return refusal(
                    candidate.place,
                    candidate.path,
                    step,
                    "wild-answer",
                    "its code wrote to the pipe of the process that checks it",
                    "report it to the backend's vendor",
                    real_path=candidate.real_path,
                )
            except (TimeoutError, subprocess.TimeoutExpired):
                code = child.poll()  # it may have died while a child of its own holds the pipe
            finally:
                _end(child)
    if verdict is not None and (code == 0 or verdict.status != "loaded"):
        return verdict
    late = code is None
    guilty = "destroy, or code that runs at the end," if is_closing else _CODE.get(step)
    words = f"did not return within {timeout:g} s" if code is None else how_it_ended(code)
    return refusal(
        candidate.place,
        candidate.path,
        step,
        "timed-out" if late else "died",
        f"{WHEN_CLOSED}{words}" if is_closing else words,
        f"{guilty} {'does not return' if late else 'ended the process'}" if guilty else "",
        real_path=candidate.real_path,
    )


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the process group of the child; the child may have ended, its own children not."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


class _ForgedError(Exception):
    """The pipe holds a message that this module did not write: the checked file forged it."""


def _verdict_of(value: Any) -> Verdict:
    try:
        verdict = Verdict(**value)
    except TypeError:
        raise _ForgedError from None
    if not all(one is None or isinstance(one, str) for one in value.values()):
        raise _ForgedError
    return verdict


def _error_of(value: Any) -> InvalidArgumentError:
    match value:
        case [str() as text, list() as details, list() as hints] if all(
            isinstance(one, str) for one in (*details, *hints)
        ):
            return InvalidArgumentError(text, details=details, hints=hints)
    raise _ForgedError


def _message_of(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise _ForgedError from None
    if not isinstance(message, dict) or message.get("step", "inspect") not in STEPS:
        raise _ForgedError
    return message


def _messages(descriptor: int, timeout: float) -> Iterator[dict[str, Any]]:
    """Yield objects until the sender closes.

    Raises
    ------
    TimeoutError
        One does not come in time.
    _ForgedError
        One makes no sense.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    seconds = max(timeout, _START_SECONDS)
    pending = b""
    while True:
        if not poll.poll(seconds * 1000):
            raise TimeoutError
        data = os.read(descriptor, 1 << 16)
        if not data:
            return
        seconds = timeout
        *lines, pending = (pending + data).split(b"\n")
        yield from map(_message_of, lines)


_RESULTS = {"died": "died", "timed-out": "timed out"}


def _steps(name: str, verdict: Verdict) -> list[CheckedStep]:
    steps = []
    reached = STEPS.index(verdict.stage)
    parts = parse_file_name(name)
    passed = dict(_PASSED)
    passed["name"] = f"vendor {parts.vendor}, name {parts.name}" if parts is not None else ""
    passed["id"] = verdict.id or ""
    passed["version"] = f"backend API {verdict.version}"
    for index, step in enumerate(STEPS):
        if index > reached:
            steps.append(CheckedStep(step, "not tried", ""))
        elif index == reached and verdict.status != "loaded":
            result = _RESULTS.get(verdict.code, verdict.status)
            steps.append(CheckedStep(step, result, verdict.reason))
        elif step == "id" and is_reserved(passed[step], verdict.real_path or ""):
            note = f"{passed[step]}, of the package: loads only where this file itself is named"
            steps.append(CheckedStep(step, "note", note))
        elif step == "symbols" and (others := _other_exports(verdict)):
            steps.append(CheckedStep(step, "note", f"{passed[step]}; also {others}"))
        else:
            steps.append(CheckedStep(step, "ok", passed[step]))
    return steps


def _other_exports(verdict: Verdict) -> str:
    others = [name for name in exported_names(verdict.real_path or "") if name not in EXPORTS]
    if not others:
        return ""
    shown = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
    return f"{len(others)} more: {shown} (-fvisibility=hidden keeps them inside)"


_SHDR_SIZE, _SYMBOL_SIZE = 64, 24
_SHT_DYNSYM = 11
_LOCAL = 0
_MAX_FILE = 1 << 30
# Linkers give every library these, whatever its visibility.
_OF_THE_LINKER = {"_init", "_fini", "_edata", "_end", "__bss_start", "__end__", "__bss_start__",
                  "__bss_end__", "_bss_end__"}  # fmt: skip


def exported_names(path: str) -> list[str]:
    """Return the names that a 64-bit file exports, without the linker's; [] if unknown."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_FILE)
        return sorted(set(_names(data)) - _OF_THE_LINKER)
    except (OSError, struct.error, ValueError, IndexError):
        return []


def _names(data: bytes) -> Iterator[str]:
    order = "<" if data[5] == 1 else ">"
    (offset,) = struct.unpack_from(f"{order}Q", data, 40)
    size, count = struct.unpack_from(f"{order}HH", data, 58)
    if size != _SHDR_SIZE:
        return
    sections = [
        struct.unpack_from(f"{order}IIQQQQIIQQ", data, offset + index * size)
        for index in range(count)
    ]
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind != _SHT_DYNSYM:
            continue
        strings = sections[link][4]
        for at in range(start, start + length, _SYMBOL_SIZE):
            name, info, other, section = struct.unpack_from(f"{order}IBBH", data, at)
            # Defined here and not hidden.
            if section and info >> 4 != _LOCAL and other & 3 not in (1, 2):
                begin = strings + name
                yield data[begin : data.index(b"\0", begin)].decode("utf-8", "backslashreplace")
