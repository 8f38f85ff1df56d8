# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors inside of a network as further outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py.network.layer import OutputSlot
    from armnn_py.network.network import Network

__all__ = ["with_extra_outputs"]


def with_extra_outputs(network: Network, names: Sequence[str]) -> Network:
    """Return a copy of a network with further outputs.

    Parameters
    ----------
    network
        Without free dimensions; stays as it is.
    names
        Names of layers, each of which becomes the name of an output. ``"split:1"`` is the second
        output of a layer.

    Raises
    ------
    UnknownNameError
        There is no layer of a name.
    InvalidArgumentError
        The network has free dimensions, several layers have a name, a layer has no such output, or
        there is an output of that name already.
    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InvalidArgumentError(
            f"extra_outputs: {names!r} given, a list of names of layers expected"
        )
    if network.is_dynamic:
        raise InvalidArgumentError(
            f"network '{network.name}': extra outputs given, but it has free dimensions",
            hints=["shapes={...} binds them: the layers are known only then"],
        )
    copy = network.copy()
    for name in names:
        copy.add_output(name, _slot(copy, name))
    return copy


def _slot(network: Network, name: str) -> OutputSlot:
    known = {layer.name for layer in network.layers}
    stem, colon, number = name.rpartition(":")
    index = 0
    if name not in known and colon and number.isdecimal() and stem in known:
        name, index = stem, int(number)
    layer = network.layer(name)
    if index >= len(layer.outputs):
        raise InvalidArgumentError(
            f"extra output '{name}:{index}': layer '{name}' has {len(layer.outputs)} outputs"
            if layer.outputs
            else f"extra output '{name}': it is an output of the network already"
        )
    return layer.outputs[index]
