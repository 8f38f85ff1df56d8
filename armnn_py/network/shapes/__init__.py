# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Inference of shapes and types: the infos of a layer's outputs, or why it is not valid.

`infer` is pure: it knows tensor infos, constants and descriptors, and no network.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.descriptors import DESCRIPTOR_OF, Descriptor, MeanDescriptor, ReduceDescriptor
from armnn_py.errors import InvalidArgumentError, LayerValidationError
from armnn_py.network.shapes.common import broadcast, reduced_axes
from armnn_py.network.shapes.site import Site, operand_name
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.types import BinaryOperation, DataType, LayerType, ReduceOperation
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["infer", "infer_shapes"]


def _same(site: Site) -> list[TensorInfo]:
    """Operand 0 gives the shape; an axis that the parameters name must be there."""
    _check_types(site)
    shape = site.shape()
    if site.descriptor is not None and site.descriptor.roles.get("axis") == "axis":
        site.need_axis(site.descriptor.axis, len(shape))  # type: ignore[attr-defined]
    return _made(site, shape)


def _broadcast(site: Site) -> list[TensorInfo]:
    """All operands have one type, and their shapes broadcast as in numpy."""
    _check_types(site)
    operation = getattr(site.descriptor, "operation", None)
    if isinstance(operation, BinaryOperation):
        if site.info().data_type is DataType.BOOLEAN:
            if operation not in _OF_BOOLEANS:
                site.need_number()
        elif operation in _OF_BITS:
            site.need_integer()
    others = dict(FACTS[site.layer_type].operand_types)
    alike = [index for index in range(len(site.infos)) if index not in others]
    for index in alike[1:]:
        site.need_same_type(alike[0], index)
    shapes = [site.shape(index) for index in range(len(site.infos))]
    return _made(site, broadcast(site, *shapes), alike[0])


#: The numpy functions of boolean operations: or, and, exclusive or.
_OF_BOOLEANS = (
    BinaryOperation.ADD,
    BinaryOperation.MAXIMUM,
    BinaryOperation.MINIMUM,
    BinaryOperation.MUL,
    BinaryOperation.BITWISE_AND,
    BinaryOperation.BITWISE_OR,
    BinaryOperation.BITWISE_XOR,
)

#: Their operands are integers.
_OF_BITS = (
    BinaryOperation.BITWISE_AND,
    BinaryOperation.BITWISE_OR,
    BinaryOperation.BITWISE_XOR,
    BinaryOperation.SHIFT_LEFT,
    BinaryOperation.SHIFT_RIGHT,
)


def _reduce(site: Site) -> list[TensorInfo]:
    """The parameters name axes, which vanish or become 1."""
    _check_types(site)
    d = site.descriptor
    assert isinstance(d, (MeanDescriptor, ReduceDescriptor))
    shape = site.shape()
    gone = reduced_axes(site, d.axes, len(shape))
    if isinstance(d, ReduceDescriptor) and d.operation is ReduceOperation.MEAN:
        site.need_number()
    extreme = isinstance(d, ReduceDescriptor) and d.operation in _EXTREMES
    if extreme and any(shape[axis] == 0 for axis in gone):
        site.fail("a reduced dimension is empty, and this operation has no value for nothing")
    if d.keep_dims:
        return _made(site, [1 if axis in gone else dim for axis, dim in enumerate(shape)])
    return _made(site, [dim for axis, dim in enumerate(shape) if axis not in gone])


_EXTREMES = (ReduceOperation.MAX, ReduceOperation.MIN)


def _stated(site: Site) -> list[TensorInfo]:
    """Take the outputs that the caller states: the table has no rule for them."""
    if site.outputs is None:
        site.fail("outputs of this layer type are not inferred", hint="state them in output_infos=")
    return list(site.outputs)


def _check_types(site: Site) -> None:
    facts = FACTS[site.layer_type]
    others = dict(facts.operand_types)
    for index in range(len(site.infos)):
        group = others.get(index, facts.types)
        if group == "number" and (index == 0 or index in others):
            site.need_number(index)
        elif group == "float" and not site.info(index).data_type.is_float:
            found = site.info(index).data_type.described
            site.fail(f"input is {found}, a floating-point type expected")
        elif group == "boolean":
            site.need_type(index, DataType.BOOLEAN)


def _made(site: Site, shape: Sequence[int], index: int = 0) -> list[TensorInfo]:
    """The output, of the type of an operand."""
    facts = FACTS[site.layer_type]
    if facts.output_type is not None:
        return [TensorInfo(tuple(shape), facts.output_type)]
    if facts.quantization == "calculates":
        return site.computed(shape, index)
    if tuple(shape) == site.shape(index):
        return [site.info(index)]
    return site.moved(shape, index)


GENERIC: dict[str, Callable[[Site], list[TensorInfo]]] = {
    "same": _same,
    "broadcast": _broadcast,
    "reduce": _reduce,
    "stated": _stated,
}


_FAMILIES = (
    "convolution",
    "special",
    "movement",
    "reduction",
    "elementwise",
    "spatial",
    "slicing",
    "levels",
    "recurrent",
    "attention",
)
"""Modules with ``RULES``, those of most networks first: the others are seldom imported."""

_FOUND: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {}


def _rule_of(layer_type: LayerType) -> Callable[[Site], list[TensorInfo]]:
    """Return the rule of a layer type: its own, or that which the table of layers names."""
    rule = _FOUND.get(layer_type)
    if rule is None:
        rule = _FOUND[layer_type] = _own_rule(layer_type) or GENERIC[FACTS[layer_type].shape]
    return rule


def _own_rule(layer_type: LayerType) -> Callable[[Site], list[TensorInfo]] | None:
    if FACTS[layer_type].shape not in ("custom", "stated"):
        return None
    for family in _FAMILIES:
        rules = importlib.import_module(f"armnn_py.network.shapes.{family}").RULES
        if layer_type in rules:
            return rules[layer_type]  # type: ignore[no-any-return]
    return None


def infer(
    layer_type: LayerType,
    descriptor: Descriptor | None,
    input_infos: Sequence[TensorInfo | None],
    constants: Sequence[NDArray[Any] | None] = (),
    *,
    outputs: Sequence[TensorInfo] | None = None,
    layer: str = "",
) -> list[TensorInfo]:
    """Infer the outputs of a layer.

    Parameters
    ----------
    layer_type, descriptor
        Type and parameters of the layer.
    input_infos
        Its operands in the order of ``armnn/descriptors.h``; ``None`` where an optional one is
        absent. All dimensions are known.
    constants
        Values of the operands, where they are known.
    outputs
        The outputs as the caller requests them: quantisation, the type of a Cast, the shape of a
        transposed convolution. Inferred infos must agree. Needed for layer types that only
        the caller understands (StandIn, PreCompiled, Fused, the recurrent ones).
    layer
        Name for messages.

    Returns
    -------
    list of TensorInfo
        One for each output.

    Raises
    ------
    LayerValidationError
        The layer is not valid; says what was given and what was expected.
    """
    input_infos = [i.with_shape(i.shape) if i is not None and i.bounded else i for i in input_infos]
    site = Site(layer_type, descriptor, input_infos, constants, outputs, layer)
    _check_site(site)
    if any(info.bounded for info in outputs or ()) and layer_type is not LayerType.STAND_IN:
        site.fail("an output has bounded dimensions, which only a StandIn layer has")
    rule = _rule_of(layer_type)
    try:
        found = rule(site)
    except LayerValidationError:
        raise
    except InvalidArgumentError as error:  # more than 8 dimensions, or 2**63 bytes
        site.fail(f"the output is impossible: {error.message}")
    return found if outputs is None else _reconcile(site, found, outputs)


def infer_shapes(
    layer_type: LayerType,
    descriptor: Descriptor | None,
    input_infos: Sequence[TensorInfo | None],
    constants: Sequence[NDArray[Any] | None],
    *,
    outputs: Sequence[TensorInfo],
    layer: str = "",
) -> list[tuple[int, ...]]:
    """Return the shapes of a layer's outputs, where types and quantisation are known already.

    Parameters
    ----------
    layer_type, descriptor, input_infos, constants, layer
        As for `infer`.
    outputs
        The outputs for other shapes of the operands.

    Raises
    ------
    LayerValidationError
        The shapes do not fit the layer.
    """
    site = Site(layer_type, descriptor, input_infos, constants, outputs, layer)
    _check_site(site)
    rule = _rule_of(layer_type)
    return [info.static_shape for info in rule(site)]


def _check_site(site: Site) -> None:
    """Check what all rules demand of descriptor and operands."""
    expected = DESCRIPTOR_OF[site.layer_type]
    given = type(site.descriptor)
    if given is not (expected or type(None)):
        site.fail(
            f"descriptor {'None' if site.descriptor is None else given.__name__} given, "
            f"{'None' if expected is None else expected.__name__} expected"
        )
    if FACTS[site.layer_type].variadic:
        if not site.infos and site.layer_type in (LayerType.CONCAT, LayerType.STACK):
            site.fail("no inputs given, at least one expected")
        if None in site.infos:
            site.fail(f"input {list(site.infos).index(None)} is missing")
    else:
        _check_operands(site)
    for index, info in enumerate(site.infos):
        if info is not None and not info.is_static:
            site.fail(
                f"{operand_name(site.layer_type, index)} has free dimensions",
                hint="specialize() gives a network whose shapes are all known",
            )


def _check_operands(site: Site) -> None:
    names = FACTS[site.layer_type].operands
    if len(site.infos) > len(names):
        site.fail(f"{len(site.infos)} operands given, at most {len(names)} expected")
    for index, name in enumerate(names):
        if not name.endswith("?"):
            site.info(index)


def _reconcile(
    site: Site, found: list[TensorInfo], requested: Sequence[TensorInfo]
) -> list[TensorInfo]:
    """Return the inferred infos with the caller's quantisation, if both agree."""
    if len(found) != len(requested):
        site.fail(f"{len(requested)} output infos given, {len(found)} expected")
    result = []
    for index, (ours, theirs) in enumerate(zip(found, requested, strict=True)):
        if ours.shape != theirs.shape:
            site.fail(
                f"output {index} stated as {format_shape(theirs.shape)}, but it is "
                f"{format_shape(ours.shape)}"
            )
        if ours.data_type is not theirs.data_type and not FACTS[site.layer_type].free_output_type:
            site.fail(
                f"output {index} stated as {theirs.data_type.described}, but it is "
                f"{ours.data_type.described}"
            )
        result.append(ours if theirs.quantization is None else theirs)
    return result
