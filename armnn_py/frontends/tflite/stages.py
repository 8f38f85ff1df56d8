# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cutting a graph into stages, where data that the network computes decide shapes or turns.

Operators before such a place are the first stage. Operators that decide how many elements
there are, loops and branches are computed on arrays between the stages. All that depends on them
is the last stage, which may be cut again. Each stage is a model with operators of the whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ArmnnError, UnsupportedOperatorError
from armnn_py.frontends.common.origins import MOST_BYTES
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    as_handed,
    shape_of,
)
from armnn_py.frontends.tflite.apart import APART, Apart, make_apart, make_choice
from armnn_py.frontends.tflite.binding import Entry
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.model import Operator, TfliteModel
from armnn_py.frontends.tflite.parts import Sizes, deeper, live, part_of
from armnn_py.frontends.tflite.problems import DAMAGE, TfliteProblems, damaged, located, place_of
from armnn_py.frontends.tflite.resources import Resources
from armnn_py.frontends.tflite.tensors import tensor_info
from armnn_py.network import Network, OutputSlot, Stage
from armnn_py.network.control import Operands
from armnn_py.tensors import TensorInfo
from armnn_py.text import first_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns


def is_between(op: Operator) -> bool:
    """Return whether an operator is computed by itself, between two stages."""
    return op.name in ("UNIQUE", "WHERE", *APART)


def can_be_cut(model: TfliteModel, op: Operator, value: Value | None) -> bool:
    """Return whether a stage before an operator can compute what decides shapes.

    Variables would be parted from what assigns them.
    """
    for graph in model.graphs:
        if any(tensor.is_variable for tensor in graph.tensors):
            return False
        if any(one.name in Resources.OPERATORS for one in graph.operators):
            return False
    if is_between(op):
        return True
    return (
        isinstance(value, OutputSlot)
        and value.layer.type is not LayerType.INPUT
        and value.info.byte_size <= MOST_BYTES
    )


def split(
    conversion: Any,
    *,
    has_one_shape: bool,
    network_of: Callable[..., Network],
) -> ArmnnError:
    """Return the error that has the stages of a graph.

    Parameters
    ----------
    conversion
        The whole graph, converted as far as it could be; its ``cuts`` are the places.
    has_one_shape
        Whether the inputs never have other shapes than in this conversion.
    network_of
        The function of `building`.
    """
    return _Cutting(conversion, has_one_shape, network_of).run()


class _Cutting:
    def __init__(
        self,
        conversion: Any,
        has_one_shape: bool,
        network_of: Callable[..., Network],
    ) -> None:
        self.conversion = conversion
        self.model: TfliteModel = deeper(conversion.model, 1)
        self.entry: Entry = conversion.entry
        self.graph = conversion.graph
        self.values: dict[int, Value | ComplexValue] = conversion.values
        self.backends: Sequence[RunsStandIns] = conversion.backends
        self.problems: TfliteProblems = conversion.problems
        self.has_one_shape = has_one_shape
        self.is_fixed = has_one_shape and not conversion.given
        self.network_of = network_of
        #: Of tensors that one stage hands to another: name, and info with free sizes.
        self.names: dict[int, str] = {}
        self.crossing: dict[int, TensorInfo] = {}

    def run(self) -> ArmnnError:
        between = [op for op in self.conversion.cuts if is_between(op)]
        chosen = {op.index for op in between}
        before, behind = list[Operator](), list[Operator]()
        for op in self.graph.operators:
            if op.index not in chosen:
                is_behind = any(place in self.conversion.poisoned for place in op.outputs)
                (behind if is_behind else before).append(op)
        made_between = {place for op in between for place in op.outputs}
        made_behind = {place for op in behind for place in op.outputs}
        self._name_all()
        for name, place in self.entry.inputs.items():
            self.crossing[place] = self.conversion.infos[name]
            if not self.has_one_shape:
                self._cross(place, self.crossing[place])

        last = [place for place in self.entry.outputs.values() if place in made_behind]
        known = self._known()
        kept, read = live(behind, last, known)
        read |= {place for op in between for place in op.inputs if place >= 0}
        first = []
        for place in sorted(read - set(known) - made_between - made_behind):
            value = self.values.get(place)
            if isinstance(value, ComplexValue):
                self._refuse("complex64 operands")
            elif isinstance(value, OutputSlot | Known) and place not in self.entry.inputs.values():
                self._cross(
                    place, value.info or tensor_info(self.graph.tensors[place], shape_of(value))
                )
                first.append(place)
        apart = {op.index: self._outputs_between(op) for op in between}
        self.problems.raise_if_any()

        made = made_between | made_behind
        first += [place for place in self.entry.outputs.values() if place not in made]
        stages = []
        if first:
            stages.append(self._network(before, set(self.entry.inputs.values()), first))
        stages += [self._between(op, one) for op in between if (one := apart[op.index])]
        if last:
            stages.append(self._network(kept, set(self.crossing), last))
        labels = first_of((place_of(op, self.graph) for op in self.conversion.cuts), 5)

        from armnn_py.network import stages_needed

        return stages_needed(self.model.name, stages, labels)

    # ---- Tensors ---------------------------------------------------------------------------------

    def _name_all(self) -> None:
        """Give each tensor a name of its own; inputs and outputs keep theirs."""
        taken = {*self.entry.inputs, *self.entry.outputs}
        for names in (self.entry.outputs, self.entry.inputs):
            self.names |= {place: name for name, place in names.items()}
        for place, tensor in enumerate(self.graph.tensors):
            if place not in self.names:
                name = tensor.short_name
                self.names[place] = name if name not in taken else f"{name}#{place}"
                taken.add(self.names[place])

    def _known(self) -> dict[int, Known]:
        """Return the tensors that are the same in all runs, and that stages need not hand on."""
        return {
            place: value
            for place, value in self.values.items()
            if isinstance(value, Known) and (self.is_fixed or place in self.conversion.static)
        }

    def _info(self, place: int, value: Value) -> TensorInfo:
        return tensor_info(self.graph.tensors[place], shape_of(value))

    def _cross(self, place: int, info: TensorInfo) -> None:
        shape: Sizes = info.shape if self.has_one_shape else (None,) * info.rank
        self.crossing[place] = info.with_shape(shape)

    def _outputs_between(self, op: Operator) -> Apart | None:
        """Note what an operator makes; returns how, or None after noting why not."""
        try:
            found = self._apart(op)
        except Unsupported as reason:
            self.problems.add_operator(op, str(reason))
            return None
        except UnsupportedOperatorError:
            raise
        except ArmnnError as error:
            raise located(error, op, self.conversion) from error
        except DAMAGE as error:
            raise damaged(error, op, self.conversion) from error
        for place, info in zip(op.outputs, found.outputs, strict=False):
            self._cross(place, info)
        return found

    def _apart(self, op: Operator) -> Apart:
        known = self._known()
        names = [self._input(place) for place in op.inputs]
        constants = {
            index: as_handed(known[place])
            for index, place in enumerate(op.inputs)
            if place in known
        }
        infos = []
        for place in op.inputs:
            value = self.values[place]
            if isinstance(value, ComplexValue):
                raise Unsupported("complex64 operands")
            infos.append(self.crossing.get(place) or self._info(place, value))
        label, operands = place_of(op, self.graph), Operands(tuple(names), constants)
        if op.name not in APART:
            return make_choice(op, label, operands, self._results(op), infos[0], self.graph)
        return make_apart(
            op, label, operands, self._results(op), infos, self.model, self._network_of,
            begins=self.is_fixed and op.index in self.conversion.begun,
        )  # fmt: skip

    def _network_of(self, model: TfliteModel, entry: Entry, shapes: Any, **options: Any) -> Network:
        return self.network_of(model, entry, shapes, self.backends, **options)

    def _refuse(self, reason: str) -> None:
        for op in self.conversion.cuts:
            self.problems.add_operator(op, reason)
        self.problems.raise_if_any()

    # ---- Stages ----------------------------------------------------------------------------------

    def _network(
        self, operators: Sequence[Operator], given: set[int], wanted: Sequence[int]
    ) -> Stage:
        known = self._known()
        operators, read = live(operators, wanted, known)
        made = {place for op in operators for place in op.outputs}
        inputs = [
            place
            for place in self.crossing
            if place in given and place in read - made and place not in known
        ]
        model = part_of(
            self.model, self.graph.index, operators,
            {place: self.crossing[place].shape for place in inputs}, known,
        )  # fmt: skip
        outputs = {self.names[place]: place for place in wanted}
        outputs |= {name: place for name, place in self.entry.outputs.items() if place in wanted}
        entry = Entry(self.graph.index, {self._input(p): p for p in inputs}, outputs)
        shapes = {name: self.crossing[place].shape for name, place in entry.inputs.items()}
        network = self._network_of(model, entry, shapes, frees_outputs=True)
        return Stage(tuple(entry.inputs), dict(network.outputs), network=network)

    def _input(self, place: int) -> str:
        """Return the name by which stages read a tensor."""
        named = (name for name, one in self.entry.inputs.items() if one == place)
        return next(named, self.names[place])

    def _between(self, op: Operator, apart: Apart) -> Stage:
        results = self._results(op)
        infos = {key: self.crossing[op.outputs[index]] for key, index in results.items()}
        return Stage(
            apart.compute.operands.read, infos, compute=apart.compute, bodies=apart.networks,
            name=place_of(op, self.graph), operator=op.name,
        )  # fmt: skip

    def _results(self, op: Operator) -> dict[str, int]:
        """Return the places of an operator's results, by each of their names."""
        names = {self.names[place]: index for index, place in enumerate(op.outputs)}
        for key, place in self.entry.outputs.items():
            if place in op.outputs:
                names[key] = op.outputs.index(place)
        return names
