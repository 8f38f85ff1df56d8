# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Regular expressions of models: RE2's, as ONNX wants them (https://github.com/google/re2).

RE2 takes time linear in the text. Python's ``re`` looks for a match by trial and error, so that a
pattern from a file could keep it busy for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from armnn_py.errors import ModelError, ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.text import install_hint

_LONGEST = 8192
"""RE2 takes gigabytes to read groups inside of groups a hundred thousand times."""


class Pattern:
    """A compiled pattern.

    Parameters
    ----------
    pattern
        In the syntax of RE2.

    Raises
    ------
    ParseError
        RE2 cannot compile it, it has more than 8192 characters, or it needs more than 8 MiB.
    ModelError
        The package ``google-re2`` is not there.
    """

    def __init__(self, pattern: str) -> None:
        re2 = _package()
        if len(pattern) > _LONGEST:
            raise ParseError(
                f"the pattern has {len(pattern)} characters, at most {_LONGEST} are allowed"
            )
        self._pattern = pattern
        options = re2.Options()
        options.log_errors = False  # which would write to the terminal
        options.longest_match = True
        options.never_capture = True  # unused groups would cost time in each match
        try:
            self._compiled = re2.compile(pattern, options)
        except (re2.error, UnicodeEncodeError) as error:
            raise ParseError(
                f"RE2 cannot compile pattern {quoted(pattern)}", details=[_reason(error)]
            ) from error

    def __reduce__(self) -> tuple[type[Pattern], tuple[str]]:
        return Pattern, (self._pattern,)

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the whole text."""
        return self._compiled.fullmatch(_whole(text)) is not None

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where matches begin and end, one behind the other.

        Of those that begin at a place it is the longest. A match may be empty.
        """
        for found in self._compiled.finditer(_whole(text)):  # which encodes the text once
            yield found.span()


def _package() -> Any:
    try:
        import re2
    except ImportError as error:
        raise ModelError(
            "regular expressions of models need the Python package 'google-re2'",
            details=[f"{type(error).__name__}: {error}"],
            hints=[install_hint("google-re2", "text")],
        ) from error
    return re2


def _reason(error: Exception) -> str:
    """Return the words of RE2, which are bytes."""
    reason = error.args[0]
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(error)


def _whole(text: str) -> str:
    """Return a text that RE2 takes: halves of a pair of surrogates are no text in UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
