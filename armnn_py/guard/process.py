# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process around an execute: it is left as it was."""

from __future__ import annotations

import itertools
import locale
import os
import re
import signal
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.guard.outcome import CheckFailedError
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

#: Sets of signals of a thread in proc(5), as hexadecimal numbers.
_SIGNALS = {b"SigBlk": "blocked", b"SigIgn": "ignored", b"SigCgt": "handled"}
_SIGNALS_OF_THREAD = re.compile(rb"(SigBlk|SigIgn|SigCgt):\s+(\w+)")
#: Not those that the C library keeps for itself.
_VALID = sorted(signal.valid_signals())
#: A backend may keep a file that it opens once, but not one for each of so many runs.
_RUNS = 4


class UnchangedProcess:
    """Notices what code left behind in this thread and this process; ``who`` ran it, in words."""

    def __init__(self, who: str = "execute") -> None:
        self._who = who

    def __enter__(self) -> None:
        self._before = self._state()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            return
        for name, value in self._state().items():
            if value != self._before[name]:
                raise CheckFailedError(
                    f"{self._who} changed {name}: {self._before[name]} -> {value}"
                )

    @staticmethod
    def _state() -> dict[str, Any]:
        tiny, one, little = np.float32(1e-40), np.float32(1), np.float32(1e-9)
        much = np.float32(9e-8)  # more than half of a step at 1
        with open("/proc/thread-self/status", "rb", buffering=0) as file:  # noqa: PTH123
            signals = _SIGNALS_OF_THREAD.findall(file.readall())
        with np.errstate(all="ignore"):
            return {
                "how numbers are rounded": tuple(
                    float(sum_) for sum_ in (one + little, -one - little, one + much)
                ),
                "how denormals are computed with (FTZ, DAZ)": float(tiny * one),
                "the working folder": os.getcwd(),  # noqa: PTH109
                "the locale": locale.setlocale(locale.LC_ALL),
                **{
                    f"which signals are {_SIGNALS[name]}": _members(int(mask, 16))
                    for name, mask in signals
                },
            }


def _members(mask: int) -> list[int]:
    return [number for number in _VALID if mask >> (number - 1) & 1] if mask else []


def open_files() -> set[int]:
    """The file descriptors of the process."""
    return {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208


def check_left_files(run: Callable[[], object]) -> None:
    """Run a few times, and see whether each run leaves a file open.

    Raises
    ------
    CheckFailedError
        Each run does.
    """
    seen = [open_files()]
    for _ in range(_RUNS):
        run()
        seen.append(open_files())
    left_files(seen)


def left_files(seen: list[set[int]]) -> None:
    """Compare the descriptors before a few runs and after each.

    Raises
    ------
    CheckFailedError
        Each run left one open.
    """
    opened = [len(after - before) for before, after in itertools.pairwise(seen)]
    if len(opened) >= _RUNS and all(opened):
        raise CheckFailedError(f"execute leaves {counted(min(opened), 'file')} open in each run")
