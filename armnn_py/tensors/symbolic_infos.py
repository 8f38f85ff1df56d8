# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensor infos whose sizes are symbolic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armnn_py.symbolic import SymbolicSize
from armnn_py.tensors.info import TensorInfo

__all__ = ["plain_info"]

_set = object.__setattr__


def plain_info(info: TensorInfo, numbers: Sequence[int] | None = None) -> TensorInfo:
    """Return an info with numbers for symbolic sizes; itself if it has none.

    ``numbers`` are those of all sizes of a trace; without them each size is as in the trace. The
    trace has recorded that they make a valid info, so that nothing is checked again.
    """
    dims: Sequence[Any] = info.shape
    for dim in dims:
        if type(dim) is SymbolicSize:
            break
    else:
        return info
    if numbers is None:
        shape = [dim.number if type(dim) is SymbolicSize else dim for dim in dims]
    else:
        shape = [numbers[dim.index] if type(dim) is SymbolicSize else dim for dim in dims]
    new = object.__new__(TensorInfo)
    _set(new, "shape", tuple(shape))
    _set(new, "data_type", info.data_type)
    _set(new, "quantization", info.quantization)
    _set(new, "dimension_names", info.dimension_names)
    _set(new, "late", info.late)
    return new
