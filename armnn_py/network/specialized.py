# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network with free dimensions for given shapes, whether it is one or runs in stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.errors import StagesNeededError

if TYPE_CHECKING:
    from armnn_py.network.network import Network


def specialized(
    network: Network, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Any] | None = None
) -> Network:
    """Return a network for these shapes, as `Network.specialize` does; in stages, if data decide.

    Raises
    ------
    InvalidArgumentError, InputValuesNeededError, UnknownNameError
        As `Network.specialize`.
    """
    try:
        return network.specialize(shapes, values)
    except StagesNeededError as found:
        infos = {
            name: info.with_shape(shapes[name]) if name in shapes else info
            for name, info in network.inputs.items()
        }
        outputs = {name: found.outputs[name] for name in network.outputs}
        made = type(network).from_builder(
            network.name,
            infos,
            network.specialize,
            outputs,
            variables=network.variables,
            stages=found.stages,
        )
        made.metadata = network.metadata
        return made
