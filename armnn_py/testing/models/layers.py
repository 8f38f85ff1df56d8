# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers of a user's network as cases of the kit, with the values that they see there.

Equal layers are one case, and not too many become cases.
"""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.comparing.groups import constant_layers
from armnn_py.comparing.random_inputs import random_inputs
from armnn_py.comparing.tensors import place_of
from armnn_py.errors import ArmnnError
from armnn_py.network import ConstantLayer, Network, VariableLayer
from armnn_py.network.layer import working_layers
from armnn_py.optimizer import AS_IT_IS, OptimizerOptions, optimize
from armnn_py.runtime import Runtime
from armnn_py.testing.cases import TRIED_TYPES
from armnn_py.testing.cases.case import Case
from armnn_py.testing.oracles.own_operators import OPERATORS, operators_backend
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from armnn_py.comparing.tensors import Place
    from armnn_py.network import Layer, NetworkStorage, OutputSlot
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.testing.cases import Level
    from armnn_py.testing.models.user_model import UserModel
    from armnn_py.testing.target import Target

#: Cases of a model at the quick level.
_MOST = 64


class UserLayers(Struct, frozen=True):
    """The layers of a network as cases.

    Attributes
    ----------
    cases
        One for each different layer that is tried, named after the user's layer.
    left_out
        Other different layers, with the reason.
    count
        The number of layers.
    """

    cases: list[Case]
    left_out: list[tuple[Case, str]]
    count: int


class _Example(Struct, frozen=True):
    """The first of equal layers, and its name in the user's network."""

    layer: Layer
    signature: LayerSignature
    name: str

    @property
    def kind(self) -> tuple[Any, Any]:
        infos = (*self.signature.outputs, *filter(None, self.signature.inputs))
        return self.signature.type, infos[0].data_type


def layers_of(
    model: UserModel,
    target: Target,
    level: Level,
    seed: int,
    on_step: Callable[[str], None] = lambda _: None,
) -> UserLayers:
    """Return the layers of a model as the backend gets them: simplified, in its layouts.

    Raises
    ------
    ModelError, InvalidArgumentError
        As `UserModel.network`.
    NoBackendForLayerError
        The backend takes no layer for an operator that it gave outputs for.
    """
    on_step("loading the backend")
    with target.runtime(with_others=True) as runtime:
        on_step("importing the model")
        network = model.network(runtime)
        both = list(dict.fromkeys([target.id, REFERENCE]))
        options = OptimizerOptions(compile_parts=False)
        on_step("optimising the model")
        placed = optimize(network, both, runtime=runtime, options=options).placed
        examples, count = _different(placed, network)
        fit = [one for one in examples if _is_tried(one.signature)]
        chosen = fit if level == "full" else _chosen(fit)
        wanted = dict.fromkeys(
            slot
            for one in chosen
            for slot in one.layer.inputs
            if slot is not None and not isinstance(slot.layer, ConstantLayer)
        )
        on_step("computing the tensors of the model")
        values = values_inside(placed.network, wanted, model, seed)
    left = []
    for one in examples:
        if one not in fit:
            left.append((_case(one, {}, model, seed), "no array holds its data type"))
        elif one not in chosen:
            words = f"{len(chosen)} of {len(fit)} different layers are tried; 'full' tries all"
            left.append((_case(one, {}, model, seed), words))
    return UserLayers([_case(one, values, model, seed) for one in chosen], left, count)


def _different(placed: PlacedNetwork, network: Network) -> tuple[list[_Example], int]:
    """Return one of each set of equal layers, and the number of all."""
    constants = constant_layers(network)
    found: dict[Any, _Example] = {}
    names: Counter[str] = Counter()
    working = working_layers(placed.network.layers)
    for layer in working:
        signature = LayerSignature(
            layer.type,
            layer.descriptor,
            tuple(None if slot is None else slot.info for slot in layer.inputs),
            tuple(slot.info for slot in layer.outputs),
            tuple(_is_constant(slot) for slot in layer.inputs),
        )
        key = signature, tuple(map(_deciding_values, layer.inputs))
        if key in found or not signature.outputs:
            continue
        origins = [
            network.layers[guid].name
            for guid in placed.origins.get(layer.guid, ())
            if guid not in constants
        ] or [layer.name]
        name = origins[0] if len(origins) == 1 else f"{origins[0]} to {origins[-1]}"
        names[name] += 1
        if names[name] > 1:
            name = f"{name} ({names[name]})"
        found[key] = _Example(layer, signature, name)
    return list(found.values()), len(working)


def _is_constant(slot: Any) -> bool:
    return slot is not None and isinstance(slot.layer, ConstantLayer)


def _deciding_values(slot: Any) -> bytes:
    """Return constant integers, such as indices: other ones make another layer."""
    if not _is_constant(slot) or slot.info.data_type.is_float or slot.info.data_type.is_quantized:
        return b""
    return bytes(slot.layer.value.tobytes())


def _is_tried(signature: LayerSignature) -> bool:
    infos = (*signature.inputs, *signature.outputs)
    return all(info is None or info.data_type in TRIED_TYPES for info in infos)


def _chosen(examples: Sequence[_Example]) -> list[_Example]:
    """Return at most so many, of each layer and data type in turn."""
    seen: Counter[Any] = Counter()
    ranks = []
    for number, one in enumerate(examples):
        ranks.append((seen[one.kind], number))
        seen[one.kind] += 1
    return [examples[number] for number in sorted(n for _, n in sorted(ranks)[:_MOST])]


def _case(
    example: _Example, values: dict[Place, NDArray[Any]], model: UserModel, seed: int
) -> Case:
    known: list[Any] = []
    usual: list[Any] = []
    for slot in example.layer.inputs:
        value = None
        if slot is not None:
            is_constant = isinstance(slot.layer, ConstantLayer)
            value = slot.layer.value if is_constant else values.get(place_of(slot))  # type: ignore[attr-defined]
            is_real = slot.info.data_type.is_float or slot.info.data_type.is_quantized
            if not is_constant and is_real:
                usual.append(value)
                known.append(None)
                continue
        usual.append(None)
        known.append(value)  # integers that are computed may be indices
    layer_type, data_type = example.kind
    return Case(
        f"{layer_type.label}/{data_type.label}/{example.name}",
        data_type,
        example.signature,
        tuple(known),
        seed,
        usual=tuple(usual),
        reference=model.reference_of(example.layer),
    )


def write_layers(path: str, layers: UserLayers) -> None:
    """Write layers to a file of this machine, for the process that tries them."""
    Path(path).write_bytes(pickle.dumps(layers))


def read_layers(path: str) -> UserLayers:
    """Read what `write_layers` wrote."""
    found: UserLayers = pickle.loads(Path(path).read_bytes())
    return found


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
