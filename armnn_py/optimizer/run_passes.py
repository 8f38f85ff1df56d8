# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs the enabled passes in order, and records the changes of each."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.errors import InternalError, InvalidArgumentError, UnknownNameError
from armnn_py.later import public_class
from armnn_py.optimizer.check_graph import find_graph_problems
from armnn_py.optimizer.passes import SIMPLIFYING, Pass, PassLog
from armnn_py.stopping import check_stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.optimizer.graph import Graph, Node


@public_class
class PassRecord(Struct, frozen=True):
    """The changes of one pass.

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


def check_pass_names(names: Iterable[str] | str, others: Iterable[Pass] = ()) -> frozenset[str]:
    """Return names of passes as a set.

    Parameters
    ----------
    names
        One name or several.
    others
        Further passes, beside the simplifying ones.

    Raises
    ------
    InvalidArgumentError
        They are no strings.
    UnknownNameError
        A pass name is unknown; the error lists the valid names.
    """
    valid = [one.name for one in (*SIMPLIFYING, *others)]
    try:
        given = [names] if isinstance(names, str) else list(names)
    except TypeError:
        raise _not_names(names) from None
    for name in given:
        if not isinstance(name, str):
            raise _not_names(name)
        if name not in valid:
            raise UnknownNameError(f"pass '{name}' is unknown", name=name, valid=valid)
    return frozenset(given)


def _not_names(given: object) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"disabled passes: {reprlib.repr(given)} given, names of passes expected"
    )


def run_passes(
    graph: Graph,
    passes: Sequence[Pass],
    *,
    disabled: Collection[str] = frozenset(),
    evaluate: Callable[[Network], Mapping[str, NDArray[Any]] | None] | None = None,
    rank_of: Callable[[Node], int | None] | None = None,
    validate: bool = False,
    placed: bool = False,
) -> tuple[PassRecord, ...]:
    """Run passes one after the other on a graph, in place.

    Parameters
    ----------
    passes
        In the order in which they run.
    disabled
        Names of passes that are left out; names of other passes do not matter.
    evaluate, rank_of
        Compute constants for the passes, and ask backends; see `PassLog`.
    validate
        Check after each pass that the graph is well formed.
    placed
        Whether the check demands a backend for each layer but the host's.

    Returns
    -------
    tuple of PassRecord
        One for each pass.

    Raises
    ------
    InternalError
        With ``validate``: a pass, which is named, left the graph ill-formed.
    """
    if validate:
        _check(graph, "before any pass", placed)
    records = []
    for one in passes:
        check_stopped()
        if one.name in disabled:
            records.append(PassRecord(one.name, enabled=False))
            continue
        log = PassLog(evaluate, rank_of)
        graph.stage = one.name
        if one.may_change(graph):
            one.run(graph, log)
            graph.forget_removed()
        records.append(PassRecord(one.name, tuple(log.changes)))
        if validate:
            _check(graph, f"after pass '{one.name}'", placed)
    return tuple(records)


def _check(graph: Graph, when: str, placed: bool) -> None:
    problems = find_graph_problems(graph, backends=placed)
    if problems:
        raise InternalError(
            f"network '{graph.name}' is not well formed {when}",
            details=problems[:20],
            hints=["report this; until it is mended, switch the pass off by its name"],
        )
