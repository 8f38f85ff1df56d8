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
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array
from armnn_py.frontends.onnx.file.element_types import is_string
from armnn_py.memory_budget import tensor_limit
from armnn_py.network import Repeat
from armnn_py.tensors import format_shape

if TYPE_CHECKING:
    from armnn_py.network import RunBody

__all__ = [
    "BodyRun",
    "Branches",
    "CallOnce",
    "Collected",
    "ScanTurns",
    "Turns",
]


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

    def __call__(
        self, given: Sequence[Array], around: Mapping[str, Array], run: RunBody
    ) -> list[Array]:
        """Return the outputs, in order, for what one turn is given."""
        constants = {name: read_only(array) for name, array in self.constants.items()}
        known = {**around, **constants, **dict(zip(self.inputs, given, strict=False))}
        known |= run(self.key, {name: known[name] for name in self.reads})
        return [known[name] for name in self.outputs if name]

    def repeated(
        self,
        states: Sequence[Array],
        around: Mapping[str, Array],
        run: RunBody,
        most: int | None,
        *,
        sliced: Sequence[tuple[Array, bool]] = (),
        collected: Sequence[Collected] = (),
    ) -> list[Array] | None:
        """Run the turns of a loop at once; return the last states, and the values of all turns.

        A body with more inputs than states and ``sliced`` arrays, each with whether its last slice
        comes first, has the number of the turn and a condition before them, and a condition as its
        first output. None: turns have to run one by one.
        """
        count = len(states)
        has_flag = len(self.inputs) > count + len(sliced)
        inputs = self.inputs[2:] if has_flag else self.inputs
        outputs = self.outputs[1:] if has_flag else self.outputs
        goes_on = self.outputs[0] if has_flag and self.outputs[0] in self.made else ""
        kept = [inputs[i] == outputs[i] for i in range(count)]
        if (
            not all(name in self.made or (i < count and kept[i]) for i, name in enumerate(outputs))
            or len(set(outputs[count:])) < len(collected)
            or (has_flag and not goes_on and not self._always_goes_on())
        ):
            return None
        known = {**around, **self.constants, **dict(zip(inputs, states, strict=False))}
        if has_flag:
            known |= {self.inputs[0]: np.array(0, np.int64), self.inputs[1]: np.array(True)}
        known |= {name: one for name, (one, _) in zip(inputs[count:], sliced, strict=True)}
        loop = Repeat(
            self.key, {name: known[name] for name in self.reads}, most,
            tuple(
                (inputs[i] if inputs[i] in self.reads else "", outputs[i])
                for i in range(count) if not kept[i]
            ),
            {
                name: backward
                for name, (_, backward) in zip(inputs[count:], sliced, strict=True)
                if name in self.reads
            },
            {
                name: one.is_backward
                for name, one in zip(outputs[count:], collected, strict=True)
            },
            self.inputs[0] if has_flag and self.inputs[0] in self.reads else "",
            tensor_limit(), check_size, goes_on,
        )  # fmt: skip
        made = run.repeat(loop)
        if made is None:
            return None
        return [
            *(states[i] if kept[i] else made.states[outputs[i]] for i in range(count)),
            *(
                np.ascontiguousarray(np.moveaxis(made.collected[name], 0, one.axis))
                for name, one in zip(outputs[count:], collected, strict=True)
            ),
        ]

    def _always_goes_on(self) -> bool:
        """Return whether the condition of a turn, which no layer makes, is always true."""
        name = self.outputs[0]
        if name in self.constants:
            return self.constants[name].size == 1 and bool(self.constants[name].all())
        return name == self.inputs[1]


class Collected(Struct, frozen=True):
    """The values that a node collects turn by turn."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """Shape of one turn's value, used without turns; 0 for an unknown size."""
    axis: int = 0
    """Counted from the front."""
    is_backward: bool = False

    def stacked(self, values: Sequence[Array]) -> Array:
        """Return the values of all turns as one array.

        Raises
        ------
        InvalidArgumentError
            Turns made values of different shapes.
        """
        if not values:
            sizes = (*self.shape[: self.axis], 0, *self.shape[self.axis :])
            return np.zeros(sizes, self.dtype)
        for turn, value in enumerate(values):
            if value.shape != values[0].shape:
                raise InvalidArgumentError(
                    f"output {quoted(self.name)} collects values of one shape, but turn {turn} "
                    f"makes {format_shape(value.shape)} and turn 0 "
                    f"{format_shape(values[0].shape)}"
                )
        return np.stack(values[::-1] if self.is_backward else values, self.axis)


Named: TypeAlias = "dict[str, Array]"


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


class _HandedOn:
    """The states that one turn hands to the next, and what turns have made beside them."""

    def __init__(self, states: Sequence[Array], collected: Sequence[Collected]) -> None:
        self.states = list(states)
        self._collected = collected
        self._values: list[list[Array]] = [[] for _ in collected]
        self._letters = 0

    def take(self, made: Sequence[Array]) -> None:
        """Take what a turn has made: states, then a value of each output that collects them.

        Raises
        ------
        ParseError
            An output is larger now than a tensor may be: turns may have no end.
        """
        count = len(self.states)
        self.states = list(made[:count])
        for found, value in zip(self._values, made[count:], strict=True):
            check_size((len(found) + 1, *value.shape), value.dtype)
            if is_string(value.dtype):
                self._letters += sum(map(len, value.flat))
                check_size((self._letters,), np.dtype(np.uint8))
            found.append(value)

    def results(self) -> list[Array]:
        """Return the last states, and the values of all turns."""
        both = zip(self._collected, self._values, strict=True)
        return [*self.states, *(one.stacked(found) for one, found in both)]


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
        turns = _HandedOn([one for one in rest if one is not None], self.collected)
        most = None if count is None else int(_first(count, f"{self.label}: the number of turns"))
        what = f"{self.label}: the condition"
        goes_on = condition is None or bool(_first(condition, what))
        if goes_on and (most is None or most > 0):
            made = self.body.repeated(turns.states, arrays, run, most, collected=self.collected)
            if made is not None:
                return _named(self.outputs, made)
        turn = 0
        while goes_on and (most is None or turn < most):
            given = [np.array(turn, np.int64), np.array(True), *turns.states]
            flag, *made = self.body(given, arrays, run)
            goes_on = bool(_first(flag, f"{what} after turn {turn}"))
            turns.take(made)
            turn += 1
        return _named(self.outputs, turns.results())


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
        return _named(self.outputs, chosen((), arrays, run))


class CallOnce(Struct, frozen=True):
    """A function."""

    operands: Operands
    outputs: tuple[str, ...]
    body: BodyRun

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> Named:
        """Run the function."""
        given = zip(self.body.inputs, self.operands.of(arrays), strict=False)
        around = {formal: array for formal, array in given if array is not None}
        made = iter(self.body((), around, run))
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
        turns, scanned = _HandedOn(given[:count], self.collected), given[count:]
        lengths = {array.shape[axis] for array, axis in zip(scanned, self.axes, strict=True)}
        if len(lengths) != 1:
            raise InvalidArgumentError(
                f"{self.label}: the scanned inputs have different lengths: {sorted(lengths)}"
            )
        if length is None:
            (length,) = lengths
        if length:
            sliced = [
                (np.moveaxis(array, axis, 0)[:length], bool(backward))
                for array, axis, backward in zip(scanned, self.axes, self.directions, strict=True)
            ]
            made = self.body.repeated(
                turns.states, around, run, length, sliced=sliced, collected=self.collected
            )
            if made is not None:
                return made
        for turn in range(length):
            slices = [
                np.take(array, length - 1 - turn if backward else turn, axis)
                for array, axis, backward in zip(scanned, self.axes, self.directions, strict=True)
            ]
            turns.take(self.body([*turns.states, *slices], around, run))
        return turns.results()
