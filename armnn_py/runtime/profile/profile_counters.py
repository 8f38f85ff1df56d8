# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Counters of backends while a profile is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armnn_py._native.table.profiling_context import NativeProfilingContext
    from armnn_py.backends.backend import Backend

__all__ = ["Counting"]


class Counting:
    """Counters of a backend while a profile is open."""

    __slots__ = ("_backend", "_before", "_context")

    def __init__(self, backend: Backend, context: NativeProfilingContext) -> None:
        self._backend = backend
        self._context = context
        backend.retain()
        try:
            context.start()
            try:
                self._before = context.read()
            except BaseException:
                context.stop()
                raise
        except BaseException:
            backend.release()
            raise

    @property
    def units(self) -> dict[str, str]:
        """The unit of each counter by its name; empty for a plain number."""
        return {counter.name: counter.unit for counter in self._context.counters}

    @property
    def delta_names(self) -> frozenset[str]:
        """Names of the counters that should only count up."""
        return frozenset(c.name for c in self._context.counters if c.counter_class == "delta")

    def finish(self) -> dict[str, float]:
        """Turn the counters off and return their values."""
        try:
            return self._context.scaled(self._context.read(), self._before)
        finally:
            self._context.stop()
            self._backend.release()
