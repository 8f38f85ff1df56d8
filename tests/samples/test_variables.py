# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables in memory of the sample backends, in compiled sub-graphs, and in random networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .npu_networks import RELU, numbers

Value = Callable[[dict[str, np.ndarray]], np.ndarray]


@pytest.fixture(scope="module")
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    """A runtime with both sample backends that have memory of their own."""
    folders = [sample_backend(name).parent for name in ("sample_zero", "sample_npu")]
    with ann.Runtime(folders) as runtime:
        yield runtime


# ---- Sample_Zero: a memory that imports ----------------------------------------------------------


def cache(length: int, wide: int) -> ann.Network:
    """The last ``length`` rows, as the variable of one backend alone; the newest is returned."""
    network = ann.Network("cache")
    x = network.add_input("x", ann.TensorInfo((1, wide)))
    rows = network.add_variable("rows", ann.TensorInfo((length, wide)))
    _, kept = network.add_split(rows, (1, length - 1), axis=0).outputs
    new = network.add_activation(x, RELU)
    joined = network.add_concat([kept, new], axis=0)
    network.assign(rows, joined)
    network.add_output("y", network.add_activation(joined, RELU))
    return network


def test_a_cache_stays_on_the_device(runtime: ann.Runtime) -> None:
    length, wide = 8, 16
    rows = np.zeros((length, wide), np.float32)
    with ann.load(cache(length, wide), ["Sample_Zero"], runtime=runtime) as net:
        with net.bind() as bound, net.profile() as profile:
            for time in range(12):
                bound.inputs["x"][...] = numbers(1, wide, seed=time)
                rows = np.concatenate([rows[1:], np.maximum(bound.inputs["x"], 0)])
                np.testing.assert_array_equal(bound.run()["y"], rows)
            np.testing.assert_array_equal(bound.state["rows"], rows)
        assert profile.copied_bytes == 0  # neither the variable nor the bound arrays
        assert {layer.type for layer in profile.layers if layer.backend != "Sample_Zero"} == set()


def test_only_one_side_in_the_memory_of_the_device(runtime: ann.Runtime) -> None:
    """Written by the device and read by the host, and the other way round."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 4)))
    one = network.add_variable("one", ann.TensorInfo((4, 4)))
    two = network.add_variable("two", ann.TensorInfo((4, 4)))
    network.assign(one, network.add_addition(x, two, backend="Sample_Zero"))
    network.assign(two, network.add_subtraction(x, one, backend="CpuRef"))
    network.add_output("y", network.add_maximum(one, x, backend="CpuRef"))
    network.add_output("z", network.add_addition(one, two, backend="Sample_Zero"))
    states = np.zeros((2, 4, 4), np.float32)
    with ann.load(network, ["Sample_Zero", "CpuRef"], runtime=runtime) as net:
        for time in range(6):
            value = numbers(4, 4, seed=time)
            found = net.run(value)
            np.testing.assert_array_equal(found["y"], np.maximum(states[0], value))
            np.testing.assert_array_equal(found["z"], states[0] + states[1])
            states = np.stack([value + states[1], value - states[0]])
            np.testing.assert_array_equal(net.state["one"], states[0])
            np.testing.assert_array_equal(net.state["two"], states[1])


def test_kernels_that_work_in_place(runtime: ann.Runtime) -> None:
    """They could write over the variable, or what comes next could lie where they work."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 4)))
    h = network.add_variable("h", ann.TensorInfo((4, 4)))
    once = network.add_activation(network.add_addition(h, x), RELU)
    network.assign(h, network.add_activation(once, RELU))
    network.add_output("y", network.add_addition(x, network.add_activation(h, RELU)))
    state = np.zeros((4, 4), np.float32)
    with ann.load(network, ["Sample_Zero"], runtime=runtime) as net:
        for time in range(5):
            value = numbers(4, 4, seed=time)
            np.testing.assert_array_equal(net.run(value)["y"], value + state)
            state = np.maximum(state + value, 0)
            np.testing.assert_array_equal(net.state["h"], state)


# ---- Sample_Npu: compiled sub-graphs -------------------------------------------------------------


def smoothing() -> ann.Network:
    """Layers that become one sub-graph, with a variable going in and out of it."""
    network = ann.Network("smoothing")
    x = network.add_input("x", ann.TensorInfo((1, 16)))
    h = network.add_variable("h", ann.TensorInfo((1, 16)))
    mixed = network.add_fully_connected(
        h, numbers(16, 16, seed=3) * 0.2, numbers(16, seed=4), transpose_weight_matrix=True
    )
    after = network.add_activation(network.add_addition(mixed, x), RELU)
    network.assign(h, after)
    network.add_output("y", network.add_activation(after, RELU, name="last"))
    return network


def test_a_compiled_sub_graph_with_a_variable(runtime: ann.Runtime) -> None:
    weights, bias = numbers(16, 16, seed=3) * np.float32(0.2), numbers(16, seed=4)
    state = np.zeros((1, 16), np.float32)
    optimized = ann.optimize(smoothing(), ["Sample_Npu"], runtime=runtime)
    kinds = [layer.type for layer in optimized.network.layers]
    assert kinds.count(ann.LayerType.PRE_COMPILED) == 1
    with runtime.load_network(optimized) as net, net.profile() as profile:
        for time in range(8):
            value = numbers(1, 16, seed=10 + time)
            state = np.maximum(state @ weights.T + bias + value, 0)
            np.testing.assert_allclose(net.run(value)["y"], state, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(net.state["h"], state, rtol=1e-4, atol=1e-4)
    # The input and the output are moved, the variable is not.
    assert profile.copied_bytes <= 8 * 2 * state.nbytes


# ---- Random networks -----------------------------------------------------------------------------

SHAPE = (4, 8)
_BINARY = {
    "add_addition": np.add,
    "add_subtraction": np.subtract,
    "add_maximum": np.maximum,
    "add_minimum": np.minimum,
}


def random_network(seed: int, backends: list[str]) -> tuple[ann.Network, dict[str, Value]]:
    """A network with variables, and how each variable and output follows from tensors before."""
    random = np.random.default_rng(seed)
    network = ann.Network(f"random {seed}")
    tensors: list[tuple[ann.OutputSlot, Value]] = []

    def keep(layer: ann.Layer, value: Value) -> None:
        tensors.append((layer.output, value))

    def backend() -> str | None:
        return backends[random.integers(len(backends))] if random.random() < 0.8 else None

    def pick() -> tuple[ann.OutputSlot, Value]:
        return tensors[-1 if random.random() < 0.4 else random.integers(len(tensors))]

    keep(network.add_input("x", ann.TensorInfo(SHAPE)), lambda now: now["x"])
    variables = []
    for number in range(random.integers(1, 5)):
        name = f"v{number}"
        first = random.integers(-3, 4, SHAPE).astype(np.float32)
        variables.append(network.add_variable(name, ann.TensorInfo(SHAPE), first))
        keep(variables[-1], lambda now, name=name: now[name])
    for _ in range(random.integers(2, 14)):
        (a, of_a), (b, of_b) = pick(), pick()
        kind = random.integers(5)
        if kind < 2:
            method = list(_BINARY)[random.integers(len(_BINARY))]
            layer = getattr(network, method)(a, b, backend=backend())
            keep(
                layer,
                lambda now, f=_BINARY[method], of_a=of_a, of_b=of_b: f(of_a(now), of_b(now)),
            )
        elif kind == 2:
            layer = network.add_activation(a, RELU, backend=backend())
            keep(layer, lambda now, of_a=of_a: np.maximum(of_a(now), 0))
        elif kind == 3:
            flat = network.add_reshape(a, (8, 4), backend=backend())
            layer = network.add_reshape(flat, SHAPE, backend=backend())
            keep(layer, of_a)
        else:
            cut = int(random.integers(1, SHAPE[0]))
            _, low = network.add_split(a, (cut, SHAPE[0] - cut), axis=0, backend=backend()).outputs
            high, _ = network.add_split(b, (cut, SHAPE[0] - cut), axis=0, backend=backend()).outputs
            layer = network.add_concat([low, high], axis=0, backend=backend())
            keep(
                layer,
                lambda now, cut=cut, of_a=of_a, of_b=of_b: np.concatenate(
                    [of_a(now)[cut:], of_b(now)[:cut]]
                ),
            )
    results: dict[str, Value] = {}
    for variable in variables:
        if random.random() < 0.85:
            slot, value = pick()
            network.assign(variable, slot)
            results[variable.name] = value
        else:
            results[variable.name] = lambda now, name=variable.name: now[name]
    for number in range(random.integers(1, 4)):
        slot, value = pick()
        network.add_output(f"y{number}", slot)
        results[f"y{number}"] = value
    return network, results


@pytest.mark.parametrize(
    "backends",
    [
        ["CpuRef"],
        ["CpuAcc", "CpuRef"],
        ["Sample_Zero", "CpuRef"],
        ["Sample_Npu", "CpuRef"],
        ["Sample_Npu", "Sample_Zero", "CpuRef"],
    ],
    ids="+".join,
)
@pytest.mark.parametrize("bound", [False, True], ids=["run", "bound"])
def test_random_networks(runtime: ann.Runtime, backends: list[str], bound: bool) -> None:
    if not set(backends) <= set(runtime.backends):
        pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
    for seed in range(25):
        network, results = random_network(seed, backends)
        now = {layer.name: layer.initial for layer in network.variable_layers}
        with ann.load(network, backends, runtime=runtime) as net:
            made = net.bind() if bound else None
            for time in range(5):
                x = np.random.default_rng(time).integers(-9, 10, SHAPE).astype(np.float32)
                after = {name: value({**now, "x": x}) for name, value in results.items()}
                if made is not None:
                    made.inputs["x"][...] = x
                    found = dict(made.run())
                else:
                    found = net.run(x)
                state = net.state if made is None else made.state
                now = {name: after[name] for name in now}
                for name, array in {**found, **state}.items():
                    np.testing.assert_array_equal(array, after[name], err_msg=f"{seed} {name}")
