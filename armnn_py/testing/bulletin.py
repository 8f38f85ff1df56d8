# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a forked process is at, where its parent can read it whenever it wants to know.

A check has a hundred steps. A line down a pipe for each would wake the parent as often; memory that
both share is read only when the process has ended, or has not been heard of for too long.
"""

from __future__ import annotations

import json
import mmap
import struct
from typing import NamedTuple

__all__ = ["Bulletin", "Note"]

_COUNT = struct.Struct("=Q")
_LENGTH = struct.Struct("=I")
_SLOT = 1 << 11
_LONGEST = _SLOT - _LENGTH.size


class Note(NamedTuple):
    """What is under way: ``start`` is the group or the number of a check, ``step`` a part of it.

    ``case`` is the number of the case among those that share the process; ``serial`` grows with
    each note.
    """

    serial: int = 0
    start: int | str | None = None
    step: str = ""
    case: int = 0


class Bulletin:
    """Two places for notes, written in turn: the last whole one survives whatever ends its writer.

    Made before the fork. The child posts, the parent reads.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _COUNT.size + 2 * _SLOT)
        self._last = Note()

    def post(self, **changes: int | str | None) -> None:
        """Note what is under way from now on; what is not given stays."""
        note = self._last._replace(serial=self._last.serial + 1, **changes)  # type: ignore[arg-type]
        self._last = note
        data = json.dumps(note[1:]).encode()
        if len(data) > _LONGEST:
            data = json.dumps([note.start, note.step[:200], note.case]).encode()
        at = _COUNT.size + note.serial % 2 * _SLOT
        _LENGTH.pack_into(self._memory, at, len(data))
        self._memory[at + _LENGTH.size : at + _LENGTH.size + len(data)] = data
        _COUNT.pack_into(self._memory, 0, note.serial)  # last: what is read before is whole

    def read(self) -> Note:
        """Return the last note."""
        (count,) = _COUNT.unpack_from(self._memory, 0)
        if count == 0:
            return Note()
        at = _COUNT.size + count % 2 * _SLOT
        (length,) = _LENGTH.unpack_from(self._memory, at)
        data = self._memory[at + _LENGTH.size : at + _LENGTH.size + length]
        return Note(count, *json.loads(data))

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
