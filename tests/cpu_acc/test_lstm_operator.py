# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The operator of integer LSTM cells, and its fixed-point functions: the numpy of the kit.

`armnn_py.testing.oracles.independent_lstm_int8` has it. Tensors end at unreadable pages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py.testing.oracles import independent_lstm_int8 as independent

from .guarded import laid_out
from .operators import HEADERS, UNSUPPORTED, Operators, address
from .test_quantized_operators import bytes_of, quantized, scaled

Cells: Any = HEADERS.structs["lstm_int8"]
GATES = 4


@pytest.mark.parametrize("whole", range(7))
@pytest.mark.parametrize("function", ["sigmoid", "tanh"])
def test_functions_of_every_number(
    operators: Operators, quantized_isa: str, function: str, whole: int
) -> None:
    """Bits before the point: 3 of gates, 0 to 6 of cells."""
    numbers = np.arange(-32768, 32768)
    expected = {"sigmoid": independent._sigmoid, "tanh": independent._tanh}
    found = operators.fixed(quantized_isa, function, numbers, whole)
    np.testing.assert_array_equal(found, expected[function](numbers, whole))


class Model:
    """Weights of a plain cell, or of one with coupled gates or a projection."""

    def __init__(self, size: int, cells: int, outputs: int, *, coupled: bool) -> None:
        rng = np.random.default_rng(size + cells)
        projects = outputs != cells
        self.rng, self.cells, self.outputs, self.coupled = rng, cells, outputs, coupled
        self.gates = range(1 if coupled else 0, GATES)
        self.weights = [self._weights(cells, size) for _ in range(GATES)]
        self.recurrent = [self._weights(cells, outputs) for _ in range(GATES)]
        self.bias = [rng.integers(-9999, 9999, cells).astype(np.int32) for _ in range(GATES)]
        self.projection = self._weights(outputs, cells) if projects else None
        # Multiplier, and by how much is shifted to the right: inputs and states of each gate.
        self.factors = rng.integers(2**30, 2**31, (2, GATES))
        self.rights = rng.integers(0, 5, (2, GATES))
        self.hidden, self.projected = (1610612736, 22), (1510612736, 9)
        self.points = {"input": 7, "state": -20, "hidden": 3 if projects else -20}
        self.exponent = -11

    def _weights(self, *shape: int) -> np.ndarray:
        found: np.ndarray = self.rng.integers(-128, 128, shape).astype(np.int8)
        return found

    def description(self, **tensors: Any) -> Any:
        what = Cells(cells=self.cells, outputs=self.outputs, **tensors)
        levels = what.levels
        levels.options.cifg = self.coupled
        levels.input_zero, levels.state_zero = self.points["input"], self.points["state"]
        levels.hidden_zero, levels.cell_exponent = self.points["hidden"], self.exponent
        for name, (multiplier, right) in (("hidden", self.hidden), ("projected", self.projected)):
            factor = getattr(levels, name)
            factor.multiplier, factor.shift = multiplier, -right
        for gate in self.gates:
            what.weights[gate] = address(self.weights[gate])
            what.recurrent[gate] = address(self.recurrent[gate])
            what.bias[gate] = address(self.bias[gate])
            for at, name in enumerate(("input", "recurrent")):
                factor = getattr(levels.gates[gate], name)
                factor.multiplier = int(self.factors[at, gate])
                factor.shift = -int(self.rights[at, gate])
        what.projection = address(self.projection)
        return what

    def step(self, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Levels of the state and numbers of the cell behind one step."""

        def narrow(values: np.ndarray) -> np.ndarray:
            return np.clip(values, -32768, 32767)

        def gate(which: int) -> np.ndarray:
            total = np.zeros((len(x), self.cells), np.int64)
            for at, (levels, weights) in enumerate(((x, self.weights), (h, self.recurrent))):
                sums = levels @ weights[which].T.astype(np.int64)
                sums = sums + self.bias[which] if at == 0 else sums
                total += scaled(sums, int(self.factors[at, which]), int(self.rights[at, which]))
                total = narrow(total)
            return total

        forget = independent._sigmoid(gate(1), 3)
        chosen = 32767 - forget if self.coupled else independent._sigmoid(gate(0), 3)
        kept = independent._shifted(forget * c, 15)
        fresh = independent._tanh(gate(2), 3)
        c = narrow(kept + independent._shifted(chosen * fresh, 30 + self.exponent))
        shown = independent._sigmoid(gate(3), 3) * independent._tanh(c, 15 + self.exponent)
        numbers = np.clip(scaled(shown, *self.hidden) + self.points["hidden"], -128, 127)
        if self.projection is None:
            return numbers - self.points["state"], c
        sums = (numbers - self.points["hidden"]) @ self.projection.T.astype(np.int64)
        numbers = np.clip(scaled(sums, *self.projected) + self.points["state"], -128, 127)
        return numbers - self.points["state"], c


@pytest.mark.parametrize("rows_first", [False, True])
@pytest.mark.parametrize(
    ("rows", "steps", "size", "cells", "outputs", "coupled"),
    [
        (1, 1, 1, 1, 1, False),
        (1, 9, 13, 37, 37, False),
        (2, 3, 64, 96, 31, True),
        (5, 4, 30, 17, 17, True),
        (19, 3, 21, 40, 40, False),
    ],
)
def test_cells(
    operators: Operators,
    quantized_isa: str,
    rows: int,
    steps: int,
    size: int,
    cells: int,
    outputs: int,
    coupled: bool,
    rows_first: bool,
) -> None:
    model = Model(size, cells, outputs, coupled=coupled)
    lead = (rows, steps) if rows_first else (steps, rows)
    x, h = bytes_of(model.rng, (*lead, size), 0), bytes_of(model.rng, (rows, outputs), 0)
    c = laid_out((rows, cells), 0, np.int16)
    c[...] = model.rng.integers(-32768, 32768, c.shape)
    y = laid_out((2 * rows * cells + (steps + 1) * rows * outputs,), 0, np.int8)
    what = model.description(
        input=quantized(x, model.points["input"]),
        hidden=quantized(h, model.points["state"]),
        cell=quantized(c, 0),
        output=quantized(y, model.points["state"]),
        rows_first=rows_first,
    )
    name = operators.run("lstm_int8", quantized_isa, what)
    assert name == f"armnn_s8_lstm__{quantized_isa}"
    state, cell = h.astype(np.int64) - model.points["state"], c.astype(np.int64)
    shown = []
    for step in range(steps):
        levels = (x[:, step] if rows_first else x[step]).astype(np.int64) - model.points["input"]
        state, cell = model.step(levels, state, cell)
        shown.append(state + model.points["state"])
    words = 2 * rows * cells
    np.testing.assert_array_equal(y[:words].view(np.int16).reshape(rows, cells), cell)
    found = y[words : words + steps * rows * outputs].reshape(*lead, outputs)
    np.testing.assert_array_equal(found, np.stack(shown, 1 if rows_first else 0))
    np.testing.assert_array_equal(y[words + steps * rows * outputs :], shown[-1].reshape(-1))


def test_gaps_are_refused(operators: Operators, quantized_isa: str) -> None:
    model = Model(6, 8, 8, coupled=False)
    x = bytes_of(model.rng, (3, 2, 6), 1)
    assert not x.flags.c_contiguous
    y = np.zeros(2 * 2 * 8 + 4 * 2 * 8, np.int8)
    what = model.description(
        input=quantized(x, 7),
        hidden=quantized(np.zeros((2, 8), np.int8), 0),
        cell=quantized(np.zeros((2, 8), np.int16), 0),
        output=quantized(y, 0),
    )
    assert operators.run("lstm_int8", quantized_isa, what) == UNSUPPORTED
