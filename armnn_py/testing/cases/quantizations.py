# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cases again, with other scales and zero points, and with other fields of descriptors.

Examples have one quantisation for each type, and fields at their usual values. A kernel that has
these written down, or ignores a field, passes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import structs

from armnn_py.errors import ArmnnError, LayerValidationError
from armnn_py.network.shapes import infer
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.testing.oracles.independent import by_definition
from armnn_py.types import ActivationFunction, BinaryOperation, DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.backends.questions.examples import Example
    from armnn_py.backends.questions.layer_support import LayerSignature
    from armnn_py.testing.cases.case import Case

#: Layers with scales that their definition fixes, and one to which scales mean nothing.
_FIXED = {
    LayerType.CAST,
    LayerType.GRU,
    LayerType.LSTM,
    LayerType.QLSTM,
    LayerType.QUANTIZED_LSTM,
    LayerType.RNN,
    LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM,
}
#: Their results jump at multiples of an operand, of which equal scales make many.
_JUMPS = (BinaryOperation.MOD, BinaryOperation.FMOD)
#: Types whose zero point is 0.
_SYMMETRIC = (DataType.QSYMM_S8, DataType.QSYMM_S16)
#: The real range of the first operand; that of weights, which are summed up.
_RANGE, _RANGE_OF_WEIGHTS = 6.0, 1.7
#: The least and the largest result of a prescribed range.
_ENDS: dict[tuple[LayerType, ActivationFunction | None], tuple[int, int]] = {
    (LayerType.ACTIVATION, ActivationFunction.SIGMOID): (0, 1),
    (LayerType.ACTIVATION, ActivationFunction.TANH): (-1, 1),
    (LayerType.SOFTMAX, None): (0, 1),
    (LayerType.LOG_SOFTMAX, None): (-16, 0),
}
#: Percent of the values of an output that may lie beyond each end of its range.
_BEYOND = 1.5


class Variant(NamedTuple):
    """One choice of scales and zero points.

    Attributes
    ----------
    name
        Ends the name of a case.
    scales
        By operand, in turn: a factor of the scale.
    points
        By operand, in turn: the zero point as a part of the type's range.
    spread
        The part of a type's range that values are drawn from, around the zero point.
    margin
        How much wider the output's range is than its values.
    by_channel
        Whether weights have a scale for each channel.
    own_weights
        Whether weights have the type of the input, with a zero point.
    """

    name: str
    scales: tuple[float, ...]
    points: tuple[float, ...]
    spread: float = 1.0
    margin: float = 1.0
    by_channel: bool = False
    own_weights: bool = False


#: In turn for the forms of a layer; the first form has all of them.
VARIANTS = (
    Variant("apart", (0.83, 1.57, 0.61), (0.31, 0.64, 0.45), own_weights=True),
    Variant("equal", (1.13, 1.13, 0.71), (0.72, 0.27, 0.58), spread=0.3),
    Variant("symmetric", (0.47, 1.21, 1.9), (0.5,), margin=1.3),
    Variant("channels", (0.91, 0.53, 1.4), (0.42, 0.57, 0.66), margin=1.1, by_channel=True),
)


#: Values near the zero points: an output's step is smaller than those of a sum.
FINE = Variant("fine", (1.07, 0.93, 1.3), (0.47, 0.52, 0.38), spread=0.016)
#: Layers with more channels come with scales for each, too: tables of them have an end.
CHANNELS = VARIANTS[-1]
MANY_CHANNELS = 64


def requantized(case: Case, variant: Variant) -> Case | None:
    """Return a case with another quantisation of each tensor, or None where the layer forbids it.

    Outputs get the range of what the definition gives, so that few of them saturate.
    """
    operation = getattr(case.signature.descriptor, "operation", None)
    if case.layer in _FIXED or (variant.name == "equal" and operation in _JUMPS):
        return None
    for axis in _axes_of_weights(case.signature) if variant.by_channel else (None,):
        try:
            return _changed(case, variant, axis)
        except LayerValidationError:
            continue
    return None


def _changed(case: Case, variant: Variant, axis: int | None) -> Case:
    signature = case.signature
    inputs = tuple(_inputs(case, variant, axis))
    changed = structs.replace(
        case,
        name=f"{case.name}-{variant.name}",
        signature=signature._replace(inputs=inputs),
        spread=variant.spread,
        is_variant=True,
        drawn={},
    )
    outputs = _outputs(changed, variant)
    made = infer(case.layer, signature.descriptor, inputs, case.known, outputs=outputs)
    return structs.replace(
        changed, signature=signature._replace(inputs=inputs, outputs=tuple(made))
    )


def _with(info: TensorInfo, quantization: QuantizationInfo) -> TensorInfo:
    return TensorInfo(info.shape, info.data_type, quantization)


def _axes_of_weights(signature: LayerSignature) -> Sequence[int | None]:
    """Return the dimensions that may be those of channels; None for layers without weights."""
    infos = [signature.inputs[place] for place in _places(signature, "weights")]
    if not infos or infos[0] is None:
        return (None,)
    return [axis for axis, length in enumerate(infos[0].static_shape) if length > 1]


def _places(signature: LayerSignature, operand: str) -> list[int]:
    names = [name.rstrip("?") for name in FACTS[signature.type].operands]
    return [place for place, name in enumerate(names[: len(signature.inputs)]) if name == operand]


def _inputs(case: Case, variant: Variant, axis: int | None) -> list[TensorInfo | None]:
    """Return the operands' infos; a bias counts in steps of the input times the weights."""
    signature = case.signature
    weights, biases = _places(signature, "weights"), _places(signature, "bias")
    moves = FACTS[case.layer].quantization == "moves"
    found: list[TensorInfo | None] = []
    for place, info in enumerate(signature.inputs):
        if info is None or not info.data_type.is_quantized:
            found.append(info)
            continue
        reach = _RANGE_OF_WEIGHTS if place in weights else _RANGE
        if place in weights and variant.own_weights and signature.inputs[0] is not None:
            info = TensorInfo(info.shape, signature.inputs[0].data_type, info.quantization)
        turn = 0 if moves else place
        along = axis if place in weights else None
        found.append(_with(info, _of_operand(info, variant, turn, reach, along)))
    for place in biases:
        info, first, second = [*found, None][place], found[0], found[1]
        if info is not None and first is not None and second is not None:
            found[place] = _bias(info, first, second)
    return found


def _of_operand(
    info: TensorInfo, variant: Variant, turn: int, reach: float, axis: int | None
) -> QuantizationInfo:
    limits = np.iinfo(info.dtype)
    steps = limits.max - limits.min
    scale = reach / steps * variant.scales[turn % len(variant.scales)]
    point = round(limits.min + steps * variant.points[turn % len(variant.points)])
    if info.data_type in _SYMMETRIC:
        point = 0
    if axis is None:
        return QuantizationInfo((float(np.float32(scale)),), (point,))
    count = info.static_shape[axis]
    factors = np.float32(scale) * (0.55 + 0.9 * ((np.arange(count) * 5) % 7) / 7)
    return QuantizationInfo(tuple(map(float, factors)), (point,) * count, axis)


def _bias(info: TensorInfo, images: TensorInfo, weights: TensorInfo) -> TensorInfo:
    given, of = images.quantization, weights.quantization
    if info.data_type.is_quantized or given is None or of is None:
        return info
    scales = tuple(given.scale * scale for scale in of.scales)
    if of.axis is None:
        return _with(info, QuantizationInfo(scales))
    if info.static_shape != (len(scales),):
        raise LayerValidationError("the scales of weights lie along another dimension")
    return _with(info, QuantizationInfo(scales, axis=0))


def _outputs(case: Case, variant: Variant) -> list[TensorInfo] | None:
    """Return the outputs with the range of their values; None where they follow from the inputs."""
    signature = case.signature
    if FACTS[case.layer].quantization == "moves":
        return None
    real = tuple(
        TensorInfo(info.shape) if info.data_type.is_quantized else info
        for info in signature.outputs
    )
    values = by_definition(signature._replace(outputs=real), case.values())
    found = []
    for place, info in enumerate(signature.outputs):
        # In one variant: the others show what depends on the scale of the output.
        usual = _usual_output(signature, info) if variant.name == "equal" else None
        if usual is not None:
            info = _with(info, usual)
        elif info.data_type.is_quantized:
            array = np.zeros(0) if values is None else np.asarray(values[place], np.float64)
            info = _with(info, of_output(info.data_type, array, variant))
        found.append(info)
    return found


def _usual_output(signature: LayerSignature, info: TensorInfo) -> QuantizationInfo | None:
    """Return the quantisation that TensorFlow Lite prescribes: many backends take no other."""
    ends = _ENDS.get((signature.type, getattr(signature.descriptor, "function", None)))
    if ends is None or not info.data_type.is_quantized:
        return None
    least, most = ends
    limits = np.iinfo(info.data_type.numpy)
    if info.data_type in _SYMMETRIC:
        return QuantizationInfo((max(-least, most) / (limits.max + 1),), (0,))
    steps = limits.max + 1 - limits.min
    zero = limits.min - least * steps // (most - least)
    return QuantizationInfo(((most - least) / steps,), (min(zero, limits.max),))


def of_output(data_type: DataType, values: NDArray[Any], variant: Variant) -> QuantizationInfo:
    """Return the quantisation that holds these values, but for a few at the ends, and 0."""
    finite = values[np.isfinite(values)]
    least, most = -1.9, 2.3
    if finite.size and finite.any():
        ends = np.percentile(finite, (_BEYOND, 100 - _BEYOND))
        least, most = (float(end) * variant.margin for end in ends)
    least, most = min(least, 0.0), max(most, 0.0)
    limits = np.iinfo(data_type.numpy)
    if data_type in _SYMMETRIC or variant.name == "symmetric":
        scale = max(-least, most) / limits.max if limits.min else max(most, -least) / 127
        point = 0 if limits.min else 128
    else:
        scale = (most - least) / (limits.max - limits.min)
        point = int(np.clip(round(limits.min - least / max(scale, 1e-12)), limits.min, limits.max))
    return QuantizationInfo((float(np.float32(max(scale, 1e-6))),), (point,))


def other_fields(example: Example, in_float: Example) -> Iterator[tuple[Example, Example, str]]:
    """Give the example and its float32 form with each other value, and the field's name.

    Numbers and booleans get one other value, an axis each other one, from the front and from the
    end. Whole numbers stay in quantised layers, which windows cover. Whether there is such a layer
    is for the caller to find out.
    """
    descriptor = example.descriptor
    if descriptor is None or not example.operands or example.operands[0] is None:
        return
    rank, data_type = example.operands[0].info.rank, example.operands[0].info.data_type
    for field in descriptor.__struct_fields__:
        role = descriptor.roles.get(field)
        if field == "activation_function":  # of an LSTM: a number of a few functions
            continue
        for value in _others(getattr(descriptor, field), role, rank, data_type.is_quantized):
            try:
                changed = structs.replace(descriptor, **{field: value})
            except ArmnnError:
                continue
            yield (
                structs.replace(example, descriptor=changed),
                structs.replace(in_float, descriptor=changed),
                field,
            )


def _others(value: Any, role: str | None, rank: int, is_quantized: bool) -> Iterator[Any]:
    if role == "axis":
        yield from (axis for axis in range(-rank, rank) if axis != value)
    elif role == "axes" and value:
        yield tuple(axis - rank if axis >= 0 else axis + rank for axis in value)
    elif type(value) is bool:
        yield not value
    elif type(value) is float:
        yield value * 0.6 + 0.3
    elif type(value) is int and role is None and not is_quantized:
        yield value + 1
