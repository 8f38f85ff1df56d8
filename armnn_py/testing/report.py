# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a run of the kit found: a matrix for people, JSON and JUnit XML for machines."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py.testing.oracles.expected import Change
    from armnn_py.testing.outcome import Outcome, Result

_BAD: tuple[Outcome, ...] = ("failed", "crashed", "hung")
_NOT_RUN: tuple[Outcome, ...] = ("refused", "untried")


class MatrixRow(Struct, frozen=True):
    """A layer of a data type: how many checks ended how, and the first reason of a refusal.

    ``speed`` is the least of its large cases: how many times as fast as CpuRef.
    """

    layer: str
    type: str
    counts: dict[str, int]
    reason: str
    speed: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found about a backend.

    Attributes
    ----------
    backend, file
        Its id, and the file that it came from, or None.
    level, seed
        What decided about the cases.
    results
        One for each check that was made.
    changes
        What is not as the file of known results says; without such a file, all that is bad.
    model
        Of a user's model: how many ``layers`` it has, how many of them are ``different``, and how
        many of these are ``tried``. None without a model.
    """

    backend: str
    file: str | None
    level: str
    seed: int
    results: tuple[Result, ...]
    changes: tuple[Change, ...]
    model: dict[str, int] | None = None

    @property
    def ok(self) -> bool:
        """Whether the backend was tested at all, and nothing is wrong but what is known."""
        return not self.changes and self.executed > 0

    @property
    def executed(self) -> int:
        """How many checks the backend did not refuse; 0: it was not tested at all."""
        return sum(
            result.group != "load" and result.outcome not in _NOT_RUN for result in self.results
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many checks ended how."""
        return dict(Counter(result.outcome for result in self.results))

    @property
    def compiled(self) -> int | None:
        """How many sub-graphs of two layers and more were compiled; None: without a compiler."""
        known = [result.compiled for result in self.results if result.compiled is not None]
        return sum(known) if known else None

    def bad(self) -> list[Result]:
        """Return the results that are neither a pass nor a refusal."""
        return [result for result in self.results if result.outcome in _BAD]

    def matrix(self) -> list[MatrixRow]:
        """Return a row for each layer and data type, those that failed first."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        reasons: dict[tuple[str, str], str] = {}
        speeds: dict[tuple[str, str], float] = {}
        for result in self.results:
            about = result.case if result.group == "features" else result.group
            key = result.layer or f"({about})", result.type
            counts.setdefault(key, Counter())[result.outcome] += 1
            if result.outcome in _NOT_RUN:
                reasons.setdefault(key, result.message)
            if result.speed is not None:
                speeds[key] = min(result.speed, speeds.get(key, result.speed))
        rows = [
            MatrixRow(layer, data_type, dict(found), reasons.get(key, ""), speeds.get(key))
            for key, found in counts.items()
            for layer, data_type in (key,)
        ]
        return sorted(rows, key=lambda row: (not any(row.counts.get(bad) for bad in _BAD),
                                             row.layer, row.type))  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "backend": self.backend,
            "file": self.file,
            "level": self.level,
            "seed": self.seed,
            "counts": self.counts,
            "executed": self.executed,
            "compiled": self.compiled,
            "model": self.model,
            "matrix": [
                {
                    "layer": row.layer,
                    "type": row.type,
                    "counts": row.counts,
                    "reason": row.reason,
                    "speed": row.speed,
                }
                for row in self.matrix()
            ],
            "results": [result.as_dict() for result in self.results if result.outcome != "passed"],
            "changes": [change.as_dict() for change in self.changes],
        }

    def junit(self) -> str:
        """Return it as JUnit XML, which build servers show."""
        suite = ElementTree.Element(
            "testsuite",
            name=f"armnn-py backends test {self.backend}",
            tests=str(len(self.results)),
            failures=str(sum(result.outcome == "failed" for result in self.results)),
            errors=str(sum(result.outcome in ("crashed", "hung") for result in self.results)),
            skipped=str(sum(result.outcome in _NOT_RUN for result in self.results)),
        )
        for result in self.results:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"{self.backend}.{result.group}", name=result.case
            )
            kind = {"failed": "failure", "crashed": "error", "hung": "error"}.get(result.outcome)
            text = _printable(result.message)
            if kind is not None:
                mark = ElementTree.SubElement(case, kind, type=result.outcome, message=text)
                mark.text = _printable("\n".join((result.step, *result.files)))
            elif result.outcome in _NOT_RUN:
                ElementTree.SubElement(case, "skipped", message=text)
        ElementTree.indent(suite)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the report: JSON or JUnit XML, as the name of the file ends.

        Raises
        ------
        InvalidArgumentError
            The name has another ending, or the file cannot be written.
        """
        name = os.fspath(path)
        if name.endswith(".json"):
            text = json.dumps(self.as_dict(), indent=1) + "\n"
        elif name.endswith(".xml"):
            text = self.junit()
        else:
            raise InvalidArgumentError(
                f"report '{name}' is neither a .json nor a .xml file",
                hints=["a name that ends in .json gets JSON, one in .xml JUnit XML"],
            )
        try:
            with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write(text)
        except OSError as error:
            raise InvalidArgumentError(
                f"report '{name}' cannot be written: {error.strerror}"
            ) from None


def _printable(text: str) -> str:
    """Return a text that XML can hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
