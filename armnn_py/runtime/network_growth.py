# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much the process grew by a load."""

from __future__ import annotations

import sys

from armnn_py._native.memory.process_memory import (
    Resident,
    allocated_bytes,
    give_back_freed,
    python_bytes,
)


class Growth:
    """How much the process grew from this moment until `end`.

    Parameters
    ----------
    has_weights
        Whether the weights of the model are in memory already.

    Attributes
    ----------
    anonymous, files
        Bytes in memory: private ones, and pages of mapped files.
    python
        Bytes that Python took for small objects.
    backends
        Bytes that backends took from the host.
    process
        Bytes in memory in all, at the end.
    modules
        Names of the modules that were imported.
    """

    __slots__ = (
        "_before",
        "_known",
        "anonymous",
        "backends",
        "files",
        "has_weights",
        "modules",
        "process",
        "python",
    )

    def __init__(self, *, has_weights: bool = False) -> None:
        self.has_weights = has_weights
        self._known = frozenset(sys.modules)
        give_back_freed()  # else a load grows by less than it takes
        self.python = -python_bytes()
        self.backends = -allocated_bytes()
        self._before = Resident.now()
        self.anonymous = self.files = self.process = 0
        self.modules: tuple[str, ...] = ()

    def end(self) -> Growth:
        """Give freed memory back, then note that the load is over."""
        give_back_freed()
        now = Resident.now()
        self.anonymous = now.anonymous - self._before.anonymous
        self.files = now.files - self._before.files
        self.python += python_bytes()
        self.backends += allocated_bytes()
        self.process = now.anonymous + now.files
        self.modules = tuple(name for name in sys.modules if name not in self._known)
        self._known = frozenset()
        return self
