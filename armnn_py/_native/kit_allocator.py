# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""An allocator of the host that fails when a test wants it to, and keeps account."""

from __future__ import annotations

import mmap
import threading
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.memory.guarded_memory import Region

if TYPE_CHECKING:
    from armnn_py._native.kit_host import KitHost

__all__ = ["KitAllocator"]

_FIELDS: Any = abi.armnn_host_t._fields_


class KitAllocator:
    """Memory in pages of its own; they become unreadable with their release.

    Parameters
    ----------
    host
        Its ``allocate`` and ``release`` lead here from now on.

    Attributes
    ----------
    count
        How many calls of ``allocate`` there were since `begin`.
    wrong
        The first misuse by a backend, in words; else empty.
    """

    def __init__(self, host: KitHost) -> None:
        self.count, self.wrong = 0, ""
        self._fails_at = 0
        self._live: dict[int, Region] = {}
        self._dead: list[Region] = []
        self._lock = threading.Lock()
        kinds = dict(_FIELDS)
        self._keep = kinds["allocate"](self._allocate), kinds["release"](self._release)
        host.table.allocate, host.table.release = self._keep

    def begin(self, fails_at: int = 0) -> None:
        """Count anew; call number ``fails_at`` gets no memory."""
        self.count, self._fails_at = 0, fails_at

    @property
    def live(self) -> int:
        """How many blocks were not released."""
        return len(self._live)

    def _allocate(self, _context: Any, size: int, alignment: int) -> int | None:
        with self._lock:
            self.count += 1
            if self.count == self._fails_at or alignment > mmap.PAGESIZE:
                return None
            region = Region(max(size, 1), max(alignment, 1), "end", 0xA5)
            self._live[region.address] = region
            return region.address

    def _release(self, _context: Any, memory: int | None) -> None:
        with self._lock:
            if memory is None:
                return
            region = self._live.pop(memory, None)
            if region is None:
                self.wrong = self.wrong or "it releases memory twice, or memory of another source"
                return
            damage = region.damage()
            if damage:
                self.wrong = self.wrong or f"it wrote beside its memory, {damage}"
            region.allow(read=False, write=False)
            self._dead.append(region)
