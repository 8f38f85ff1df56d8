# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stages: the parts of a network that run one after another, each with plans of its own.

If data that a network computes decide shapes, no plan for the whole network can be made before
these data are there. Reports number stages from 1: ``2`` is the second of a network, ``2/body`` the
body that it runs, ``2/body/1`` the first stage of that body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.errors import (
    InputValuesNeededError,
    InvalidArgumentError,
    StagesNeededError,
    UnknownNameError,
)
from armnn_py.network.layer import working_layers
from armnn_py.tensors import StringInfo
from armnn_py.text import counted, first_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from armnn_py.network.storage import DynamicParts, NetworkStorage, Stage
    from armnn_py.tensors import TensorInfo

#: Why a network has stages that are all loops, and networks.
HAS_LOOPS = "it has loops"

_REASONS = {
    "data decide shapes": "data that it computes decide shapes",
    HAS_LOOPS: "it has loops, which run turn by turn",
    "it has strings": "it has strings, which no backend computes with",
    "data decide shapes and it has strings": (
        "data that it computes decide shapes, and it has strings"
    ),
}


def stages_needed(
    name: str, stages: Sequence[Stage], details: Sequence[str] = ()
) -> StagesNeededError:
    """Return the error of a network that has no layers, but stages."""
    return StagesNeededError(
        f"network '{name}' runs in {counted(len(stages), 'stage')}: {_REASONS[why_stages(stages)]}",
        stages=stages,
        details=details,
        hints=["load(model).run(inputs) runs them one after another; they have no common plan"],
    )


def why_stages(stages: Sequence[Stage]) -> str:
    """Return why a network has stages, as ``it has strings``."""
    between = [stage for stage in stages if stage.network is None]
    if all(stage.has_strings for stage in between) and (between or len(stages) == 1):
        return "it has strings"
    if any(stage.has_strings for stage in between):
        return "data decide shapes and it has strings"
    if between and all(stage.manner == "turn by turn" for stage in between):
        return HAS_LOOPS
    return "data decide shapes"


def sub_stage(stage: str, part: int | str) -> str:
    """Return what a stage of the network ``stage`` is called, or a body of that stage."""
    return f"{stage}/{part}" if stage else str(part)


def walk_stages(
    network: NetworkStorage, within: str = ""
) -> Iterator[tuple[str, Stage, dict[str, TensorInfo]]]:
    """Give the stages of a network, as far as they are known, each before those inside of it.

    ``within`` is what the network itself is called. With each stage comes what it is called, and
    the infos of its inputs.
    """
    known = dict(network.inputs)
    for number, stage in enumerate(network.stages, 1):
        called = sub_stage(within, number)
        yield called, stage, {name: known[name] for name in stage.inputs if name in known}
        known |= stage.outputs
        if stage.network is not None:
            yield from walk_stages(stage.network, called)
        for name, body in stage.bodies.items():
            yield from walk_stages(body, sub_stage(called, name))


def count_layers(network: NetworkStorage) -> int | None:
    """Return the number of layers without inputs, outputs and constants; None if not known."""
    if network.is_dynamic:
        return None
    return len(working_layers(network.layers))


def describe_stage(stage: Stage) -> str:
    """Return what a stage is, as ``Loop l, turn by turn; body of 3 layers``."""
    if stage.network is not None:
        return f"network {_size(stage.network)}"
    words = " ".join(filter(None, (stage.operator or "function", stage.name)))
    bodies = ", ".join(f"{name} {_size(body)}" for name, body in stage.bodies.items())
    return f"{words}, {stage.manner}{'; ' if bodies else ''}{bodies}"


def _size(network: NetworkStorage) -> str:
    count = count_layers(network)
    if count is not None:
        return f"of {counted(count, 'layer')}"
    if network.stages:
        return f"in {counted(len(network.stages), 'stage')}"
    if any(not info.is_static for info in network.inputs.values()):
        return "with free dimensions"
    return "whose layers depend on values of inputs"


def build_with_values(
    name: str,
    parts: DynamicParts,
    infos: Mapping[str, TensorInfo],
    values: Mapping[str, NDArray[Any]],
) -> NetworkStorage:
    """Have the builder make the network, with the values that it needs as far as they are given.

    Inputs that it asks for are added to ``parts.value_inputs``, so that the next call gives them.

    Raises
    ------
    InputValuesNeededError
        The builder needs values that are not given.
    UnknownNameError
        The network has no input of a name.
    InvalidArgumentError
        An array does not fit its input.
    StagesNeededError
        The network has stages, and no layers of its own.
    """
    for key, array in values.items():
        if key not in infos:
            raise UnknownNameError(
                f"network '{name}' has no input '{key}'", name=key, valid=list(infos)
            )
        info = infos[key]
        is_of_type = isinstance(info, StringInfo) or array.dtype == info.dtype
        if array.shape != info.shape or not is_of_type:
            raise InvalidArgumentError(
                f"values of input '{key}': {array.dtype} of shape {array.shape} given",
                details=[f"input: {info!r}"],
            )
    if parts.stages:
        raise stages_needed(name, parts.stages)
    while True:
        missing = [key for key in parts.value_inputs if key not in values]
        if missing:
            raise _needed(name, parts, missing)
        try:
            if not parts.value_inputs:
                return parts.builder(infos)
            return parts.builder(infos, {key: values[key] for key in parts.value_inputs})
        except InputValuesNeededError as error:
            news = [key for key in error.names if key not in parts.value_inputs]
            if not news:
                raise
            parts.value_inputs.update(dict.fromkeys(news))


def _needed(name: str, parts: DynamicParts, missing: list[str]) -> InputValuesNeededError:
    quoted = ", ".join(f"'{key}'" for key in missing)
    return InputValuesNeededError(
        f"network '{name}': the layers depend on the values of input {quoted}",
        names=tuple(parts.value_inputs),
        details=first_of(f"input '{key}': {parts.inputs[key]!r}" for key in missing),
        hints=[f"specialize(shapes, values={{{missing[0]!r}: array}})"],
    )
