# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building blocks over numbers that are computed from sizes.

A number that a model computes from the size of a free dimension may decide the shape of a tensor,
or a layer may read it. The use comes later than the computation. So the number is computed at once
for the shapes at hand, and layers that compute it are added if a layer reads it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

from armnn_py.frontends.common.known import KnownFormula, as_formula
from armnn_py.frontends.common.values import Known
from armnn_py.network import OutputSlot

if TYPE_CHECKING:
    from armnn_py.frontends.common.emit.base import EmitterBase

#: Formulas one after the other, whose layers are added by calls inside of calls.
_DEEPEST = 32
_Block = TypeVar("_Block", bound=Callable[..., Any])


def takes_formulas(block: _Block) -> _Block:
    """Let a building block with one result take a `KnownFormula`."""

    @functools.wraps(block)
    def called(emit: EmitterBase, *operands: Any, **options: Any) -> Any:
        for value in _values(operands):
            if type(value) is KnownFormula:
                return _over_formulas(emit, block, operands, options)
        return block(emit, *operands, **options)

    return cast("_Block", called)


def _over_formulas(
    emit: EmitterBase, block: Callable[..., Any], operands: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    values = list(_values(operands))
    formulas = [value for value in values if type(value) is KnownFormula]
    is_known = all(isinstance(value, Known) for value in values)
    depth = 1 + max(value.depth for value in formulas)
    # Integers mostly decide shapes: sizes beside them stay symbolic if they are numbers now.
    are_integers = is_known and all(value.dtype.kind in "iu" for value in values)
    if are_integers or depth > _DEEPEST:
        return block(emit, *_mapped(operands, _as_array), **options)
    base = emit.base

    def layers() -> Any:
        with emit.at(base):
            return block(emit, *_mapped(operands, emit.slot_of_formula), **options)

    found = block(emit, *_mapped(operands, _as_sample), **options) if is_known else None
    if not isinstance(found, Known):
        return layers()
    sizes = {
        size.index: size
        for value in map(as_formula, values)
        if type(value) is KnownFormula
        for size in value.sizes
    }
    return KnownFormula(found.array, tuple(sizes.values()), layers, depth)


def _values(operands: tuple[Any, ...]) -> Iterator[Any]:
    for operand in operands:
        if isinstance(operand, (Known, OutputSlot)):
            yield operand
        elif type(operand) in (list, tuple):
            yield from (one for one in operand if isinstance(one, (Known, OutputSlot)))


def _mapped(operands: tuple[Any, ...], change: Callable[[Any], Any]) -> list[Any]:
    return [
        [change(one) for one in operand] if type(operand) in (list, tuple) else change(operand)
        for operand in operands
    ]


def _as_array(value: Any) -> Any:
    return Known(value.array) if type(value) is KnownFormula else value


def _as_sample(value: Any) -> Any:
    formula = as_formula(value) if isinstance(value, Known) else value
    return Known(formula.sample) if type(formula) is KnownFormula else value
