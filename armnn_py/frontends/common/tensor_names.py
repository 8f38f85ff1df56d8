# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Maps the tensor names of a model file to the network's tensors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends.common.known import stored
from armnn_py.frontends.common.values import Array, Known, Unsupported, dtype_of, shape_of
from armnn_py.network import OutputSlot
from armnn_py.text import format_bytes

if TYPE_CHECKING:
    from armnn_py.frontends.common.emit import Emitter
    from armnn_py.network.tensor_names import Place
    from armnn_py.tensors import TensorInfo

#: A constant that no layer reads is kept for those who ask for it if it has at most so many
#: elements: a network should not hold weights that it does not need.
_MOST_ELEMENTS = 1 << 14


def places_of(emit: Emitter, values: Iterable[tuple[str, Any]]) -> dict[str, Place]:
    """Return by name what tensors became; values that are no tensors say why they are nothing."""
    found: dict[str, Place] = {}
    for name, value in values:
        if name in found:
            found[name] = "is one of several of this name in the file"
            continue
        slot = emit.made_of(value) if isinstance(value, Known) else value
        if isinstance(slot, OutputSlot):
            found[name] = slot.layer.guid, slot.index
        elif not isinstance(value, Known):
            found[name] = str(value)
        elif math.prod(shape_of(value)) > _MOST_ELEMENTS:
            size = format_bytes(math.prod(shape_of(value)) * dtype_of(value).itemsize)
            found[name] = f"was computed at import, no layer reads it, and its {size} are not kept"
        else:
            found[name] = partial(_constant, value)
    return found


def _constant(value: Known) -> tuple[Array, TensorInfo]:
    try:
        return stored(value), value.info
    except Unsupported as reason:
        raise InvalidArgumentError(f"an extra output cannot have {reason}") from None
