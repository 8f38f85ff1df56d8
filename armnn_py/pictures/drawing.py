# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A drawing: boxes for kernels and layers, wires for the tensors between them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping


class Box(Struct, frozen=True):
    """One layer of the network that runs, or several that one kernel computes.

    Attributes
    ----------
    id
        A number of its own.
    name, type
        As in the optimised network; of several layers, those of the one that multiplies, or else of
        the first.
    kind
        ``"layer"``, ``"input"``, ``"output"``, or ``"copy"`` and ``"import"`` of a tensor from one
        backend's memory to another's. A variable is an input, and an output where it is assigned.
    backend
        Id of the backend that runs it; None for inputs and outputs.
    part
        Number of the sub-graph that the box belongs to, or None.
    inputs, outputs
        Type and shape of each tensor, constants among the inputs; None for an absent operand.
    layers
        Names of the layers of the user's network that it stands for.
    reason
        Why it is not on an earlier choice of backend; empty if it is on the first.
    operators
        Operation of each layer that the kernel computes, that of ``type`` first.
    window
        Kernel and stride of a convolution or pooling, as ``"3x3 /2"``.
    seconds
        Time in one run; None if nothing was run for it.
    sizes
        Bytes of each output; 0 for strings and free shapes.
    quantization
        Scale and zero point of each quantised output, as ``"0.5, 3"``, or the number of scales.
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
    operators: tuple[str, ...] = ()
    window: str = ""
    seconds: float | None = None
    sizes: tuple[int, ...] = ()
    quantization: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The operation, as ``Convolution2d 3x3 /2``."""
        return f"{self.operator} {self.window}".rstrip()

    @property
    def operator(self) -> str:
        """The first of its operators, or else its type."""
        return self.operators[0] if self.operators else self.type

    @property
    def fused(self) -> str:
        """The operations fused behind it, as ``+ Sigmoid + Mul``."""
        return " ".join(f"+ {operator}" for operator in self.operators[1:])

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
            "operators": list(self.operators),
            "window": self.window,
            "seconds": self.seconds,
            "sizes": list(self.sizes),
            "quantization": list(self.quantization),
        }

    def describe(self) -> list[str]:
        """All fields of the box as printable lines."""
        lines = [f"{self.type} '{self.name}'"]
        if self.operators and (self.fused or self.title != self.type):
            lines.append(f"{self.title} {self.fused}".rstrip())
        if self.backend:
            part = "" if self.part is None else f", part {self.part}"
            lines.append(f"backend {self.backend}{part}")
        if self.seconds is not None:
            lines.append(f"{self.seconds * 1e3:.3f} ms a run")
        if self.inputs:
            lines.append("reads " + ", ".join(text or "-" for text in self.inputs))
        if self.outputs:
            lines.append("makes " + ", ".join(self.outputs))
        if self.quantization:
            lines.append("scale and zero point: " + "; ".join(self.quantization))
        if len(self.layers) > 1 or (self.layers and self.layers[0] != self.name):
            shown = ", ".join(self.layers[:8]) + (", ..." if len(self.layers) > 8 else "")
            lines.append(f"stands for {counted(len(self.layers), 'layer')}: {shown}")
        if self.reason:
            lines.append(f"notes and refusals: {self.reason}")
        return [printable(line) for line in lines]


class Wire(Struct, frozen=True):
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


class Drawing(Struct, frozen=True):
    """Boxes, each after those that it reads, and wires; constants are not drawn.

    Attributes
    ----------
    title, summary
        Name of the network, and its assignment in one line.
    counts
        Layers of the user's network on each backend, most first.
    run_seconds
        Time of one run; None without a run.
    """

    title: str
    summary: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    run_seconds: float | None = None

    @property
    def reasons(self) -> dict[str, int]:
        """Why layers are not on an earlier choice, with counts of boxes, most first."""
        return dict(Counter(box.reason for box in self.boxes if box.reason).most_common())

    @property
    def parts(self) -> int:
        """Number of sub-graphs that backends got."""
        return len({box.part for box in self.boxes if box.part is not None})

    def share(self, box: Box) -> float:
        """How much of a run a box takes, from 0 to 1."""
        return (box.seconds or 0.0) / self.run_seconds if self.run_seconds else 0.0

    def groups(self, colour: str) -> dict[str, int]:
        """Return the entries of the legend: backends, or operators with counts of boxes."""
        if colour == "type":
            return dict(Counter(b.operator for b in self.boxes if b.kind == "layer").most_common())
        running = dict.fromkeys(b.backend for b in self.boxes if b.backend)
        return {**self.counts, **{name: 0 for name in running if name not in self.counts}}
