# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building the layers of a network where values of inputs decide shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.errors import InputValuesNeededError, InvalidArgumentError, UnknownNameError
from armnn_py.network.stages import stages_needed
from armnn_py.tensors import StringInfo
from armnn_py.text import first_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from armnn_py.network.storage import DynamicParts, NetworkStorage
    from armnn_py.tensors import TensorInfo


def build(
    name: str,
    parts: DynamicParts,
    infos: Mapping[str, TensorInfo],
    values: Mapping[str, NDArray[Any]],
) -> NetworkStorage:
    """Have the builder make the network, with the values that it needs as far as they are given.

    Inputs that it asks for are added to ``parts.value_inputs``, so that the next call gives them.

    Raises
    ------
    InputValuesNeededError
        The builder needs values that are not given.
    UnknownNameError
        The network has no input of a name.
    InvalidArgumentError
        An array does not fit its input.
    StagesNeededError
        The network has stages, and no layers of its own.
    """
    for key, array in values.items():
        if key not in infos:
            raise UnknownNameError(
                f"network '{name}' has no input '{key}'", name=key, valid=list(infos)
            )
        info = infos[key]
        is_of_type = isinstance(info, StringInfo) or array.dtype == info.dtype
        if array.shape != info.shape or not is_of_type:
            raise InvalidArgumentError(
                f"values of input '{key}': {array.dtype} of shape {array.shape} given",
                details=[f"input: {info!r}"],
            )
    if parts.stages:
        raise stages_needed(name, parts.stages)
    while True:
        missing = [key for key in parts.value_inputs if key not in values]
        if missing:
            raise _needed(name, parts, missing)
        try:
            if not parts.value_inputs:
                return parts.builder(infos)
            return parts.builder(infos, {key: values[key] for key in parts.value_inputs})
        except InputValuesNeededError as error:
            news = [key for key in error.names if key not in parts.value_inputs]
            if not news:
                raise
            parts.value_inputs.update(dict.fromkeys(news))


def _needed(name: str, parts: DynamicParts, missing: list[str]) -> InputValuesNeededError:
    quoted = ", ".join(f"'{key}'" for key in missing)
    return InputValuesNeededError(
        f"network '{name}': the layers depend on the values of input {quoted}",
        names=tuple(parts.value_inputs),
        details=first_of(f"input '{key}': {parts.inputs[key]!r}" for key in missing),
        hints=[f"specialize(shapes, values={{{missing[0]!r}: array}})"],
    )
