# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A TensorFlow Lite model as the importer keeps it: plain records, and arrays over the file.

All faults of the file itself are found here, before any conversion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.tflite.reading import DAMAGE, Reader, Table, data_of, enum_names
from armnn_py.frontends.tflite.sparse import Sparsity, read_sparsity
from armnn_py.network import ModelMetadata
from armnn_py.tensors.equal_arrays import EqualArrays

if TYPE_CHECKING:
    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.values import Array, Known

FORMAT_VERSION = 3
_MOST_DIMENSIONS = 64


class Tensor(Struct, frozen=True):
    """A tensor of a graph."""

    @property
    def short_name(self) -> str:
        """The name that layers get: converters join those of all that they fused by semicolons."""
        return self.name.partition(";")[0] or f"tensor_{self.index}"

    index: int
    name: str
    """As the file has it; may be empty or not unique."""
    shape: tuple[int, ...]
    signature: tuple[int, ...]
    """The shape with -1 for free dimensions; empty where the file does not say which are free."""
    type: int
    """``TensorType`` of the schema."""
    buffer: int
    is_variable: bool
    sparsity: Sparsity | None = None
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    axis: int = 0


class Operator(Struct, frozen=True):
    """An operator of a graph."""

    index: int
    name: str
    """``BuiltinOperator`` of the schema, including ``CUSTOM``."""
    custom: str
    """Name of a custom operator, else empty."""
    version: int
    inputs: tuple[int, ...]
    """Indices of tensors; -1 for an optional one that is absent."""
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options_type: str
    options: Mapping[str, Any]
    custom_options: bytes

    @property
    def label(self) -> str:
        """The operator in messages: the name that it has as an unsupported one."""
        return self.custom or self.name


class Graph(Struct, frozen=True):
    """A sub-graph of the file."""

    index: int
    name: str
    tensors: tuple[Tensor, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[Operator, ...]


class Signature(Struct, frozen=True):
    """A signature: names for inputs and outputs of a sub-graph."""

    key: str
    graph: int
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]


class TfliteModel(Struct, frozen=True):
    """A parsed model, shared by all its conversions."""

    name: str
    source_name: str
    path: str | None
    metadata: ModelMetadata
    graphs: tuple[Graph, ...]
    signatures: tuple[Signature, ...]
    size: int
    """Bytes of the file."""
    buffers: tuple[Array | None, ...]
    """Views of the file; ``None`` for an empty buffer."""
    constants: dict[tuple[int, int], Known] = field(default_factory=dict)
    """Weights that were read, by graph and tensor."""
    folded: dict[tuple[int, int], tuple[Known, ...]] = field(default_factory=dict)
    """Results of operators that depend on weights alone, by graph and operator."""
    dense: dict[Known, Array] = field(default_factory=dict)
    """Weights and results in the form that a Constant layer keeps."""
    equal: EqualArrays[Array] = field(default_factory=EqualArrays)
    """The same by their content."""
    depth: int = 0
    keeps_loops: bool = False
    """How many stages it is behind or inside of."""


def load_model(source: ModelSource) -> TfliteModel:
    """Read a model and check its graphs.

    Raises
    ------
    ParseError
        The model is damaged or contradicts itself.
    """
    data = data_of(source)
    try:
        return _ModelReader(Reader(data), source).read()
    except ParseError as error:
        error.path = source.path_text
        raise
    except DAMAGE as error:
        reason = str(error).strip().splitlines()
        raise ParseError(
            f"{quoted(source.name)} is damaged, or was cut short",
            path=source.path_text,
            details=reason[:1] or [type(error).__name__],
        ) from error


class _ModelReader:
    def __init__(self, reader: Reader, source: ModelSource) -> None:
        self.reader = reader
        self.source = source

    def read(self) -> TfliteModel:
        reader, model = self.reader, self.reader.root()
        version = model.get("version")
        if version != FORMAT_VERSION:
            raise ParseError(
                f"{quoted(self.source.name)} has version {version} of the TensorFlow Lite format, "
                "expected "
                f"{FORMAT_VERSION}"
            )
        buffers = tuple(self._buffer(table) for table in model.get("buffers"))
        codes = [self._code(table) for table in model.get("operator_codes")]
        graphs = tuple(
            self._graph(index, table, codes, len(buffers))
            for index, table in enumerate(model.get("subgraphs"))
        )
        if not graphs:
            raise ParseError(f"{quoted(self.source.name)} has no sub-graph")
        signatures = tuple(self._signature(table, graphs) for table in model.get("signature_defs"))
        return TfliteModel(
            name=self.source.title or "network",
            source_name=self.source.name,
            path=self.source.path_text,
            metadata=self._metadata(model, graphs, signatures, buffers),
            graphs=graphs,
            signatures=signatures,
            size=reader.data.size,
            buffers=buffers,
        )

    def _buffer(self, table: Table) -> Array | None:
        data = table.array("data")
        if data is not None and data.size:
            return data
        offset, size = table.get("offset"), table.get("size")
        if offset > 1:  # 0 and 1: the data are in the table, or nowhere
            if offset + size > self.reader.data.size:
                raise ValueError(f"a buffer of {size} bytes at {offset} lies outside the file")
            return self.reader.data[offset : offset + size] if size else None
        return None

    def _code(self, table: Table) -> tuple[str, str, int]:
        # Codes above 127 came later, in a field of their own; old files lack that one.
        number = max(table.get("builtin_code"), table.get("deprecated_builtin_code"))
        name = enum_names("BuiltinOperator").get(number, f"builtin code {number}")
        custom = table.get("custom_code")
        return name, (custom or "CUSTOM") if name == "CUSTOM" else "", table.get("version")

    def _graph(
        self, index: int, table: Table, codes: list[tuple[str, str, int]], buffers: int
    ) -> Graph:
        tensors = tuple(
            self._tensor(place, tensor, buffers)
            for place, tensor in enumerate(table.get("tensors"))
        )
        count = len(tensors)
        operators = []
        for place, operator in enumerate(table.get("operators")):
            operators.append(self._operator(place, operator, codes, count))
        made: set[int] = set()
        for op in operators:
            for output in op.outputs:
                if output in made:
                    name = quoted(tensors[output].name)
                    raise ParseError(f"two operators make tensor {name}", node=op.label)
                made.add(output)
        inputs, outputs = table.get("inputs"), table.get("outputs")
        _check_places((*inputs, *outputs), count, f"sub-graph {index}", least=0)
        if len(set(inputs)) != len(inputs):
            raise ParseError(f"sub-graph {index} names an input twice")
        name = table.get("name") or ""
        return Graph(index, name, tensors, inputs, outputs, tuple(operators))

    def _tensor(self, index: int, table: Table, buffers: int) -> Tensor:
        shape, signature = table.get("shape"), table.get("shape_signature")
        name = table.get("name") or ""
        if len(shape) > _MOST_DIMENSIONS:
            raise ParseError(f"tensor {quoted(name)} has {len(shape)} dimensions")
        if any(dim < 0 for dim in shape):
            raise ParseError(f"tensor {quoted(name)} has a negative dimension: {shape}")
        if signature and len(signature) != len(shape):
            raise ParseError(f"tensor {quoted(name)} has shape {shape}, but signature {signature}")
        buffer = table.get("buffer")
        if buffer >= max(buffers, 1):
            raise ParseError(
                f"tensor {quoted(name)} is in buffer {buffer}, but the model has {buffers}"
            )
        quantization = table.get("quantization")
        scales: tuple[float, ...] = ()
        points: tuple[int, ...] = ()
        axis = 0
        if quantization is not None:
            scales, points = quantization.get("scale"), quantization.get("zero_point")
            axis = quantization.get("quantized_dimension")
        return Tensor(
            index, name, shape, signature, table.get("type"), buffer, table.get("is_variable"),
            read_sparsity(self.reader, table.get("sparsity")), scales, points, axis,
        )  # fmt: skip

    def _operator(
        self, index: int, table: Table, codes: list[tuple[str, str, int]], tensors: int
    ) -> Operator:
        code = table.get("opcode_index")
        if code >= len(codes):
            raise ParseError(f"operator {index} has code {code}, but the model has {len(codes)}")
        name, custom, version = codes[code]
        inputs, outputs = table.get("inputs"), table.get("outputs")
        intermediates = table.get("intermediates")
        what = f"operator {index} ({quoted(custom or name)})"
        _check_places((*inputs, *intermediates), tensors, what, least=-1)
        _check_places(outputs, tensors, what, least=0)
        kind, options = self.reader.options(
            table.get("builtin_options_type"), table.get("builtin_options"), "BuiltinOptions"
        )
        if not kind:
            kind, options = self.reader.options(
                table.get("builtin_options2_type"), table.get("builtin_options2"), "BuiltinOptions2"
            )
        return Operator(
            index, name, custom, version, inputs, outputs, intermediates, kind, options,
            self._custom_options(table),
        )  # fmt: skip

    def _custom_options(self, table: Table) -> bytes:
        found = table.array("custom_options")
        if found is not None and found.size:
            return found.tobytes()
        offset, size = (
            table.get("large_custom_options_offset"),
            table.get("large_custom_options_size"),
        )
        if offset <= 1:
            return b""
        if offset + size > self.reader.data.size:
            raise ValueError(f"options of {size} bytes at {offset} lie outside the file")
        return self.reader.data[offset : offset + size].tobytes()

    def _signature(self, table: Table, graphs: tuple[Graph, ...]) -> Signature:
        key = table.get("signature_key") or ""
        index = table.get("subgraph_index")
        if index >= len(graphs):
            raise ParseError(
                f"signature {quoted(key)} names sub-graph {index}, but the model has {len(graphs)}"
            )
        count = len(graphs[index].tensors)
        found: list[dict[str, int]] = []
        for what in ("inputs", "outputs"):
            names: dict[str, int] = {}
            for entry in table.get(what):
                name = entry.get("name") or ""
                _check_places(
                    (entry.get("tensor_index"),), count, f"signature {quoted(key)}", least=0
                )
                if name in names:
                    raise ParseError(f"signature {quoted(key)} names {quoted(name)} twice")
                names[name] = entry.get("tensor_index")
            found.append(names)
        if set(found[0].values()) != set(graphs[index].inputs):
            raise ParseError(
                f"the inputs of signature {quoted(key)} are not those of its sub-graph"
            )
        return Signature(key, index, *found)

    def _metadata(
        self,
        model: Table,
        graphs: Iterable[Graph],
        signatures: Iterable[Signature],
        buffers: tuple[Array | None, ...],
    ) -> ModelMetadata:
        properties: dict[str, str] = {}
        for entry in model.get("metadata"):
            name = entry.get("name")
            place = entry.get("buffer")
            data = buffers[place] if place < len(buffers) else None
            text = None if data is None else _plain_text(data)
            if text is not None:
                properties[name or "metadata"] = text
        for signature in signatures:
            properties[f"signature {signature.key}"] = (
                f"{', '.join(signature.inputs)} -> {', '.join(signature.outputs)}"
            )
        others = [graph.name or str(graph.index) for graph in graphs]
        if len(others) > 1:
            properties["sub-graphs"] = ", ".join(others)
        return ModelMetadata(
            format="TensorFlow Lite",
            format_version=model.get("version"),
            description=_shown(model.get("description") or ""),
            graph_name=_shown(next(iter(graphs)).name),
            properties={_shown(name): _shown(text) for name, text in properties.items()},
        )


def _check_places(places: Iterable[int], count: int, what: str, *, least: int) -> None:
    for place in places:
        if not least <= place < count:
            raise ParseError(f"{what} names tensor {place}, but the sub-graph has {count}")


def _plain_text(data: Array) -> str | None:
    """Return metadata that is a short text, as a version of a runtime; others are binary."""
    if data.size > 2**10:
        return None
    try:
        text = data.tobytes().rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError:
        return None
    return text if text and text.isprintable() else None


def _shown(text: str) -> str:
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
