# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The Python side of the layer table: enumerations, facts and descriptor classes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from layer_table import FIELD_TYPES, Descriptor, Enumeration, Field, Layer, Member, Table

_HEAD = '''\
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# fmt: off
"""{doc}

Generated from ``schema`` by ``python scripts/generate_layers.py``; do not edit.
"""

from __future__ import annotations

'''


def head(doc: str) -> str:
    """The beginning of a generated file."""
    return _HEAD.format(doc=doc)


def docstring(text: str, indent: str = "    ") -> str:
    """A docstring, wrapped at 100 columns."""
    paragraphs = text.strip().split("\n\n")
    lines: list[str] = []
    for paragraph in paragraphs:
        first = not lines
        if not first:
            lines.append("")
        for line in paragraph.splitlines():
            margin = line[: len(line) - len(line.lstrip())]
            room = 100 - len(indent) - (3 if first and not lines else 0)
            lines += textwrap.wrap(
                line, room, subsequent_indent=margin, break_on_hyphens=False, break_long_words=False
            )
    if len(lines) == 1 and len(indent) + len(lines[0]) + 6 <= 100:
        return f'{indent}"""{lines[0]}"""\n'
    body = f"\n{indent}".join(lines)
    text = f'{indent}"""{body}\n{indent}"""\n'
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def exports(names: list[str]) -> str:
    """``__all__``, sorted as ruff sorts it: constants, classes, the rest."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), name))
    return "__all__ = [\n" + "".join(f'    "{name}",\n' for name in ordered) + "]\n"


#: The descriptor that has a module of its own.
COMPILED = "PreCompiled"


# ---- Enumerations --------------------------------------------------------------------------------


def enumerations(table: Table) -> str:
    """The text of ``armnn_py/types/enumerations.py``."""
    ordered = sorted(table.enumerations.values(), key=lambda one: one.name)
    names = [one.name for one in ordered] + ["DataType", "LayerType"]
    text = [head("Enumerations of data types, layer types and of what layers offer a choice of.")]
    text.append(
        "from enum import IntEnum\n\n"
        "from armnn_py.types.bases import DataLayoutBase, DataTypeBase, LayerTypeBase\n\n"
    )
    text.append(exports(names))
    text += [_data_type(table), _layer_type(table)]
    text += [_enumeration(one) for one in ordered]
    return "".join(text)


def _enumeration(enum: Enumeration) -> str:
    doc = enum.doc
    if any(one.defaults for one in enum.members):  # help() shows no comments
        rows = [
            (f"``{one.name}``", one.doc.removeprefix("[armnn_py] "), _parameters(one))
            for one in enum.members
        ]
        widths = [
            max(map(len, column)) for column in zip(("", "is", "not given"), *rows, strict=True)
        ]
        rule = "  ".join("=" * width for width in widths)
        lines = [
            rule,
            *(_row(row, widths) for row in (("", "is", "not given"),)),
            rule,
            *(_row(row, widths) for row in rows),
            rule,
        ]
        doc += "\n\n" + "\n".join(lines)
    text = f"\n\nclass {enum.name}({enum.base}):\n{docstring(doc)}\n"
    for one in enum.members:
        text += f"    {one.name} = {one.id}{f'  #: {one.doc}' if one.doc else ''}\n"
    return text


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _parameters(member: Member) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in member.defaults.items())


def _data_type(table: Table) -> str:
    doc = (
        "Type of a tensor's elements.\n\nQuantised values mean ``real = scale * (q - zero_point)``;"
        " the symmetric types have\n``zero_point == 0``. ``BOOLEAN`` is one byte. Types that numpy"
        " lacks travel as their bits:\n``BFLOAT16`` as ``uint16``, the ``FLOAT8`` types as"
        " ``uint8``. Elements of less than a byte are packed,\nand exist inside a network alone."
    )
    text = f"\n\nclass DataType(DataTypeBase):\n{docstring(doc)}\n"
    for one in table.data_types.values():
        names = (one.label, one.shown, one.described)
        facts = (one.id, *names, one.bits, one.numpy, one.kind, one.plain, one.since)
        points = f", {tuple(one.zero_points)}" if one.zero_points else ""
        text += f"    {one.name} = {', '.join(_literal(fact) for fact in facts)}{points}\n"
    return text


def _layer_type(table: Table) -> str:
    doc = "What a layer computes; see ``armnn/descriptors.h`` for operands and definition of each."
    text = f"\n\nclass LayerType(LayerTypeBase):\n{docstring(doc)}\n"
    for layer in table.layers.values():
        text += f'    {layer.name} = {layer.id}, "{layer.label}"\n'
    return text


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


# ---- Facts ---------------------------------------------------------------------------------------

_FACT_KEYS = ("types", "quantization", "arithmetic", "shape")
_DEFAULTS = {"types": "any", "quantization": "moves", "arithmetic": "exact", "shape": "custom"}


def facts(table: Table) -> str:
    """The text of ``armnn_py/types/facts.py``."""
    text = [head("What is known of each layer type.")]
    used = sorted(
        {
            "DataType",
            "LayerType",
            *(
                _operation_enum(table, one)
                for one in table.layers.values()
                if "operation" in one.canonical
            ),
            *(
                e.name
                for e in table.enumerations.values()
                if any(m.since or m.defaults for m in e.members)
            ),
        }
    )
    text.append("from enum import IntEnum\nfrom typing import Final\n\n")
    text.append("from armnn_py.types.enumerations import (\n")
    text += [f"    {name},\n" for name in used]
    text.append(
        ")\nfrom armnn_py.types.layer_facts import FactsByType\n\n"
        + exports(["ALIASES", "FACTS", "MEMBERS_SINCE", "PARAMETERS"])
    )
    text.append("\nFACTS: Final = FactsByType({\n")
    for layer in table.layers.values():
        text.append(f"    LayerType.{layer.name}: {{\n")
        text += [f'        "{name}": {value},\n' for name, value in _facts_of(table, layer)]
        text.append("    },\n")
    text.append("})\n")
    text.append("\n#: By canonical type: those that stand for it in some cases.\n")
    text.append("ALIASES: Final[dict[LayerType, tuple[LayerType, ...]]] = {\n")
    aliases: dict[str, list[str]] = {}
    for layer in table.layers.values():
        kind = dict(_facts_of(table, layer)).get("canonical")
        if kind is not None:
            aliases.setdefault(kind, []).append(f"LayerType.{layer.name}")
    for kind, names in aliases.items():
        text.append(f"    {kind}: ({', '.join(names)},),\n")
    doc = "Enumerators that came after the first minor version, by number, and that version."
    text.append(f"}}\n\n#: {doc}\n")
    text.append("MEMBERS_SINCE: Final[dict[type[IntEnum], dict[int, int]]] = {")
    later = []
    for enum in table.enumerations.values():
        since = {member.id: member.since for member in enum.members if member.since}
        if since:
            later.append(f"    {enum.name}: {since!r},\n")
    text.append(f"\n{''.join(later)}}}\n" if later else "}\n")
    doc = "Parameters of the descriptor that an enumerator reads, and what they are if not given."
    kind = "dict[type[IntEnum], dict[int, dict[str, float]]]"
    text.append(f"\n#: {doc}\nPARAMETERS: Final[{kind}] = {{\n")
    for enum in table.enumerations.values():
        known = [one for one in enum.members if one.defaults]
        if known:
            text.append(f"    {enum.name}: {{\n")
            for one in known:
                text.append(f"        {enum.name}.{one.name}: {one.defaults!r},\n")
            text.append("    },\n")
    text.append("}\n")
    return "".join(text)


def _facts_of(table: Table, layer: Layer) -> list[tuple[str, str]]:
    found = [("doc", _literal(layer.doc))]
    if layer.since:
        found.append(("since", str(layer.since)))
    if layer.operands != ["input"]:
        found.append(("operands", _tuple(layer.operands)))
    if layer.variadic:
        found.append(("variadic", "True"))
    if layer.outputs != ["output"]:
        outputs = None if isinstance(layer.outputs, str) else layer.outputs
        found.append(("outputs", "None" if outputs is None else _tuple(outputs)))
    for key in _FACT_KEYS:
        if getattr(layer, key) != _DEFAULTS[key]:
            found.append((key, _literal(getattr(layer, key))))
    if layer.operand_types:
        others = {layer.operands.index(name): group for name, group in layer.operand_types.items()}
        found.append(("operand_types", _pairs(others)))
    if layer.output_type:
        found.append(("output_type", f"DataType.{layer.output_type}"))
    found += [(trait, "True") for trait in layer.traits]
    if layer.permutable_if:
        found.append(("permutable_if", _pairs(layer.permutable_if)))
    if layer.permuted_operands:
        found.append(("permuted_operands", _tuple(layer.permuted_operands)))
    if layer.operand_ranks:
        ranks = {layer.operands.index(name): rank for name, rank in layer.operand_ranks.items()}  # type: ignore[union-attr]
        found.append(("operand_ranks", _pairs(ranks)))
    if layer.laid_out_operands:
        found.append(("laid_out_operands", _tuple(layer.laid_out_operands)))
    if layer.canonical:
        found.append(("canonical", f"LayerType.{layer.canonical['type']}"))
    if "from" in layer.canonical:
        types = ", ".join(f"DataType.{layer.canonical[key]}" for key in ("from", "to"))
        found.append(("canonical_types", f"({types})"))
    if "inverse" in layer.canonical:
        found.append(("canonical_inverse", _literal(layer.canonical["inverse"])))
    if "operation" in layer.canonical:
        member = f"{_operation_enum(table, layer)}.{layer.canonical['operation']}"
        found.append(("canonical_operation", member))
    return found


def _operation_enum(table: Table, layer: Layer) -> str:
    target = table.layers[layer.canonical["type"]]
    return table.descriptors[target.descriptor].fields[0].type


def _tuple(values: Any) -> str:
    items = [_literal(value) for value in values]
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _pairs(values: dict[Any, Any]) -> str:
    items = ", ".join(f"({_literal(key)}, {_literal(value)})" for key, value in values.items())
    return f"({items},)"


# ---- Descriptors ---------------------------------------------------------------------------------


def descriptors(table: Table) -> str:
    """The text of ``armnn_py/descriptors/classes.py``."""
    every = sorted(table.descriptors.values(), key=lambda one: one.class_name)
    ordered = [one for one in every if one.name != COMPILED]
    compiled = table.descriptors[COMPILED].class_name
    types = {f.type for one in ordered for f in one.fields}
    annotations = {FIELD_TYPES[name][1] for name in types if name in FIELD_TYPES}
    own = annotations - {"float", "bool", "str"} | {"Descriptor"}
    names = sorted(own, key=_import_order)
    enums = {name for name in types if name not in FIELD_TYPES}
    text = [head("Parameters of layers: one frozen struct for each descriptor of the C headers.")]
    text.append(f"{_IMPORTS}from armnn_py.descriptors import checks\n")
    text.append("from armnn_py.descriptors.base import (\n")
    text += [f"    {name},\n" for name in names]
    text.append(f")\nfrom armnn_py.descriptors.compiled import {compiled}\n")
    text.append("from armnn_py.types import (\n")
    text += [f"    {name},\n" for name in sorted({*enums, "LayerType"})]
    text.append(")\n\n")
    text.append(exports(["DESCRIPTOR_OF", *(one.class_name for one in every)]))
    text += [_descriptor(table, one) for one in ordered]
    text.append("\n\nDESCRIPTOR_OF: dict[LayerType, type[Descriptor] | None] = {\n")
    for layer in table.layers.values():
        kind = f"{layer.descriptor}Descriptor" if layer.descriptor else "None"
        text.append(f"    LayerType.{layer.name}: {kind},\n")
    text.append(
        '}\n"""The descriptor of each layer type; ``None`` for those without parameters."""\n'
    )
    return "".join(text)


def compiled_descriptor(table: Table) -> str:
    """The text of ``armnn_py/descriptors/compiled.py``."""
    one = table.descriptors[COMPILED]
    names = {FIELD_TYPES[f.type][1] for f in one.fields} - {"float", "bool", "str"}
    text = [head("The parameters of compiled layers, which many a saved network has alone.")]
    text.append(f"{_IMPORTS}from armnn_py.descriptors.base import ")
    text.append(", ".join(sorted({*names, "Descriptor"}, key=_import_order)))
    text.append("\nfrom armnn_py.types import LayerType\n\n")
    text += [exports([one.class_name]), _descriptor(table, one)]
    return "".join(text)


_IMPORTS = "from typing import ClassVar\n\n"


def _import_order(name: str) -> tuple[bool, str]:
    return (name.islower(), name)


def _descriptor(table: Table, one: Descriptor) -> str:
    layers = table.layers_with(one.name)
    doc = f"Parameters of {' and '.join(layer.label for layer in layers)}."
    summary = one.doc
    if not summary and len(layers) == 1:
        doc = f"{layers[0].label}: {layers[0].doc[0].lower()}{layers[0].doc[1:]}"
    elif summary:
        doc += f"\n\n{summary}"
    text = f"\n\nclass {one.class_name}(Descriptor, frozen=True):\n{docstring(doc)}\n"
    for item in one.fields:
        note = f"  #: {item.doc}" if item.doc else ""
        text += f"    {item.name}: {_annotation(item)} = {_default(item)}{note}\n"
    types = ", ".join(f"LayerType.{layer.name}" for layer in layers)
    text += f"\n    layer_types: ClassVar = ({types}{',' if len(layers) == 1 else ''})\n"
    if one.length:
        text += f'    length_member: ClassVar = "{one.length}"\n'
    since = {item.name: item.since for item in one.fields if item.since}
    if since:
        text += f"    since: ClassVar = {since!r}\n"
    bits = {f.name: 1 << f.must_understand for f in one.fields if f.must_understand is not None}
    if bits:
        text += f"    must_understand: ClassVar = {bits!r}\n"
    if one.roles:
        text += f"    roles: ClassVar = {_roles(one.roles)}\n"
    checks = [f"check_layout(self, self.{f.name}, {f.rank})" for f in one.fields if f.rank]
    if one.check:
        checks.append(f"check_{_snake(one)}(self)")
    if checks:
        text += "\n    def _check(self) -> None:\n"
        text += "".join(f"        checks.{call}\n" for call in checks)
    return text


def _roles(roles: dict[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": "{role}"' for name, role in roles.items()) + "}"


def _snake(one: Descriptor) -> str:
    return one.struct.removeprefix("armnn_").removesuffix("_descriptor_t")


def _annotation(item: Field) -> str:
    return FIELD_TYPES[item.type][1] if item.type in FIELD_TYPES else item.type


def _default(item: Field) -> str:
    if item.type not in FIELD_TYPES:
        return f"{item.type}.{item.default}"
    if isinstance(item.default, list):
        return _tuple(item.default)
    return _literal(item.default)
