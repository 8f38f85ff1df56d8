# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resource variables: state that a model reads and assigns by name.

``VAR_HANDLE`` gives a tensor that stands for a name, ``READ_VARIABLE`` the value from before the
run or the last one assigned in it, ``ASSIGN_VARIABLE`` says what it is afterwards. ``CALL_ONCE``
names a sub-graph that assigns values before the first run; those must be constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, TypeAlias

from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Known, Unsupported, Value
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel
from armnn_py.frontends.tflite.tensors import constant_of, variable_info
from armnn_py.network import VariableLayer

_ValueOf: TypeAlias = "Callable[[int], Value | None]"


class Resources:
    """The resource variables of one conversion."""

    def __init__(self, model: TfliteModel, graph: Graph, emit: Emitter) -> None:
        self._model = model
        self._graph = graph
        self._emit = emit
        self._names: dict[int, str] = {}
        self._first: dict[str, Known] = {}
        self._layers: dict[str, VariableLayer] = {}
        self._current: dict[str, Value] = {}

    def within(self, graph: Graph) -> Resources:
        """Return the same variables for the operators of a sub-graph that is called."""
        inner = Resources(self._model, graph, self._emit)
        inner._first, inner._layers = self._first, self._layers
        inner._current = self._current
        return inner

    def values(self) -> dict[str, Value]:
        """Return the present values of all variables that were used."""
        return dict(self._current)

    def restore(self, values: Mapping[str, Value]) -> None:
        """Let variables have other values; those that are not named have their first one."""
        self._current.update({name: layer.output for name, layer in self._layers.items()})
        self._current.update(values)

    def convert(self, op: Operator, value_of: _ValueOf) -> list[Value]:
        """Convert an operator; returns the values of the outputs that are no handles.

        Raises
        ------
        Unsupported
            A first value is computed.
        ParseError
            An operator has no handle, or a value does not fit its variable.
        """
        return self.OPERATORS[op.name](self, op, value_of)

    def finish(self) -> None:
        """Say what each variable is after a run."""
        for name, layer in self._layers.items():
            value = self._current[name]
            if value is not layer.output:
                self._emit.network.assign(layer, self._emit.slot(value))

    def _declare(self, op: Operator, value_of: _ValueOf) -> list[Value]:
        self._name(op, self._names)
        return []

    @staticmethod
    def _name(op: Operator, names: dict[int, str]) -> None:
        parts = [op.options.get(key, "") for key in ("container", "shared_name")]
        for output in op.outputs:
            names[output] = "/".join(str(part) for part in parts if part) or "variable"

    @staticmethod
    def _handle(op: Operator, names: dict[int, str]) -> str:
        found = names.get(op.inputs[0]) if op.inputs else None
        if found is None:
            raise ParseError(f"{quoted(op.name)} has no handle of a variable")
        return found

    def _initialise(self, op: Operator, value_of: _ValueOf) -> list[Value]:
        index = int(op.options.get("init_subgraph_index", -1))
        if not 0 <= index < len(self._model.graphs):
            raise ParseError(
                f"sub-graph {index} is called once, but the model has {len(self._model.graphs)}"
            )
        graph = self._model.graphs[index]
        names: dict[int, str] = {}
        for one in graph.operators:
            if one.name == "VAR_HANDLE":
                self._name(one, names)
            elif one.name == "ASSIGN_VARIABLE" and len(one.inputs) == 2:
                value = constant_of(self._model, graph.tensors[one.inputs[1]])
                if value is None:
                    raise Unsupported("a variable whose first value is computed")
                self._first[self._handle(one, names)] = value
            else:
                raise Unsupported(f"{one.label} before the first run")
        return []

    def _read(self, op: Operator, value_of: _ValueOf) -> list[Value]:
        name = self._handle(op, self._names)
        if name not in self._current:
            if not op.outputs:
                raise ParseError("'READ_VARIABLE' has no output")
            self._add(name, op.outputs[0])
        return [self._current[name]]

    def _assign(self, op: Operator, value_of: _ValueOf) -> list[Value]:
        name = self._handle(op, self._names)
        value = value_of(op.inputs[1]) if len(op.inputs) == 2 else None
        if value is None:
            raise ParseError("'ASSIGN_VARIABLE' has no value")
        if name not in self._layers:
            self._add(name, op.inputs[1])
        info = self._layers[name].output.info
        if value.info != info:
            raise ParseError(
                f"variable {quoted(name)} is assigned {value.info!r}, expected {info!r}"
            )
        self._current[name] = value
        return []

    def _add(self, name: str, place: int) -> None:
        """Add a variable with shape, type and scale of a tensor."""
        info, first = variable_info(self._graph.tensors[place], self._emit), self._first.get(name)
        if first is not None and (first.array.shape, first.array.dtype) != (info.shape, info.dtype):
            raise ParseError(
                f"variable {quoted(name)} has initial value {first.info!r}, expected {info!r}"
            )
        layer = self._emit.network.add_variable(
            self._emit.unique(name), info, None if first is None else first.array
        )
        self._layers[name] = layer
        self._current.setdefault(name, layer.output)

    OPERATORS: ClassVar[dict[str, Callable[[Resources, Operator, _ValueOf], list[Value]]]] = {
        "ASSIGN_VARIABLE": _assign,
        "CALL_ONCE": _initialise,
        "READ_VARIABLE": _read,
        "VAR_HANDLE": _declare,
    }
