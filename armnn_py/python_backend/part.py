# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parts of a network, which a backend may compile as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from msgspec import Struct

from armnn_py._native.layers.subgraph import ABSENT, BOUNDARY, CONSTANT
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.python_backend.python_parts import ShownPart
    from armnn_py.python_backend.call import KernelCall
    from armnn_py.tensors import TensorInfo


class Slot(NamedTuple):
    """A value of a part: an output of a layer, or an input of the part.

    Attributes
    ----------
    layer
        Number of the layer that makes it; None for an input of the part.
    slot
        Which of its outputs, or which of the inputs.
    """

    layer: int | None
    slot: int


class CompiledPart(Struct, frozen=True):
    """A function in the place of some layers."""

    function: Callable[[KernelCall], Any]
    name: str


class Named(Protocol):
    """The compiled sub-graph."""

    @property
    def name(self) -> str:
        """For people."""


class Part:
    """Layers of a network that a backend runs and that hang together; for `PythonBackend.optimize`.

    Attributes
    ----------
    layers
        In topological order; a number of a layer counts them from 0.
    sources
        For each layer and operand the `Slot` that it reads; None where the operand is absent, or a
        constant that ``layers[i].constants`` has.
    input_infos
        Infos of the part's inputs.
    outputs
        Slots that are used outside of the part.
    """

    def __init__(self, shown: ShownPart) -> None:
        self._shown = shown
        self._named: set[int] = set()
        self.layers: tuple[ShownLayer, ...] = shown.layers
        self.sources: tuple[tuple[Slot | None, ...], ...] = tuple(
            tuple(map(_source, slots)) for slots in shown.sources
        )
        self.input_infos: tuple[TensorInfo, ...] = shown.input_infos
        self.outputs: tuple[Slot, ...] = tuple(Slot(*slot) for slot in shown.outputs)

    def info(self, value: Slot) -> TensorInfo:
        """Return shape and data type of a value."""
        if value.layer is None:
            return self.input_infos[value.slot]
        return self.layers[value.layer].outputs[value.slot]

    def cut(self, layers: Iterable[int]) -> Cut:
        """Return some of the layers with the values at their border.

        Parameters
        ----------
        layers
            Their numbers.

        Raises
        ------
        InvalidArgumentError
            There are no such layers, one comes twice, or it is compiled or placed elsewhere.
        """
        numbers = self._take(layers)
        inner = set(numbers)
        inputs = dict.fromkeys(
            slot
            for number in numbers
            for slot in self.sources[number]
            if slot is not None and slot.layer not in inner
        )
        used = set(self.outputs)
        for number, slots in enumerate(self.sources):
            if number not in inner:
                used.update(slot for slot in slots if slot is not None)
        outputs = (
            Slot(number, index)
            for number in numbers
            for index in range(len(self.layers[number].outputs))
        )
        return Cut(self, numbers, tuple(inputs), tuple(slot for slot in outputs if slot in used))

    def fail(self, layers: Iterable[int], reason: str) -> None:
        """Say that layers cannot run here after all: the host places them elsewhere.

        Raises
        ------
        InvalidArgumentError
            As for `cut`, or the reason is not a string.
        """
        if not isinstance(reason, str):
            raise InvalidArgumentError(f"fail: the reason is {reason!r}, a text expected")
        numbers = self._take(layers)
        self._shown.fail(numbers, reason)
        self._named.update(numbers)

    def _take(self, layers: Iterable[int]) -> tuple[int, ...]:
        numbers = tuple(sorted(layers))
        for number in numbers:
            if not 0 <= number < len(self.layers):
                raise InvalidArgumentError(f"layer {number} of a part of {len(self.layers)}")
            if number in self._named:
                raise InvalidArgumentError(f"layer {number} has been answered for already")
        if not numbers or len(set(numbers)) != len(numbers):
            raise InvalidArgumentError(f"layers {numbers}: each once, and at least one, expected")
        return numbers

    def put(self, cut: Cut, compiled: Named) -> None:
        """Put one layer that runs ``compiled`` in the place of a cut; raises as `Cut.compile`."""
        self._take(cut.layers)
        self._shown.substitute(
            cut.layers, self._raw(cut.inputs), self._raw(cut.outputs), compiled, compiled.name
        )
        self._named.update(cut.layers)

    def _raw(self, slots: Sequence[Slot]) -> list[tuple[tuple[int, int], TensorInfo]]:
        raw = [(BOUNDARY if layer is None else layer, slot) for layer, slot in slots]
        return list(zip(raw, map(self.info, slots), strict=True))

    def finish(self) -> bool:
        """Keep what nothing was said about; False if nothing was said at all."""
        rest = [number for number in range(len(self.layers)) if number not in self._named]
        if self._named and rest:
            self._shown.keep(rest)
        return bool(self._named)

    def __repr__(self) -> str:
        return f"<Part of {len(self.layers)} layers>"


class Cut:
    """Some layers of a part, and the values at their border.

    Attributes
    ----------
    layers
        Their numbers, in topological order.
    inputs
        Slots that they read and do not make, each once.
    outputs
        Slots of theirs that others read.
    """

    def __init__(
        self,
        part: Part,
        layers: tuple[int, ...],
        inputs: tuple[Slot, ...],
        outputs: tuple[Slot, ...],
    ) -> None:
        self._part = part
        self.layers, self.inputs, self.outputs = layers, inputs, outputs

    def compile(self, function: Callable[[KernelCall], Any], name: str = "") -> None:
        """Run a function in the place of the layers.

        Parameters
        ----------
        function
            A kernel: its call has the inputs and the outputs in the order of the cut's.
        name
            For people.

        Raises
        ------
        InvalidArgumentError
            One of the layers has been answered for already, or this is not a function.
        ValueError
            The host refuses it.
        """
        if not callable(function):
            raise InvalidArgumentError(f"compile: {function!r} given, a function expected")
        if not name:
            names = [self._part.layers[number].name for number in self.layers]
            name = " + ".join(names[:3]) + (" ..." if len(names) > 3 else "")
        self._part.put(self, CompiledPart(function, name))


def _source(slot: tuple[int, int]) -> Slot | None:
    layer, index = slot
    if layer in (ABSENT, CONSTANT):
        return None
    return Slot(None if layer == BOUNDARY else layer, index)
