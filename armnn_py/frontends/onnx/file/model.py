# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""An ONNX model as the importer keeps it: plain nodes in order, weights, inputs and outputs.

All faults of the graph itself are found here, before any conversion.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field, structs

from armnn_py.errors import ArmnnError, InvalidArgumentError, ParseError, UnknownNameError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.source import ModelSource
from armnn_py.frontends.common.values import Array, Known, dtype_of_info
from armnn_py.frontends.onnx.file.element_types import element_type_name, of_any_number
from armnn_py.frontends.onnx.file.graph_node import AttributeReference, Body, Node
from armnn_py.frontends.onnx.file.node_reading import NodeReader, domain_of, opsets_of
from armnn_py.frontends.onnx.file.ordering import live_nodes, sort_nodes
from armnn_py.frontends.onnx.file.parts import GraphParts
from armnn_py.frontends.onnx.file.reading import protobuf_text, read_model
from armnn_py.frontends.onnx.file.tensors import Unreadable
from armnn_py.network import ModelMetadata
from armnn_py.tensors.equal_arrays import EqualArrays

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    import onnx

    from armnn_py.tensors import TensorInfo

# A dimension name that exporters write for "unknown": equal names do not mean equal sizes.
_ANONYMOUS = {"", "?", "-1", "None", "none", "unk"}

_RANDOM = {
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike",
}  # fmt: skip

Constant: TypeAlias = "Known | Unreadable"


class ValueInfo(Struct, frozen=True):
    """Type and shape of a graph input or output as the file states them."""

    name: str
    dtype: np.dtype[Any] | None
    """That of objects: strings. ``None``: a type that no tensor has; ``type_name`` says which."""
    type_name: str
    dims: tuple[int | str | None, ...] | None
    """A string is a symbolic dimension; ``None`` instead of a tuple: no shape is stated."""


class OnnxModel(Struct, frozen=True):
    """A parsed model, shared by all its conversions."""

    name: str
    source_name: str
    """Name in messages: that of the file, if the model has one."""
    path: str | None
    metadata: ModelMetadata
    opsets: dict[str, int]
    nodes: tuple[Node, ...]
    """The nodes that an output depends on, each after what it reads."""
    constants: dict[str, Constant]
    inputs: dict[str, ValueInfo]
    outputs: dict[str, ValueInfo]
    functions: dict[tuple[str, str, str], Body]
    """Functions of the model's own by domain, name and overload."""
    used: frozenset[str]
    """Names of values that a node reads or that are outputs."""
    defaults: dict[str, ValueInfo] = field(default_factory=dict)
    """Inputs that are constants too, in the order of the file: see `with_inputs`."""
    optional: dict[str, Known] = field(default_factory=dict)
    """Values of inputs that a run may leave out."""
    folded: dict[int, tuple[Known, ...]] = field(default_factory=dict)
    """Results of nodes that depend on weights alone, by node index."""
    derived: dict[tuple[str, str], Known] = field(default_factory=dict)
    """Weights brought to the form that a layer wants, by name and form."""
    prepared: dict[int, Any] = field(default_factory=dict)
    """Values that converters made of attributes of nodes, by node index; see `NodeView.once`."""
    dense: EqualArrays[Array] = field(default_factory=EqualArrays)
    """Arrays of Constant layers for weights."""
    title: str = ""
    """The beginning of names of layers: where the graph is in the whole model."""
    budget: int = 50_000
    """How many nodes of bodies are converted at most, where loops are written out."""
    depth: int = 0
    """How many stages, and nodes that run by themselves, it is behind or inside of."""
    seed: int = field(default_factory=lambda: secrets.randbits(63))
    """Of random numbers, where a node states none."""
    trials_left: list[int] = field(default_factory=lambda: [64])
    """How many more conversions on trial stages may take, beyond the first of each."""
    keeps_loops: bool = False
    """Whether loops that make many layers run by themselves: for networks that only run."""
    written_out: set[int] = field(default_factory=set)
    """Loops that must be written out although they make many layers, by node index."""
    is_tried: bool = False
    """Whether a conversion on trial showed that some sizes may suit; see `trial`."""

    @property
    def has_random_state(self) -> bool:
        """Whether nodes make random numbers that differ from run to run."""
        bodies = self.functions.values()
        return any(map(_is_random, (self.nodes, *(body.nodes for body in bodies))))

    def version_of(self, domain: str) -> int:
        """Return the operator set version of a domain."""
        return self.opsets.get(domain, 1)


def _is_random(nodes: Sequence[Node]) -> bool:
    for node in nodes:
        if node.op_type in _RANDOM and not node.domain:
            seed = node.attributes.get("seed")
            if seed is None or isinstance(seed, AttributeReference):
                return True
        bodies = (value for value in node.attributes.values() if isinstance(value, Body))
        if any(_is_random(body.nodes) for body in bodies):
            return True
    return False


def weight_bytes(model: OnnxModel) -> int:
    """Return how many bytes the weights take that are in the model's files."""
    return sum(one.array.nbytes for one in model.constants.values() if isinstance(one, Known))


def with_outputs(model: OnnxModel, names: Sequence[str]) -> OnnxModel:
    """Return a model with values inside as further outputs; it shares the weights.

    Raises
    ------
    UnknownNameError
        No node makes a value of a name that an output depends on.
    InvalidArgumentError
        A value is an output already.
    """
    made = {name for node in model.nodes for name in node.outputs if name}
    for name in names:
        if name in model.outputs:
            raise InvalidArgumentError(
                f"extra output {quoted(name)}: it is an output of the network already"
            )
        if name not in made:
            raise UnknownNameError(
                f"'{model.source_name}' has no tensor {quoted(name)}", name=name, valid=sorted(made)
            )
    more = {name: ValueInfo(name, None, "no type", None) for name in names}
    return _with(model, model.inputs, {**model.outputs, **more}, {})


def with_inputs(model: OnnxModel, names: Collection[str]) -> OnnxModel:
    """Return a model in which initializers that are also inputs are inputs alone.

    Such an initializer is the value of the input where a caller gives none (since IR version 4). It
    stays a constant, which is folded and packed, unless ``names`` has it.
    """
    freed = {name: info for name, info in model.defaults.items() if name in names}
    if not freed:
        return model
    constants = {name: one for name, one in model.constants.items() if name not in freed}
    values = {name: model.constants.get(name) for name in freed}
    optional = {name: one for name, one in values.items() if isinstance(one, Known)}
    return structs.replace(
        model, inputs={**model.inputs, **freed}, constants=constants, defaults={}, folded={},
        derived={}, optional=optional,
    )  # fmt: skip


def with_ranks(model: OnnxModel, infos: Mapping[str, TensorInfo]) -> OnnxModel:
    """Return a model that states ranks and types of these outputs; it shares all else."""
    outputs = dict(model.outputs)
    for name, info in infos.items():
        stated = outputs[name]
        dtype = dtype_of_info(info) if stated.dtype is None else stated.dtype
        outputs[name] = ValueInfo(name, dtype, stated.type_name, info.shape)
    return _with(model, model.inputs, outputs, model.folded)


def with_values(
    model: OnnxModel, inputs: dict[str, ValueInfo], outputs: dict[str, ValueInfo]
) -> OnnxModel:
    """Return a model that states other types and shapes; it shares all else."""
    return _with(model, inputs, outputs, model.folded)


def _with(
    model: OnnxModel,
    inputs: dict[str, ValueInfo],
    outputs: dict[str, ValueInfo],
    folded: dict[int, tuple[Known, ...]],
) -> OnnxModel:
    return OnnxModel(
        name=model.name, source_name=model.source_name, path=model.path, metadata=model.metadata,
        opsets=model.opsets, nodes=model.nodes, constants=model.constants, inputs=inputs,
        outputs=outputs, functions=model.functions, used=model.used | {*outputs}, folded=folded,
        derived=model.derived, dense=model.dense, title=model.title, budget=model.budget,
        depth=model.depth, seed=model.seed, is_tried=model.is_tried, optional=model.optional,
        trials_left=model.trials_left, keeps_loops=model.keeps_loops,
        written_out=model.written_out,
    )  # fmt: skip


def load_model(source: ModelSource) -> OnnxModel:
    """Read an ONNX model and check its graph.

    Raises
    ------
    ParseError
        The model is damaged, or its graph contradicts itself: a cycle, a value made twice or
        never, weights whose shape and data differ, and the like.
    """
    with read_model(source) as (proto, parts):
        try:
            return _Reader(proto, source, parts).read()
        except ArmnnError as error:
            if isinstance(error, ParseError) and error.path is None:
                error.path = source.path_text
            raise
        except OSError as error:
            raise source.unreadable(error) from error
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise ParseError(
                f"'{source.name}' is damaged", path=source.path_text, details=[f"{error!r}"]
            ) from error


class _Reader:
    def __init__(self, proto: onnx.ModelProto, source: ModelSource, parts: GraphParts) -> None:
        self.proto = proto
        self.parts = parts
        self.graph = proto.graph
        self.source = source
        self.reader = NodeReader(source.folder)

    def read(self) -> OnnxModel:
        opsets = self._opsets()
        constants = self.reader.constant_names(self.graph)
        nodes = self.reader.nodes(self.graph.node, self.parts)
        outputs = self._outputs()
        inputs, defaults = self._inputs(constants)
        known = {*inputs, *constants}
        nodes = sort_nodes(nodes, known, list(outputs))
        nodes = live_nodes(nodes, list(outputs))
        used = {name for node in nodes for name in node.reads} | {*outputs}
        return OnnxModel(
            name=self.source.title or _shown(self.graph.name) or "network",
            source_name=self.source.name,
            path=self.source.path_text,
            metadata=self._metadata(opsets, nodes),
            opsets=opsets,
            nodes=tuple(nodes),
            constants=self.reader.constants(constants, used, self.parts),
            inputs=inputs,
            defaults=defaults,
            outputs=outputs,
            functions=self._functions(),
            used=frozenset(used),
        )

    def _opsets(self) -> dict[str, int]:
        opsets = opsets_of(self.proto.opset_import)
        if "" not in opsets and not opsets and self.proto.ir_version >= 3 and self.graph.node:
            raise ParseError(f"'{self.source.name}' does not say which operator set it uses")
        return opsets

    def _functions(self) -> dict[tuple[str, str, str], Body]:
        functions: dict[tuple[str, str, str], Body] = {}
        for function in self.proto.functions:
            key = (
                domain_of(function.domain),
                protobuf_text(function.name, "name of a function"),
                protobuf_text(getattr(function, "overload", ""), "overload of a function"),
            )
            if key in functions:
                raise ParseError(f"function {quoted(key[1])} is defined twice")
            functions[key] = self.reader.function(function)
        return functions

    def _metadata(self, opsets: dict[str, int], nodes: Sequence[Node]) -> ModelMetadata:
        proto, graph = self.proto, self.graph
        return ModelMetadata(
            format="ONNX",
            format_version=proto.ir_version,
            opsets={domain or "ai.onnx": version for domain, version in opsets.items()},
            producer=_shown(proto.producer_name),
            producer_version=_shown(proto.producer_version),
            domain=_shown(proto.domain),
            version=proto.model_version,
            description=_shown(proto.doc_string),
            graph_name=_shown(graph.name),
            graph_description=_shown(graph.doc_string),
            properties={
                **{_shown(p.key): _shown(p.value) for p in proto.metadata_props},
                **dict(map(_classes_of, (node for node in nodes if node.op_type == "ZipMap"))),
            },
        )

    def _inputs(
        self, constants: dict[str, Any]
    ) -> tuple[dict[str, ValueInfo], dict[str, ValueInfo]]:
        """Return the inputs, and those that have an initializer as their default."""
        inputs: dict[str, ValueInfo] = {}
        defaults: dict[str, ValueInfo] = {}
        for proto in self.graph.input:
            info = _value_info(proto, "input")
            if info.name in inputs or info.name in defaults:
                raise ParseError(f"input {quoted(info.name)} is defined twice")
            # Files of IR version 3 list every initializer as an input with a default.
            (defaults if info.name in constants else inputs)[info.name] = info
        return inputs, defaults

    def _outputs(self) -> dict[str, ValueInfo]:
        outputs: dict[str, ValueInfo] = {}
        for proto in self.graph.output:
            info = _value_info(proto, "output")
            if info.name in outputs:
                raise ParseError(f"output {quoted(info.name)} is defined twice")
            outputs[info.name] = info
        if not outputs:
            raise ParseError(f"the graph of '{self.source.name}' has no outputs")
        return outputs


def _classes_of(node: Node) -> tuple[str, str]:
    """Return the key and text of the classes that a ZipMap gives the columns of its output."""
    import json  # late: few models have one

    attributes = node.attributes
    labels = attributes.get("classlabels_strings") or attributes.get("classlabels_int64s")
    listed = labels if isinstance(labels, list) else []
    return f"classes of {node.outputs[0]}", json.dumps(listed, ensure_ascii=False, default=repr)


def _shown(value: str | bytes) -> str:
    """Return a text for display; text that is not UTF-8 does not make a model invalid."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _value_info(proto: onnx.ValueInfoProto, kind: str) -> ValueInfo:
    name = protobuf_text(proto.name, f"name of an {kind}")
    if not name:
        raise ParseError(f"an {kind} of the graph has no name")
    stated = proto.type
    if stated.WhichOneof("value") == "optional_type":
        # One that holds a tensor is that tensor; leaving an input out is not supported.
        inner = stated.optional_type.elem_type
        stated = inner if inner.WhichOneof("value") == "tensor_type" else stated
    which = stated.WhichOneof("value")
    if which != "tensor_type":
        text = (which or "no").removesuffix("_type").replace("_", " ")
        return ValueInfo(name, None, f"{text} type", None)
    tensor = stated.tensor_type
    dims: tuple[int | str | None, ...] | None = None
    if tensor.HasField("shape"):
        dims = tuple(_dimension(dim, name) for dim in tensor.shape.dim)
    number = tensor.elem_type
    return ValueInfo(name, of_any_number(number), element_type_name(number), dims)


def _dimension(dim: Any, name: str) -> int | str | None:
    if dim.HasField("dim_param"):
        text = protobuf_text(dim.dim_param, f"dimension of {quoted(name)}")
        return None if text in _ANONYMOUS else text
    if dim.HasField("dim_value"):
        # Old exporters write -1 for a free dimension.
        return int(dim.dim_value) if dim.dim_value >= 0 else None
    return None
