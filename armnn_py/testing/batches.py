# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which cases share a process, and whose fault it is when something goes wrong in there.

A process costs more than most cases, so cases share one. Its first case has it as if it were alone,
and what becomes of that is its verdict. A later one that does not pass is tried again in a process
of its own, and that decides; only if it passes there, what the cases before it have left behind is
to blame, and that is a failure too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from armnn_py.testing.cases import Case
    from armnn_py.testing.outcome import Result

_MOST = 24
LARGE = 4096
"""Elements, from which on a case is more work than a process."""


def batches_of(cases: Sequence[Case]) -> Iterator[tuple[Case, ...]]:
    """Give cases that are to share a process: of one layer in one data type.

    So the first case of each has kernels that have never run.
    """
    alike: dict[Any, list[Case]] = {}
    for case in cases:
        is_large = case.most_elements >= LARGE
        alike.setdefault(case.name if is_large else (case.layer, case.type), []).append(case)
    for group in alike.values():
        for begin in range(0, len(group), _MOST):
            yield tuple(group[begin : begin + _MOST])


class Suspicion:
    """Something that went wrong, while it is not known yet whether a case does it by itself."""

    def __init__(self, result: Result, jobs: int = 1) -> None:
        self._result = result
        self._jobs = jobs
        self._is_confirmed = False

    def confirm(self) -> None:
        """Note that a case has gone wrong by itself."""
        self._is_confirmed = True

    def settle(self) -> Result | None:
        """Note that one of the jobs is done; returns the result if it was the last, and all passed.

        That is what then has to be told.
        """
        self._jobs -= 1
        return None if self._jobs or self._is_confirmed else self._result
