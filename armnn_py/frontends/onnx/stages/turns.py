# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Nodes that run by themselves, between stages: their bodies are networks that run turn by turn.

Sources: the texts of Loop, If and Scan in the ONNX operator specification. Everything here is
picklable and holds no network: `StagedRuns` runs the bodies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from msgspec import Struct

from armnn_py.errors import InvalidArgumentError, ParseError
from armnn_py.frontends.common.between import Operands, flag_of, read_only
from armnn_py.frontends.common.values import Array
from armnn_py.network import Collected, Repeat

if TYPE_CHECKING:
    from armnn_py.network import RunBody

Named: TypeAlias = "dict[str, Array]"


class BodyRun(Struct, frozen=True):
    """One body: which of its outputs its network makes, and where the others come from."""

    key: str
    """Name of the network among the bodies of the stage."""
    inputs: tuple[str, ...]
    """Names of what each turn is given."""
    reads: tuple[str, ...]
    """Names of the network's inputs: of what a turn is given, and of values around the body."""
    outputs: tuple[str, ...]
    """Names in order; empty for one that it does not have."""
    made: frozenset[str]
    """The outputs that its network makes; others are given, or constants."""
    constants: dict[str, Array]

    def __call__(self, around: Mapping[str, Array], run: RunBody) -> list[Array]:
        """Return the outputs, in order; ``around`` has what it is given as well."""
        known = {**around, **self._constants()}
        known |= run(self.key, {name: known[name] for name in self.reads})
        return [known[name] for name in self.outputs if name]

    def _constants(self) -> Named:
        return {name: read_only(array) for name, array in self.constants.items()}

    def repeated(
        self,
        label: str,
        states: Sequence[Array],
        around: Mapping[str, Array],
        run: RunBody,
        most: int | None,
        *,
        sliced: Sequence[tuple[Array, bool]] = (),
        collected: Sequence[Collected] = (),
    ) -> list[Array]:
        """Run the turns of a loop; return the last states, and the values of all turns.

        A body with more inputs than states and ``sliced`` arrays, each with whether its last slice
        comes first, has the number of the turn and a condition before them, and a condition as its
        first output.
        """
        count = len(states)
        heads = self.inputs[:2] if len(self.inputs) > count + len(sliced) else ()
        inputs, outputs = self.inputs[len(heads) :], self.outputs[len(heads) // 2 :]
        values = {**around, **self._constants(), **dict(zip(inputs, states, strict=False))}
        values |= dict(zip(heads, (np.array(0, np.int64), np.array(True)), strict=False))
        values |= {name: one for name, (one, _) in zip(inputs[count:], sliced, strict=True)}
        goes_on = self.outputs[0] if heads else ""
        if heads and goes_on not in self.made:
            is_true = goes_on in self.constants and bool(self.constants[goes_on].all())
            if goes_on == heads[1] or (is_true and self.constants[goes_on].size == 1):
                goes_on = ""
        loop = Repeat(
            self.key, self.reads, values, most, tuple(zip(inputs, outputs[:count], strict=False)),
            {
                name: backward
                for name, (_, backward) in zip(inputs[count:], sliced, strict=True)
            },
            tuple(zip(outputs[count:], collected, strict=True)),
            heads[0] if heads else "", goes_on, label,
        )  # fmt: skip
        return run.repeat(loop)


def _named(names: Sequence[str], arrays: Sequence[Array]) -> Named:
    return {name: array for name, array in zip(names, arrays, strict=False) if name}


def _first(array: Array, what: str) -> Any:
    """Return the first element of an array that has one.

    Raises
    ------
    InvalidArgumentError
        It has none.
    """
    if not array.size:
        raise InvalidArgumentError(f"{what} has no elements, expected 1")
    return array.reshape(-1)[0]


class Turns(Struct, frozen=True):
    """A Loop."""

    label: str
    """The node in messages."""
    operands: Operands
    outputs: tuple[str, ...]
    body: BodyRun
    collected: tuple[Collected, ...]

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> Named:
        """Run turns until their number is reached, or the condition is false."""
        count, condition, *rest = self.operands.of(arrays)
        most = None
        if count is not None:
            most = max(0, int(_first(count, f"{self.label}: the number of turns")))
        if condition is not None and not _first(condition, f"{self.label}: the condition"):
            most = 0
        states = [one for one in rest if one is not None]
        made = self.body.repeated(self.label, states, arrays, run, most, collected=self.collected)
        return _named(self.outputs, made)


class Branches(Struct, frozen=True):
    """An If, of which one branch runs."""

    label: str
    operands: Operands
    outputs: tuple[str, ...]
    branches: dict[bool, BodyRun]
    """By the condition; one alone, if the condition is known."""
    faults: dict[bool, ParseError]
    """Why a branch cannot run, by the condition."""

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> Named:
        """Run the branch that the condition chooses."""
        condition = self.operands.of(arrays)[0]
        assert condition is not None
        flag = flag_of(condition, self.label)
        if flag in self.faults:
            fault, branch = self.faults[flag], "then_branch" if flag else "else_branch"
            raise ParseError(
                f"{self.label}: {branch} cannot run: {fault.message}",
                details=fault.details,
                hints=fault.hints,
            )
        chosen = self.branches[flag]
        return _named(self.outputs, chosen(arrays, run))


class CallOnce(Struct, frozen=True):
    """A function."""

    operands: Operands
    outputs: tuple[str, ...]
    body: BodyRun

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> Named:
        """Run the function."""
        given = zip(self.body.inputs, self.operands.of(arrays), strict=False)
        around = {formal: array for formal, array in given if array is not None}
        made = iter(self.body(around, run))
        found = [next(made) if name else None for name in self.body.outputs]
        return {
            name: array
            for name, array in zip(self.outputs, found, strict=False)
            if name and array is not None
        }


def _padded(array: Array, length: int) -> Array:
    """Return an array with zeros behind it, as short sequences of a batch have them."""
    padded = np.zeros((length, *array.shape[1:]), array.dtype)
    padded[: len(array)] = array
    return padded


class ScanTurns(Struct, frozen=True):
    """A Scan, of each element of a batch where operator set 8 has one."""

    label: str
    operands: Operands
    outputs: tuple[str, ...]
    body: BodyRun
    axes: tuple[int, ...]
    """Of each scanned input."""
    directions: tuple[int, ...]
    collected: tuple[Collected, ...]
    has_batch: bool = False

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> Named:
        """Run one turn for each slice."""
        operands = self.operands.of(arrays)
        if not self.has_batch:
            given = [array for array in operands if array is not None]
            return _named(self.outputs, self._scan(given, arrays, run))
        lengths, *rest = operands
        given = [array for array in rest if array is not None]
        batch, whole = given[-1].shape[:2]
        batches = {len(array) for array in given}
        if len(batches) != 1 or not batch:
            raise InvalidArgumentError(
                f"{self.label}: the inputs have batches of {sorted(batches)} sequences, expected "
                "one number above 0"
            )
        counts = [whole] * batch if lengths is None else self._counts(lengths, batch, whole)
        found = []
        for element, length in enumerate(counts):
            one = [array[element] for array in given]
            found.append(self._scan(one, arrays, run, length))
        first = len(given) - len(self.axes)  # of what is collected
        stacked = [
            np.stack(values if index < first else [_padded(value, whole) for value in values])
            for index, values in enumerate(zip(*found, strict=True))
        ]
        return _named(self.outputs, stacked)

    def _counts(self, lengths: Array, batch: int, whole: int) -> list[int]:
        """Return the lengths of the sequences of a batch, each of which has an element."""
        counts = [int(length) for length in lengths.reshape(-1)]
        if len(counts) != batch:
            raise InvalidArgumentError(
                f"{self.label}: {len(counts)} lengths do not fit a batch of {batch} sequences"
            )
        wrong = [count for count in counts if not 1 <= count <= whole]
        if wrong:
            raise InvalidArgumentError(
                f"{self.label}: the length of a sequence is {wrong[0]}, expected 1 to {whole}"
            )
        return counts

    def _scan(
        self, given: Sequence[Array], around: Mapping[str, Array], run: RunBody,
        length: int | None = None,
    ) -> list[Array]:  # fmt: skip
        count = len(given) - len(self.axes)
        scanned = given[count:]
        lengths = {array.shape[axis] for array, axis in zip(scanned, self.axes, strict=True)}
        if len(lengths) != 1:
            raise InvalidArgumentError(
                f"{self.label}: the scanned inputs have different lengths: {sorted(lengths)}"
            )
        if length is None:
            (length,) = lengths
        sliced = [
            (np.moveaxis(array, axis, 0)[:length], bool(backward))
            for array, axis, backward in zip(scanned, self.axes, self.directions, strict=True)
        ]
        return self.body.repeated(
            self.label, given[:count], around, run, length,
            sliced=sliced, collected=self.collected,
        )  # fmt: skip
