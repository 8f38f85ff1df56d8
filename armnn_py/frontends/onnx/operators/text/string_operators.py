# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators on strings, which numpy computes at import or between stages.

Sources: the ONNX operator specification; where it leaves something open, onnxruntime.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.patterns import Pattern
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Known, Value, broadcast_shapes
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.text.string_arrays import array_of_strings, check_length, strings_of

_CASES = ("NONE", "LOWER", "UPPER")


# ---- StringNormalizer ----------------------------------------------------------------------------


def _normalizer_check(view: NodeView) -> None:
    if view.text("case_change_action", "NONE") not in _CASES:
        action = quoted(view.text("case_change_action"))
        raise ParseError(f"attribute 'case_change_action' is {action}, which is unknown")
    view.texts("stopwords")


@operator("StringNormalizer", since=10, check=_normalizer_check)
def _string_normalizer(view: NodeView) -> Value:
    """Drop stop words, and change case letter by letter, which no letter becomes two by."""
    x, action = strings_of(view, 0), view.text("case_change_action", "NONE")
    if x.ndim not in (1, 2) or (x.ndim == 2 and x.shape[0] != 1):
        raise ParseError(f"the input has shape {x.shape}, expected [C] or [1, C]")
    words = x.reshape(-1).tolist()
    dropped = view.texts("stopwords") or []
    if dropped and view.integer("is_case_sensitive"):
        stops = set(dropped)
        words = [word for word in words if word not in stops]
    elif dropped:
        stops = {_changed(word, "LOWER") for word in dropped}
        words = [word for word in words if _changed(word, "LOWER") not in stops]
    words = [_changed(word, action) for word in words] or [""]
    return Known(array_of_strings(words, (*x.shape[:-1], len(words))))


def _changed(word: str, action: str) -> str:
    if action == "NONE":
        return word
    changed = word.lower() if action == "LOWER" else word.upper()
    if len(changed) == len(word):
        return changed
    letters = [(one, one.lower() if action == "LOWER" else one.upper()) for one in word]
    return "".join(other if len(other) == 1 else one for one, other in letters)


# ---- Joining and cutting -------------------------------------------------------------------------


@operator("StringConcat", since=20)
def _string_concat(view: NodeView) -> Value:
    x, y = strings_of(view, 0), strings_of(view, 1)
    shape = broadcast_shapes(x.shape, y.shape)
    check_size(shape, x.dtype)
    size = math.prod(shape)
    letters = (sum(map(len, one.reshape(-1).tolist())) * (size // one.size) for one in (x, y))
    check_length(view, sum(letters) if size else 0)
    joined = np.empty(shape, object)
    np.add(x, y, out=joined)
    return Known(joined)


@operator("StringSplit", since=20)
def _string_split(view: NodeView) -> Sequence[Value]:
    x, delimiter = strings_of(view, 0), view.text("delimiter")
    most = view.integer("maxsplit", -1)
    if "maxsplit" in view.node.attributes and most < 0:
        raise ParseError(f"attribute 'maxsplit' is {most}, expected at least 0")
    if delimiter:
        parts = [text.split(delimiter, most) if text else [] for text in x.flat]
    else:
        parts = [text.strip().split(None, most) for text in x.flat]
    width = max(map(len, parts), default=0)
    shape = (*x.shape, width)
    check_size(shape, x.dtype)
    counts = np.array(list(map(len, parts)), np.int64).reshape(x.shape)
    padded = itertools.chain.from_iterable(one + [""] * (width - len(one)) for one in parts)
    return [Known(array_of_strings(padded, shape)), Known(counts)]


# ---- RegexFullMatch ------------------------------------------------------------------------------


def _pattern_check(view: NodeView) -> None:
    _pattern(view)


def _pattern(view: NodeView) -> Pattern:
    if "pattern" not in view.node.attributes:
        raise ParseError("attribute 'pattern' is missing")
    return view.once(lambda: Pattern(view.text("pattern")))


@operator("RegexFullMatch", since=20, check=_pattern_check)
def _regex_full_match(view: NodeView) -> Value:
    pattern, x = _pattern(view), strings_of(view, 0)
    found: Array = np.fromiter(map(pattern.matches, x.flat), np.bool_, x.size)
    return Known(found.reshape(x.shape))
