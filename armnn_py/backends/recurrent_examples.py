# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes of the operands of recurrent layers, for examples of them."""

from __future__ import annotations

__all__ = ["lstm_shapes"]

Shape = tuple[int, ...]


def lstm_shapes(
    size: int,
    cells: int,
    outputs: int | None = None,
    *,
    cifg: bool = False,
    peephole: bool = False,
    norm: bool = False,
    projection_bias: bool = True,
) -> list[Shape | None]:
    """Return the shapes of an LSTM's operands behind the states; None for those that are absent.

    Parameters
    ----------
    size, cells
        Of a step's input, and of the cell state.
    outputs
        Of the projection; there is none without.
    cifg
        Without the input gate.
    peephole, norm, projection_bias
        With these operands.
    """
    shown = cells if outputs is None else outputs
    vector, gate = (cells,), None if cifg else (cells,)
    found: list[Shape | None] = [
        *[None if cifg else (cells, size), *[(cells, size)] * 3],
        *[None if cifg else (cells, shown), *[(cells, shown)] * 3],
        *([gate, vector, vector] if peephole else [None] * 3),
        *[gate, vector, vector, vector],
        *([None, None] if outputs is None else [(outputs, cells), (outputs,)]),
        *([gate, vector, vector, vector] if norm else [None] * 4),
    ]
    if not projection_bias:
        found[16] = None
    return found
