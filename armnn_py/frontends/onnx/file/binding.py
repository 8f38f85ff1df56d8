# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Binding the free dimensions of a model's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError, ParseError, UnknownNameError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, as_handed
from armnn_py.frontends.onnx.file.element_types import is_string
from armnn_py.frontends.onnx.file.model import OnnxModel, ValueInfo
from armnn_py.tensors import StringInfo, TensorInfo, format_shape, parse_shape
from armnn_py.text import first_of
from armnn_py.types import DataType

if TYPE_CHECKING:
    import numpy as np

Shapes = Mapping[str, Sequence[int | None]]


def input_infos(model: OnnxModel, shapes: Shapes | None = None) -> dict[str, TensorInfo]:
    """Return the inputs with the given shapes bound, other free dimensions as ``None``.

    Raises
    ------
    UnknownNameError
        A name in ``shapes`` is not an input.
    InvalidArgumentError
        A shape does not fit the model's, or one symbolic dimension got two sizes.
    ParseError
        An input is of a type that no tensor has, or its rank is not known.
    """
    shapes = _checked(shapes)
    for name in shapes:
        if name not in model.inputs:
            raise UnknownNameError(
                f"{quoted(name)} is not an input of '{model.name}'",
                name=str(name),
                valid=list(model.inputs),
            )
    symbols: dict[str, tuple[int, str]] = {}
    bound = {name: _bind(info, shapes.get(name), symbols) for name, info in model.inputs.items()}
    # A symbolic dimension that is bound in one input is bound in all.
    for name, info in model.inputs.items():
        for axis, dim in enumerate(info.dims or ()):
            if isinstance(dim, str) and dim in symbols and bound[name][axis] is None:
                bound[name][axis] = symbols[dim][0]
    return {
        name: _tensor_info(
            info, bound[name], InvalidArgumentError if name in shapes else ParseError
        )
        for name, info in model.inputs.items()
    }


def states(model: OnnxModel, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Return whether shapes of inputs are those that a model states."""
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        dims = model.inputs[name].dims
        if dims is None:
            continue
        if len(dims) != len(shape):
            return False
        for dim, size in zip(dims, shape, strict=True):
            wanted = sizes.setdefault(dim, size) if isinstance(dim, str) else dim
            if wanted not in (None, size):
                return False
    return True


def optional_values(model: OnnxModel, infos: Mapping[str, TensorInfo]) -> dict[str, Array]:
    """Return arrays of inputs that have a value in the file, if that fits the bound shape."""
    found: dict[str, Array] = {}
    for name, value in model.optional.items():
        info = infos[name]
        fits = len(value.shape) == info.rank and all(
            size in (None, given) for size, given in zip(info.shape, value.shape, strict=True)
        )
        array = as_handed(value)
        if fits and (isinstance(info, StringInfo) or array.dtype == info.dtype):
            found[name] = array
    return found


def foreign_values(model: OnnxModel) -> tuple[list[ValueInfo], list[ValueInfo]]:
    """Return the inputs that no tensor can hold, and such outputs.

    A sequence or an optional value as an output may be tensors by the end of the conversion.
    """
    inputs = [info for info in model.inputs.values() if is_foreign(info)]
    outputs = [
        info
        for info in model.outputs.values()
        if is_foreign(info) and (info.dims is not None or info.type_name == "map type")
    ]
    return inputs, outputs


def is_foreign(info: ValueInfo) -> bool:
    """Say whether the file states a type that no tensor has."""
    return not is_string(info.dtype) and _found_type(info) is None


def _checked(shapes: Shapes | None) -> dict[str, list[int | None]]:
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        raise InvalidArgumentError(
            f"shapes given as {type(shapes).__name__}, a mapping of input names expected",
            hints=["shapes={'image': (1, 3, 224, 224)}"],
        )
    return {
        name: list(parse_shape(shape, what=f"shape of input {quoted(name)}"))
        for name, shape in shapes.items()
    }


def _bind(
    info: ValueInfo, given: list[int | None] | None, symbols: dict[str, tuple[int, str]]
) -> list[int | None]:
    if is_foreign(info):
        raise ParseError(f"{quoted(info.name)} {holding(info)}")
    what = f"input {quoted(info.name)}"
    if info.dims is None:
        if given is None:
            raise ParseError(
                f"{what} states no shape, so that its rank is not known",
                hints=[f"import_model(..., shapes={{{info.name!r}: (1, 3, 224, 224)}})"],
            )
        return given
    stated = " x ".join("?" if dim is None else str(dim) for dim in info.dims) or "scalar"
    if given is None:
        given = [None] * len(info.dims)
    if len(given) != len(info.dims):
        raise InvalidArgumentError(
            f"{what}: {len(given)} dimensions given, {len(info.dims)} expected",
            details=[f"shape of the model: {stated}"],
        )
    bound: list[int | None] = []
    for axis, (dim, size) in enumerate(zip(info.dims, given, strict=True)):
        if isinstance(dim, int) and size not in (None, dim):
            raise InvalidArgumentError(
                f"{what}: dimension {axis} is {size}, {dim} expected",
                details=[f"shape of the model: {stated}"],
            )
        if isinstance(dim, str) and size is not None:
            first, where = symbols.setdefault(dim, (size, f"{what}, dimension {axis}"))
            if first != size:
                raise InvalidArgumentError(
                    f"{what}: dimension {axis} ({quoted(dim)}) is {size}, {first} expected",
                    details=[f"{quoted(dim)} is {first} in {where}"],
                    hints=["dimensions of one name have one size"],
                )
        bound.append(dim if isinstance(dim, int) else size)
    return bound


def _tensor_info(
    info: ValueInfo, shape: list[int | None], blame: type[InvalidArgumentError | ParseError]
) -> TensorInfo:
    try:
        return _info_of(info, shape)
    except InvalidArgumentError as error:
        raise blame(f"input {quoted(info.name)}: {error.message}", details=error.details) from error


def _info_of(info: ValueInfo, shape: Sequence[int | None]) -> TensorInfo:
    if is_string(info.dtype):
        return StringInfo(shape, dimension_names=_names(info))
    return TensorInfo(shape, _data_type(info), dimension_names=_names(info))


def _names(info: ValueInfo) -> list[str | None]:
    return [dim if isinstance(dim, str) else None for dim in info.dims or ()]


def _data_type(info: ValueInfo) -> DataType:
    found = _found_type(info)
    if found is None:
        raise ParseError(f"{quoted(info.name)} {holding(info)}")
    return found


def _found_type(info: ValueInfo) -> DataType | None:
    dtype: np.dtype[np.generic] | None = info.dtype
    if dtype is None:
        return None
    try:
        return DataType.from_numpy(dtype).unpacked
    except InvalidArgumentError:
        return None


def holding(info: ValueInfo) -> str:
    """Say what an input or output holds that no tensor can."""
    return f"holds {info.type_name} values, which no tensor can"


def output_info(
    info: ValueInfo, deciding: Sequence[str] = (), reasons: Sequence[str] = (), depth: int = 0
) -> TensorInfo:
    """Return type and shape of an output as the model states them.

    Parameters
    ----------
    info
        The output.
    deciding
        Inputs whose values decide shapes.
    reasons
        Why a conversion on trial did not tell the shape either.
    depth
        How many stages the graph is behind or inside of: shapes can be given to the first one.

    Raises
    ------
    ParseError
        The model states neither type nor rank.
    """
    if deciding and info.type_name in ("sequence type", "optional type"):
        raise ParseError(
            f"output {quoted(info.name)} holds {info.type_name} values, and values of inputs "
            "decide how many tensors these are",
            details=first_of(f"input {quoted(name)} decides" for name in deciding),
        )
    if info.dims is None:
        raise ParseError(
            f"output {quoted(info.name)} states no shape, so that its rank is not known",
            details=reasons,
            hints=[_rank_hint(is_deep=depth > 0, is_decided=bool(deciding))],
        )
    shape = tuple(dim if isinstance(dim, int) else None for dim in info.dims)
    try:
        return _info_of(info, shape)
    except InvalidArgumentError as error:
        raise ParseError(
            f"output {quoted(info.name)}: {error.message}", details=error.details
        ) from error


def _rank_hint(*, is_deep: bool, is_decided: bool) -> str:
    if is_deep:
        return "shapes that an exporter leaves to run time often vanish with onnxsim"
    if is_decided:
        return "onnx.shape_inference.infer_shapes(model) may add the output's shape to the file"
    return "bind all inputs: import_model(..., shapes={...})"


def describe(infos: Mapping[str, TensorInfo]) -> list[str]:
    """Return a line for each of the first inputs, for the details of an error."""
    return first_of(f"input {quoted(n)}: {format_shape(i.shape)}" for n, i in infos.items())
