# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators: the function that converts each version of an operator.

A converter is registered with the operator set version since which it holds, the same number that
the ONNX specification gives as "since version" where the meaning changed. Versions between which
only types were added share a converter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from armnn_py.frontends.common.converter_modules import import_modules
from armnn_py.frontends.common.values import Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.sequence import TensorList

__all__ = [
    "MACHINE_LEARNING",
    "MICROSOFT",
    "NEWEST_VERSION",
    "Operator",
    "find_operator",
    "operator",
    "operator_names",
    "operators_by_family",
]

NEWEST_VERSION = 28
"""Newest version of the standard operator set that the converters were checked against."""

MICROSOFT = "com.microsoft"
"""The domain of the operators that ONNX Runtime's optimisers and quantisers write."""

MACHINE_LEARNING = "ai.onnx.ml"
"""The domain of the operators that ONNX has for trees, linear models and features."""

Converter = Callable[[NodeView], "Value | TensorList | Sequence[Value | None]"]
_Converter = TypeVar("_Converter", bound=Converter)
Check = Callable[[NodeView], None]


class Operator(Struct, frozen=True):
    """A converter and the version since which it holds."""

    since: int
    convert: Converter
    check: Check | None
    """Raises `Unsupported` for attributes that no layer expresses; sees no operands but weights."""
    by_definition: Callable[[NodeView], bool] | None
    """Whether a node becomes what the standard defines it by, in place of what it converts to."""


_TABLE: dict[tuple[str, str], list[Operator]] = {}
_BODIES = {"If": ("then_branch", "else_branch"), "Loop": ("body",), "Scan": ("body",)}
"""Attributes that are graphs, by operator."""


def operator(
    *names: str,
    since: int = 1,
    check: Check | None = None,
    domain: str = "",
    by_definition: Callable[[NodeView], bool] | None = None,
) -> Callable[[_Converter], _Converter]:
    """Register a converter for operators of a domain; the standard one has the empty name."""

    def register(convert: _Converter) -> _Converter:
        for name in names:
            versions = _TABLE.setdefault((domain, name), [])
            versions.append(Operator(since, convert, check, by_definition))
            versions.sort(key=lambda entry: entry.since)
        return convert

    return register


def _whole_table() -> dict[tuple[str, str], list[Operator]]:
    """Return the table, once all modules of converters have registered theirs."""
    import_modules("armnn_py.frontends.onnx.operators")
    return _TABLE


def find_operator(domain: str, op_type: str, version: int) -> Operator | None:
    """Return the converter of an operator in an operator set version."""
    found = None
    for entry in _whole_table().get((domain, op_type), ()):
        if entry.since <= version:
            found = entry
    return found


def has_body(domain: str, op_type: str, attribute: str) -> bool:
    """Return whether a graph in an attribute is a body of the node.

    Operators that have a converter ignore attributes that the standard does not give them. A node
    of any other operator is a call of a function, or goes to a backend with all that it has.
    """
    if (domain, op_type) not in _whole_table():
        return True
    return not domain and attribute in _BODIES.get(op_type, ())


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter, with the name of a domain of its own."""
    return tuple(sorted(_label(domain, name) for domain, name in _whole_table()))


def _label(domain: str, name: str) -> str:
    return f"{domain}.{name}" if domain else name


def operators_by_family() -> dict[str, list[str]]:
    """Return the same by the module that converts an operator."""
    families: dict[str, list[str]] = {}
    for (domain, name), versions in sorted(_whole_table().items()):
        package, module = versions[-1].convert.__module__.split(".")[-2:]
        family = f"{package}_{module}" if package in ("microsoft", "ml") else module
        families.setdefault(family, []).append(_label(domain, name))
    return families
