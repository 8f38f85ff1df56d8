# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Services of the host: a backend does without them, and without memory it fails in words.

The allocator fails when a test wants it to, and keeps account.
"""

from __future__ import annotations

import mmap
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.kit_host import SERVICES, KitHost
from armnn_py._native.library import use_host
from armnn_py._native.memory.guarded_memory import Region
from armnn_py.errors import ArmnnError
from armnn_py.guard.outcome import CheckFailedError, nearly_equal
from armnn_py.testing.features.lives import Loadable, live, loadables, use

if TYPE_CHECKING:
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

_MOST = 64  # calls of allocate that fail, from open to close or for each layer
_WATCH_SECONDS = 1.0


def check_services(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Run on a host without services, on one whose memory runs out, and look on after the end.

    Raises
    ------
    CheckFailedError
        The backend needs a service, or misuses memory after a failed allocation.
    NotApplicableError
        The backend takes no layer.
    """
    host = KitHost()
    use_host(host.pointer)
    with target.runtime() as runtime:
        layers = list(loadables(taken))
    expected = live(target, layers[0])
    for names in (*((name,) for name in SERVICES), SERVICES):
        words = f"without {names[0]}" if len(names) == 1 else "without any service"
        on_step(f"a host {words}")
        with host.without(names):
            _check_life(target, layers[0], expected, words)
    allocator = KitAllocator(host)
    before = _check_opening(target, layers[0], allocator, on_step)
    with target.runtime() as runtime:
        for layer in layers:
            _check_loading(runtime, target.id, layer, allocator, on_step)
    on_step(f"{_WATCH_SECONDS:g} s after the last close; memory of the host is unreadable")
    time.sleep(_WATCH_SECONDS)
    _check_account(allocator, before, "after the last close")


def _check_life(target: Target, layer: Loadable, expected: dict[str, Any], words: str) -> None:
    try:
        found = live(target, layer)
    except ArmnnError as error:
        reason = "; ".join((error.message, *error.details))
        raise CheckFailedError(f"on a host {words} it does not work: {reason}") from None
    if not all(nearly_equal(found[name], expected[name]) for name in expected):
        raise CheckFailedError(f"on a host {words} a layer gives other numbers")


def _check_opening(
    target: Target, layer: Loadable, allocator: KitAllocator, on_step: Callable[[str], None]
) -> int:
    """Fail each call of ``allocate`` in a life; return the blocks that stay after one."""
    allocator.begin()
    live(target, layer)
    before = allocator.live
    for number in failing_calls(allocator.count):
        words = f"no memory for call {number} of allocate, from open to close"
        on_step(words)
        _try(lambda: live(target, layer), allocator, number)
        _check_account(allocator, before, words)
    return before


def _check_loading(
    runtime: Runtime,
    backend: str,
    layer: Loadable,
    allocator: KitAllocator,
    on_step: Callable[[str], None],
) -> None:
    """Fail each call of ``allocate`` from loading a layer to unloading it."""
    use(runtime, backend, layer)
    before = allocator.live
    allocator.begin()
    use(runtime, backend, layer)
    for number in failing_calls(allocator.count):
        words = f"no memory for call {number} of allocate, from loading {layer.name} to unloading"
        on_step(words)
        _try(lambda: use(runtime, backend, layer), allocator, number)
        _check_account(allocator, before, words)


def failing_calls(count: int) -> list[int]:
    """Return the numbers of the calls that fail, one at a time; of many, evenly spread ones."""
    return list(map(int, np.linspace(1, count, min(count, _MOST))))


def _try(function: Callable[[], Any], allocator: KitAllocator, number: int) -> None:
    allocator.begin(number)
    try:
        function()
    except (ArmnnError, MemoryError):
        pass  # it says so; or it did without
    finally:
        allocator.begin()


def _check_account(allocator: KitAllocator, before: int, words: str) -> None:
    if allocator.wrong:
        raise CheckFailedError(f"{words}: {allocator.wrong}")
    if allocator.live > before:
        left = allocator.live - before
        raise CheckFailedError(f"{words}: memory is not released, {left} blocks")


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
