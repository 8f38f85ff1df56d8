# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables of a network, against numpy: on each backend, and of each type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import armnn_py as ann

from .counters import ONE, numbers


@pytest.fixture(params=["CpuRef", "CpuAcc"])
def backends(request: pytest.FixtureRequest) -> Iterator[tuple[ann.Runtime, list[str]]]:
    with ann.Runtime() as runtime:
        if request.param not in runtime.backends:
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
        yield runtime, list(dict.fromkeys([request.param, "CpuRef"]))


Backends = tuple[ann.Runtime, list[str]]


# ---- Against numpy -------------------------------------------------------------------------------


def test_streaming_filter(backends: Backends) -> None:
    """A FIR filter of a long signal, in blocks: the variable is the end of the block before."""
    runtime, ids = backends
    taps, block = numbers(5), 16
    network = ann.Network("fir")
    x = network.add_input("x", ann.TensorInfo((1, 1, block, 1)))
    past = network.add_variable("past", ann.TensorInfo((1, 1, 4, 1)))
    window = network.add_concat([past, x], axis=2)
    network.assign(past, network.add_slice(window, (0, 0, block, 0), (1, 1, 4, 1)))
    filtered = network.add_convolution2d(
        window, taps[::-1].reshape(1, 1, 5, 1).copy(), data_layout=ann.DataLayout.NHWC
    )
    network.add_output("y", filtered)
    signal = numbers(block * 10, seed=1)
    expected = np.convolve(signal.astype(np.float64), taps)[: signal.size]
    with ann.load(network, ids, runtime=runtime) as net:
        for _ in range(2):
            found = [net.run(x.reshape(1, 1, block, 1))["y"].ravel() for x in np.split(signal, 10)]
            np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-5)
            np.testing.assert_array_equal(net.state["past"].ravel(), signal[-4:])
            net.reset_state()


def test_recurrent_cell(backends: Backends) -> None:
    """A gated recurrent unit."""
    runtime, ids = backends
    wide, inner = 6, 8
    weights = {gate: numbers(wide + inner, inner, seed=n) * 0.4 for n, gate in enumerate("zrh")}
    network = ann.Network("gru")
    x = network.add_input("x", ann.TensorInfo((1, wide)))
    h = network.add_variable("h", ann.TensorInfo((1, inner)))

    def gate(name: str, state: ann.Source, function: ann.ActivationFunction) -> ann.Layer:
        joined = network.add_concat([x, state], axis=1)
        product = network.add_batch_mat_mul(joined, weights[name])
        alpha = {"a": 1.0, "b": 1.0} if function is ann.ActivationFunction.TANH else {}
        return network.add_activation(product, function, **alpha)

    z = gate("z", h, ann.ActivationFunction.SIGMOID)
    r = gate("r", h, ann.ActivationFunction.SIGMOID)
    new = gate("h", network.add_multiplication(r, h), ann.ActivationFunction.TANH)
    step = network.add_multiplication(z, network.add_subtraction(new, h))
    after = network.add_addition(h, step)
    network.assign(h, after)
    network.add_output("h", after)

    state = np.zeros((1, inner))
    with ann.load(network, ids, runtime=runtime) as net:
        for time in range(12):
            value = numbers(1, wide, seed=100 + time)
            zr = [1 / (1 + np.exp(-np.concatenate([value, state], 1) @ weights[g])) for g in "zr"]
            candidate = np.tanh(np.concatenate([value, zr[1] * state], 1) @ weights["h"])
            state = state + zr[0] * (candidate - state)
            np.testing.assert_allclose(net.run(value)["h"], state, atol=2e-5)
            np.testing.assert_allclose(net.state["h"], state, atol=2e-5)


def attention(length: int, wide: int) -> ann.Network:
    """Attention over the last ``length`` keys and values, which are variables."""
    network = ann.Network("attention")
    caches = {}
    for name in ("key", "value"):
        new = network.add_input(name, ann.TensorInfo((1, wide)))
        old = network.add_variable(f"{name}s", ann.TensorInfo((length, wide)))
        kept = network.add_slice(old, (1, 0), (length - 1, wide))
        caches[name] = network.add_concat([kept, new], axis=0)
        network.assign(old, caches[name])
    query = network.add_input("query", ann.TensorInfo((1, wide)))
    scores = network.add_batch_mat_mul(query, caches["key"], transpose_y=True)
    network.add_output("y", network.add_batch_mat_mul(network.add_softmax(scores), caches["value"]))
    return network


def test_key_value_cache(backends: Backends) -> None:
    runtime, ids = backends
    length, wide = 5, 16
    keys, values = np.zeros((length, wide)), np.zeros((length, wide))
    with ann.load(attention(length, wide), ids, runtime=runtime) as net:
        for time in range(9):
            q, k, v = numbers(3, 1, wide, seed=time)
            keys, values = np.concatenate([keys[1:], k]), np.concatenate([values[1:], v])
            weights = np.exp(q @ keys.T)
            expected = weights / weights.sum() @ values
            found = net.run({"query": q, "key": k, "value": v})["y"]
            np.testing.assert_allclose(found, expected, atol=2e-5)
        np.testing.assert_array_equal(net.state["keys"], keys.astype(np.float32))
        assert net.profile is not None


def test_readers_behind_the_writer_see_the_value_from_before(backends: Backends) -> None:
    """Also what is assigned straight: an input, a constant, another variable, itself."""
    runtime, ids = backends
    network = ann.Network()
    info = ann.TensorInfo((4,))
    x = network.add_input("x", info)
    a, b, c, d, e = (network.add_variable(name, info, ONE * n) for n, name in enumerate("abcde"))
    network.assign(a, x)
    network.assign(b, a)  # a row of delays
    network.assign(c, b)
    network.assign(d, ONE * 9)
    network.assign(e, e)
    for name, layer in zip("abcde", (a, b, c, d, e), strict=True):
        network.add_output(name, layer)
    network.add_output("sum", network.add_addition(network.add_addition(a, b), c))
    with ann.load(network, ids, runtime=runtime) as net:
        state = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0, "e": 4.0}
        for value in (10.0, 20.0, 30.0, 40.0):
            found = net.run(ONE * np.float32(value))
            assert {name: array[0] for name, array in found.items()} == {
                **state,
                "sum": state["a"] + state["b"] + state["c"],
            }
            state = {"a": value, "b": state["a"], "c": state["b"], "d": 9.0, "e": 4.0}
            assert {name: array[0] for name, array in net.state.items()} == state


def test_one_tensor_for_two_variables_and_an_output(backends: Backends) -> None:
    runtime, ids = backends
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    a = network.add_variable("a", ann.TensorInfo((4,)))
    b = network.add_variable("b", ann.TensorInfo((4,)), ONE)
    both = network.add_addition(network.add_addition(a, b), x)
    network.assign(a, both)
    network.assign(b, both)
    network.add_output("y", both)
    with ann.load(network, ids, runtime=runtime) as net:
        last = np.float32(1)
        for _ in range(4):
            last = last + 1
            assert net.run(ONE)["y"][0] == last
            assert net.state["a"][0] == net.state["b"][0] == last
            last *= 2


def test_joined_and_cut_without_a_step(backends: Backends) -> None:
    """Tensors of Concat and Splitter that lie in the places of variables."""
    runtime, ids = backends
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((16,)))
    h = network.add_variable("h", ann.TensorInfo((32,)))
    left, right = network.add_split(h, 2, axis=0, name="cut").outputs
    joined = network.add_concat(
        [
            network.add_elementwise_unary(right, ann.UnaryOperation.NEG),
            network.add_addition(left, x),
        ],
        axis=0,
        name="joined",
    )
    network.assign(h, joined)
    network.add_output("y", network.add_reshape(joined, (2, 16)))
    state = np.zeros(32, np.float32)
    with ann.load(network, ids, runtime=runtime) as net:
        if ids == ["CpuRef"]:  # CpuAcc compiles them
            assert {"cut", "joined"} <= set(net.elided)
        for time in range(6):
            value = numbers(16, seed=time)
            state = np.concatenate([-state[16:], state[:16] + value])
            np.testing.assert_array_equal(net.run(value)["y"].ravel(), state)
            np.testing.assert_array_equal(net.state["h"], state)


@pytest.mark.parametrize("data_type", ["SIGNED32", "FLOAT16", "SIGNED64", "BOOLEAN"])
def test_other_types(data_type: str) -> None:
    info = ann.TensorInfo((3,), ann.DataType[data_type])
    network = ann.Network()
    x = network.add_input("x", info)
    h = network.add_variable("h", info)
    network.assign(h, x)
    network.add_output("y", h)
    value = np.array([1, 0, 1]).astype(info.dtype)
    with ann.load(network, ["CpuRef"]) as net:
        assert not net.run(value)["y"].any()
        np.testing.assert_array_equal(net.run(value)["y"], value)


def test_empty_and_scalar() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((0, 3)))
    none = network.add_variable("none", ann.TensorInfo((0, 3)))
    network.assign(none, x)
    network.add_output("y", none)
    number = network.add_variable("number", ann.TensorInfo(()), np.float32(2))
    network.assign(number, network.add_multiplication(number, np.float32(3)))
    with ann.load(network, ["CpuRef"]) as net:
        for expected in (6, 18, 54):
            net.run(np.zeros((0, 3), np.float32))
            assert net.state["number"] == expected
            assert net.state["none"].shape == (0, 3)
