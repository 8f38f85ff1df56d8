# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How cases went, and what all of them come to."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct


class Outcome(enum.Enum):
    """How a case went."""

    PASSED = "passed"
    #: Wrong numbers, types or shapes, an error while it ran, a crash, or no end in time.
    FAILED = "failed"
    #: Refused in words when the model was imported, optimised or loaded.
    NOT_APPLICABLE = "not applicable"


class CaseResult(Struct, frozen=True):
    """How one case went.

    Attributes
    ----------
    family, name
        Of the case.
    outcome
        How it went.
    message
        Why, in words; empty if it passed.
    reason
        The same for many: an operator, or the first line of the error.
    """

    family: str
    name: str
    outcome: Outcome
    message: str = ""
    reason: str = ""

    @property
    def title(self) -> str:
        """``node/test_abs``."""
        return f"{self.family}/{self.name}"


class OnnxScore(Struct, frozen=True):
    """What the cases come to.

    Attributes
    ----------
    version
        Of the installed package ``onnx``.
    data
        The folder of the test data, or None for those of that package.
    backends
        Preferences, best first; empty for all by their score.
    results
        Of each case, in order of families and names.
    lost
        Titles of cases that should pass and do not, or are not there any more.
    """

    version: str
    data: str | None
    backends: Sequence[str]
    results: Sequence[CaseResult]
    lost: Sequence[str] = ()

    @property
    def passed(self) -> int:
        """How many passed."""
        return sum(result.outcome is Outcome.PASSED for result in self.results)

    @property
    def families(self) -> Mapping[str, Mapping[Outcome, int]]:
        """Counts by family and outcome."""
        found: dict[str, Counter[Outcome]] = {}
        for result in self.results:
            found.setdefault(result.family, Counter())[result.outcome] += 1
        return found

    @property
    def reasons(self) -> list[tuple[Outcome, str, int]]:
        """Why cases did not pass and how many for this reason, the most first."""
        counts = Counter(
            (result.outcome, result.reason)
            for result in self.results
            if result.outcome is not Outcome.PASSED
        )
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0][1]))
        return [(outcome, reason, count) for (outcome, reason), count in ordered]

    def as_dict(self) -> dict[str, Any]:
        """Everything as a JSON document has it."""
        return {
            "version": self.version,
            "data": self.data,
            "backends": list(self.backends),
            "families": [
                {
                    "family": family,
                    "cases": sum(counts.values()),
                    **{one.name.lower(): counts.get(one, 0) for one in Outcome},
                }
                for family, counts in self.families.items()
            ],
            "reasons": [
                {"outcome": outcome.value, "reason": reason, "cases": count}
                for outcome, reason, count in self.reasons
            ],
            "cases": [
                {
                    "family": result.family,
                    "name": result.name,
                    "outcome": result.outcome.value,
                    "message": result.message,
                    "reason": result.reason,
                }
                for result in self.results
            ],
            "lost": list(self.lost),
        }
