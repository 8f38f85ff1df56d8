# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Nodes with bodies that run by themselves between stages: a network is made of each body.

A loop is written out where that can be (`operators.control_flow`). One whose number of turns data
decide, or that has very many, or whose body has to be cut into stages itself, runs turn by turn
instead; of branches the one runs that is chosen. A body may have stages and such nodes in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Unsupported,
    Value,
    as_handed,
    data_type_of,
    dtype_of,
    dtype_of_info,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.file.binding import output_info
from armnn_py.frontends.onnx.file.element_types import is_string, name_of
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.model import OnnxModel, ValueInfo, with_values
from armnn_py.frontends.onnx.file.ordering import live_nodes
from armnn_py.frontends.onnx.stages.cuts import Found, Sizes, common_type
from armnn_py.network import Collected, Network, Stage
from armnn_py.network.control import BodyRun, Branches, CallOnce, Loop, Operands, Scan

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns
    from armnn_py.network import NetworkStorage

_NUMBER, _FLAG = np.dtype(np.int64), np.dtype(np.bool_)


class Converters(Struct, frozen=True):
    """The functions of `conversion`, which imports this module."""

    evaluate: Callable[[OnnxModel, Mapping[str, Array]], dict[str, Array]]
    network_of: Callable[..., Network]


class Surroundings(Struct, frozen=True):
    """The graph of such a node while it is cut."""

    model: OnnxModel
    converters: Converters
    backends: Sequence[RunsStandIns]
    values: Mapping[str, Any]
    """Values by name, of one conversion."""
    known: Callable[[str], Known | None]
    """Returns a value that is the same in all runs."""
    crossing: Mapping[str, ValueInfo]
    """Types and shapes of what one stage hands to another."""
    has_one_shape: bool


class _Made(Struct, frozen=True):
    """A body, and what its outputs were for the values of one conversion."""

    run: BodyRun
    model: OnnxModel
    """Its inputs have the shapes of that conversion."""
    network: Network | None
    """For these shapes; None if there is nothing to compute."""
    outputs: tuple[Found, ...]
    is_steady: bool
    """Whether shapes depend on shapes alone."""


class NodeApart:
    """Such a node.

    Parameters
    ----------
    node
        A Loop, Scan or If, or the call of a function.
    function
        The body or function that it calls.
    around
        Its graph.

    Attributes
    ----------
    outputs
        Type and shape of each output; None is a size that is not known, or an output that its body
        does not have.

    Raises
    ------
    Unsupported
        It cannot run by itself.
    """

    def __init__(self, node: Node, function: Body | None, around: Surroundings) -> None:
        self.node = node
        self.around = around
        self._networks: dict[str, NetworkStorage] = {}
        values: list[Value | None] = [around.values[name] if name else None for name in node.inputs]
        self._values = values
        known = {i: around.known(name) for i, name in enumerate(node.inputs) if name}
        self._known = {index: value for index, value in known.items() if value is not None}
        self._operands = Operands(
            tuple(node.inputs), {index: as_handed(one) for index, one in self._known.items()}
        )
        self.outputs: list[Found | None] = []
        #: Whether all turns of a loop have the shapes of the first one, and one plan.
        self.is_one_plan = False
        if function is not None:
            self._compute: Any = self._call(function)
        else:
            self._compute = _KINDS[node.op_type](self)

    def stage(self, inputs: Sequence[str], wanted: Sequence[str]) -> Stage:
        """Return the node as a stage; ``wanted`` are the outputs that something reads."""
        infos = {name: output_info(self.around.crossing[name]) for name in wanted}
        return Stage(
            tuple(inputs), infos, compute=self._compute, bodies=self._networks,
            name=self.node.name, operator=self.node.operator,
            has_strings=any(
                is_string(self.around.crossing[name].dtype) for name in (*inputs, *wanted)
            ),
        )  # fmt: skip

    # ---- Kinds of nodes --------------------------------------------------------------------------

    def _loop(self) -> Loop:
        states = [value for value in self._values[2:] if value is not None]
        found = [(dtype_of(value), shape_of(value)) for value in states]
        body = _body(self.node, "body")
        made = self._body("body", body, [(_NUMBER, ()), (_FLAG, ()), *found])
        collected = self._turns(
            "body", made, made.outputs[1:], found, body.stated[1:], self._number_of_turns(made.run)
        )
        return Loop(self.node.label, self._operands, self._results(), made.run, collected)

    def _turns(
        self, key: str, made: _Made, outputs: Sequence[Found], states: Sequence[Found],
        stated: Sequence[tuple[int, ...]], turns: int | None, axes: Sequence[int] = (),
        directions: Sequence[int] = (), batch: Sizes = (),
    ) -> tuple[Collected, ...]:  # fmt: skip
        """Make the network of turns that hand on states; return what they collect.

        ``turns`` is their number, None if a run decides it.
        """
        count = len(states)
        for before, after in zip(states, outputs[:count], strict=True):
            if before[0] != after[0] or len(before[1]) != len(after[1]):
                raise Unsupported("a state of another type or rank after a turn")
        stay = all(one == other for one, other in zip(states, outputs[:count], strict=True))
        is_fixed = self.around.has_one_shape and made.is_steady and stay
        self._make(key, made, is_fixed=is_fixed)
        network = made.network
        is_static = network is None or not network.is_dynamic
        self.is_one_plan = made.is_steady and is_static and stay
        outputs = [found if is_fixed else _free(found) for found in outputs]
        self.outputs = [(dtype, (*batch, *sizes)) for dtype, sizes in outputs[:count]]
        collected, names = [], self.node.outputs[count:]
        for index, (dtype, sizes) in enumerate(outputs[count:]):
            name = names[index] if index < len(names) else ""
            axis = normal_axis(axes[index], len(sizes) + 1) if axes else 0
            shape = tuple(0 if size is None else size for size in sizes)
            if not is_fixed and len(stated[count + index]) == len(shape):
                shape = stated[count + index]
            is_backward = bool(directions and directions[index])
            bits = dtype if is_string(dtype) else data_type_of(dtype).numpy
            collected.append(Collected(name, bits, shape, axis, is_backward))
            self.outputs.append((dtype, (*batch, *sizes[:axis], turns, *sizes[axis:])))
        return tuple(collected)

    def _number_of_turns(self, body: BodyRun) -> int | None:
        """Return the number of turns of a Loop, if it is the same in all runs."""
        count, condition = self._known.get(0), self._known.get(1)
        if condition is not None and not condition.array.all():
            return 0
        is_computed = condition is None and len(self._values) > 1 and self._values[1] is not None
        if count is None or count.array.size != 1 or is_computed or body.condition:
            return None
        return max(0, int(count.array.reshape(-1)[0]))

    def _scan(self) -> Scan:
        # For its attributes alone: nothing is emitted.
        view = NodeView(
            self.node, self.around.model.version_of(""), self._values, None, frozenset()  # type: ignore[arg-type]
        )  # fmt: skip
        has_batch = view.version < 9
        values = [value for value in self._values[int(has_batch) :] if value is not None]
        scans = view.integer("num_scan_inputs")
        states, scanned = values[: len(values) - scans], values[len(values) - scans :]
        ranks = [len(shape_of(value)) - int(has_batch) for value in scanned]
        axes = view.ints("scan_input_axes") or [0] * scans
        axes = [normal_axis(axis, rank) for axis, rank in zip(axes, ranks, strict=True)]
        found = [(dtype_of(value), shape_of(value)[int(has_batch) :]) for value in states]
        slices, turns = [], None
        for value, axis in zip(scanned, axes, strict=True):
            shape = shape_of(value)[int(has_batch) :]
            turns = shape[axis]
            slices.append((dtype_of(value), (*shape[:axis], *shape[axis + 1 :])))
        body = _body(self.node, "body")
        made = self._body("body", body, [*found, *slices])
        directions = view.ints("directions" if has_batch else "scan_input_directions")
        collected = self._turns(
            "body", made, made.outputs, found, body.stated, turns,
            view.ints("scan_output_axes") or (), view.ints("scan_output_directions") or (),
            (None,) if has_batch else (),
        )  # fmt: skip
        return Scan(
            self.node.label, self._operands, self._results(), made.run, tuple(axes),
            tuple(directions or [0] * scans), collected, has_batch,
        )  # fmt: skip

    def _if(self) -> Branches:
        branches: dict[str, BodyRun] = {}
        faults: dict[str, ParseError] = {}
        found: list[list[Found]] = []
        known = self._known.get(0)
        for key, attribute in (("then", "then_branch"), ("else", "else_branch")):
            if known is not None and bool(known.array.reshape(-1)[0]) != (key == "then"):
                continue
            try:
                made = self._body(attribute, _body(self.node, attribute), (), key + "_")
                is_fixed = self.around.has_one_shape and made.is_steady
                self._make(attribute, made, is_fixed=is_fixed)
            except ParseError as error:  # of sizes that perhaps no run has
                faults[key] = error.with_traceback(None)
                continue
            branches[key] = made.run
            found.append([one if is_fixed else _free(one) for one in made.outputs])
        if not branches:
            raise next(iter(faults.values()))
        if len({len(ones) for ones in found}) > 1:
            raise ParseError(
                f"the branches have {len(found[0])} and {len(found[1])} outputs, expected as many"
            )
        self.outputs = [common_type(ones) for ones in zip(*found, strict=True)]
        return Branches(self.node.label, self._operands, self._results(), branches, faults)

    def _call(self, function: Body) -> CallOnce:
        absent = [
            name
            for index, name in enumerate(function.inputs)
            if index >= len(self._values) or self._values[index] is None
        ]
        body = function.called(absent, {**function.defaults, **self.node.attributes})
        given = [None if v is None else (dtype_of(v), shape_of(v)) for v in self._values]
        known = {body.inputs[index]: value for index, value in self._known.items()}
        made = self._body("function", body, given, known=known)
        is_fixed = self.around.has_one_shape and made.is_steady
        self._make("function", made, is_fixed=is_fixed)
        types = iter(one if is_fixed else _free(one) for one in made.outputs)
        self.outputs = [next(types) if name else None for name in made.run.outputs]
        return CallOnce(self.node.label, self._operands, self._results(), made.run)

    def _results(self) -> dict[str, int]:
        """Return the places of the results; a body may make more than the node hands on."""
        names = self.node.outputs[: len(self.outputs)]
        return {name: index for index, name in enumerate(names) if name}

    # ---- Bodies ----------------------------------------------------------------------------------

    def _body(
        self,
        key: str,
        body: Body,
        given: Sequence[Found | None],
        title: str = "",
        *,
        known: Mapping[str, Known] | None = None,
    ) -> _Made:
        """Make the model of a body, and convert it for these types and shapes of its inputs."""
        around = self.around
        if not around.model.budget:
            raise Unsupported("bodies or functions inside each other without an end")
        made = {name for node in body.nodes for name in node.outputs}
        wanted = dict.fromkeys(name for name in body.outputs if name in made)
        nodes = live_nodes(body.nodes, list(wanted))
        used = {name for node in nodes for name in node.reads if name} | {*wanted}
        types: dict[str, Found] = {
            name: one for name, one in zip(body.inputs, given, strict=False) if one is not None
        }
        # The value given for an input replaces the body's own value for it.
        constants = {name: one for name, one in body.constants.items() if name not in types}
        for name, one in (known or {}).items():
            constants[name] = one
            del types[name]
        for name in body.captures:
            value = around.known(name)
            if value is not None:
                constants[name] = value
            else:
                types[name] = dtype_of(around.values[name]), shape_of(around.values[name])
        model = OnnxModel(
            name=f"{around.model.name}/{self.node.name}/{key}",
            source_name=around.model.source_name, path=around.model.path,
            metadata=around.model.metadata,
            opsets=around.model.opsets if body.opsets is None else dict(body.opsets),
            nodes=tuple(nodes),
            constants={name: one for name, one in constants.items() if name in used},
            inputs={name: _stated(name, one) for name, one in types.items() if name in used},
            outputs={name: ValueInfo(name, None, "no type", None) for name in wanted},
            functions=around.model.functions, used=frozenset(used),
            depth=around.model.depth + 1, seed=around.model.seed,
            is_tried=around.model.is_tried, trials_left=around.model.trials_left,
            budget=around.model.budget // 2,  # bodies inside each other take no more time than one
            title=f"{around.model.title}{self.node.name}/{title and title.strip('_') + '/'}",
        )  # fmt: skip
        # One conversion, used as it is where sizes stay: bodies may lie deep inside each other.
        network = around.converters.network_of(model, None, around.backends) if wanted else None
        infos = {} if network is None else network.outputs
        found: list[Found] = []
        others: dict[str, Any] = {}
        # A function may hand on an input that its caller leaves out.
        there = {*wanted, *types, *constants}
        outputs = tuple(name if name in there else "" for name in body.outputs)
        for name in filter(None, outputs):
            if name in wanted:
                info = infos.get(name)
                if info is None:
                    raise Unsupported("a body that makes sequences")
                found.append((dtype_of_info(info), tuple(info.shape)))
            elif name in types:
                found.append(types[name])
            else:
                constant = constants[name]
                if not isinstance(constant, Known):
                    raise Unsupported(constant.reason)
                others[name] = as_handed(constant)
                found.append((constant.dtype, constant.shape))
        run = BodyRun(
            key=key, inputs=body.inputs, reads=tuple(model.inputs), outputs=outputs,
            made=tuple(wanted), constants=others,
        )  # fmt: skip
        return _Made(run, model, network, tuple(found), not (network and network.value_inputs))

    def _make(self, key: str, made: _Made, *, is_fixed: bool) -> None:
        """Keep the network of a body, with free sizes unless it has one shape."""
        model, network = made.model, made.network
        if network is None:
            return
        if not is_fixed:
            types = dict(zip(filter(None, made.run.outputs), made.outputs, strict=True))
            inputs = {name: self._freed(info) for name, info in model.inputs.items()}
            outputs = {name: _stated(name, _free(types[name])) for name in model.outputs}
            freed = with_values(model, inputs, outputs)
            network = self.around.converters.network_of(freed, None, self.around.backends)
        self._networks[key] = network

    def _freed(self, info: ValueInfo) -> ValueInfo:
        """Return an input with free sizes; values around the node have those that are known."""
        crossing = self.around.crossing.get(info.name)
        if crossing is not None and info.name in self.node.captures:
            return crossing
        assert info.dtype is not None
        assert info.dims is not None
        return _stated(info.name, (info.dtype, (None,) * len(info.dims)))


_KINDS: dict[str, Callable[[NodeApart], Any]] = {
    "If": NodeApart._if,
    "Loop": NodeApart._loop,
    "Scan": NodeApart._scan,
}


def _body(node: Node, attribute: str) -> Body:
    body = node.attributes.get(attribute)
    if not isinstance(body, Body):  # of branches, the converter looks at the one that is chosen
        raise ParseError(f"attribute {quoted(attribute)} is not a graph")
    return body


def _free(found: Found) -> Found:
    dtype, sizes = found
    return dtype, (None,) * len(sizes)


def _stated(name: str, found: Found) -> ValueInfo:
    dtype, sizes = found
    return ValueInfo(name, dtype, name_of(dtype), sizes)
