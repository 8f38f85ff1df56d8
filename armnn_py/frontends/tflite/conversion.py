# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a `TfliteModel` and static infos of its inputs to a `Network`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from armnn_py.errors import ArmnnError, InputValuesNeededError, ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.known import stored_once
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.stand_ins import RunsStandIns
from armnn_py.frontends.common.tensor_names import places_of
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Unsupported,
    Value,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.tflite.binding import Entry
from armnn_py.frontends.tflite.complex_values import TAKES_COMPLEX, ComplexValue, part_by_part
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel
from armnn_py.frontends.tflite.node import OperatorView, RunTimeOperand
from armnn_py.frontends.tflite.parts import NESTED
from armnn_py.frontends.tflite.problems import DAMAGE, TfliteProblems, damaged, located, place_of
from armnn_py.frontends.tflite.resources import Resources
from armnn_py.frontends.tflite.subgraphs import Calls, NotedError, call
from armnn_py.frontends.tflite.table import Converter, find_operator, newest_version
from armnn_py.frontends.tflite.tensors import (
    as_stated,
    check_type,
    constant_of,
    dtype_named,
    quantization,
    type_name,
    variable_info,
)
from armnn_py.frontends.tflite.without_layers import by_values, elsewhere
from armnn_py.network import Network, VariableLayer
from armnn_py.tensors import TensorInfo


def convert(
    model: TfliteModel,
    entry: Entry,
    infos: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns] = (),
    values: Mapping[str, Array] | None = None,
    *,
    network_of: Callable[..., Network],
    has_one_shape: bool = False,
) -> Network:
    """Convert a sub-graph for static input infos.

    ``backends`` are offered the operators without a layer. ``values`` are those of
    inputs that decide shapes. ``network_of`` makes networks of parts. ``has_one_shape``: the inputs
    never have other shapes, so that stages may rely on these.

    Raises
    ------
    UnsupportedOperatorError
        Operators have no counterpart; all of them are listed.
    ParseError
        An operator contradicts itself or these shapes.
    InputValuesNeededError
        Shapes depend on values of inputs that are not given.
    StagesNeededError
        Values that the network computes from data decide shapes, or turns of loops.
    """
    conversion = _Conversion(model, entry, infos, backends, values or {})
    network = conversion.run()
    if conversion.cuts:
        from armnn_py.frontends.tflite.stages import split  # late: few models need it

        raise split(conversion, has_one_shape=has_one_shape, network_of=network_of)
    return network


def _dense_of(model: TfliteModel, value: Known) -> Array:
    """Return the form that a Constant layer keeps, made once per model for weights."""
    found = model.dense.get(value)
    if found is None:
        found = model.dense.setdefault(value, stored_once(value, model.equal))
    return found


class _Conversion:
    def __init__(
        self,
        model: TfliteModel,
        entry: Entry,
        infos: Mapping[str, TensorInfo],
        backends: Sequence[RunsStandIns],
        given: Mapping[str, Array],
    ) -> None:
        self.model = model
        self.entry = entry
        self.graph = model.graphs[entry.graph]
        self.prefix = ""  # of names, inside of a sub-graph that is called
        self.infos = infos
        self.backends = backends
        self.given = given
        self.wanted: set[str] = set()
        self.network = Network(model.name)
        # What is computed at import grows with the file, not with the shapes that it states.
        # A method would be a cycle, which keeps weights until it is collected.
        dense_of = functools.partial(_dense_of, model)
        self.emit = Emitter(self.network, dense_of, model.size)
        self.values: dict[int, Value | ComplexValue] = {}
        self.variables: dict[int, VariableLayer] = {}
        self.static: set[int] = set()
        self.outputs = {*entry.outputs.values()}
        self.poisoned: set[int] = set()
        self.cuts: list[Operator] = []
        #: Loops among them whose first condition is known, and holds.
        self.begun: set[int] = set()
        self.problems = TfliteProblems(model, self.graph)
        self.resources = Resources(model, self.graph, self.emit)
        self.calls = Calls(model.depth // NESTED)

    def run(self) -> Network:
        for name, place in self.entry.inputs.items():
            info = self.infos[name]
            check_size(info.static_shape, info.dtype)
            self.emit.reserve(name)
            slot = self.network.add_input(name, info).outputs[0]
            array = self.given.get(name)
            self.values[place] = slot if array is None else Known(array, info)
        for name in self.entry.outputs:
            self.emit.reserve(name)
        for op in self.graph.operators:
            self.operator(op)
        self.problems.raise_if_any()
        if self.wanted:
            raise InputValuesNeededError(
                f"'{self.model.source_name}': values of inputs decide shapes",
                names=sorted(self.wanted),
            )
        if self.cuts:
            return self.network
        self.resources.finish()
        for name, place in self.entry.outputs.items():
            self._output(name, place)
        self.network._tensor_names = places_of(self.emit, self._named())
        return self.network

    def inside(self, graph: Graph, prefix: str) -> _Conversion:
        """Return the conversion of a sub-graph that is called, into the same network."""
        inner = _Conversion(self.model, Entry(graph.index, {}, {}), {}, self.backends, {})
        inner.network, inner.emit, inner.wanted = self.network, self.emit, self.wanted
        inner.resources = self.resources.within(graph)
        inner.calls = self.calls
        inner.outputs = {*graph.outputs}
        inner.prefix = self.prefix + prefix
        return inner

    def _call(self, index: int, given: Sequence[Value], name: str) -> Sequence[Value]:
        return call(self, index, given, name)

    def _named(self) -> Iterator[tuple[str, Value | str]]:
        """Return the tensors of the sub-graph by their names, and the first of joined names."""
        full = {self.graph.tensors[place].name for place in self.values}
        for place, value in self.values.items():
            if isinstance(value, ComplexValue):
                continue
            tensor = self.graph.tensors[place]
            if tensor.name:
                yield tensor.name, value
            if tensor.short_name not in full:
                yield tensor.short_name, value

    def _output(self, name: str, place: int) -> None:
        tensor = self.graph.tensors[place]
        try:
            expected = dtype_named(tensor.type)
            value = self.value(place)
            assert value is not None
            assert not isinstance(value, ComplexValue)
            if dtype_of(value) != expected:
                raise ParseError(f"it is {dtype_of(value)}, but the file says {expected}")
            self.emit.begin(name)
            self.network.add_output(name, self.emit.slot(value))
        except Unsupported as reason:
            raise ParseError(f"output {quoted(name)}: {reason}", path=self.model.path) from None
        except ArmnnError as error:
            raise ParseError(
                f"output {quoted(name)}: {error.message}",
                path=self.model.path,
                details=error.details,
            ) from error
        except DAMAGE as error:
            text = f"output {quoted(name)} is damaged"
            raise ParseError(text, path=self.model.path, details=[str(error)]) from error

    # ---- Operands -------------------------------------------------------------------------------

    def value(self, place: int) -> Value | ComplexValue | None:
        """Return a tensor: made by an operator, held by the file, or a variable."""
        if place < 0:
            return None
        found = self.values.get(place)
        if found is not None:
            return found
        tensor, key = self.graph.tensors[place], (self.graph.index, place)
        constant = self.model.constants.get(key)
        if constant is None:
            constant = constant_of(self.model, tensor)
            if constant is not None:
                self.model.constants[key] = constant
        if constant is not None:
            self.static.add(place)
            self.emit.name_constant(constant, tensor.short_name)
            self.values[place] = constant
            return constant
        if tensor.is_variable:
            name = tensor.short_name
            variable = self.network.add_variable(
                self.emit.unique(name), variable_info(tensor, self.emit)
            )
            self.variables[place] = variable
            self.values[place] = variable.outputs[0]
            return self.values[place]
        made = any(place in op.outputs for op in self.graph.operators)
        reason = "is read before it is made" if made else "is not made by any operator"
        raise ParseError(f"tensor {quoted(tensor.name)} {reason}")

    def _plain_value(self, place: int) -> Value | None:
        value = self.value(place)
        if isinstance(value, ComplexValue):
            raise Unsupported("complex64 values of a variable")
        return value

    # ---- Operators ------------------------------------------------------------------------------

    def operator(self, op: Operator) -> None:
        if any(place in self.poisoned for place in op.inputs):
            # An operand could not be converted, so that only the operator itself can be checked.
            if find_operator(op.label) is None and op.name not in Resources.OPERATORS:
                self.problems.add_unknown(op)
            self.poisoned.update(op.outputs)
            return
        if op.name in Resources.OPERATORS:
            self._resource(op)
            return
        try:
            values = [self.value(place) for place in op.inputs]
        except Unsupported as reason:
            self.problems.add_operator(op, str(reason))
            self.poisoned.update(op.outputs)
            return
        except ArmnnError as error:
            raise located(error, op, self) from error
        except DAMAGE as error:
            raise damaged(error, op, self) from error
        key = (self.graph.index, op.index)
        is_static = all(place < 0 or place in self.static for place in op.inputs)
        results: Sequence[Value | ComplexValue] | None = None
        if is_static:
            results = self.model.folded.get(key)
        if results is None:
            results = self._convert(op, values)
            if is_static and results is not None:
                self._keep(key, results)
        if results is None:
            self.poisoned.update(op.outputs)
            return
        for place, value in zip(op.outputs, results, strict=False):
            try:
                self._assign(op, place, value, is_static)
            except Unsupported as reason:
                self.problems.add_operator(op, str(reason))
                self.poisoned.add(place)
            except ArmnnError as error:
                raise located(error, op, self) from error
        for place in op.outputs[len(results) :]:
            self.poisoned.add(place)
            if self._is_read(place):
                title = quoted(self.graph.tensors[place].name)
                self.problems.add_operator(op, f"an output {title}")

    def _is_read(self, place: int) -> bool:
        """Say whether a tensor is more than an operator's working memory."""
        return place in self.outputs or any(place in op.inputs for op in self.graph.operators)

    def _resource(self, op: Operator) -> None:
        self.emit.begin(place_of(op, self.graph))
        try:
            for place, value in zip(
                op.outputs, self.resources.convert(op, self._plain_value), strict=False
            ):
                self._assign(op, place, value, is_static=False)
        except Unsupported as reason:
            self.problems.add_operator(op, str(reason))
            self.poisoned.update(op.outputs)
        except ArmnnError as error:
            raise located(error, op, self) from error

    def _keep(self, key: tuple[int, int], results: Sequence[Value | ComplexValue]) -> None:
        kept = [value for value in results if isinstance(value, Known)]
        if len(kept) == len(results):
            self.model.folded[key] = tuple(kept)

    def _assign(
        self, op: Operator, place: int, value: Value | ComplexValue, is_static: bool
    ) -> None:
        tensor = self.graph.tensors[place]
        if place in self.values:
            raise ParseError(f"two operators make tensor {quoted(tensor.name)}")
        if isinstance(value, ComplexValue):
            if type_name(tensor) != "COMPLEX64":
                raise ParseError(f"{quoted(op.label)} makes complex64, not {type_name(tensor)}")
            self.values[place] = value
            return
        check_type(op, tensor, dtype_of(value))
        value = as_stated(self.emit, value, quantization(tensor))
        if not isinstance(value, Known) and not all(shape_of(value)):
            # A tensor without elements is known, whatever computes it.
            value = Known(np.zeros(shape_of(value), dtype_of(value)), value.info)
        if isinstance(value, Known):
            self.emit.name_constant(value, tensor.short_name)
            if is_static:
                self.static.add(place)
        self.values[place] = value

    def _convert(
        self, op: Operator, values: Sequence[Value | ComplexValue | None]
    ) -> Sequence[Value | ComplexValue] | None:
        name = self.prefix + place_of(op, self.graph)
        # The Output layer has the name of the tensor that this operator makes.
        is_last = not self.prefix and not self.outputs.isdisjoint(op.outputs)
        self.emit.begin(f"{name}/{op.label.lower()}" if is_last else name)
        converter = find_operator(op.label)
        try:
            if converter is None:
                return elsewhere(self, op, values, None)
            newest = newest_version(op.name)
            if op.version > newest and not op.custom:
                raise Unsupported(f"version {op.version}, versions up to {newest} are known")
            results = self._converted(converter, op, values)
        except NotedError:
            return None
        except RunTimeOperand as reason:
            return by_values(self, op, values, reason)
        except Unsupported as reason:
            return elsewhere(self, op, values, str(reason))
        except ArmnnError as error:
            raise located(error, op, self) from error
        except DAMAGE as error:
            raise damaged(error, op, self) from error
        return results

    def _converted(
        self, converter: Converter, op: Operator, values: Sequence[Value | ComplexValue | None]
    ) -> Sequence[Value | ComplexValue]:
        def of(given: Sequence[Value | ComplexValue | None]) -> Sequence[Any]:
            view = OperatorView(
                op, self.graph, given, self.emit, self.variables, self._call, self.resources,
                keeps_loops=self.model.keeps_loops and not (self.calls.depth or self.given),
            )  # fmt: skip
            results = converter(view)
            return results if isinstance(results, Sequence) else [results]

        is_complex = any(isinstance(value, ComplexValue) for value in values)
        if is_complex and op.name not in TAKES_COMPLEX:
            return part_by_part(op.name, values, of)
        return of(values)
