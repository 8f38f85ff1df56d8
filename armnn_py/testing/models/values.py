# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors inside a user's network, so that each layer is tested on values of its usual range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.comparing.random_inputs import random_inputs
from armnn_py.comparing.tensors import place_of
from armnn_py.errors import ArmnnError
from armnn_py.network import ConstantLayer, Network, VariableLayer
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.runtime import Runtime
from armnn_py.testing.oracles.own_operators import OPERATORS, operators_backend
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from armnn_py.comparing.tensors import Place
    from armnn_py.network import NetworkStorage, OutputSlot
    from armnn_py.testing.models.user_model import UserModel

__all__ = ["values_inside"]

#: In order of preference: the fast one first, since these are only inputs of cases.
_BACKENDS = (OPERATORS, "CpuAcc", REFERENCE)


def values_inside(
    network: NetworkStorage, wanted: Collection[OutputSlot], model: UserModel, seed: int
) -> dict[Place, NDArray[Any]]:
    """Return tensors of a network for random inputs; none if our backends cannot run it.

    Parameters
    ----------
    network
        A network with known shapes.
    wanted
        Its tensors.
    model
        Has the references of operators. Results of an operator without one are random.
    seed
        Seed of the random inputs.
    """
    copy, names, kept = _copied(network, wanted, model)
    inputs = {**random_inputs(copy.inputs, seed, whole_range=True), **kept}
    try:
        with Runtime(
            [],
            use_environment=False,
            probe_seconds=0,
            python_backends=[operators_backend(model.references)],
        ) as runtime:
            backends = [one for one in _BACKENDS if one in runtime.backends]
            placed = optimize(copy, backends, runtime=runtime, options=AS_IT_IS)
            with runtime.load_network(placed) as loaded:
                found = loaded.run(inputs)
                return {place: np.array(found[name]) for place, name in names.items()}
    except ArmnnError:
        return {}


def _copied(
    network: NetworkStorage, wanted: Collection[OutputSlot], model: UserModel
) -> tuple[Network, dict[Place, str], dict[str, NDArray[Any]]]:
    """Return the layers of a network whose outputs are the wanted tensors.

    With it come the names of these outputs, and the values of variables by input.
    """
    copy = Network("values")
    slots: dict[Place, OutputSlot] = {}
    kept: dict[str, NDArray[Any]] = {}
    for number, layer in enumerate(network.layers):
        if layer.type is LayerType.OUTPUT:
            continue
        sources = tuple(None if slot is None else slots[place_of(slot)] for slot in layer.inputs)
        if FACTS[layer.type].moves_memory:
            assert sources[0] is not None
            slots[layer.guid, 0] = sources[0]
            continue
        infos = [slot.info for slot in layer.outputs]
        if layer.type is LayerType.INPUT or model.reference_of(layer) is None:
            for index, info in enumerate(infos):
                name = f"x{number}.{index}"
                made = copy.append_unchecked(name, LayerType.INPUT, None, (), [info])
                slots[layer.guid, index] = made.outputs[0]
                if isinstance(layer, VariableLayer):
                    kept[name] = layer.initial
            continue
        value = layer.value if isinstance(layer, ConstantLayer) else None
        made = copy.append_unchecked(
            layer.name, layer.type, layer.descriptor, sources, infos, value=value
        )
        slots.update(((layer.guid, one.index), one) for one in made.outputs)
    names = {place_of(slot): f"y{number}" for number, slot in enumerate(wanted)}
    for place, name in names.items():
        copy.append_unchecked(name, LayerType.OUTPUT, None, (slots[place],), ())
    return copy, names, kept
