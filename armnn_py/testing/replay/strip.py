# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A recording without the values of weights: random ones of the same shapes and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from armnn_py.network import ConstantLayer, Network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network import NetworkStorage, OutputSlot
    from armnn_py.recording.container import RecordedCall, Recording
    from armnn_py.tensors import TensorInfo


def strip(recording: Recording, *, inputs: bool) -> Recording:
    """Return a recording whose weights are random.

    Integers that are not quantised stay: they are indices, axes or shapes.

    Parameters
    ----------
    recording
        A recording of a failure: outputs of other calls would not fit the weights.
    inputs
        Whether the inputs of calls become random as well.
    """
    random = np.random.default_rng(0)
    parts = [
        structs.replace(part, network=_stripped(part.network, random)) for part in recording.parts
    ]
    calls = [structs.replace(call, outputs=[], status="ended") for call in recording.calls[-1:]]
    if inputs:
        infos = {number: list(part.network.inputs.values()) for number, part in enumerate(parts)}
        calls = [_with_inputs(call, infos[call.part], random) for call in calls]
    return structs.replace(recording, parts=parts, calls=calls)


def _with_inputs(
    call: RecordedCall, infos: list[TensorInfo], random: np.random.Generator
) -> RecordedCall:
    arrays = [_random(one, info, random) for one, info in zip(call.inputs, infos, strict=True)]
    return structs.replace(call, inputs=arrays)


def _stripped(network: NetworkStorage, random: np.random.Generator) -> Network:
    made = Network(network.name)
    slot_of: dict[OutputSlot, OutputSlot] = {}
    for layer in network.layers:
        operands = [None if slot is None else slot_of[slot] for slot in layer.inputs]
        infos = [slot.info for slot in layer.outputs]
        value = None
        if isinstance(layer, ConstantLayer):
            value = _random(layer.value, infos[0], random)
        copy = made.append_unchecked(
            layer.name, layer.type, layer.descriptor, tuple(operands), infos, value=value
        )
        slot_of.update(zip(layer.outputs, copy.outputs, strict=True))
    return made


def _random(value: NDArray[Any], info: TensorInfo, random: np.random.Generator) -> NDArray[Any]:
    """Random numbers between the least and the largest of an array."""
    is_quantized = info.quantization is not None
    if not value.size or not (info.data_type.is_float or is_quantized):
        return value
    if value.dtype.kind in "iu":
        return random.integers(value.min(), value.max(), value.shape, value.dtype, endpoint=True)
    finite = value[np.isfinite(value)]
    least, most = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    made: NDArray[Any] = random.uniform(float(least), float(most), value.shape)
    return made.astype(value.dtype)
