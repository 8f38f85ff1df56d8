# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whose fault a failure is: the peer's, which pages tell, or ours, which fails the run."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class PeerError(Exception):
    """A peer refused by a status code, not by an exception of its own."""


def source_of(error: BaseException, packages: frozenset[str]) -> str | None:
    """Return which of a peer's packages a traceback ends in; nothing if in the benchmark.

    Frames are searched from the innermost one; those of third libraries, such as numpy, do not
    decide. Code in C leaves no frame: an error from a C function that the benchmark called by
    itself counts as the benchmark's, because wrong arguments are the usual cause.
    """
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in packages:
            return package
        if Path(frame.f_code.co_filename).parent == HERE:
            return None
    return None


def describe(error: BaseException, packages: frozenset[str]) -> dict[str, str | bool]:
    """Return an exception as results have it: its text, and whether it is the benchmark's fault."""
    if isinstance(error, PeerError):
        return {"error": str(error), "ours": False}
    source = source_of(error, packages)
    told = f"{type(error).__name__}: {error}"[:400]
    return {"error": told if source is None else f"{source}: {told}", "ours": source is None}


def faults_of(networks: dict[str, Any]) -> list[str]:
    """Return what was not timed by a fault of the benchmark, from results by network."""
    return [
        f"{engine}, {name}: {facts['error']}"
        for name, by_threads in networks.items()
        for result in by_threads.values()
        for engine, facts in result.items()
        if facts.get("ours")
    ]
