# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised operators beside LiteRT's reference kernels: the same stored numbers.

Where no backend has a kernel for a layer and type yet, shape, type and scale are compared alone.
Steps of int16 are fine: a 256th of those of int8. LiteRT rounds its multipliers to 16 bits there,
as do our convolutions whose bias has 64 bits.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(21)

KINDS: dict[str, tuple[Any, int]] = {
    "int8": (np.int8, -7), "uint8": (np.uint8, 131), "int16": (np.int16, 0),
}  # fmt: skip
"""Type and zero point of activations."""

Quantised = tuple[np.ndarray, Any, Any]
"""Stored numbers, scale or scales, zero point."""


@pytest.fixture(autouse=True)
def numbers_of_its_own(request: pytest.FixtureRequest) -> None:
    """Each test has the same numbers, whichever others ran before it in this process."""
    seed = binascii.crc32(request.node.name.encode())
    RNG.bit_generator.state = np.random.default_rng(seed).bit_generator.state


def stored(kind: str, *shape: int) -> np.ndarray:
    limits = np.iinfo(KINDS[kind][0])
    return RNG.integers(limits.min, limits.max + 1, shape).astype(limits.dtype)


def activation(kind: str, *shape: int, scale: float = 0.05) -> Quantised:
    fine = scale / 200 if kind == "int16" else scale
    return stored(kind, *shape), fine, KINDS[kind][1]


def weights(*shape: int, channels: int | None = None) -> Quantised:
    numbers = RNG.integers(-127, 128, shape).astype(np.int8)
    scales = 0.01 if channels is None else 0.005 + 0.01 * RNG.random(channels)
    return numbers, np.float32(scales), 0


def bias(kind: str, x: Quantised, w: Quantised, count: int) -> Quantised:
    dtype = np.int64 if kind == "int16" else np.int32
    numbers = RNG.integers(-2000, 2000, count).astype(dtype)
    return numbers, np.float32(x[1]) * np.atleast_1d(w[1]), 0


@pytest.fixture
def same(engines: Any, new_builder: Any) -> Callable[..., None]:
    """Run one operator on stored numbers in both engines; ``steps`` is how far they may differ."""

    def check(
        name: str,
        fed: Sequence[Quantised],
        known: Sequence[tuple[Quantised | np.ndarray, int]] = (),
        options: tuple[str, Mapping[str, Any]] | None = None,
        *,
        output: tuple[Any, float, int],
        version: int = 2,
        steps: int = 0,
    ) -> None:
        builder = new_builder()
        inputs = [
            builder.tensor(f"x{k}", array.shape, array.dtype, scale, zero)
            for k, (array, scale, zero) in enumerate(fed)
        ]
        constants = []
        for k, (value, axis) in enumerate(known):
            if isinstance(value, tuple):
                constants.append(builder.constant(f"c{k}", *value, axis))
            else:
                constants.append(builder.constant(f"c{k}", value))
        dtype, scale, zero = output
        y = builder.tensor("y", (), dtype, scale if scale else None, zero)
        builder.op(name, [*inputs, *constants], [y], options, version=version)
        builder.ends(inputs, [y])
        data = builder.data()
        arrays = {f"x{k}": array for k, (array, _, _) in enumerate(fed)}
        wanted = engines.theirs(data, arrays)["y"]
        info = ann.import_model(data).outputs["y"]
        assert (info.shape, info.dtype) == (wanted.shape, wanted.dtype)
        if scale:
            assert info.quantization == ann.QuantizationInfo((float(np.float32(scale)),), (zero,))
        found = engines.ours(data, arrays)
        difference = np.abs(found["y"].astype(np.float64) - wanted.astype(np.float64))
        assert difference.max() <= steps

    return check


def like(kind: str, scale: float, zero: int | None = None) -> tuple[Any, float, int]:
    dtype, point = KINDS[kind]
    fine = scale / 200 if kind == "int16" else scale
    return dtype, fine, point if zero is None else zero


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fused", [0, 1, 3])
def test_conv_2d(same: Any, kind: str, fused: int) -> None:
    x = activation(kind, 1, 6, 5, 3)
    w = weights(4, 3, 3, 3, channels=None if kind == "uint8" else 4)
    if kind == "uint8":
        w = (stored("uint8", 4, 3, 3, 3), 0.01, 120)
    options = {"padding": 0, "strideH": 2, "strideW": 1, "fusedActivationFunction": fused}
    known = [(w, 0), (bias(kind, x, w, 4), 0)]
    same("CONV_2D", [x], known, ("Conv2DOptions", options), output=like(kind, 0.08), version=4)


@pytest.mark.parametrize("kind", ["int8", "int16"])
@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_conv_2d(same: Any, kind: str, multiplier: int) -> None:
    x = activation(kind, 1, 6, 5, 3)
    w = weights(1, 3, 3, 3 * multiplier, channels=3 * multiplier)
    options = {"padding": 0, "strideH": 1, "strideW": 1, "depthMultiplier": multiplier}
    known = [(w, 3), (bias(kind, x, w, 3 * multiplier), 0)]
    same("DEPTHWISE_CONV_2D", [x], known, ("DepthwiseConv2DOptions", options),
         output=like(kind, 0.05), version=5)  # fmt: skip


@pytest.mark.parametrize("kind", ["int8", "int16"])
@pytest.mark.parametrize("channels", [None, 5])
def test_fully_connected(same: Any, kind: str, channels: int | None) -> None:
    x, w = activation(kind, 3, 8), weights(5, 8, channels=channels)
    known = [(w, 0), (bias(kind, x, w, 5), 0)]
    # With one scale for all weights LiteRT rounds the product of scales to float32.
    steps = int(kind == "int16" or channels is None)
    same("FULLY_CONNECTED", [x], known, ("FullyConnectedOptions", {}), output=like(kind, 0.05),
         version=12 if channels else 7, steps=steps)  # fmt: skip


@pytest.mark.parametrize("kind", ["int8", "int16"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.07, 1e-4])
def test_transpose_conv(
    new_builder: Any, engines: Any, kind: str, stride: int, scale: float
) -> None:
    x, w = activation(kind, 1, 4, 3, 70), weights(2, 3, 3, 70, channels=2)
    builder = new_builder()
    place = builder.tensor("x", x[0].shape, x[0].dtype, x[1], x[2])
    shape = builder.constant("shape", np.int32([1, 4 * stride, 3 * stride, 2]))
    kernel, add = builder.constant("w", *w), builder.constant("b", *bias(kind, x, w, 2))
    y = builder.tensor("y", (), *like(kind, scale, 0 if kind == "int16" else 3))
    options = ("TransposeConvOptions", {"padding": 0, "strideH": stride, "strideW": stride})
    builder.op("TRANSPOSE_CONV", [shape, kernel, place, add], [y], options, version=3)
    builder.ends([place], [y])
    data = builder.data()
    wanted = engines.theirs(data, {"x": x[0]})["y"]
    assert ann.import_model(data).outputs["y"].shape == wanted.shape
    found = engines.ours(data, {"x": x[0]})
    np.testing.assert_array_equal(found["y"], wanted)


@pytest.mark.parametrize("kind", ["int8", "int16"])
@pytest.mark.parametrize("spread", [0.2, 50, 1e-4])
def test_products_of_any_scale(same: Any, kind: str, spread: float) -> None:
    """Much saturates, little but the zero point is left, and factors are above 1."""
    output = like(kind, 0.4 * spread)
    x, w = activation(kind, 2, 9, 9, 67), weights(66, 3, 3, 67, channels=66)
    options = {"padding": 1, "strideH": 1, "strideW": 2, "dilationHFactor": 2, "dilationWFactor": 2}
    known = [(w, 0), (bias(kind, x, w, 66), 0)]
    same("CONV_2D", [x], known, ("Conv2DOptions", options), output=output, version=4)
    x, w = activation(kind, 1, 19, 18, 5), weights(1, 17, 17, 10, channels=10)
    options = {"padding": 1, "strideH": 1, "strideW": 1, "depthMultiplier": 2}
    known = [(w, 3), (bias(kind, x, w, 10), 0)]
    same("DEPTHWISE_CONV_2D", [x], known, ("DepthwiseConv2DOptions", options), output=output,
         version=5)  # fmt: skip
    x, w = activation(kind, 9, 700), weights(66, 700, channels=66)
    for known in ([(w, 0)], [(w, 0), (bias(kind, x, w, 66), 0)]):
        same("FULLY_CONNECTED", [x], known, ("FullyConnectedOptions", {}), output=output,
             version=12, steps=int(kind == "int16"))  # fmt: skip


@pytest.mark.parametrize("kind", ["int8", "int16"])
@pytest.mark.parametrize("spread", [0.2, 1, 50, 1e-3])
@pytest.mark.parametrize("adjoint", [(False, False), (False, True), (True, False), (True, True)])
def test_batch_matmul(same: Any, kind: str, adjoint: tuple[bool, bool], spread: float) -> None:
    x = activation(kind, *((2, 130, 7) if adjoint[0] else (2, 7, 130)), scale=0.003)
    y = activation(kind, *((2, 9, 130) if adjoint[1] else (2, 130, 9)), scale=0.02)
    options = ("BatchMatMulOptions", {"adjX": adjoint[0], "adjY": adjoint[1]})
    same("BATCH_MATMUL", [x, y], (), options, output=like(kind, 0.01 * spread), version=3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_pooling(same: Any, kind: str, name: str) -> None:
    x = activation(kind, 1, 6, 5, 3)
    options = {"padding": 0, "strideH": 2, "strideW": 2, "filterHeight": 3, "filterWidth": 2}
    output = (x[0].dtype, x[1], x[2])
    steps = int(name == "AVERAGE_POOL_2D")
    same(name, [x], (), ("Pool2DOptions", options), output=output, version=3, steps=steps)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("fused", [0, 1])
def test_arithmetic(same: Any, kind: str, name: str, fused: int) -> None:
    operands = [activation(kind, 2, 3, 4), activation(kind, 3, 4, scale=0.02)]
    table = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}[name]
    fields: dict[str, Any] = {"fusedActivationFunction": fused}
    if name != "MUL":
        fields["potScaleInt16"] = False
    version = {"ADD": 3, "SUB": 5, "MUL": 4}[name] if kind == "int16" else 2
    same(
        name,
        operands,
        (),
        (table, fields),
        output=like(kind, 0.06),
        version=version,
        steps=int(kind == "int16"),
    )


@pytest.mark.parametrize("scales", [(0.05, 0.05, 0.1), (1e-4, 3.0, 2.0), (0.5, 0.25, 0.0625)])
@pytest.mark.parametrize("shapes", [((2, 300, 3), (2, 300, 3)), ((4, 1, 5), (1, 6, 1))])
def test_squared_difference(same: Any, shapes: Any, scales: tuple[float, float, float]) -> None:
    operands = [
        activation("int8", *shape, scale=s) for shape, s in zip(shapes, scales, strict=False)
    ]
    options = ("SquaredDifferenceOptions", {})
    same("SQUARED_DIFFERENCE", operands, (), options, output=like("int8", scales[2]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["LOGISTIC", "TANH", "SOFTMAX", "HARD_SWISH", "LEAKY_RELU", "RELU"]
)
def test_functions(same: Any, kind: str, name: str) -> None:
    if kind == "int16" and name == "HARD_SWISH":
        pytest.skip("LiteRT has none")
    x = activation(kind, 3, 16, scale=0.04)
    point = np.iinfo(x[0].dtype).min
    fixed = {  # LiteRT wants these scales
        "LOGISTIC": (1 / 256, point), "SOFTMAX": (1 / 256, point), "TANH": (1 / 128, point + 128),
    }.get(name, (0.03, None))  # fmt: skip
    output = like(kind, fixed[0], fixed[1])
    if kind == "int16":
        x = (x[0], 1 / 4096 if name in ("TANH", "LOGISTIC") else x[1], 0)
        output = (np.int16, 1 / 32768 if fixed[1] is not None else output[1], 0)
    options = {
        "SOFTMAX": ("SoftmaxOptions", {"beta": 1.0}),
        "LEAKY_RELU": ("LeakyReluOptions", {"alpha": 0.2}),
    }.get(name)  # fmt: skip
    version = {"SOFTMAX": 3, "LOGISTIC": 3, "TANH": 3}.get(name, 2) if kind == "int16" else 2
    version = 1 if name == "HARD_SWISH" else version
    # LiteRT looks int16 softmax up in a table of 513 values.
    steps = 8 if (kind, name) == ("int16", "SOFTMAX") else 1
    same(name, [x], (), options, output=output, version=version, steps=steps)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
def test_mean(same: Any, kind: str) -> None:
    x = activation(kind, 1, 4, 5, 3)
    options = ("ReducerOptions", {"keepDims": True})
    output = (x[0].dtype, x[1], x[2])
    same("MEAN", [x], [(np.int32([1, 2]), 0)], options, output=output, steps=1)


def test_quantize_and_dequantize(same: Any) -> None:
    numbers = (3 * RNG.standard_normal((3, 8))).astype(np.float32)
    same("QUANTIZE", [(numbers, None, 0)], output=like("int8", 0.05), version=1)
    same("QUANTIZE", [activation("int8", 3, 8)], output=like("int8", 0.03, 4))
    same("QUANTIZE", [activation("uint8", 3, 8)], output=like("int8", 0.05, 4))
    same("DEQUANTIZE", [activation("int8", 3, 8)], output=(np.float32, 0.0, 0))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
def test_movement(same: Any, kind: str) -> None:
    x = activation(kind, 1, 4, 4, 2)
    output = (x[0].dtype, x[1], x[2])
    size = np.int32([8, 6])
    version = 3 if kind == "int16" else 2
    same("PAD", [x], [(np.int32([[0, 0], [1, 2], [0, 1], [0, 0]]), 0)], output=output,
         version=version)  # fmt: skip
    for name, table in (
        ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
        ("RESIZE_BILINEAR", "ResizeBilinearOptions"),
    ):
        # LiteRT's int16 positions have 10 bits behind the point: a 1024th between two pixels.
        steps = 2**16 // 2**9 if (kind, name) == ("int16", "RESIZE_BILINEAR") else 1
        same(name, [x], [(size, 0)], (table, {}), output=output, version=3, steps=steps)
    if kind != "int16":  # LiteRT has none
        same("SPACE_TO_DEPTH", [x], (), ("SpaceToDepthOptions", {"blockSize": 2}), output=output)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["RESHAPE", "TRANSPOSE"])
def test_moved_bytes_are_numbers_of_the_stated_scale(
    kind: str, name: str, same: Callable[..., None]
) -> None:
    """LiteRT's kernels copy them, whatever scale the input has."""
    dtype, point = KINDS[kind]
    last = np.array([3, 2] if name == "RESHAPE" else [1, 0], np.int32)
    x = activation(kind, 2, 3)
    other_point = point if kind == "int16" else point + 3
    same(name, [x], [(last, 0)], output=(dtype, 2 * x[1], other_point), version=1)
