# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops, branches and calls between stages, as data: their bodies are networks of the stage.

Sources: the texts of Loop, If and Scan in the ONNX operator specification, and LiteRT's WHILE and
IF. The structs have no network and no importer in them, so that saved networks have them as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from msgspec import Struct

from armnn_py.errors import InvalidArgumentError, ParseError
from armnn_py.network.repeat import Collected, Repeat

if TYPE_CHECKING:
    from armnn_py.network.repeat import RunBody

Array: TypeAlias = "np.ndarray[Any, Any]"


def read_only(array: Array) -> Array:
    """Return a view that callers cannot write to; unpickled arrays can be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def flag_of(condition: Array, label: str) -> bool:
    """Return the truth of a condition; ``label`` names the operator in the error.

    Raises
    ------
    InvalidArgumentError
        It has not one element.
    """
    if condition.size != 1:
        raise InvalidArgumentError(
            f"{label}: the condition has {condition.size} elements, 1 expected"
        )
    return bool(condition.reshape(-1)[0])


class Operands(Struct, frozen=True, dict=True):
    """Operands of such an operator: values of stages before it, or constants."""

    names: tuple[str, ...]
    """Empty for an absent one."""
    constants: dict[int, np.ndarray[Any, Any]]

    @property
    def read(self) -> tuple[str, ...]:
        """The values of other stages, each once."""
        names = (n for index, n in enumerate(self.names) if index not in self.constants)
        return tuple(dict.fromkeys(filter(None, names)))

    @cached_property
    def _known(self) -> dict[int, Array]:
        return {index: read_only(array) for index, array in self.constants.items()}

    def known(self, first: int) -> list[Array | None]:
        """Return the operands that are there, from number ``first`` on; None if not constant."""
        names = enumerate(self.names[first:], first)
        return [self._known.get(n) for n, name in names if name or n in self.constants]

    def of(self, arrays: Mapping[str, Array]) -> list[Array | None]:
        """Return the arrays in order; None for an absent one."""
        return [
            self._known[index] if index in self._known else (arrays[name] if name else None)
            for index, name in enumerate(self.names)
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
    made: tuple[str, ...]
    """The outputs that its network makes; others are given, or constants."""
    constants: dict[str, np.ndarray[Any, Any]] = {}

    def __call__(self, around: Mapping[str, Array], run: RunBody) -> list[Array | None]:
        """Return the outputs, in order; ``around`` has what it is given as well."""
        known = {**around, **self._constants()}
        known |= run(self.key, {name: known[name] for name in self.reads})
        return [known[name] if name else None for name in self.outputs]

    def with_operands(
        self, operands: Sequence[Array | None], around: Mapping[str, Array], run: RunBody
    ) -> list[Array | None]:
        """Return the outputs for operands in the order of ``inputs``; absent ones are None."""
        given = zip(self.inputs, operands, strict=False)
        return self({**around, **{name: one for name, one in given if one is not None}}, run)

    def _constants(self) -> dict[str, Array]:
        return {name: read_only(array) for name, array in self.constants.items()}

    @property
    def condition(self) -> str:
        """The output that ends a loop when it is false; empty if the body never ends one.

        For a body whose first two inputs are the number of the turn and the condition.
        """
        name = self.outputs[0]
        constant = self.constants.get(name)
        is_true = constant is not None and constant.size == 1 and bool(constant.all())
        is_same = name == self.inputs[1] or is_true
        return "" if is_same and name not in self.made else name

    def repeat(
        self, label: str, states: Sequence[Array | None], collected: Sequence[Collected],
        sliced: Sequence[int] = (),
    ) -> Repeat:  # fmt: skip
        """Return the loop over this body; ``label`` names the operator in messages.

        ``states`` are constants, or None for values of the run. ``sliced`` says of each sliced
        input whether its last slice comes first. A body with more inputs has the number of the turn
        and a condition before them, and a condition as its first output.
        """
        count = len(states)
        has_heads = len(self.inputs) > count + len(sliced)
        inputs, outputs = self.inputs[2 * has_heads :], self.outputs[has_heads:]
        constants = self._constants()
        if has_heads:
            constants |= {self.inputs[0]: np.array(0, np.int64), self.inputs[1]: np.array(True)}
        known = zip(inputs, states, strict=False)
        constants |= {name: one for name, one in known if one is not None}
        return Repeat(
            self.key, self.reads, inputs, constants,
            tuple(zip(inputs, outputs[:count], strict=False)),
            {name: bool(one) for name, one in zip(inputs[count:], sliced, strict=True)},
            tuple(zip(outputs[count:], collected, strict=True)),
            self.inputs[0] if has_heads else "", self.condition if has_heads else "", label,
        )  # fmt: skip


def named(outputs: Mapping[str, int], made: Sequence[Array | None]) -> dict[str, Array]:
    """Return results by name; the body of a function may not have one."""
    found = {name: made[index] for name, index in outputs.items()}
    return {name: array for name, array in found.items() if array is not None}


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


class Control(Struct, frozen=True, tag=True):
    """A stage that runs bodies; its subclasses are called with arrays and what runs bodies."""

    label: str
    """The operator in messages."""
    operands: Operands
    outputs: dict[str, int]
    """The names of the results that something reads, and their places among all results."""


class Loop(Control, frozen=True, tag=True, dict=True):
    """A Loop, whose first operands are the number of turns and the condition; or a WHILE."""

    body: BodyRun
    collected: tuple[Collected, ...] = ()
    first: BodyRun | None = None
    """Computes the condition of the first turn from the states, where no operand has it."""

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Run turns until their number is reached, or the condition is false."""
        count, condition, *rest = self.operands.of(arrays)
        states = [one for one in rest if one is not None]
        most = None
        if count is not None:
            most = max(0, int(_first(count, f"{self.label}: the number of turns")))
        if condition is not None and not _first(condition, f"{self.label}: the condition"):
            most = 0
        if self.first is not None:
            (flag,) = self.first.with_operands(states, arrays, run)
            if flag is not None and not flag_of(flag, self.label):
                most = 0
        return named(self.outputs, self._turns(states, arrays, run, most))

    @cached_property
    def _turns(self) -> Repeat:
        return self.body.repeat(self.label, self.operands.known(2), self.collected)


class Branches(Control, frozen=True, tag=True):
    """An If, of which one branch runs; operands behind the condition are inputs of both."""

    branches: dict[str, BodyRun]
    """By ``then`` and ``else``; one alone, if the condition is known."""
    faults: dict[str, ParseError] = {}
    """Why a branch cannot run."""

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Run the branch that the condition chooses."""
        condition, *given = self.operands.of(arrays)
        assert condition is not None
        key = "then" if flag_of(condition, self.label) else "else"
        if key in self.faults:
            fault = self.faults[key]
            raise ParseError(
                f"{self.label}: {key}_branch cannot run: {fault.message}",
                details=fault.details,
                hints=fault.hints,
            )
        return named(self.outputs, self.branches[key].with_operands(given, arrays, run))


class CallOnce(Control, frozen=True, tag=True):
    """A function."""

    body: BodyRun

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Run the function."""
        made = self.body.with_operands(self.operands.of(arrays), {}, run)
        return named(self.outputs, made)


def _padded(array: Array, length: int) -> Array:
    """Return an array with zeros behind it, as short sequences of a batch have them."""
    padded = np.zeros((length, *array.shape[1:]), array.dtype)
    padded[: len(array)] = array
    return padded


class Scan(Control, frozen=True, tag=True, dict=True):
    """A Scan, of each element of a batch where operator set 8 has one."""

    body: BodyRun
    axes: tuple[int, ...]
    """Of each scanned input."""
    directions: tuple[int, ...]
    collected: tuple[Collected, ...]
    has_batch: bool = False

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Run one turn for each slice."""
        operands = self.operands.of(arrays)
        if not self.has_batch:
            given = [array for array in operands if array is not None]
            return named(self.outputs, self._scan(given, arrays, run))
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
        return named(self.outputs, stacked)

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
            np.moveaxis(array, axis, 0)[:length]
            for array, axis in zip(scanned, self.axes, strict=True)
        ]
        return self._turns([*given[:count], *sliced], around, run, length)

    @cached_property
    def _turns(self) -> Repeat:
        states = self.operands.known(int(self.has_batch))[: -len(self.axes)]
        if self.has_batch:  # each turn has a part of it
            states = [None for _ in states]
        return self.body.repeat(self.label, states, self.collected, self.directions)
