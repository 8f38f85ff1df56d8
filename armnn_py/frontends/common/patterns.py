# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Regular expressions of models: where one matches a text, in time linear in the text.

The syntax is that of RE2 (https://github.com/google/re2/wiki/Syntax). Python's ``re`` looks for a
match by trial and error, so that a pattern from a file may keep it busy for ever. Here all states
that a text can lead to are followed at once, and sets of states that were met are remembered.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from armnn_py.errors import ParseError
from armnn_py.frontends.common.pattern_syntax import Expression, parse_pattern
from armnn_py.frontends.common.quoting import quoted

__all__ = ["Pattern"]

_MOST_STATES = 10_000
_MOST_SETS = 10_000
"""Sets of states, with a character each, that are remembered."""

_States: TypeAlias = "frozenset[int]"


class Pattern:
    """A compiled pattern.

    Parameters
    ----------
    pattern
        In the syntax of RE2.

    Raises
    ------
    ParseError
        It is none, or too large: counted repetitions are written out.
    Unsupported
        It has a part of RE2's syntax that is not supported, as classes of scripts.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        #: Of each state: a set of characters, an assertion, or None for a fork; and what follows.
        self._states: list[tuple[Any, list[int]]] = []
        self._has_assertions = False
        self._end = self._add(None, [])
        self._begin = self._emit(parse_pattern(pattern), self._end)
        self._met: dict[tuple[_States, str], _States] = {}

    def _add(self, what: Any, behind: list[int]) -> int:
        if len(self._states) >= _MOST_STATES:
            raise ParseError(
                f"pattern {quoted(self._pattern)} has more than {_MOST_STATES} states",
                hints=["counted repetitions, as x{1000}, are written out"],
            )
        self._states.append((what, behind))
        return len(self._states) - 1

    def _emit(self, node: Expression, behind: int) -> int:
        """Make the states of an expression; return the first of them."""
        kind, *parts = node
        if kind == "set":
            return self._add(parts[0], [behind])
        if kind == "assert":
            self._has_assertions = True
            return self._add(parts[0], [behind])
        if kind == "cat":
            for one in reversed(parts[0]):
                behind = self._emit(one, behind)
            return behind
        if kind == "alt":
            return self._add(None, [self._emit(one, behind) for one in parts[0]])
        inner, least, most = parts
        first = behind
        if most is None:
            again: list[int] = []
            first = self._add(None, again)
            again += [self._emit(inner, first), behind]
        else:
            for _ in range(most - least):
                first = self._add(None, [self._emit(inner, first), behind])
        for _ in range(least):
            first = self._emit(inner, first)
        return first

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the whole text."""
        states = self._reached([self._begin], text, 0)
        for place, letter in enumerate(text):
            if not states:
                return False
            found = self._met.get((states, letter))
            if found is None:
                found = self._reached(self._read(states, letter), text, place + 1)
                if not self._has_assertions:
                    if len(self._met) >= _MOST_SETS:
                        self._met.clear()
                    self._met[states, letter] = found
            states = found
        return self._end in states

    def find(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return where the first match begins and ends, of those that begin there the longest.

        Of each state the earliest place is kept at which a match that leads to it may have begun.
        """
        best: tuple[int, int] | None = None
        waiting: dict[int, list[int]] = {}
        for place in range(start, len(text) + 1):
            if best is None:
                waiting.setdefault(place, []).append(self._begin)
            seen: set[int] = set()
            begins: dict[int, int] = {}
            for begin in sorted(waiting):
                if best is None or begin <= best[0]:
                    for state in self._reached(waiting[begin], text, place, seen):
                        begins[state] = begin
            if self._end in begins:
                best = begins[self._end], place
            if place == len(text) or (best is not None and not begins):
                break
            waiting = {}
            for state, begin in begins.items():
                what, behind = self._states[state]
                if behind and what.has(text[place]):
                    waiting.setdefault(begin, []).extend(behind)
        return best

    def _read(self, states: _States, letter: str) -> list[int]:
        """Return where a character leads from these states."""
        found = []
        for state in states:
            what, behind = self._states[state]
            if behind and what.has(letter):
                found += behind
        return found

    def _reached(
        self, waiting: list[int], text: str, place: int, seen: set[int] | None = None
    ) -> _States:
        """Return the states from these on that read a character, or are the end; none twice."""
        seen = set() if seen is None else seen
        found: set[int] = set()
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            what, behind = self._states[state]
            if state == self._end or hasattr(what, "has"):
                found.add(state)
            elif what is None or _holds(what, text, place):
                waiting += behind
        return frozenset(found)


def _is_word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isascii() and (
        text[place].isalnum() or text[place] == "_"
    )  # fmt: skip


def _holds(assertion: str, text: str, place: int) -> bool:
    """Return whether an assertion holds before the character at a place."""
    if assertion == "begin of text":
        return place == 0
    if assertion == "end of text":
        return place == len(text)
    if assertion == "begin of line":
        return place == 0 or text[place - 1] == "\n"
    if assertion == "end of line":
        return place == len(text) or text[place] == "\n"
    is_boundary = _is_word(text, place - 1) != _is_word(text, place)
    return is_boundary == (assertion == "boundary")
