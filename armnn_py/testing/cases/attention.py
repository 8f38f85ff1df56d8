# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention and rotary embedding in the sizes of prompts and of single steps."""

from __future__ import annotations

from collections.abc import Iterator

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType

__all__ = ["attention_examples"]

#: Batch, heads, heads of keys, queries, keys, size, columns.
_SIZES = (
    (1, 1, 1, 1, 1, 1, 1), (2, 4, 2, 5, 7, 8, 6), (1, 6, 1, 1, 33, 16, 16), (1, 2, 2, 9, 3, 5, 3),
    (1, 2, 2, 0, 3, 4, 4), (2, 2, 1, 3, 0, 4, 4), (1, 3, 3, 67, 131, 17, 70),
)  # fmt: skip
#: Shapes of inputs and angles.
_ROWS = (
    ((2,), (1,)), ((5,), (2,)), ((3, 16), (3, 8)), ((2, 5, 3, 12), (2, 5, 1, 4)),
    ((2, 3, 5, 66), (5, 33)), ((2, 0, 8), (1, 4)), ((1, 2, 1, 2, 1, 2, 3, 6), (2, 1, 2, 3, 2)),
)  # fmt: skip


def attention_examples(of: Operands, *, full: bool) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    for shape, angles in _ROWS:
        for interleaved in (False, True):
            rotary = d.RotaryEmbeddingDescriptor(interleaved)
            operands = [of.x(*shape), of.x(*angles), of.x(*angles)]
            yield Example(LayerType.ROTARY_EMBEDDING, rotary, operands)
    for batch, heads, shared, queries, keys, size, columns in _SIZES if full else _SIZES[::2]:
        operands = [
            of.x(batch, heads, queries, size), of.x(batch, shared, keys, size),
            of.x(batch, shared, keys, columns),
        ]  # fmt: skip
        seen = Operand(TensorInfo((batch, 1, queries, keys), DataType.BOOLEAN))
        for causal in (False, True):
            plain = d.AttentionDescriptor(size**-0.5, 0.0, causal)
            for masks in ([], [of.x(queries, keys)], [of.x(1, heads, 1, keys)], [seen]):
                yield Example(LayerType.ATTENTION, plain, [*operands, *masks])
        capped = d.AttentionDescriptor(1.0, 2.5, False)
        yield Example(LayerType.ATTENTION, capped, operands)
        yield Example(LayerType.ATTENTION, capped, [*operands, of.x(keys)])
