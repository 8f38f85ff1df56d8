# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Manners of LoadedNetwork.run: what goes in, what comes out, what is refused."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

import armnn_py as ann


def add_network(shape: tuple[int, ...] = (2, 3)) -> ann.Network:
    network = ann.Network("sum")
    a = network.add_input("a", ann.TensorInfo(shape))
    b = network.add_input("b", ann.TensorInfo(shape))
    network.add_output("y", network.add_addition(a, b, name="plus"))
    return network


def relu_network(shape: tuple[int, ...] = (2, 3)) -> ann.Network:
    network = ann.Network("one relu")
    x = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("y", network.add_activation(x, ann.ActivationFunction.RELU))
    return network


@pytest.fixture
def loaded(runtime: ann.Runtime) -> ann.LoadedNetwork:
    return ann.load(add_network(), backends=["CpuRef"], runtime=runtime)


A = np.array([[1, -2, 3], [4, -5, 6]], np.float32)
B = np.array([[10, 20, 30], [40, 50, 60]], np.float32)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda net: net.run({"a": A, "b": B}), id="dict by name"),
        pytest.param(lambda net: net.run({"b": B, "a": A}), id="dict in another order"),
        pytest.param(lambda net: net.run([A, B]), id="list in order"),
        pytest.param(lambda net: net(A, B), id="call by position"),
        pytest.param(lambda net: net(a=A, b=B), id="call by name"),
        pytest.param(lambda net: net({"a": A, "b": B}), id="call with a dict"),
        pytest.param(lambda net: net.enqueue_workload({"a": A, "b": B}), id="Arm NN's word"),
    ],
)
def test_ways_to_pass_inputs(loaded: ann.LoadedNetwork, call: Any) -> None:
    outputs = call(loaded)
    assert list(outputs) == ["y"]
    np.testing.assert_array_equal(outputs["y"], A + B)
    assert outputs["y"].dtype == np.float32


def test_one_input_may_be_the_array_itself(runtime: ann.Runtime) -> None:
    with ann.load(relu_network(), runtime=runtime) as net:
        np.testing.assert_array_equal(net.run(A)["y"], np.maximum(A, 0))


class _Foreign:
    """A tensor of some other library that speaks DLPack only."""

    def __init__(self, value: np.ndarray) -> None:
        self._value = value

    def __dlpack__(self, **options: Any) -> Any:
        return self._value.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._value.__dlpack_device__()


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(np.asfortranarray(A), id="Fortran order"),
        pytest.param(np.repeat(A, 2, axis=1)[:, ::2], id="strided"),
        pytest.param(A[::-1][::-1], id="reversed twice"),
        pytest.param(_Foreign(A.copy()), id="DLPack"),
        pytest.param(memoryview(A), id="buffer"),
        pytest.param(
            np.frombuffer(b"x" + A.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3),
            id="misaligned",
        ),
    ],
)
def test_intake_by_protocol(loaded: ann.LoadedNetwork, value: Any) -> None:
    np.testing.assert_array_equal(loaded.run({"a": value, "b": B})["y"], A + B)


def test_read_only_input(loaded: ann.LoadedNetwork) -> None:
    frozen = A.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(loaded.run({"a": frozen, "b": B})["y"], A + B)


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        pytest.param({"a": A}, ann.InvalidArgumentError, "no array for input 'b'", id="missing"),
        pytest.param({}, ann.InvalidArgumentError, "no array for input 'a', 'b'", id="none"),
        pytest.param({"a": A, "c": B}, ann.UnknownNameError, "no input 'c'", id="unknown"),
        pytest.param(
            {"a": A, "b": B, "c": B}, ann.UnknownNameError, "no input 'c'", id="one too many"
        ),
        pytest.param([A], ann.InvalidArgumentError, "has 2 inputs, 1 given", id="short list"),
        pytest.param(A, ann.InvalidArgumentError, "pass a dict by name", id="one array for two"),
        pytest.param(
            {"a": A.astype(np.float64), "b": B},
            ann.InvalidArgumentError,
            "input 'a': dtype float64 given, float32 expected",
            id="float64",
        ),
        pytest.param(
            {"a": A.astype(">f4"), "b": B}, ann.InvalidArgumentError, "dtype >f4", id="byte order"
        ),
        pytest.param(
            {"a": A[:, :2], "b": B},
            ann.InvalidArgumentError,
            "input 'a': dimension 1 is 2, 3 expected",
            id="shape",
        ),
        pytest.param(
            {"a": A.reshape(6), "b": B},
            ann.InvalidArgumentError,
            "1 dimension given (6), 2 expected (2x3)",
            id="rank",
        ),
        pytest.param({"a": None, "b": B}, ann.InvalidArgumentError, "input 'a'", id="None"),
        pytest.param({"a": object(), "b": B}, ann.InvalidArgumentError, "input 'a'", id="object"),
        pytest.param(
            {"a": np.ma.masked_less(A, 0), "b": B},
            ann.InvalidArgumentError,
            "input 'a': a masked array given",
            id="masked",
        ),
        pytest.param({"a": "text", "b": B}, ann.InvalidArgumentError, "input 'a'", id="text"),
        pytest.param(
            {"a": array.array("d", [0] * 6), "b": B},
            ann.InvalidArgumentError,
            "dtype float64",
            id="buffer of doubles",
        ),
    ],
)
def test_wrong_inputs(
    loaded: ann.LoadedNetwork, inputs: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        loaded.run(inputs)
    assert words in str(caught.value).splitlines()[0]
    # Nothing is lost: the network goes on.
    np.testing.assert_array_equal(loaded.run({"a": A, "b": B})["y"], A + B)


def test_near_name_is_suggested(runtime: ann.Runtime) -> None:
    network = ann.Network()
    network.add_output("y", network.add_input("image", ann.TensorInfo((1,))))
    with ann.load(network, runtime=runtime) as net, pytest.raises(ann.UnknownNameError) as caught:
        net.run({"imgae": np.zeros(1, np.float32)})
    assert "did you mean 'image'?" in str(caught.value)
    assert isinstance(caught.value, KeyError)


def test_out_is_written_in_place(loaded: ann.LoadedNetwork) -> None:
    y = np.empty((2, 3), np.float32)
    outputs = loaded.run({"a": A, "b": B}, out={"y": y})
    assert outputs["y"] is y
    np.testing.assert_array_equal(y, A + B)


def test_out_may_overlap_an_input(runtime: ann.Runtime) -> None:
    """Reading must come before writing: out is the input, shifted by one element."""
    shape = (7,)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("y", network.add_addition(x, np.ones(shape, np.float32)))
    with ann.load(network, runtime=runtime) as net:
        base = np.arange(8, dtype=np.float32)
        net.run({"x": base[:7]}, out={"y": base[1:]})
        np.testing.assert_array_equal(base[1:], np.arange(7) + 1)


_read_only = np.empty((2, 3), np.float32)
_read_only.flags.writeable = False


@pytest.mark.parametrize(
    ("out", "words"),
    [
        pytest.param({"z": A.copy()}, "no output 'z'", id="unknown name"),
        pytest.param({"y": [1, 2]}, "numpy array expected", id="list"),
        pytest.param({"y": np.ma.zeros((2, 3), np.float32)}, "numpy array expected", id="masked"),
        pytest.param({"y": np.empty((2, 3))}, "dtype float64", id="dtype"),
        pytest.param({"y": np.empty((3, 2), np.float32)}, "dimension 0 is 3", id="shape"),
        pytest.param({"y": _read_only}, "read-only", id="read-only"),
        pytest.param({"y": np.empty((3, 2), np.float32).T}, "not contiguous", id="strided"),
        pytest.param(7, "a dict by name expected", id="no dict"),
    ],
)
def test_wrong_out(loaded: ann.LoadedNetwork, out: Any, words: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=words):
        loaded.run({"a": A, "b": B}, out=out)


def test_two_outputs_may_not_share_memory(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    relu = network.add_activation(x, ann.ActivationFunction.RELU)
    network.add_output("p", relu)
    network.add_output("q", relu)
    y = np.empty(4, np.float32)
    with ann.load(network, runtime=runtime) as net:
        with pytest.raises(ann.InvalidArgumentError, match="overlaps another"):
            net.run({"x": A.ravel()[:4]}, out={"p": y, "q": y})
        outputs = net.run({"x": A.ravel()[:4]})
        np.testing.assert_array_equal(outputs["p"], outputs["q"])
        assert not np.shares_memory(outputs["p"], outputs["q"])


def test_outputs_are_fresh_each_time(loaded: ann.LoadedNetwork) -> None:
    first = loaded.run({"a": A, "b": B})["y"]
    second = loaded.run({"a": B, "b": B})["y"]
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, A + B)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (100, 100)], ids=str)
def test_fresh_outputs_can_be_imported(runtime: ann.Runtime, shape: tuple[int, ...]) -> None:
    """Aligned to 64 bytes, which is what backends want of memory that they use as it is."""
    with ann.load(add_network(shape), runtime=runtime) as net:
        a = np.ones(shape, np.float32)
        kept = [net.run([a, a])["y"] for _ in range(9)]
    assert all(y.ctypes.data % 64 == 0 for y in kept)
    assert all(y.flags.c_contiguous and y.flags.writeable for y in kept)


def test_output_that_is_an_input_or_a_constant(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("same", x)
    network.add_output("fixed", network.add_constant(B))
    with ann.load(network, runtime=runtime) as net:
        outputs = net.run({"x": A})
        np.testing.assert_array_equal(outputs["same"], A)
        np.testing.assert_array_equal(outputs["fixed"], B)
        outputs["fixed"][:] = 0  # the caller's own
        np.testing.assert_array_equal(net.run({"x": A})["fixed"], B)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,) * 8], ids=str)
def test_odd_shapes(runtime: ann.Runtime, shape: tuple[int, ...]) -> None:
    with ann.load(add_network(shape), runtime=runtime) as net:
        a = np.full(shape, 2, np.float32)
        outputs = net.run({"a": a, "b": a})
        assert outputs["y"].shape == shape
        np.testing.assert_array_equal(outputs["y"], a + a)


def test_output_too_large_for_memory(runtime: ann.Runtime) -> None:
    network = ann.Network("huge")
    a = network.add_input("a", ann.TensorInfo((1 << 22, 1)))
    b = network.add_input("b", ann.TensorInfo((1, 1 << 22)))
    network.add_output("y", network.add_addition(a, b))
    column = np.zeros((1 << 22, 1), np.float32)
    with (
        ann.load(network, runtime=runtime) as net,
        pytest.raises(ann.ExecutionError, match=r"output 'y'.*out of memory"),
    ):
        net.run({"a": column, "b": column.reshape(1, -1)})


def test_closed_network(loaded: ann.LoadedNetwork) -> None:
    loaded.close()
    loaded.close()
    assert loaded.closed
    with pytest.raises(ann.InvalidArgumentError, match="'sum' is closed"):
        loaded.run({"a": A, "b": B})
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        loaded.__enter__()
    assert "closed" in repr(loaded)


def test_inputs_outputs_and_repr(loaded: ann.LoadedNetwork) -> None:
    assert loaded.inputs == {"a": ann.TensorInfo((2, 3)), "b": ann.TensorInfo((2, 3))}
    assert loaded.outputs == {"y": ann.TensorInfo((2, 3))}
    assert repr(loaded) == "<LoadedNetwork 'sum' 1 layer on CpuRef>"
    assert [(r.layer, r.backend) for r in loaded.assignment] == [("plus", "CpuRef")]


@pytest.mark.parametrize("timeout", [float("nan"), -1, "3", True, (1,)], ids=repr)
def test_wrong_timeouts(loaded: ann.LoadedNetwork, timeout: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="seconds >= 0 expected"):
        loaded.run([A, B], timeout=timeout)


@pytest.mark.parametrize("timeout", [float("inf"), 1e30, 10**400, 60, 1.5])
def test_long_timeouts(loaded: ann.LoadedNetwork, timeout: float) -> None:
    np.testing.assert_array_equal(loaded.run([A, B], timeout=timeout)["y"], A + B)


def test_a_token_must_be_a_token(loaded: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="CancelToken expected"):
        loaded.run([A, B], cancel=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [0, "a", 1.5])
def test_wrong_plan_cache_sizes(runtime: ann.Runtime, size: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="plan_cache_size"):
        ann.load(add_network(), runtime=runtime, plan_cache_size=size)
