# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The networks of a comparison: that of a model or a saved network, and those of its stages."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends import import_model
from armnn_py.network import Network, as_network
from armnn_py.network.saved_files import is_saved_network
from armnn_py.network.specialized import specialized
from armnn_py.network.stages import sub_stage
from armnn_py.optimizer.saved.read import read_network
from armnn_py.runtime.stages.bodies import Bodies
from armnn_py.types import LayerType

if TYPE_CHECKING:
    import numpy as np

    from armnn_py.comparing.sides import Arrays, BackendSide
    from armnn_py.network import NetworkStorage
    from armnn_py.network.storage import Stage
    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.runtime import Runtime

__all__ = ["StagesSeen"]


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


#: So many runs of one stage are compared: the first turns of a loop.
_MOST_SETS = 3


class StagesSeen:
    """Runs a network on the reference, and keeps what its stages read; a context manager.

    Attributes
    ----------
    found
        By stage, as ``2/body``: its network with known shapes, and inputs of up to three runs that
        have these shapes.
    """

    def __init__(self, side: BackendSide) -> None:
        self._side = side
        self._kept: dict[str, LoadedNetwork] = {}
        self._stack = contextlib.ExitStack()
        self.found: dict[str, tuple[Network, list[dict[str, Any]]]] = {}

    def __enter__(self) -> StagesSeen:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(
        self, given: NetworkStorage, arrays: Mapping[str, np.ndarray], called: str = ""
    ) -> dict[str, np.ndarray]:
        """Run a network, stage by stage if it has stages; ``called`` is what it is called."""
        network = as_network(given)
        if network.is_dynamic:
            shapes = {name: array.shape for name, array in arrays.items()}
            network = specialized(network, shapes, dict(arrays))
        if not network.stages:
            return self._run_one(network, arrays, called, is_kept=network is given)
        values = dict(arrays)
        for number, stage in enumerate(network.stages, 1):
            name = sub_stage(called, number)
            read = {one: values[one] for one in stage.inputs}
            if stage.network is not None:
                values |= self.run(stage.network, read, name)
            else:
                assert stage.compute is not None
                values |= stage.compute(read, _Turns(self, stage, name))
        return {name: values[name] for name in network.outputs}

    def _run_one(
        self, network: Network, arrays: Mapping[str, np.ndarray], called: str, *, is_kept: bool
    ) -> dict[str, np.ndarray]:
        first, sets = self.found.setdefault(called, (network, []))
        if len(sets) < _MOST_SETS and dict(first.inputs) == dict(network.inputs):
            sets.append({name: array.copy() for name, array in arrays.items()})
        if not is_kept:  # values may have decided its layers
            return self._side.run(network, arrays)
        if called not in self._kept:
            self._kept[called] = self._stack.enter_context(self._side.load(network))
        return self._kept[called].run(arrays)


class _Turns(Bodies):
    """Runs the networks of a stage that is a function, turn by turn."""

    __slots__ = ("_called", "_seen", "_stage")

    def __init__(self, seen: StagesSeen, stage: Stage, called: str) -> None:
        super().__init__({}, called, None, None, None)
        self._seen, self._stage, self._called = seen, stage, called

    def __call__(self, key: str, arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        body = self._stage.bodies.get(key)
        return {} if body is None else self._seen.run(body, arrays, sub_stage(self._called, key))
