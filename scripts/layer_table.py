# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Read ``schema/*.toml``, the one table of layers, descriptors, enumerations and data types.

``schema/README.md`` says what each key means. A key that is unknown, a name that nothing defines
and a number that is given twice are errors that name the entry.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
SCHEMA_DIR = REPOSITORY / "schema"
CHECKS = REPOSITORY / "armnn_py" / "descriptors" / "checks.py"

#: Type of a descriptor's field: C type, Python annotation, C elements (0: one value).
FIELD_TYPES: dict[str, tuple[str, str, int]] = {
    "float": ("float", "float", 0),
    "bool": ("uint32_t", "bool", 0),
    "count": ("uint32_t", "Count", 0),
    "positive": ("uint32_t", "Positive", 0),
    "mask": ("uint32_t", "Count", 0),
    "int": ("int32_t", "Axis", 0),
    "dim": ("uint32_t", "Count", 0),
    "axis": ("int32_t", "Axis", 0),
    "optional_dim": ("int32_t", "OptionalDim", 0),
    "axes": ("int32_t", "Axes", 8),
    "counts": ("uint32_t", "Counts", 8),
    "positives": ("uint32_t", "Positives", 8),
    "sizes": ("uint64_t", "Sizes", 8),
    "offsets": ("int64_t", "Offsets", 8),
    "views": ("const armnn_view_t*", "Views", 1),
    "text": ("armnn_string_t", "str", 0),
    "attributes": ("const armnn_attribute_t*", "Attributes", 1),
}
#: The effect of a permutation of an operand's dimensions on a field of a type.
_ROLES = {
    "dim": "axis",
    "axis": "axis",
    "optional_dim": "optional_axis",
    "axes": "axes",
    "mask": "mask",
    "views": "views",
}
TRAITS = (
    "host",
    "moves_memory",
    "opaque",
    "pointwise",
    "permutable",
    "free_output_type",
)
SHAPES = ("same", "broadcast", "reduce", "custom", "stated")
TYPE_GROUPS = ("any", "number", "float", "boolean")
#: How exact a layer is: what descriptors.h says under "Numbers", and rows of tolerances.toml.
ARITHMETICS = ("exact", "element", "function", "normalize", "sum", "none")


def snake(name: str) -> str:
    """``Convolution2dDescriptor`` -> ``convolution2d_descriptor``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


#: ARMNN_BACKEND_API_MAJOR: every entry came with a minor version of it.
API_MAJOR = 2


def parse_since(text: str) -> int:
    """``"2.3"`` -> 3: the minor version that brought an entry."""
    major, _, minor = text.partition(".")
    if major != str(API_MAJOR) or not minor.isdigit():
        raise ValueError(f"since = {text!r}: a version as in '{API_MAJOR}.0' expected")
    return int(minor)


@dataclass(slots=True)
class Entry:
    """The common fields of all entries: the name, and the minor version that brought it."""

    name: str
    doc: str = ""
    since: int = 0


@dataclass(slots=True)
class DataType(Entry):
    """A data type of tensors."""

    id: int = -1
    label: str = ""
    bits: int = 0
    numpy: str = ""
    plain: bool = True
    kind: str = ""
    zero_points: tuple[int, ...] = ()

    @property
    def shown(self) -> str:
        """The name for users: that of numpy, or of ml_dtypes where numpy lacks the type."""
        if self.kind == "float":
            return self.label
        return f"{self.numpy.rstrip('0123456789')}{self.bits}" if self.bits < 8 else self.numpy

    @property
    def described(self) -> str:
        """The name in messages, which tells quantised types from integers and from each other."""
        if self.kind != "quantized":
            return self.shown
        is_ambiguous = not self.plain and self.bits == 8
        return f"quantised {self.shown}" + (" of zero point 0" if is_ambiguous else "")


@dataclass(slots=True)
class Member(Entry):
    """An enumerator; ``defaults`` of the parameters that it reads, by field of the descriptor."""

    id: int = -1
    label: str = ""
    defaults: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Enumeration(Entry):
    """An enumeration that descriptors or tensors use."""

    c: str = ""
    prefix: str = ""
    group: str = ""
    base: str = "IntEnum"
    members: list[Member] = field(default_factory=list)

    @property
    def tag(self) -> str:
        """The C tag."""
        return f"armnn_{self.c or snake(self.name)}_e"


@dataclass(slots=True)
class Field(Entry):
    """A field of a descriptor."""

    type: str = ""
    default: Any = None
    rank: int = 0
    must_understand: int | None = None


@dataclass(slots=True)
class Descriptor(Entry):
    """The parameters of one or several layer types."""

    length: str = ""
    check: bool = False
    fields: list[Field] = field(default_factory=list)

    @property
    def class_name(self) -> str:
        """The Python class."""
        return f"{self.name}Descriptor"

    @property
    def struct(self) -> str:
        """The C structure."""
        return f"armnn_{snake(self.name)}_descriptor_t"

    @property
    def roles(self) -> dict[str, str]:
        """The effect of a permutation of dimensions on each field that it concerns."""
        found = {}
        for one in self.fields:
            if one.type in _ROLES:
                found[one.name] = _ROLES[one.type]
            elif FIELD_TYPES.get(one.type, ("", "", 0))[2] and self.length == "rank":
                found[one.name] = "each"
        return found


@dataclass(slots=True)
class Builder(Entry):
    """An ``add_...`` method that only puts its arguments into a descriptor."""

    args: list[str] = field(default_factory=list)
    params: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    set: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: dict[str, str] = field(default_factory=dict)
    output_info: bool = False


@dataclass(slots=True)
class Layer(Entry):
    """A layer type."""

    id: int = -1
    label: str = ""
    descriptor: str = ""
    operands: list[str] | str = field(default_factory=lambda: ["input"])
    operands_of: str = ""
    variadic: bool = False
    outputs: list[str] | str = field(default_factory=lambda: ["output"])
    types: str = "any"
    operand_types: dict[str, str] = field(default_factory=dict)
    quantization: str = "moves"
    arithmetic: str = ""
    numbers: str = ""
    shape: str = "custom"
    output_type: str = ""
    traits: list[str] = field(default_factory=list)
    permutable_if: dict[str, Any] = field(default_factory=dict)
    permuted_operands: list[int] = field(default_factory=list)
    operand_ranks: dict[str, int] = field(default_factory=dict)
    laid_out_operands: list[int] = field(default_factory=list)
    canonical: dict[str, str] = field(default_factory=dict)
    builders: list[Builder] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """The whole table; every mapping in the order of its numbers, or of its names."""

    data_types: dict[str, DataType]
    enumerations: dict[str, Enumeration]
    descriptors: dict[str, Descriptor]
    layers: dict[str, Layer]

    def layers_with(self, descriptor: str) -> list[Layer]:
        """The layer types that take a descriptor."""
        return [layer for layer in self.layers.values() if layer.descriptor == descriptor]


def read_table(folder: Path = SCHEMA_DIR) -> Table:
    """Read all files of a folder.

    Raises
    ------
    ValueError
        An entry makes no sense; the message names file and entry.
    """
    found: dict[str, dict[str, Any]] = {"data_type": {}, "enum": {}, "descriptor": {}, "layer": {}}
    kinds: dict[str, type[Any]] = {
        "data_type": DataType,
        "enum": Enumeration,
        "descriptor": Descriptor,
        "layer": Layer,
    }
    for path in sorted(folder.glob("*.toml")):
        for kind, entries in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if kind not in kinds:
                raise ValueError(f"{path.name}: unknown kind of entry '{kind}'")
            for name, values in entries.items():
                if name in found[kind]:
                    raise ValueError(f"{path.name}: {kind} {name} is defined twice")
                try:
                    found[kind][name] = _read(kinds[kind], {"name": name, **values})
                except (TypeError, ValueError) as error:
                    raise ValueError(f"{path.name}: {kind} {name}: {error}") from None
    table = Table(
        _by_id(found["data_type"]), found["enum"], found["descriptor"], _by_id(found["layer"])
    )
    _complete(table)
    _check(table)
    return table


def _read(kind: type[Any], values: dict[str, Any]) -> Any:
    known = {one.name for one in fields(kind)}
    for key in values:
        if key not in known:
            raise ValueError(f"unknown key '{key}'")
    values["since"] = parse_since(values.get("since", f"{API_MAJOR}.0"))
    nested = {"members": Member, "builders": Builder}
    if kind is Descriptor:
        nested["fields"] = Field
    for key, inner in nested.items():
        if key in values:
            values[key] = [_read(inner, dict(item)) for item in values[key]]
    return kind(**values)


def _by_id(entries: dict[str, Any]) -> dict[str, Any]:
    ordered = dict(sorted(entries.items(), key=lambda item: item[1].id))
    numbers = [entry.id for entry in ordered.values()]
    for (name, entry), other in zip(ordered.items(), numbers[1:], strict=False):
        if entry.id == other:
            raise ValueError(f"{name}: number {entry.id} is given twice")
    return ordered


def _complete(table: Table) -> None:
    """Fill in what follows from names."""
    for data_type in table.data_types.values():
        data_type.label = data_type.label or data_type.name.lower()
    for enum in table.enumerations.values():
        enum.group = enum.group or enum.prefix
    for layer in table.layers.values():
        words = layer.name.title().replace("_", "")
        # str.title() raises a letter that follows a digit, too: Convolution2D.
        layer.label = layer.label or words.replace("2D", "2d").replace("3D", "3d")
        if isinstance(layer.operands, str):
            layer.operands_of = layer.operands
            layer.operands = table.layers[layer.operands].operands
        if layer.variadic:
            layer.operands = []
        if layer.quantization == "moves":
            layer.arithmetic = layer.arithmetic or "exact"


def _check(table: Table) -> None:
    for descriptor in table.descriptors.values():
        for one in descriptor.fields:
            known = (*FIELD_TYPES, *table.enumerations, "DataType")
            what = f"descriptor {descriptor.name}.{one.name}"
            _need(one.type in known, f"{what}: type {one.type}")
            _need(_fits(one.type, one.default), f"{what}: default {one.default!r} of {one.type}")
        function = f"check_{snake(descriptor.name)}"
        there = re.search(
            rf"^(def )?{function}\b", CHECKS.read_text(encoding="utf-8"), re.MULTILINE
        )
        _need(
            not descriptor.check or there is not None,
            f"descriptor {descriptor.name}: check = true, but {function} in {CHECKS.name}",
        )
    for layer in table.layers.values():
        what = f"layer {layer.name}"
        _need(not layer.descriptor or layer.descriptor in table.descriptors, f"{what}: descriptor")
        _need(layer.shape in SHAPES, f"{what}: shape {layer.shape}")
        _need(layer.types in TYPE_GROUPS, f"{what}: types {layer.types}")
        _need(layer.quantization in ("calculates", "moves", "none"), f"{what}: quantization")
        _need(layer.arithmetic in ARITHMETICS, f"{what}: arithmetic '{layer.arithmetic}'")
        _need(bool(layer.doc), f"{what}: doc is missing")
        for name, group in layer.operand_types.items():
            _need(name in layer.operands, f"{what}: operand {name}")
            _need(group in TYPE_GROUPS, f"{what}: types {group}")
        for trait in layer.traits:
            _need(trait in TRAITS, f"{what}: trait {trait}")
        if layer.laid_out_operands:
            fields_of = table.descriptors[layer.descriptor].fields
            _need(any(one.name == "data_layout" for one in fields_of), f"{what}: data_layout")
        if layer.canonical:
            _need(layer.canonical["type"] in table.layers, f"{what}: canonical")


def _fits(field_type: str, default: Any) -> bool:
    """Say whether a default can be a value of a field; None: the field has none."""
    if default is None or field_type not in FIELD_TYPES:
        return default is None or isinstance(default, str)  # an enumerator's name
    if FIELD_TYPES[field_type][2]:
        return isinstance(default, list)
    if field_type == "text":
        return isinstance(default, str)
    if field_type == "bool":
        return isinstance(default, bool)
    numbers = (int, float) if field_type == "float" else int
    return isinstance(default, numbers) and not isinstance(default, bool)


def _need(condition: bool, text: str) -> None:
    if not condition:
        raise ValueError(f"{text} is not one that the table knows")
