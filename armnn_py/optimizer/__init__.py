# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Simplifying networks, and giving each layer a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.later import names_of
from armnn_py.optimizer.optimize import optimize
from armnn_py.optimizer.optimized import OptimizedNetwork
from armnn_py.optimizer.options import AS_IT_IS, OptimizerOptions

if TYPE_CHECKING:
    from armnn_py.optimizer.placing.placement import Placement, PlacementRule
    from armnn_py.optimizer.reports.report import Assignment
    from armnn_py.optimizer.reports.report_layer import LayerAssignment
    from armnn_py.optimizer.run_passes import PassRecord

__all__ = [
    "AS_IT_IS",
    "Assignment",
    "LayerAssignment",
    "OptimizedNetwork",
    "OptimizerOptions",
    "PassRecord",
    "Placement",
    "PlacementRule",
    "optimize",
]

# A saved network is loaded without rules and reports.
__getattr__ = names_of(
    "armnn_py.optimizer",
    {
        "armnn_py.optimizer.run_passes": ("PassRecord",),
        "armnn_py.optimizer.placing.placement": ("Placement", "PlacementRule"),
        "armnn_py.optimizer.reports.report": ("Assignment",),
        "armnn_py.optimizer.reports.report_layer": ("LayerAssignment",),
    },
)
