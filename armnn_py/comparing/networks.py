# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The network of a model for a comparison: imported, or read from a saved network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends import import_model
from armnn_py.network import Network
from armnn_py.network.saved_files import is_saved_network
from armnn_py.network.specialized import specialized
from armnn_py.optimizer.saved.read import read_network
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.comparing.sides import Arrays
    from armnn_py.runtime.runtime import Runtime


def saved_layers(path: str) -> Network:
    """Return the layers of a saved network.

    Raises
    ------
    ParseError
        The file cannot be read.
    InvalidArgumentError
        Backends have compiled layers in it.
    """
    network = read_network(path).network
    compiled = [one.name for one in network.layers if one.type is LayerType.PRE_COMPILED]
    if compiled:
        raise InvalidArgumentError(
            f"saved network '{path}' has compiled sub-graphs, layers expected",
            details=[f"compiled: '{compiled[0]}'"],
            hints=["give the model that it was made from"],
        )
    return network


def network_of(
    model: Any,
    runtime: Runtime,
    arrays: Arrays | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    *,
    in_stages: bool = False,
) -> Network:
    """Return the network of a model, with the shapes of its inputs.

    Parameters
    ----------
    model
        A network, a model for `import_model`, or the path of a saved network.
    runtime
        Its backends are offered the operators without a layer.
    arrays
        Arrays by name; those of inputs bind free dimensions.
    shapes
        Shapes of inputs by name.
    in_stages
        Whether it may run in stages.

    Raises
    ------
    InvalidArgumentError
        Dimensions stay free, or the network runs in stages that are not allowed.
    ModelError
        The model cannot be imported.
    """
    if isinstance(model, Network):
        network = model
    elif is_saved_network(model):
        network = saved_layers(model)
    else:
        network = import_model(model, backends=tuple(runtime.backends.values()))
    if not network.is_dynamic:
        return network
    given = {name: array for name, array in (arrays or {}).items() if name in network.inputs}
    known = {name: array.shape for name, array in given.items()}
    network = specialized(network, {**known, **(shapes or {})}, given)
    if network.stages and not in_stages:
        raise InvalidArgumentError(
            f"network '{network.name}' runs in {len(network.stages)} stages, one expected",
            hints=["give values for inputs that decide shapes", "compare a part of it"],
        )
    free = next((name for name, info in network.inputs.items() if not info.is_static), None)
    if free is not None:
        raise InvalidArgumentError(
            f"input '{free}' has free dimensions: {network.inputs[free]!r}",
            hints=["give its shape or an array"],
        )
    return network
