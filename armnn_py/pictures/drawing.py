# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What is drawn of an optimised network: a box for each layer, a wire for each tensor read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from armnn_py.tensors import format_shape
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.network import Layer
    from armnn_py.optimizer import LayerAssignment
    from armnn_py.optimizer.optimized import PlacedNetwork
    from armnn_py.tensors import TensorInfo

__all__ = ["Box", "Drawing", "Wire", "drawing_of", "format_info"]

_KINDS = {"Input": "input", "Output": "output", "MemCopy": "copy", "MemImport": "import"}


@dataclass(frozen=True, slots=True)
class Box:
    """One layer of what is run.

    Attributes
    ----------
    id
        Number of the layer in the optimised network.
    name, type
        As in the optimised network.
    kind
        ``"layer"``, ``"input"``, ``"output"``, or ``"copy"`` and ``"import"`` for what carries a
        tensor from one backend's memory to another's.
    backend
        Id of the backend that runs it; None for inputs and outputs.
    part
        Number of the part of the network that the backend got in one piece, or None.
    inputs, outputs
        Type and shape of each tensor, constants among the inputs; None for an absent operand.
    layers
        Names of the layers of the user's network that it stands for.
    reason
        Why it is not on an earlier choice of backend; empty if it is on the first.
    """

    id: int
    name: str
    type: str
    kind: str
    backend: str | None
    part: int | None
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    layers: tuple[str, ...] = ()
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The box as JSON-able values."""
        return {
            "id": self.id,
            "name": self.name,
            "type": self.type,
            "kind": self.kind,
            "backend": self.backend,
            "part": self.part,
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "layers": list(self.layers),
            "reason": self.reason,
        }

    def describe(self) -> list[str]:
        """All there is to say about it, in printable lines."""
        lines = [f"{self.type} '{self.name}'"]
        if self.backend:
            part = "" if self.part is None else f", part {self.part}"
            lines.append(f"backend {self.backend}{part}")
        if self.inputs:
            lines.append("reads " + ", ".join(text or "-" for text in self.inputs))
        if self.outputs:
            lines.append("makes " + ", ".join(self.outputs))
        if len(self.layers) > 1 or (self.layers and self.layers[0] != self.name):
            shown = ", ".join(self.layers[:8]) + (", ..." if len(self.layers) > 8 else "")
            lines.append(f"stands for {counted(len(self.layers), 'layer')}: {shown}")
        if self.reason:
            lines.append(f"why not an earlier choice: {self.reason}")
        return [printable(line) for line in lines]


@dataclass(frozen=True, slots=True)
class Wire:
    """A tensor on its way from the box that makes it to one that reads it.

    Attributes
    ----------
    source, output
        The box that makes it, and which of its outputs it is.
    target, input
        The box that reads it, and as which of its inputs.
    tensor
        Its type and shape.
    memory
        Id of the tensor handle factory whose memory it lies in; None for host memory.
    """

    source: int
    output: int
    target: int
    input: int
    tensor: str
    memory: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The wire as JSON-able values."""
        return {
            "from": self.source,
            "output": self.output,
            "to": self.target,
            "input": self.input,
            "tensor": self.tensor,
            "memory": self.memory,
        }


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes, each after those that it reads, and wires; constants are not drawn.

    Attributes
    ----------
    title, summary
        Name of the network, and what became of it in one line.
    counts
        Layers of the user's network on each backend, most first.
    """

    title: str
    summary: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, int]:
        """Why layers are not on an earlier choice, with counts of boxes, most first."""
        return dict(Counter(box.reason for box in self.boxes if box.reason).most_common())

    def groups(self, colour: str) -> dict[str, int]:
        """Return what the legend lists: backends or types, with counts of layers, most first."""
        if colour == "type":
            return dict(Counter(b.type for b in self.boxes if b.kind == "layer").most_common())
        running = dict.fromkeys(b.backend for b in self.boxes if b.backend)
        return {**self.counts, **{name: 0 for name in running if name not in self.counts}}


def drawing_of(placed: PlacedNetwork) -> Drawing:
    """Return what is to be drawn of a network whose layers are placed."""
    records: dict[int, LayerAssignment] = {}
    inserted: dict[tuple[str, str], LayerAssignment] = {}
    for record in placed.assignment:
        if record.guid is not None:
            records[record.guid] = record
        elif record.inserted:
            inserted.setdefault((record.layer, record.type), record)
    boxes: list[Box] = []
    wires: list[Wire] = []
    drawn: set[int] = set()
    for layer in placed.network.layers:
        if layer.shown_type.label == "Constant":
            continue
        known = [records[guid] for guid in placed.origins.get(layer.guid, ()) if guid in records]
        if not known and (layer.name, layer.shown_type.label) in inserted:
            known = [inserted[layer.name, layer.shown_type.label]]
        boxes.append(_box(layer, placed.layer_backends[layer.guid], known))
        drawn.add(layer.guid)
        wires += [
            Wire(
                slot.layer.guid,
                slot.index,
                layer.guid,
                index,
                format_info(slot.info),
                placed.memory.get((slot.layer.guid, slot.index)),
            )
            for index, slot in enumerate(layer.inputs)
            if slot is not None and slot.layer.guid in drawn
        ]
    assignment = placed.assignment
    return Drawing(
        placed.network.name, assignment.summary(), tuple(boxes), tuple(wires), assignment.counts
    )


def _box(layer: Layer, backend: str | None, records: Sequence[LayerAssignment]) -> Box:
    own = [record for record in records if not record.inserted]
    return Box(
        layer.guid,
        layer.name,
        layer.shown_type.label,
        _KINDS.get(layer.shown_type.label, "layer"),
        backend,
        next((record.part for record in records if record.part is not None), None),
        tuple(None if slot is None else format_info(slot.info) for slot in layer.inputs),
        tuple(format_info(slot.info) for slot in layer.outputs),
        tuple(record.layer for record in own),
        "; ".join(dict.fromkeys(record.reason for record in records if record.reason)),
    )


def format_info(info: TensorInfo) -> str:
    """Return type and shape of a tensor, as ``float32 1x8``."""
    return f"{info.data_type.label} {format_shape(info.shape)}"
