# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors inside of a network as further outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import (
    ArmnnError,
    InputValuesNeededError,
    InvalidArgumentError,
    StagesNeededError,
    UnknownNameError,
)
from armnn_py.network.conversions import stand_in_shapes
from armnn_py.network.network import Network
from armnn_py.network.storage import Builder
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.text import first_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network.layer import OutputSlot

#: Of inputs whose values decide shapes, on trial.
_TRIAL_VALUES = (0, 1)


def with_extra_outputs(network: Network, names: Sequence[str]) -> Network:
    """Return a copy of a network with further outputs.

    Parameters
    ----------
    network
        Stays as it is. If it has free dimensions, so has the copy, and each network that is made
        for a set of shapes has the outputs.
    names
        Names of tensors as the model file has them, or names of layers. Each becomes the name of
        an output. A tensor is meant if there are both. ``"split:1"`` is the second output of a
        layer.

    Raises
    ------
    UnknownNameError
        A name is neither that of a tensor nor that of a layer.
    InvalidArgumentError
        Several layers have a name, a layer has no such output, there is an output of that name
        already, a tensor is nothing that can be an output; or no layers could be made for any of
        a few sizes of the free dimensions.
    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InvalidArgumentError(
            f"extra_outputs: {names!r} given, a list of names of tensors or layers expected"
        )
    if not network.is_dynamic:
        return _extended(network.copy(), names)
    assert network._dynamic is not None
    builder = network._dynamic.builder
    unknown: UnknownNameError | None = None
    if hasattr(builder, "with_outputs"):
        try:
            return builder.with_outputs(names, network.inputs)  # type: ignore[no-any-return]
        except UnknownNameError as error:
            unknown = error  # perhaps a layer has the name
    try:
        trial = _extended(_on_trial(network), names).outputs
    except StagesNeededError as error:
        raise unknown or error from None
    found = {name: TensorInfo((None,) * trial[name].rank, trial[name].data_type) for name in names}
    extended = Network.from_builder(
        network.name,
        network.inputs,
        _ExtendingBuilder(builder, tuple(names)),
        {**network.outputs, **found},
        network.variables,
        value_inputs=network.value_inputs,
    )
    extended.metadata = network.metadata
    return extended


class _ExtendingBuilder:
    """Makes what another builder makes, with further outputs; picklable if that one is."""

    def __init__(self, builder: Builder, names: tuple[str, ...]) -> None:
        self.builder = builder
        self.names = names

    @property
    def traces(self) -> bool:
        """Whether sizes of inputs may be symbolic."""
        return bool(getattr(self.builder, "traces", False))

    def __call__(
        self, infos: Mapping[str, TensorInfo], values: Mapping[str, NDArray[Any]] | None = None
    ) -> Any:
        built = self.builder(infos) if values is None else self.builder(infos, values)
        # Anything else is refused by whoever called.
        return _extended(built, self.names) if isinstance(built, Network) else built


def _extended(network: Network, names: Sequence[str]) -> Network:
    """Add outputs to a network."""
    for name in names:
        if name in network.outputs:
            raise InvalidArgumentError(
                f"extra output '{name}': it is an output of the network already"
            )
        network.add_output(name, _slot(network, name))
    return network


def _slot(network: Network, name: str) -> OutputSlot:
    place = network._tensor_names.get(name)
    if isinstance(place, str):
        raise InvalidArgumentError(f"extra output '{name}': the tensor {place}")
    if isinstance(place, tuple):
        return network.layers[place[0]].outputs[place[1]]
    if place is not None:
        array, info = place()
        return network.add_constant(array, info=info, name=f"{name}/constant").outputs[0]
    known = {layer.name for layer in network.layers}
    stem, colon, number = name.rpartition(":")
    index = 0
    if name not in known and colon and number.isdecimal() and stem in known:
        name, index = stem, int(number)
    elif name not in known and network._tensor_names:
        valid = [*dict.fromkeys((*network._tensor_names, *known))]
        raise UnknownNameError(
            f"network '{network.name}' has no layer and no tensor '{name}'",
            name=name,
            valid=valid,
            details=[f"it has {len(valid)} names of both"] if len(valid) > 20 else [],
        )
    layer = network.layer(name)
    if index >= len(layer.outputs):
        raise InvalidArgumentError(
            f"extra output '{name}:{index}': layer '{name}' has {len(layer.outputs)} outputs"
        )
    return layer.outputs[index]


def _on_trial(network: Network) -> Network:
    """Return the network for arbitrary sizes of its free dimensions.

    Inputs whose values decide shapes are full of one number.
    """
    last: ArmnnError | None = None
    for shapes, value in product(stand_in_shapes(network.inputs, keeps_axes=True), _TRIAL_VALUES):
        asked: tuple[str, ...] | None = None
        while asked != network.value_inputs:
            asked = network.value_inputs
            values = {
                name: np.full(shapes[name], value, network.inputs[name].dtype) for name in asked
            }
            try:
                return network.specialize(shapes, values).copy()
            except InputValuesNeededError as error:
                last = error
            except StagesNeededError:
                raise
            except ArmnnError as error:
                last = error
                break
    assert last is not None
    raise InvalidArgumentError(
        f"network '{network.name}': extra outputs given, but its layers could not be made on trial",
        details=[
            *first_of(f"input '{name}': {format_shape(shape)}" for name, shape in shapes.items()),
            f"with the last of these sizes: {last.message}",
        ],
        hints=["shapes={...} binds the free dimensions: the layers are known then"],
    ) from last
