# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The cases of the conformance kit, from the layer table and from shapes that kernels get wrong."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from armnn_py.backends.questions.examples import Example, Operands
from armnn_py.backends.questions.layer_examples import examples_of
from armnn_py.descriptors.base import has_rescaling, with_rescaling
from armnn_py.testing.cases.case import DRAWS, Case, Kind, layer_type_of
from armnn_py.testing.cases.edges import edge_examples, limit_examples, number_examples
from armnn_py.testing.cases.quantizations import (
    CHANNELS,
    FINE,
    MANY_CHANNELS,
    VARIANTS,
    Variant,
    other_fields,
    requantized,
)
from armnn_py.testing.cases.recurrent import (
    attention_examples,
    recurrent_examples,
    rounding_examples,
)
from armnn_py.testing.cases.shapes import shape_examples
from armnn_py.testing.cases.windows import (
    large_examples,
    large_moves,
    long_sum_examples,
    window_examples,
)
from armnn_py.types import DataType, Rescaling

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature
    from armnn_py.types import LayerType

__all__ = [
    "DRAWS",
    "TRIED_TYPES",
    "Case",
    "Kind",
    "Level",
    "all_cases",
    "layer_type_of",
    "unvaried_cases",
]

Level = Literal["quick", "full"]

#: Types that cases are made of. Of less than a byte there are no arrays, and with floating point of
#: 8 bits nothing is computed.
TRIED_TYPES = tuple(one for one in DataType if one.bits > 8 or not (one.is_float or one.is_packed))

#: Of which type the quick level has all shapes; the full one has them of every type. Large ones are
#: of this type at both.
_QUICK_TYPE = DataType.FLOAT32
#: Types with several quantisations at the quick level.
_VARIED = (DataType.QASYMM_S8, DataType.QASYMM_U8, DataType.QSYMM_S16)
#: Types with fields of descriptors away from their usual values at the quick level.
_OTHER_FIELDS = (DataType.FLOAT32, DataType.QASYMM_S8)
#: Types with edges of descriptors at the quick level.
_EDGES = (DataType.FLOAT32, DataType.FLOAT16, DataType.QASYMM_S8, DataType.SIGNED32)
#: Types with the least and the greatest numbers at the quick level.
_LIMITS = (
    DataType.SIGNED64, DataType.UNSIGNED16, DataType.UNSIGNED32, DataType.UNSIGNED64,
    DataType.FLOAT64, DataType.BOOLEAN,
)  # fmt: skip
#: Quantised types with padded, strided, dilated and grouped windows at the quick level.
_QUICK_WINDOWS = (DataType.QASYMM_S8, DataType.QASYMM_U8)


@functools.cache
def unvaried_cases(seed: int = 0) -> tuple[Case, ...]:
    """Return the quick level without variants: made once for a process and those that it forks."""
    return tuple(all_cases("quick", seed=seed, variants=False))


def all_cases(
    level: Level,
    *,
    seed: int = 0,
    layers: Collection[LayerType] = (),
    types: Collection[DataType] = (),
    variants: bool = True,
) -> list[Case]:
    """Return the cases of a level, in the same order on every machine.

    Parameters
    ----------
    level
        ``quick`` has one example of each form in each data type, all shapes in float32, windows
        and matrices in 8 bits too; ``full`` has more shapes, in each type. Quantised cases come
        with several quantisations.
    seed
        Values are drawn from it.
    layers, types
        Only these; all if empty.
    variants
        Whether cases come again with other quantisations and other fields of descriptors.

    Returns
    -------
    list of Case
        Their names differ.
    """
    found: dict[str, Case] = {}
    forms: Counter[tuple[LayerType, DataType]] = Counter()
    for data_type in TRIED_TYPES:
        if types and data_type not in types:
            continue
        for example, in_float, field in _examples(data_type, level):
            if field and not variants:
                continue
            if layers and example.type not in layers:
                continue
            signature = example.signature(data_type, in_float)
            if signature is None or not _is_tried(signature):
                continue
            label = "-".join(filter(None, (_label(example), field)))
            stem = f"{example.type.label}/{data_type.label}/{label}"
            name, number = stem, 1
            while name in found:
                number += 1
                name = f"{stem}-{number}"
            known = tuple(
                None if operand is None else operand.values for operand in example.operands
            )
            found[name] = case = Case(
                name, data_type, signature, known, seed, is_variant=bool(field)
            )
            is_varied = data_type in _VARIED or (data_type.is_quantized and level == "full")
            if variants and is_varied:
                forms[example.type, data_type] += 1
                for variant in _variants(case, forms[example.type, data_type] - 1):
                    changed = requantized(case, variant)
                    if changed is not None:
                        found[changed.name] = changed
    return list(found.values())


_ALSO_FINE = 3  # forms after the first, which is of another layout


def _variants(case: Case, form: int) -> Sequence[Variant]:
    """Return the quantisations for a form of a layer: all for the first one, others in turn."""
    if form == 0:
        return (*VARIANTS, FINE)
    chosen = [VARIANTS[form % len(VARIANTS)]]
    made = case.signature.outputs[0].static_shape if case.signature.outputs else ()
    if MANY_CHANNELS < max(made, default=0) <= 2 * MANY_CHANNELS and CHANNELS not in chosen:
        chosen.append(CHANNELS)
    return [*chosen, FINE] if form <= _ALSO_FINE else chosen


def _is_tried(signature: LayerSignature) -> bool:
    infos = (*signature.inputs, *signature.outputs)
    return all(info is None or info.data_type in TRIED_TYPES for info in infos)


def _examples(data_type: DataType, level: Level) -> Iterator[tuple[Example, Example, str]]:
    """Give examples, their float32 form and the field of the descriptor that is not as usual."""
    for example, in_float in _plain_examples(data_type, level):
        yield example, in_float, ""
        if data_type.is_quantized and has_rescaling(example.descriptor):
            descriptor = with_rescaling(example.descriptor, Rescaling.REAL)
            yield structs.replace(example, descriptor=descriptor), in_float, ""
    if level == "full" or data_type in _OTHER_FIELDS:
        of, plain = Operands(data_type), Operands(DataType.FLOAT32)
        for example, in_float in zip(examples_of(of), examples_of(plain), strict=True):
            yield from other_fields(example, in_float)


def _plain_examples(data_type: DataType, level: Level) -> Iterator[tuple[Example, Example]]:
    of, plain = Operands(data_type), Operands(DataType.FLOAT32)
    yield from zip(examples_of(of), examples_of(plain), strict=True)
    full = level == "full"
    if full or data_type in _EDGES:
        yield from zip(edge_examples(of), edge_examples(plain), strict=True)
    if full or data_type in _EDGES or data_type in _LIMITS:
        yield from zip(limit_examples(of), limit_examples(plain), strict=True)
        if not data_type.is_quantized:
            yield from ((example, example) for example in number_examples(of))
    if not full and data_type in _QUICK_WINDOWS:
        yield from zip(
            window_examples(of, full=False), window_examples(plain, full=False), strict=True
        )
    if data_type in _QUICK_WINDOWS:
        yield from ((example, example) for example in long_sum_examples(of))
    if not full and data_type is not _QUICK_TYPE:
        return
    for make in (shape_examples, window_examples, recurrent_examples, attention_examples):
        yield from zip(make(of, full=full), make(plain, full=full), strict=True)
    if data_type is _QUICK_TYPE:
        for make_one in (large_examples, large_moves, rounding_examples):
            yield from ((example, example) for example in make_one(of))


def _label(example: Example) -> str:
    """Return what tells an example from most others, in a few letters."""
    descriptor = example.descriptor
    values = () if descriptor is None else structs.astuple(descriptor)
    words = [
        value.name.lower()
        for value in values
        if isinstance(value, IntEnum) and value is not Rescaling.FIXED_POINT
    ]
    for operand in example.operands[:2]:
        if operand is None:
            continue
        shape = operand.info.static_shape
        words.append("x".join(map(str, shape)) or "scalar")
    return "-".join(words) or "plain"
