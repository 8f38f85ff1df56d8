# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""When a loaded network takes working memory and gives it back, next to what Arm NN does."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.library import core
from armnn_py.network import ConstantLayer
from armnn_py.runtime.network_growth import Growth
from armnn_py.runtime.network_memory import memory_of
from armnn_py.tensors.memory import aligned_empty

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
    """Without an import: the host itself says what it would have to copy."""
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
    """Backends may have packed its weights: two copies are not needed."""
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


# ---- Who holds how much --------------------------------------------------------------------------

SIDE = 4096
WEIGHTS = 4 * SIDE * SIDE  # 64 MiB


@pytest.fixture(scope="module")
def wide() -> ann.Network:
    """One FullyConnected with 64 MiB of weights."""
    weights = aligned_empty((SIDE, SIDE), np.dtype(np.float32))  # else each load has a copy
    weights[...] = 0.5
    weights.flags.writeable = False
    network = ann.Network("wide")
    x = network.add_input("x", ann.TensorInfo((1, SIDE)))
    network.add_output("y", network.add_fully_connected(x, weights))
    return network


def row(net: ann.LoadedNetwork, holder: str, content: str) -> ann.MemoryShare:
    return row_of(net.memory, holder, content)


def row_of(memory: ann.NetworkMemory, holder: str, content: str) -> ann.MemoryShare:
    (found,) = (one for one in memory.shares if one.holder == holder and content in one.content)
    return found


def test_packed_weights_are_the_growth_of_a_load(wide: ann.Network) -> None:
    with ann.load(chain("first"), ["CpuAcc"]):  # imports all modules
        pass
    with ann.load(wide, ["CpuAcc"]) as net:
        memory = net.memory
        packed = row(net, "CpuAcc", "packed")
        assert WEIGHTS <= packed.size <= 1.01 * WEIGHTS
        assert packed.shared == 0
        assert memory.growth is not None
        assert memory.unattributed is not None
        assert abs(memory.unattributed) <= 0.05 * memory.growth
        assert memory.attributed + memory.unattributed == memory.growth
        with ann.load(wide, ["CpuAcc"]) as second:
            again = row(second, "CpuAcc", "packed")
            assert again.size == again.shared == packed.size
            assert second.memory.growth is not None
            assert second.memory.growth < 0.05 * WEIGHTS


def test_no_cycle_of_the_optimiser_keeps_weights_that_a_backend_packed() -> None:
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((1, 64)))
    weights = network.add_constant(np.ones((64, 64), np.float32))
    network.add_output("y", network.add_fully_connected(x, weights))
    (constant,) = (one for one in network.layers if isinstance(one, ConstantLayer))
    kept = weakref.ref(constant.value)
    network._gives_up_values = True
    gc.disable()
    try:
        with ann.Runtime(backends=["CpuAcc"]) as runtime:
            optimized = ann.optimize(network, runtime=runtime)
            optimized.forget_sources()
            assert kept() is None
    finally:
        gc.enable()


def test_weights_that_are_not_packed_stay_as_they_are(wide: ann.Network) -> None:
    with ann.load(wide, ["CpuRef"]) as net:
        copied = row(net, "model", "copied")
        assert WEIGHTS <= copied.size <= 1.01 * WEIGHTS
        assert copied.shared == copied.size  # the given network has them
        assert all(one.content != "packed weights" for one in net.memory.shares)
        assert "64.0 MiB" in str(net.memory)
        assert "<table>" in net.memory._repr_html_()


def test_weights_in_a_larger_buffer_count_by_its_pages_in_memory() -> None:
    buffer = aligned_empty((SIDE, SIDE), np.dtype(np.float32))
    weights = buffer[:64]
    weights[...] = 0.5
    weights.flags.writeable = False
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((1, SIDE)))
    network.add_output("y", network.add_fully_connected(x, weights, transpose_weight_matrix=True))
    with ann.load(network, ["CpuRef"]) as net:
        assert weights.nbytes <= row(net, "model", "copied").size < 0.25 * WEIGHTS


def test_host_memory_taken_besides_packed_weights() -> None:
    growth = Growth()
    with ann.load(chain("net"), ["CpuRef"]) as net:
        block = core().armnn_core_alloc(4 << 20, 64)
        ctypes.memset(block, 1, 3 << 20)  # CpuAcc's slabs have room, too
        try:
            growth.end()
        finally:
            core().armnn_core_free(block)
        found = row_of(memory_of(net, growth), "backends", "structures").size
    assert 3 << 20 <= found < 6 << 20


def test_the_arena_and_its_fullest_step() -> None:
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((256, 1024)))
    left = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, name="left")
    right = network.add_elementwise_unary(x, ann.UnaryOperation.EXP, name="right")
    network.add_output("y", network.add_addition(left, right, name="sum"))
    with ann.load(network, ["CpuRef"]) as net:
        assert all(one.when != "run" for one in net.memory.shares)  # no context yet
        net.run(np.zeros((256, 1024), np.float32))
        memory = net.memory
        assert row(net, "host", "arena, of 1 context").size == net.arena_size == 2 << 20
        assert row(net, "caller", "inputs and outputs").size == 2 << 20
    assert memory.peak_step == "right"
    assert [(one.name, one.size) for one in memory.peak] == [("left", 1 << 20), ("right", 1 << 20)]
    assert [(one.first, one.last) for one in memory.peak] == [(0, 2), (1, 2)]


def test_memory_of_a_network_that_was_not_loaded_at_once() -> None:
    with ann.Runtime(backends=["CpuRef"]) as runtime:
        optimized = ann.optimize(chain("net"), ["CpuRef"], runtime=runtime)
        memory = runtime.load_network(optimized).memory
    assert memory.growth is memory.unattributed is None
    assert "growth" not in str(memory)
