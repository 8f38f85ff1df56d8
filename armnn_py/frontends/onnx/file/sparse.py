# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sparse tensors of a file, which become dense arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.onnx.file.tensors import Unreadable, read_tensor
from armnn_py.memory_budget import computed_budget
from armnn_py.tensors import MAX_DIMENSIONS
from armnn_py.text import format_bytes

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

__all__ = ["read_sparse"]


def read_sparse(
    sparse: onnx.SparseTensorProto, folder: str | None, what: str
) -> NDArray[Any] | Unreadable:
    """Read a sparse tensor: values [count], and places [count] or [count, rank] in order.

    Raises
    ------
    ParseError
        Values, places and shape do not fit, or the array is far larger than its values.
    """
    values = read_tensor(sparse.values, folder, f"values of {what}")
    places = read_tensor(sparse.indices, folder, f"indices of {what}")
    for one in (values, places):
        if isinstance(one, Unreadable):
            return one
    assert not isinstance(values, Unreadable)
    assert not isinstance(places, Unreadable)
    shape = tuple(sparse.dims)
    if not 1 <= len(shape) <= MAX_DIMENSIONS or min(shape) < 0:
        raise ParseError(f"{what} has shape {shape}, expected 1 to {MAX_DIMENSIONS} sizes")
    flat = places.ndim == 1
    if values.ndim != 1 or places.dtype != np.int64 or places.shape != (
        (len(values),) if flat else (len(values), len(shape))
    ):  # fmt: skip
        raise ParseError(
            f"{what}: indices of shape {places.shape} do not fit {len(values)} values",
            details=[f"shape: {shape}"],
        )
    limits = np.array([math.prod(shape)] if flat else shape, np.int64)
    columns = places.reshape(len(values), len(limits))
    if ((columns < 0) | (columns >= limits)).any():
        raise ParseError(f"{what} has an index outside of shape {shape}")
    size, most = math.prod(shape) * values.dtype.itemsize, computed_budget(values.nbytes)
    if size > most:
        raise ParseError(
            f"{what} would take {format_bytes(size)}, at most {format_bytes(most)} are allowed",
            hints=["set_memory_budget or ARMNN_PY_MEMORY_BUDGET sets the limit"],
        )
    dense = np.zeros(shape, values.dtype)
    if flat:
        dense.reshape(-1)[places] = values
    else:
        dense[tuple(columns.T)] = values
    dense.flags.writeable = False
    return dense
