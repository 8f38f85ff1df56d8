# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What comes after loading, tried on small networks in processes that may die of it."""

from __future__ import annotations

import os
from typing import Any, Literal

from msgspec import Struct

from armnn_py.backends.loader.checking import CheckedStep
from armnn_py.errors import InternalError
from armnn_py.testing.serving import served
from armnn_py.testing.target import target_for

#: What a backend is asked to do, in order; the first five for each network.
DEEP_STEPS = (
    "support",
    "optimize",
    "create_workload",
    "execute",
    "destroy_workload",
    "quiesce",
    "destroy",
)
_OF_NETWORKS = 5
_RESULTS = {"failed": "failed", "crashed": "died", "hung": "timed out"}


class DeepFailure(Struct, frozen=True):
    """What went wrong.

    Attributes
    ----------
    step
        What was under way, one of `DEEP_STEPS` or ``create``.
    network
        The layer or network, in words; empty for what is about no network.
    result
        ``failed`` with an error, ``died`` or ``timed out``.
    message
        How.
    """

    step: str
    network: str
    result: Literal["failed", "died", "timed out"]
    message: str


def check_deep(
    path: str | os.PathLike[str], *, timeout: float = 10.0
) -> tuple[list[CheckedStep], list[DeepFailure]]:
    """Use a backend that loads: ask, optimise, make workloads, execute, destroy it all.

    Of each kind of layer the first that it takes is run once, in the first data type that it takes,
    then some networks of a few layers. Numbers are not compared: that is `check_conformance`. All
    this happens in processes of their own; what they leave behind is ended.

    Parameters
    ----------
    path
        The file.
    timeout
        Seconds that one step may take.

    Returns
    -------
    steps : list of CheckedStep
        One for each of `DEEP_STEPS`.
    failures : list of DeepFailure
        All of them. After the third process that ended, the rest is not tried.

    Raises
    ------
    BackendError
        The file does not load.
    """
    failures: list[DeepFailure] = []
    finished: set[str] = set()
    ran = 0
    is_whole = True
    with target_for(path, timeout=timeout) as target:
        order = {"target": target.as_json(), "timeout": timeout}
        for message in served("armnn_py.testing.deep_server", order):
            if "ran" in message:
                ran += 1
            elif "finished" in message:
                finished.add(message["finished"])
            elif "stopped" in message:
                is_whole = False
            else:
                failures.append(_failure(message))
    if not failures and not finished:
        raise InternalError("the process that uses the backend ended without a word")
    return [_step(name, ran, is_whole, finished, failures) for name in DEEP_STEPS], failures


def _failure(message: dict[str, Any]) -> DeepFailure:
    result: Any = _RESULTS[message["outcome"]]
    return DeepFailure(message["step"], message["network"], result, message["message"])


def _step(
    name: str, ran: int, is_whole: bool, finished: set[str], failures: list[DeepFailure]
) -> CheckedStep:
    found = [one for one in failures if one.step == name]
    if found:
        first, *more = found
        words = f"{first.network}: {first.message}" if first.network else first.message
        others = f"; {len(more)} more" if more else ""
        return CheckedStep(name, first.result, words + others)
    if DEEP_STEPS.index(name) >= _OF_NETWORKS:
        return CheckedStep(name, "ok" if name in finished else "not tried", "")
    if not ran:
        is_asked = name == "support" and not any(one.step == "create" for one in failures)
        nothing = "takes no layer that it was asked about" if not failures else ""
        return CheckedStep(name, "note" if is_asked and nothing else "not tried", nothing)
    rest = "" if is_whole else "; the rest was not tried"
    return CheckedStep(name, "ok", f"{ran} small {'network' if ran == 1 else 'networks'}{rest}")
