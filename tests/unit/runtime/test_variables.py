# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables of a loaded network: kept from run to run, read, set and reset."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, kernel

ONE = np.ones(4, np.float32)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.fixture(params=["CpuRef", "CpuAcc"])
def backends(request: pytest.FixtureRequest) -> Iterator[tuple[ann.Runtime, list[str]]]:
    with ann.Runtime() as runtime:
        if request.param not in runtime.backends:
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
        yield runtime, list(dict.fromkeys([request.param, "CpuRef"]))


Backends = tuple[ann.Runtime, list[str]]


def counter(name: str = "counter") -> ann.Network:
    """``before`` is the sum of the inputs before the run, ``after`` with this one's."""
    network = ann.Network(name)
    x = network.add_input("x", ann.TensorInfo((4,)))
    total = network.add_variable("total", ann.TensorInfo((4,)))
    after = network.add_addition(total, x, name="sum")
    network.assign(total, after)
    network.add_output("after", after)
    network.add_output("before", network.add_multiplication(total, np.float32([1, 1, 1, 1])))
    return network


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


# ---- The user's side -----------------------------------------------------------------------------


def test_state_is_read_and_set() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        state = net.state
        np.testing.assert_array_equal(state["total"], np.zeros(4))
        net.run(ONE)
        seen = state["total"]
        net.run(ONE)
        assert seen[0] == 1  # a copy
        seen[...] = 99
        assert dict(state)["total"][0] == 2
        state["total"] = ONE[::-1] * 10
        assert net.run(ONE)["after"][0] == 11
        net.reset_state()
        assert state["total"][0] == 0
        assert net.run(ONE)["after"][0] == 1
        assert (list(state), len(state), "total" in state, "x" in state) == (
            ["total"],
            1,
            True,
            False,
        )
        assert repr(state) == "<NetworkState total float32 4>"
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        _ = state["total"]


def test_what_cannot_be_set() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        with pytest.raises(ann.UnknownNameError, match="'counter' has no variable 'totl'"):
            net.state["totl"] = ONE
        with pytest.raises(ann.UnknownNameError, match="did you mean 'total'"):
            _ = net.state["totl"]
        with pytest.raises(ann.InvalidArgumentError, match="variable 'total': dtype float64"):
            net.state["total"] = np.ones(4)
        with pytest.raises(ann.InvalidArgumentError, match="variable 'total': dimension 0 is 3"):
            net.state["total"] = ONE[:3]
        with pytest.raises(ann.UnknownNameError):
            net.state.update({"total": ONE, "other": ONE})
        assert net.state["total"][0] == 0


def test_a_network_without_variables() -> None:
    network = ann.Network()
    network.add_output("y", network.add_input("x", ann.TensorInfo((4,))))
    with ann.load(network, ["CpuRef"]) as net:
        assert dict(net.state) == {}
        assert net.bind().state == {}
        net.reset_state()
        net.state.update({})
        with pytest.raises(ann.UnknownNameError, match="no variable 'h'"):
            net.state["h"] = ONE


def test_bound_arrays_have_variables_of_their_own() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        net.run(ONE)
        with net.bind({"x": ONE * 2}) as one, net.bind({"x": ONE * 5}) as two:
            for number in (1, 2, 3):
                assert one.run()["after"][0] == 2 * number
                assert two.run()["after"][0] == 5 * number
            two.state["total"] = ONE * 100
            assert (one.state["total"][0], net.state["total"][0]) == (6, 1)
            assert two.run()["after"][0] == 105
            one.reset_state()
            assert one.run()["after"][0] == 2
        with pytest.raises(ann.InvalidArgumentError, match="closed"):
            _ = one.state["total"]
        assert net.run(ONE)["after"][0] == 2
        for _ in range(20):  # contexts that were bound start anew
            with net.bind({"x": ONE}) as fresh:
                assert fresh.run()["after"][0] == 1
        assert len(net._pool._plans.entries[0].made) < 6
        assert net.run(ONE)["after"][0] == 3


def test_dropped_bound_arrays_give_their_context_back() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        for _ in range(5):
            bound = net.bind({"x": ONE})
            state = bound.state
            assert bound.run()["after"][0] == 1
            del bound
            assert state["total"][0] == 1  # which keeps them
            del state
        assert len(net._pool._plans.entries[0].made) == 1


@pytest.mark.parametrize("is_held", [False, True], ids=["dropped", "held by a traceback"])
def test_a_call_that_an_interrupt_ended_early(is_held: bool) -> None:
    """Its lease was never given back; what the runs before left is there all the same."""
    with ann.load(counter(), ["CpuRef"]) as net:
        net.run(ONE)
        held = []
        for expected in (2, 3):
            lease = net._pool.start()
            net._pool.borrow(lease, ((4,),))
            held += [lease] if is_held else []
            del lease
            assert net.run(ONE)["after"][0] == expected
        assert net.state["total"][0] == 3


def test_views_do_not_take_the_variables_away() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        kept = [net.run(ONE, share_outputs=True) for _ in range(4)]
        assert [views["after"][0] for views in kept] == [1, 2, 3, 4]
        assert net.state["total"][0] == 4
        kept.clear()
        assert [net.run(ONE, share_outputs=True)["after"][0] for _ in range(3)] == [5, 6, 7]
        assert net.run(ONE)["after"][0] == 8


def test_runs_of_threads_follow_one_another() -> None:
    with ann.load(counter(), ["CpuRef"]) as net, ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda _: net.run(ONE), range(200)))
        assert sorted(found["after"][0] for found in outputs) == list(range(1, 201))
        assert all(found["after"][0] == found["before"][0] + 1 for found in outputs)
        assert net.state["total"][0] == 200


def growing(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
    network = ann.Network("growing")
    x = network.add_input("x", infos["x"])
    total = network.add_variable("total", ann.TensorInfo((1, 4)), np.ones((1, 4), np.float32))
    sums = network.add_reduce(x, ann.ReduceOperation.SUM, axes=[0], keep_dims=True)
    after = network.add_addition(total, sums)
    network.assign(total, after)
    network.add_output("y", after)
    return network


@pytest.mark.parametrize("capacity", [1, 2, 8])
def test_variables_outlast_a_change_of_shapes(capacity: int) -> None:
    info = ann.TensorInfo((1, 4))
    free = ann.Network.from_builder(
        "growing", {"x": ann.TensorInfo((None, 4))}, growing, {"y": info}, {"total": info}
    )
    with ann.load(free, ["CpuRef"], plan_cache_size=capacity) as net:
        with pytest.raises(ann.InvalidArgumentError, match="not known before a run"):
            _ = net.state["total"]
        total = 1
        for rows in (1, 2, 3, 1, 4, 2, 2, 5):
            total += rows
            assert net.run(np.ones((rows, 4), np.float32))["y"][0, 0] == total
            assert net.state["total"][0, 0] == total
        net.reset_state()
        assert net.run(np.ones((3, 4), np.float32))["y"][0, 0] == 4
        net.reset_state()
        net.state["total"] = np.full((1, 4), 7, np.float32)
        assert net.state["total"][0, 0] == 7
        assert net.run(np.ones((2, 4), np.float32))["y"][0, 0] == 9


def test_profiles_and_measured_placement() -> None:
    network = counter()
    network.assign(network.add_variable("last", ann.TensorInfo((4,))), network.layer("x"))
    with ann.load(network, strategy="measure") as net:
        with net.profile() as profile:
            assert [net.run(ONE)["after"][0] for _ in range(3)] == [1, 2, 3]
        names = {layer.layer for layer in profile.layers}
        assert "copy to variable last" in names  # an input is no tensor that a layer could write
        assert not any("total" in name for name in names)
        assert "copy to variable last" in str(profile)


def test_quantised_variables() -> None:
    """The last codes of an int8 signal; at first they mean 0."""
    scale = ann.QuantizationInfo((0.1,), (-3,))
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,), ann.DataType.QASYMM_S8, scale))
    h = network.add_variable("h", ann.TensorInfo((8,), ann.DataType.QASYMM_S8, scale))
    joined = network.add_concat([network.add_slice(h, (2,), (6,)), x], axis=0)
    network.assign(h, joined)
    network.add_output("y", h)
    state = np.full(8, -3, np.int8)
    with ann.load(network, ["CpuRef"]) as net:
        for time in range(6):
            value = np.random.default_rng(time).integers(-128, 128, 2).astype(np.int8)
            np.testing.assert_array_equal(net.run(value)["y"], state)
            state = np.concatenate([state[2:], value])
            np.testing.assert_array_equal(net.state["h"], state)


def test_debug_layers_and_float16_inside() -> None:
    seen: dict[str, np.ndarray] = {}
    with ann.load(counter(), ["CpuRef"], options=ann.OptimizerOptions(debug=True)) as net:
        net.register_debug_callback(lambda name, _, array: seen.update({name: array}))
        assert [net.run(ONE)["after"][0] for _ in range(3)] == [1, 2, 3]
        assert (seen["total"][0], seen["sum"][0]) == (2, 3)
    half = ann.OptimizerOptions(reduce_fp32_to_fp16=True)
    with ann.load(counter(), ["CpuRef"], options=half) as net:
        assert [net.run(ONE)["after"][0] for _ in range(3)] == [1, 2, 3]
        assert net.state["total"].dtype == np.float32


def test_nothing_of_a_variable_is_folded_or_dropped() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    hidden = network.add_variable("hidden", ann.TensorInfo((4,)), ONE)
    twice = network.add_addition(hidden, hidden)  # of known values alone, were it a constant
    network.assign(hidden, twice)  # nothing else reads it
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    with ann.load(network, ["CpuRef"], validate=True) as net:
        for power in (2, 4, 8):
            net.run(ONE)
            assert net.state["hidden"][0] == power


# ---- Runs that fail ------------------------------------------------------------------------------


class Fragile(PythonBackend):
    """Negates; fails when it is told to."""

    id = "Fragile"
    fails = False
    before: Callable[[], None] = staticmethod(lambda: None)

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, operation=ann.UnaryOperation.NEG)
    def negate(self, call: KernelCall) -> np.ndarray:
        type(self).before()
        if self.fails:
            raise ValueError("tired")
        return -call.inputs[0]


def fragile() -> ann.Network:
    """The sum is assigned before the layer that may fail."""
    network = counter("fragile")
    y = network.add_elementwise_unary(
        network.layer("sum"), ann.UnaryOperation.NEG, backend="Fragile"
    )
    network.add_output("y", y)
    return network


@pytest.fixture
def fallible() -> Iterator[tuple[Fragile, ann.LoadedNetwork]]:
    backend = Fragile()
    with (
        ann.Runtime(python_backends=[backend]) as runtime,
        ann.load(fragile(), ["CpuRef"], runtime=runtime) as net,
    ):
        yield backend, net


def test_a_failed_run_changes_nothing(fallible: tuple[Fragile, ann.LoadedNetwork]) -> None:
    backend, net = fallible
    assert net.run(ONE)["y"][0] == -1
    backend.fails = True
    for _ in range(3):
        with pytest.raises(ann.ExecutionError, match="tired"):
            net.run(ONE)
        assert net.state["total"][0] == 1
    backend.fails = False
    assert [net.run(ONE)["y"][0] for _ in range(2)] == [-2, -3]


def test_a_cancelled_run_changes_nothing(
    fallible: tuple[Fragile, ann.LoadedNetwork], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, net = fallible
    net.run(ONE)
    token = ann.CancelToken()
    monkeypatch.setattr(Fragile, "before", staticmethod(token.cancel))
    with pytest.raises(ann.ExecutionCancelledError):
        net.run(ONE, cancel=token)
    assert net.state["total"][0] == 1
    monkeypatch.setattr(Fragile, "before", staticmethod(lambda: None))
    with pytest.raises(ann.ExecutionTimeoutError):
        net.run(ONE, timeout=0)
    assert net.state["total"][0] == 1
    assert net.run(ONE)["y"][0] == -2


def test_a_run_inside_a_run_of_one_thread(
    fallible: tuple[Fragile, ann.LoadedNetwork], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, net = fallible
    errors: list[str] = []

    def run_again() -> None:
        for call in (lambda: net.run(ONE), lambda: net.state["total"]):
            try:
                call()
            except ann.InvalidArgumentError as error:
                errors.append(str(error))

    monkeypatch.setattr(Fragile, "before", staticmethod(run_again))
    assert net.run(ONE)["y"][0] == -1
    assert len(errors) == 2
    assert all("'fragile' is running in this thread" in text for text in errors)
    monkeypatch.setattr(Fragile, "before", staticmethod(lambda: None))
    assert net.run(ONE)["y"][0] == -2


def test_waiting_for_a_turn_can_be_stopped(
    fallible: tuple[Fragile, ann.LoadedNetwork], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, net = fallible
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(60)

    monkeypatch.setattr(Fragile, "before", staticmethod(wait))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(net.run, ONE)
        assert begun.wait(60)
        with pytest.raises(ann.ExecutionTimeoutError, match=r"not done after 0\.05 s"):
            net.run(ONE, timeout=0.05)
        token = ann.CancelToken()
        token.cancel()
        with pytest.raises(ann.ExecutionCancelledError):
            net.run(ONE, cancel=token)
        with pytest.raises(ann.InvalidArgumentError, match="run in flight"):
            net.reset_state()
        go_on.set()
        assert first.result(60)["y"][0] == -1
    assert net.run(ONE)["y"][0] == -2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_variables_of_its_own() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        net.run(ONE)
        child = os.fork()
        if child == 0:
            found = net.run(ONE)["after"][0]
            os._exit(int(found) if net.state["total"][0] == found else 99)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 2
        assert net.run(ONE)["after"][0] == 2


# ---- Memory of backends --------------------------------------------------------------------------

Journal = Callable[[], list[str]]


@pytest.fixture
def load_handles(
    tmp_path: Path, build_backend: Callable[..., None], journal: Journal
) -> Iterator[Callable[..., ann.LoadedNetwork]]:
    runtimes = []

    def load(network: ann.Network, *defines: str) -> ann.LoadedNetwork:
        folder = tmp_path / "backends"
        folder.mkdir()
        build_backend("handle_backend.c", folder / "Test_Handle_backend.so", *defines)
        runtimes.append(ann.Runtime(folder))
        return ann.load(network, ["Handle", "CpuRef"], runtime=runtimes[-1])

    yield load
    for runtime in runtimes:
        runtime.close()


def negated_in_memory(*, host_reads: bool = False) -> ann.Network:
    """A variable that a backend with memory of its own negates in each run."""
    network = ann.Network("device")
    h = network.add_variable("h", ann.TensorInfo((4,)), ONE * 3)
    network.assign(h, network.add_elementwise_unary(h, ann.UnaryOperation.NEG, backend="Handle"))
    x = network.add_input("x", ann.TensorInfo((4,)))
    y = network.add_addition(x, h if host_reads else x, backend="CpuRef")
    network.add_output("y", y)
    return network


def test_variables_stay_in_memory_of_their_backend(
    load_handles: Callable[..., ann.LoadedNetwork], journal: Journal
) -> None:
    net = load_handles(negated_in_memory())
    net.run(ONE)
    journal()
    for _ in range(5):
        net.run(ONE)
    assert not [line for line in journal() if line.startswith("copy")]
    assert net.state["h"][0] == 3
    net.run(ONE)
    assert net.state["h"][0] == -3
    net.state["h"] = ONE * 8
    net.run(ONE)
    assert net.state["h"][0] == -8
    net.reset_state()
    assert net.state["h"][0] == 3
    assert {line.rpartition(" ")[0] for line in journal()} == {"copy in", "copy out"}


def test_a_reader_on_the_host(load_handles: Callable[..., ann.LoadedNetwork]) -> None:
    net = load_handles(negated_in_memory(host_reads=True))
    assert [net.run(ONE)["y"][0] for _ in range(4)] == [4, -2, 4, -2]


def test_a_variable_in_backend_memory_fed_from_the_host(
    load_handles: Callable[..., ann.LoadedNetwork],
) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    h = network.add_variable("h", ann.TensorInfo((4,)), ONE)
    k = network.add_variable("k", ann.TensorInfo((4,)))
    network.assign(h, x)
    network.assign(k, h)
    for name, layer in (("h", h), ("k", k)):
        first = network.add_elementwise_unary(layer, ann.UnaryOperation.NEG, backend="Handle")
        network.add_output(name, first)
    net = load_handles(network)
    h_value, k_value = 1.0, 0.0
    for value in (5.0, 6.0, 7.0):
        found = net.run(ONE * np.float32(value))
        assert (found["h"][0], found["k"][0]) == (-h_value, -k_value)
        h_value, k_value = value, h_value
    assert (net.state["h"][0], net.state["k"][0]) == (7, 6)
