# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that the standard defines by others, as the package onnx has the definitions."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.table import find_operator
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.model import OnnxModel
from armnn_py.frontends.onnx.file.node_reading import NodeReader


def is_known(model: OnnxModel, node: Node, version: int) -> bool:
    """Return whether an operator has a converter or a definition."""
    if find_operator(node.domain, node.op_type, version) is not None:
        return True
    if node.function_key in model.functions:
        return True
    schema = _schema(node.domain, node.op_type, version)
    return schema is not None and _is_function(schema)


def find_function(
    node: Node, version: int, values: Sequence[Value | None], around: Mapping[str, int]
) -> Body | None:
    """Return the definition of an operator by others, for operands of these types and shapes.

    One that does not say which standard it is written in means that of the caller, ``around``.

    Returns
    -------
    Body or None
        None if the standard has no such operator, or does not define it by others.
    """
    schema = _schema(node.domain, node.op_type, version)
    if schema is None:
        return None
    body = None
    if schema.has_function:
        body = _plain_function(node.domain, node.op_type, version)
    elif schema.has_context_dependent_function:
        body = _function_for(schema, node, version, values)
    if body is None or body.opsets is None or "" in body.opsets:
        return body
    return structs.replace(body, opsets={**around, **body.opsets})


_MOST_VERSIONS = 2**31 - 1
"""Of an operator set, for the package onnx."""


@functools.lru_cache(maxsize=256)
def _schema(domain: str, op_type: str, version: int) -> Any | None:
    from onnx import defs

    try:
        return defs.get_schema(op_type, min(version, _MOST_VERSIONS), domain)
    except defs.SchemaError:
        return None


def _is_function(schema: Any) -> bool:
    return bool(schema.has_function or schema.has_context_dependent_function)


@functools.lru_cache(maxsize=256)
def _plain_function(domain: str, op_type: str, version: int) -> Body | None:
    import onnx

    schema = _schema(domain, op_type, version)
    assert schema is not None
    versions = [number for number in schema.function_opset_versions if number <= version]
    number = max(versions, default=min(schema.function_opset_versions))
    data = schema.get_function_with_opset_version(number)
    return _read(onnx.FunctionProto.FromString(data), version, schema)


def _function_for(
    schema: Any, node: Node, version: int, values: Sequence[Value | None]
) -> Body | None:
    import onnx

    proto = onnx.helper.make_node(
        node.op_type,
        [
            name if value is not None else ""
            for name, value in zip(node.inputs, values, strict=True)
        ],
        node.outputs,
        domain=node.domain,
        **{name: _plain(value) for name, value in node.attributes.items()},
    )
    types = [_type_of(value) for value in values]
    numbers = [n for n in schema.context_dependent_function_opset_versions if n <= version]
    number = max(numbers, default=min(schema.context_dependent_function_opset_versions))
    data = schema.get_context_dependent_function_with_opset_version(
        number, proto.SerializeToString(), [item.SerializeToString() for item in types]
    )
    if not data:
        return None
    return _read(onnx.FunctionProto.FromString(data), version, schema)


def _read(function: Any, version: int, schema: Any) -> Body:
    if not function.opset_import:
        entry = function.opset_import.add()
        entry.version = version
    stated = {attribute.name for attribute in function.attribute_proto}
    for name, attribute in schema.attributes.items():
        if attribute.default_value.type and name not in stated:
            default = function.attribute_proto.add()
            default.CopyFrom(attribute.default_value)
            default.name = name
    return NodeReader(None).function(function)


def _type_of(value: Value | None) -> Any:
    import onnx

    if value is None:
        return onnx.TypeProto()
    try:
        number = onnx.helper.np_dtype_to_tensor_dtype(dtype_of(value))
    except (KeyError, ValueError):
        raise Unsupported(f"{dtype_of(value)} values") from None
    return onnx.helper.make_tensor_type_proto(number, shape_of(value))


def _plain(value: Any) -> Any:
    import onnx

    if isinstance(value, Known):
        return onnx.numpy_helper.from_array(value.array)
    if isinstance(value, Body):
        raise ParseError(
            "an attribute of a function is a graph, which this importer does not support"
        )
    return value
