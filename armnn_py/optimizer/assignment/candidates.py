# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backends asked for a node, best first, and the errors for nodes that none of them takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.backends.registry import nameable_ids
from armnn_py.errors import LayerRefusal, NoBackendForLayerError, UnknownNameError
from armnn_py.optimizer.graph import Pin
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.optimizer.placing.placement import Placement


def pin_nodes(graph: Graph, rules: Placement) -> None:
    """Pin each node to the backends of its rule, so that passes keep two backends' layers apart.

    Call it on a graph of the user's layers, before any pass.
    """
    for node in graph.nodes:
        number = None if node.is_host else rules.number_for(node.name, node.shown_type)
        if number is None:
            continue
        hint, is_strict = node.pin.hint, rules.is_strict(number)
        then = () if hint is None or is_strict else (hint,)
        backends = tuple(dict.fromkeys((*rules.rules[number].backends, *then)))
        node.pin = Pin(hint, number, backends, is_strict)


class Candidates:
    """The backends for the nodes of a graph.

    Parameters
    ----------
    rules
        Which backend is to run which layer.
    backends
        Ids of the preferences, best first.
    available
        All loaded backends by id; hints and rules may name any of them.
    """

    __slots__ = ("_available", "_backends", "_rules")

    def __init__(
        self, rules: Placement, backends: Sequence[str], available: Mapping[str, Backend]
    ) -> None:
        self._rules = rules
        self._backends = backends
        self._available = available

    def rule_of(self, node: Node) -> int | None:
        """The number of the rule for a node, which the layers that it stands for may have given."""
        pinned = node.pin.rule
        return self._rules.number_for_node(node) if pinned is None else pinned

    def is_strict(self, node: Node, rule: int) -> bool:
        """Whether a rule must be met; for an inserted layer it is only a preference."""
        is_meant = bool(node.origins) or self._rules.rules[rule].matches(node.name, node.shown_type)
        return is_meant and self._rules.is_strict(rule)

    def ids(self, node: Node, rule: int | None) -> list[str]:
        """Ids of the backends to ask, best first."""
        hint = node.pin.hint
        if hint is not None and hint not in self._available:
            raise UnknownNameError(
                f"layer '{node.name}' asks for backend '{hint}', which is not loaded",
                name=hint,
                valid=nameable_ids(self._available),
            )
        ids = [] if rule is None else list(self._rules.rules[rule].backends)
        if rule is None or not self.is_strict(node, rule):
            ids += [] if hint is None else [hint]
            ids += self._backends
        return list(dict.fromkeys(ids))

    def broken_rules(
        self, node: Node, backend: str, refusals: tuple[tuple[str, str], ...]
    ) -> list[tuple[str, LayerRefusal]]:
        """The strict rules of layers that the node stands for, which say another backend."""
        broken = []
        for origin in node.origins:
            index = self._rules.number_for(origin.name, origin.type)
            if index is None or not self._rules.is_strict(index):
                continue
            wanted = self._rules.rules[index].backends
            if backend not in wanted:
                why = f"the layer is merged with '{node.name}', which runs on {backend}"
                refused = {**dict.fromkeys(wanted, why), **dict(refusals)}
                told = tuple((name, refused[name]) for name in wanted)
                refusal = LayerRefusal(origin.name, origin.type.label, told)
                broken.append((self._rules.describe(index), refusal))
        return broken


def unmatched_rules(graph: Graph, rules: Placement) -> list[str]:
    """Strict rules that match no layer, neither a present one nor one that a pass removed."""
    layers = {
        layer
        for node in graph.nodes
        if not node.is_host
        for layer in ((node.name, node.shown_type), *((o.name, o.type) for o in node.origins))
    }
    layers |= {(origin.name, origin.type) for origin in graph.removed}
    return [
        rules.describe(index)
        for index, rule in enumerate(rules.rules)
        if rules.is_strict(index) and not any(rule.matches(*layer) for layer in layers)
    ]


def unmet_rules(
    unmet: Sequence[tuple[str, LayerRefusal]],
    unmatched: Sequence[str],
    refused: Sequence[LayerRefusal],
) -> NoBackendForLayerError:
    """One error for all unmet strict rules, and for layers without any backend."""
    details = [f"{rule} matches no layer" for rule in unmatched]
    for rule, layer in unmet:
        details.append(f"layer '{layer.layer}' ({layer.type}), {rule}")
        details += [f"  {backend}: {reason}" for backend, reason in layer.refusals]
    for layer in refused:
        details.append(f"layer '{layer.layer}' ({layer.type})")
        details += [f"  {backend}: {reason}" for backend, reason in layer.refusals]
    rules = len({rule for rule, _ in unmet}) + len(unmatched)
    return NoBackendForLayerError(
        f"{counted(rules, 'strict placement rule')} cannot be met",
        layers=[*(layer for _, layer in unmet), *refused],
        details=details,
        hints=["strict = false lets the layers fall back on hints and preferences"],
    )


def no_backend(
    refused: Sequence[LayerRefusal], listed: Sequence[str], available: Mapping[str, Backend]
) -> NoBackendForLayerError:
    """The error for layers that none of the listed backends takes."""
    unused = [name for name in available if name not in listed]
    if unused:
        hint = f"also loaded, but not in the list: {', '.join(unused)}"
    else:
        hint = "'armnn-py backends show ID' lists what a backend can run"
    return NoBackendForLayerError(
        f"{counted(len(refused), 'layer')} cannot run on "
        + ", ".join(f"'{name}'" for name in listed),
        layers=refused,
        hints=[hint],
    )
