# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators: which function converts which version of what.

A converter is registered with the operator set version since which it holds, the same number that
the ONNX specification gives as "since version" where the meaning changed. Versions between which
only types were added share a converter.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from armnn_py.frontends.onnx.emit import Value
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.records import record

__all__ = ["NEWEST_VERSION", "Operator", "find_operator", "operator"]

NEWEST_VERSION = 25
"""Newest version of the standard operator set that the converters were checked against."""

Converter = Callable[[NodeView], "Value | Sequence[Value]"]
Check = Callable[[NodeView], None]


@record
class Operator:
    """A converter and the version since which it holds."""

    since: int
    convert: Converter
    check: Check | None
    """Raises `Unsupported` for what attributes alone rule out; sees no operands but weights."""


_TABLE: dict[str, list[Operator]] = {}
_FAMILIES = (
    "activation",
    "convolution",
    "elementwise",
    "indexing",
    "joining",
    "logical",
    "matrix",
    "normalization",
    "pooling",
    "quantization",
    "reduction",
    "resizing",
    "shaping",
    "transposed_convolution",
)


def operator(
    *names: str, since: int = 1, check: Check | None = None
) -> Callable[[Converter], Converter]:
    """Register a converter for operators of the standard domain."""

    def register(convert: Converter) -> Converter:
        for name in names:
            versions = _TABLE.setdefault(name, [])
            versions.append(Operator(since, convert, check))
            versions.sort(key=lambda entry: entry.since)
        return convert

    return register


def find_operator(domain: str, op_type: str, version: int) -> Operator | None:
    """Return the converter of an operator in an operator set version."""
    if domain:
        return None
    _load()
    found = None
    for entry in _TABLE.get(op_type, ()):
        if entry.since <= version:
            found = entry
    return found


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter."""
    _load()
    return tuple(sorted(_TABLE))


def _load() -> None:
    if not _TABLE:
        for family in _FAMILIES:
            importlib.import_module(f"armnn_py.frontends.onnx.operators.{family}")
