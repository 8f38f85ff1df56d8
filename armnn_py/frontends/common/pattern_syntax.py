# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The syntax of regular expressions as RE2 has it: from a text to expressions.

Source: https://github.com/google/re2/wiki/Syntax. An expression is a tuple: ``("set",
CharacterSet)``, ``("cat", list)``, ``("alt", list)``, ``("repeat", expression, least, most or
None)`` and ``("assert", name)``. Groups and laziness change which parts match, not whether the
whole does.
"""

from __future__ import annotations

import unicodedata
from typing import Any, NoReturn, TypeAlias

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Unsupported

__all__ = ["CharacterSet", "Expression", "parse_pattern"]

Expression: TypeAlias = "tuple[Any, ...]"

_MOST_REPEATS = 1000
_DEEPEST = 100
"""Groups inside each other."""

_PERL = {
    "d": [("0", "9")],
    "w": [("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z")],
    "s": [("\t", "\n"), ("\f", "\r"), (" ", " ")],
}
_POSIX = {
    "alnum": [("0", "9"), ("A", "Z"), ("a", "z")],
    "alpha": [("A", "Z"), ("a", "z")],
    "ascii": [("\x00", "\x7f")],
    "blank": [("\t", "\t"), (" ", " ")],
    "cntrl": [("\x00", "\x1f"), ("\x7f", "\x7f")],
    "digit": [("0", "9")],
    "graph": [("!", "~")],
    "lower": [("a", "z")],
    "print": [(" ", "~")],
    "punct": [("!", "/"), (":", "@"), ("[", "`"), ("{", "~")],
    "space": [("\t", "\r"), (" ", " ")],
    "upper": [("A", "Z")],
    "word": _PERL["w"],
    "xdigit": [("0", "9"), ("A", "F"), ("a", "f")],
}
_CATEGORIES = {
    "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs", "C",
    "Cc", "Cf", "Co", "Cs",
}  # fmt: skip
_LETTERS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_ASSERTIONS = {"A": "begin of text", "z": "end of text", "b": "boundary", "B": "no boundary"}
_SPECIAL = "\\.+*?()|[]{}^$"


class CharacterSet:
    """Characters: ranges, general categories of Unicode, and other sets; or all the others."""

    __slots__ = ("categories", "folds", "is_negated", "others", "ranges")

    def __init__(self, ranges: list[tuple[str, str]] | None = None, *, folds: bool = False) -> None:
        self.ranges = list(ranges or [])
        self.categories: list[str] = []
        self.others: list[CharacterSet] = []
        self.is_negated = False
        self.folds = folds

    def has(self, letter: str) -> bool:
        """Return whether a character is one of them."""
        found = any(map(self._has, _folded(letter) if self.folds else (letter,)))
        return found != self.is_negated

    def _has(self, letter: str) -> bool:
        if any(low <= letter <= high for low, high in self.ranges):
            return True
        if self.categories and unicodedata.category(letter).startswith(tuple(self.categories)):
            return True
        return any(other.has(letter) for other in self.others)


def _folded(letter: str) -> set[str]:
    """Return what a character is where case is ignored, all of one character."""
    found = {letter}
    for change in (str.lower, str.upper, str.casefold, str.title):
        found |= {other for one in tuple(found) if len(other := change(one)) == 1}
    return found


def parse_pattern(pattern: str) -> Expression:
    """Return the expression of a pattern.

    Raises
    ------
    ParseError
        It is no pattern of RE2.
    Unsupported
        A part of RE2's syntax is not supported.
    """
    return _Parser(pattern).whole()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.place = 0
        self.depth = 0
        self.flags: frozenset[str] = frozenset()

    def whole(self) -> Expression:
        found = self.alternatives()
        if self.place < len(self.text):
            self.fail("a ')' without '('")
        return found

    # ---- Characters ------------------------------------------------------------------------------

    def fail(self, why: str) -> NoReturn:
        raise ParseError(f"pattern {quoted(self.text)} is none of RE2: {why}")

    def peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def next(self) -> str:
        letter = self.peek()
        if not letter:
            self.fail("it ends too early")
        self.place += 1
        return letter

    def takes(self, what: str) -> bool:
        if not self.text.startswith(what, self.place):
            return False
        self.place += len(what)
        return True

    def until(self, end: str) -> str:
        stop = self.text.find(end, self.place)
        if stop < 0:
            self.fail(f"no {quoted(end)} behind place {self.place}")
        found, self.place = self.text[self.place : stop], stop + len(end)
        return found

    # ---- Expressions -----------------------------------------------------------------------------

    def alternatives(self) -> Expression:
        flags, parts = self.flags, [self.sequence()]
        while self.takes("|"):
            parts.append(self.sequence())
        self.flags = flags  # those that a group sets hold to its end
        return parts[0] if len(parts) == 1 else ("alt", parts)

    def sequence(self) -> Expression:
        parts: list[Expression] = []
        while self.peek() not in ("", "|", ")"):
            if self.takes("\\Q"):
                parts += self.quotation()
                one = self.repeated(parts.pop() if parts else None)
            else:
                one = self.repeated(self.atom())
            if one is not None:
                parts.append(one)
        return ("cat", parts)

    def quotation(self) -> list[Expression]:
        """Return the characters up to the end of what stands for itself."""
        rest = self.text.find("\\E", self.place)
        stop = len(self.text) if rest < 0 else rest
        found = [self.literal(one) for one in self.text[self.place : stop]]
        self.place = stop if rest < 0 else stop + 2
        return found

    def repeated(self, inner: Expression | None) -> Expression | None:
        start, count = self.place, 0
        while True:
            bounds = self.bounds()
            if bounds is None:
                return inner
            if inner is None or count:
                self.fail(f"{quoted(self.text[start : self.place])} has nothing to repeat")
            self.takes("?")
            inner, count = ("repeat", inner, *bounds), count + 1

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, found in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.takes(sign):
                return found
        if self.peek() != "{":
            return None
        stop = self.text.find("}", self.place)
        numbers = self.text[self.place + 1 : stop].split(",") if stop >= 0 else []
        is_count = 1 <= len(numbers) <= 2 and numbers[0] and all(map(_is_count, numbers))
        if not is_count:  # a brace like other characters
            return None
        self.place = stop + 1
        least = int(numbers[0])
        most = least if len(numbers) == 1 else int(numbers[1]) if numbers[1] else None
        if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
            self.fail(f"{{{','.join(numbers)}}} is no number of repetitions")
        return least, most

    def literal(self, letter: str) -> Expression:
        return ("set", CharacterSet([(letter, letter)], folds="i" in self.flags))

    def atom(self) -> Expression | None:
        """Return a character, set, group or assertion; None for flags."""
        letter = self.next()
        if letter == "(":
            return self.group()
        if letter == "[":
            return ("set", self.set_of_characters())
        if letter == ".":
            every = CharacterSet([] if "s" in self.flags else [("\n", "\n")])
            every.is_negated = True
            return ("set", every)
        if letter in "^$":
            what, of = "begin" if letter == "^" else "end", "line" if "m" in self.flags else "text"
            return ("assert", f"{what} of {of}")
        if letter in "*+?":
            self.fail(f"'{letter}' has nothing to repeat")
        if letter != "\\":
            return self.literal(letter)
        if self.peek() in _ASSERTIONS:
            return ("assert", _ASSERTIONS[self.next()])
        found = self.escape()
        return ("set", found) if isinstance(found, CharacterSet) else self.literal(found)

    def group(self) -> Expression | None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"more than {_DEEPEST} groups inside each other")
        around = self.flags
        if self.takes("?"):
            if self.takes("P<") or (self.peek() == "<" and self.takes("<")):
                name = self.until(">")
                if not name.replace("_", "a").isalnum():
                    self.fail(f"{quoted(name)} is no name of a group")
            else:
                self.change_flags()
                if self.takes(")"):  # they hold to the end of the group around
                    self.depth -= 1
                    return None
                if not self.takes(":"):
                    self.fail("a group of another kind, as one that looks ahead")
        found = self.alternatives()
        if not self.takes(")"):
            self.fail("a '(' without ')'")
        self.flags = around
        self.depth -= 1
        return found

    def change_flags(self) -> None:
        sets, flags = True, set(self.flags)
        while self.peek() not in (")", ":"):
            letter = self.next()
            if letter == "-" and sets:
                sets = False
            elif letter not in "imsU":
                self.fail(f"{quoted(letter)} is no flag")
            elif sets:
                flags.add(letter)
            else:
                flags.discard(letter)
        self.flags = frozenset(flags)

    # ---- Sets and escapes ------------------------------------------------------------------------

    def set_of_characters(self) -> CharacterSet:
        found = CharacterSet(folds="i" in self.flags)
        found.is_negated = self.takes("^")
        is_first = True
        while is_first or self.peek() != "]":
            is_first = False
            if self.takes("[:"):
                name = self.until(":]")
                if name.lstrip("^") not in _POSIX:
                    self.fail(f"{quoted(name)} is no class")
                other = CharacterSet(_POSIX[name.lstrip("^")])
                other.is_negated = name.startswith("^")
                found.others.append(other)
                continue
            low = self.member()
            if isinstance(low, CharacterSet):
                found.others.append(low)
                continue
            high: CharacterSet | str = low
            if self.peek() == "-" and self.text[self.place + 1 : self.place + 2] not in ("", "]"):
                self.place += 1
                high = self.member()
            if isinstance(high, CharacterSet) or high < low:
                self.fail("a range that ends before it begins")
            found.ranges.append((low, high))
        self.place += 1
        return found

    def member(self) -> CharacterSet | str:
        letter = self.next()
        return self.escape() if letter == "\\" else letter

    def escape(self) -> CharacterSet | str:
        """Return what a backslash and the next characters stand for."""
        letter = self.next()
        if letter in _LETTERS:
            return _LETTERS[letter]
        if letter.lower() in _PERL:
            found = CharacterSet(_PERL[letter.lower()])
            found.is_negated = letter.isupper()
            return found
        if letter in "pP":
            return self.category(letter == "P")
        if letter == "x":
            digits = self.until("}") if self.takes("{") else self.next() + self.next()
            return self.character(digits, 16)
        if letter in "01234567" and (letter == "0" or self.peek() in tuple("01234567")):
            digits = letter
            while len(digits) < 3 and self.peek() in tuple("01234567"):
                digits += self.next()
            return self.character(digits, 8)
        if letter == "C":
            raise Unsupported(f"pattern {quoted(self.text)} with \\C, one byte")
        if letter.isascii() and not letter.isalnum():
            return letter
        self.fail(f"{quoted(chr(92) + letter)} stands for nothing")

    def character(self, digits: str, base: int) -> str:
        try:
            return chr(int(digits, base))
        except (ValueError, OverflowError):
            self.fail(f"{quoted(digits)} is no character")

    def category(self, is_negated: bool) -> CharacterSet:
        name = self.until("}") if self.takes("{") else self.next()
        if name.startswith("^"):
            name, is_negated = name[1:], not is_negated
        found = CharacterSet()
        found.is_negated = is_negated
        if name == "Any":
            found.ranges.append(("\0", chr(0x10FFFF)))
        elif name in _CATEGORIES:
            found.categories.append(name)
        else:
            raise Unsupported(f"pattern {quoted(self.text)} with the class {quoted(name)}")
        return found


def _is_count(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit() and len(text) <= 9)
