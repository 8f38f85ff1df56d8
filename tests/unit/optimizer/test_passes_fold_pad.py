# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pads folded into windows: outputs stay, near misses stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .fusions import apply, pass_named, random_inputs, run, types

FOLD_PAD_INTO_CONVOLUTION2D = pass_named("fold-pad-into-convolution2d")
FOLD_PAD_INTO_DEPTHWISE_CONVOLUTION2D = pass_named("fold-pad-into-depthwise-convolution2d")
FOLD_PAD_INTO_POOLING2D = pass_named("fold-pad-into-pooling2d")
LOWEST = float(np.finfo(np.float32).min)
NHWC, NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW


def image(layout: ann.DataLayout, pads: Any, size: tuple[int, int] = (7, 6)) -> Any:
    """Shape and padding of an image with 4 channels in a layout."""
    if layout is NHWC:
        return (2, *size, 4), [(0, 0), *pads, (0, 0)]
    return (2, 4, *size), [(0, 0), (0, 0), *pads]


def pooling_network(
    kind: ann.PoolingAlgorithm,
    value: float,
    *,
    layout: ann.DataLayout = NHWC,
    pads: Any = ((2, 1), (0, 1)),
    size: tuple[int, int] = (7, 6),
    window: int = 3,
    **options: Any,
) -> ann.Network:
    shape, padding = image(layout, pads, size)
    network = ann.Network()
    x = network.add_pad(network.add_input("x", ann.TensorInfo(shape)), padding, value, name="pad")
    y = network.add_pooling2d(x, kind, window, data_layout=layout, name="pool", **options)
    network.add_output("y", y)
    return network


def convolution_network(
    rng: np.random.Generator, *, layout: ann.DataLayout, value: float = 0.0, pads: Any
) -> ann.Network:
    shape, padding = image(layout, pads)
    network = ann.Network()
    x = network.add_pad(network.add_input("x", ann.TensorInfo(shape)), padding, value, name="pad")
    form = (5, 3, 3, 4) if layout is NHWC else (5, 4, 3, 3)
    y = network.add_convolution2d(
        x,
        rng.standard_normal(form).astype(np.float32),
        stride=int(rng.integers(1, 3)),
        padding=tuple(map(int, rng.integers(0, 2, 4))),
        data_layout=layout,
        name="conv",
    )
    network.add_output("y", y)
    return network


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize("seed", range(4))
def test_convolution(runtime: ann.Runtime, layout: ann.DataLayout, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pads = [tuple(map(int, rng.integers(0, 4, 2))) for _ in range(2)]
    network = convolution_network(rng, layout=layout, pads=pads)
    graph, log = apply(network, FOLD_PAD_INTO_CONVOLUTION2D)
    assert types(graph) == ["Convolution2d"]
    assert log.changes == ["pad 'pad' folded into 'conv'"]
    (conv,) = [node for node in graph if node.name == "conv"]
    assert [origin.name for origin in conv.origins] == ["conv", "pad"]
    inputs = random_inputs(network, seed)
    np.testing.assert_allclose(
        run(runtime, graph.to_network()[0], inputs)["y"],
        run(runtime, network, inputs)["y"],
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.parametrize("layout", [NHWC, NCHW])
def test_depthwise(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    shape, padding = image(layout, [(2, 1), (0, 3)])
    network = ann.Network()
    x = network.add_pad(network.add_input("x", ann.TensorInfo(shape)), padding)
    weights = np.random.default_rng(3).standard_normal((1, 3, 2, 8)).astype(np.float32)
    network.add_output("y", network.add_depthwise_convolution2d(x, weights, data_layout=layout))
    graph, _ = apply(network, FOLD_PAD_INTO_DEPTHWISE_CONVOLUTION2D)
    assert types(graph) == ["DepthwiseConvolution2d"]
    inputs = random_inputs(network)
    np.testing.assert_allclose(
        run(runtime, graph.to_network()[0], inputs)["y"],
        run(runtime, network, inputs)["y"],
        rtol=1e-5,
        atol=1e-5,
    )


def test_all_readers_take_it(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_pad(
        network.add_input("x", ann.TensorInfo((1, 4, 4, 2))), [(0, 0), (1, 1), (1, 1), (0, 0)]
    )
    weights = np.random.default_rng(1).standard_normal((3, 3, 3, 2)).astype(np.float32)
    network.add_output("a", network.add_convolution2d(x, weights, name="a"))
    network.add_output("b", network.add_convolution2d(x, weights, stride=2, name="b"))
    graph, log = apply(network, FOLD_PAD_INTO_CONVOLUTION2D)
    assert types(graph) == ["Convolution2d", "Convolution2d"]
    assert len(log.changes) == 2
    inputs = random_inputs(network)
    before, after = run(runtime, network, inputs), run(runtime, graph.to_network()[0], inputs)
    for name in before:
        np.testing.assert_allclose(after[name], before[name], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "miss", ["value", "mode", "batch", "channels", "reader", "hint", "weights", "other type"]
)
def test_convolution_near_misses(miss: str) -> None:
    network = ann.Network()
    padding = [(0, 0), (1, 1), (1, 1), (0, 0)]
    if miss in ("batch", "channels"):
        padding[0 if miss == "batch" else 3] = (1, 1)
    channels = 4 if miss == "channels" else 2
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 2)))
    pad = network.add_pad(
        x,
        padding,
        0.5 if miss == "value" else 0.0,
        ann.PaddingMode.REFLECT if miss == "mode" else ann.PaddingMode.CONSTANT,
        backend="CpuRef" if miss == "hint" else None,
    )
    weights = np.ones((6, 3, 3, channels), np.float32)
    if miss == "weights":
        w = network.add_input("w", ann.TensorInfo((6, 8, 8, 2)))
        y = network.add_convolution2d(w, pad, padding="valid")
    elif miss == "other type":
        y = network.add_pooling2d(pad, ann.PoolingAlgorithm.AVERAGE, 2)
    else:
        y = network.add_convolution2d(pad, weights)
    network.add_output("y", y)
    if miss == "reader":
        network.add_output("padded", pad)
    graph, log = apply(network, FOLD_PAD_INTO_CONVOLUTION2D)
    assert "Pad" in types(graph)
    assert log.changes == []


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize("rounding", list(ann.OutputShapeRounding))
@pytest.mark.parametrize("method", list(ann.PaddingMethod))
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ann.PoolingAlgorithm.MAX, -np.inf),
        (ann.PoolingAlgorithm.MAX, LOWEST),
        (ann.PoolingAlgorithm.AVERAGE, 0.0),
        (ann.PoolingAlgorithm.L2, 0.0),
    ],
)
def test_pooling(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    rounding: ann.OutputShapeRounding,
    method: ann.PaddingMethod,
    kind: ann.PoolingAlgorithm,
    value: float,
) -> None:
    network = pooling_network(
        kind, value, layout=layout, stride=2, rounding=rounding, padding_method=method
    )
    graph, log = apply(network, FOLD_PAD_INTO_POOLING2D)
    assert types(graph) == ["Pooling2d"]
    assert len(log.changes) == 1
    inputs = random_inputs(network)
    np.testing.assert_allclose(
        run(runtime, graph.to_network()[0], inputs)["y"],
        run(runtime, network, inputs)["y"],
        rtol=1e-6,
        atol=1e-6,
    )


@pytest.mark.parametrize("seed", range(60))
def test_pooling_of_any_form_keeps_its_outputs(runtime: ann.Runtime, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = ann.PoolingAlgorithm(int(rng.integers(3)))
    pads = [tuple(map(int, rng.integers(0, 5, 2))) for _ in range(2)]
    size = tuple(map(int, rng.integers(4, 9, 2)))
    network = pooling_network(
        kind,
        LOWEST if kind is ann.PoolingAlgorithm.MAX else 0.0,
        pads=pads,
        size=size,  # type: ignore[arg-type]
        window=int(rng.integers(1, 4)),
        stride=int(rng.integers(1, 5)),
        dilation=int(rng.integers(1, 3)),
        padding=tuple(map(int, rng.integers(0, 2, 4))),
        rounding=ann.OutputShapeRounding(int(rng.integers(2))),
        padding_method=ann.PaddingMethod(int(rng.integers(2))),
    )
    graph, _ = apply(network, FOLD_PAD_INTO_POOLING2D)
    inputs = random_inputs(network, seed)
    np.testing.assert_allclose(
        run(runtime, graph.to_network()[0], inputs)["y"],
        run(runtime, network, inputs)["y"],
        rtol=1e-6,
        atol=1e-6,
    )


@pytest.mark.parametrize(
    "network",
    [
        pooling_network(ann.PoolingAlgorithm.MAX, 0.0),
        pooling_network(ann.PoolingAlgorithm.MAX, -1e30),
        pooling_network(ann.PoolingAlgorithm.AVERAGE, LOWEST),
        pooling_network(
            ann.PoolingAlgorithm.AVERAGE,
            0.0,
            padding=1,
            padding_method=ann.PaddingMethod.EXCLUDE,
        ),
        # The first window lies in the padding: lowest before, 0 after.
        pooling_network(ann.PoolingAlgorithm.MAX, LOWEST, pads=((4, 0), (0, 0)), stride=1),
    ],
    ids=["max 0", "max low", "average lowest", "own padding excluded", "window of padding"],
)
def test_pooling_near_misses(network: ann.Network) -> None:
    graph, log = apply(network, FOLD_PAD_INTO_POOLING2D)
    assert types(graph) == ["Pad", "Pooling2d"]
    assert log.changes == []


@pytest.mark.parametrize(("value", "folds"), [(0.0, False), (3.0, True)])
def test_quantised_pad_of_the_zero_point(value: float, folds: bool) -> None:
    scale = ann.QuantizationInfo((0.5,), (3,))
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 1), ann.DataType.QASYMM_U8, scale))
    pad = network.add_pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], value)
    info = ann.TensorInfo((2, 3, 3, 1), ann.DataType.QASYMM_U8, ann.QuantizationInfo((0.1,), (0,)))
    weights = network.add_constant(np.ones((2, 3, 3, 1), np.uint8), info=info)
    network.add_output(
        "y",
        network.add_convolution2d(
            pad, weights, output_info=ann.TensorInfo((1, 4, 4, 2), ann.DataType.QASYMM_U8, scale)
        ),
    )
    graph, _ = apply(network, FOLD_PAD_INTO_CONVOLUTION2D)
    assert types(graph) == (["Convolution2d"] if folds else ["Pad", "Convolution2d"])


@pytest.mark.parametrize(("zero_point", "folds"), [(2, True), (0, False)])
def test_a_pad_and_the_padding_of_a_convolution_agree(
    runtime: ann.Runtime, zero_point: int, folds: bool
) -> None:
    """What CpuRef stores around a quantised image means 0 exactly where the pad is folded."""
    scale = ann.QuantizationInfo((0.5,), (zero_point,))
    info = ann.TensorInfo((1, 2, 2, 1), ann.DataType.QASYMM_U8, scale)
    network = ann.Network()
    pad = network.add_pad(network.add_input("x", info), [(0, 0), (1, 1), (1, 1), (0, 0)], 2)
    network.add_output("y", pad)
    y = run(runtime, network, {"x": np.full((1, 2, 2, 1), 9, np.uint8)})["y"]
    means_zero = (y[0, 0, 0, 0] - zero_point) * 0.5 == 0
    assert means_zero == folds
    assert y[0, 0, 0, 0] == 2

    network = ann.Network()
    pad = network.add_pad(network.add_input("x", info), [(0, 0), (1, 1), (1, 1), (0, 0)], 2)
    weights = network.add_constant(
        np.ones((1, 2, 2, 1), np.uint8),
        info=ann.TensorInfo((1, 2, 2, 1), ann.DataType.QASYMM_U8, ann.QuantizationInfo(1)),
    )
    output = ann.TensorInfo((1, 3, 3, 1), ann.DataType.QASYMM_U8, scale)
    network.add_output("y", network.add_convolution2d(pad, weights, output_info=output))
    graph, _ = apply(network, FOLD_PAD_INTO_CONVOLUTION2D)
    assert ("Pad" not in types(graph)) == folds


@pytest.mark.parametrize(("value", "folds"), [(-128, True), (-127, False)])
def test_quantised_maximum_ignores_the_least_number(value: float, folds: bool) -> None:
    scale = ann.QuantizationInfo((0.5,), (-20,))
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 1), ann.DataType.QASYMM_S8, scale))
    pad = network.add_pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], value)
    network.add_output("y", network.add_pooling2d(pad, ann.PoolingAlgorithm.MAX, 2))
    graph, _ = apply(network, FOLD_PAD_INTO_POOLING2D)
    assert ("Pad" not in types(graph)) == folds
