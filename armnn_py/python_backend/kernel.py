# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The decorator that makes a method the kernel of a layer type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from armnn_py.descriptors import DESCRIPTOR_OF
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py._native.layers.shown_layers import ShownLayer

_Method = TypeVar("_Method", bound=Callable[..., Any])
_MARK = "_armnn_py_kernels"

#: Answers whether a kernel takes a layer: True, or False or a text that says why not.
Supports = Callable[[Any, "ShownLayer"], "bool | str"]
Prepare = Callable[[Any, "ShownLayer"], Any]
Operations = Callable[[Any, "ShownLayer"], int]


class KernelRow(Struct, frozen=True):
    """One row of a backend's table: which layers a kernel is for.

    Attributes
    ----------
    type, data_types, parameters
        As `kernel` got them; no data types mean any.
    supports, prepare, operations
        Functions of the backend and a layer, or None.
    serial
        Whether calls of it for one layer must not overlap.
    name
        Name of the method.
    bounded
        Whether it takes bounded dimensions.
    """

    type: LayerType
    data_types: tuple[DataType, ...]
    parameters: Mapping[str, Any]
    supports: Supports | None
    prepare: Prepare | None
    operations: Operations | None
    serial: bool
    name: str
    bounded: bool = False

    def why_not(self, layer: ShownLayer) -> str:
        """Why the row is not for a layer of its type; empty if it is."""
        first = layer.inputs[0] if layer.inputs else layer.outputs[0] if layer.outputs else None
        if self.data_types and first is not None and first.data_type not in self.data_types:
            takes = " or ".join(data_type.described for data_type in self.data_types)
            what = "input" if layer.inputs else "output"
            return f"{what} 0 is {first.data_type.described}, the kernel takes {takes}"
        for info in (*layer.inputs, *layer.outputs):
            if info is not None and info.data_type.is_packed:
                return f"a tensor is {info.data_type.described}, whose elements no array holds"
        for name, value in self.parameters.items():
            actual = getattr(layer.descriptor, name)
            if actual != value:
                return f"{name} is {_words(actual)}, the kernel takes {_words(value)}"
        return ""


def _words(value: Any) -> str:
    return str(getattr(value, "name", value))


def kernel(
    layer_type: LayerType,
    *data_types: DataType,
    supports: Supports | None = None,
    prepare: Prepare | None = None,
    operations: Operations | None = None,
    serial: bool = False,
    bounded: bool = False,
    **parameters: Any,
) -> Callable[[_Method], _Method]:
    """Make a method of a `PythonBackend` the kernel of a layer type.

    The method is called with a `KernelCall` on the thread of the run, so by several threads at once
    if there are several runs. It writes ``call.outputs``, or returns an array, or a tuple of arrays
    if there are more outputs. A method may have several of these decorators. Of two rows that take
    a layer the one that was written first runs it; those of a subclass come before those of its
    bases.

    Parameters
    ----------
    layer_type
        A canonical type: what backends see.
    data_types
        Of input 0, or of output 0 for a layer without inputs; none means any.
    supports
        Function of the backend and the layer that says whether this kernel runs it: True, False,
        or a text that says why not. It is asked last.
    prepare
        Function of the backend and the layer, called when a network is loaded. What it returns
        comes to each call as ``call.prepared``: packed weights, say.
    operations
        Function of the backend and the layer that counts the arithmetic of one call, for profiles;
        a multiply-add counts as two.
    serial
        The calls for one layer never overlap, whatever threads run the network.
    bounded
        True: sizes of the layer may be known only at the call: the kernel goes by its arrays, and
        returns smaller ones for an output whose size it finds itself.
    parameters
        Fields of the layer's descriptor with the values that the kernel is for, such as
        ``operation=BinaryOperation.ADD``.

    Raises
    ------
    InvalidArgumentError
        No backend is ever asked for such a layer, or an argument is not of its kind.
    UnknownNameError
        The descriptor has no such field.
    """
    _check(layer_type, data_types, parameters)
    functions = {"supports": supports, "prepare": prepare, "operations": operations}
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise InvalidArgumentError(
                f"kernel: {name} is {function!r}, a function of the backend and a layer expected"
            )

    if not isinstance(bounded, bool):
        raise InvalidArgumentError(f"kernel: bounded is {bounded!r}, True or False expected")

    def mark(method: _Method) -> _Method:
        if not callable(method):
            raise InvalidArgumentError(
                f"kernel: {type(method).__name__} given, a method expected",
                hints=["write @kernel(...) directly above 'def'"],
            )
        row = KernelRow(
            layer_type,
            data_types,
            parameters,
            supports,
            prepare,
            operations,
            serial,
            method.__name__,
            bounded,
        )
        # Decorators work from the last line to the first.
        method.__dict__.setdefault(_MARK, []).insert(0, row)
        return method

    return mark


def _check(layer_type: Any, data_types: tuple[Any, ...], parameters: Mapping[str, Any]) -> None:
    if not isinstance(layer_type, LayerType):
        raise InvalidArgumentError(
            f"kernel: {layer_type!r} given, a LayerType expected",
            hints=["write @kernel(LayerType.ACTIVATION, DataType.FLOAT32)"],
        )
    facts = FACTS[layer_type]
    if facts.canonical is not None:
        operation = facts.canonical_operation
        which = "" if operation is None else f" with operation {operation.name}"
        hint = f"LayerType.{facts.canonical.name}" + (
            "" if operation is None else f", operation={type(operation).__name__}.{operation.name}"
        )
        raise InvalidArgumentError(
            f"kernel: {layer_type.label} comes to backends as {facts.canonical.label}{which}",
            hints=[f"write @kernel({hint})"],
        )
    if facts.host or facts.moves_memory or layer_type is LayerType.PRE_COMPILED:
        raise InvalidArgumentError(f"kernel: no backend is asked for {layer_type.label} layers")
    for data_type in data_types:
        if not isinstance(data_type, DataType):
            raise InvalidArgumentError(f"kernel: {data_type!r} given, a DataType expected")
    kind: Any = DESCRIPTOR_OF[layer_type]
    fields = () if kind is None else kind.__struct_fields__
    for name in parameters:
        if name not in fields:
            raise UnknownNameError(
                f"kernel: {layer_type.label} has no parameter '{name}'", name=name, valid=fields
            )


def rows_of(backend: type[Any]) -> dict[LayerType, list[KernelRow]]:
    """The rows of a class by layer type, its own before those of its bases.

    A method that replaces one of a base class without a decorator stands in that one's rows, for
    they say which method to call by name; None in its place takes them away.
    """
    rows: dict[LayerType, list[KernelRow]] = {}
    done: set[str] = set()
    for base in backend.__mro__:
        for name, member in vars(base).items():
            own = getattr(member, _MARK, [])
            if name in done or not (own or member is None):
                continue
            done.add(name)
            for row in own:
                rows.setdefault(row.type, []).append(row)
    return rows
