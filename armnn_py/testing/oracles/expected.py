# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Known failures and refusals in a file, so that only a change of them is a failure."""

from __future__ import annotations

import os
import tomllib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, get_args

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError
from armnn_py.testing.outcome import Group, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.testing.outcome import Result


class Known(Struct, frozen=True):
    """An entry of the file: ``case`` is a pattern as a shell has it, ``group`` may be empty."""

    case: str
    group: str
    outcome: str
    why: str

    def covers(self, result: Result) -> bool:
        """Say whether a result is what this entry speaks of."""
        return (
            self.outcome == result.outcome
            and self.group in ("", result.group)
            and fnmatchcase(result.case, self.case)
        )


class Change(Struct, frozen=True):
    """A result that is not known, or an entry that nothing is like any more."""

    case: str
    group: str
    outcome: str
    message: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "case": self.case,
            "group": self.group,
            "outcome": self.outcome,
            "message": self.message,
        }


def read_known(path: str | os.PathLike[str]) -> list[Known]:
    """Read a file of ``[[known]]`` tables: ``case``, ``outcome``, and if wanted ``group``, ``why``.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read, or an entry makes no sense.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:  # noqa: PTH123
            content = tomllib.load(file)
    except OSError as error:
        raise InvalidArgumentError(f"'{name}' cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgumentError(f"'{name}' is not TOML: {error}") from None
    found = []
    for number, entry in enumerate(content.get("known", []), 1):
        values = {"group": "", "why": "", **entry}
        wrong = values.keys() - {"case", "group", "outcome", "why"}
        if wrong or "case" not in values or values.get("outcome") not in get_args(Outcome)[1:]:
            raise InvalidArgumentError(
                f"'{name}': entry {number} is not understood",
                details=[f"it says: {entry!r}"],
                hints=["an entry has case, outcome (refused, failed, crashed, hung), group, why"],
            )
        if values["group"] not in ("", *get_args(Group)):
            raise InvalidArgumentError(
                f"'{name}': entry {number} names group '{values['group']}'",
                hints=[f"the groups are {', '.join(get_args(Group))}"],
            )
        found.append(Known(**values))
    return found


def changes(results: Sequence[Result], known: Sequence[Known]) -> list[Change]:
    """Return what is not as it is known to be.

    Refusals are no failures, unless entries speak of refusals: then those that are not listed are
    changes as well.
    """
    heeded = {"failed", "crashed", "hung"}
    if any(entry.outcome == "refused" for entry in known):
        heeded.add("refused")
    seen: set[int] = set()
    found = []
    for result in results:
        covering = [number for number, entry in enumerate(known) if entry.covers(result)]
        seen.update(covering)
        if result.outcome in heeded and not covering:
            found.append(Change(result.case, result.group, result.outcome, result.message))
    for number, entry in enumerate(known):
        if number not in seen:
            words = "is known, but nothing is like that any more"
            found.append(Change(entry.case, entry.group, entry.outcome, words))
    return found
