# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One node at a time: the outputs of CpuRef against those of onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

R = np.random.default_rng(7)


def f(*shape: int) -> np.ndarray:
    return R.standard_normal(shape).astype(np.float32)


def case(
    op: str,
    inputs: list[Any],
    constants: dict[int, np.ndarray] | None = None,
    *,
    opset: int = 17,
    id: str | None = None,
    **attributes: Any,
) -> Any:
    """A node whose operands are arrays (run-time inputs), except those in ``constants``."""
    return pytest.param(op, inputs, constants or {}, opset, attributes, id=id or op)


def d(*shape: int) -> np.ndarray:
    return R.standard_normal(shape)


X, ODD = f(2, 3, 4, 5), f(1, 6, 10, 11)
SPREAD = np.linspace(-6, 6, 48, dtype=np.float32).reshape(2, 3, 8)
POSITIVE = np.abs(f(2, 3, 4)) + np.float32(0.1)
NAN = np.array([[np.nan, np.inf, -np.inf, 1, -2, 0]], np.float32)
INTS = R.integers(-9, 9, (2, 3, 4)).astype(np.int64)
FLAGS = R.integers(0, 2, (2, 3, 4)).astype(bool)

UNARY = [
    *(case(op, [SPREAD]) for op in ("Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Ceil", "Floor")),
    *(case(op, [SPREAD]) for op in ("Round", "Erf")),
    *(case(op, [SPREAD]) for op in ("Exp", "Sin", "Softplus", "Softsign", "Elu", "Selu", "Celu")),
    *(case(op, [SPREAD]) for op in ("LeakyRelu", "HardSigmoid", "HardSwish", "Sign", "Identity")),
    *(case(op, [POSITIVE]) for op in ("Sqrt", "Log", "Reciprocal")),
    case("Elu", [SPREAD], alpha=0.3, id="Elu with alpha"),
    case("Celu", [SPREAD], alpha=0.3, id="Celu with alpha"),
    case("LeakyRelu", [SPREAD], alpha=0.3, id="LeakyRelu with alpha"),
    case("HardSigmoid", [SPREAD], alpha=1 / 6, beta=0.5, id="HardSigmoid of Paddle"),
    case("ThresholdedRelu", [SPREAD], alpha=0.7),
    case("Shrink", [SPREAD], lambd=1.5, bias=1.0),
    case("Shrink", [SPREAD], lambd=-1.5, bias=0.25, id="Shrink below and above its edges"),
    case("Shrink", [INTS], lambd=1.5, bias=1.25, id="Shrink of integers"),
    case("Erf", [f(2, 0)], id="Erf of no elements"),
    case("Relu", [d(2, 3)], id="Relu of float64"),
    case(
        "Clip", [d(2, 3), d(), d()], {1: np.float64(-0.5), 2: np.float64(0.5)}, id="Clip of float64"
    ),
    case("Mish", [SPREAD], opset=18),
    case("Gelu", [SPREAD], opset=20),
    case("Gelu", [SPREAD], opset=20, approximate="tanh", id="Gelu by tanh"),
    case("Clip", [SPREAD], opset=6, min=-1.0, max=2.0, id="Clip by attributes"),
    case("Clip", [SPREAD], opset=6, max=2.0, id="Clip above by attribute"),
    case("Clip", [SPREAD, f(), f()], {1: np.float32(-1), 2: np.float32(2)}, id="Clip"),
    case("Clip", [SPREAD, f()], {1: np.float32(0)}, id="Clip at 0"),
    case("Clip", [SPREAD, f()], {1: np.float32(-1)}, id="Clip below"),
    case("Clip", [SPREAD, None, f()], {2: np.float32(1)}, id="Clip above"),
    case("Clip", [SPREAD, np.float32(-1), np.float32(2)], id="Clip with run-time bounds"),
    case("Not", [FLAGS]),
    case("IsNaN", [NAN]),
    case("IsInf", [NAN]),
    case("IsInf", [NAN], detect_negative=0, id="IsInf above"),
    case("IsInf", [NAN], detect_positive=0, id="IsInf below"),
    case("IsInf", [NAN], detect_positive=0, detect_negative=0, id="IsInf never"),
    case("Hardmax", [np.round(X)], axis=1, id="Hardmax with ties"),
    case("Hardmax", [X], opset=11, axis=2, id="Hardmax of all that follows"),
    case("Dropout", [X]),
    case("Cast", [X], to=7, id="Cast to int64"),
    case("Cast", [INTS], to=1, id="Cast to float"),
    case("Cast", [X], to=1, id="Cast to the same"),
    case("Cast", [FLAGS], to=1, id="Cast of bool"),
    case("Cast", [INTS.astype(np.float32) / 9], to=9, id="Cast to bool"),
]

BINARY = [
    *(case(op, [X, f(3, 1, 5)]) for op in ("Add", "Sub", "Mul", "Div")),
    *(case(op, [X, f(4, 5)], {1: f(4, 5)}, id=f"{op} constant") for op in ("Add", "Div")),
    *(case(op, [X, f(3, 1, 5), f(2, 1, 1, 1)]) for op in ("Sum", "Mean", "Max", "Min")),
    case("Pow", [POSITIVE, f(4)]),
    case("Pow", [X, f()], {1: np.float32(2)}, id="Pow 2"),
    case("Pow", [POSITIVE, f()], {1: np.float32(0.5)}, id="Pow half"),
    case("Pow", [X, f()], {1: np.int64(3)}, id="Pow with integer exponent"),
    *(
        case("Pow", [np.int64([3, -5]), kind([20, 3])], id=f"Pow of integers, {kind.__name__}")
        for kind in (np.float16, np.float32, np.float64)
    ),
    case("PRelu", [X, f(3, 1, 1)], {1: f(3, 1, 1)}),
    case("PRelu", [X, f(1)], {1: np.float32([0.2])}, id="PRelu one slope"),
    *(case(op, [X, f(3, 1, 5)]) for op in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual")),
    case("Equal", [INTS, np.int64(3)]),
    case("Equal", [FLAGS, FLAGS[:1]], id="Equal of bool"),
    *(case(op, [FLAGS, FLAGS[:1, ::-1].copy()]) for op in ("And", "Or", "Xor")),
    case("Where", [FLAGS, f(2, 3, 4), f(4)]),
    case("Where", [np.array([[True, False] * 3]), NAN, f(1)], id="Where beside NaN"),
    case("Where", [FLAGS, f(), f()], {1: np.float32(1), 2: np.float32(-np.inf)}, id="Where mask"),
    case("Where", [FLAGS, f(), f()], {1: np.float32(1), 2: np.float32(2)}, id="Where constants"),
    case("Where", [FLAGS, f(2, 3, 4), f(4)], {0: FLAGS}, id="Where known condition"),
]

PRODUCTS = [
    case("MatMul", [f(2, 3, 4), f(2, 4, 5)]),
    *(
        case("Einsum", [f(2, 3, 4), f(2, 4, 5)], equation=e, id=f"Einsum {e}")
        for e in (
            "bij,bjk->bik",
            "bij,bjk",
            "bij,bjk->k",
            "bij, bjk -> kib",
            "...ij,...jk->...ik",
            "bij,bkm->ijkm",
            "bij,bjk->",
        )
    ),
    *(
        case("Einsum", [f(3, 4, 4)], equation=e, id=f"Einsum {e}")
        for e in ("bii->bi", "bii->", "bij->jb", "bij->b", "...ij->...ji", "ijj", "...->...")
    ),
    case("Einsum", [f(2, 3), f(3, 4), f(4, 5)], equation="ab,bc,cd->ad", id="Einsum of three"),
    case("Einsum", [f(2, 3), f(2, 4)], equation="...j,...k->...jk", id="Einsum of columns"),
    case("Einsum", [f(3), f(3)], equation="i,i", id="Einsum to a scalar"),
    case("Einsum", [f(2, 1), f(3, 4)], equation="ij,jk->ik", id="Einsum that repeats what it sums"),
    case("Einsum", [f(2, 3), f(1, 3, 2)], equation="ij,kji->", id="Einsum of a single row"),
    case(
        "Einsum",
        [f(1, 4, 3, 2), f(5, 1, 2, 6)],
        equation="...ij,...jk->...ik",
        id="Einsum that broadcasts",
    ),
    case("Einsum", [INTS, INTS], equation="abc,abd->bcd", id="Einsum of integers"),
    case(
        "Einsum",
        [f(2, 3, 4, 5), f(2, 6, 4, 5)],
        equation="bqhd,bkhd->bhqk",
        id="Einsum of attention",
    ),
    case("MatMul", [d(2, 3, 4), d(4, 5)], {1: d(4, 5)}, id="MatMul in double precision"),
    case("MatMul", [INTS, INTS.transpose(0, 2, 1).copy()], id="MatMul of integers"),
    case("Gemm", [d(3, 4), d(5, 4), d(5)], {1: d(5, 4)}, transB=1, id="Gemm in double precision"),
    case("MatMul", [f(2, 3, 4), f(4, 5)], {1: f(4, 5)}, id="MatMul weights"),
    case("MatMul", [f(4), f(2, 4, 5)], id="MatMul vector left"),
    case("MatMul", [f(2, 3, 4), f(4)], id="MatMul vector right"),
    case("MatMul", [f(4), f(4)], id="MatMul vectors"),
    case("MatMul", [f(3, 1, 2, 4), f(5, 4, 3)], id="MatMul broadcast"),
    case("Gemm", [f(3, 4), f(4, 5), f(5)], {1: f(4, 5), 2: f(5)}),
    case("Gemm", [f(3, 4), f(5, 4), f(5)], {1: f(5, 4), 2: f(5)}, transB=1, id="Gemm transB"),
    case("Gemm", [f(4, 3), f(4, 5)], {1: f(4, 5)}, transA=1, alpha=0.5, id="Gemm transA, alpha"),
    case("Gemm", [f(3, 4), f(4, 5), f(3, 1)], {1: f(4, 5)}, beta=0.3, id="Gemm column addend"),
    case("Gemm", [f(3, 4), f(4, 5), f()], {1: f(4, 5), 2: np.float32(2)}, id="Gemm scalar"),
    case("Gemm", [f(3, 4), f(4, 5), f(5)], alpha=0.25, beta=0.35, id="Gemm at run time"),
]

NORMALIZATIONS = [
    case("Softmax", [X]),
    case("Softmax", [X], axis=1, id="Softmax axis 1"),
    case("Softmax", [X], axis=1, opset=11, id="Softmax of version 11"),
    case("LogSoftmax", [X]),
    case("LogSoftmax", [X], axis=2, opset=11, id="LogSoftmax of version 11"),
    case("BatchNormalization", [X, *[POSITIVE.reshape(-1)[k : k + 3] for k in (0, 3, 6, 9)]]),
    case(
        "BatchNormalization",
        [f(2, 3), f(3), f(3), f(3), POSITIVE.reshape(-1)[:3]],
        {1: f(3), 2: f(3), 3: f(3), 4: POSITIVE.reshape(-1)[:3]},
        id="BatchNormalization of rows",
    ),
    case("InstanceNormalization", [X, f(3), f(3)]),
    case("LayerNormalization", [X, f(5), f(5)], {1: f(5), 2: f(5)}),
    case("LayerNormalization", [X, f(4, 5)], axis=2, id="LayerNormalization axis 2"),
    case("LayerNormalization", [X, f(*X.shape)], id="LayerNormalization scales each element"),
    case("LpNormalization", [X], axis=1, p=2),
    case("LpNormalization", [X], axis=-1, p=1, id="LpNormalization 1"),
    case("LRN", [ODD], size=3, alpha=0.01, beta=0.7, bias=1.5),
    case("MeanVarianceNormalization", [X]),
]

ALL = [*UNARY, *BINARY, *PRODUCTS, *NORMALIZATIONS]


@pytest.mark.parametrize(("op", "inputs", "constants", "opset", "attributes"), ALL)
def test_operator_agrees_with_onnxruntime(
    agree: Any, op: str, inputs: Any, constants: Any, opset: int, attributes: Any
) -> None:
    agree(op, inputs, constants, opset, attributes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mean_and_deviation_of_a_layer_normalization_are_float32(agree: Any, dtype: Any) -> None:
    agree("LayerNormalization", [X.astype(dtype), f(5).astype(dtype)], {}, 17, {}, outputs=3)
