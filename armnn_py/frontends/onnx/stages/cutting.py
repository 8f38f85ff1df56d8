# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cutting a graph into stages, where data that the network computes decide shapes.

Operators before such a place are the first stage. Operators that decide how many elements
there are (`cuts`) are computed on arrays between the stages, by the converters that compute them
from weights as well, and so are loops and branches that run by themselves (`apart`). All that
depends on them is the last stage, which may be cut again. Each stage is a model with nodes of the
whole one; the models share weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ArmnnError, ParseError, UnsupportedOperatorError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Known, Unsupported, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.bodies import WriteOut
from armnn_py.frontends.onnx.convert.faults import named
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.file.binding import output_info
from armnn_py.frontends.onnx.file.element_types import name_of
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.frontends.onnx.file.model import OnnxModel, ValueInfo
from armnn_py.frontends.onnx.file.ordering import live_nodes
from armnn_py.frontends.onnx.file.tensors import Unreadable
from armnn_py.frontends.onnx.stages.apart import Converters, NodeApart, Surroundings
from armnn_py.frontends.onnx.stages.cuts import choice_of, is_computed_between, outputs_between
from armnn_py.frontends.onnx.text.strings import is_of_strings
from armnn_py.network import Stage, stages_needed
from armnn_py.tensors import StringInfo
from armnn_py.text import first_of

if TYPE_CHECKING:
    import numpy as np

    from armnn_py.frontends.onnx.convert.scope import Scope
    from armnn_py.network import RunBody
    from armnn_py.tensors import TensorInfo

#: Stages one behind another: each is converted, loaded and run inside of the one before.
_DEEPEST = 64


def split(
    scope: Scope,
    given: Mapping[str, Array],
    *,
    has_one_shape: bool,
    converters: Converters,
) -> ArmnnError:
    """Return the error that has the stages of a model.

    Parameters
    ----------
    scope
        The whole graph, converted as far as it could be; its ``work`` has the places of the cuts.
    given
        Values of inputs that it was converted with.
    has_one_shape
        Whether the inputs never have other shapes than in this conversion.
    converters
        Functions of `conversion`.
    """
    return _Cutting(scope, given, has_one_shape, converters).run()


def _on_arrays(
    function: Callable[..., dict[str, Array]],
    given: Any,
    arrays: Mapping[str, Array],
    run: RunBody,
) -> dict[str, Array]:
    """Compute a stage that runs no body, by a function of what is given and of arrays."""
    return function(given, arrays)


def _handed_on(known: dict[str, Array], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return what is given, and strings that are known; no array is that of the model."""
    return {**arrays, **{name: array.copy() for name, array in known.items()}}


class _Cutting:
    def __init__(
        self,
        scope: Scope,
        given: Mapping[str, Array],
        has_one_shape: bool,
        converters: Converters,
    ) -> None:
        self.scope = scope
        self.model = scope.work.model
        self.cuts = scope.work.cuts
        self.has_one_shape = has_one_shape
        #: Whether a value that is known in this conversion is the same in all others.
        self.is_fixed = has_one_shape and not given
        self.converters = converters
        #: Type and shape of each value that crosses a cut.
        self.crossing: dict[str, ValueInfo] = dict(self.model.inputs)
        self.apart: dict[int, NodeApart] = {}
        if has_one_shape:
            for name, info in scope.work.infos.items():
                stated = self.model.inputs[name]
                self.crossing[name] = ValueInfo(
                    name, stated.dtype, stated.type_name, info.static_shape
                )

    def run(self) -> ArmnnError:
        model, poisoned = self.model, self.scope.poisoned
        if model.depth > _DEEPEST:
            for node in self.cuts:
                self.scope.work.problems.add_node(node, f"more than {_DEEPEST} stages before it")
            self.scope.work.problems.raise_if_any()
            raise ParseError(
                f"the model needs more than {_DEEPEST} stages one behind another", path=model.path
            )
        between = [node for node in self.cuts if self._is_between(node)]
        is_between = {node.index for node in between}
        before: list[Node] = []
        behind: list[Node] = []
        for node in model.nodes:
            if node.index not in is_between:
                is_behind = any(name in poisoned for name in node.outputs)
                (behind if is_behind else before).append(node)
        made_between = [name for node in between for name in node.outputs if name in model.used]
        made_behind = {name for node in behind for name in node.outputs}

        read = {name for node in (*between, *behind) for name in node.reads if name}
        known = {name for name in read if self._known(name) is not None}
        crossing = {
            name
            for name in read - known - made_behind - set(made_between)
            if name not in model.constants
        }
        for name in sorted(crossing - set(self.crossing)):
            value = self.scope.values[name]
            if isinstance(value, TensorList | Unreadable):
                self._refuse(name)
                continue
            self._cross(name, dtype_of(value), shape_of(value))
        for node in between:
            self._cross_between(node)
        self.scope.work.problems.raise_if_any()

        first = [
            *(crossing - set(model.inputs)),
            *(name for name in model.outputs if name not in {*made_between, *made_behind}),
        ]
        stages: list[Stage] = []
        strings = [name for name in first if is_of_strings(self.scope.values[name])]
        if strings:
            stages.append(self._handed_on(strings))
            first = [name for name in first if name not in strings]
        if first:
            stages.append(self._network(before, set(model.inputs), first))
        stages += [self._between(node) for node in between]
        last = [name for name in model.outputs if name in made_behind]
        if last:
            stages.append(self._network(behind, crossing | set(made_between), last))
        labels = first_of((node.label for node in self.cuts), 5)
        return stages_needed(model.name, stages, labels)

    def _is_between(self, node: Node) -> bool:
        work = self.scope.work
        return is_computed_between(node) or node.index in work.apart or node.index in work.strings

    def _refuse(self, name: str) -> None:
        """Raise the error for a value that no stage can hand on."""
        problems = self.scope.work.problems
        for node in self.cuts:
            reason = f"operands computed at run time, where {quoted(name)} is not a tensor"
            problems.add_node(node, reason)
        problems.raise_if_any()

    # ---- Values ----------------------------------------------------------------------------------

    def _known(self, name: str) -> Known | None:
        """Return a value that is the same in all runs and that stages need not hand on."""
        value = self.scope.values.get(name)
        if not isinstance(value, Known):
            return None
        return value if self.is_fixed or name in self.scope.static else None

    def _cross(self, name: str, dtype: np.dtype[Any], shape: Sequence[int | None]) -> None:
        """Note a value that one stage hands to another."""
        dims = tuple(shape) if self.has_one_shape else (None,) * len(shape)
        self.crossing[name] = ValueInfo(name, dtype, name_of(dtype), dims)

    def _cross_between(self, node: Node) -> None:
        work = self.scope.work
        if node.index in work.apart:
            around = Surroundings(
                model=self.model, converters=self.converters, backends=work.backends,
                values=self.scope.values, known=self._known, crossing=self.crossing,
                has_one_shape=self.has_one_shape,
            )  # fmt: skip
            is_chosen = node.index in work.chosen_apart
            try:
                self.apart[node.index] = made = NodeApart(node, work.apart[node.index], around)
                if is_chosen and not made.is_one_plan:
                    raise WriteOut(node.index)
            except (ArmnnError, Unsupported) as error:
                if is_chosen:
                    raise WriteOut(node.index) from error
                self._note_fault(node, error)
                return
            found = self.apart[node.index].outputs
        elif node.index in work.strings:
            found = [*work.strings[node.index]]
        else:
            values: list[Any] = [self.scope.values[name] if name else None for name in node.inputs]
            found = [*outputs_between(node, values)]
        for name, one in zip_longest(node.outputs, found[: len(node.outputs)]):
            if not name:  # never read: an absent operand has that name
                continue
            if one is not None:
                self._check_type(name, one[0])
                self._cross(name, *one)
            elif name in self.model.used:
                work.problems.add_node(node, f"output {quoted(name)}")

    def _note_fault(self, node: Node, error: Exception) -> None:
        """Note why a node cannot run by itself; others may follow, and all are in one error."""
        problems = self.scope.work.problems
        if isinstance(error, Unsupported):
            problems.add_node(node, str(error))
        elif isinstance(error, UnsupportedOperatorError):
            problems.add_all(error)
        elif isinstance(error, ParseError):
            raise named(error, node) from error
        else:
            raise error

    def _check_type(self, name: str, dtype: np.dtype[Any]) -> None:
        """Raise if the file states another type of an output than a node makes."""
        stated = self.model.outputs.get(name)
        if stated is not None and stated.dtype is not None and stated.dtype != dtype:
            raise ParseError(
                f"output {quoted(name)} is {name_of(dtype)}, but the file says {stated.type_name}",
                path=self.model.path,
            )

    # ---- Stages ----------------------------------------------------------------------------------

    def _part(
        self, nodes: Sequence[Node], given: Iterable[str], outputs: Sequence[str]
    ) -> OnnxModel:
        """Return a model of some of the nodes; ``given`` are the values that it may read."""
        model = self.model
        nodes = live_nodes(nodes, outputs)
        used = {name for node in nodes for name in node.reads if name} | {*outputs}
        constants = {name: one for name, one in model.constants.items() if name in used}
        made = {name for node in nodes for name in node.outputs}
        for name in used - made - set(constants):
            value = self._known(name)
            if value is not None:
                constants[name] = value
        return OnnxModel(
            name=model.name, source_name=model.source_name, path=model.path,
            metadata=model.metadata, opsets=model.opsets, nodes=tuple(nodes), constants=constants,
            inputs={
                name: self.crossing[name]
                for name in self.crossing
                if name in given and name in used - made and name not in constants
            },
            outputs={name: model.outputs.get(name) or self.crossing[name] for name in outputs},
            functions=model.functions, used=frozenset(used), derived=model.derived,
            dense=model.dense, title=model.title, budget=model.budget, depth=model.depth + 1,
            seed=model.seed, is_tried=model.is_tried, trials_left=model.trials_left,
            keeps_loops=model.keeps_loops, written_out=model.written_out,
        )  # fmt: skip

    def _network(self, nodes: Sequence[Node], given: set[str], outputs: Sequence[str]) -> Stage:
        part = self._part(nodes, given, outputs)
        network = self.converters.network_of(part, None, self.scope.work.backends)
        return Stage(tuple(part.inputs), dict(network.outputs), network=network)

    def _handed_on(self, names: Sequence[str]) -> Stage:
        """Return the stage of outputs that are strings of the model's file, or of an input."""
        values = {name: self.scope.values[name] for name in names}
        known = {name: one.array for name, one in values.items() if isinstance(one, Known)}
        infos: dict[str, TensorInfo] = {
            name: StringInfo(array.shape) for name, array in known.items()
        }
        for name in set(names) - set(known):
            infos[name] = StringInfo(output_info(self.crossing[name]).shape)
        given = tuple(name for name in names if name not in known)
        compute = partial(_on_arrays, _handed_on, known)
        return Stage(given, infos, compute=compute, operator="Identity", has_strings=True)

    def _between(self, node: Node) -> Stage:
        wanted = [name for name in node.outputs if name and name in self.model.used]
        apart = self.apart.get(node.index)
        if apart is not None:
            read = {name for name in node.reads if name in self.crossing}
            return apart.stage([n for n in sorted(read) if self._known(n) is None], wanted)
        infos = {name: output_info(self.crossing[name]) for name in wanted}
        has_strings = node.index in self.scope.work.strings
        if not has_strings:
            x: Any = self.scope.values[node.inputs[0]]
            known = enumerate(map(self._known, node.inputs))
            constants = {index: one for index, one in known if one is not None}
            results = {name: node.outputs.index(name) for name in wanted}
            choice = choice_of(node, x, constants, results)
            if choice is not None:
                return Stage(
                    choice.operands.read, infos, compute=choice, name=node.name,
                    operator=node.operator,
                )  # fmt: skip
        part = self._part([node], set(self.crossing), wanted)
        compute = partial(_on_arrays, self.converters.evaluate, part)
        return Stage(
            tuple(part.inputs), infos, compute=compute, name=node.name, operator=node.operator,
            has_strings=has_strings,
        )  # fmt: skip
