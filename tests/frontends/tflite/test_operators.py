# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each operator on float and integer tensors, beside LiteRT's reference kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(5)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return (RNG.random(shape) + 0.25).astype(np.float32)


def ints(*shape: int, low: int = -9, high: int = 10, dtype: Any = np.int32) -> np.ndarray:
    return RNG.integers(low, high, shape).astype(dtype)


def bools(*shape: int) -> np.ndarray:
    return RNG.integers(0, 2, shape).astype(bool)


def i32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int32)


@pytest.fixture
def agree(engines: Any, new_builder: Any) -> Callable[..., None]:
    """Run one operator in both engines and compare; a constant operand stands in a tuple."""

    def check(
        name: str,
        operands: Sequence[Any],
        options: tuple[str, Mapping[str, Any]] | None = None,
        *,
        outputs: Sequence[Any] = (np.float32,),
        version: int = 1,
        tolerance: float = 2e-6,
        reference: bool = True,
    ) -> None:
        builder = new_builder()
        fed, places, inputs = {}, [], []
        for index, operand in enumerate(operands):
            if operand is None:
                places.append(-1)
            elif isinstance(operand, tuple):
                places.append(builder.constant(f"c{index}", operand[0]))
            else:
                operand = np.asarray(operand)
                places.append(builder.tensor(f"x{index}", operand.shape, operand.dtype))
                inputs.append(places[-1])
                fed[f"x{index}"] = operand
        made = [builder.tensor(f"y{k}", (), dtype) for k, dtype in enumerate(outputs)]
        builder.op(name, places, made, options, version=version)
        builder.ends(inputs, made)
        data = builder.data()
        wanted = engines.theirs(data, fed, reference=reference)
        stated = ann.import_model(data).outputs
        for key, value in wanted.items():
            assert (stated[key].shape, stated[key].dtype) == (value.shape, value.dtype)
        found = engines.ours(data, fed)
        for key, value in wanted.items():
            assert found[key].dtype == value.dtype
            assert found[key].shape == value.shape
            if value.dtype.kind == "f":
                scale = max(float(np.abs(value[np.isfinite(value)]).max(initial=0)), 1.0)
                np.testing.assert_allclose(found[key], value, rtol=0, atol=tolerance * scale)
            else:
                np.testing.assert_array_equal(found[key], value)

    return check


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


# ---- Movement ------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [(4, 6), (-1, 3), (2, 2, -1), (24,)])
def test_reshape(agree: Any, target: tuple[int, ...]) -> None:
    agree("RESHAPE", [normal(2, 3, 4), (i32(target),)])


def test_reshape_by_its_options(agree: Any) -> None:
    agree("RESHAPE", [normal(2, 3, 4)], ("ReshapeOptions", {"newShape": [6, -1]}))


def test_squeeze_and_expand(agree: Any) -> None:
    agree("SQUEEZE", [normal(1, 3, 1, 4)], ("SqueezeOptions", {"squeezeDims": [-2]}))
    agree("SQUEEZE", [normal(1, 3, 1, 4)], ("SqueezeOptions", {"squeezeDims": []}))
    agree("EXPAND_DIMS", [normal(3, 4), (i32(-1),)])


def test_transpose(agree: Any) -> None:
    agree("TRANSPOSE", [normal(2, 3, 4), (i32([2, 0, 1]),)])


@pytest.mark.parametrize("axis", [0, -1])
def test_concatenation(agree: Any, axis: int) -> None:
    options = ("ConcatenationOptions", {"axis": axis})
    agree("CONCATENATION", [normal(2, 3), (normal(2, 3),), normal(2, 3)], options)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_pack_and_unpack(agree: Any, axis: int) -> None:
    agree("PACK", [normal(2, 3), normal(2, 3)], ("PackOptions", {"axis": axis, "valuesCount": 2}))
    options = ("UnpackOptions", {"axis": axis, "num": 2})
    agree("UNPACK", [normal(2, 2, 2)], options, outputs=[np.float32] * 2)


def test_split(agree: Any) -> None:
    agree("SPLIT", [(i32(1),), normal(2, 6)], ("SplitOptions", {"numSplits": 3}),
          outputs=[np.float32] * 3)  # fmt: skip
    agree("SPLIT_V", [normal(2, 6), (i32([1, -1, 2]),), (i32(1),)],
          ("SplitVOptions", {"numSplits": 3}), outputs=[np.float32] * 3)  # fmt: skip


def test_slice(agree: Any) -> None:
    agree("SLICE", [normal(4, 5, 6), (i32([1, 0, 2]),), (i32([2, -1, 3]),)])


@pytest.mark.parametrize(
    ("begin", "end", "step", "masks"),
    [
        ([1, 0, 5], [3, 4, 0], [1, 2, -2], {}),
        ([0, 1], [0, 3], [1, 1], {"beginMask": 1, "endMask": 1}),
        ([0, -1, 0], [0, 0, 0], [1, 1, 1], {"endMask": 5, "shrinkAxisMask": 2}),
        ([0, 2], [0, 4], [1, 1], {"ellipsisMask": 1}),
        ([0, 0, 1], [0, 0, 3], [1, 1, 1], {"newAxisMask": 1, "ellipsisMask": 2}),
        ([1, 1, 1], [2, 2, 2], [1, 1, 1], {"offset": True}),
        ([0, 0, 0], [0, 0, 0], [-1, 1, 1], {"beginMask": 7, "endMask": 7}),
    ],
)
def test_strided_slice(
    agree: Any, begin: list[int], end: list[int], step: list[int], masks: dict[str, Any]
) -> None:
    operands = [normal(4, 5, 6), (i32(begin),), (i32(end),), (i32(step),)]
    agree("STRIDED_SLICE", operands, ("StridedSliceOptions", masks))


def test_pad(agree: Any) -> None:
    pads = i32([[0, 1], [2, 0], [1, 1]])
    agree("PAD", [normal(2, 3, 4), (pads,)])
    agree("PADV2", [normal(2, 3, 4), (pads,), (np.float32(-1.5),)])
    agree("PADV2", [ints(2, 3, 4), (pads,), (i32(7),)], outputs=[np.int32])
    for mode in (0, 1):
        agree("MIRROR_PAD", [normal(2, 3, 4), (pads,)], ("MirrorPadOptions", {"mode": mode}))


def test_repeat(agree: Any) -> None:
    agree("TILE", [normal(2, 3), (i32([2, 3]),)])
    agree("BROADCAST_TO", [normal(3, 1), (i32([2, 3, 4]),)], version=2)


def test_space(agree: Any) -> None:
    agree("SPACE_TO_DEPTH", [normal(1, 4, 6, 3)], ("SpaceToDepthOptions", {"blockSize": 2}))
    agree("DEPTH_TO_SPACE", [normal(1, 2, 3, 8)], ("DepthToSpaceOptions", {"blockSize": 2}))
    agree("SPACE_TO_BATCH_ND", [normal(2, 3, 5, 2), (i32([2, 3]),), (i32([[1, 0], [0, 1]]),)])
    agree("BATCH_TO_SPACE_ND", [normal(12, 2, 3, 2), (i32([2, 3]),), (i32([[1, 0], [0, 2]]),)])


def test_reverse(agree: Any) -> None:
    agree("REVERSE_V2", [normal(2, 3, 4), (i32([1]),)])
    agree("REVERSE_V2", [ints(2, 3), (i32([0]),)], outputs=[np.int32])


@pytest.mark.parametrize(("align", "half"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("size", [(5, 9), (2, 3)])
@pytest.mark.parametrize("name", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
def test_resize(agree: Any, name: str, align: bool, half: bool, size: tuple[int, int]) -> None:
    kind = "ResizeBilinearOptions" if "BI" in name else "ResizeNearestNeighborOptions"
    options = (kind, {"alignCorners": align, "halfPixelCenters": half})
    agree(name, [normal(1, 4, 6, 2), (i32(size),)], options, version=3)


# ---- Indices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather(agree: Any, axis: int) -> None:
    operands = [normal(4, 4, 4), ints(2, 3, low=0, high=4)]
    agree("GATHER", operands, ("GatherOptions", {"axis": axis}))


def test_gather_of_batches(agree: Any) -> None:
    operands = [normal(2, 4, 3), (ints(2, 5, low=0, high=4),)]
    agree("GATHER", operands, ("GatherOptions", {"axis": 1, "batchDims": 1}), version=5)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("shape", "places", "batch", "axis"),
    [
        ((2, 4, 3), (2, 5), 1, 1),
        ((2, 4, 3), (2,), 1, 1),
        ((2, 3, 4, 5), (2, 3, 6), 2, 2),
        ((2, 3, 4, 5), (2, 6), 1, 2),
        ((2, 3, 4, 5), (2, 2, 3), 1, 3),
        ((2, 3, 4, 5), (2, 3), 2, 3),
        ((2, 3, 4), (2, 3), 2, 2),
        ((2, 1, 4), (2, 0), 1, 2),
    ],
)
def test_gather_in_batches(
    agree: Any, known: bool, shape: Any, places: Any, batch: int, axis: int
) -> None:
    indices = ints(*places, low=0, high=shape[axis])
    operands = [normal(*shape), (indices,) if known else indices]
    agree("GATHER", operands, ("GatherOptions", {"axis": axis, "batchDims": batch}), version=5)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.int8])
@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 1, 3), (1,)])
def test_matrix_diag(agree: Any, dtype: Any, shape: Any) -> None:
    agree("MATRIX_DIAG", [ints(*shape).astype(dtype)], outputs=[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8])
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 5), (2, 5, 3), (1, 2, 1, 1)])
def test_matrix_set_diag(agree: Any, dtype: Any, shape: Any) -> None:
    diagonal = (*shape[:-2], min(shape[-2:]))
    operands = [ints(*shape).astype(dtype), ints(*diagonal).astype(dtype)]
    agree("MATRIX_SET_DIAG", operands, outputs=[dtype])


def test_diagonals_leave_what_is_not_finite(agree: Any) -> None:
    special = np.array([[np.inf, np.nan, -np.inf]], np.float32)
    agree("MATRIX_DIAG", [special])


@pytest.mark.parametrize("dtype", [np.bool_, np.float32, np.int32, np.int8])
def test_places_of_what_is_not_zero(engines: Any, new_builder: Any, dtype: Any) -> None:
    """Values of a small input decide how many there are: each set has a plan of its own."""
    builder = new_builder()
    x, y = builder.tensor("x", (3, 4), dtype), builder.tensor("y", (), np.int64)
    builder.op("WHERE", [x], [y])
    builder.ends([x], [y])
    data = builder.data()
    for array in (bools(3, 4), bools(3, 4), np.ones((3, 4), bool)):
        fed = {"x": array.astype(dtype)}
        wanted = engines.theirs(data, fed)["y"]
        np.testing.assert_array_equal(wanted, np.argwhere(array))
        found = engines.ours(data, fed)["y"]
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("places", [np.int32, np.int64])
def test_different_numbers(engines: Any, new_builder: Any, dtype: Any, places: Any) -> None:
    builder, x = new_builder(), np.array([5, 2, 5, 9, 2, 2], dtype)
    value = builder.tensor("x", (6,), dtype)
    made = builder.tensor("y", (), dtype), builder.tensor("i", (), places)
    kind = (
        builder.schema.TensorType.INT64 if places is np.int64 else builder.schema.TensorType.INT32
    )
    builder.op("UNIQUE", [value], made, ("UniqueOptions", {"idxOutType": kind}))
    builder.ends([value], made)
    wanted, found = engines.theirs(builder.data(), {"x": x}), engines.ours(builder.data(), {"x": x})
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_broadcast_args(engines: Any, new_builder: Any, dtype: Any) -> None:
    builder = new_builder()
    x, y = builder.tensor("x", (3,)), builder.tensor("y", (2, 3))
    shapes = [builder.constant(n, np.array(s, dtype)) for n, s in (("a", [2, 1]), ("b", [3]))]
    shape = builder.tensor("shape", (2,), dtype)
    builder.op("BROADCAST_ARGS", shapes, [shape])
    builder.op("BROADCAST_TO", [x, shape], [y], version=2)
    builder.ends([x], [y])
    fed = {"x": normal(3)}
    data = builder.data()
    np.testing.assert_array_equal(engines.ours(data, fed)["y"], engines.theirs(data, fed)["y"])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("kind", ["MAX", "MIN", "PROD", "SUM"])
def test_unsorted_segments(agree: Any, kind: str, dtype: Any, known: bool) -> None:
    """Two of six segments have no elements."""
    x, places = ints(2, 3, 4).astype(dtype), np.array([[0, 3, 0], [5, 2, 3]], np.int32)
    operands = [x, (places,) if known else places, (np.int32(6),)]
    agree(f"UNSORTED_SEGMENT_{kind}", operands, outputs=[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize(
    ("places", "shape", "values"),
    [
        ([[0, 1], [2, 3]], [3, 4], [5, 6]),
        ([[0, 1], [2, 3]], [3, 4], 7),
        ([1, 4], [5], [5, 6]),
        ([2], [5], 3),
        (3, [5], 4),
        ([[1, 3]], [3, 4], 4),
    ],
)
def test_sparse_to_dense(agree: Any, places: Any, shape: Any, values: Any, dtype: Any) -> None:
    operands = [i32(places), (i32(shape),), np.array(values, dtype), (np.array(-1, dtype),)]
    agree("SPARSE_TO_DENSE", operands, ("SparseToDenseOptions", {}), outputs=[dtype], version=2)


def test_gather_nd(agree: Any) -> None:
    agree("GATHER_ND", [normal(3, 4, 5), ints(2, 2, low=0, high=3)])
    agree("GATHER_ND", [normal(3, 4, 5), (ints(2, 3, low=0, high=3),)])


@pytest.mark.parametrize("table", [normal(6, 3), normal(6, 2, 3), ints(6, 3)])
def test_embedding_lookup(agree: Any, table: np.ndarray) -> None:
    agree("EMBEDDING_LOOKUP", [i32([4, 0, 4]), (table,)], outputs=[table.dtype])


@pytest.mark.parametrize("scale", [0.5, np.linspace(0.1, 0.6, 6)])
def test_embedding_lookup_of_8_bits(engines: Any, new_builder: Any, scale: Any) -> None:
    builder = new_builder()
    x, y = builder.tensor("x", (3,), np.int32), builder.tensor("y", (3, 4))
    stored = ints(6, 4, low=-127, high=128, dtype=np.int8)
    table = builder.constant("table", stored, scale)
    builder.op("EMBEDDING_LOOKUP", [x, table], [y])
    builder.ends([x], [y])
    fed, data = {"x": i32([4, 0, 5])}, builder.data()
    real = stored * np.broadcast_to(np.float32(scale), 6)[:, None]
    np.testing.assert_allclose(engines.ours(data, fed)["y"], real[fed["x"]], rtol=1e-6)
    if np.ndim(scale) == 0:  # LiteRT takes the first scale for all rows
        np.testing.assert_allclose(engines.theirs(data, fed)["y"], real[fed["x"]], rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "size", "start"),
    [
        ((4, 5), (2, 3), (1, 2)),
        ((4, 5), (2, 3), (-3, 4)),  # moved to where the box fits
        ((4, 5), (1, 5), (2, 9)),
        ((4, 5), (4, 5), (1, 1)),
        ((2, 3, 4), (2, 1, 4), (0, 2, 0)),
        ((7,), (3,), (2,)),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_dynamic_update_slice(
    agree: Any, shape: tuple[int, ...], size: tuple[int, ...], start: tuple[int, ...], known: bool
) -> None:
    place = i32(list(start))
    operands = [normal(*shape), normal(*size), (place,) if known else place]
    agree("DYNAMIC_UPDATE_SLICE", operands)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize(("steps", "batch"), [(1, 0), (0, 1), (2, 1), (0, 2)])
def test_reverse_sequence(agree: Any, dtype: Any, steps: int, batch: int) -> None:
    x = ints(3, 4, 5, low=0, dtype=dtype)
    lengths = RNG.integers(1, x.shape[steps] + 1, x.shape[batch]).astype(np.int32)
    options = {"seqDim": steps, "batchDim": batch}
    agree("REVERSE_SEQUENCE", [x, lengths], ("ReverseSequenceOptions", options), outputs=[dtype])


def test_scatter_nd(agree: Any) -> None:
    """Slices at one place are added up."""
    operands = [(i32([[0], [2], [0]]),), normal(3, 4), (i32([5, 4]),)]
    agree("SCATTER_ND", operands)


def test_one_hot(agree: Any) -> None:
    operands = [ints(2, 3, low=0, high=5), (i32(4),), (np.float32(2),), (np.float32(-1),)]
    agree("ONE_HOT", operands, ("OneHotOptions", {"axis": 1}))


def test_top_k(agree: Any) -> None:
    agree("TOPK_V2", [normal(3, 7), (i32(4),)], outputs=[np.float32, np.int32])


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
