# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each operator on float and integer tensors, beside LiteRT's reference kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .operands import RNG, bools, i32, ints, normal, positive

__all__ = ["RNG"]


# ---- Elementwise ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fused", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL", "DIV"])
def test_arithmetic_with_a_fused_activation(agree: Any, name: str, fused: int) -> None:
    kind = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}
    options = (kind[name], {"fusedActivationFunction": fused})
    agree(name, [3 * normal(2, 3, 4), positive(3, 4)], options)


@pytest.mark.parametrize("name", ["MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "POW", "FLOOR_DIV"])
def test_two_operands(agree: Any, name: str) -> None:
    agree(name, [positive(2, 1, 4), (positive(2, 3, 1),)], tolerance=5e-6)


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"])
def test_two_operands_of_integers(agree: Any, name: str) -> None:
    version = 2 if name == "MAXIMUM" else 1
    agree(name, [ints(2, 3), ints(2, 3)], outputs=[np.int32], version=version)


@pytest.mark.parametrize("name", ["FLOOR_DIV", "FLOOR_MOD"])
@pytest.mark.parametrize("known", [False, True])
def test_integers_divide_downwards(agree: Any, name: str, known: bool) -> None:
    x = np.array([7, -7, 7, -7, 6, -6, 0, 5], np.int32)
    y = np.array([2, 2, -2, -2, 3, 3, 5, -7], np.int32)
    agree(name, [(x,), (y,)] if known else [x, y], outputs=[np.int32], version=2)


def test_floor_mod_of_floats(agree: Any) -> None:
    agree("FLOOR_MOD", [4 * normal(3, 5), positive(5)], version=2, tolerance=1e-5)


def test_add_n(agree: Any) -> None:
    agree("ADD_N", [normal(2, 3), normal(2, 3), normal(2, 3)])


@pytest.mark.parametrize(
    "name", ["ABS", "CEIL", "EXP", "FLOOR", "NEG", "ROUND", "SIN", "COS", "SQUARE"]
)
def test_one_operand(agree: Any, name: str) -> None:
    agree(name, [3 * normal(3, 4)])


@pytest.mark.parametrize("name", ["LOG", "RSQRT", "SQRT"])
def test_one_positive_operand(agree: Any, name: str) -> None:
    agree(name, [positive(3, 4)])


def test_sign(agree: Any) -> None:
    agree("SIGN", [np.float32([-2, -0.0, 0, 3])])


@pytest.mark.parametrize(
    ("source", "target"),
    [(np.float32, np.int32), (np.int32, np.float32), (np.int64, np.int32), (np.bool_, np.float32),
     (np.int32, np.int64), (np.float32, np.bool_), (np.int32, np.bool_)],
)  # fmt: skip
def test_cast(agree: Any, source: Any, target: Any) -> None:
    x = (3 * normal(2, 5)).astype(source)
    agree("CAST", [x], ("CastOptions", {}), outputs=[target])


# ---- Activations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["ELU", "HARD_SWISH", "LOGISTIC", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "TANH"],
)
def test_activation(agree: Any, name: str) -> None:
    agree(name, [4 * normal(2, 3, 5)])


def test_leaky_relu(agree: Any) -> None:
    agree("LEAKY_RELU", [normal(2, 6)], ("LeakyReluOptions", {"alpha": 0.3}))


@pytest.mark.parametrize("approximate", [False, True])
def test_gelu(agree: Any, approximate: bool) -> None:
    agree("GELU", [2 * normal(3, 7)], ("GeluOptions", {"approximate": approximate}))


def test_prelu_broadcasts_over_pixels(agree: Any) -> None:
    agree("PRELU", [normal(1, 3, 3, 4), (positive(1, 1, 4),)])


@pytest.mark.parametrize("shape", [(2, 5), (1, 2, 3, 4)])
def test_softmax(agree: Any, shape: tuple[int, ...]) -> None:
    agree("SOFTMAX", [normal(*shape)], ("SoftmaxOptions", {"beta": 0.7}))
    agree("LOG_SOFTMAX", [normal(*shape)])


# ---- Windows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_conv_2d(agree: Any, padding: int, stride: int, dilation: int) -> None:
    options = {
        "padding": padding, "strideH": stride, "strideW": stride, "dilationHFactor": dilation,
        "dilationWFactor": dilation, "fusedActivationFunction": 1,
    }  # fmt: skip
    operands = [normal(2, 8, 7, 3), (normal(5, 3, 2, 3),), (normal(5),)]
    agree("CONV_2D", operands, ("Conv2DOptions", options))


def test_conv_2d_in_groups(agree: Any) -> None:
    options = {"padding": 1, "strideH": 1, "strideW": 1}
    agree(
        "CONV_2D",
        [normal(1, 5, 5, 6), (normal(4, 3, 3, 3),), (normal(4),)],
        ("Conv2DOptions", options),
    )


@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize(("padding", "stride", "dilation"), [(0, 2, 1), (1, 1, 1), (0, 1, 3)])
def test_depthwise_conv_2d(
    agree: Any, multiplier: int, padding: int, stride: int, dilation: int
) -> None:
    options = {
        "padding": padding, "strideH": stride, "strideW": stride, "depthMultiplier": multiplier,
        "dilationHFactor": dilation, "dilationWFactor": dilation, "fusedActivationFunction": 3,
    }  # fmt: skip
    weights, bias = normal(1, 3, 3, 3 * multiplier), normal(3 * multiplier)
    operands = [normal(1, 9, 8, 3), (weights,), (bias,)]
    agree("DEPTHWISE_CONV_2D", operands, ("DepthwiseConv2DOptions", options), version=2)


@pytest.mark.parametrize(
    ("padding", "output"), [(0, (1, 8, 6, 2)), (1, (1, 9, 7, 2)), (0, (1, 7, 5, 2))]
)
@pytest.mark.parametrize("bias", [False, True])
def test_transpose_conv(agree: Any, padding: int, output: tuple[int, ...], bias: bool) -> None:
    options = {"padding": padding, "strideH": 2, "strideW": 2}
    operands = [(i32(output),), (normal(2, 3, 3, 4),), normal(1, 4, 3, 4)]
    if bias:
        operands.append((normal(2),))
    agree("TRANSPOSE_CONV", operands, ("TransposeConvOptions", options), version=3 if bias else 1)


@pytest.mark.parametrize("padding", [0, 1])
def test_conv_3d(agree: Any, padding: int) -> None:
    fields = {
        "padding": padding, "strideD": 1, "strideH": 2, "strideW": 3, "fusedActivationFunction": 1,
        "dilationDFactor": 1, "dilationHFactor": 1, "dilationWFactor": 1,
    }  # fmt: skip
    operands = [normal(1, 5, 6, 7, 2), (normal(2, 3, 3, 2, 4),), (normal(4),)]
    agree("CONV_3D", operands, ("Conv3DOptions", fields))


def test_conv_3d_is_a_layer(new_builder: Any) -> None:
    builder = new_builder()
    x = builder.tensor("x", (1, 5, 6, 7, 2))
    weights = builder.constant("w", normal(2, 3, 3, 2, 4))
    y = builder.tensor("y")
    fields = {"padding": 0, "strideD": 1, "strideH": 2, "strideW": 3}
    builder.op("CONV_3D", [x, weights], [y], ("Conv3DOptions", fields))
    builder.ends([x], [y])
    network = ann.import_model(builder.data())
    layer = next(layer for layer in network.layers if layer.type is ann.LayerType.CONVOLUTION3D)
    assert network.outputs["y"].shape == (1, 5, 3, 3, 4)
    assert (layer.descriptor.pad_front, layer.descriptor.pad_back) == (0, 1)
    assert (layer.descriptor.stride_z, layer.descriptor.stride_y, layer.descriptor.stride_x) == (
        1, 2, 3,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"])
@pytest.mark.parametrize("padding", [0, 1])
def test_pooling(agree: Any, name: str, padding: int) -> None:
    options = {"padding": padding, "strideH": 2, "strideW": 1, "filterHeight": 3, "filterWidth": 2}
    agree(name, [normal(2, 7, 5, 3)], ("Pool2DOptions", {**options, "fusedActivationFunction": 1}))


# ---- Products ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 8), (2, 2, 2, 4), (2, 3, 8)])
@pytest.mark.parametrize("bias", [False, True])
def test_fully_connected(agree: Any, shape: tuple[int, ...], bias: bool) -> None:
    operands = [normal(*shape), (normal(5, 8),), (normal(5),) if bias else None]
    agree("FULLY_CONNECTED", operands, ("FullyConnectedOptions", {"fusedActivationFunction": 1}))


def test_fully_connected_keeps_dimensions(agree: Any) -> None:
    options = ("FullyConnectedOptions", {"keepNumDims": True})
    agree("FULLY_CONNECTED", [normal(2, 3, 8), (normal(5, 8),), None], options, version=5)


@pytest.mark.parametrize("adj_x", [False, True])
@pytest.mark.parametrize("adj_y", [False, True])
def test_batch_matmul(agree: Any, adj_x: bool, adj_y: bool) -> None:
    x = normal(2, 1, 4, 3) if adj_x else normal(2, 1, 3, 4)
    y = normal(5, 6, 4) if adj_y else normal(5, 4, 6)
    agree("BATCH_MATMUL", [x, y], ("BatchMatMulOptions", {"adjX": adj_x, "adjY": adj_y}))


# ---- Reductions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"])
@pytest.mark.parametrize("keep", [False, True])
def test_reduce(agree: Any, name: str, keep: bool) -> None:
    options = ("ReducerOptions", {"keepDims": keep})
    agree(name, [normal(2, 3, 4, 5), (i32([1, -1]),)], options)


@pytest.mark.parametrize("name", ["REDUCE_ANY", "REDUCE_ALL"])
def test_reduce_booleans(agree: Any, name: str) -> None:
    options = ("ReducerOptions", {"keepDims": False})
    agree(name, [bools(4, 5), (i32([1]),)], options, outputs=[np.bool_])


@pytest.mark.parametrize("name", ["ARG_MAX", "ARG_MIN"])
@pytest.mark.parametrize(("number", "dtype"), [(2, np.int32), (4, np.int64)])
def test_arg(agree: Any, name: str, number: int, dtype: Any) -> None:
    kind = "ArgMaxOptions" if name == "ARG_MAX" else "ArgMinOptions"
    operands = [normal(2, 5, 3), (i32(-2),)]
    agree(name, operands, (kind, {"outputType": number}), outputs=[dtype])


@pytest.mark.parametrize(("exclusive", "reverse"), [(False, False), (True, False), (True, True)])
def test_cumsum(agree: Any, exclusive: bool, reverse: bool) -> None:
    options = ("CumsumOptions", {"exclusive": exclusive, "reverse": reverse})
    agree("CUMSUM", [normal(3, 4), (i32(1),)], options)


@pytest.mark.parametrize("shape", [(1, 2, 3, 4), (3, 5)])
def test_l2_normalization(agree: Any, shape: tuple[int, ...]) -> None:
    agree("L2_NORMALIZATION", [normal(*shape)], ("L2NormOptions", {}))


def test_local_response_normalization(agree: Any) -> None:
    fields = {"radius": 2, "bias": 1.5, "alpha": 0.3, "beta": 0.6}
    options = ("LocalResponseNormalizationOptions", fields)
    # The reference kernel leaves out the last channel of each neighbourhood; the other does not.
    operands = [normal(1, 2, 3, 7)]
    agree("LOCAL_RESPONSE_NORMALIZATION", operands, options, reference=False, tolerance=1e-5)


# ---- Logic ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"]
)
def test_comparison(agree: Any, name: str) -> None:
    agree(name, [ints(4, 5, low=0, high=3), ints(5, low=0, high=3)], outputs=[np.bool_])


def test_logic(agree: Any) -> None:
    for name in ("LOGICAL_AND", "LOGICAL_OR"):
        agree(name, [bools(4, 5), bools(4, 5)], outputs=[np.bool_])
    agree("LOGICAL_NOT", [bools(4, 5)], outputs=[np.bool_])


def test_select(agree: Any) -> None:
    agree("SELECT", [bools(3, 4), normal(3, 4), normal(3, 4)])
    agree("SELECT", [bools(3), normal(3, 4), normal(3, 4)])
    agree("SELECT_V2", [bools(3, 1), normal(3, 4), normal(4)])


# ---- Constants and shapes ------------------------------------------------------------------------


def test_shapes(agree: Any) -> None:
    agree("SHAPE", [normal(2, 3)], ("ShapeOptions", {"outType": 2}), outputs=[np.int32])
    agree("RANK", [normal(2, 3)], outputs=[np.int32])
    agree("FILL", [(i32([2, 3]),), np.float32(1.5)])
    agree("ZEROS_LIKE", [normal(2, 3)])


def test_range_is_computed_at_import(engines: Any, new_builder: Any) -> None:
    builder = new_builder()
    x = builder.tensor("x", (5,))
    bounds = [builder.constant(f"b{k}", np.float32(v)) for k, v in enumerate((1, 2, 0.2))]
    ramp, y = builder.tensor("ramp"), builder.tensor("y")
    builder.op("RANGE", bounds, [ramp])
    builder.op("ADD", [x, ramp], [y], ("AddOptions", {}))
    builder.ends([x], [y])
    fed = {"x": np.zeros(5, np.float32)}
    data = builder.data()
    np.testing.assert_allclose(
        engines.ours(data, fed)["y"], engines.theirs(data, fed)["y"], rtol=1e-6
    )


@pytest.mark.parametrize(("least", "most"), [(-1.0, 2.0), (-6.0, 6.0), (0.5, 3.0)])
def test_fake_quant_rounds_to_steps(agree: Any, least: float, most: float) -> None:
    options = {"min": least, "max": most, "numBits": 8}
    agree("FAKE_QUANT", [normal(50, 30) * 3], ("FakeQuantOptions", options), tolerance=1e-5)


def test_fake_quant(new_builder: Any) -> None:
    builder = new_builder()
    x, y = builder.tensor("x", (2, 3)), builder.tensor("y")
    builder.op(
        "FAKE_QUANT", [x], [y], ("FakeQuantOptions", {"min": -1.0, "max": 2.0, "numBits": 8})
    )
    builder.ends([x], [y])
    layer = [layer for layer in ann.import_model(builder.data()).layers if layer.descriptor][-1]
    assert layer.type is ann.LayerType.FAKE_QUANTIZATION
    assert (layer.descriptor.min, layer.descriptor.max) == (-1.0, 2.0)
