# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ``add_...`` methods whose arguments go into a descriptor as they are."""

from __future__ import annotations

from layer_python import docstring, exports, head
from layer_table import FIELD_TYPES, Builder, Descriptor, Field, Layer, Table

_WIDTH = 100
_ANNOTATIONS = {"float": "float", "bool": "bool"}


def builders(table: Table) -> str:
    """The text of ``armnn_py/network/builders/plain.py``."""
    body = "".join(
        _method(table, layer, builder)
        for layer in sorted(table.layers.values(), key=lambda one: one.name)
        for builder in layer.builders
    )
    classes = [f"{name}Descriptor" for name in table.descriptors]
    text = [head("Builders of layers whose parameters are those of their descriptor.")]
    text.append("from collections.abc import Sequence\n\n")
    text.append(_imports("armnn_py.descriptors", [n for n in classes if f" {n}(" in body]))
    text.append("from armnn_py.network.builders.arguments import integers\n")
    text.append("from armnn_py.network.core import NetworkCore\n")
    text.append("from armnn_py.network.layer import Layer, Source\n")
    text.append("from armnn_py.tensors import TensorInfo\n")
    enums = [*table.enumerations, "DataType", "LayerType"]
    text.append(
        _imports("armnn_py.types", [n for n in enums if f"{n}." in body or f": {n}" in body])
    )
    text.append("\n" + exports(["PlainBuilders"]))
    doc = (
        "Layers whose parameters are plain values; see `Network` for what all builders share.\n\n"
        "Two operands broadcast as in numpy; a plain Python number beside a tensor takes its type."
    )
    text.append(f"\n\nclass PlainBuilders(NetworkCore):\n{docstring(doc)}\n    __slots__ = ()\n")
    return "".join([*text, body])


def _imports(module: str, names: list[str]) -> str:
    return (
        f"from {module} import (\n"
        + "".join(f"    {n},\n" for n in sorted(names, key=str.lower))
        + ")\n"
    )


def _method(table: Table, layer: Layer, builder: Builder) -> str:
    kind = table.descriptors.get(layer.descriptor)
    operands, parameters, signature = [], [], ["self"]
    for text in builder.args:
        name, _, default = (part.strip() for part in text.partition("="))
        if name == "*":
            signature.append("*")
            continue
        optional = len(operands) < len(layer.operands) and layer.operands[len(operands)][-1] == "?"
        if len(operands) < len(layer.operands):
            operands.append(name)
            annotation = "Source | None" if optional else "Source"
        else:
            item = _field(kind, builder.fields.get(name, name))
            parameters.append((name, item))
            annotation = _annotation(item)
        signature.append(f"{name}: {annotation}{f' = {default}' if default else ''}")
    if "*" not in signature:
        signature.append("*")
    if builder.output_info:
        signature.append("output_info: TensorInfo | None = None")
    signature += ["name: str | None = None", "backend: str | None = None"]
    lines = [f"\n    def {builder.name}(\n"]
    lines += [f"        {one},\n" for one in signature]
    lines.append("    ) -> Layer:\n")
    lines.append(_doc(builder))
    descriptor = "None"
    if kind is not None:
        values = [f"{item.name}={_value(name, item)}" for name, item in parameters]
        for key, member in builder.set.items():
            values.insert(0, f"{key}={_field(kind, key).type}.{member}")
        descriptor = "descriptor"
        lines.append(_call(f"        descriptor = {kind.class_name}(", values))
    info = "output_info" if builder.output_info else "None"
    arguments = [f"LayerType.{layer.name}", f"[{', '.join(operands)}]", descriptor, info]
    lines.append(_call("        return self._add(", [*arguments, "name", "backend"]))
    return "".join(lines)


def _call(start: str, arguments: list[str]) -> str:
    line = f"{start}{', '.join(arguments)})\n"
    if len(line) <= _WIDTH + 1:
        return line
    inner = "".join(f"            {one},\n" for one in arguments)
    return f"{start}\n{inner}        )\n"


def _field(kind: Descriptor | None, name: str) -> Field:
    for one in kind.fields if kind else ():
        if one.name == name:
            return one
    raise ValueError(f"no field '{name}' in {kind.class_name if kind else 'a bare layer'}")


def _annotation(item: Field) -> str:
    if item.type not in FIELD_TYPES:
        return item.type
    if FIELD_TYPES[item.type][2]:
        return "Sequence[int]"
    return _ANNOTATIONS.get(item.type, "int")


def _value(name: str, item: Field) -> str:
    is_array = item.type in FIELD_TYPES and FIELD_TYPES[item.type][2]
    return f'integers({name}, "{name}")' if is_array else name


def _doc(builder: Builder) -> str:
    text = builder.doc
    sections = [("Parameters", builder.params), ("Raises", builder.raises)]
    if builder.returns:
        sections.insert(1, ("Returns", {"Layer": builder.returns}))
    found = docstring(text, " " * 8)
    shown = [(title, entries) for title, entries in sections if entries]
    if not shown:
        return found
    found = found.removesuffix("\n").removesuffix('"""').rstrip() + "\n"
    for title, entries in shown:
        found += f"\n        {title}\n        {'-' * len(title)}\n"
        for name, meaning in entries.items():
            found += f"        {name}\n"
            found += docstring(meaning, " " * 12).replace('"""', "").rstrip() + "\n"
    return f'{found}        """\n'
