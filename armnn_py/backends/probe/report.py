# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What ``armnn_probe`` writes: the stages that a file has entered, then the report.

These are lines of a word and its values, the last one is ``end NONCE``.
The vendor's code shares memory and the pipe with those who write it, so that any line may be wrong:
what makes no sense is left out, and a report without its end is one of a program that was killed.
"""

from __future__ import annotations

import os

from armnn_py.backends.probe.findings import CALLS, CHANGES, Ended, Library, ProbeFinding

__all__ = ["read_report"]

_HAPPENINGS = ("forked", "children", "closed", "wild")
_MOST_TEXT = 2048
_MOST_NAMES = 256


def read_report(data: bytes, nonce: str, limit_seconds: float) -> ProbeFinding:
    """Return what a report says."""
    stage, ended, number = "start", "gone", 0
    happenings: dict[str, str] = {}
    entered: dict[str, int] = {}
    facts: dict[str, str] = {}
    variables: list[str] = []
    libraries: list[Library] = []
    version: tuple[int, int] | None = None
    is_refused = has_end = overflow = False
    for line in data.decode("ascii", "replace").split("\n"):
        word, _, rest = line.partition(" ")
        values = rest.split(" ")
        if word == "stage" and values[0] in CALLS:
            stage = values[0]
        elif word == "entered" and len(values) == 2:
            entered[values[0]] = _number(values[1])
        elif word in _HAPPENINGS and values[0] in CALLS:
            happenings.setdefault(word, values[0])
        elif word == "changed" and len(values) == 2 and values[0] in CHANGES and values[1] in CALLS:
            happenings.setdefault(values[0], values[1])
        elif word == "left" and _number(values[0]) > 0:
            happenings.setdefault("children", stage)
        elif word == "refused":
            is_refused = True
            if values[0] in CALLS:
                happenings.setdefault(word, values[0])
        elif word == "ended" and len(values) == 2:
            ended, number = values[0], _number(values[1])
        elif word == "variable" and len(variables) < _MOST_NAMES:
            variables.append(_text(rest))
        elif word == "library" and len(values) == 5 and len(libraries) < _MOST_NAMES:
            library = _library(values)
            libraries += [] if library is None else [library]
        elif word in ("id", "words"):
            facts[word] = _text(rest)
        elif word == "version" and len(values) == 2:
            version = _number(values[0]), _number(values[1])
        elif word == "overflow":
            overflow = True
        elif word == "end" and values[0] == nonce:
            has_end = True
    begin, end = entered.get("open", 0), entered.get("context", 0)
    return ProbeFinding(
        stage,
        _ended(ended, is_refused=is_refused) if has_end else "gone",
        number,
        tuple(happenings.items()),
        facts.get("id"),
        version,
        facts.get("words", "").strip()[-_MOST_TEXT:],
        round((end - begin) / 1e9, 6) if end > begin > 0 else 0.0,
        limit_seconds,
        tuple(dict.fromkeys(variables)),
        tuple(libraries),
        not overflow,
    )


def _ended(word: str, *, is_refused: bool) -> Ended:
    if word == "done":
        return "refused" if is_refused else "passed"
    if word == "signal":
        return "signal"
    if word == "exit":
        return "exit"
    return "time" if word == "time" else "gone"


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0


def _text(digits: str) -> str:
    try:
        return bytes.fromhex(digits).decode("utf-8", "replace")
    except ValueError:
        return ""


def _library(values: list[str]) -> Library | None:
    try:
        device, inode, size, modified_ns = map(_number, values[:4])
        path = os.fsdecode(bytes.fromhex(values[4]))
    except ValueError:
        return None
    return Library(path, device, inode, size, modified_ns)
