# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Drawings of optimised networks: a model of the drawing, and ways to write it."""

from armnn_py.pictures.boxes import RunKernel, drawing_of
from armnn_py.pictures.dot import to_dot, to_svg
from armnn_py.pictures.drawing import Box, Drawing, Wire
from armnn_py.pictures.explorer import to_explorer, to_overlays

__all__ = [
    "Box",
    "Drawing",
    "RunKernel",
    "Wire",
    "drawing_of",
    "to_dot",
    "to_explorer",
    "to_overlays",
    "to_svg",
]
