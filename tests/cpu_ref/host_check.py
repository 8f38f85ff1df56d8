# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the host says of a layer before any backend is asked: the guarantee of ``backend_api.h``."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from armnn_py._native.layers.layer_structs import descriptor_struct
from armnn_py._native.layers.read_layers import descriptor_from_struct
from armnn_py._native.layers.read_tensors import read_tensor_info
from armnn_py._native.memory.read_memory import NonsenseError
from armnn_py.backends.questions.layer_support import never_shown
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.errors import LayerValidationError
from armnn_py.network import shapes
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native import abi
    from armnn_py.descriptors import Descriptor


def shown_form(
    layer_type: LayerType, descriptor: Descriptor | None = None
) -> tuple[int, ctypes.Structure | None]:
    """The type and the descriptor in C as which backends see a layer of any of Arm NN's types."""
    kind, form = canonical_form(layer_type, descriptor)
    return int(kind), descriptor_struct(kind, form)


def host_refusal(
    layer_type: int,
    descriptor: ctypes.Structure | None,
    inputs: Sequence[abi.armnn_tensor_info_t | None],
    outputs: Sequence[abi.armnn_tensor_info_t],
) -> str | None:
    """Why the host does not show such a layer to any backend, or ``None`` if it does."""
    try:
        kind = LayerType(layer_type)
        canonical = FACTS[kind].canonical
        if canonical is not None:
            return f"{kind.label} is shown as {canonical.label}"
        read = [
            None if info is None else read_tensor_info(ctypes.byref(info), f"input {index}")
            for index, info in enumerate(inputs)
        ]
        stated = [
            read_tensor_info(ctypes.byref(info), f"output {index}")
            for index, info in enumerate(outputs)
        ]
        viewed = stated if kind is LayerType.CONCAT else read
        rank = viewed[0].rank if viewed and viewed[0] is not None else 0
        header = None if descriptor is None else ctypes.byref(descriptor)
        parameters = descriptor_from_struct(kind, header, "the descriptor", view_rank=rank)
        shapes.infer(kind, parameters, read, outputs=stated)
        return never_shown(kind, parameters) or None
    except NonsenseError as error:
        return str(error)
    except LayerValidationError as error:
        return error.message
