# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The model inputs that a value is computed from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from armnn_py.frontends.common.values import Known
from armnn_py.frontends.onnx.model import OnnxModel
from armnn_py.tensors import TensorInfo

__all__ = ["MOST_BYTES", "origins"]

#: An input with more bytes is data: one that decides shapes has axes, sizes or bounds.
MOST_BYTES = 1 << 16


def origins(
    model: OnnxModel, name: str, infos: Mapping[str, TensorInfo], values: Mapping[str, Any]
) -> set[str] | None:
    """Return the inputs that a value is computed from; values that are known end the search.

    Parameters
    ----------
    model
        The model.
    name
        A value that is not known.
    infos
        The inputs, without free dimensions.
    values
        The values of this conversion so far; one that could not be converted is not among them.

    Returns
    -------
    set of str or None
        None if one of them is too large to be read before the layers are made, or if the value is
        computed from nothing but what is known.
    """
    makers = {output: node for node in model.nodes for output in node.outputs}
    found: set[str] = set()
    seen = {name}
    waiting = [name]
    while waiting:
        value = waiting.pop()
        if isinstance(values.get(value), Known):
            continue
        if value in infos:
            if infos[value].byte_size > MOST_BYTES:
                return None
            found.add(value)
        elif value in makers:
            news = {operand for operand in makers[value].inputs if operand} - seen
            seen |= news
            waiting.extend(news)
    return found or None
