# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The names that a model file gives its tensors, and what became of these tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo

Place: TypeAlias = "tuple[int, int] | Callable[[], tuple[NDArray[Any], TensorInfo]] | str"
"""The network's form of a tensor: a slot (layer guid, output index), a constant that no layer
reads, or nothing, with the reason in words that follow the name."""

TensorNames: TypeAlias = "Mapping[str, Place]"
"""By name in the file."""


def lasting(names: TensorNames) -> TensorNames:
    """Return the names as a pickle keeps them: constants that no layer reads are not in it."""
    return {
        name: "was computed at import, and pickles of a network do not keep it"
        if callable(place)
        else place
        for name, place in names.items()
    }
