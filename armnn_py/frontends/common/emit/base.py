# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers, names, and the limits of what is computed during import."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.descriptors import BroadcastToDescriptor, DequantizeBlocksDescriptor, Descriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.sizes import counted, format_size
from armnn_py.frontends.common.known import (
    KnownBlocks,
    KnownFormula,
    KnownReals,
    KnownSizes,
    stored,
)
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.unique_names import unique_name
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.memory_budget import computed_budget, tensor_limit, work_budget
from armnn_py.network import Layer, Network, OutputSlot
from armnn_py.tensors import TensorInfo
from armnn_py.tensors.equal_arrays import EqualArrays
from armnn_py.text import format_bytes
from armnn_py.types import LayerType

if TYPE_CHECKING:
    import numpy as np

DenseOf = Callable[[Known], Array]
"""Returns the array of a known value in the form that a Constant layer keeps."""

# A small file can ask for huge constants (Expand, ConstantOfShape, Tile, ...). Bytes of the largest
# result that is computed at import, of the largest view, and of all views that become dense
# constants.
_FOLD_LIMIT = 2**28
_VIEW_LIMIT = 2**30
_VIEW_BUDGET = 2**28
# Sines, remainders and half floats take numpy some 4 ns each; a move takes less.
_WORK_OF_AN_ELEMENT, _WORK_OF_A_MOVE = 56, 8


#: Multiply-adds that no model reaches.
_UNLIMITED = 1 << 62


class EmitterBase:
    """Keeps the network, gives names, and turns known values into Constant layers."""

    def __init__(
        self,
        network: Network,
        dense_of: DenseOf = stored,
        weights: int = 0,
    ) -> None:
        self.network = network
        self._dense_of = dense_of
        self._names: set[str] = set()
        self._base = ""
        self._slots: dict[Known, OutputSlot] = {}
        self._counted: dict[tuple[object, ...], OutputSlot] = {}
        self._constants: EqualArrays[OutputSlot] = EqualArrays()
        self._weights: dict[Known, OutputSlot] = {}
        self._turned: dict[tuple[Known, tuple[int, ...]], Known] = {}  # transposed ones
        self._constant_names: dict[Known, str] = {}
        self._budget = computed_budget(weights)
        self._view_budget = _VIEW_BUDGET
        self._work = work_budget(weights)  # a whole number: sizes of runs stay symbols

    @property
    def layer_count(self) -> int:
        """How many layers there are."""
        return len(self.network._layers)

    # ---- Names ----------------------------------------------------------------------------------

    def begin(self, base: str) -> None:
        """Start a node: its name is the stem of the layers that follow."""
        self._base = base

    @property
    def base(self) -> str:
        """The stem of the names of layers that follow."""
        return self._base

    @contextlib.contextmanager
    def at(self, base: str) -> Iterator[None]:
        """Give the layers of the block this stem."""
        before, self._base = self._base, base
        try:
            yield
        finally:
            self._base = before

    def below(self, suffix: str) -> contextlib.AbstractContextManager[None]:
        """Give the layers of the block names below this one."""
        return self.at(f"{self._base}/{suffix}")

    def reserve(self, name: str) -> None:
        """Keep a name for something that is not a node."""
        self._names.add(name)

    def unique(self, name: str) -> str:
        """Return ``name``, or ``name_2`` and so on where that is taken."""
        return unique_name(name, self._names)

    def _layer_name(self, suffix: str) -> str:
        return self.unique(f"{self._base}/{suffix}" if suffix else self._base)

    # ---- Layers and constants -------------------------------------------------------------------

    def layer(
        self,
        layer_type: LayerType,
        inputs: Sequence[Value | None],
        descriptor: Descriptor | None = None,
        *,
        name: str = "",
        output: TensorInfo | None = None,
    ) -> OutputSlot:
        """Add a layer with one output."""
        return self.layers(layer_type, inputs, descriptor, name=name, output=output).outputs[0]

    def layers(
        self,
        layer_type: LayerType,
        inputs: Sequence[Value | None],
        descriptor: Descriptor | None = None,
        *,
        name: str = "",
        output: TensorInfo | None = None,
        outputs: Sequence[TensorInfo] | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a layer; ``backend`` is a hint."""
        if output is not None:
            outputs = [output]
        slots = [None if value is None else self.slot(value) for value in inputs]
        while slots and slots[-1] is None:
            slots.pop()
        layer = self.network.add_layer(
            layer_type,
            slots,
            descriptor,
            name=self._layer_name(name),
            output_infos=outputs,
            backend=backend,
        )
        for slot in layer.outputs:
            check_size(slot.info.static_shape, slot.info.dtype)
        return layer

    def slot(self, value: Value) -> OutputSlot:
        """Return a slot that holds the value: a Constant layer, shared, for known ones.

        One that repeats few elements very often is repeated when the network runs.
        """
        if isinstance(value, OutputSlot):
            return value
        slot = self._slots.get(value)
        if isinstance(value, KnownSizes) and slot is None:
            slot = self._slot_of_sizes(value)
        if isinstance(value, KnownFormula) and slot is None:
            slot = self._slots[value] = self.slot(value.layers())
        if isinstance(value, KnownReals) and slot is None:
            slot = self._slots[value] = self.layer(
                LayerType.DEQUANTIZE, [value.levels], name="dequantized"
            )
        if slot is None:
            info = value.info
            core = self._core_of(value)
            if core is not None:
                slot = self._slots[value] = self.layer(
                    LayerType.BROADCAST_TO,
                    [core],
                    BroadcastToDescriptor(target_shape=value.array.shape),
                    name="repeated",
                )
                return slot
            array = self._dense_of(value)
            slot = next(self._constants.alike(array, info), None)
            if slot is None:
                name = self._constant_names.get(value, f"{self._base}/constant")
                constant = self.network.add_constant(array, info=info, name=self.unique(name))
                slot = constant.outputs[0]
                self._constants.add(constant.value, info, slot)
            self._slots[value] = slot
        return slot

    def _slot_of_sizes(self, value: KnownSizes) -> OutputSlot | None:
        """Return the slot of layers that count sizes, which equal sizes share."""
        key = (value.shape, value.dtype, *map(format_size, value.elements.reshape(-1)))
        slot = self._counted.get(key)
        if slot is None:
            slot = counted(self.layer, value)
        if slot is not None:
            self._slots[value] = self._counted[key] = slot
        return slot

    def slot_of_formula(self, value: Any) -> Any:
        """Return the slot that holds a formula; anything else as it is."""
        return self.slot(value) if isinstance(value, KnownFormula) else value

    def made_of(self, value: Known) -> OutputSlot | None:
        """Return the slot that holds a known value, if a layer has asked for one."""
        return self._slots.get(value)

    def weights(self, value: Value) -> Value:
        """Return weights of a product: those of blocks as a layer that makes them of levels."""
        if not isinstance(value, KnownBlocks):
            return value
        if value not in self._weights:
            operands = [value.levels, value.scales, value.points]
            descriptor = DequantizeBlocksDescriptor(value.axis, value.block)
            self._weights[value] = self.layer(
                LayerType.DEQUANTIZE_BLOCKS, operands, descriptor, name="dequantized"
            )
        return self._weights[value]

    def _core_of(self, value: Known) -> Known | None:
        """Return the elements that a view repeats, if a dense copy exceeds the budget."""
        array = value.array
        repeats = [s == 0 and d > 1 for s, d in zip(array.strides, array.shape, strict=True)]
        if not any(repeats):
            return None
        if array.nbytes <= self._view_budget:
            self._view_budget -= array.nbytes
            return None
        quantization = value.quantization
        if quantization is not None and quantization.axis is not None:
            return None
        core = array[tuple(slice(0, 1) if repeated else slice(None) for repeated in repeats)]
        if value.stated is None:
            return Known(core)
        return Known(core, TensorInfo(core.shape, value.stated.data_type, quantization))

    def name_constant(self, value: Known, name: str) -> None:
        """Name the Constant layer that a known value becomes, if a layer reads it."""
        self._constant_names.setdefault(value, name)

    # ---- Known values ---------------------------------------------------------------------------

    def foldable(
        self,
        values: Sequence[Value],
        shape: Sequence[int],
        dtype: np.dtype[Any] | None = None,
        *,
        work: int = 0,
    ) -> bool:
        """Return whether to compute a result of this shape at once; if so, its cost is counted.

        Never for quantised numbers: their array holds no real values. ``work`` is what it takes
        beyond a time for each element, in multiply-adds, see `work_budget`.
        """
        if any(quantization_of(value) is not None for value in values):
            return False
        elements = math.prod(shape) + sum(math.prod(shape_of(value)) for value in values)
        return self.movable(values, shape, dtype, work=work + _WORK_OF_AN_ELEMENT * elements)

    def affordable(self, work: int) -> bool:
        """Return whether there is time at import for this many multiply-adds; they are counted."""
        if work > self._work:
            return False
        self._work -= work
        return True

    def unlimited(self) -> None:
        """Compute whatever can be: this is a run, which has a time limit of its own."""
        self._work = _UNLIMITED

    def movable(
        self,
        values: Sequence[Value],
        shape: Sequence[int],
        dtype: np.dtype[Any] | None = None,
        *,
        work: int = 0,
    ) -> bool:
        """Return the same for a result that only moves the elements of ``values``."""
        if not all(isinstance(value, Known) for value in values):
            return False
        itemsize = (dtype or dtype_of(values[0])).itemsize if values or dtype else 8
        size = math.prod(shape) * itemsize
        if size > _FOLD_LIMIT:
            return False
        cost = size + sum(math.prod(shape_of(value)) * itemsize for value in values)
        elements = cost // itemsize
        if cost > self._budget or not self.affordable(work + _WORK_OF_A_MOVE * elements):
            return False
        self._budget -= cost
        return True


def is_modest(shape: Sequence[int], dtype: np.dtype[Any]) -> bool:
    """Return whether a view that repeats a smaller tensor may be kept as a known value."""
    return math.prod(shape) * dtype.itemsize <= _VIEW_LIMIT


def check_size(shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    """Raise if a tensor is larger than `tensor_limit`."""
    size, limit = math.prod(shape) * dtype.itemsize, tensor_limit()
    if size > limit:
        raise ParseError(
            f"a tensor would take {format_bytes(size)}, at most {format_bytes(limit)} are allowed",
            details=[f"shape: {'x'.join(map(str, shape))} of {quoted(dtype)}"],
            hints=[
                "check the model's shapes, and the shapes it was given",
                "set_memory_budget or ARMNN_PY_MEMORY_BUDGET sets the limit",
            ],
        )
