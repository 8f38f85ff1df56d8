# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Storage of a network: layers in order, inputs and outputs by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field

from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.later import public_class
from armnn_py.network.layer import (
    AssignLayer,
    ConstantLayer,
    Layer,
    OutputSlot,
    VariableLayer,
)
from armnn_py.network.tensor_names import TensorNames
from armnn_py.tensors import TensorInfo
from armnn_py.text import first_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor
    from armnn_py.network.repeat import RunBody


@public_class
@dataclasses.dataclass(frozen=True, slots=True)
class ModelMetadata:
    """Metadata of a model file; no layer depends on it.

    Each text is empty, and each mapping too, where the file does not say it.

    Attributes
    ----------
    format
        Format of the file: ``"ONNX"``; empty for a network that was built in Python.
    format_version
        Version of the format, for ONNX that of its intermediate representation.
    opsets
        Version of each set of operators by its domain, as ``{"ai.onnx": 17}``.
    producer, producer_version
        The program that wrote the file.
    domain, version
        Namespace and version of the model, in its author's counting.
    description
        The author's description of the model.
    graph_name, graph_description
        Name and description of the graph.
    properties
        Other texts that the author stored, by key: labels, an alphabet, training settings.
    defaults
        Values of inputs that a run may leave out, by name.
    """

    format: str = ""
    format_version: int = 0
    opsets: Mapping[str, int] = dataclasses.field(default_factory=dict)
    producer: str = ""
    producer_version: str = ""
    domain: str = ""
    version: int = 0
    description: str = ""
    graph_name: str = ""
    graph_description: str = ""
    properties: Mapping[str, str] = dataclasses.field(default_factory=dict)
    defaults: Mapping[str, NDArray[Any]] = dataclasses.field(
        default_factory=dict, repr=False, compare=False
    )


Builder: TypeAlias = "Callable[..., NetworkStorage]"
"""Makes the `Network` for inputs whose shapes are all known: ``builder(infos)``, or, where values
of inputs decide shapes, ``builder(infos, values)``."""


Compute: TypeAlias = "Callable[[Mapping[str, NDArray[Any]], RunBody], Mapping[str, NDArray[Any]]]"


class Stage(Struct, frozen=True):
    """A part of a network: a network by itself, or a function of arrays."""

    inputs: tuple[str, ...]
    """Its operands: inputs of the whole network, and outputs of earlier stages."""
    outputs: dict[str, TensorInfo]
    """Names of its results."""
    network: NetworkStorage | None = None
    compute: Compute | None = None
    """Returns at least the outputs by name, for arrays of its inputs; used without a network."""
    bodies: dict[str, NetworkStorage] = field(default_factory=dict)
    """Networks by name that the function runs, each as often as it likes: turns of a loop."""
    name: str = ""
    """Of a function: the name of the node that it computes, as reports show it."""
    operator: str = ""
    """Of a function: the operator of that node, as ``NonMaxSuppression``."""
    has_strings: bool = False
    """Of a function: whether it reads or makes strings, which no network does."""

    @property
    def manner(self) -> str:
        """How a function runs, in words; empty for a network."""
        if self.network is not None:
            return ""
        return "turn by turn" if self.operator in ("Loop", "Scan", "WHILE") else "between stages"


class DynamicParts(Struct, frozen=True):
    """The members of a network whose shapes are not known yet, which has no layers."""

    inputs: dict[str, TensorInfo]
    outputs: dict[str, TensorInfo]
    builder: Builder
    variables: dict[str, TensorInfo]
    value_inputs: dict[str, None]
    """Inputs whose values decide shapes, as far as the builder has met them; in that order."""
    stages: tuple[Stage, ...] = ()
    """Its parts, where they are known: the builder makes no network for the whole then."""


_NO_METADATA = ModelMetadata()
_NO_NAMES: TensorNames = MappingProxyType({})


def check_name(name: str, what: str) -> str:
    """Return a name, which is a text that is not empty."""
    if not isinstance(name, str) or not name:
        raise InvalidArgumentError(f"{what} name {name!r} must be a text that is not empty")
    return name


class NetworkStorage:
    """The contents of a network, and ways to look at them.

    Layers are kept in the order of insertion, which is topological because a layer reads only
    what was there before it.
    """

    __slots__ = (
        "__weakref__",
        "_assigned",
        "_by_name",
        "_counters",
        "_dynamic",
        "_gives_up_values",
        "_inputs",
        "_layers",
        "_layers_tuple",
        "_metadata",
        "_name",
        "_outputs",
        "_tensor_names",
        "_variables",
    )

    def __init__(self, name: str = "network") -> None:
        self._name = check_name(name, "network")
        self._layers: list[Layer] = []
        self._layers_tuple: tuple[Layer, ...] | None = None
        self._by_name: dict[str, list[Layer]] = {}
        self._counters: dict[LayerType, int] = {}
        self._inputs: dict[str, Layer] = {}
        self._outputs: dict[str, Layer] = {}
        self._variables: dict[str, VariableLayer] = {}
        self._assigned: dict[str, AssignLayer] = {}
        self._dynamic: DynamicParts | None = None
        self._metadata = _NO_METADATA
        #: The network's tensor for each name in the model file.
        self._tensor_names: TensorNames = _NO_NAMES
        #: Whether the first graph that is made of it takes the values of its constants.
        self._gives_up_values = False

    def _drop_values(self) -> None:
        """Drop the values of constants; do not read them afterwards."""
        self._tensor_names = _NO_NAMES
        for layer in self._layers:
            if isinstance(layer, ConstantLayer):
                del layer._value

    # ---- Looking ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the network."""
        return self._name

    @property
    def metadata(self) -> ModelMetadata:
        """Metadata of the model file; copies and optimised networks keep it."""
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: ModelMetadata) -> None:
        if not isinstance(metadata, ModelMetadata):
            raise InvalidArgumentError(f"metadata {metadata!r} is not a ModelMetadata")
        self._metadata = metadata

    @property
    def layers(self) -> tuple[Layer, ...]:
        """All layers in topological order, Input, Constant and Output layers included.

        Empty for a network with free dimensions, see `specialize`.
        """
        if self._layers_tuple is None:
            self._layers_tuple = tuple(self._layers)
        return self._layers_tuple

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name, in order."""
        if self._dynamic is not None:
            return MappingProxyType(self._dynamic.inputs)
        return MappingProxyType(
            {name: layer.outputs[0].info for name, layer in self._inputs.items()}
        )

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name, in order."""
        if self._dynamic is not None:
            return MappingProxyType(self._dynamic.outputs)
        found = {}
        for name, layer in self._outputs.items():
            slot = layer.inputs[0]
            assert slot is not None
            found[name] = slot.info
        return MappingProxyType(found)

    @property
    def variables(self) -> Mapping[str, TensorInfo]:
        """Variables by name, in order: tensors that stay from run to run."""
        if self._dynamic is not None:
            return MappingProxyType(self._dynamic.variables)
        return MappingProxyType(
            {name: layer.outputs[0].info for name, layer in self._variables.items()}
        )

    @property
    def variable_layers(self) -> tuple[VariableLayer, ...]:
        """The layers of the variables, in the order of `variables`."""
        return tuple(self._variables.values())

    @property
    def assign_layers(self) -> Mapping[str, AssignLayer]:
        """By variable: the layer that assigns it; the others are only read."""
        return MappingProxyType(self._assigned)

    @property
    def input_layers(self) -> tuple[Layer, ...]:
        """The Input layers, in the order of `inputs`."""
        return tuple(self._inputs.values())

    @property
    def output_layers(self) -> tuple[Layer, ...]:
        """The Output layers, in the order of `outputs`."""
        return tuple(self._outputs.values())

    @property
    def value_inputs(self) -> tuple[str, ...]:
        """Inputs whose values decide shapes, such as the axes of a reduction.

        Known from the import on, where no dimension is free; else from the first run on.
        """
        return () if self._dynamic is None else tuple(self._dynamic.value_inputs)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The parts that run one after another, because data that it computes decide shapes.

        Empty for a network that is one. Known from the import on, where no dimension is free; else
        the first run finds them, and they are not shown here.
        """
        return () if self._dynamic is None else self._dynamic.stages

    @property
    def is_dynamic(self) -> bool:
        """Whether an input has a free dimension, or values of inputs or data decide shapes.

        Such a network is run through `specialize`.
        """
        return self._dynamic is not None

    def layer(self, name: str) -> Layer:
        """Find a layer by name.

        Raises
        ------
        UnknownNameError
            The network has no layer of this name.
        InvalidArgumentError
            There are several.
        """
        found = self._by_name.get(name, [])
        if not found:
            names = list(self._by_name)
            raise UnknownNameError(
                f"network '{self._name}' has no layer '{name}'",
                name=name,
                valid=names,
                details=[f"it has {len(names)} layers"] if len(names) > 20 else [],
            )
        if len(found) > 1:
            raise InvalidArgumentError(
                f"network '{self._name}' has {len(found)} layers '{name}'",
                details=first_of(map(repr, found), 8),
            )
        return found[0]

    # ---- Inside ---------------------------------------------------------------------------

    def _check_static(self) -> None:
        if self._dynamic is not None:
            raise InvalidArgumentError(
                f"network '{self._name}' has free dimensions, its layers are made by its builder",
                hints=["specialize() gives a network that layers can be added to"],
            )

    def append_unchecked(
        self,
        name: str,
        layer_type: LayerType,
        descriptor: Descriptor | None,
        inputs: tuple[OutputSlot | None, ...],
        output_infos: Sequence[TensorInfo],
        *,
        backend: str | None = None,
        value: NDArray[Any] | None = None,
        variable: VariableLayer | None = None,
    ) -> Layer:
        """Add a layer that is known to be valid, for example one of another network.

        Everything is taken as it is: the type is canonical, the slots are of this network, nothing
        is inferred, names of inputs and outputs are unique, and ``value``, which only a Constant
        and a variable have, is read-only, C-contiguous and fits its info. An Input with a value is
        a variable, an Output with a ``variable`` assigns that. Users call `Network.add_layer` and
        the other builders instead.
        """
        guid = len(self._layers)
        layer: Layer
        if value is not None and layer_type is LayerType.INPUT:
            layer = VariableLayer(self, guid, name, value, output_infos[0])
        elif value is not None:
            layer = ConstantLayer(self, guid, name, value, output_infos[0])
        elif variable is not None:
            layer = AssignLayer(self, guid, name, variable, inputs)
        else:
            layer = Layer(self, guid, name, layer_type, descriptor, inputs, output_infos, backend)
        if isinstance(layer, VariableLayer):
            self._variables[name] = layer
        elif isinstance(layer, AssignLayer):
            self._assigned[layer.variable.name] = layer
        elif layer_type is LayerType.INPUT:
            self._inputs[name] = layer
        elif layer_type is LayerType.OUTPUT:
            self._outputs[name] = layer
        self._layers.append(layer)
        self._layers_tuple = None
        self._by_name.setdefault(name, []).append(layer)
        return layer
