# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Expected quantised values from somebody else: models of one operator in LiteRT.

The interpreter runs its reference kernels, which are the code of TensorFlow Lite's quantisation
specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from .harness import Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["tflite_node"]

_TYPES = {"f4": "FLOAT32", "i4": "INT32", "u1": "UINT8", "i8": "INT64", "i2": "INT16", "i1": "INT8"}


def tflite_node(
    operator: str,
    inputs: Sequence[Tensor],
    output: Tensor,
    options: Mapping[str, Any] | None = None,
    *,
    version: int = 1,
) -> np.ndarray:
    """The output of one operator; of ``output`` only shape, type and quantisation count.

    ``options`` are members of the operator's table of options, ``{"paddingKind": 1}`` for instance;
    the table is named after the operator.
    """
    flatbuffers = pytest.importorskip("flatbuffers")
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    model = schema.ModelT()
    model.version = 3
    model.buffers = [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.tensors = [_tensor(schema, model, one) for one in (*inputs, output)]
    graph.inputs = [i for i, one in enumerate(inputs) if not one.constant]
    graph.outputs = [len(inputs)]
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, operator)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = version
    model.operatorCodes = [code]
    node = schema.OperatorT()
    node.inputs = list(range(len(inputs)))
    node.outputs = [len(inputs)]
    if options is not None:
        table = dict(options)
        name = table.pop("table")
        node.builtinOptionsType = getattr(schema.BuiltinOptions, name)
        node.builtinOptions = getattr(schema, name + "T")()
        for key, value in table.items():
            assert hasattr(node.builtinOptions, key), key
            setattr(node.builtinOptions, key, value)
    graph.operators = [node]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    interpreter = Interpreter(
        model_content=bytes(builder.Output()),
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        num_threads=1,
    )
    interpreter.allocate_tensors()
    for index, one in enumerate(inputs):
        if not one.constant:
            interpreter.set_tensor(index, one.array)
    interpreter.invoke()
    result: np.ndarray = interpreter.get_tensor(len(inputs)).copy()
    return result


def _tensor(schema: Any, model: Any, one: Tensor) -> Any:
    tensor = schema.TensorT()
    tensor.shape = list(one.array.shape)
    tensor.type = getattr(schema.TensorType, _TYPES[one.array.dtype.str[1:]])
    tensor.name = b"t"
    tensor.buffer = 0
    if one.constant:
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(np.ascontiguousarray(one.array).tobytes(), np.uint8)
        model.buffers.append(buffer)
        tensor.buffer = len(model.buffers) - 1
    if len(one.scales):
        quantization = schema.QuantizationParametersT()
        quantization.scale = np.asarray(one.scales, np.float32)
        points = one.zero_points if len(one.zero_points) else [0] * len(one.scales)
        quantization.zeroPoint = np.asarray(points, np.int64)
        quantization.quantizedDimension = one.axis
        tensor.quantization = quantization
    return tensor
