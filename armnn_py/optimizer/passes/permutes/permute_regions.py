# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whole regions of layers compute in another order of dimensions if that takes fewer Transposes.

A region is a set of connected layers that may as well work on permuted operands, such as residual
blocks, which their sums connect. An exporter that keeps images in one order around convolutions
that want the other leaves a Permute at each border of such a region. If the whole region computes
in the order of the convolutions, only the Permutes at its outer borders are left. Permutes and
Transposes are the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.permutes.regions import (
    Region,
    RegionChange,
    permutations_of,
    regions_of,
)

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for nodes in list(regions_of(graph)):
        for sources in permutations_of(nodes):
            if list(sources) == sorted(sources):
                continue
            region = Region(nodes, sources)
            region.choose()
            if not region.chosen or region.gain() <= 0:
                continue
            change = RegionChange(graph, region)
            change.apply()
            left = len(change.added) + sum(node in graph for node in change.old)
            log.changed(
                f"{len(region.chosen)} layers from '{nodes[0].name}' on compute in the order "
                f"{sources} of dimensions: {len(change.old)} permutations at their borders, now "
                f"{left}"
            )
