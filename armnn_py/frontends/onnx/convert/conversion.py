# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From an `OnnxModel` and the shapes of its inputs to a `Network`."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.errors import (
    InputValuesNeededError,
    ParseError,
    StagesNeededError,
)
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.emit.randomness import RANDOM_STATE, RANDOM_STATE_INFO
from armnn_py.frontends.common.known import known_numbers, stored, stored_once
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.tensor_names import places_of
from armnn_py.frontends.common.values import (
    Array,
    Known,
    StringInput,
    Unsupported,
    Value,
    as_handed,
    data_type_of,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.bodies import WriteOut
from armnn_py.frontends.onnx.convert.problems import check_inputs, check_operators
from armnn_py.frontends.onnx.convert.scope import Scope
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.convert.table import NEWEST_VERSION
from armnn_py.frontends.onnx.convert.trial import Tried, try_out
from armnn_py.frontends.onnx.convert.work import Work
from armnn_py.frontends.onnx.file.binding import (
    input_infos,
    optional_values,
    output_info,
    states,
)
from armnn_py.frontends.onnx.file.element_types import name_of
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.frontends.onnx.file.model import (
    OnnxModel,
    ValueInfo,
    weight_bytes,
    with_inputs,
    with_outputs,
    with_ranks,
)
from armnn_py.frontends.onnx.file.small_types import unpacked
from armnn_py.frontends.onnx.file.tensors import Unreadable
from armnn_py.frontends.onnx.text.strings import is_of_strings
from armnn_py.network import ModelMetadata, Network
from armnn_py.tensors import StringInfo, TensorInfo

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns
    from armnn_py.network.conversions import Trial

_logger = logging.getLogger(__name__)


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
    if isinstance(shapes, Mapping):
        model = with_inputs(model, shapes)
    check_inputs(model, backends)
    infos = input_infos(model, shapes)
    needed: tuple[str, ...] = ()
    if all(info.is_static for info in infos.values()):
        try:
            network = convert(model, infos, backends, has_one_shape=True)
        except InputValuesNeededError as error:
            needed = error.names
        except StagesNeededError as error:
            outputs = {name: error.outputs[name] for name in model.outputs}
            network = Network.from_builder(
                model.name, infos, Builder(model, backends), outputs,
                variables=_variables(model), stages=error.stages,
            )  # fmt: skip
            network.metadata = _metadata(model, infos)
            return network
        else:
            network.metadata = _metadata(model, infos)
            return network
    else:
        check_operators(model, backends)
    tried = Tried({}, [], None)
    if not model.is_tried or any(info.dims is None for info in model.outputs.values()):
        tried = try_out(model, infos, backends, convert)
    ranked = tried.outputs
    outputs = {
        name: ranked.get(name) or output_info(info, needed, tried.reasons, model.depth)
        for name, info in model.outputs.items()
    }
    model = structs.replace(with_ranks(model, ranked), is_tried=True)
    builder = Builder(model, backends, tried.trial)
    network = Network.from_builder(
        model.name, infos, builder, outputs, variables=_variables(model), value_inputs=needed
    )
    network.metadata = _metadata(model, infos)
    return network


def _metadata(model: OnnxModel, infos: Mapping[str, TensorInfo]) -> ModelMetadata:
    """Return the metadata of a model, with the values of inputs that a run may leave out."""
    defaults = optional_values(model, infos)
    return dataclasses.replace(model.metadata, defaults=defaults) if defaults else model.metadata


def _variables(model: OnnxModel) -> dict[str, TensorInfo]:
    return {RANDOM_STATE: RANDOM_STATE_INFO} if model.has_random_state else {}


class Builder:
    """Converts a model for given inputs; picklable, and shares weights between its results."""

    #: Sizes of inputs may be symbolic.
    traces = True

    def __init__(
        self,
        model: OnnxModel,
        backends: Sequence[RunsStandIns] = (),
        trial: Trial | None = None,
    ) -> None:
        self.model = model
        self.backends = backends
        if trial is not None:
            self.trial = trial

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

    def with_outputs(self, names: Sequence[str], infos: Mapping[str, TensorInfo]) -> Network:
        """Return the network with tensors inside as further outputs.

        Raises
        ------
        UnknownNameError
            The model has no tensor of a name.
        InvalidArgumentError
            A tensor is an output already.
        """
        model = with_outputs(self.model, names)
        return network_of(model, {name: info.shape for name, info in infos.items()}, self.backends)

    def written_out(self, infos: Mapping[str, TensorInfo]) -> Network | None:
        """Return the network with the turns of all loops as layers; None: it is that already.

        Raises
        ------
        ModelError
            As of an import.
        """
        if not self.model.keeps_loops:
            return None
        model = structs.replace(self.model, keeps_loops=False)
        return network_of(model, {name: info.shape for name, info in infos.items()}, self.backends)

    def __repr__(self) -> str:
        return f"<Builder of {self.model.source_name!r}>"


def convert(
    model: OnnxModel,
    infos: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns] = (),
    values: Mapping[str, Array] | None = None,
    *,
    has_one_shape: bool = False,
) -> Network:
    """Convert a model for static input infos.

    ``backends`` are offered the operators without a layer. ``values`` are those of
    inputs; the network has these inputs, and no layer reads them. ``has_one_shape``: its inputs
    never have other shapes, so that stages may rely on these.

    Raises
    ------
    InputValuesNeededError
        Values of further inputs decide shapes.
    StagesNeededError
        Values that the network computes from data decide shapes.
    UnsupportedOperatorError
        Operators have no counterpart; all of them are listed.
    ParseError
        A node contradicts itself or these shapes.
    """
    while True:
        conversion = _Conversion(model, infos, backends, values or {})
        try:
            return conversion.run(has_one_shape=has_one_shape)
        except WriteOut as reason:
            model.written_out.add(reason.index)


def evaluate(model: OnnxModel, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Compute a model whose outputs are known where its inputs are, without a network.

    Parameters
    ----------
    model
        Of operators that numpy computes.
    arrays
        One for each input, as stages hand them on.

    Raises
    ------
    ParseError
        A node contradicts itself, or these arrays.
    """
    return _Evaluation(model, arrays).outputs()


class _Conversion(Scope):
    """Conversion of the graph of a model, which keeps what depends on weights alone."""

    def __init__(
        self,
        model: OnnxModel,
        infos: Mapping[str, TensorInfo],
        backends: Sequence[RunsStandIns],
        given: Mapping[str, Array],
    ) -> None:
        self.network = Network(model.name)
        self.static_names: dict[Known, str] = {}
        # Not a method: that would be a cycle, which keeps weights until it is collected.
        dense_of = functools.partial(_dense_of, model, self.static_names)
        emit = Emitter(self.network, dense_of, weight_bytes(model))
        super().__init__(
            Work(model, infos, backends, emit),
            path="",
            title=model.title,
            opsets=model.opsets,
            used=model.used,
        )
        self.model = model
        self.given = given
        #: Whether a run gives strings, so that there are stages whatever reads them.
        self._has_strings = False
        self.values.update(model.constants)
        self.static.update(model.constants)

    def run(self, *, has_one_shape: bool) -> Network:
        """Return the network; see `convert`."""
        emit = self.work.emit
        for name, info in self.work.infos.items():
            check_size(info.static_shape, info.dtype)
            emit.reserve(name)
            if isinstance(info, StringInfo):
                self._has_strings = True
                self.assign(name, StringInput(info))
                continue
            read: Value = self.network.add_input(name, info).outputs[0]
            given = self.given.get(name)
            if given is not None:  # some may be symbolic sizes
                read = known_numbers(given, info.dtype) if given.dtype == object else Known(given)
            self.assign(name, _as_stated(emit, self.model.inputs[name], read))
        for name in self.model.outputs:
            emit.reserve(name)
        if self.model.has_random_state:
            emit.reserve(RANDOM_STATE)
            emit.begin(RANDOM_STATE)
            emit.random_state(self.model.seed)
        for name, constant in self.model.constants.items():
            if isinstance(constant, Known):
                emit.name_constant(constant, name)
                self.static_names[constant] = name
        self.convert(self.model.nodes)
        self.work.problems.raise_if_any()
        if self.work.needed:
            raise InputValuesNeededError(
                f"'{self.model.source_name}': values of inputs decide shapes",
                names=[name for name in self.work.infos if name in self.work.needed],
            )
        if self.work.cuts or self._has_strings or any(map(self._is_string, self.model.outputs)):
            # late: few models need it
            from armnn_py.frontends.onnx.stages.apart import Converters
            from armnn_py.frontends.onnx.stages.cutting import split

            converters = Converters(evaluate, network_of)
            raise split(self, self.given, has_one_shape=has_one_shape, converters=converters)
        self._forget()
        for name in self.model.outputs:
            value = self.values[name]
            if isinstance(value, Unreadable):
                raise ParseError(f"output {quoted(name)}: {value.reason}")
            emit.begin(name)
            if isinstance(value, TensorList):
                for index, item in enumerate(value.items):
                    self._add_output(f"{name}[{index}]", item)
                continue
            self._check_type(name, value)
            self._add_output(name, value)
        self.network._tensor_names = places_of(emit, self._named())
        return self.network

    def _is_string(self, name: str) -> bool:
        value = self.values.get(name)
        return value is not None and is_of_strings(value)

    def _named(self) -> Iterator[tuple[str, object]]:
        """Yield each name of the graph with its tensor, or with the reason why it is missing."""
        values = self.values
        for name, value in values.items():
            if isinstance(value, Unreadable):
                yield name, f"cannot be read: {value.reason}"
            elif isinstance(value, TensorList):
                yield name, "is a sequence, not one tensor"
            else:
                yield name, value
        for node in self.model.nodes:
            for name in node.outputs:
                if name and name not in values:
                    yield name, f"is inside of what became of {node.label}: no layer makes it"

    def _add_output(self, name: str, value: Value) -> None:
        emit = self.work.emit
        try:
            self.network.add_output(name, emit.slot(unpacked(emit, value)))
        except Unsupported as reason:
            raise ParseError(f"output {quoted(name)}: {reason}") from None

    def convert_node(self, node: Node) -> None:
        """Convert one node, or take what an earlier conversion made of weights."""
        is_static = all(not name or name in self.static for name in node.reads)
        if not is_static:
            super().convert_node(node)
            return
        results: Sequence[Value | None] | None = self.model.folded.get(node.index)
        if results is None:
            results = self.results(node)
            if results is not None:
                results = self._keep(node, results)
        elif not results:  # dropped by _forget: all its readers are folded, too
            self.static.update(filter(None, node.outputs))
            return
        self.keep(node, results)
        for name, value in zip(node.outputs, results or (), strict=False):
            if name and isinstance(value, Known):
                self.static.add(name)
                self.static_names[value] = name

    def _check_type(self, name: str, value: Value) -> None:
        stated = self.model.outputs[name]
        if stated.dtype is not None and stated.dtype != dtype_of(value):
            raise ParseError(
                f"output {quoted(name)} is {name_of(dtype_of(value))}, "
                f"but the file says {stated.type_name}",
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

    def _keep(self, node: Node, results: Sequence[Value | None]) -> Sequence[Value | None]:
        """Keep the results of a node that depends on weights alone, for the next conversion."""
        kept: list[Known] = []
        for value in results:
            if not isinstance(value, Known):
                return results
            value.freeze()
            kept.append(value)
        self.model.folded[node.index] = tuple(kept)
        return kept

    def _forget(self) -> None:
        """Drop kept results that only other nodes with kept results read."""
        folded = self.model.folded
        read = {n for node in self.model.nodes if node.index not in folded for n in node.reads}
        needed = read | set(self.model.outputs)
        for node in self.model.nodes:
            if node.index in folded and needed.isdisjoint(node.outputs):
                folded[node.index] = ()


class _Evaluation(Scope):
    """Computation of a model for arrays of its inputs; see `evaluate`."""

    def __init__(self, model: OnnxModel, arrays: Mapping[str, Array]) -> None:
        emit = Emitter(Network(model.name), weights=weight_bytes(model))
        emit.unlimited()
        work = Work(model, {}, (), emit)
        work.is_evaluation = True
        super().__init__(work, path="", title=model.title, opsets=model.opsets, used=model.used)
        self._shapes = {name: array.shape for name, array in arrays.items()}
        if not states(model, self._shapes):
            input_infos(model, self._shapes)  # says what does not fit
        self.values.update(model.constants)
        self.static.update(model.constants)
        for name, array in arrays.items():
            self.assign(name, _as_stated(emit, model.inputs[name], Known(array)))

    def outputs(self) -> dict[str, Array]:
        """Return the outputs, as stages hand them on."""
        model, emit = self.work.model, self.work.emit
        self.convert(model.nodes)
        self.work.problems.raise_if_any()
        found: dict[str, Array] = {}
        for name in model.outputs:
            value = self.values[name]
            assert isinstance(value, Known)
            plain = unpacked(emit, value)
            assert isinstance(plain, Known)
            found[name] = as_handed(plain)
        return found

    def _placed(self, error: Exception, node: Node) -> ParseError:
        self.work.infos = input_infos(self.work.model, self._shapes)
        return super()._placed(error, node)


def _as_stated(emit: Emitter, stated: ValueInfo, value: Value) -> Value:
    """Return an input in the type of the file; arrays hold the bits of types that numpy lacks."""
    dtype = stated.dtype
    if dtype is None or dtype == dtype_of(value):
        return value
    if data_type_of(dtype).is_packed:
        emit.begin(stated.name)
        return emit.cast(value, dtype)
    return Known(value.array.view(dtype)) if isinstance(value, Known) else value


def _dense_of(model: OnnxModel, names: Mapping[Known, str], value: Known) -> Array:
    """Return the form that a Constant layer keeps, made once per model for weights."""
    name = names.get(value)
    if name is None:
        return stored(value)
    kept = model.derived.get((name, "dense"))
    if kept is None:
        array = stored_once(value, model.dense)
        kept = model.derived.setdefault((name, "dense"), Known(array))
    return kept.array


def _fits(dims: Sequence[int | str | None], shape: Sequence[int]) -> bool:
    return len(dims) == len(shape) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(dims, shape, strict=True)
    )
