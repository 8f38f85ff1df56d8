# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From an optimised network to the boxes and wires of its picture.

A compiled sub-graph is one layer of the network that runs. Its layers are taken from the same
network without compiling: both have the same origins in the user's network. The trace of a run
tells which of them one kernel computes, if the backend records it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from armnn_py.pictures.drawing import Box, Drawing, Wire
from armnn_py.tensors import StringInfo, format_shape
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from armnn_py.network import Layer, OutputSlot
    from armnn_py.optimizer import LayerAssignment
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.tensors import TensorInfo

_KINDS = {
    "Input": "input",
    "Output": "output",
    "Variable": "input",
    "Assign": "output",
    "MemCopy": "copy",
    "MemImport": "import",
}
Key: TypeAlias = tuple[str, Hashable]


class RunKernel(Struct, frozen=True):
    """One kernel of a run.

    Attributes
    ----------
    layer
        Name of the layer of the network that runs.
    guids
        The layers of the user's network that it computes inside a compiled sub-graph; else empty.
    seconds
        Time in one run.
    """

    layer: str
    guids: tuple[int, ...]
    seconds: float


def drawing_of(
    placed: PlacedNetwork,
    inside: PlacedNetwork | None = None,
    *,
    kernels: Sequence[RunKernel] = (),
    run_seconds: float | None = None,
) -> Drawing:
    """Return the drawing of a network whose layers have backends.

    Parameters
    ----------
    placed
        The network that runs.
    inside
        The same network without compiled sub-graphs, to draw their layers; ignored if its layers
        are on other backends.
    kernels
        The kernels of a run: the layers of one kernel are one box.
    run_seconds
        Time of that run, if the boxes are to have times.
    """
    if inside is None or not _agree(placed, inside):
        inside = placed
    boxed = _Boxed(placed, inside, kernels)
    boxes = [boxed.box(key, with_time=run_seconds is not None) for key in boxed.order]
    assignment = placed.assignment
    return Drawing(
        placed.network.name,
        assignment.summary(),
        tuple(boxes),
        tuple(boxed.wires()),
        assignment.counts,
        run_seconds,
    )


def format_info(info: TensorInfo) -> str:
    """Return type and shape of a tensor, as ``float32 1x8``."""
    return f"{info.data_type.shown} {format_shape(info.shape)}"


def _bytes_of(info: TensorInfo) -> int:
    return info.byte_size if info.is_static and not isinstance(info, StringInfo) else 0


def _scale_of(info: TensorInfo) -> str:
    given = info.quantization
    if given is None:
        return ""
    if given.axis is not None:
        return f"{len(given.scales)} scales along axis {given.axis}"
    return f"{given.scales[0]:g}, {given.zero_points[0]}"


def _agree(placed: PlacedNetwork, inside: PlacedNetwork) -> bool:
    def backends(one: PlacedNetwork) -> list[tuple[int | None, str]]:
        return [(row.guid, row.backend) for row in one.assignment if not row.inserted]

    return backends(placed) == backends(inside)


class _Boxed:
    """The layers of a network, sorted into boxes.

    A box is a kernel, a layer inside a compiled sub-graph whose kernel is not known, or a layer of
    the network that runs. ``order`` has their keys, each after those that it reads.
    """

    def __init__(
        self, placed: PlacedNetwork, inside: PlacedNetwork, kernels: Sequence[RunKernel]
    ) -> None:
        self._placed = placed
        self._inside = inside
        self._records: dict[int, LayerAssignment] = {}
        self._inserted: dict[tuple[str, str], LayerAssignment] = {}
        for record in placed.assignment:
            if record.guid is not None:
                self._records[record.guid] = record
            elif record.inserted:
                self._inserted.setdefault((record.layer, record.type), record)
        self._layers = [x for x in inside.network.layers if x.type is not LayerType.CONSTANT]
        #: By origin in the user's network: the layer of the network that runs which computes it.
        self._run_by = {
            origin: layer
            for layer in placed.network.layers
            for origin in placed.origins[layer.guid]
        }
        self._times: dict[Key, float] = {}
        self._of_kernel = self._kernels(kernels)
        self._keys = {layer.guid: self._key(layer) for layer in self._layers}
        self.order = self._sorted()
        self._members: dict[Key, list[Layer]] = {key: [] for key in self.order}
        for layer in self._layers:
            self._members[self._keys[layer.guid]].append(layer)
        self._ids = {key: members[0].guid for key, members in self._members.items()}

    def _kernels(self, kernels: Sequence[RunKernel]) -> dict[int, Key]:
        """Return the kernel of each layer in a compiled sub-graph, by its guid there.

        If several kernels work for one layer, as conversions of its inputs do, the layer goes to
        the one with the most layers, then the longest; the times of the others are added to it.
        """
        public = dict(zip(self._inside.public_guids, self._inside.network.layers, strict=True))
        owner: dict[int, Key] = {}
        ranked = sorted(enumerate(kernels), key=lambda k: (-len(k[1].guids), -k[1].seconds))
        for number, kernel in ranked:
            layers = [public[guid].guid for guid in kernel.guids if guid in public]
            free = [guid for guid in layers if guid not in owner]
            key: Key = ("kernel", number)
            if layers and not free:
                key = owner[layers[0]]
            owner.update(dict.fromkeys(free, key))
            if not kernel.guids:
                key = ("layer", kernel.layer)
            self._times[key] = self._times.get(key, 0.0) + kernel.seconds
        return owner

    def _key(self, layer: Layer) -> Key:
        run_by = next(
            (self._run_by[o] for o in self._inside.origins[layer.guid] if o in self._run_by), None
        )
        if run_by is None or layer.type in (LayerType.INPUT, LayerType.OUTPUT):
            return ("layer", layer.guid)
        if run_by.type is LayerType.PRE_COMPILED and self._inside is not self._placed:
            return self._of_kernel.get(layer.guid, ("layer", layer.guid))
        return ("run", run_by.guid)

    def _sorted(self) -> list[Key]:
        """Return the boxes in running order; kernels that form a cycle are drawn by layer."""
        while True:
            before: dict[Key, dict[Key, None]] = {}
            for layer in self._layers:
                reads = before.setdefault(self._keys[layer.guid], {})
                reads.update(
                    dict.fromkeys(
                        self._keys[slot.layer.guid]
                        for slot in layer.inputs
                        if slot is not None and slot.layer.guid in self._keys
                    )
                )
            try:
                for key, keys in before.items():
                    keys.pop(key, None)
                return list(TopologicalSorter(before).static_order())
            except CycleError as error:
                circle = set(error.args[1])
                self._keys = {
                    guid: ("layer", guid) if key in circle else key
                    for guid, key in self._keys.items()
                }

    def box(self, key: Key, *, with_time: bool) -> Box:
        """Return the box of some layers."""
        members = self._members[key]
        run = self._run_layer(members[0])
        # Nothing is known of layers that a backend replaced but the layer that replaced them.
        shown = [run] if run is not None and key[0] == "run" else members
        main = next((layer for layer in shown if is_main(layer)), shown[0])
        records = self._records_of(members)
        own = [record for record in records if not record.inserted]
        return Box(
            self._ids[key],
            main.name,
            main.label,
            _KINDS.get(main.label, "layer"),
            self._inside.layer_backends[members[0].guid],
            next((record.part for record in records if record.part is not None), None),
            tuple(None if slot is None else format_info(slot.info) for slot in self._read(shown)),
            tuple(format_info(slot.info) for slot in self._made(shown)),
            tuple(record.layer for record in own),
            "; ".join(dict.fromkeys(record.reason for record in records if record.reason)),
            tuple(operator_of(x) for x in sorted(shown, key=lambda layer: layer is not main)),
            window_of(main),
            self._seconds(key, main) if with_time else None,
            tuple(_bytes_of(slot.info) for slot in self._made(shown)),
            tuple(filter(None, (_scale_of(slot.info) for slot in self._made(shown)))),
        )

    def _seconds(self, key: Key, main: Layer) -> float | None:
        if _KINDS.get(main.label) in ("input", "output"):
            return None
        return self._times.get(key, self._times.get(("layer", main.name), 0.0))

    def _run_layer(self, layer: Layer) -> Layer | None:
        origins = self._inside.origins[layer.guid]
        return next((self._run_by[o] for o in origins if o in self._run_by), None)

    def _records_of(self, members: Iterable[Layer]) -> list[LayerAssignment]:
        found: dict[int, LayerAssignment] = {}
        for layer in members:
            for origin in self._inside.origins[layer.guid]:
                if origin in self._records:
                    found[origin] = self._records[origin]
        if found:
            return [found[origin] for origin in sorted(found)]
        names = ((layer.name, layer.shown_type.label) for layer in members)
        return [self._inserted[name] for name in names if name in self._inserted]

    def _read(self, members: Sequence[Layer]) -> list[OutputSlot | None]:
        """Return the operands of a box, constants and absent ones included."""
        if len(members) == 1:
            return list(members[0].inputs)
        made = {slot for layer in members for slot in layer.outputs}
        read = dict.fromkeys(slot for layer in members for slot in layer.inputs)
        return [slot for slot in read if slot is not None and slot not in made]

    def _made(self, members: Sequence[Layer]) -> list[OutputSlot]:
        """Return the outputs of a box; of a single layer, all of them."""
        made = [slot for layer in members for slot in layer.outputs]
        if len(members) == 1:
            return made
        own = {layer.guid for layer in members}
        inner = {slot for layer in members for slot in layer.inputs}
        outer = {slot for x in self._layers if x.guid not in own for slot in x.inputs}
        return [slot for slot in made if slot in outer or slot not in inner]

    def wires(self) -> Iterator[Wire]:
        """Yield the wires from box to box, in the order of the boxes that read them."""
        made = {key: self._made(members) for key, members in self._members.items()}
        for key in self.order:
            members = self._members[key]
            for index, slot in enumerate(self._read(members)):
                if slot is None or slot.layer.guid not in self._keys:
                    continue
                source = self._keys[slot.layer.guid]
                yield Wire(
                    self._ids[source],
                    made[source].index(slot),
                    self._ids[key],
                    index,
                    format_info(slot.info),
                    self._inside.memory.get((slot.layer.guid, slot.index)),
                )


#: Field of the descriptor that names the operation, and the text beside it.
_CHOICES = {
    LayerType.ACTIVATION: ("function", "{}"),
    LayerType.ARG_MIN_MAX: ("function", "Arg{}"),
    LayerType.COMPARISON: ("operation", "{}"),
    LayerType.ELEMENTWISE_BINARY: ("operation", "{}"),
    LayerType.ELEMENTWISE_UNARY: ("operation", "{}"),
    LayerType.LOGICAL_BINARY: ("operation", "{}"),
    LayerType.POOLING2D: ("pool_type", "{}Pooling2d"),
    LayerType.POOLING3D: ("pool_type", "{}Pooling3d"),
    LayerType.REDUCE: ("operation", "Reduce{}"),
}
_PRODUCTS = frozenset(
    {
        LayerType.BATCH_MAT_MUL,
        LayerType.CONVOLUTION2D,
        LayerType.CONVOLUTION3D,
        LayerType.DEPTHWISE_CONVOLUTION2D,
        LayerType.FULLY_CONNECTED,
        LayerType.TRANSPOSE_CONVOLUTION2D,
    }
)
_POOLING = frozenset({LayerType.POOLING2D, LayerType.POOLING3D})


def is_main(layer: Layer) -> bool:
    """Whether a fused kernel is named after this layer: it is a sum of products."""
    return layer.type in _PRODUCTS


def operator_of(layer: Layer) -> str:
    """Return ``Sigmoid`` for an Activation, ``Mul`` for an ElementwiseBinary; else the type."""
    if layer.type not in (layer.shown_type, LayerType.ELEMENTWISE_BINARY):
        return layer.label
    field, form = _CHOICES.get(layer.type, ("", ""))
    choice = getattr(layer.descriptor, field, None) if field else None
    if not isinstance(choice, Enum):
        return layer.label
    return form.format("".join(word.capitalize() for word in choice.name.split("_")))


def window_of(layer: Layer) -> str:
    """Return the kernel and stride of a convolution or pooling, as ``3x3 /2``; else nothing."""
    kernel = _pool(layer) if layer.type in _POOLING else _kernel(layer)
    if not kernel:
        return ""
    strides = [getattr(layer.descriptor, f"stride_{axis}", 1) for axis in "zyx"[-len(kernel) :]]
    text = "x".join(map(str, kernel))
    if set(strides) == {1}:
        return text
    shown = strides[:1] if len(set(strides)) == 1 else strides
    return f"{text} /{'x'.join(map(str, shown))}"


def _pool(layer: Layer) -> list[int]:
    sides = ("pool_depth", "pool_height", "pool_width")
    sizes = [getattr(layer.descriptor, side, None) for side in sides]
    return [size for size in sizes if size is not None]


def _kernel(layer: Layer) -> list[int]:
    if not is_main(layer) or len(layer.inputs) < 2 or layer.inputs[1] is None:
        return []
    shape = [dim or 0 for dim in layer.inputs[1].info.shape]
    if layer.type is LayerType.CONVOLUTION3D:
        return shape[:3]
    if layer.type is LayerType.DEPTHWISE_CONVOLUTION2D:
        return shape[1:3]
    if layer.type in (LayerType.CONVOLUTION2D, LayerType.TRANSPOSE_CONVOLUTION2D):
        nchw = getattr(layer.descriptor, "data_layout", None) is DataLayout.NCHW
        return shape[2:4] if nchw else shape[1:3]
    return []
