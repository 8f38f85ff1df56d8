# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A table of host services whose ``parallel_for`` goes about its work as a test wants it to."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from typing import TYPE_CHECKING, Any, Literal

from armnn_py._native import abi
from armnn_py._native.library import core_host

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager

Cutting = Literal["core", "serial", "backwards", "odd", "together"]
"""By the threads of the native library; in one piece; in the smallest pieces, the last one first;
in pieces of unequal sizes; in a few large pieces, each in a thread of its own, which begin at the
same moment. Threads are numbered in turn, whoever runs the piece."""

_FIELDS: Any = abi.armnn_host_t._fields_
_ParallelFor, _Concurrency, _InParallel = (
    dict(_FIELDS)[name] for name in ("parallel_for", "concurrency", "in_parallel")
)
SERVICES: tuple[str, ...] = tuple(
    name for name, kind in _FIELDS if hasattr(kind, "argtypes") and name != "context"
)
"""The entries of the table that may be null."""

_MOST_PIECES = 60
_TOGETHER = 4  # pieces


class KitHost:
    """The native library's services but for ``parallel_for`` and ``concurrency``.

    Attributes
    ----------
    cutting
        How work is cut.
    threads
        What ``concurrency`` answers; None: what the native library does.
    between
        Called once when the next parallel_for begins, before any piece runs.
    around
        Entered around each piece that has a thread of its own.
    count
        How many calls of ``parallel_for`` there were.
    """

    def __init__(self) -> None:
        self._core = core_host().contents
        self.table = abi.armnn_host_t()
        size = min(ctypes.sizeof(self.table), self._core.header.struct_size)
        ctypes.memmove(ctypes.addressof(self.table), ctypes.addressof(self._core), size)
        self.cutting: Cutting = "core"
        self.threads: int | None = None
        self.between: Callable[[], None] | None = None
        self.around: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
        self.count = 0
        self._inside = threading.local()
        self._keep = (
            _ParallelFor(self._parallel_for),
            _Concurrency(self._concurrency),
            _InParallel(self._in_parallel),
        )
        self.table.parallel_for, self.table.concurrency, self.table.in_parallel = self._keep

    @property
    def pointer(self) -> Any:
        """What `armnn_py._native.library.use_host` takes."""
        return ctypes.pointer(self.table)

    @contextlib.contextmanager
    def bypassed(self) -> Iterator[None]:
        """Lead to the native library without a detour; for many calls, with ``cutting`` "core"."""
        table, core = self.table, self._core
        table.parallel_for, table.in_parallel = core.parallel_for, core.in_parallel
        try:
            yield
        finally:
            table.parallel_for, table.concurrency, table.in_parallel = self._keep

    @contextlib.contextmanager
    def without(self, names: Collection[str]) -> Iterator[None]:
        """Make entries of the table null."""
        kept = {name: getattr(self.table, name) for name in names}
        for name, function in kept.items():
            setattr(self.table, name, type(function)())
        try:
            yield
        finally:
            for name, function in kept.items():
                setattr(self.table, name, function)

    def _concurrency(self, _context: Any) -> int:
        if self.threads is not None:
            return self.threads
        return int(self._core.concurrency(self._core.context))

    def _in_parallel(self, _context: Any) -> int:
        if getattr(self._inside, "index", None) is not None:
            return 1
        return int(self._core.in_parallel(self._core.context))

    def _parallel_for(
        self, _context: Any, body: Any, argument: Any, count: int, grain: int, max_threads: int
    ) -> int:
        self.count += 1
        between, self.between = self.between, None
        if between is not None:
            between()
        if self.cutting == "core":
            core = self._core
            answer = core.parallel_for(core.context, body, argument, count, grain, max_threads)
            return int(answer)
        if getattr(self._inside, "index", None) is not None:  # inside a body it runs serially
            index = self._inside.index
            return int(body(argument, 0, count, 0 if 0 < max_threads <= index else index))
        limit = max(self._concurrency(None), 1)
        if max_threads:
            limit = min(limit, max_threads)
        if self.cutting == "together":
            return self._together(body, argument, count, max(grain, 1), min(limit, _TOGETHER))
        for number, (begin, end) in enumerate(self._pieces(count, max(grain, 1))):
            backwards = self.cutting == "backwards"
            self._inside.index = (limit - 1 - number % limit) if backwards else number % limit
            try:
                status = int(body(argument, begin, end, self._inside.index))
            finally:
                self._inside.index = None
            if status != abi.ARMNN_STATUS_OK:
                return status
        return int(abi.ARMNN_STATUS_OK)

    def _together(self, body: Any, argument: Any, count: int, grain: int, most: int) -> int:
        """Run pieces of equal sizes at once; returns the first status that is not OK."""
        size = max(-(-count // most), grain)
        begins = range(0, count, size)
        answers = [int(abi.ARMNN_STATUS_OK)] * len(begins)
        start = threading.Barrier(max(len(begins), 1))

        def run(index: int) -> None:
            self._inside.index = index
            start.wait()
            begin = begins[index]
            with self.around():
                answers[index] = int(body(argument, begin, min(begin + size, count), index))

        threads = [threading.Thread(target=run, args=(index,)) for index in range(len(begins))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return next((answer for answer in answers if answer), int(abi.ARMNN_STATUS_OK))

    def _pieces(self, count: int, grain: int) -> Iterator[tuple[int, int]]:
        """Give pieces of at least ``grain``, but for the last."""
        if count == 0:
            return
        if self.cutting == "serial":
            yield 0, count
            return
        step = max(grain, -(-count // _MOST_PIECES))
        if self.cutting == "backwards":
            starts = range(0, count, step)
            yield from ((begin, min(begin + step, count)) for begin in reversed(starts))
            return
        begin = 0
        sizes = (step, step + 1, step * 3 + 2)
        number = 0
        while begin < count:
            end = min(begin + sizes[number % 3], count)
            yield begin, end
            begin, number = end, number + 1
