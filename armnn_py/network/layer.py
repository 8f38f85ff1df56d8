# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers and the slots that join them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from armnn_py.descriptors.compiled import PreCompiledDescriptor
from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.text import printable
from armnn_py.types import LayerType
from armnn_py.types.aliases import name_for_people
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from armnn_py.descriptors import Descriptor


class LayerOwner(Protocol):
    """The members of a `Network` that its layers use."""

    @property
    def name(self) -> str:
        """Name of the network."""

    @property
    def layers(self) -> tuple[Layer, ...]:
        """All layers in topological order."""

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name, in order."""

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name, in order."""

    def layer(self, name: str) -> Layer:
        """Find a layer by name."""


@public_class
class OutputSlot:
    """One output of a layer: a tensor that other layers read.

    Made by a `Network` only.
    """

    __slots__ = ("_consumers", "_index", "_info", "_layer")

    def __init__(self, layer: Layer, index: int, info: TensorInfo) -> None:
        self._layer = layer
        self._index = index
        self._info = info
        self._consumers: list[tuple[Layer, int]] = []

    @property
    def layer(self) -> Layer:
        """The layer that computes the tensor."""
        return self._layer

    @property
    def index(self) -> int:
        """Index among the outputs of its layer."""
        return self._index

    @property
    def info(self) -> TensorInfo:
        """Shape, type and quantisation."""
        return self._info

    @property
    def consumers(self) -> tuple[tuple[Layer, int], ...]:
        """Its readers: pairs of a layer and the index of its operand, in order of insertion."""
        return tuple(self._consumers)

    def __repr__(self) -> str:
        return f"<OutputSlot {self._index} of '{printable(self._layer.name)}' {self._info!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _slot_of, (self._layer.network, self._layer.guid, self._index)


@public_class
class Layer:
    """One step of a network.

    Made by the ``add_...`` methods of a `Network` only. Everything but `backend_hint` is fixed.
    """

    __slots__ = (
        "__weakref__",
        "_backend_hint",
        "_descriptor",
        "_guid",
        "_inputs",
        "_name",
        "_network",
        "_outputs",
        "_type",
    )

    def __init__(
        self,
        network: LayerOwner,
        guid: int,
        name: str,
        layer_type: LayerType,
        descriptor: Descriptor | None,
        inputs: tuple[OutputSlot | None, ...],
        output_infos: Sequence[TensorInfo],
        backend_hint: str | None,
    ) -> None:
        self._network = network
        self._guid = guid
        self._name = name
        self._type = layer_type
        self._descriptor = descriptor
        self._inputs = inputs
        self._outputs = tuple(
            OutputSlot(self, index, info) for index, info in enumerate(output_infos)
        )
        self._backend_hint = backend_hint
        for index, slot in enumerate(inputs):
            if slot is not None:
                slot._consumers.append((self, index))

    @property
    def network(self) -> LayerOwner:
        """The `Network` that the layer belongs to."""
        return self._network

    @property
    def guid(self) -> int:
        """Number of the layer, unique in its network: its index in ``network.layers``."""
        return self._guid

    @property
    def name(self) -> str:
        """Name in messages; for inputs and outputs also the name in `run`."""
        return self._name

    @property
    def type(self) -> LayerType:
        """Type of the layer as backends see it: Reduce for ``add_mean()``."""
        return self._type

    @property
    def shown_type(self) -> LayerType:
        """Arm NN's most specific layer type: Addition for an ElementwiseBinary that adds.

        Equal to `type` where Arm NN has one name only. Representations and reports show this one.
        """
        given = self._inputs[0] if self._inputs else None
        made = self._outputs[0].info.data_type if self._outputs else None
        source = None if given is None else given.info.data_type
        return name_for_people(self._type, self._descriptor, source, made)

    @property
    def label(self) -> str:
        """Name of the kind of layer in messages: that of `shown_type`, ``Variable``, ``Assign``."""
        return self.shown_type.label

    @property
    def descriptor(self) -> Descriptor | None:
        """Parameters, ``None`` for a layer type without any."""
        if self._descriptor is None and self._type is LayerType.PRE_COMPILED:
            # Of a saved network, which says no more than how many tensors there are.

            self._descriptor = PreCompiledDescriptor(len(self._inputs), len(self._outputs))
        return self._descriptor

    @property
    def inputs(self) -> tuple[OutputSlot | None, ...]:
        """The slot that each operand reads, ``None`` where an optional operand is absent."""
        return self._inputs

    @property
    def outputs(self) -> tuple[OutputSlot, ...]:
        """The tensors that the layer makes."""
        return self._outputs

    @property
    def output(self) -> OutputSlot:
        """The only output.

        Raises
        ------
        InvalidArgumentError
            The layer has none or several.
        """
        if len(self._outputs) != 1:
            raise InvalidArgumentError(
                f"layer '{self._name}' ({self.shown_type.label}) has {len(self._outputs)} outputs, "
                "one expected",
                hints=["choose one of layer.outputs"] if self._outputs else [],
            )
        return self._outputs[0]

    @property
    def backend_hint(self) -> str | None:
        """Id of the backend that should run the layer, or ``None``."""
        return self._backend_hint

    @backend_hint.setter
    def backend_hint(self, backend: str | None) -> None:
        self._backend_hint = check_backend_hint(backend)

    def __repr__(self) -> str:
        read = ", ".join(
            "-" if slot is None else format_shape(slot.info.shape) for slot in self._inputs[:6]
        ) + (", ..." if len(self._inputs) > 6 else "")
        made = ", ".join(
            f"{slot.info.data_type.shown} {format_shape(slot.info.shape)}"
            for slot in self._outputs[:4]
        ) + (", ..." if len(self._outputs) > 4 else "")
        arrow = " -> " if read and made else ""
        hint = f" on {self._backend_hint}" if self._backend_hint else ""
        return f"<{self.label} '{printable(self._name)}' {read}{arrow}{made}{hint}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _layer_of, (self._network, self._guid)


class ConstantLayer(Layer):
    """A layer whose output is known from the start."""

    __slots__ = ("_value",)

    def __init__(
        self, network: LayerOwner, guid: int, name: str, value: NDArray[Any], info: TensorInfo
    ) -> None:
        super().__init__(network, guid, name, LayerType.CONSTANT, None, (), [info], None)
        self._value = value

    @property
    def value(self) -> NDArray[Any]:
        """The values: read-only, C-contiguous, of the output's shape and dtype."""
        return self._value

    def move_to(self, values: NDArray[Any]) -> None:
        """Keep equal read-only values that lie elsewhere instead of its own."""
        self._value = values


class VariableLayer(Layer):
    """A tensor that stays from run to run; made by `Network.add_variable`.

    Its output is the value from before the run. Backends see an Input layer.
    """

    __slots__ = ("_initial",)

    def __init__(
        self, network: LayerOwner, guid: int, name: str, initial: NDArray[Any], info: TensorInfo
    ) -> None:
        super().__init__(network, guid, name, LayerType.INPUT, None, (), [info], None)
        self._initial = initial

    @property
    def label(self) -> str:
        """``Variable``."""
        return "Variable"

    @property
    def initial(self) -> NDArray[Any]:
        """The value before the first run: read-only, C-contiguous, of the output's shape."""
        return self._initial


class AssignLayer(Layer):
    """The value of a variable after the run; made by `Network.assign`.

    Backends see an Output layer.
    """

    __slots__ = ("_variable",)

    def __init__(
        self,
        network: LayerOwner,
        guid: int,
        name: str,
        variable: VariableLayer,
        inputs: tuple[OutputSlot | None, ...],
    ) -> None:
        super().__init__(network, guid, name, LayerType.OUTPUT, None, inputs, [], None)
        self._variable = variable

    @property
    def label(self) -> str:
        """``Assign``."""
        return "Assign"

    @property
    def variable(self) -> VariableLayer:
        """The variable that is assigned."""
        return self._variable


Source: TypeAlias = "Layer | OutputSlot | ArrayLike"
"""An operand: a layer with one output, a slot, or values that become a Constant layer."""


def check_backend_hint(backend: str | None) -> str | None:
    """Return a backend hint, which is an id or nothing."""
    if backend is None or (isinstance(backend, str) and backend):
        return backend
    raise InvalidArgumentError(f"backend hint {backend!r} given, a backend id or None expected")


def working_layers(layers: Iterable[Layer]) -> list[Layer]:
    """Return the layers that compute: all but inputs, outputs and constants."""
    return [layer for layer in layers if not FACTS[layer.type].host]


def _layer_of(network: LayerOwner, guid: int) -> Layer:
    """Find a layer again after unpickling: a pickle holds its network and its number."""
    return network.layers[guid]


def _slot_of(network: LayerOwner, guid: int, index: int) -> OutputSlot:
    return network.layers[guid].outputs[index]
