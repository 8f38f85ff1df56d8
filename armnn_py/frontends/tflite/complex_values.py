# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Complex tensors inside of a model: two values, since no layer has complex numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from armnn_py.frontends.common.values import Unsupported, Value

#: Operators whose converters know complex operands.
TAKES_COMPLEX = frozenset({"CAST", "COMPLEX_ABS", "IMAG", "REAL"})

#: Operators that move elements: they do so with each part.
_MOVING = frozenset(
    {
        "BROADCAST_TO", "CONCATENATION", "EXPAND_DIMS", "GATHER", "GATHER_ND", "PACK", "RESHAPE",
        "REVERSE_V2", "SLICE", "SPLIT", "SPLIT_V", "SQUEEZE", "STRIDED_SLICE", "TILE", "TRANSPOSE",
        "UNPACK",
    }
)  # fmt: skip


class ComplexValue(Struct, frozen=True):
    """Real and imaginary parts of one shape, both of float32."""

    real: Value
    imaginary: Value


def part_by_part(
    name: str,
    values: Sequence[Value | ComplexValue | None],
    convert: Callable[[Sequence[Value | None]], Sequence[Value]],
) -> list[ComplexValue]:
    """Convert an operator that moves complex elements, for each part.

    Raises
    ------
    Unsupported
        The operator computes with its elements.
    """
    if name not in _MOVING:
        raise Unsupported("complex64 operands")
    real = convert([v.real if isinstance(v, ComplexValue) else v for v in values])
    imaginary = convert([v.imaginary if isinstance(v, ComplexValue) else v for v in values])
    return [ComplexValue(*parts) for parts in zip(real, imaginary, strict=True)]
