# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The network of a model: converted at once, or anew for each set of shapes and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.errors import (
    InputValuesNeededError,
    ModelError,
    ParseError,
    StagesNeededError,
    UnsupportedOperatorError,
)
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Unsupported
from armnn_py.frontends.tflite.binding import Entry, Shapes, input_infos, with_outputs
from armnn_py.frontends.tflite.conversion import convert
from armnn_py.frontends.tflite.model import TfliteModel
from armnn_py.frontends.tflite.problems import TfliteProblems
from armnn_py.frontends.tflite.table import operator_names
from armnn_py.frontends.tflite.tensors import tensor_info
from armnn_py.network import Network
from armnn_py.network.conversions import Trial, stand_in_shapes
from armnn_py.network.stages import walk_stages
from armnn_py.tensors import TensorInfo, format_shape

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns

_TRIED = (16, 256, 4096, 65536)
"""Sizes of free dimensions behind the first, where those that the file states do not suit it."""


def network_of(
    model: TfliteModel,
    entry: Entry,
    shapes: Shapes | None = None,
    backends: Sequence[RunsStandIns] = (),
    *,
    frees_outputs: bool = False,
) -> Network:
    """Return the network of a sub-graph; one that converts per shape if dimensions stay free.

    ``frees_outputs``: outputs of a network with free dimensions have no size that is known.
    """
    _check_inputs(model, entry, backends)
    infos = input_infos(model, entry, shapes)
    needed: tuple[str, ...] = ()
    # Built once for the shapes in the file: it finds what is unsupported, and has the outputs.
    stated = input_infos(model, entry)
    is_static = all(info.is_static for info in infos.values())
    first: Network | None = None
    try:
        first = convert(
            model, entry, infos if is_static else stated, backends,
            network_of=network_of, has_one_shape=is_static,
        )  # fmt: skip
    except InputValuesNeededError as error:
        needed = error.names
    except StagesNeededError as error:
        return _in_stages(model, entry, infos, backends, error, is_static=is_static)
    except UnsupportedOperatorError:
        raise
    except ParseError as error:
        # Files state 1 for a free size, which may be too small for a window.
        if not _has_free_sizes(model, entry) or (is_static and shapes):
            raise
        free = input_infos(model, entry, {n: (None,) * len(i.shape) for n, i in stated.items()})
        first = _at_larger_sizes(model, entry, free, backends)
        if first is None and not shapes:
            raise _without_a_size(error, infos) from error
        infos, is_static = (infos if shapes else free), False
    if first is None or not is_static:
        trial = None if first is None else Trial(first, shapes=[*stand_in_shapes(infos)])
        first = Network.from_builder(
            model.name,
            infos,
            Builder(model, entry, backends, trial),
            _outputs(model, entry, None if first is None else first.outputs, frees_outputs),
            None if first is None else first.variables,
            value_inputs=needed,
        )
    first.metadata = model.metadata
    return first


def with_loops(
    model: TfliteModel, entry: Entry, shapes: Shapes | None, backends: Sequence[RunsStandIns]
) -> Network | None:
    """Return the network with loops of many layers kept; None if they are better written out.

    The native executor runs the turns of bodies whose shapes are fixed.
    """
    if not any(op.name == "WHILE" for graph in model.graphs for op in graph.operators):
        return None
    try:
        made = network_of(structs.replace(model, keeps_loops=True), entry, shapes, backends)
    except ModelError:  # the turns of a loop may all work, but not its body by itself
        return None
    loops = [stage for _, stage, _ in walk_stages(made) if stage.operator == "WHILE"]
    if made.is_dynamic and not loops:
        return None
    is_fixed = not any(body.is_dynamic for loop in loops for body in loop.bodies.values())
    return made if is_fixed else None


def _has_free_sizes(model: TfliteModel, entry: Entry) -> bool:
    """Return whether the file says of an input that a size is free."""
    tensors = model.graphs[entry.graph].tensors
    return any(size < 0 for place in entry.inputs.values() for size in tensors[place].signature)


def _at_larger_sizes(
    model: TfliteModel,
    entry: Entry,
    free: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns],
) -> Network | None:
    """Convert a model for the first of some sizes that suit it; None if none does."""
    for size in _TRIED:
        infos = {
            name: info.with_shape(
                [
                    (size if axis or len(info.shape) == 1 else 1) if dim is None else dim
                    for axis, dim in enumerate(info.shape)
                ]
            )
            for name, info in free.items()
        }
        try:
            return convert(model, entry, infos, backends, network_of=network_of)
        except (UnsupportedOperatorError, InputValuesNeededError, StagesNeededError):
            raise
        except ParseError:
            continue
    return None


def _without_a_size(error: ParseError, infos: Mapping[str, TensorInfo]) -> ParseError:
    example = ", ".join(f"{name!r}: {format_shape(info.shape)}" for name, info in infos.items())
    return ParseError(
        error.message,
        path=error.path,
        node=error.node,
        details=error.details,
        hints=[*error.hints, f"shapes= states other sizes than those of the file: {example}"],
    )


def _check_inputs(model: TfliteModel, entry: Entry, backends: Sequence[RunsStandIns]) -> None:
    """Raise one error for all inputs that no tensor can hold.

    It also names operators without a converter, unless backends may run them.
    """
    graph, foreign = model.graphs[entry.graph], []
    for name, place in entry.inputs.items():
        try:
            tensor_info(graph.tensors[place])
        except Unsupported as reason:
            foreign.append(f"input {quoted(name)}: {reason}")
    if not foreign:
        return
    others: Sequence[str] = ()
    hints: Sequence[str] = ()
    problems, known = TfliteProblems(model, graph), {*operator_names()}
    for op in graph.operators if not backends else ():
        if op.label not in known:
            problems.add_unknown(op)
    try:
        problems.raise_if_any()
    except UnsupportedOperatorError as found:
        others, hints = found.details, found.hints
    raise ParseError(foreign[0], path=model.path, details=[*foreign[1:], *others], hints=hints)


def _in_stages(
    model: TfliteModel,
    entry: Entry,
    infos: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns],
    found: StagesNeededError,
    *,
    is_static: bool,
) -> Network:
    """Return the network whose stages are known, or are made anew for each set of shapes."""
    outputs = {name: found.outputs[name] for name in entry.outputs}
    if not is_static:
        outputs = _outputs(model, entry, outputs, frees=True)
    made = Network.from_builder(
        model.name, infos, Builder(model, entry, backends), outputs,
        stages=found.stages if is_static else (),
    )  # fmt: skip
    made.metadata = model.metadata
    return made


def _outputs(
    model: TfliteModel, entry: Entry, first: Mapping[str, TensorInfo] | None, frees: bool
) -> dict[str, TensorInfo]:
    """Return the outputs of a network that is converted per shape, as far as they are known."""
    outputs = {}
    for name, place in entry.outputs.items():
        tensor = model.graphs[entry.graph].tensors[place]
        try:
            info = tensor_info(tensor) if first is None else first[name]
        except Unsupported as reason:
            raise ParseError(f"output {quoted(name)}: {reason}", path=model.path) from None
        dims: list[int | None] = [*info.shape]
        if frees:
            dims = [None] * len(dims)
        elif len(tensor.signature) == info.rank:
            dims = [None if s < 0 else d for s, d in zip(tensor.signature, dims, strict=True)]
        outputs[name] = TensorInfo(dims, info.data_type, info.quantization)
    return outputs


class Builder:
    """Converts a model for given inputs; picklable, and shares weights between its results."""

    def __init__(
        self,
        model: TfliteModel,
        entry: Entry,
        backends: Sequence[RunsStandIns] = (),
        trial: Trial | None = None,
    ) -> None:
        self.model = model
        self.entry = entry
        self.backends = backends
        if trial is not None:
            self.trial = trial

    def __getstate__(self) -> tuple[TfliteModel, Entry]:
        return self.model, self.entry  # backends are objects of this process

    def __setstate__(self, state: tuple[TfliteModel, Entry]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __call__(
        self, infos: Mapping[str, TensorInfo], values: Mapping[str, Array] | None = None
    ) -> Network:
        """Return the network for static input infos, and values where they decide shapes."""
        shapes = {name: info.shape for name, info in infos.items()}
        bound = input_infos(self.model, self.entry, shapes)
        return convert(self.model, self.entry, bound, self.backends, values, network_of=network_of)

    def with_outputs(self, names: Sequence[str], infos: Mapping[str, TensorInfo]) -> Network:
        """Return the network with tensors inside as further outputs.

        Raises
        ------
        UnknownNameError
            The model has no tensor of a name.
        InvalidArgumentError
            A tensor is an output already.
        """
        entry = with_outputs(self.model, self.entry, names)
        shapes = {name: info.shape for name, info in infos.items()}
        return network_of(self.model, entry, shapes, self.backends)

    def written_out(self, infos: Mapping[str, TensorInfo]) -> Network | None:
        """Return the network with turns of loops as layers; None: it is that already."""
        if not self.model.keeps_loops:
            return None
        model = structs.replace(self.model, keeps_loops=False)
        shapes = {name: info.shape for name, info in infos.items()}
        return network_of(model, self.entry, shapes, self.backends)

    def __repr__(self) -> str:
        return f"<Builder of {self.model.source_name!r}>"
