# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Conversion of the nodes of one graph: that of the model, or of a body inside a node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.origins import origins
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import (
    BetterApart,
    Known,
    NotKnown,
    RunsApart,
    StringInput,
    Unsupported,
    Value,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.bodies import Failed, fill, results_of
from armnn_py.frontends.onnx.convert.faults import FAULTS, of_node, with_inputs
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.convert.table import find_operator
from armnn_py.frontends.onnx.convert.work import Work
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.levels import plain_levels
from armnn_py.frontends.onnx.file.small_types import prepared, restored
from armnn_py.frontends.onnx.file.tensors import Unreadable, all_reasons
from armnn_py.frontends.onnx.stages.cuts import is_computed_between, work_between
from armnn_py.frontends.onnx.text.strings import (
    BODIES_OF_STRINGS,
    check_strings,
    differ_by_run,
    is_given,
    touches_strings,
)

__all__ = ["Failed", "Scope"]

#: Bodies inside each other: functions may call functions.
_DEEPEST = 64
_WORK_OF_A_STRING = 1024


def _listed(results: Any) -> Sequence[Value | None]:
    """Return what a converter gave as a list: of several outputs it is one already."""
    return results if isinstance(results, Sequence) else [results]


class Scope:
    """Names and values of one graph while its nodes are converted.

    Parameters
    ----------
    work
        The conversion.
    path
        Path of the graph in the model; empty for the model's own graph.
    title
        The beginning of names of layers.
    opsets
        Versions of operator sets by domain.
    used
        Names that something reads.
    around
        The scope of the node that the body belongs to.
    formals
        Name in the scope around by name of an input of the body, where it has one.
    attributes
        Of the node that calls a function.
    """

    def __init__(
        self,
        work: Work,
        *,
        path: str,
        title: str,
        opsets: Mapping[str, int],
        used: frozenset[str],
        around: Scope | None = None,
        formals: Mapping[str, str] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.work = work
        self.path = path
        self.title = title
        self.opsets = opsets
        self.used = used
        self.around = around
        self.formals = formals or {}
        self.attributes = attributes or {}
        self.depth: int = 0 if around is None else around.depth + 1
        self.values: dict[str, Any] = {}
        #: Names of weights, and of what is computed from weights alone.
        self.static: set[str] = set()
        self.poisoned: set[str] = set()
        #: Inputs of a function that its caller leaves out.
        self.absent: set[str] = set()

    # ---- Values ----------------------------------------------------------------------------------

    def assign(self, name: str, value: Value | StringInput) -> None:
        """Keep the value of a name."""
        if isinstance(value, TensorList | StringInput):
            self.values[name] = value
            return
        if not isinstance(value, Known) and not all(shape_of(value)):
            # A tensor without elements is known, whatever computes it.
            empty = np.zeros(shape_of(value), dtype_of(value))
            value = Known(empty, None if value.info.quantization is None else value.info)
        if isinstance(value, Known):
            self.work.emit.name_constant(value, self.title + name)
        self.values[name] = value

    def version_of(self, domain: str) -> int:
        """Return the operator set version of a domain."""
        return self.opsets.get(domain, 1)

    def static_name(self, name: str) -> str | None:
        """Return the name of a weight that is unique in the model, or None for another value."""
        if name in self.static:
            return self.path + name
        if self.around is not None and name in self.formals:
            return self.around.static_name(self.formals[name])
        return None

    # ---- Nodes -----------------------------------------------------------------------------------

    def convert(self, nodes: Sequence[Node]) -> None:
        """Convert nodes, each of which comes after what it reads."""
        for node in nodes:
            self.convert_node(node)

    def convert_node(self, node: Node) -> None:
        """Convert one node; what cannot be converted is noted, and its outputs are poisoned."""
        if any(name in self.poisoned for name in node.reads):
            # One of its operands could not be converted, so that only its operator can be checked.
            from armnn_py.frontends.onnx.convert.functions import is_known

            version = self.version_of(node.domain)
            if not is_known(self.work.model, node, version):
                self.work.problems.add_unknown(node)
            self.poisoned.update(filter(None, node.outputs))
            return
        self.keep(node, self.results(node))

    def keep(self, node: Node, results: Sequence[Value | None] | None) -> None:
        """Give the outputs of a node their values; None poisons them."""
        if results is None:
            self.poisoned.update(filter(None, node.outputs))
            return
        for name, value in zip_longest(node.outputs, results[: len(node.outputs)]):
            if name and value is not None:
                self.assign(name, value)
            elif name and name in self.used and name not in self.poisoned:
                self.work.problems.add_node(node, f"output {quoted(name)}")
                self.poisoned.add(name)

    def results(self, node: Node) -> Sequence[Value | None] | None:
        """Convert one node to the values of its outputs, or None where that cannot be."""
        work = self.work
        values: list[Value | None] = []
        unreadable: list[Unreadable] = []
        for name in node.inputs:
            value = self.values[name] if name else None
            if isinstance(value, Unreadable):
                unreadable.append(value)
            else:
                values.append(value)
        if unreadable:
            work.problems.add_node(node, all_reasons(unreadable))
            return None
        version = self.version_of(node.domain)
        node = node.with_attributes(self.attributes)
        work.emit.begin(self.title + node.name)
        if node.op_type != "DequantizeLinear":
            values = [value and plain_levels(work.emit, value) for value in values]
        function = work.model.functions.get(node.function_key)
        entry = None if function else find_operator(node.domain, node.op_type, version)
        view = NodeView(
            node, version, values, work.emit, self.used,
            derived=self._derived_of(node), call=self._caller_of(node),
            may_run_apart=not self.depth and work.may_choose_apart(node, self.values),
            prepared=None if self.depth else work.model.prepared,
        )  # fmt: skip
        try:
            if touches_strings(node, values):
                check_strings(node, function)
                if entry is None and function is None:
                    return work.offer(node, version, values)
                if entry is not None and entry.check is not None:
                    entry.check(view)
                if not work.is_evaluation and (
                    differ_by_run(node, values, self.static) or not self._affords(values)
                ):
                    return self._of_strings(node, values, function)
            if entry is not None and entry.by_definition is not None and entry.by_definition(view):
                entry = None
            if entry is None:
                if function is None and not any(isinstance(v, TensorList) for v in values):
                    from armnn_py.frontends.onnx.convert.functions import find_function

                    function = find_function(node, version, values, self.opsets)
                if function is None:
                    return work.offer(node, version, values)
                return self.call(node, function, values, node.inputs, attributes=node.attributes)
            if entry.check is not None:
                entry.check(view)
            if is_computed_between(node) and not self._affords_between(values):
                raise NotKnown(f"{node.op_type} of this many elements", 0)
            operands, dtype = prepared(work.emit, node.op_type, values)
            results = entry.convert(view if operands is values else view.over(operands))
            if dtype is not None:
                results = restored(work.emit, _listed(results), dtype)
            results = _listed(results)
            if not self.depth and any(map(is_given, results)):
                return self._apart(node, values, "strings of the graph around")
        except Failed:
            return None
        except Unsupported as reason:
            if isinstance(reason, RunsApart):
                is_chosen = isinstance(reason, BetterApart)
                return self._apart(node, values, str(reason), function, is_chosen=is_chosen)
            if isinstance(reason, NotKnown):
                sources = origins(values[reason.index])
                # What is computed between stages needs no plan for each set of values.
                if sources is not None and not is_computed_between(node):
                    work.needed |= sources
                    return None
                return self._cut(node, values, reason)
            return work.offer(node, version, values, str(reason))
        except FAULTS as error:
            raise self._placed(error, node) from error
        return _listed(results)

    def _affords(self, values: Sequence[Value | None]) -> bool:
        """Return whether there is time at import for a node that reads these strings."""
        elements = sum(math.prod(shape_of(value)) for value in values if value is not None)
        return self.work.emit.affordable(_WORK_OF_A_STRING * elements)

    def _affords_between(self, values: Sequence[Value | None]) -> bool:
        """Return whether there is time at import for a node, if it could be computed there."""
        if not all(value is None or isinstance(value, Known) for value in values):
            return True
        return self.work.emit.affordable(work_between(values))

    def _of_strings(
        self, node: Node, values: Sequence[Value | None], function: Body | None
    ) -> Sequence[Value | None] | None:
        """Have a node that reads or makes strings computed between stages.

        Strings that it makes are given to nodes behind it, if their number is known; other outputs
        are poisoned.
        """
        if function is not None or node.op_type in BODIES_OF_STRINGS:
            return self._apart(node, values, "strings", function)
        if self.depth:
            raise RunsApart("strings")
        results: list[Any] = [*self.work.compute_between(node, values)]
        for name, value in zip(node.outputs, results, strict=False):
            if name and value is None:
                self.poisoned.add(name)
        return results

    def _cut(
        self, node: Node, values: Sequence[Value | None], reason: NotKnown
    ) -> Sequence[Value] | None:
        """Have what decides shapes computed before a node; see `Work.cut_before`."""
        if self.depth:
            raise RunsApart(str(reason))
        return self.work.cut_before(node, self.version_of(node.domain), values, reason)

    def _apart(
        self,
        node: Node,
        values: Sequence[Value | None],
        reason: str,
        function: Body | None = None,
        *,
        is_chosen: bool = False,
    ) -> Sequence[Value] | None:
        """Have a node run by itself; see `Work.set_apart`.

        Of nodes inside each other it is the outermost one, whose bodies may be cut in turn.
        """
        if self.depth:
            raise RunsApart(reason)
        return self.work.set_apart(
            node, self.version_of(node.domain), values, reason,
            read=[self.values.get(name) for name in node.reads], function=function,
            is_chosen=is_chosen,
        )  # fmt: skip

    # ---- Bodies ----------------------------------------------------------------------------------

    def call(
        self,
        node: Node,
        body: Body,
        values: Sequence[Value | None],
        names: Sequence[str] = (),
        *,
        turn: str = "",
        attributes: Mapping[str, Any] | None = None,
    ) -> list[Value | None]:
        """Convert a body for these values of its inputs; outputs that it does not make are None.

        Parameters
        ----------
        node
            The node that the body belongs to.
        body
            A graph in an attribute, or a function.
        values
            A value for each input; those that are left out at the end, or None, are absent.
        names
            Names of the values in this scope, where they have one.
        turn
            Tells the turns of a loop apart in names of layers.
        attributes
            Of the call of a function.

        Raises
        ------
        Failed
            Something cannot be converted; it is noted.
        """
        work = self.work
        if len(values) > len(body.inputs):
            raise ParseError(
                f"the call gives {len(values)} inputs, but the function takes {len(body.inputs)}"
            )
        if self.depth >= _DEEPEST:
            raise Unsupported(f"more than {_DEEPEST} functions inside each other")
        work.budget -= len(body.nodes) + 1
        if work.budget < 0:
            raise RunsApart(f"more than {work.model.budget} nodes when loops are written out")
        formals = {formal: name for formal, name in zip(body.inputs, names, strict=False) if name}
        formals |= {name: name for name in body.captures}
        given = None if attributes is None else {**body.defaults, **attributes}
        scope = Scope(
            work,
            path=body.path,
            title=f"{self.title}{node.name}/{turn}",
            opsets=self.opsets if body.opsets is None else body.opsets,
            used=body.used,
            around=self,
            formals=formals,
            attributes=given,
        )
        fill(scope, self, body, values)
        scope.convert([node.without(scope.absent) for node in body.nodes])
        work.emit.begin(self.title + node.name)
        return results_of(scope, body)

    def _caller_of(self, node: Node) -> Any:
        def call(
            body: Body, values: Sequence[Value], names: Sequence[str] = (), turn: str = ""
        ) -> list[Value]:
            found: list[Value] = []
            for name, value in zip(
                body.outputs, self.call(node, body, values, names, turn=turn), strict=True
            ):
                if value is None:
                    raise ParseError(
                        f"the body returns {quoted(name)}, which it neither computes nor reads"
                    )
                found.append(value)
            return found

        return call

    def _derived_of(self, node: Node) -> Any:
        def find(index: int, form: str) -> Any:
            name = self.static_name(node.inputs[index])
            return None if name is None else (self.work.model.derived, (name, form))

        return find

    def _placed(self, error: Exception, node: Node) -> ParseError:
        """Return the error of a node, with the model's path and shapes if it is the outermost."""
        found = of_node(error, node)
        found.path = self.work.model.path
        return found if self.depth else with_inputs(found, self.work.model, self.work.infos)
