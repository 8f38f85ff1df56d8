# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Batch normalisation fused into convolutions; Permute and BatchToSpaceNd as DepthToSpace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .fusions import apply, pass_named, random_inputs, run, types

if TYPE_CHECKING:
    from numpy.typing import NDArray

FUSE_BATCH_NORM_INTO_CONVOLUTION2D = pass_named("fuse-batch-norm-into-convolution2d")
FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D = pass_named(
    "fuse-batch-norm-into-depthwise-convolution2d"
)
TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE = pass_named(
    "transpose-and-batch-to-space-as-depth-to-space"
)
NHWC, NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW
OUTPUTS = 6


def parameters(rng: np.random.Generator, dtype: Any = np.float32) -> list[NDArray[Any]]:
    """Mean, variance, beta and gamma."""
    mean, beta, gamma = rng.standard_normal((3, OUTPUTS)).astype(dtype)
    return [mean, rng.uniform(0.2, 3, OUTPUTS).astype(dtype), beta, gamma]


def network_of(
    *,
    depthwise: bool = False,
    layout: ann.DataLayout = NHWC,
    bias: bool = True,
    groups: int = 1,
    dtype: Any = np.float32,
    miss: str = "",
    seed: int = 0,
) -> ann.Network:
    rng = np.random.default_rng(seed)
    network = ann.Network()
    shape = (2, 5, 6, 2) if layout is NHWC else (2, 2, 5, 6)
    x = network.add_input("x", ann.TensorInfo(shape, dtype))
    form: tuple[int, ...] = (1, 3, 2, OUTPUTS)
    if not depthwise:
        each = 2 // groups
        form = (OUTPUTS, 3, 2, each) if layout is NHWC else (OUTPUTS, each, 3, 2)
    weights: Any = rng.standard_normal(form).astype(dtype)
    if miss == "weights":
        weights = network.add_input("w", ann.TensorInfo(form, dtype))
    offsets: Any = rng.standard_normal(OUTPUTS).astype(dtype) if bias else None
    if miss == "bias":
        offsets = network.add_input("b", ann.TensorInfo((OUTPUTS,), dtype))
    if depthwise:
        y = network.add_depthwise_convolution2d(
            x, weights, offsets, data_layout=layout, name="conv"
        )
    else:
        y = network.add_convolution2d(
            x, weights, offsets, data_layout=layout, groups=groups, name="conv"
        )
    if miss == "between":
        y = network.add_activation(y, ann.ActivationFunction.RELU)
    constants: list[Any] = parameters(rng, dtype)
    if miss == "mean":
        constants[0] = network.add_input("m", ann.TensorInfo((OUTPUTS,), dtype))
    if miss == "variance":
        constants[1] = np.full(OUTPUTS, -1.0, dtype)
    if miss == "layout":
        layout = NCHW
    z = network.add_batch_normalization(
        y,
        *constants,
        eps=0.01,
        data_layout=layout,
        name="norm",
        backend="CpuRef" if miss == "hint" else None,
    )
    network.add_output("y", z)
    if miss == "reader":
        network.add_output("raw", y)
    return network


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["dense", "grouped", "depthwise"])
def test_batch_normalisation(
    runtime: ann.Runtime, layout: ann.DataLayout, bias: bool, kind: str
) -> None:
    network = network_of(
        depthwise=kind == "depthwise", layout=layout, bias=bias, groups=1 + (kind == "grouped")
    )
    a_pass = (
        FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D
        if kind == "depthwise"
        else FUSE_BATCH_NORM_INTO_CONVOLUTION2D
    )
    graph, log = apply(network, a_pass)
    assert types(graph) == ["DepthwiseConvolution2d" if kind == "depthwise" else "Convolution2d"]
    assert log.changes == ["batch normalisation 'norm' fused into 'conv'"]
    assert len([node for node in graph if node.value is not None]) == 2
    (conv,) = [node for node in graph if node.name == "conv"]
    assert [origin.name for origin in conv.origins] == ["conv", "norm"]
    assert graph.removed == {}
    inputs = random_inputs(network)
    np.testing.assert_allclose(
        run(runtime, graph.to_network()[0], inputs)["y"],
        run(runtime, network, inputs)["y"],
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("depthwise", [False, True])
def test_float16(depthwise: bool) -> None:
    network = network_of(depthwise=depthwise, dtype=np.float16)
    a_pass = (
        FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D
        if depthwise
        else FUSE_BATCH_NORM_INTO_CONVOLUTION2D
    )
    graph, _ = apply(network, a_pass)
    (conv,) = [node for node in graph if node.name == "conv"]
    _, weights, bias = conv.constants
    assert weights is not None
    assert weights.dtype == np.float16
    assert bias is not None
    assert bias.dtype == np.float16
    old = {layer.name: layer for layer in network.layers}
    constants = [slot.layer.value for slot in old["conv"].inputs[1:]]  # type: ignore[union-attr]
    mean, variance, beta, gamma = (
        slot.layer.value.astype(np.float64)  # type: ignore[union-attr]
        for slot in old["norm"].inputs[1:]
    )
    scale = gamma / np.sqrt(variance + 0.01)
    by_channel = scale.reshape((1, 1, 1, -1) if depthwise else (-1, 1, 1, 1))
    np.testing.assert_allclose(weights, constants[0] * by_channel, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(bias, (constants[1] - mean) * scale + beta, rtol=1e-3, atol=1e-3)


def test_shared_constants_stay_as_they_are(runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(5)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 2)))
    weights = network.add_constant(rng.standard_normal((OUTPUTS, 3, 3, 2)).astype(np.float32))
    for name in ("a", "b"):
        y = network.add_convolution2d(x, weights, name=name)
        network.add_output(f"norm {name}", network.add_batch_normalization(y, *parameters(rng)))
    network.add_output("plain", network.add_convolution2d(x, weights))
    graph, _ = apply(network, FUSE_BATCH_NORM_INTO_CONVOLUTION2D)
    assert types(graph) == ["Convolution2d"] * 3
    inputs = random_inputs(network)
    before, after = run(runtime, network, inputs), run(runtime, graph.to_network()[0], inputs)
    for name in before:
        np.testing.assert_allclose(after[name], before[name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "miss", ["weights", "bias", "mean", "variance", "reader", "between", "hint"]
)
@pytest.mark.parametrize("depthwise", [False, True])
def test_near_misses(miss: str, depthwise: bool) -> None:
    network = network_of(depthwise=depthwise, miss=miss)
    for a_pass in (
        FUSE_BATCH_NORM_INTO_CONVOLUTION2D,
        FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D,
    ):
        graph, log = apply(network, a_pass)
        assert "BatchNormalization" in types(graph)
        assert log.changes == []


def test_another_layout_is_another_axis() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, OUTPUTS, 4, 2)))
    y = network.add_convolution2d(x, np.ones((OUTPUTS, 1, 1, 2), np.float32), data_layout=NHWC)
    z = network.add_batch_normalization(y, *parameters(np.random.default_rng(0)), data_layout=NCHW)
    network.add_output("y", z)
    graph, _ = apply(network, FUSE_BATCH_NORM_INTO_CONVOLUTION2D)
    assert types(graph) == ["Convolution2d", "BatchNormalization"]


def spread_network(
    *,
    transpose: bool,
    layout: ann.DataLayout = NHWC,
    block: tuple[int, int] = (2, 2),
    channels: int = 4,
    batch: int = 1,
    crop: int = 0,
    mapping: tuple[int, ...] | None = None,
    reader: bool = False,
) -> ann.Network:
    network = ann.Network()
    shape = (batch, 2, 3, channels) if layout is NHWC else (batch, channels, 2, 3)
    x = network.add_input("x", ann.TensorInfo(shape))
    mapping = mapping or ((3, 1, 2, 0) if layout is NHWC else (1, 0, 2, 3))
    y = (network.add_transpose if transpose else network.add_permute)(x, mapping, name="swap")
    z = network.add_batch_to_space_nd(
        y, block, [(crop, 0), (0, 0)], data_layout=layout, name="spread"
    )
    network.add_output("y", z)
    if reader:
        network.add_output("swapped", y)
    return network


def batch_to_space(x: NDArray[Any], block: int, layout: ann.DataLayout) -> NDArray[Any]:
    """TensorFlow's definition, without crops, in the words of its documentation."""
    if layout is NCHW:
        x = x.transpose(0, 2, 3, 1)
    batch, height, width, depth = x.shape
    y = x.reshape(block, block, batch // block**2, height, width, depth)
    y = y.transpose(2, 3, 0, 4, 1, 5).reshape(-1, height * block, width * block, depth)
    return y.transpose(0, 3, 1, 2) if layout is NCHW else y


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("block", [2, 3])
def test_depth_to_space(
    runtime: ann.Runtime, layout: ann.DataLayout, transpose: bool, block: int
) -> None:
    network = spread_network(
        transpose=transpose, layout=layout, block=(block, block), channels=block**2
    )
    graph, log = apply(network, TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE)
    assert types(graph) == ["DepthToSpace"]
    assert log.changes == ["'swap' and 'spread' joined as a DepthToSpace"]
    inputs = random_inputs(network)
    swapped = inputs["x"].transpose((3, 1, 2, 0) if layout is NHWC else (1, 0, 2, 3))
    np.testing.assert_array_equal(
        run(runtime, graph.to_network()[0], inputs)["y"], batch_to_space(swapped, block, layout)
    )


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        {"batch": 2},
        {"channels": 8},
        {"block": (1, 4)},
        {"crop": 1},
        {"mapping": (3, 2, 1, 0)},
        {"reader": True},
    ],
    ids=str,
)
def test_depth_to_space_near_misses(transpose: bool, change: dict[str, Any]) -> None:
    network = spread_network(transpose=transpose, **change)
    graph, log = apply(network, TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE)
    assert types(graph)[1:] == ["BatchToSpaceNd"]
    assert log.changes == []


@pytest.mark.parametrize("depthwise", [False, True])
def test_switched_off_it_is_done_by_no_other_pass(runtime: ann.Runtime, depthwise: bool) -> None:
    network = network_of(depthwise=depthwise)
    kinds = ("convolution2d", "depthwise-convolution2d")
    optimized = ann.optimize(
        network,
        ["CpuRef"],
        runtime=runtime,
        disabled_passes=[f"fuse-batch-norm-into-{kind}" for kind in kinds],
    )
    assert "BatchNormalization" in [layer.type.label for layer in optimized.network.layers]
