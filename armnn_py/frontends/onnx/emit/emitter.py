# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The emitter: all building blocks in one object, made per conversion."""

from __future__ import annotations

from armnn_py.frontends.onnx.emit.arithmetic import Arithmetic
from armnn_py.frontends.onnx.emit.choice import Choice
from armnn_py.frontends.onnx.emit.movement import Movement

__all__ = ["Emitter"]


class Emitter(Choice, Arithmetic, Movement):
    """Adds to a network what a node computes, or computes it when all it reads is known.

    Every method takes and returns values: a numpy array where the value is known, a slot of the
    network where it is not. ``name`` is appended to the node's name; a layer without one bears the
    node's own name.
    """
