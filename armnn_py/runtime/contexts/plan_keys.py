# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Keys of plans: the shapes of inputs, and the values of those whose values decide shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from msgspec import Struct

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo


class InputValue(Struct, frozen=True):
    """Shape and elements of an input whose values decide shapes."""

    shape: tuple[int, ...]
    data: bytes
    """The elements in row-major order."""


PlanKey: TypeAlias = "tuple[tuple[int, ...] | InputValue, ...]"
"""An entry for each input of the network."""


def plan_key(
    arrays: Sequence[NDArray[Any]], names: Collection[str], value_inputs: Collection[str]
) -> PlanKey:
    """Return the key of the plan for dense arrays.

    Parameters
    ----------
    arrays
        An array for each input.
    names
        The names of the inputs.
    value_inputs
        Those whose values decide shapes.

    Raises
    ------
    InvalidArgumentError
        An array whose values decide shapes does not lie in memory of the host.
    """
    if not value_inputs:
        return tuple([array.shape for array in arrays])
    entries: list[tuple[int, ...] | InputValue] = []
    for name, array in zip(names, arrays, strict=True):
        if name not in value_inputs:
            entries.append(array.shape)
        elif isinstance(array, np.ndarray):
            entries.append(InputValue(array.shape, array.tobytes()))
        else:
            raise InvalidArgumentError(
                f"input '{name}': its values decide shapes, so that it must lie in host memory"
            )
    return tuple(entries)


def read_key(
    key: PlanKey, infos: Mapping[str, TensorInfo]
) -> tuple[dict[str, tuple[int, ...]], dict[str, NDArray[Any]]]:
    """Return shapes of all inputs, and arrays of those whose values are in the key."""
    shapes: dict[str, tuple[int, ...]] = {}
    values: dict[str, NDArray[Any]] = {}
    for (name, info), entry in zip(infos.items(), key, strict=True):
        if isinstance(entry, InputValue):
            shapes[name] = entry.shape
            values[name] = np.frombuffer(entry.data, info.dtype).reshape(entry.shape)
        else:
            shapes[name] = entry
    return shapes, values
