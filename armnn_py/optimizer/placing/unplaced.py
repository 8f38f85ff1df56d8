# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of layers that no backend takes, and of strict placement rules that cannot be met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors import LayerRefusal, NoBackendForLayerError
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.graph import Graph
    from armnn_py.optimizer.placing.placement import Placement


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
