# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Who runs what: assignment of layers to backends."""

from armnn_py.optimizer.optimize import OptimizedNetwork, optimize
from armnn_py.optimizer.report import Assignment, LayerAssignment

__all__ = ["Assignment", "LayerAssignment", "OptimizedNetwork", "optimize"]
