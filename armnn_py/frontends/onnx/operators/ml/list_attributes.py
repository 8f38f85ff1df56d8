# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attributes of ai.onnx.ml: lists that may be tensors as well."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array
from armnn_py.frontends.onnx.convert.node import NodeView

_REAL = ("float16", "float32", "float64")


def integer_list(view: NodeView, name: str) -> list[int]:
    """Return a list of integers, empty where it is not given."""
    return view.ints(name) or []


def integers(view: NodeView, name: str) -> Array:
    """Return a tensor of integers that must be there, in one dimension."""
    tensor = _tensor(view, name)
    if tensor.dtype.kind not in "iu":
        raise ParseError(f"attribute {quoted(name)} holds {tensor.dtype}, expected integers")
    return tensor.reshape(-1)


def tensor_of_reals(view: NodeView, name: str) -> Array:
    """Return a tensor of floats that must be there, in one dimension."""
    tensor = _tensor(view, name)
    if tensor.dtype.name not in _REAL:
        raise ParseError(f"attribute {quoted(name)} holds {tensor.dtype}, expected floats")
    return tensor.reshape(-1)


def reals(view: NodeView, name: str) -> Array:
    """Return floats that are a list, or a tensor since version 3; none where neither is given."""
    whole = f"{name}_as_tensor"
    if view.tensor(whole) is not None:
        return tensor_of_reals(view, whole)
    return as_float32(view.floats(name) or [])


def as_float32(numbers: list[float] | Array) -> Array:
    """Return numbers in one dimension as float32; what is beyond it is infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(numbers, np.float32).reshape(-1)


def _tensor(view: NodeView, name: str) -> Array:
    tensor = view.tensor(name)
    if tensor is None:
        raise ParseError(f"attribute {quoted(name)} is missing")
    return tensor
