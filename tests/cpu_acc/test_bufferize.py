# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where CpuAcc puts tensors: layouts, views, slices of others, in place; layers it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import NormalizationAlgorithmMethod

from .networks import LAYOUTS, NCHW, NHWC, F, check, convolution, image, run, values_of


def test_transposes_between_layouts_vanish(runtime: ann.Runtime) -> None:
    """NCHW layers around NHWC layers: nothing moves but the borders."""
    network = ann.Network()
    x = image(network, NCHW)
    y = convolution(network, x, NCHW, name="a")
    y = network.add_transpose(y, (0, 2, 3, 1), name="turn").output
    y = convolution(network, y, NHWC, name="b")
    y = network.add_activation(y, F.RELU, name="relu").output
    y = network.add_permute(y, (0, 2, 3, 1), name="back").output
    y = convolution(network, y, NCHW, name="c")
    network.add_output("y", y)
    assert set(check(runtime, network)) == {"a", "b + relu", "c"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_flattened_pixels(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    """Global pooling and a dense layer: one pixel has the same order in every layout."""
    network = ann.Network()
    y = convolution(network, image(network, layout), layout, name="conv")
    y = network.add_pooling2d(
        y, ann.PoolingAlgorithm.AVERAGE, (9, 10), data_layout=layout, name="pool"
    ).output
    y = network.add_reshape(y, (2, 20), name="flat").output
    y = network.add_fully_connected(y, values_of(1, 20, 7), name="dense").output
    network.add_output("y", y)
    rows = check(runtime, network)
    assert "flat" not in rows


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [1, 2, 3])
def test_concat_of_what_is_computed(
    runtime: ann.Runtime, layout: ann.DataLayout, axis: int
) -> None:
    """Producers write into the whole, also through another Concat; whole and parts are read."""
    network = ann.Network()
    x = image(network, layout)
    a = convolution(network, x, layout, name="a")
    b = network.add_activation(a, F.TANH, 1, 1, name="b").output
    inner = network.add_concat([a, b], axis=axis, name="inner").output
    c = network.add_activation(inner, F.SQUARE, name="c").output
    outer = network.add_concat([inner, c], axis=axis, name="outer").output
    y = network.add_activation(outer, F.ABS, name="y").output
    network.add_output("y", network.add_multiplication(y, outer, name="last"))
    network.add_output("a", network.add_activation(a, F.RELU, name="relu"))
    rows = check(runtime, network)
    assert "inner" not in rows
    assert "outer" not in rows


def test_concat_of_all_sorts(runtime: ann.Runtime) -> None:
    """An input, a constant, the same twice, a slice and a reshape."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4))).output
    y = network.add_activation(x, F.ABS, name="abs").output
    z = network.add_slice(y, (0, 0, 1), (2, 3, 2), name="slice").output
    r = network.add_reshape(network.add_activation(x, F.RELU), (2, 4, 3), name="reshape").output
    t = network.add_transpose(r, (0, 2, 1), name="transpose").output
    c = network.add_constant(values_of(1, 2, 3, 5)).output
    whole = network.add_concat([x, y, y, z, t, c], axis=2, name="concat").output
    network.add_output("y", whole)
    network.add_output("z", network.add_activation(whole, F.ABS))
    check(runtime, network)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [1, 2, 3])
def test_split_and_work_on_parts(runtime: ann.Runtime, layout: ann.DataLayout, axis: int) -> None:
    network = ann.Network()
    y = convolution(network, image(network, layout, channels=8), layout, outputs=24, name="conv")
    y = network.add_slice(
        y,
        (0, 0, 0, 0),
        tuple(min(side, 24 if side == 24 else 8) for side in y.info.static_shape),
    ).output
    first, second = network.add_split(y, 2, axis=axis, name="split").outputs
    a = network.add_activation(first, F.SIGMOID, name="a").output
    b = network.add_multiplication(a, second, name="b").output
    network.add_output("y", network.add_concat([b, a], axis=axis, name="concat"))
    network.add_output("first", first)
    check(runtime, network)


def test_outputs_of_all_kinds(runtime: ann.Runtime) -> None:
    """An input as it is, the same tensor twice, a view and its source, a constant."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4))).output
    same = network.add_reshape(x, (2, 3, 4), name="same").output
    flat = network.add_reshape(x, (6, 4), name="flat").output
    y = network.add_activation(x, F.ABS, name="abs").output
    part = network.add_slice(y, (0, 1, 0), (2, 2, 4), name="part").output
    turned = network.add_transpose(y, (2, 0, 1), name="turned").output
    for number, slot in enumerate([same, flat, y, y, part, turned]):
        network.add_output(f"y{number}", slot)
    network.add_output("c", network.add_reshape(network.add_constant(values_of(1, 6)), (2, 3)))
    check(runtime, network)


def test_in_place_only_without_later_consumers(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((5, 100))).output
    a = network.add_softmax(x, name="a").output
    b = network.add_activation(a, F.TANH, 2, 3, name="b").output
    c = network.add_multiplication(b, b, name="c").output
    d = network.add_addition(a, c, name="d").output
    e = network.add_subtraction(d, b, name="e").output
    network.add_output("y", network.add_addition(e, a, name="f"))
    check(runtime, network)


@pytest.mark.parametrize(
    "indices", [[0, 1, 2, 2], [2, 1, 0], [1, 1, 1], [-1, 0, 1, 2]], ids=["edge", "back", "1", "-"]
)
def test_gather_by_constant_indices(runtime: ann.Runtime, indices: list[int]) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_gather(x, np.array(indices, np.int32), axis=1, name="gather")
    network.add_output("y", network.add_activation(y, F.ABS))
    check(runtime, network)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("slopes", [(1,), (12, 1, 1), (12, 9, 10)])
def test_prelu(runtime: ann.Runtime, layout: ann.DataLayout, slopes: tuple[int, ...]) -> None:
    network = ann.Network()
    x = image(network, layout)
    values = values_of(1, *slopes)
    if layout == NHWC and len(slopes) == 3:
        values = np.ascontiguousarray(values.transpose(1, 2, 0))
    network.add_output("y", network.add_prelu(x, values, name="prelu"))
    check(runtime, network)


def test_layers_of_others_cut_the_part(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = image(network, NCHW)
    y = convolution(network, x, NCHW, name="a")
    contrast = NormalizationAlgorithmMethod.LOCAL_CONTRAST
    options = {"alpha": 1, "beta": 1, "k": 1, "data_layout": NCHW, "name": "lrn"}
    y = network.add_normalization(y, 3, method=contrast, **options).output
    y = convolution(network, y, NCHW, name="b")
    network.add_output("y", network.add_activation(y, F.RELU, name="relu"))
    expected, _, _ = run(runtime, network, ["CpuRef"])
    outputs, _, optimized = run(runtime, network, ["CpuAcc", "CpuRef"])
    np.testing.assert_allclose(outputs["y"], expected["y"], rtol=1e-4, atol=1e-5)
    backends = {row.layer: row.backend for row in optimized.assignment}
    assert backends["lrn"] == "CpuRef"
    assert backends["a"] == backends["b"] == "CpuAcc"


def odd_stride(network: ann.Network, x: ann.OutputSlot, name: str) -> ann.OutputSlot:
    """A layer that passes the questions about support, and has no operator."""
    return network.add_transpose_convolution2d(
        x, values_of(1, 3, 1, 1, 3), stride=(1025, 1), data_layout=NHWC, name=name
    ).output


def test_layers_that_cannot_be_compiled_are_given_back(runtime: ann.Runtime) -> None:
    network = ann.Network()
    y = network.add_input("x", ann.TensorInfo((1, 1, 1, 3))).output
    z = network.add_activation(y, F.SQUARE, name="beside").output
    for number in range(3):
        y = network.add_activation(y, F.TANH, 1, 1, name=f"before {number}").output
        y = odd_stride(network, y, f"odd {number}")
    y = network.add_activation(y, F.ABS, name="behind").output
    network.add_output("y", network.add_addition(y, z, name="sum"))
    expected, _, _ = run(runtime, network, ["CpuRef"])
    outputs, _, optimized = run(runtime, network, ["CpuAcc", "CpuRef"])
    np.testing.assert_allclose(outputs["y"], expected["y"], rtol=1e-5, atol=1e-6)
    backends = {row.layer: row.backend for row in optimized.assignment if row.backend}
    odd = {f"odd {number}" for number in range(3)}
    assert {layer for layer, backend in backends.items() if backend == "CpuRef"} == odd
    assert {f"before {n}" for n in range(3)} | {"beside", "behind", "sum"} < backends.keys()


def test_a_part_may_be_full_of_layers_that_cannot_be_compiled(runtime: ann.Runtime) -> None:
    network = ann.Network()
    y = network.add_input("x", ann.TensorInfo((1, 1, 1, 3))).output
    for number in range(300):
        y = odd_stride(network, y, f"odd {number}")
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuAcc", "CpuRef"], runtime=runtime)
    assert {row.backend for row in optimized.assignment if row.backend} == {"CpuRef"}
