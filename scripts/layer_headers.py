# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The C side of the layer table: enumerations, descriptors, names and sizes."""

from __future__ import annotations

import textwrap

from layer_table import API_MAJOR, FIELD_TYPES, Descriptor, Enumeration, Field, Layer, Table, snake

_WIDTH = 100
_SIZES = {
    "uint64_t": 8,
    "int64_t": 8,
    "const armnn_view_t*": 8,
    "const armnn_attribute_t*": 8,
    "armnn_string_t": 16,
}


def comment(text: str, indent: str = "") -> str:
    """Wrap a text as a C comment; every line of it starts a line."""
    wrapped: list[str] = []
    for line in text.replace("``", "").replace("`", "").splitlines():
        margin = line[: len(line) - len(line.lstrip())]
        width = _WIDTH - len(indent) - 6
        wrapped += textwrap.wrap(line, width, subsequent_indent=margin, break_on_hyphens=False)
    return f"{indent}/* " + f"\n{indent} * ".join(wrapped) + " */\n"


def enumeration(enum: Enumeration) -> str:
    """An enumeration; what an enumerator means stands behind it."""
    rows = [(f"ARMNN_{enum.prefix}_{one.name} = {one.id},", one.doc) for one in enum.members]
    last = max(one.id for one in enum.members)
    rows.append((f"ARMNN_{enum.group}_COUNT = {last + 1},", ""))
    rows.append((f"ARMNN_{enum.group}_MAX_ENUM = INT32_MAX", ""))
    return _enum(enum.tag, rows, enum.doc)


def _enum(tag: str, rows: list[tuple[str, str]], doc: str = "") -> str:
    lines = [comment(doc) if doc else "", f"enum {tag} {{\n"]
    for text, meaning in rows:
        line = f"  {text} /* {meaning} */\n" if meaning else f"  {text}\n"
        if len(line) > _WIDTH + 1:
            line = f"{comment(meaning, '  ')}  {text}\n"
        lines.append(line)
    return "".join([*lines, "};\n"])


def data_types(table: Table) -> str:
    """The region of ``types.h``."""
    rows = [
        (f"ARMNN_DATA_TYPE_{one.name} = {one.id},", one.doc) for one in table.data_types.values()
    ]
    count = max(one.id for one in table.data_types.values()) + 1
    rows += [
        (f"ARMNN_DATA_TYPE_COUNT = {count},", "one above the highest"),
        ("ARMNN_DATA_TYPE_MAX_ENUM = INT32_MAX", ""),
    ]
    return "\n".join(
        [_enum("armnn_data_type_e", rows), enumeration(table.enumerations["DataLayout"])]
    )


def layers(table: Table) -> str:
    """The region of ``descriptors.h``."""
    rows = []
    for layer in table.layers.values():
        meaning = f"use {layer.canonical['type']}" if layer.canonical else ""
        rows.append((f"ARMNN_LAYER_{layer.name} = {layer.id},", meaning))
    rows += [
        (f"ARMNN_LAYER_TYPE_COUNT = {max(one.id for one in table.layers.values()) + 1},", ""),
        ("ARMNN_LAYER_TYPE_MAX_ENUM = INT32_MAX", ""),
    ]
    text = [_ruler("Layer types"), _enum("armnn_layer_type_e", rows)]
    text.append(_ruler("Enumerations of the descriptors"))
    text += [enumeration(one) for name, one in table.enumerations.items() if name != "DataLayout"]
    text.append(_ruler("Descriptors"))
    text += [descriptor(table, one) for one in table.descriptors.values()]
    text.append(_ruler("Layers without a descriptor"))
    text += [comment(_summary(one)) for one in table.layers_with("")]
    return "\n".join(text)


def _ruler(title: str) -> str:
    return f"/* ---- {title} {'-' * (86 - len(title))} */\n"


def _summary(layer: Layer) -> str:
    if layer.operands_of:
        inputs = f"as {layer.operands_of}"
    else:
        inputs = "n inputs" if layer.variadic else ", ".join(layer.operands)
    outputs = "n outputs" if isinstance(layer.outputs, str) else ", ".join(layer.outputs)
    arithmetic = "" if layer.arithmetic == "none" else f"; {layer.arithmetic}"
    operands = f"{inputs or 'nothing'} -> {outputs or 'nothing'}{arithmetic}"
    return f"{layer.name} [{operands}]: {layer.doc} {layer.numbers}".rstrip()


def descriptor(table: Table, one: Descriptor) -> str:
    """A descriptor structure, its padding spelt out."""
    text = "\n".join(_summary(layer) for layer in table.layers_with(one.name))
    if one.doc:
        text += f"\n{one.doc}"
    body = comment(text)
    for item in one.fields:
        if item.must_understand is not None:
            macro = f"ARMNN_FIELD_{snake(one.name)}_{item.name}".upper()
            body += f"#define {macro} (UINT64_C(1) << {item.must_understand})\n"
    body += f"typedef struct {one.struct} {{\n  armnn_header_t header;\n"
    size, spare = 0, 0
    counted = bool(one.length)
    for item in one.fields:
        c_type, _, elements = _c_type(table, item)
        if counted and elements:
            body += _member("uint32_t", one.length)
            size, counted = size + 4, False
        width = _SIZES.get(c_type, 4)
        if size % min(width, 8):
            body += _member("uint32_t", _reserved(spare))
            size, spare = size + 4, spare + 1
        array = "[ARMNN_MAX_DIMS]" if elements > 1 else ""
        body += _member(c_type, item.name + array, _remark(table, item))
        size += width * (elements or 1)
    if size % 8:
        body += _member("uint32_t", _reserved(spare))
    return f"{body}}} {one.struct};\n"


def _reserved(spare: int) -> str:
    return "reserved" if spare == 0 else f"reserved{spare + 1}"


def _c_type(table: Table, item: Field) -> tuple[str, str, int]:
    if item.type in table.enumerations or item.type == "DataType":
        return "int32_t", "", 0
    return FIELD_TYPES[item.type]


def _remark(table: Table, item: Field) -> str:
    remarks = []
    if item.type in table.enumerations:
        remarks.append(table.enumerations[item.type].tag)
    elif item.type == "DataType":
        remarks.append("armnn_data_type_e")
    if item.since:
        remarks.append(f"since {API_MAJOR}.{item.since}")
    if item.doc:
        remarks.append(item.doc)
    if item.type in ("axis", "axes"):
        remarks.append("negative counts from the end")
    return "; ".join(remarks)


def _member(c_type: str, name: str, remark: str = "") -> str:
    line = f"  {c_type} {name};"
    return f"{line} /* {remark} */\n" if remark else f"{line}\n"


def names(table: Table) -> str:
    """The tables of ``names.h``: what numbers are called, and how large elements are."""
    types = list(table.data_types.values())
    text = [
        _lookup(
            "armnn_data_type_name",
            "const char*",
            [(one.id, f'"{one.described}"') for one in types],
            '"unknown type"',
            "Name of a data type, for messages.",
        ),
        _lookup(
            "armnn_data_type_bits",
            "uint32_t",
            [(one.id, str(one.bits)) for one in types],
            "0",
            "Bits of one element; 0 for a number that is not a data type.",
        ),
        _lookup(
            "armnn_data_type_is_quantized",
            "int32_t",
            [(one.id, "1") for one in types if one.kind == "quantized"],
            "0",
            "Whether elements stand for scale * (element - zero point).",
        ),
        _lookup(
            "armnn_layer_type_name",
            "const char*",
            [(one.id, f'"{one.label}"') for one in table.layers.values()],
            '"unknown layer"',
            "Name of a layer type, for messages.",
        ),
        _lookup(
            "armnn_layer_moves_elements",
            "int32_t",
            [(one.id, "1") for one in table.layers.values() if _moves_elements(one)],
            "0",
            "Whether a layer puts elements of its input elsewhere, as they are: their quantisation "
            "must be that of the output.",
        ),
        _operations(table),
    ]
    return "\n".join(text)


def _moves_elements(layer: Layer) -> bool:
    """Whether elements change their place; a copy of a whole tensor leaves them where they are."""
    stays = {"host", "moves_memory", "opaque"}
    return layer.quantization == "moves" and not layer.canonical and not stays & {*layer.traits}


def _lookup(name: str, result: str, rows: list[tuple[int, str]], other: str, doc: str) -> str:
    lines = [comment(doc), f"static inline {result} {name}(int32_t number) {{\n"]
    lines.append("  switch (number) {\n")
    lines += [f"    case {number}: return {answer};\n" for number, answer in rows]
    lines.append(f"    default: return {other};\n  }}\n}}\n")
    return "".join(lines)


def _operations(table: Table) -> str:
    """Names of what the first field of a descriptor asks for."""
    doc = "Name of what a layer's descriptor asks for first; null where there is none."
    lines = [comment(doc)]
    lines.append("static inline const char* armnn_operation_name(int32_t layer_type, ")
    lines.append("int32_t operation) {\n  switch (layer_type) {\n")
    for layer in table.layers.values():
        if not layer.descriptor:
            continue
        first = table.descriptors[layer.descriptor].fields[0]
        enum = table.enumerations.get(first.type)
        if enum is None or not enum.members[0].label:
            continue
        lines.append(f"    case ARMNN_LAYER_{layer.name}:\n      switch (operation) {{\n")
        for one in enum.members:
            lines.append(f'        case {one.id}: return "{one.label}";\n')
        lines.append("        default: return NULL;\n      }\n")
    lines.append("    default: return NULL;\n  }\n}\n")
    return "".join(lines)
