# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a pass is, and what it gets to work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.optimizer.graph import Graph

__all__ = ["Pass", "PassLog", "PassRecord"]


@dataclass(frozen=True, slots=True)
class PassRecord:
    """What one pass did.

    Attributes
    ----------
    name
        Name of the pass, by which it is switched off.
    changes
        One sentence for each change.
    enabled
        False: it was switched off and did not run.
    """

    name: str
    changes: tuple[str, ...] = ()
    enabled: bool = True

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        return {"name": self.name, "enabled": self.enabled, "changes": list(self.changes)}


@dataclass(slots=True)
class PassLog:
    """What a pass gets beside the graph: a place for its report, and means to compute constants.

    ``evaluate`` runs a network without inputs and returns its outputs by name, or None if no loaded
    backend runs it; None where there is nobody to ask.
    """

    evaluate: Callable[[Network], Mapping[str, NDArray[Any]] | None] | None = None
    changes: list[str] = field(default_factory=list)

    def changed(self, sentence: str) -> None:
        """Report one change, e.g. ``pad 'pad_1' folded into 'conv_1'``."""
        self.changes.append(sentence)


@dataclass(frozen=True, slots=True)
class Pass:
    """A rewriting of the graph that leaves its outputs as they are.

    Attributes
    ----------
    name
        Unique, e.g. ``fold-pad-into-convolution2d``.
    summary
        One line for people.
    run
        Changes the graph in place and reports each change.
    """

    name: str
    summary: str
    run: Callable[[Graph, PassLog], None]
