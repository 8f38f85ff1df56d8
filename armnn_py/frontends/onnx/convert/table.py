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
from typing import TypeVar

from msgspec import Struct

from armnn_py.frontends.common.values import Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.sequence import TensorList

NEWEST_VERSION = 28
"""Newest version of the standard operator set that the converters were checked against."""

MICROSOFT = "com.microsoft"
"""The domain of the operators that ONNX Runtime's optimisers and quantisers write."""

MACHINE_LEARNING = "ai.onnx.ml"
"""The domain of the operators that ONNX has for trees, linear models and features."""

Converter = Callable[[NodeView], "Value | TensorList | Sequence[Value | None]"]
_Converter = TypeVar("_Converter", bound=Converter)
Check = Callable[[NodeView], None]


class Operator(Struct, frozen=True):
    """A converter and the version since which it holds."""

    since: int
    convert: Converter
    check: Check | None
    """Raises `Unsupported` for attributes that no layer expresses; sees no operands but weights."""
    by_definition: Callable[[NodeView], bool] | None
    """Whether a node becomes what the standard defines it by, in place of what it converts to."""


_TABLE: dict[tuple[str, str], list[Operator]] = {}
_OPERATORS = {
    "microsoft.dynamic": "DynamicQuantizeLSTM QAttention QEmbedLayerNormalization",
    "microsoft.few_bits": "MatMulNBits",
    "microsoft.fused": (
        "Attention BiasGelu EmbedLayerNormalization FastGelu FusedConv FusedGemm FusedMatMul Gelu "
        "MultiHeadAttention QuickGelu SkipLayerNormalization SkipSimplifiedLayerNormalization "
        "TransposeMatMul"
    ),
    "microsoft.gathered": "GatherBlockQuantized",
    "microsoft.grouped": "GroupQueryAttention",
    "microsoft.quantized": (
        "DequantizeLinear DynamicQuantizeMatMul MatMulIntegerToFloat QGemm QLinearAdd "
        "QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul "
        "QLinearSigmoid QLinearSoftmax QLinearWhere QuantizeLinear"
    ),
    "microsoft.rotary": "RotaryEmbedding",
    "ml.categories": "CategoryMapper LabelEncoder OneHotEncoder",
    "ml.classifiers": "LinearClassifier SVMClassifier SVMRegressor ZipMap",
    "ml.features": "ArrayFeatureExtractor Binarizer Imputer LinearRegressor Normalizer Scaler",
    "ml.tree_ensembles": "TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor",
    "recurrent.recurrent": "GRU LSTM RNN",
    "standard.activation": (
        "Celu Clip Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Relu Selu Shrink Sigmoid "
        "Softplus Softsign Swish Tanh ThresholdedRelu"
    ),
    "standard.attention": "Attention RotaryEmbedding",
    "standard.audio": "MelWeightMatrix",
    "standard.control_flow": "If Loop Scan",
    "standard.determinant": "Det",
    "standard.einsum": "Einsum",
    "standard.elementwise": (
        "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitCast BitShift BitwiseAnd BitwiseNot "
        "BitwiseOr BitwiseXor Cast CastLike Ceil Cos Cosh Div Equal Erf Exp Floor Greater "
        "GreaterOrEqual IsInf IsNaN Less LessOrEqual Log Max Mean Min Mod Mul Neg Not Or Pow "
        "Reciprocal Round Sign Sin Sinh Sqrt Sub Sum Tan Where Xor"
    ),
    "standard.fourier": "DFT STFT",
    "standard.indexing": (
        "Gather GatherElements GatherND OneHot Scatter ScatterElements ScatterND Trilu"
    ),
    "standard.integer_products": "ConvInteger DynamicQuantizeLinear MatMulInteger",
    "standard.joining": "Concat Expand Pad Slice Split Tile",
    "standard.matrix": "Gemm MatMul",
    "standard.normalization": (
        "BatchNormalization GroupNormalization InstanceNormalization LRN LayerNormalization "
        "LogSoftmax LpNormalization MeanVarianceNormalization RMSNormalization "
        "SimplifiedLayerNormalization Softmax"
    ),
    "standard.quantization": "DequantizeLinear QLinearConv QLinearMatMul QuantizeLinear",
    "standard.random_numbers": (
        "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike"
    ),
    "standard.reduction": (
        "ArgMax ArgMin CumProd CumSum Hardmax ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
        "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare TopK"
    ),
    "standard.selecting": "Compress NonMaxSuppression NonZero ReverseSequence TensorScatter Unique",
    "standard.sequences": (
        "ConcatFromSequence OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct "
        "SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence"
    ),
    "standard.shaping": (
        "Constant ConstantOfShape DepthToSpace Dropout EyeLike Flatten Identity Range Reshape "
        "Shape Size SpaceToDepth Squeeze Transpose Unsqueeze"
    ),
    "text.string_operators": "RegexFullMatch StringConcat StringNormalizer StringSplit",
    "text.tfidf": "TfIdfVectorizer",
    "text.tokenizer": "com.microsoft.Tokenizer",
    "windows.convolution": "Conv",
    "windows.deformable": "DeformConv",
    "windows.pooling": "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool",
    "windows.regions": "RoiAlign",
    "windows.resizing": "Resize Upsample",
    "windows.sampling": "Col2Im GridSample",
    "windows.transposed_convolution": "ConvTranspose",
    "windows.unpooling": "MaxUnpool",
}
"""The operators of each module of converters, which is imported when a model has one of them.

Those of the packages ``microsoft`` and ``ml`` are of their domains.
"""
_DOMAINS = {"microsoft": f"{MICROSOFT}.", "ml": f"{MACHINE_LEARNING}."}
_MODULE_OF = {
    f"{_DOMAINS.get(module.partition('.')[0], '')}{name}": module
    for module, names in _OPERATORS.items()
    for name in names.split()
}
_BODIES = {"If": ("then_branch", "else_branch"), "Loop": ("body",), "Scan": ("body",)}
"""Attributes that are graphs, by operator."""


def operator(
    *names: str,
    since: int = 1,
    check: Check | None = None,
    domain: str = "",
    by_definition: Callable[[NodeView], bool] | None = None,
) -> Callable[[_Converter], _Converter]:
    """Register a converter for operators of a domain; the standard one has the empty name."""

    def register(convert: _Converter) -> _Converter:
        for name in names:
            versions = _TABLE.setdefault((domain, name), [])
            versions.append(Operator(since, convert, check, by_definition))
            versions.sort(key=lambda entry: entry.since)
        return convert

    return register


def find_operator(domain: str, op_type: str, version: int) -> Operator | None:
    """Return the converter of an operator in an operator set version."""
    found, module = None, _MODULE_OF.get(_label(domain, op_type))
    if module is not None and (domain, op_type) not in _TABLE:
        importlib.import_module(f"armnn_py.frontends.onnx.operators.{module}")
    for entry in _TABLE.get((domain, op_type), ()):
        if entry.since <= version:
            found = entry
    return found


def has_body(domain: str, op_type: str, attribute: str) -> bool:
    """Return whether a graph in an attribute is a body of the node.

    Operators that have a converter ignore attributes that the standard does not give them. A node
    of any other operator is a call of a function, or goes to a backend with all that it has.
    """
    if _label(domain, op_type) not in _MODULE_OF:
        return True
    return not domain and attribute in _BODIES.get(op_type, ())


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter, with the name of a domain of its own."""
    return tuple(sorted(_MODULE_OF))


def _label(domain: str, name: str) -> str:
    return f"{domain}.{name}" if domain else name


def operators_by_family() -> dict[str, list[str]]:
    """Return the same by the module that converts an operator."""
    families: dict[str, list[str]] = {}
    for name, module in sorted(_MODULE_OF.items()):
        package, _, family = module.partition(".")
        family = f"{package}_{family}" if package in _DOMAINS else family
        families.setdefault(family, []).append(name)
    return families
