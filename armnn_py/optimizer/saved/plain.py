# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network as it is, all of it for one backend, in the form of a saved network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placing.placed_network import PlacedNetwork
from armnn_py.optimizer.saved.write import save_network
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.network import NetworkStorage
    from armnn_py.optimizer.reports.report import Assignment

__all__ = ["save_plain"]


class _About:
    """A backend as the file names it."""

    def __init__(self, version: str, vendor_version: str) -> None:
        self.version, self.vendor_version = version, vendor_version


def save_plain(
    network: NetworkStorage, backend_id: str, version: str, vendor_version: str, path: str
) -> None:
    """Write a network without optimising it or asking its backend.

    Raises
    ------
    InvalidArgumentError
        The file cannot be written.
    """
    backends = tuple(
        None if FACTS[layer.type].host or layer.type is LayerType.CONSTANT else backend_id
        for layer in network.layers
    )
    placed = PlacedNetwork(
        network=network,
        layer_backends=backends,
        read_assignment=lambda: cast("Assignment", ()),
        blobs={},
        memory={},
        read_passes=tuple,
        model_options=ModelOptions(None, {}),
        origins={layer.guid: () for layer in network.layers},
        public_guids=tuple(layer.guid for layer in network.layers),
        sources={},
        replacements=frozenset(),
    )
    about: dict[str, Any] = {backend_id: _About(version, vendor_version)}
    save_network(placed, about, OptimizerOptions(), path, keep_subgraphs=None, mode=0o600)
