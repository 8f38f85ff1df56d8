# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tokenizer of ``com.microsoft``, which vectorizers of scikit-learn have before TfIdfVectorizer.

Source: the operator's text in ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.patterns import Pattern
from armnn_py.frontends.common.values import Known, Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.text.string_arrays import array_of_strings, strings_of

_BEGIN, _END = "\x02", "\x03"


def _check(view: NodeView) -> None:
    if view.integer("mincharnum", 1) < 1:
        raise ParseError(
            f"attribute 'mincharnum' is {view.integer('mincharnum')}, expected at least 1"
        )
    view.once(lambda: _patterns(view))


def _patterns(view: NodeView) -> tuple[list[Pattern], Pattern | None]:
    """Return the patterns of what lies between tokens, or that of tokens; none: of characters."""
    separators, token = view.texts("separators") or [], view.text("tokenexp")
    if bool(separators) == bool(token):
        raise ParseError("the node needs exactly one of the attributes 'separators' and 'tokenexp'")
    if separators == [""]:
        return [], None
    if "" in separators:
        raise ParseError("an empty separator must be the only one")
    return [Pattern(one) for one in separators], Pattern(token) if token else None


@operator("Tokenizer", domain=MICROSOFT, check=_check)
def _tokenizer(view: NodeView) -> Value:
    x, least = strings_of(view, 0), view.integer("mincharnum", 1)
    if x.ndim not in (1, 2):
        raise ParseError(f"the input has shape {x.shape}, expected one or two dimensions")
    between, inside = view.once(lambda: _patterns(view))
    rows: list[list[str]] = []
    for text in x.flat:
        parts = [text]
        for pattern in between:
            parts = [part for one in parts for part in _apart(pattern, one)]
        if inside is not None:
            parts = [text[begin:end] for begin, end in _matches(inside, text)]
        elif not between:
            parts = list(text)
        rows.append([part for part in parts if len(part) >= least])
    if view.flag("mark") and any(rows):  # without a token at all there are no marks
        rows = [[_BEGIN, *row, _END] for row in rows]
    width = max(map(len, rows), default=0)
    check_size((*x.shape, width), x.dtype)
    pad = [view.text("pad_value")]
    padded = itertools.chain.from_iterable(row + pad * (width - len(row)) for row in rows)
    return Known(array_of_strings(padded, (*x.shape, width)))


def _matches(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    """Return where a pattern matches, one match behind the other, none of them empty."""
    return ((begin, end) for begin, end in pattern.places(text) if end > begin)


def _apart(pattern: Pattern, text: str) -> Iterator[str]:
    """Yield what lies between the matches of a pattern."""
    start = 0
    for begin, end in _matches(pattern, text):
        yield text[start:begin]
        start = end
    yield text[start:]
