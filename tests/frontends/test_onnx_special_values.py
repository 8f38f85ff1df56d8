# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""NaN, infinities, zeros and the smallest numbers through every operator of one or two operands.

Operators come from the table of converters, so that a new one is covered by itself. Expected is
onnxruntime's answer, except where ``BY_NUMPY`` says why not. The sign of a zero is left open, and
the smallest numbers may become zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert import table
from tests.frontends.special_values import ENGINES, SPECIAL, engine_of

Array = np.ndarray

LENGTHS = (5, 133)  # a tail alone, and vectors of every width before a tail

#: Other attributes than an operator's own defaults.
ATTRIBUTES: dict[str, list[dict[str, Any]]] = {
    "Celu": [{"alpha": 2.0}],
    "Elu": [{"alpha": 2.0}, {"alpha": 0.0}],
    "Gelu": [{"approximate": "tanh"}],
    "HardSigmoid": [{"alpha": 0.0}, {"alpha": 0.5, "beta": 0.25}],
    "IsInf": [{"detect_negative": 0}, {"detect_positive": 0}],
    "LeakyRelu": [{"alpha": 0.0}, {"alpha": -2.0}],
    "Mod": [{"fmod": 1}],
    "Shrink": [{"lambd": 1.5, "bias": 1.0}],
    "ThresholdedRelu": [{"alpha": -1.0}],
}
#: The default attributes of these are not for float32.
NEEDS_ATTRIBUTES = {"Mod"}


#: Where onnxruntime is not followed, and the reason.
BY_NUMPY: dict[str, Callable[..., Any]] = {
    # Its curve ends at -18, and is 0 from there on.
    "Sigmoid": lambda x: np.float32(1 / (1 + np.exp(-np.float64(x)))),
    # It has no kernel for this version, or none for float32.
    "Swish": lambda x: np.float32(x / (1 + np.exp(-np.float64(x)))),
    # Without bounds it clips to finite numbers; the reference evaluator of ONNX does not.
    "Clip": lambda x, *bounds: np.clip(x, *bounds) if bounds else x,
    # It drops NaN, or not, by the number of elements; numpy lets NaN win.
    "ReduceMax": lambda x, axis: np.max(x, axis, keepdims=True),
    "ReduceMin": lambda x, axis: np.min(x, axis, keepdims=True),
    "ArgMax": lambda x, axis: np.argmax(x, axis, keepdims=True),
    "ArgMin": lambda x, axis: np.argmin(x, axis, keepdims=True),
    "Hardmax": lambda x, axis: np.float32(
        np.indices(x.shape)[axis] == np.argmax(x, axis, keepdims=True)
    ),
}
#: Operators of one or two operands that compute no function of each element, or of a row.
OTHER_TESTS = (
    "the shape of the output, random numbers or where elements go is what they are about",
    {
        "Bernoulli", "CastLike", "Col2Im", "ConstantOfShape", "Compress", "DepthToSpace", "Det",
        "EyeLike", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "GridSample", "Identity",
        "Multinomial", "NonZero", "RandomNormalLike", "RandomUniformLike", "Shape", "Size",
        "SpaceToDepth", "Squeeze", "Transpose", "Unique", "Upsample", "Cast", "BitCast", "Flatten",
        "InstanceNormalization", "MeanVarianceNormalization", "LRN", "Dropout", "Concat", "Split",
        "Einsum", "MatMul", "CumProd", "CumSum", "Gemm", "Resize", "Pad", "Trilu", "Conv", "DFT",
        "ConvTranspose", "LayerNormalization", "NonMaxSuppression", "OptionalGetElement",
        "SequenceConstruct", "SplitToSequence", "TensorScatter", "OptionalHasElement",
        "QuantizeLinear", "RMSNormalization",
    },
)  # fmt: skip


def operators() -> Iterator[tuple[str, int]]:
    """Operators of the table that take float32 tensors, by the number of operands they need."""
    for name in table.operator_names():  # those of other domains have a dot
        if name in OTHER_TESTS[1] or not onnx.defs.has(name):
            continue
        schema = onnx.defs.get_schema(name)
        operands = schema.inputs
        needs = [one for one in schema.attributes.values() if one.required]
        if not operands or schema.min_input > 2 or needs or schema.min_output != 1:
            continue
        is_variadic = operands[0].option == onnx.defs.OpSchema.FormalParameterOption.Variadic
        if all("tensor(float)" in one.types for one in operands[: schema.min_input]):
            yield name, 2 if is_variadic else schema.min_input


def is_fold(op: str) -> bool:
    return op.startswith(("Reduce", "Arg")) or op in ("Softmax", "LogSoftmax", "Hardmax")


CASES = [
    pytest.param(name, count, attributes, id="-".join([name, *map(str, attributes.values())]))
    for name, count in operators()
    for attributes in [*([] if name in NEEDS_ATTRIBUTES else [{}]), *ATTRIBUTES.get(name, [])]
    if not is_fold(name)
]
FOLDS = [
    pytest.param(name, axis, id=f"{name}-{axis}")
    for name, _ in operators()
    for axis in (1, 0)
    if is_fold(name)
]


@pytest.fixture(scope="module", params=["folded", *ENGINES])
def engine(request: pytest.FixtureRequest) -> Iterator[Callable[..., Array]]:
    """Runs a model with constants alone, on CpuRef, or with each instruction set of CpuAcc."""
    how = request.param
    with engine_of("CpuRef" if how == "folded" else how) as (runtime, backends):

        def run(op: str, operands: list[Array], attributes: dict[str, Any]) -> Array:
            made = model(op, operands, attributes, known=how == "folded")
            fed = {} if how == "folded" else {f"x{k}": x for k, x in enumerate(operands)}
            with ann.load(made, backends, runtime=runtime) as network:
                return np.array(network.run(fed)["y"])

        yield run


def model(op: str, operands: list[Array], attributes: dict[str, Any], known: bool) -> Any:
    names = [f"x{k}" for k in range(len(operands))]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in zip(names, operands, strict=True)
    ]
    constants = [numpy_helper.from_array(x, name) for name, x in zip(names, operands, strict=True)]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)],
        "graph",
        [] if known else infos,
        [onnx.ValueInfoProto(name="y")],
        constants if known else [],
    )
    # Reduce has its axes as attributes until version 12.
    newest = min(max(onnx.defs.get_schema(op).since_version, 13), 22)
    opsets = [helper.make_opsetid("", 12 if op.startswith("Reduce") else newest)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def expected(op: str, operands: list[Array], attributes: dict[str, Any]) -> Array:
    if op in BY_NUMPY:
        axis = [attributes.get("axis", attributes.get("axes", [0])[0])] if is_fold(op) else []
        with np.errstate(all="ignore"):
            return np.asarray(BY_NUMPY[op](*operands, *axis))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    made = model(op, operands, attributes, known=False)
    session = onnxruntime.InferenceSession(made.SerializeToString(), options)
    (y,) = session.run(None, {f"x{k}": x for k, x in enumerate(operands)})
    return np.asarray(y)


def same(found: Array, wanted: Array, op: str = "") -> None:
    """Logarithms of sums near 1 have no precise digits."""
    assert found.dtype == wanted.dtype
    atol = 1e-6 if op == "LogSoftmax" else 1e-36
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=atol)


@pytest.mark.parametrize(("op", "count", "attributes"), CASES)
def test_as_the_measure(
    engine: Callable[..., Array], op: str, count: int, attributes: dict[str, Any]
) -> None:
    """Each number in each place of a vector, and pairs with each other."""
    if count == 1:
        for length in LENGTHS:
            x = np.resize(SPECIAL, length)
            same(engine(op, [x], attributes), expected(op, [x], attributes))
        return
    x, y = (np.ascontiguousarray(a).reshape(-1) for a in np.meshgrid(SPECIAL, SPECIAL))
    same(engine(op, [x, y], attributes), expected(op, [x, y], attributes))
    for one in SPECIAL[[0, 1, 2, 3, 5, 9]]:
        for operands in ([np.resize(SPECIAL, 37), one[None]], [one[None], np.resize(SPECIAL, 37)]):
            if op == "PRelu" and len(operands[0]) == 1:
                continue  # slopes are not wider than the input
            same(engine(op, operands, attributes), expected(op, operands, attributes))


@pytest.mark.parametrize(("op", "axis"), FOLDS)
def test_rows_and_columns_as_the_measure(engine: Callable[..., Array], op: str, axis: int) -> None:
    """Each number in a row of 37, alone and beside another one."""
    others, numbers = np.float32([1, np.nan, np.inf, -np.inf]), SPECIAL
    if op == "ReduceProd":  # the order of the factors decides about others
        size = np.abs(numbers)
        numbers = numbers[~((size > 1e30) & (size < np.inf) | (size > 0) & (size < 1e-30))]
    x = np.tile(np.linspace(0.25, 1.25, 37, dtype=np.float32), (numbers.size * others.size, 1))
    x[:, 5], x[:, 33] = (a.reshape(-1) for a in np.meshgrid(numbers, others))
    x = x if axis else np.ascontiguousarray(x.T)
    attributes: dict[str, Any] = {"axes": [axis]} if op.startswith("Reduce") else {"axis": axis}
    same(engine(op, [x], attributes), expected(op, [x], attributes), op)


def test_the_table_is_walked() -> None:
    names = {case.values[0] for case in [*CASES, *FOLDS]}
    assert {"Abs", "Sign", "Relu", "Gelu", "PRelu", "Add", "Pow", "Less", "ReduceSum"} <= names
    assert len(names) > 60
