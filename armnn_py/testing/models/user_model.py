# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A user's model, as an order for another process names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.comparing.networks import network_of, saved_layers
from armnn_py.frontends import import_model
from armnn_py.network.saved_files import is_saved_network
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.network import Network
    from armnn_py.network.layer import Layer
    from armnn_py.runtime import Runtime


class UserModel(Struct, frozen=True):
    """A model and what the kit needs to know of it.

    Attributes
    ----------
    path
        The file.
    shapes
        Shapes of inputs by name, for free dimensions.
    references
        By the name of an operator without a layer: ``module:function`` that computes it.
    """

    path: str
    shapes: dict[str, list[int]]
    references: dict[str, str]

    def network(self, runtime: Runtime) -> Network:
        """Import it; a free first dimension is 1.

        Raises
        ------
        ModelError
            The model cannot be imported.
        InvalidArgumentError
            Dimensions stay free.
        """
        if is_saved_network(self.path):
            imported = saved_layers(self.path)
        else:
            imported = import_model(self.path, backends=tuple(runtime.backends.values()))
        shapes: dict[str, Any] = {
            name: [1, *info.shape[1:]]
            for name, info in imported.inputs.items()
            if info.shape[:1] == (None,)
        }
        return network_of(imported, runtime, None, {**shapes, **self.shapes})

    def reference_of(self, layer: Layer) -> str | None:
        """Return the reference of a layer: empty for a layer of ours, None if it is missing."""
        if layer.type is not LayerType.STAND_IN:
            return ""
        return self.references.get(layer.descriptor.name)  # type: ignore[union-attr]
