# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a file to the network in it, checked as a whole; backends are not asked."""

from __future__ import annotations

import binascii
import dataclasses
import functools
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from armnn_py.descriptors import AttributeTensor
from armnn_py.device_ids import canonical_id
from armnn_py.errors import ParseError
from armnn_py.network import AssignLayer, NetworkStorage, VariableLayer
from armnn_py.optimizer.assignment.check_quantization import check_quantization
from armnn_py.optimizer.check_graph import find_graph_problems
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.saved.archive import REPORTS, SOURCES, Archive, damage_in
from armnn_py.optimizer.saved.contents import CompiledPart, SavedNetwork, SavedStages
from armnn_py.optimizer.saved.descriptor_values import descriptor_from_json
from armnn_py.optimizer.saved.values import (
    FORMAT,
    FORMAT_VERSION,
    DamageError,
    info_from_json,
    layer_type_from_json,
    member,
    metadata_from_json,
    number,
    options_from_json,
)
from armnn_py.optimizer.subgraphs.source_network import Border, SavedSource, SourceNetwork
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor
    from armnn_py.network import Layer, OutputSlot
    from armnn_py.tensors import TensorInfo

_MOST_GUID = 1 << 33


def read_network(path: str, *, in_place: bool = True) -> SavedNetwork | SavedStages:
    """Read a file and check everything that can be checked without backends.

    Parameters
    ----------
    path
        The file.
    in_place
        Whether constants may stay in the file, which is mapped to memory.

    Raises
    ------
    ParseError
        The file cannot be read, is damaged, or is of a later version.
    """
    archive = Archive(path, in_place=in_place)
    with damage_in(path):
        text = archive.read("network.json")
        document = _document(path, text)
        saved: SavedNetwork | SavedStages
        if "networks" in document:
            from armnn_py.optimizer.saved.staged import read_stages  # few files have stages

            saved = read_stages(archive, text, _read_one)
        else:
            saved = _Reader(archive, document).network()
    if not any(part.member for part in saved.parts.values()):
        archive.mark()  # there is no other sum
    return saved


def _read_one(archive: Archive) -> SavedNetwork:
    """Read the folder of a network without stages."""
    return _Reader(archive, _document(archive.path, archive.read("network.json"))).network()


def _document(path: str, text: bytes) -> dict[str, Any]:
    """Return the object of a ``network.json``, whose format is this one."""
    document: dict[str, Any] = json.loads(text)
    if member(document, "format", str) != FORMAT:
        raise DamageError("it has another format")
    version = number(document.get("format_version"))
    if version > FORMAT_VERSION:
        writer = str(document.get("written_by"))[:40]
        raise ParseError(
            f"'{path}' was written by armnn_py {writer}, which is newer than this one",
            path=path,
            details=[f"format {version}; this version reads up to {FORMAT_VERSION}"],
            hints=["update armnn_py, or save the network again with this version"],
        )
    if version < FORMAT_VERSION:
        raise ParseError(
            f"'{path}' is of format {version}, which is no longer read",
            path=path,
            hints=["save the network again with this version"],
        )
    return document


#: Layers of the host: numbers of inputs and outputs.
_HOST_COUNTS = {
    LayerType.INPUT: (0, 1),
    LayerType.CONSTANT: (0, 1),
    LayerType.OUTPUT: (1, 0),
}


class _Reader:
    """Reads one document."""

    def __init__(self, archive: Archive, document: dict[str, Any]) -> None:
        self._archive = archive
        self._document = document
        self._infos: list[Any] = member(document, "infos", list)
        self._read_infos: dict[int, TensorInfo] = {}
        self._constants: dict[tuple[int, TensorInfo], NDArray[Any]] = {}
        self._defaults: dict[str, NDArray[Any]] = {}  # by input

    def network(self) -> SavedNetwork:
        """The whole contents."""
        document = self._document
        network = NetworkStorage(member(document, "name", str))
        items = member(document, "layers", list, dict)
        used = {
            name: {
                "api": member(about, "api", str),
                "vendor_version": None
                if about.get("vendor_version") is None
                else member(about, "vendor_version", str),
            }
            for name, about in member(document, "backends", dict, dict).items()
        }
        layer_backends: list[str | None] = []
        parts: dict[int, CompiledPart] = {}
        for item in items:
            layer = self._add(network, item)
            backend = None if FACTS[layer.type].host else member(item, "backend", str)
            if backend is not None and (backend not in used or backend != canonical_id(backend)):
                raise DamageError(f"backend '{backend[:64]}' of a layer is not listed")
            layer_backends.append(backend)
            if layer.type is LayerType.PRE_COMPILED:
                parts[layer.guid] = self._part(layer, member(item, "compiled", dict))
        metadata = metadata_from_json(member(document, "metadata", dict))
        network.metadata = dataclasses.replace(metadata, defaults=self._defaults)
        graph = _check(network)
        return SavedNetwork(
            self._archive,
            member(document, "written_by", str),
            network,
            graph,
            tuple(layer_backends),
            self._guids(items),
            tuple(
                tuple(number(origin, _MOST_GUID) for origin in member(item, "origins", list))
                for item in items
            ),
            frozenset(index for index, item in enumerate(items) if item.get("replacement") is True),
            parts,
            used,
            options_from_json(member(document, "model_options", dict)),
            member(document, "options", dict, bool),
            self._archive.read(REPORTS),  # copied: the file may be gone when somebody asks
        )

    @staticmethod
    def _guids(items: list[dict[str, Any]]) -> tuple[int, ...]:
        guids = tuple(number(item.get("guid"), _MOST_GUID) for item in items)
        if len(set(guids)) != len(guids):
            raise DamageError("two layers have one number")
        return guids

    def _add(self, network: NetworkStorage, item: dict[str, Any]) -> Layer:
        """Add the next layer, which reads only what is there before it."""
        kind = layer_type_from_json(member(item, "type", str))
        name = member(item, "name", str)
        if FACTS[kind].moves_memory:
            raise DamageError(f"layer '{name}' is of type {kind.label}")
        inputs: list[OutputSlot | None] = []
        for source in member(item, "inputs", list):
            if source is None:
                inputs.append(None)
                continue
            layer, slot = source
            outputs = network.layers[number(layer, len(network.layers))].outputs
            inputs.append(outputs[number(slot, len(outputs))])
        infos = [self._info(n) for n in member(item, "outputs", list)]
        value, variable = None, None
        if kind is LayerType.CONSTANT:
            value = self._constant(number(item.get("constant")), infos[0])
        elif kind is LayerType.INPUT and "initial" in item:
            value = self._constant(number(item["initial"]), infos[0])
            if name in network.variables:
                raise DamageError(f"two variables are called '{name}'")
        elif kind is LayerType.INPUT and "default" in item:
            self._defaults[name] = self._constant(number(item["default"]), infos[0])
        elif kind is LayerType.OUTPUT and "variable" in item:
            assigned = network.layers[number(item["variable"], len(network.layers))]
            if not isinstance(assigned, VariableLayer) or assigned.name in network.assign_layers:
                raise DamageError(f"layer '{name}' assigns no variable, or one once more")
            variable = assigned
        if kind in COMPILED_TYPES:
            check_descriptor(kind, item.get("descriptor"), len(inputs), len(infos))
            descriptor: Descriptor | None = None
        else:
            descriptor = descriptor_from_json(kind, item.get("descriptor"), self._tensor)
        hint = item.get("hint")
        if hint is not None and not isinstance(hint, str):
            raise DamageError(f"the hint of layer '{name}' is not text")
        counts = _HOST_COUNTS.get(kind, (len(inputs), len(infos)))
        if not name or (len(inputs), len(infos)) != counts:
            raise DamageError(f"a layer of type {kind.label} is not whole")
        return network.append_unchecked(
            name, kind, descriptor, tuple(inputs), infos,
            backend=hint or None, value=value, variable=variable,
        )  # fmt: skip

    def _info(self, index: Any) -> TensorInfo:
        """An info, read when it is first asked for: those inside of sub-graphs rarely are."""
        if index not in self._read_infos:
            self._read_infos[index] = info_from_json(self._infos[number(index, len(self._infos))])
        return self._read_infos[index]

    def _tensor(self, given: list[int]) -> AttributeTensor:
        info_index, index = given
        info = self._info(info_index)
        return AttributeTensor(self._constant(number(index), info), info)

    def _constant(self, index: int, info: TensorInfo) -> NDArray[Any]:
        key = (index, info)
        if key not in self._constants:
            array = self._archive.array(str(index), info.array_shape, info.array_dtype)
            if info.data_type is DataType.BOOLEAN and array.size and array.view("u1").max() > 1:
                raise DamageError(f"constant {index} has other values than 0 and 1")
            self._constants[key] = array
        return self._constants[key]

    def _part(self, layer: Layer, item: dict[str, Any]) -> CompiledPart:
        source = item.get("source")
        made = None
        if source is not None:
            made = SavedSource(functools.partial(self._checked_source, layer, number(source)))
        if "bytes" not in item:
            if made is None:
                raise DamageError(f"layer '{layer.name}' has neither bytes nor layers")
            made.as_network()
            return CompiledPart("", "", b"", made)
        return CompiledPart(
            f"blobs/{number(item['bytes'])}.bin",
            member(item, "sha256", str),
            binascii.a2b_base64(member(item, "compatibility", str), strict_mode=True),
            made,
        )

    def _checked_source(self, layer: Layer, index: int) -> SourceNetwork:
        with damage_in(self._archive.path):
            return self._source(layer, json.loads(self._archive.read(f"{SOURCES}{index}.json")))

    def _source(self, layer: Layer, document: Any) -> SourceNetwork:
        network = NetworkStorage(layer.name)
        items = member(document, "layers", list, dict)
        for item in items:
            inner = self._add(network, item)
            if inner.type in (LayerType.PRE_COMPILED, LayerType.DEBUG):
                raise DamageError(f"layer '{inner.name}' is of type {inner.type.label}")
        _check(network)
        if network.variables:
            raise DamageError(f"the source of layer '{layer.name}' has variables")
        for output in network.output_layers:
            (slot,) = output.inputs
            if slot is None or FACTS[slot.layer.type].host:
                raise DamageError("a compiled sub-graph has an output that no layer computes")
        own = [
            item for item, x in zip(items, network.layers, strict=True) if not FACTS[x.type].host
        ]
        self._guids(own)
        border = Border(
            tuple(member(document, "inputs", list, int)),
            tuple(member(document, "outputs", list, int)),
        )
        ends = range(len(layer.outputs))
        if len(border.outputs) != len(network.output_layers) or any(
            index not in ends for index in border.outputs
        ):
            raise DamageError(f"the source of layer '{layer.name}' has other outputs than it")
        return SourceNetwork(
            network, tuple(number(item.get("guid"), _MOST_GUID) for item in items), border
        )


def _check(network: NetworkStorage) -> Graph | None:
    """Check all that backends may rely on: every layer is inferred anew; returns its graph."""
    if all(layer.type in COMPILED_TYPES for layer in network.layers):
        problem = find_compiled_problem(network)
        if problem:
            raise DamageError(problem)
        return None

    graph = Graph.from_network(network)
    problems = find_graph_problems(graph)
    if problems:
        raise DamageError(problems[0])
    check_quantization(graph)
    return graph


#: The types of layers of such networks.
COMPILED_TYPES = frozenset(
    (LayerType.INPUT, LayerType.CONSTANT, LayerType.OUTPUT, LayerType.PRE_COMPILED)
)


def check_descriptor(kind: LayerType, given: Any, inputs: int, outputs: int) -> None:
    """Check the descriptor of a layer of one of these types, which says how many tensors it has.

    `Layer.descriptor` makes it of these numbers.
    """
    if (given is None) != (kind is not LayerType.PRE_COMPILED):
        raise DamageError(f"layer type {kind.label}: its descriptor is missing or too much")
    if given is None:
        return
    if not isinstance(given, dict) or not given.keys() <= {"input_count", "output_count"}:
        raise DamageError(f"the descriptor of a layer of type {kind.label} is another one")
    for found, name in ((inputs, "input_count"), (outputs, "output_count")):
        if number(given.get(name, 0)) != found:
            raise DamageError(f"a layer of type {kind.label} has another {name} than {found}")


def find_compiled_problem(network: NetworkStorage) -> str:
    """What is wrong with a network of these types alone, which was read; empty if nothing is.

    The reader has looked at names, at the numbers of what the host's layers read and make, at
    values, and that layers read what comes before them.
    """
    if not network.output_layers and not network.assign_layers:
        return "the graph has no outputs"
    for kind, what in ((LayerType.INPUT, "input"), (LayerType.OUTPUT, "output")):
        names = Counter(
            layer.name
            for layer in network.layers
            if layer.type is kind and not isinstance(layer, VariableLayer | AssignLayer)
        )
        for name, count in names.items():
            if count > 1:
                return f"{count} {what}s are called '{name}'"
    for layer in network.layers:
        problem = _problem_of(layer)
        if problem:
            return f"layer '{layer.name}' ({layer.type.label}) {problem}"
    return ""


def _problem_of(layer: Layer) -> str:
    if None in layer.inputs:
        return f"has no input {layer.inputs.index(None)}"
    if isinstance(layer, AssignLayer) and layer.inputs[0] is not None:
        info, initial = layer.inputs[0].info, layer.variable.initial
        if info.shape != initial.shape or info.dtype != initial.dtype:
            return f"does not fit variable '{layer.variable.name}'"
    return ""
