# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of model files and of networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.errors.base import ArmnnError, UnimplementedError
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence


class ModelError(ArmnnError):
    """A model file cannot be used."""


class ModelFormatError(ModelError, UnimplementedError):
    """A model file is in a known format that this version does not read."""


class ParseError(ModelError):
    """A model file is damaged or inconsistent."""

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        offset: int | None = None,
        node: str | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.offset = offset
        self.node = node
        super().__init__(message, details=details, hints=hints)


class ModelFileNotFoundError(ParseError, FileNotFoundError):
    """There is no model file at the path."""


class UnsupportedOperator(Struct, frozen=True):
    """One kind of operator that cannot be imported, and its nodes."""

    name: str
    count: int
    reason: str
    nodes: tuple[str, ...] = ()

    @property
    def _where(self) -> str:
        """The first node only: there may be hundreds, with long names."""
        if not self.nodes:
            return ""
        return f" ({'node' if self.count == 1 else 'first node'}: {self.nodes[0]})"


class UnsupportedOperatorError(ModelError):
    """Operators of a model that cannot be imported, all of them at once."""

    def __init__(
        self,
        message: str,
        *,
        operators: Sequence[UnsupportedOperator] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.operators = tuple(operators)
        if self.operators and not details:
            names = [printable(operator.name) for operator in self.operators]
            width = max(map(len, names))
            details = [
                f"{name:<{width}}   x{operator.count:<3} "
                f"{printable(operator.reason + operator._where)}"
                for name, operator in zip(names, self.operators, strict=True)
            ]
        super().__init__(message, details=details, hints=hints)


class GraphValidationError(ArmnnError):
    """A network breaks the rules of networks; ``problems`` lists every breach."""

    def __init__(
        self,
        message: str,
        *,
        problems: Sequence[str] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.problems = tuple(problems)
        super().__init__(message, details=details or self.problems, hints=hints)


class LayerValidationError(GraphValidationError):
    """One layer does not fit its inputs or its descriptor."""

    def __init__(
        self,
        message: str,
        *,
        layer: str = "",
        problems: Sequence[str] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.layer = layer
        super().__init__(message, problems=problems, details=details, hints=hints)


class LayerRefusal(Struct, frozen=True):
    """A layer that no listed backend takes, with each backend's reason."""

    layer: str
    type: str
    refusals: tuple[tuple[str, str], ...]


def _grouped(layers: Sequence[LayerRefusal]) -> list[str]:
    """Return lines in which layers of one type, refused for the same reasons, share an entry."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for layer in layers:
        groups.setdefault((layer.type, layer.refusals), []).append(layer.layer)
    lines = []
    for (kind, refusals), names in groups.items():
        if len(names) == 1:
            lines.append(f"layer '{names[0]}' ({kind})")
        else:
            lines.append(f"{len(names)}x {kind} (first: '{names[0]}')")
        lines += [f"  {backend}: {reason}" for backend, reason in refusals]
    return lines


class NoBackendForLayerError(ArmnnError):
    """Layers that no listed backend takes, all of them at once."""

    def __init__(
        self,
        message: str,
        *,
        layers: Sequence[LayerRefusal] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.layers = tuple(layers)
        if self.layers and not details:
            details = _grouped(self.layers)
        super().__init__(message, details=details, hints=hints)
