"""All loading steps on one file, wherever it lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from armnn_py._native.backend_options import OptionDefault, OptionValue
from armnn_py.backends.backend import Backend
from armnn_py.backends.discovery import BackendPath, look_at
from armnn_py.backends.dynamic_backend import load_file
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
    """One step: its result is ``ok``, a verdict's status, or ``not tried``."""

    step: Stage
    result: str
    detail: str


def check_file(path: BackendPath) -> tuple[Verdict, list[CheckedStep]]:
    """Take one file through every step of loading, then close it.

    The id is compared with those of the backends linked into the core library.

    Raises
    ------
    InvalidArgumentError
        There is no such file.
    """
    absolute = os.path.abspath(os.fsdecode(path))
    folder, name = os.path.split(absolute)
    try:
        with os.scandir(folder) as entries:
            (entry,) = (found for found in entries if found.name == name)
    except (OSError, ValueError):
        raise InvalidArgumentError(f"file '{absolute}' does not exist") from None
    finding = look_at("argument", entry, {})
    backend: Backend | None = None
    if isinstance(finding, Verdict):
        verdict = finding
    else:
        linked = load_backends(enable_dynamic_backends=False)
        try:
            with LOADING:
                verdict, backend = load_file(finding, linked, _no_options)
            if backend is not None:
                backend.close()
        finally:
            linked.close()
    return verdict, _steps(name, verdict)


def _no_options(_backend_id: str, _defaults: Mapping[str, OptionDefault]) -> dict[str, OptionValue]:
    return {}


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
            steps.append(CheckedStep(step, verdict.status, verdict.reason))
        else:
            steps.append(CheckedStep(step, "ok", passed[step]))
    return steps
