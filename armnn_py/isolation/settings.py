# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which backends run in processes of their own, and with which limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armnn_py.device_ids import split_id
from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30}


@public_class
@dataclass(frozen=True, slots=True)
class Isolation:
    """Limits of the worker process of a backend; the defaults set none.

    Attributes
    ----------
    memory
        Most memory that the process may have for itself, in bytes or as ``"512M"``.
    deadline
        Seconds that one run in the worker may take; it is then ended, and another backend answers.
    patience
        Seconds for everything else: to start, to answer a question, to compile.
    threads
        Threads of the process that compute; None: as many as the host's.
    open_files
        Most open files.
    written
        Most bytes of each file that the process writes, in bytes or as ``"1G"``.
    files
        The only files and folders that the process may change, ``"/dev/acme*"`` for instance; of
        others it reads those of the system, of Python and of backends. None: all of the user's.
        Needs Landlock.
    network
        False: no sockets to other machines. Needs seccomp.
    programs
        False: the process starts no other program. Needs seccomp.
    restarts
        How often a worker that ended is started again; one that ran for an hour begins a new
        count. After one more end the backend gets no more work in this runtime.

    Raises
    ------
    InvalidArgumentError
        A value is of the wrong type or out of range.
    """

    memory: int | str | None = None
    deadline: float | None = None
    patience: float = 60.0
    threads: int | None = None
    open_files: int | None = None
    written: int | str | None = None
    files: Sequence[str] | None = None
    network: bool = True
    programs: bool = True
    restarts: int = 3

    def __post_init__(self) -> None:
        for size in ("memory", "written"):
            if getattr(self, size) is not None:
                _bytes(size, getattr(self, size))
        for name, least in (("threads", 1), ("open_files", 32), ("restarts", 0)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise InvalidArgumentError(
                    f"Isolation: {name} is {value!r}, an int of at least {least} expected"
                )
        if self.files is not None and (
            isinstance(self.files, str) or not all(isinstance(one, str) for one in self.files)
        ):
            raise InvalidArgumentError(
                f"Isolation: files is {self.files!r}, a list of paths expected"
            )
        for name in ("deadline", "patience"):
            value = getattr(self, name)
            if value is None and name == "deadline":
                continue
            if type(value) not in (int, float) or not 0 < value < float("inf"):
                raise InvalidArgumentError(
                    f"Isolation: {name} is {value!r}, seconds above 0 expected"
                )

    @property
    def memory_bytes(self) -> int | None:
        """``memory`` in bytes."""
        return None if self.memory is None else _bytes("memory", self.memory)

    @property
    def written_bytes(self) -> int | None:
        """``written`` in bytes."""
        return None if self.written is None else _bytes("written", self.written)


#: What ``Runtime(isolate=...)`` takes.
Isolate: TypeAlias = Literal["all"] | Sequence[str] | Mapping[str, Isolation]


def _bytes(name: str, value: object) -> int:
    if type(value) is int and value > 0:
        return value
    match = re.fullmatch(r"([1-9]\d*)([KMG]?)", value) if isinstance(value, str) else None
    if match is None:
        raise InvalidArgumentError(
            f"Isolation: {name} is {value!r}, bytes or a text such as '512M' expected"
        )
    return int(match[1]) << _UNITS[match[2]]


def read_isolate(value: Isolate | None) -> dict[str, Isolation]:
    """Read ids with their limits; the id ``"all"`` stands for every backend from outside.

    Raises
    ------
    InvalidArgumentError
        It is neither a sequence of ids nor a mapping of ids to `Isolation`.
    """
    if value is None:
        return {}
    if isinstance(value, str):
        value = [value]
    if isinstance(value, Mapping):
        items = dict(value)
    elif isinstance(value, Sequence):
        items = dict.fromkeys(value, Isolation())
    else:
        raise InvalidArgumentError(
            f"isolate: {type(value).__name__} given, ids of backends expected",
            hints=["isolate=['AcmeNpu'], isolate={'AcmeNpu': Isolation(deadline=1.0)}, or 'all'"],
        )
    for name, limits in items.items():
        if not isinstance(name, str) or not name:
            raise InvalidArgumentError(f"isolate: {name!r} given, an id of a backend expected")
        if split_id(name)[0] != name:
            raise InvalidArgumentError(
                f"isolate: '{name}' is a device, an id of a backend expected",
                hints=[f"'{split_id(name)[0]}' isolates all its devices, each in its own worker"],
            )
        if not isinstance(limits, Isolation):
            raise InvalidArgumentError(
                f"isolate['{name}']: {type(limits).__name__} given, Isolation expected"
            )
    return items
