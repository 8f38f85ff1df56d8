# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""All loading steps on one file, wherever it lies."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from armnn_py._native.backend_options import OptionDefault, OptionValue
from armnn_py._native.dynamic_library import EXPORTS
from armnn_py.backends.discovery import BackendPath, Candidate, Finding, look_at, refusal
from armnn_py.backends.dynamic_backend import OnStep, load_file
from armnn_py.backends.exports import exported_names
from armnn_py.backends.naming import parse_file_name
from armnn_py.backends.registry import load_backends
from armnn_py.backends.shared_library import LOADING
from armnn_py.backends.verdict import Stage, Verdict
from armnn_py.errors import InvalidArgumentError

__all__ = ["CheckedStep", "check_file"]

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


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """One step: its result is ``ok``, a verdict's status, ``died``, or ``not tried``."""

    step: Stage
    result: str
    detail: str


def check_file(path: BackendPath) -> tuple[Verdict, list[CheckedStep]]:
    """Take one file through every step of loading, then close it, in a process of its own.

    The code of a file can end the process that opens it: then the verdict is a refusal of code
    ``died`` at the step that was under way. The id is compared with those of the backends linked
    into the core library.

    Raises
    ------
    InvalidArgumentError
        There is no such file, or an environment variable makes no sense.
    """
    name, finding = _find(path)
    if isinstance(finding, Verdict):
        return finding, _steps(name, finding)
    # Embedded in some program, Python may not know what starts it.
    verdict = _ask_child(finding) if sys.executable else _load(finding, lambda _step: None)
    return verdict, _steps(name, verdict)


def _find(path: BackendPath) -> tuple[str, Finding]:
    absolute = os.path.abspath(os.fsdecode(path))
    folder, name = os.path.split(absolute)
    try:
        with os.scandir(folder) as entries:
            (entry,) = (found for found in entries if found.name == name)
    except (OSError, ValueError):
        raise InvalidArgumentError(f"file '{absolute}' does not exist") from None
    return name, look_at("argument", entry, {})


def _load(candidate: Candidate, on_step: OnStep) -> Verdict:
    """Load the file, in this process, and close it again."""
    linked = load_backends(enable_dynamic_backends=False)
    try:
        with LOADING:
            verdict, backend = load_file(candidate, linked, _no_options, on_step=on_step)
        if backend is not None:
            backend.close()
    finally:
        linked.close()
    return verdict


def _no_options(_backend_id: str, _defaults: Mapping[str, OptionDefault]) -> dict[str, OptionValue]:
    return {}


# ---- A process of its own -----------------------------------------------------------------------

# The child sees the modules that its parent sees, and nothing of the working folder.
_CHILD = (
    "import json, sys; descriptor, path, sys.path[:] = json.loads(sys.argv[1]); "
    "from armnn_py.backends.checking import _serve; _serve(descriptor, path)"
)
_HINTS: dict[Stage, str] = {
    "open": "code that runs at opening, such as a C++ constructor, ended the process",
    "id": "GetBackendId ended the process",
    "version": "GetVersion ended the process",
    "table": "BackendFactory or get_option_defaults ended the process",
    "create": "create, get_id, destroy or code that runs at the end ended the process",
}


def _serve(descriptor: int, path: str) -> None:
    """Check ``path`` and write, a line of JSON each, every step before it begins and the end."""
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
                else _load(finding, lambda step: tell(step=step))
            )
        except InvalidArgumentError as error:
            tell(error=[error.message, error.details, error.hints])
        else:
            tell(verdict=verdict.as_dict())


def _ask_child(candidate: Candidate) -> Verdict:
    receiver, sender = os.pipe()
    argument = json.dumps([sender, candidate.path, sys.path])
    step: Stage = "inspect"
    verdict: Verdict | None = None
    with open(receiver, encoding="utf-8") as pipe:
        try:
            child = subprocess.Popen(
                [sys.executable, "-P", "-c", _CHILD, argument],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what the backend prints is no part of an answer
                pass_fds=[sender],
                process_group=0,  # Ctrl-C is for the parent, which ends the child
            )
        finally:
            os.close(sender)
        with child:
            try:
                for line in pipe:
                    message = json.loads(line)
                    if "error" in message:
                        text, details, hints = message["error"]
                        raise InvalidArgumentError(text, details=details, hints=hints)
                    step = message.get("step", step)
                    if "verdict" in message:
                        verdict = Verdict(**message["verdict"])
                        break
                code = child.wait()
            finally:
                child.kill()
    if verdict is not None and (code == 0 or verdict.status != "loaded"):
        return verdict
    return refusal(
        candidate.place,
        candidate.path,
        step,
        "died",
        _words(code),
        _HINTS.get(step, ""),
        real_path=candidate.real_path,
    )


def _words(code: int) -> str:
    """Return how a process ended: a signal, or an exit code that nobody asked for."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


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
            result = "died" if verdict.code == "died" else verdict.status
            steps.append(CheckedStep(step, result, verdict.reason))
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
