# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""An array of the caller that is an input and an output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

A = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as runtime:
        yield runtime


def network_of(*makes: Callable[[ann.Network, Any], Any], inputs: int = 1) -> ann.Network:
    """Outputs ``y0``, ``y1`` and so on of inputs ``x0`` ..."""
    network = ann.Network()
    slots = [network.add_input(f"x{n}", ann.TensorInfo(A.shape)).output for n in range(inputs)]
    for n, make in enumerate(makes):
        network.add_output(f"y{n}", make(network, slots[0] if inputs == 1 else slots))
    return network


def relu(network: ann.Network, x: Any) -> Any:
    return network.add_activation(x, ann.ActivationFunction.RELU)


def exponential(network: ann.Network, x: Any) -> Any:
    return network.add_elementwise_unary(x, ann.UnaryOperation.EXP)


def softmax(network: ann.Network, x: Any) -> Any:
    return network.add_softmax(x)


def same(network: ann.Network, x: Any) -> Any:
    return x


def turned(network: ann.Network, x: Any) -> Any:
    return network.add_reshape(network.add_transpose(x, (1, 0)), A.shape)


def twice(network: ann.Network, x: Any) -> Any:
    return exponential(network, turned(network, x))


def both(network: ann.Network, x: Any) -> Any:
    return network.add_addition(x, relu(network, x))


MAY = {
    "a kernel in place": (relu,),
    "an output that is the input": (same,),
    "read before": (twice,),
}
MUST_NOT = {
    "a kernel that needs all of it": (turned,),
    "read behind": (relu, exponential),
    "read behind by a copy": (relu, same),
}


def changed(x: np.ndarray) -> Any:
    return np.sin(x) - 1


@pytest.mark.parametrize("words", MAY)
def test_may(runtime: ann.Runtime, words: str) -> None:
    with ann.load(network_of(*MAY[words]), ["CpuRef"], runtime=runtime) as net:
        expected = net.run(A.copy())
        x = A.copy()
        found = net.run(x, out={"y0": x}, share_inputs=True)
        assert found["y0"] is x
        np.testing.assert_array_equal(x, expected["y0"])
        x = A.copy()
        with net.bind([x], {"y0": x}) as bound:
            for _ in range(3):
                x[...] = changed(x)
                expected = net.run(x.copy())
                bound.run()
                np.testing.assert_array_equal(x, expected["y0"])


@pytest.mark.parametrize("words", MUST_NOT)
def test_must_not(runtime: ann.Runtime, words: str) -> None:
    network = network_of(*MUST_NOT[words])
    with ann.load(network, ["CpuRef"], runtime=runtime) as net:
        expected = net.run(A.copy())
        x = A.copy()
        with pytest.raises(ann.InvalidArgumentError, match=r"'x0': its array overlaps .* 'y0'"):
            net.bind([x], {"y0": x})
        with pytest.raises(ann.InvalidArgumentError, match=r"'x0': its array overlaps .* 'y0'"):
            net.run(x, out={"y0": x}, share_inputs=True)
        np.testing.assert_array_equal(x, A)
        found = net.run(x, out={"y0": x})  # the input is copied before
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value)


def test_the_last_output_may_where_the_first_must_not(runtime: ann.Runtime) -> None:
    with ann.load(network_of(relu, exponential), ["CpuRef"], runtime=runtime) as net:
        expected = net.run(A.copy())
        x = A.copy()
        found = net.run(x, out={"y1": x}, share_inputs=True)
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value)


def test_other_bytes_must_not(runtime: ann.Runtime) -> None:
    """An array that overlaps, but is not the same."""
    with ann.load(network_of(relu), ["CpuRef"], runtime=runtime) as net:
        base = np.arange(-6, 10, dtype=np.float32)
        x, y = base[:12].reshape(3, 4), base[4:].reshape(3, 4)
        expected = np.maximum(x, 0)
        with pytest.raises(ann.InvalidArgumentError, match="overlaps"):
            net.bind([x], {"y0": y})
        net.run(x, out={"y0": y})
        np.testing.assert_array_equal(y, expected)


def test_two_inputs(runtime: ann.Runtime) -> None:
    """Each may be the output; both at a time are not known to."""

    def sum_of(network: ann.Network, slots: Any) -> Any:
        return network.add_addition(*slots)

    with ann.load(network_of(sum_of, inputs=2), ["CpuRef"], runtime=runtime) as net:
        for place in range(2):
            arrays = [A.copy(), A + 5]
            net.run(arrays, out={"y0": arrays[place]}, share_inputs=True)
            np.testing.assert_array_equal(arrays[place], 2 * A + 5)
        x = A.copy()
        with pytest.raises(ann.InvalidArgumentError, match="overlaps"):
            net.bind([x, x], {"y0": x})


def test_free_dimensions(runtime: ann.Runtime) -> None:
    """Each plan knows by itself."""

    def build(infos: Any) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"]).output
        network.add_output("y", relu(network, x))
        return network

    free = ann.TensorInfo((None, 4))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    with ann.load(network, ["CpuRef"], runtime=runtime) as net:
        for rows in (1, 3, 1):
            x = np.linspace(-3, 5, rows * 4, dtype=np.float32).reshape(rows, 4)
            expected = np.maximum(x, 0)
            net.run(x, out={"y": x}, share_inputs=True)
            np.testing.assert_array_equal(x, expected)


def test_one_plan_for_all_shapes_copies(runtime: ann.Runtime) -> None:
    def build(infos: Any) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"]).output
        network.add_output("y", relu(network, x))
        return network

    free = ann.TensorInfo((None, 4), dimension_names=("rows", None))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    with ann.load(network, ["CpuRef"], runtime=runtime, bounds={"rows": 5}) as net:
        x = A - 5
        expected = np.maximum(x, 0)
        with pytest.raises(ann.InvalidArgumentError, match="overlaps"):
            net.run(x, out={"y": x}, share_inputs=True)
        net.run(x, out={"y": x})
        np.testing.assert_array_equal(x, expected)


def test_parts_of_several_backends(runtime: ann.Runtime) -> None:
    """The step that reads last and the one that writes first are different layers."""
    with ann.load(network_of(both), ["CpuRef"], runtime=runtime) as net:
        x = A - 5
        expected = x + np.maximum(x, 0)
        net.run(x, out={"y0": x}, share_inputs=True)
        np.testing.assert_array_equal(x, expected)


def test_thousands_of_inputs_are_looked_at_once_each(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from armnn_py.runtime.plan import memory_plan

    looked: list[int] = []
    places = memory_plan._places

    def counted(build: Any, numbers: Any, *rest: Any) -> Any:
        looked.append(len(numbers))
        return places(build, numbers, *rest)

    monkeypatch.setattr(memory_plan, "_places", counted)
    count = 300

    def total(network: ann.Network, slots: Any) -> Any:
        found = slots[0]
        for slot in slots[1:]:
            found = network.add_addition(found, slot)
        return found

    with ann.load(network_of(total, inputs=count), ["CpuAcc"], runtime=runtime) as net:
        assert count < sum(looked) <= 4 * count
        y = net.run({f"x{n}": A for n in range(count)})["y0"]
    np.testing.assert_array_equal(y, A * count)
