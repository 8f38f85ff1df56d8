# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables of a loaded network: kept from run to run, read, set and reset."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armnn_py as ann

from .counters import ONE, counter


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


def test_invalid_settings() -> None:
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
        assert "copy to variable last" in names  # an input is not a tensor that a layer could write
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


def test_variables_are_not_folded_or_dropped() -> None:
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
