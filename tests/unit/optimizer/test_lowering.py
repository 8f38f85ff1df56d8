# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that the host writes out before backends see any: Switch, Merge, channels-last products.

Expected values: numpy, with Switch and Merge as TensorFlow defines them, and the dimensions of
Arm NN's BatchMatMul (`BatchMatMulDescriptor::GetAxesToMul`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import BatchMatMulDescriptor
from armnn_py.types import DataLayout, DataType, LayerType, UnaryOperation

if TYPE_CHECKING:
    from collections.abc import Iterator

RNG = np.random.default_rng(35)
X = RNG.standard_normal((2, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as found:
        yield found


def run(runtime: ann.Runtime, network: ann.Network, **inputs: Any) -> dict[str, Any]:
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    with runtime.load_network(optimized) as loaded:
        return dict(loaded.run(inputs))


def branches(condition: ann.TensorInfo, x: ann.TensorInfo | None = None) -> ann.Network:
    """``exp(x)`` where the condition holds, ``-x`` elsewhere."""
    network = ann.Network()
    switch = network.add_switch(
        network.add_input("x", x or ann.TensorInfo((2, 3))),
        network.add_input("condition", condition),
        name="switch",
    )
    no = network.add_elementwise_unary(switch.outputs[0], UnaryOperation.NEG)
    yes = network.add_elementwise_unary(switch.outputs[1], UnaryOperation.EXP)
    network.add_output("y", network.add_merge(no, yes, name="merge"))
    return network


@pytest.mark.parametrize("value", [False, True])
def test_branches_by_one_boolean(runtime: ann.Runtime, value: bool) -> None:
    network = branches(ann.TensorInfo((), DataType.BOOLEAN))
    found = run(runtime, network, x=X, condition=np.array(value))["y"]
    np.testing.assert_allclose(found, np.exp(X) if value else -X, rtol=1e-6)


def test_branches_by_element(runtime: ann.Runtime) -> None:
    chosen = X > 0
    network = branches(ann.TensorInfo((2, 3), DataType.BOOLEAN))
    found = run(runtime, network, x=X, condition=chosen)["y"]
    np.testing.assert_allclose(found, np.where(chosen, np.exp(X), -X), rtol=1e-6)


@pytest.mark.parametrize(
    ("info", "values"),
    [
        (ann.TensorInfo((2, 1)), np.array([[0], [-0.5]], np.float32)),
        (ann.TensorInfo((2, 1), DataType.SIGNED32), np.array([[0], [-3]], np.int32)),
        (
            ann.TensorInfo((2, 1), DataType.QASYMM_U8, ann.QuantizationInfo((0.5,), (7,))),
            np.array([[7], [0]], np.uint8),
        ),
    ],
    ids=["float32", "int32", "quantised"],
)
def test_numbers_are_true_unless_zero(
    runtime: ann.Runtime, info: ann.TensorInfo, values: Any
) -> None:
    network = branches(info)
    found = run(runtime, network, x=X, condition=values)["y"]
    np.testing.assert_allclose(found, np.stack([-X[0], np.exp(X[1])]), rtol=1e-6)


@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_branches_inside_of_branches(runtime: ann.Runtime, outer: bool, inner: bool) -> None:
    network = ann.Network()
    boolean = ann.TensorInfo((1,), DataType.BOOLEAN)
    first, second = network.add_input("outer", boolean), network.add_input("inner", boolean)
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    at_outer = network.add_switch(x, first)
    at_inner = network.add_switch(at_outer.outputs[1], second)
    negative = network.add_elementwise_unary(at_inner.outputs[0], UnaryOperation.NEG)
    joined = network.add_merge(at_inner.outputs[1], negative)
    exponential = network.add_elementwise_unary(at_outer.outputs[0], UnaryOperation.EXP)
    network.add_output("y", network.add_merge(joined, exponential))
    given = {"outer": np.array([outer]), "inner": np.array([inner]), "x": X}
    expected = np.exp(X) if not outer else X if inner else -X
    np.testing.assert_allclose(run(runtime, network, **given)["y"], expected, rtol=1e-6)


def test_two_switches_of_one_condition(runtime: ann.Runtime) -> None:
    """Each tensor that a branch reads has a Switch of its own."""
    network = ann.Network()
    condition = network.add_input("condition", ann.TensorInfo((), DataType.BOOLEAN))
    x, y = (network.add_input(name, ann.TensorInfo((2, 3))) for name in "xy")
    of_x, of_y = network.add_switch(x, condition), network.add_switch(y, condition)
    total = network.add_addition(of_x.outputs[1], of_y.outputs[1])
    network.add_output("z", network.add_merge(total, of_x.outputs[0]))
    for value, expected in ((True, X + 1), (False, X)):
        given = {"x": X, "y": np.ones_like(X), "condition": np.array(value)}
        np.testing.assert_allclose(run(runtime, network, **given)["z"], expected)


def test_a_side_may_be_an_output(runtime: ann.Runtime) -> None:
    network = ann.Network()
    switch = network.add_switch(
        network.add_input("x", ann.TensorInfo((2, 3))),
        network.add_input("condition", ann.TensorInfo((), DataType.BOOLEAN)),
    )
    network.add_output("no", switch.outputs[0])
    network.add_output("yes", network.add_elementwise_unary(switch.outputs[1], UnaryOperation.NEG))
    found = run(runtime, network, x=X, condition=np.array(True))
    np.testing.assert_array_equal(found["no"], X)
    np.testing.assert_array_equal(found["yes"], -X)


def test_a_merge_without_a_switch_is_refused(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    switch = network.add_switch(x, network.add_input("c", ann.TensorInfo((), DataType.BOOLEAN)))
    network.add_output("y", network.add_merge(x, switch.outputs[1], name="join"))
    with pytest.raises(ann.GraphValidationError) as raised:
        ann.optimize(network, ["CpuRef"], runtime=runtime)
    text = str(raised.value)
    assert "Merge 'join': no Switch decides which of its operands is computed" in text
    assert "'x' depends on no Switch" in text
    assert "is computed where 'c' is true" in text


def test_a_condition_that_fits_no_longer_is_refused(runtime: ann.Runtime) -> None:
    network = ann.Network()
    condition = network.add_input("c", ann.TensorInfo((2, 3), DataType.BOOLEAN))
    switch = network.add_switch(network.add_input("x", ann.TensorInfo((2, 3))), condition)
    sums = [network.add_mean(value, axes=[0, 1]) for value in switch.outputs]
    network.add_output("y", network.add_merge(*sums, name="join"))
    with pytest.raises(ann.GraphValidationError, match="does not choose among its elements"):
        ann.optimize(network, ["CpuRef"], runtime=runtime)


def test_a_condition_larger_than_the_input_is_refused() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3)))
    condition = network.add_input("c", ann.TensorInfo((2, 3), DataType.BOOLEAN))
    with pytest.raises(ann.LayerValidationError, match="the condition broadcasts to the input"):
        network.add_switch(x, condition)


def product(
    x: tuple[int, ...], y: tuple[int, ...], *layouts: DataLayout, **more: bool
) -> ann.Network:
    network = ann.Network()
    operands = [
        network.add_input(name, ann.TensorInfo(shape))
        for name, shape in zip("xy", (x, y), strict=True)
    ]
    descriptor = BatchMatMulDescriptor(data_layout_x=layouts[0], data_layout_y=layouts[1], **more)
    layer = network.add_layer(LayerType.BATCH_MAT_MUL, operands, descriptor, name="product")
    network.add_output("z", layer)
    return network


@pytest.mark.parametrize(
    ("x", "y", "layout", "equation"),
    [
        ((2, 3, 4, 5), (2, 4, 6, 5), DataLayout.NHWC, "nhwc,nwkc->nhkc"),
        ((2, 3, 4, 5), (1, 4, 6, 5), DataLayout.NHWC, "nhwc,owkc->nhkc"),
        ((3, 4, 5), (2, 4, 6, 5), DataLayout.NHWC, "hwc,nwkc->nhkc"),
        ((2, 2, 3, 4, 5), (2, 2, 4, 3, 5), DataLayout.NDHWC, "ndhwc,ndwkc->ndhkc"),
    ],
)
def test_products_with_channels_last(
    runtime: ann.Runtime, x: Any, y: Any, layout: DataLayout, equation: str
) -> None:
    given = {
        name: RNG.standard_normal(shape).astype(np.float32)
        for name, shape in zip("xy", (x, y), strict=True)
    }
    found = run(runtime, product(x, y, layout, layout), **given)["z"]
    expected = np.einsum(equation, given["x"], given["y"])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_operands_of_two_layouts(runtime: ann.Runtime) -> None:
    """The output has the layout of the operand of more dimensions, of x where they are equal."""
    x, y = (RNG.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 4, 5), (2, 5, 4, 6)))
    network = product(x.shape, y.shape, DataLayout.NHWC, DataLayout.NCHW)
    found = run(runtime, network, x=x, y=y)["z"]
    np.testing.assert_allclose(found, np.einsum("nhwc,ncwk->nhkc", x, y), rtol=1e-5, atol=1e-5)
    y = y[0, 0]
    network = product(x.shape, y.shape, DataLayout.NHWC, DataLayout.NCHW, transpose_x=False)
    found = run(runtime, network, x=x, y=y)["z"]
    np.testing.assert_allclose(found, np.einsum("nhwc,wk->nhkc", x, y), rtol=1e-5, atol=1e-5)


def test_a_transposed_operand_with_channels_last(runtime: ann.Runtime) -> None:
    x, y = (RNG.standard_normal(shape).astype(np.float32) for shape in ((2, 4, 3, 5), (2, 4, 6, 5)))
    network = product(x.shape, y.shape, DataLayout.NHWC, DataLayout.NHWC, transpose_x=True)
    found = run(runtime, network, x=x, y=y)["z"]
    np.testing.assert_allclose(found, np.einsum("nwhc,nwkc->nhkc", x, y), rtol=1e-5, atol=1e-5)


def test_channels_last_need_three_dimensions() -> None:
    with pytest.raises(ann.LayerValidationError, match="3"):
        product((3, 4), (4, 5), DataLayout.NHWC, DataLayout.NHWC)


def test_backends_are_not_asked_about_them(runtime: ann.Runtime) -> None:
    backend = runtime.backends["CpuRef"]
    info = ann.TensorInfo((2, 3))
    for kind in (LayerType.MERGE, LayerType.SWITCH):
        answer = backend.supports(kind, [info, info])
        assert not answer
        assert "the host writes it out" in answer.reason
    layout = BatchMatMulDescriptor(data_layout_x=DataLayout.NHWC, data_layout_y=DataLayout.NHWC)
    square = ann.TensorInfo((3, 3, 2))
    answer = backend.supports(LayerType.BATCH_MAT_MUL, [square, square], None, layout)
    assert not answer
    assert "the host transposes around it" in answer.reason
