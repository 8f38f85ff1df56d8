# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators: the function that converts each version of an operator.

A converter is registered with the operator set version since which it holds, the same number that
the ONNX specification gives as "since version" where the meaning changed. Versions between which
only types were added share a converter.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from armnn_py.frontends.common.values import Value
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.sequence import TensorList

__all__ = [
    "MACHINE_LEARNING",
    "MICROSOFT",
    "NEWEST_VERSION",
    "Operator",
    "find_operator",
    "operator",
    "operator_names",
    "operators_by_family",
]

NEWEST_VERSION = 28
"""Newest version of the standard operator set that the converters were checked against."""

MICROSOFT = "com.microsoft"
"""The domain of the operators that ONNX Runtime's optimisers and quantisers write."""

MACHINE_LEARNING = "ai.onnx.ml"
"""The domain of the operators that ONNX has for trees, linear models and features."""

Converter = Callable[[NodeView], "Value | TensorList | Sequence[Value | None]"]
_Converter = TypeVar("_Converter", bound=Converter)
Check = Callable[[NodeView], None]


@dataclass(frozen=True, slots=True)
class Operator:
    """A converter and the version since which it holds."""

    since: int
    convert: Converter
    check: Check | None
    """Raises `Unsupported` for attributes that no layer expresses; sees no operands but weights."""


_FAMILIES = {
    "activation": (
        "Celu Clip Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Relu Selu Shrink "
        "Sigmoid Softplus Softsign Swish Tanh ThresholdedRelu"
    ),
    "control_flow": "If Loop Scan",
    "convolution": "Conv",
    "einsum": "Einsum",
    "elementwise": (
        "Abs Acos Acosh Add Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr "
        "BitwiseXor BitCast Cast CastLike Ceil Cos Cosh Div Erf Exp Floor "
        "IsInf Log Max Mean Min Mod Mul Neg Pow Reciprocal Round Sign Sin Sinh Sqrt Sub Sum "
        "Tan"
    ),
    "indexing": "Gather GatherElements GatherND OneHot Scatter ScatterElements ScatterND Trilu",
    "joining": "Concat Expand Pad Slice Split Tile",
    "logical": "And Equal Greater GreaterOrEqual IsNaN Less LessOrEqual Not Or Where Xor",
    "matrix": "Gemm MatMul",
    "normalization": (
        "BatchNormalization GroupNormalization InstanceNormalization LRN LayerNormalization "
        "LogSoftmax LpNormalization MeanVarianceNormalization RMSNormalization "
        "SimplifiedLayerNormalization Softmax"
    ),
    "pooling": "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool",
    "quantization": ("DequantizeLinear QLinearConv QLinearMatMul QuantizeLinear"),
    "recurrent": "GRU LSTM RNN",
    "reduction": (
        "ArgMax ArgMin CumProd CumSum Hardmax ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
        "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare TopK"
    ),
    "resizing": "Resize Upsample",
    "sampling": "Col2Im GridSample RoiAlign",
    "audio": "MelWeightMatrix",
    "random_numbers": (
        "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike"
    ),
    "deformable": "DeformConv",
    "determinant": "Det",
    "fourier": "DFT STFT",
    "integer_products": "ConvInteger DynamicQuantizeLinear MatMulInteger",
    "strings": "RegexFullMatch StringConcat StringNormalizer StringSplit",
    "text": "TfIdfVectorizer",
    "unpooling": "MaxUnpool",
    "selecting": "Compress NonMaxSuppression NonZero ReverseSequence TensorScatter Unique",
    "sequences": (
        "ConcatFromSequence OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct "
        "SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence"
    ),
    "shaping": (
        "Constant ConstantOfShape DepthToSpace Dropout EyeLike Flatten Identity Range Reshape "
        "Shape Size SpaceToDepth Squeeze Transpose Unsqueeze"
    ),
    "transposed_convolution": "ConvTranspose",
}
"""By family, a module of `armnn_py.frontends.onnx.operators`: its operators. A model imports the
families that it has operators of."""

_MICROSOFT_FAMILIES = {
    "microsoft_attention": "Attention MultiHeadAttention",
    "microsoft_grouped": "GroupQueryAttention",
    "microsoft_rotary": "RotaryEmbedding",
    "microsoft_few_bits": "MatMulNBits",
    "microsoft_gathered": "GatherBlockQuantized",
    "microsoft_fused": (
        "BiasGelu EmbedLayerNormalization FastGelu FusedConv FusedGemm FusedMatMul Gelu "
        "QuickGelu SkipLayerNormalization SkipSimplifiedLayerNormalization "
        "TransposeMatMul"
    ),
    "microsoft_text": "Tokenizer",
    "microsoft_dynamic": "DynamicQuantizeLSTM QAttention QEmbedLayerNormalization",
    "microsoft_quantized": (
        "DequantizeLinear DynamicQuantizeMatMul MatMulIntegerToFloat QGemm QLinearAdd "
        "QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul "
        "QLinearSigmoid QLinearSoftmax QLinearWhere QuantizeLinear"
    ),
}
"""The same of the domain `MICROSOFT`."""

_MACHINE_LEARNING_FAMILIES = {
    "ml_categories": "CategoryMapper LabelEncoder OneHotEncoder",
    "ml_features": "ArrayFeatureExtractor Binarizer Imputer LinearRegressor Normalizer Scaler",
    "ml_classifiers": "LinearClassifier SVMClassifier SVMRegressor ZipMap",
    "ml_trees": "TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor",
}
"""The same of the domain `MACHINE_LEARNING`."""

_FAMILY_OF = {
    (domain, name): family
    for domain, families in (
        ("", _FAMILIES),
        (MICROSOFT, _MICROSOFT_FAMILIES),
        (MACHINE_LEARNING, _MACHINE_LEARNING_FAMILIES),
    )
    for family, names in families.items()
    for name in names.split()
}
_TABLE: dict[tuple[str, str], list[Operator]] = {}
_BODIES = {"If": ("then_branch", "else_branch"), "Loop": ("body",), "Scan": ("body",)}
"""Attributes that are graphs, by operator."""


def operator(
    *names: str, since: int = 1, check: Check | None = None, domain: str = ""
) -> Callable[[_Converter], _Converter]:
    """Register a converter for operators of a domain; the standard one has the empty name."""

    def register(convert: _Converter) -> _Converter:
        for name in names:
            assert (domain, name) in _FAMILY_OF, f"{name} is in no family"
            versions = _TABLE.setdefault((domain, name), [])
            versions.append(Operator(since, convert, check))
            versions.sort(key=lambda entry: entry.since)
        return convert

    return register


def find_operator(domain: str, op_type: str, version: int) -> Operator | None:
    """Return the converter of an operator in an operator set version."""
    family = _FAMILY_OF.get((domain, op_type))
    if family is None:
        return None
    importlib.import_module(f"armnn_py.frontends.onnx.operators.{family}")
    found = None
    for entry in _TABLE[domain, op_type]:
        if entry.since <= version:
            found = entry
    return found


def has_body(domain: str, op_type: str, attribute: str) -> bool:
    """Return whether a graph in an attribute is a body of the node.

    Operators that have a converter ignore attributes that the standard does not give them. A node
    of any other operator is a call of a function, or goes to a backend with all that it has.
    """
    if (domain, op_type) not in _FAMILY_OF:
        return True
    return not domain and attribute in _BODIES.get(op_type, ())


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter, with the name of a domain of its own."""
    return tuple(sorted(_label(domain, name) for domain, name in _FAMILY_OF))


def _label(domain: str, name: str) -> str:
    return f"{domain}.{name}" if domain else name


def operators_by_family() -> dict[str, list[str]]:
    """Return the same by the family that an operator belongs to."""
    families: dict[str, list[str]] = {}
    for (domain, name), family in _FAMILY_OF.items():
        families.setdefault(family, []).append(_label(domain, name))
    return families
