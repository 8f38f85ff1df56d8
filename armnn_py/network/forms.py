# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network as plain values for copies and pickles, as one line, as a table, and as HTML.

Layers point at each other both ways, so that following them would recurse as deep as the network
is long; a flat list does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py.descriptors import Descriptor
from armnn_py.network.layer import AssignLayer, ConstantLayer, Layer, VariableLayer
from armnn_py.network.storage import NetworkStorage
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.text import counted, printable
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FlatLayer(NamedTuple):
    """One layer; its operands are (guid of the layer, index of the output)."""

    name: str
    type: LayerType
    descriptor: Descriptor | None
    inputs: tuple[tuple[int, int] | None, ...]
    output_infos: tuple[TensorInfo, ...]
    backend_hint: str | None
    value: NDArray[Any] | None
    variable: int | None = None
    """Of a layer that assigns a variable: the guid of that one."""


def _value(layer: Layer) -> NDArray[Any] | None:
    if isinstance(layer, ConstantLayer):
        return layer.value
    return layer.initial if isinstance(layer, VariableLayer) else None


def flatten(network: NetworkStorage) -> list[FlatLayer]:
    """Return the layers of a network in order."""
    return [
        FlatLayer(
            layer.name,
            layer.type,
            layer.descriptor,
            tuple(None if slot is None else (slot.layer.guid, slot.index) for slot in layer.inputs),
            tuple(slot.info for slot in layer.outputs),
            layer.backend_hint,
            _value(layer),
            layer.variable.guid if isinstance(layer, AssignLayer) else None,
        )
        for layer in network.layers
    ]


def restore(network: NetworkStorage, layers: list[FlatLayer]) -> None:
    """Add layers to an empty network. They were valid once and are not inferred again."""
    made: list[Layer] = []
    for flat in layers:
        if flat.value is not None:
            flat.value.flags.writeable = False  # a pickle does not keep this
        variable = None if flat.variable is None else made[flat.variable]
        assert variable is None or isinstance(variable, VariableLayer)
        layer = network.append_unchecked(
            flat.name,
            flat.type,
            flat.descriptor,
            tuple(None if read is None else made[read[0]].outputs[read[1]] for read in flat.inputs),
            flat.output_infos,
            backend=flat.backend_hint,
            value=flat.value,
            variable=variable,
        )
        made.append(layer)


_HTML_ROWS = 200
_HEAD = ("layer", "type", "output", "parameters", "reads")


def _list(infos: Iterable[tuple[str, TensorInfo]]) -> str:
    items = [
        f"{printable(name)} {format_shape(info.shape, info.dimension_names)}"
        for name, info in infos
    ]
    return ", ".join(items[:3]) + (", ..." if len(items) > 3 else "") or "nothing"


def _freedom(network: NetworkStorage) -> str:
    """Return why a network has no layers yet."""
    if any(not info.is_static for info in network.inputs.values()):
        return "free dimensions"
    if network.stages:
        return f"in {counted(len(network.stages), 'stage')}"
    return "shapes from values of " + ", ".join(printable(key) for key in network.value_inputs)


def one_line(network: NetworkStorage) -> str:
    """Return ``<Network 'name' 53 layers, image 1x3x224x224 -> probs 1x1000>``."""
    size = _freedom(network) if network.is_dynamic else f"{len(network.layers)} layers"
    ends = f"{_list(network.inputs.items())} -> {_list(network.outputs.items())}"
    return f"<Network '{printable(network.name)}' {size}, {ends}>"


def _count(layer: Layer) -> int:
    """Return how many constant values a layer reads."""
    return sum(
        slot.layer.value.size
        for slot in layer.inputs
        if slot is not None and isinstance(slot.layer, ConstantLayer)
    )


def _row(layer: Layer) -> tuple[str, str, str, str, str]:
    made = ", ".join(
        f"{slot.info.data_type.shown} {format_shape(slot.info.shape)}" for slot in layer.outputs[:3]
    ) + (", ..." if len(layer.outputs) > 3 else "")
    sources = [
        printable(slot.layer.name) + (f":{slot.index}" if len(slot.layer.outputs) > 1 else "")
        for slot in layer.inputs
        if slot is not None and slot.layer.type is not LayerType.CONSTANT
    ]
    read = ", ".join(sources[:3]) + (", ..." if len(sources) > 3 else "")
    count = _count(layer)
    return printable(layer.name), layer.label, made, f"{count:,}" if count else "", read


def _rows(network: NetworkStorage) -> list[tuple[str, str, str, str, str]]:
    return [_row(layer) for layer in network.layers if layer.type is not LayerType.CONSTANT]


def _total(network: NetworkStorage) -> str:
    constants = [layer.value for layer in network.layers if isinstance(layer, ConstantLayer)]
    values = sum(value.size for value in constants)
    size = sum(value.nbytes for value in constants)
    rows = len(network.layers) - len(constants)
    return f"{rows} layers, {values:,} constant values in {size:,} bytes"


def _dynamic_lines(network: NetworkStorage) -> list[str]:
    ends = [
        ("input", network.inputs), ("output", network.outputs), ("variable", network.variables)
    ]  # fmt: skip
    return [
        f"{what} '{printable(name)}': {info!r}"
        for what, infos in ends
        for name, info in infos.items()
    ]


def summary(network: NetworkStorage) -> str:
    """Return a table of the layers, constants counted with the layers that read them."""
    lines = [one_line(network)]
    if network.is_dynamic:
        return "\n".join(lines + [f"  {line}" for line in _dynamic_lines(network)])
    rows = [_HEAD, *_rows(network)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for row in rows:
        cells = [
            f"{cell:>{width}}" if column == 3 else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.append(_total(network))
    return "\n".join(lines)


def html_table(network: NetworkStorage) -> str:
    """Return the summary as HTML; of a long network, its first layers."""
    title = f"<p><b>{escape(one_line(network)[1:-1])}</b></p>"
    if network.is_dynamic:
        items = "".join(f"<li>{escape(line)}</li>" for line in _dynamic_lines(network))
        return f"{title}<ul>{items}</ul>"
    rows = _rows(network)
    head = "".join(f"<th>{cell}</th>" for cell in _HEAD)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:_HTML_ROWS]
    )
    left = len(rows) - _HTML_ROWS
    more = f"<p>{left} more layers</p>" if left > 0 else ""
    foot = f"<p>{escape(_total(network))}</p>"
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{foot}"
