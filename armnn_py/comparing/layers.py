# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The errors of each kernel: its own, and those that it gathered from the kernels before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py.comparing.differences import Difference, difference
from armnn_py.comparing.groups import Group, groups_of
from armnn_py.comparing.pieces import piece_of
from armnn_py.comparing.sides import BackendSide
from armnn_py.comparing.tensors import (
    Place,
    Tensors,
    is_known,
    place_of,
    scaled_by,
    sum_of_tolerances,
)
from armnn_py.later import public_class
from armnn_py.network import VariableLayer
from armnn_py.optimizer.optimize import optimize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.comparing.sides import Arrays, Side
    from armnn_py.network import Network, OutputSlot

Values = Mapping[Place, "NDArray[Any]"]

_MOST_BYTES = 256 << 20
"""Bytes of the tensors around the kernels that one network feeds with the reference's tensors."""


@public_class
@dataclass(frozen=True, slots=True)
class LayerDifference:
    """The errors of one tensor inside of a network.

    Attributes
    ----------
    tensor
        Its name in the model file, or that of its layer.
    layer
        Name of the layer that makes it; of a fused kernel, names of the first and the last layer.
    type
        Types of these layers.
    backend
        The backend that runs them.
    accumulated
        The error where each side computes with its own tensors.
    own
        The error of the kernel alone: it is given the reference's tensors.
    group
        The layers of the kernel.
    """

    tensor: str
    layer: str
    type: str
    backend: str
    accumulated: Difference
    own: Difference
    group: Group

    def to_json(self) -> dict[str, Any]:
        """Return the names and errors as JSON-able values."""
        return {
            "tensor": self.tensor,
            "layer": self.layer,
            "type": self.type,
            "backend": self.backend,
            "layers": [layer.name for layer in self.group.layers],
            "accumulated": self.accumulated.to_json(),
            "own": self.own.to_json(),
        }


class LayerComparer:
    """Compares the tensors inside of a network.

    Parameters
    ----------
    subject
        The side that is examined.
    reference
        The side that is right.
    tensors
        Names of the tensors of the subject's network.
    factor
        Multiplies the tolerances.
    times
        How many times each kernel runs on the reference's tensors; the worst run counts.
    """

    def __init__(
        self, subject: BackendSide, reference: Side, tensors: Tensors, factor: float, times: int
    ) -> None:
        self.subject, self.reference = subject, reference
        self.network: Network = subject.network
        self._tensors, self._factor, self._times = tensors, factor, times

    def known_tensors(self, inputs: Arrays) -> tuple[list[Group], dict[Place, NDArray[Any]]]:
        """Return the kernels, and the reference's tensors at their borders.

        Tensors that the reference lacks, or has in another shape, lie inside of a group.
        """
        optimized = optimize(
            self.network,
            self.subject.backends,
            runtime=self.subject.runtime,
            options=self.subject.options,
        )
        available = self.reference.places()
        if available is not None:
            available = {*available, *(place for place, _ in self._given(inputs))}
        while True:
            groups = groups_of(self.network, optimized, available)
            wanted = list(
                dict.fromkeys(slot for one in groups for slot in (*one.inputs, *one.outputs))
            )
            values = dict(self._given(inputs))
            inner = [slot for slot in wanted if not is_known(slot.layer)]
            found = self.reference.tensors(inputs, inner)
            fits = {place_of(slot): found[place_of(slot)] for slot in inner if _fits(slot, found)}
            if len(fits) == len(inner):
                return groups, {**values, **fits}
            missing = {place_of(slot) for slot in inner} - fits.keys()
            every = {place_of(s) for layer in self.network.layers for s in layer.outputs}
            before = available
            available = (every if available is None else available) - missing
            if available == before:  # outputs of the network that the reference lacks
                kept = [
                    one
                    for one in groups
                    if all(place_of(s) not in missing for s in (*one.inputs, *one.outputs))
                ]
                return kept, {**values, **fits}

    def _given(self, inputs: Arrays) -> Iterator[tuple[Place, NDArray[Any]]]:
        """Yield the tensors that no side computes."""
        for layer in self.network.input_layers:
            yield (layer.guid, 0), inputs[layer.name]
        for layer in self.network.variable_layers:
            assert isinstance(layer, VariableLayer)
            yield (layer.guid, 0), layer.initial

    def compare(
        self, groups: Sequence[Group], inputs: Arrays, values: Values
    ) -> list[LayerDifference]:
        """Return the errors of the outputs of all kernels, in order.

        Parameters
        ----------
        groups, values
            As `known_tensors` gives them.
        inputs
            Inputs of the network by name.
        """
        slots = [slot for group in groups for slot in group.outputs]
        found = self.subject.tensors(inputs, slots)
        gathered = self._tensors.accumulated(slots)
        own = self.own(groups, values)
        rows = []
        for group, errors in zip(groups, own, strict=True):
            for slot in group.outputs:
                place = place_of(slot)
                allowed = scaled_by(gathered[place], self._factor)
                accumulated = difference(found[place], values[place], slot.info, allowed)
                rows.append(
                    LayerDifference(
                        self._tensors.name(slot),
                        group.name,
                        group.type,
                        group.backend,
                        accumulated,
                        errors[place],
                        group,
                    )
                )
        return rows

    def own(self, groups: Sequence[Group], values: Values) -> list[dict[Place, Difference]]:
        """Return by group the errors of its outputs, where it is given the reference's tensors."""
        found: list[dict[Place, Difference]] = []
        for chunk in _chunks(groups):
            piece = piece_of("layers", chunk, self._tensors.name)
            fed = {name: values[place_of(slot)] for name, slot in piece.inputs.items()}
            runs = self.subject.runs(piece.network, fed, times=self._times)
            names = iter(piece.outputs)
            for group in chunk:
                errors = {}
                for slot in group.outputs:
                    name, place = next(names), place_of(slot)
                    allowed = scaled_by(sum_of_tolerances(group.layers, slot), self._factor)
                    errors[place] = Difference.largest(
                        difference(run[name], values[place], slot.info, allowed) for run in runs
                    )
                found.append(errors)
        return found


def _fits(slot: OutputSlot, found: Values) -> bool:
    array = found.get(place_of(slot))
    shape = slot.info.array_shape
    return array is not None and array.shape == shape and array.dtype == slot.info.array_dtype


def _chunks(groups: Sequence[Group]) -> Iterator[list[Group]]:
    """Yield groups in portions whose borders have a bounded size."""
    chunk: list[Group] = []
    size = 0
    for group in groups:
        own = sum(_bytes_of(slot) for slot in (*group.inputs, *group.outputs))
        if chunk and size + own > _MOST_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk.append(group)
        size += own
    if chunk:
        yield chunk


def _bytes_of(slot: OutputSlot) -> int:
    info = slot.info
    count = 1
    for size in info.array_shape:
        count *= size
    return count * int(info.array_dtype.itemsize)
