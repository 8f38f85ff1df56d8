# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cases of models that compute with sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from onnx import TensorProto, helper

MICROSOFT = "com.microsoft"
FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
rng = np.random.default_rng(11)

Arrays = dict[str, np.ndarray]


class Case(NamedTuple):
    """Nodes, inputs with free dimensions, constants, and the arrays for a size."""

    nodes: list[Any]
    inputs: dict[str, Any]
    constants: Arrays
    arrays: Callable[[int], Arrays]
    opset: int = 18


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """Make a node; '-' is an operand that is not given."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(
        op, names, outputs.split(), name=outputs.split(maxsplit=1)[0], **attributes
    )


def real(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def words(size: int) -> Arrays:
    return {"x": real(2, size, 4)}


LENGTH = [node("Shape", "x", "s"), node("Gather", "s one", "n")]
NUMBERS: Arrays = {"one": np.int64(1), "zero": np.int64(0), "axis": np.int64([1])}
X = {"x": (["b", "n", 4], FLOAT)}
