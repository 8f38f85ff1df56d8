# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""When a loaded network takes working memory and gives it back, next to what Arm NN does."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Journal, MakeRuntime

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def chain(name: str) -> ann.Network:
    network = ann.Network(name)
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG)
    network.add_output("y", network.add_elementwise_unary(y, ann.UnaryOperation.NEG))
    return network


@pytest.fixture
def runtime(make_runtime: MakeRuntime) -> ann.Runtime:
    """With the backend "Handle", whose memory managers keep a journal."""
    return make_runtime("handle")


def at(offset: int) -> np.ndarray:
    """X at an address ``offset`` bytes behind a multiple of 64."""
    raw = np.zeros(X.nbytes + 128, np.uint8)
    begin = -raw.ctypes.data % 64 + offset
    array = raw[begin : begin + X.nbytes].view(np.float32).reshape(X.shape)
    array[...] = X
    return array


def pools(lines: list[str]) -> list[str]:
    return [line for line in lines if line in ("acquire", "release")]


def test_memory_is_taken_at_the_first_run(runtime: ann.Runtime, journal: Journal) -> None:
    """As in LoadedNetwork: planned when it is loaded, allocated when it is executed."""
    with runtime:
        net = ann.load(chain("one"), ["Handle"], runtime=runtime)
        assert pools(journal()) == []
        net.run(X)
        assert pools(journal()) == ["acquire"]
        net.run(X)
        assert pools(journal()) == []
        net.close()
        assert pools(journal()) == ["release"]


def test_networks_that_take_turns_keep_their_memory(runtime: ann.Runtime, journal: Journal) -> None:
    """Arm NN frees it whenever another network runs in the same thread."""
    with runtime:
        nets = [ann.load(chain(name), ["Handle"], runtime=runtime) for name in ("a", "b")]
        for net in nets * 3:
            np.testing.assert_array_equal(net.run(X)["y"], X)
        assert pools(journal()) == ["acquire", "acquire"]


def test_unloading_one_network_leaves_the_memory_of_others(
    runtime: ann.Runtime, journal: Journal
) -> None:
    with runtime:
        one, two = (ann.load(chain(name), ["Handle"], runtime=runtime) for name in ("a", "b"))
        one.run(X)
        two.run(X)
        journal()
        one.close()
        assert pools(journal()) == ["release"]
        np.testing.assert_array_equal(two.run(X)["y"], X)
        assert pools(journal()) == []


def test_no_memory_for_the_arena() -> None:
    """Known at the first run, as the rest of the memory; the network can still be closed."""
    size = 1 << 45
    network = ann.Network("vast")
    x = network.add_input("x", ann.TensorInfo((1,)))
    wide = network.add_broadcast_to(x, (size,))
    network.add_output("y", network.add_strided_slice(wide, (0,), (1,)))
    with ann.load(network, ["CpuRef"]) as net:
        arena = net.arena_size
        assert arena >= 4 * size
        with pytest.raises(ann.ExecutionError) as caught:
            net.run(np.ones(1, np.float32))
    first, second = str(caught.value).splitlines()
    assert first == "network 'vast': no execution context could be made: out of memory"
    assert second == f"  no memory for a context with an arena of {arena} bytes"


def test_misaligned_memory_of_a_backend_in_host_memory(needs_runtime: ann.Runtime) -> None:
    """Nobody imports there: the host itself says what it would have to copy."""
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_addition(x, x))
    with ann.load(network, ["Needs"], runtime=needs_runtime) as net:
        for source, target, tensor in ((4, 0, "input 'x'"), (0, 4, "output 'y'")):
            y = at(target)
            with pytest.raises(ann.InvalidArgumentError) as caught:
                net.run(at(source), out={"y": y}, share_inputs=True)
            first = str(caught.value).splitlines()[0]
            assert first.startswith(f"{tensor}: address 0x")
            assert first.endswith("is not a multiple of 64, so that it would have to be copied")
            np.testing.assert_array_equal(net.run(at(source), out={"y": y})["y"], 2 * X)


def test_elements_need_only_their_own_alignment() -> None:
    """As Arm NN's CpuRef: memory is used as it is from a multiple of the element size on."""
    with ann.load(chain("net"), ["CpuRef"]) as net:
        y = at(12)
        with net.profile() as profile:
            net.run(at(4), out={"y": y}, share_inputs=True)
    assert profile.copies == 0
    np.testing.assert_array_equal(y, X)


def test_a_loaded_network_does_not_keep_the_given_one() -> None:
    """Backends may have packed its weights: nobody needs them twice."""
    network = ann.Network("given")
    x = network.add_input("x", ann.TensorInfo((1, 64)))
    weights = network.add_constant(np.ones((64, 64), np.float32))
    network.add_output("y", network.add_fully_connected(x, weights))
    given = weakref.ref(network)
    with ann.load(network, ["CpuRef"]) as loaded:
        del network, x, weights
        gc.collect()
        assert given() is None
        np.testing.assert_array_equal(loaded.run(np.ones((1, 64), np.float32))["y"], [[64.0] * 64])
