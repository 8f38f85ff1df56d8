# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a forked process is at, where its parent can read it whenever it wants to know.

A check has a hundred steps. A line down a pipe for each would wake the parent as often; a file in
memory is read only when the process has ended, or has not been heard of for too long. It is written
by calls of the system, never mapped: a backend that writes where it must not cannot reach it.
"""

from __future__ import annotations

import json
import os
import struct
import weakref
from typing import NamedTuple

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
        self._file = os.memfd_create("bulletin")
        self._last = Note()
        weakref.finalize(self, os.close, self._file)

    def post(self, **changes: int | str | None) -> None:
        """Note what is under way from now on; what is not given stays."""
        note = self._last._replace(serial=self._last.serial + 1, **changes)  # type: ignore[arg-type]
        self._last = note
        data = json.dumps(note[1:]).encode()
        if len(data) > _LONGEST:
            data = json.dumps([note.start, note.step[:200], note.case]).encode()
        os.pwrite(self._file, _LENGTH.pack(len(data)) + data, _place(note.serial))
        # Last: what is read before is whole.
        os.pwrite(self._file, _COUNT.pack(note.serial), 0)

    def read(self) -> Note:
        """Return the last note; of one that makes no sense only its number.

        Its writer may have had its own memory overwritten.
        """
        count = os.pread(self._file, _COUNT.size, 0)
        if not count:
            return Note()
        (serial,) = _COUNT.unpack(count)
        try:
            slot = os.pread(self._file, _SLOT, _place(serial))
            (length,) = _LENGTH.unpack_from(slot)
            start, step, case = json.loads(slot[_LENGTH.size : _LENGTH.size + length])
            if not (isinstance(step, str) and isinstance(case, int)):
                return Note(serial)
        except (ValueError, TypeError, OverflowError, RecursionError, OSError, struct.error):
            return Note(serial)
        return Note(serial, start, step, case)


def _place(serial: int) -> int:
    """Return where in the file a note is, by its number."""
    return _COUNT.size + serial % 2 * _SLOT
