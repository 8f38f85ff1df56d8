# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From an `OnnxModel` and the shapes of its inputs to a `Network`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armnn_py.errors import ArmnnError, InputValuesNeededError, ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.stand_ins import RunsStandIns
from armnn_py.frontends.common.values import (
    Array,
    Known,
    NotKnown,
    Unsupported,
    Value,
    dense,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.binding import describe, input_infos, output_info
from armnn_py.frontends.onnx.graph_node import Node
from armnn_py.frontends.onnx.model import OnnxModel
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.origins import origins
from armnn_py.frontends.onnx.problems import OnnxProblems
from armnn_py.frontends.onnx.stand_in import stand_in
from armnn_py.frontends.onnx.table import NEWEST_VERSION, Operator, find_operator
from armnn_py.frontends.onnx.tensors import Unreadable
from armnn_py.network import Network
from armnn_py.tensors import TensorInfo

__all__ = ["Builder", "convert", "network_of"]

_logger = logging.getLogger(__name__)

# Raised by numpy and Python inside a converter whose operands are damaged.
_DAMAGE = (ValueError, TypeError, IndexError, KeyError, ArithmeticError, MemoryError)


def network_of(
    model: OnnxModel,
    shapes: Mapping[str, Sequence[int | None]] | None = None,
    backends: Sequence[RunsStandIns] = (),
) -> Network:
    """Return the network of a model; one that converts per shape if dimensions stay free."""
    version = model.version_of("")
    if version > NEWEST_VERSION:
        _logger.warning(
            "'%s' uses operator set %d; this importer was checked up to %d",
            model.source_name,
            version,
            NEWEST_VERSION,
        )
    infos = input_infos(model, shapes)
    needed: tuple[str, ...] = ()
    if all(info.is_static for info in infos.values()):
        try:
            network = convert(model, infos, backends)
        except InputValuesNeededError as error:
            needed = error.names
        else:
            network.metadata = model.metadata
            return network
    else:
        check_operators(model, backends)
    outputs = {name: output_info(info) for name, info in model.outputs.items()}
    builder = Builder(model, backends)
    network = Network.from_builder(model.name, infos, builder, outputs, value_inputs=needed)
    network.metadata = model.metadata
    return network


class Builder:
    """Converts a model for given inputs; picklable, and shares weights between its results."""

    def __init__(self, model: OnnxModel, backends: Sequence[RunsStandIns] = ()) -> None:
        self.model = model
        self.backends = backends

    def __getstate__(self) -> OnnxModel:
        return self.model  # backends are objects of this process

    def __setstate__(self, model: OnnxModel) -> None:
        self.__init__(model)  # type: ignore[misc]

    def __call__(
        self, infos: Mapping[str, TensorInfo], values: Mapping[str, Array] | None = None
    ) -> Network:
        """Return the network for static input infos, and values where they decide shapes."""
        bound = input_infos(self.model, {name: info.shape for name, info in infos.items()})
        return convert(self.model, bound, self.backends, values)

    def __repr__(self) -> str:
        return f"<Builder of {self.model.source_name!r}>"


def check_operators(model: OnnxModel, backends: Sequence[RunsStandIns] = ()) -> None:
    """Raise one `UnsupportedOperatorError` for all that can be known without shapes.

    If ``backends`` run operators that no layer expresses, that is nothing: they are asked when
    shapes are known.
    """
    if backends:
        return
    problems = OnnxProblems(model)
    emit = Emitter(Network(model.name))
    for node in model.nodes:
        entry = _find(model, node, problems)
        if entry is None:
            continue
        values = [model.constants.get(name) for name in node.inputs]
        unreadable = [value for value in values if isinstance(value, Unreadable)]
        if unreadable:
            problems.add_node(node, unreadable[0].reason)
        elif entry.check is not None:
            known = [value if isinstance(value, Known) else None for value in values]
            version = model.version_of(node.domain)
            try:
                entry.check(NodeView(node, version, known, emit, model.used))
            except NotKnown:
                pass  # perhaps it is with shapes
            except Unsupported as reason:
                problems.add_node(node, str(reason))
            except ParseError as error:
                raise _named(error, node) from error
    problems.raise_if_any()


def _find(model: OnnxModel, node: Node, problems: OnnxProblems) -> Operator | None:
    entry = find_operator(node.domain, node.op_type, model.version_of(node.domain))
    if entry is None:
        problems.add_unknown(node)
    return entry


def convert(
    model: OnnxModel,
    infos: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns] = (),
    values: Mapping[str, Array] | None = None,
) -> Network:
    """Convert a model for static input infos.

    ``backends`` are offered the operators for which there is no layer. ``values`` are those of
    inputs; the network has these inputs, and no layer reads them.

    Raises
    ------
    InputValuesNeededError
        Values of further inputs decide shapes.
    UnsupportedOperatorError
        Operators have no counterpart; all of them are listed.
    ParseError
        A node contradicts itself or these shapes.
    """
    return _Conversion(model, infos, backends, values or {}).run()


class _Conversion:
    def __init__(
        self,
        model: OnnxModel,
        infos: Mapping[str, TensorInfo],
        backends: Sequence[RunsStandIns],
        given: Mapping[str, Array],
    ) -> None:
        self.model = model
        self.given = given
        self.backends = backends
        self.infos = infos
        self.network = Network(model.name)
        self.emit = Emitter(self.network, self._dense_of)
        self.values: dict[str, Value | Unreadable] = dict(model.constants)
        self.static = set(model.constants)
        self.static_names: dict[Known, str] = {}
        self.poisoned: set[str] = set()
        self.needed: set[str] = set()
        self.problems = OnnxProblems(model)

    def run(self) -> Network:
        for name, info in self.infos.items():
            check_size(info.static_shape, info.dtype)
            self.emit.reserve(name)
            slot = self.network.add_input(name, info).outputs[0]
            given = self.given.get(name)
            self._assign(name, slot if given is None else Known(given))
        for name in self.model.outputs:
            self.emit.reserve(name)
        for name, constant in self.model.constants.items():
            if isinstance(constant, Known):
                self.emit.name_constant(constant, name)
                self.static_names[constant] = name
        for node in self.model.nodes:
            self._node(node)
        self.problems.raise_if_any()
        if self.needed:
            names = [name for name in self.infos if name in self.needed]
            raise InputValuesNeededError(
                f"'{self.model.source_name}': values of inputs decide shapes", names=names
            )
        self._forget()
        for name in self.model.outputs:
            value = self.values[name]
            if isinstance(value, Unreadable):
                raise ParseError(f"output {quoted(name)}: {value.reason}")
            self._check_type(name, value)
            self.emit.begin(name)
            try:
                self.network.add_output(name, self.emit.slot(value))
            except Unsupported as reason:
                raise ParseError(f"output {quoted(name)}: {reason}") from None
        return self.network

    def _check_type(self, name: str, value: Value) -> None:
        stated = self.model.outputs[name]
        if stated.dtype is not None and stated.dtype != dtype_of(value):
            raise ParseError(
                f"output {quoted(name)} is {dtype_of(value)}, but the file says {stated.type_name}",
                path=self.model.path,
            )
        dims = stated.dims
        if dims is not None and not _fits(dims, shape_of(value)):
            _logger.info(
                "output %s of '%s' has shape %s, but the file says %s",
                quoted(name),
                self.model.source_name,
                shape_of(value),
                dims,
            )

    def _node(self, node: Node) -> None:
        if any(name in self.poisoned for name in node.inputs):
            # One of its operands could not be converted, so that only its operator can be checked.
            _find(self.model, node, self.problems)
            self.poisoned.update(filter(None, node.outputs))
            return
        is_static = all(not name or name in self.static for name in node.inputs)
        if is_static and node.index in self.model.folded:
            results: Sequence[Value] | None = self.model.folded[node.index]
            if not results:  # dropped by _forget: all its readers are folded, too
                self.static.update(filter(None, node.outputs))
                return
        else:
            results = self._convert(node)
            if is_static and results is not None:
                results = self._keep(node, results)
        if results is None:
            self.poisoned.update(filter(None, node.outputs))
            return
        for name, value in zip(node.outputs, results, strict=False):
            if name:
                self._assign(name, value)
                if is_static and isinstance(value, Known):
                    self.static.add(name)
                    self.static_names[value] = name
        for name in node.outputs[len(results) :]:
            if name in self.model.used:
                self.problems.add_node(node, f"output {quoted(name)}")
                self.poisoned.add(name)

    def _assign(self, name: str, value: Value) -> None:
        if not isinstance(value, Known) and not all(shape_of(value)):
            # A tensor without elements is known, whatever computes it.
            value = Known(np.zeros(shape_of(value), dtype_of(value)), value.info)
        if isinstance(value, Known):
            self.emit.name_constant(value, name)
        self.values[name] = value

    def _keep(self, node: Node, results: Sequence[Value]) -> Sequence[Value]:
        """Keep the results of a node that depends on weights alone, for the next conversion."""
        kept: list[Known] = []
        for value in results:
            if not isinstance(value, Known):
                return results
            if value.array.flags.writeable:
                value.array.flags.writeable = False
            kept.append(value)
        self.model.folded[node.index] = tuple(kept)
        return kept

    def _forget(self) -> None:
        """Drop kept results that only other nodes with kept results read."""
        folded = self.model.folded
        read = {n for node in self.model.nodes if node.index not in folded for n in node.inputs}
        needed = read | set(self.model.outputs)
        for node in self.model.nodes:
            if node.index in folded and needed.isdisjoint(node.outputs):
                folded[node.index] = ()

    def _dense_of(self, value: Known) -> Array:
        """Return the form that a Constant layer keeps, made once per model for weights."""
        name = self.static_names.get(value)
        if name is None:
            return dense(value.array)
        kept = self.model.derived.get((name, "dense"))
        if kept is None:
            kept = self.model.derived.setdefault((name, "dense"), Known(dense(value.array)))
        return kept.array

    def _convert(self, node: Node) -> Sequence[Value] | None:
        entry = find_operator(node.domain, node.op_type, self.model.version_of(node.domain))
        values: list[Value | None] = []
        for name in node.inputs:
            value = self.values[name] if name else None
            if isinstance(value, Unreadable):
                self.problems.add_node(node, value.reason)
                return None
            values.append(value)
        version = self.model.version_of(node.domain)
        self.emit.begin(node.name)
        if entry is None:
            slots, reasons = stand_in(self.model, node, values, self.emit, self.backends)
            if slots is None:
                self.problems.add_unknown(node, reasons)
            return slots
        view = NodeView(node, version, values, self.emit, self.model.used, self._derived_of(node))
        try:
            if entry.check is not None:
                entry.check(view)
            results = entry.convert(view)
        except Unsupported as reason:
            if isinstance(reason, NotKnown):
                sources = origins(self.model, node.inputs[reason.index], self.infos, self.values)
                if sources is not None:
                    self.needed |= sources
                    return None
            slots, reasons = stand_in(self.model, node, values, self.emit, self.backends)
            if slots is None:
                self.problems.add_node(node, "; ".join((str(reason), *reasons)))
            return slots
        except ParseError as error:
            raise self._with_inputs(_named(error, node)) from error
        except ArmnnError as error:
            named = ParseError(
                f"{node.label}: {error.message}", details=error.details, hints=error.hints
            )
            raise self._with_inputs(_named(named, node)) from error
        except _DAMAGE as error:
            named = ParseError(
                f"{node.label} cannot be converted", details=[_first_line(error)], node=node.name
            )
            raise self._with_inputs(named) from error
        return results if isinstance(results, Sequence) else [results]

    def _derived_of(self, node: Node) -> Any:
        def find(index: int, form: str) -> Any:
            name = node.inputs[index]
            return (self.model.derived, (name, form)) if name in self.static else None

        return find

    def _with_inputs(self, error: ParseError) -> ParseError:
        """Add the shapes that were bound: a wrong one often shows deep inside the graph."""
        error.path = self.model.path
        if any(isinstance(d, str | None) for i in self.model.inputs.values() for d in i.dims or ()):
            error.details = (*error.details, *describe(self.infos))
        return error


def _named(error: ParseError, node: Node) -> ParseError:
    if error.node is not None:
        return error
    return ParseError(
        error.message if node.label in error.message else f"{node.label}: {error.message}",
        node=node.name,
        details=error.details,
        hints=error.hints,
    )


def _fits(dims: Sequence[int | str | None], shape: Sequence[int]) -> bool:
    return len(dims) == len(shape) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(dims, shape, strict=True)
    )


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
