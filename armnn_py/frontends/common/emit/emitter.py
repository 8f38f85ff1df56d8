# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The emitter: all building blocks in one object, made per conversion."""

from __future__ import annotations

from armnn_py.frontends.common.emit.arithmetic import Arithmetic
from armnn_py.frontends.common.emit.choice import Choice
from armnn_py.frontends.common.emit.movement import Movement
from armnn_py.frontends.common.emit.ordering import Ordering
from armnn_py.frontends.common.emit.randomness import Randomness

__all__ = ["Emitter"]


class Emitter(Choice, Ordering, Randomness, Arithmetic, Movement):
    """Adds the layers of a node to a network, or computes the node if all its operands are known.

    Every method takes and returns values: `Known` ones, and slots of the network. ``name`` is
    appended to the node's name; a layer without one bears the node's own name.

    Methods that move elements keep the quantisation of known values. Those that compute add a layer
    for quantised numbers, also for known ones; the caller states its output.
    """
