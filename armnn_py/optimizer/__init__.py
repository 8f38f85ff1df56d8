# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Simplifying networks, and giving each layer a backend."""

from armnn_py.optimizer.optimize import optimize
from armnn_py.optimizer.optimized import OptimizedNetwork
from armnn_py.optimizer.options import AS_IT_IS, OptimizerOptions
from armnn_py.optimizer.pass_record import PassRecord
from armnn_py.optimizer.placement import Placement, PlacementRule
from armnn_py.optimizer.report import Assignment
from armnn_py.optimizer.report_layer import LayerAssignment

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
