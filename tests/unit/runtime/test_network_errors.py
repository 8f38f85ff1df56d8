# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loading, running and unloading networks where something is wrong.

Each test is named after what Arm NN's IRuntime and LoadedNetwork do there.
"""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Journal

X = np.arange(4, dtype=np.float32)


def negated(name: str, layers: int = 2, backend: str | None = None) -> ann.Network:
    network = ann.Network(name)
    y = network.add_input("x", ann.TensorInfo(X.shape))
    for number in range(layers):
        y = network.add_elementwise_unary(
            y, ann.UnaryOperation.NEG, name=f"neg{number}", backend=backend
        )
    network.add_output("y", y)
    return network


# ---- IRuntime::LoadNetwork ---------------------------------------------------------------------


def test_ids_are_counted_and_never_used_again(needs_runtime: ann.Runtime) -> None:
    """The id of a network that could not be loaded is also gone."""
    first = ann.load(negated("first"), ["CpuRef"], runtime=needs_runtime)
    network = ann.Network("refused")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.ABS))
    with pytest.raises(ann.BackendError):
        ann.load(network, ["Needs"], runtime=needs_runtime)
    first.close()
    second = ann.load(negated("second"), ["CpuRef"], runtime=needs_runtime)
    assert (first.id, second.id) == (0, 2)
    assert needs_runtime.networks == (second,)


def test_one_optimized_network_is_loaded_twice(runtime: ann.Runtime) -> None:
    """Arm NN's runtime takes it away from the caller; here the two have nothing to do with it."""
    optimized = ann.optimize(negated("twice", 1), ["CpuRef"], runtime=runtime)
    one, two = runtime.load_network(optimized), runtime.load_network(optimized)
    one.close()
    del optimized
    gc.collect()
    np.testing.assert_array_equal(two.run(X)["y"], -X)


@pytest.mark.parametrize("given", [None, ann.Network("plain"), 0], ids=["null", "network", "id"])
def test_load_network_wants_an_optimized_network(runtime: ann.Runtime, given: object) -> None:
    """Arm NN crashes over the null network that a failed Optimize gave."""
    with pytest.raises(ann.InvalidArgumentError) as caught:
        runtime.load_network(given)  # type: ignore[arg-type]
    kind = type(given).__name__
    assert str(caught.value).startswith(f"load_network: {kind} given, OptimizedNetwork expected")
    assert "call armnn_py.optimize(" in str(caught.value)


def test_network_of_another_runtime(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(negated("mine"), ["CpuRef"], runtime=runtime)
    with (
        ann.Runtime(enable_dynamic_backends=False) as other,
        pytest.raises(ann.InvalidArgumentError, match="'mine' was optimised for another runtime"),
    ):
        other.load_network(optimized)


def test_closed_runtime(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(negated("late"), ["CpuRef"], runtime=runtime)
    runtime.close()
    with pytest.raises(ann.InvalidArgumentError, match="the runtime is closed") as caught:
        runtime.load_network(optimized)
    assert "make a new Runtime()" in str(caught.value)


def test_workload_that_is_not_made(needs_runtime: ann.Runtime) -> None:
    """Arm NN: "No workload created for layer (name: ... type: ...) (compute ...)"."""
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="size")
    network.add_output("y", y)
    with pytest.raises(ann.BackendError) as caught:
        ann.load(network, ["Needs"], runtime=needs_runtime)
    assert str(caught.value).splitlines() == [
        "backend 'Needs' made no workload for layer 'size' (ElementwiseUnary): "
        "the device fell off the table",
        "  status: device lost",
        "hint: the backend declared this layer supported: report it to its vendor",
    ]


def test_failed_load_leaves_no_trace(
    queue_runtime: ann.Runtime, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was made until then is destroyed, children first, and the contexts hear of the end."""
    monkeypatch.setenv("QUEUE_REFUSES", "second workload")
    optimized = ann.optimize(negated("half"), ["Queue"], runtime=queue_runtime)
    journal()
    with pytest.raises(ann.BackendError, match=r"layer 'neg1' .*: no second workload"):
        queue_runtime.load_network(optimized)
    assert journal() == [
        "Queue before_load_network 0",
        "Queue workload",
        "Queue workload gone",
        "Queue factory gone",
        "Queue after_unload_network 0",
    ]
    assert queue_runtime.networks == ()
    monkeypatch.delenv("QUEUE_REFUSES")
    np.testing.assert_array_equal(queue_runtime.load_network(optimized).run(X)["y"], X)


# ---- IRuntime::EnqueueWorkload -----------------------------------------------------------------


def test_closed_network_says_so_whatever_is_asked(runtime: ann.Runtime) -> None:
    """Arm NN throws std::out_of_range for an id that is unloaded."""
    net = ann.load(negated("gone"), ["CpuRef"], runtime=runtime)
    bound = net.bind()
    net.close()
    for ask in (lambda: net.run(X), net.bind, net.profile, net.__enter__, bound.run):
        with pytest.raises(ann.InvalidArgumentError, match="network 'gone' is closed") as caught:
            ask()
        assert "load_network()" in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ([X], "network 'sum' has 2 inputs, 1 given"),
        ([X] * 3, "network 'sum' has 2 inputs, 3 given"),
        ({"left": X}, "network 'sum': no array for input 'right'"),
        ({"left": X, "rihgt": X}, "network 'sum' has no input 'rihgt'"),
        ({"left": X, "right": X[:3]}, "input 'right': dimension 0 is 3, 4 expected"),
        ({"left": X, "right": X.reshape(2, 2)}, "input 'right': 2 dimensions given (2x2), 1 exp"),
        ({"left": X.astype(np.float16), "right": X}, "input 'left': dtype float16 given, float32"),
    ],
)
def test_inputs_that_do_not_match_the_network(
    runtime: ann.Runtime, inputs: object, told: str
) -> None:
    """Arm NN: "Number of inputs provided does not match network.", and unequal element counts."""
    network = ann.Network("sum")
    x, y = (network.add_input(name, ann.TensorInfo(X.shape)) for name in ("left", "right"))
    network.add_output("total", network.add_addition(x, y))
    net = ann.load(network, ["CpuRef"], runtime=runtime)
    with pytest.raises(ann.InvalidArgumentError) as caught:
        net.run(inputs)
    assert str(caught.value).startswith(told)
    for name in ("totl", "left"):
        with pytest.raises(ann.UnknownNameError, match=f"'sum' has no output '{name}'") as caught:
            net.run([X, X], out={name: X.copy()})
        assert "valid names: total" in str(caught.value)
        assert ("did you mean 'total'?" in str(caught.value)) == (name == "totl")


def test_a_list_of_numbers_is_not_an_array(runtime: ann.Runtime) -> None:
    net = ann.load(negated("net"), ["CpuRef"], runtime=runtime)
    with pytest.raises(ann.InvalidArgumentError, match="'net' has 1 input, 4 given") as caught:
        net.run([0.0, 1.0, 2.0, 3.0])
    assert "np.array(list, dtype)" in str(caught.value)


def test_omitted_outputs_are_made(runtime: ann.Runtime) -> None:
    """Arm NN: "No tensor supplied for output N"; here it gets a fresh array."""
    network = negated("two", 1)
    network.add_output("z", network.add_addition(network.input_layers[0], X))
    net = ann.load(network, ["CpuRef"], runtime=runtime)
    z = np.empty_like(X)
    outputs = net.run(X, out={"z": z})
    assert outputs["z"] is z
    assert list(outputs) == ["y", "z"]
    np.testing.assert_array_equal(outputs["y"], -X)
    np.testing.assert_array_equal(z, X + X)


def test_networks_that_compute_nothing(runtime: ann.Runtime) -> None:
    """Arm NN fails with fewer than two layers; here only a network without outputs is useless."""
    network = ann.Network("hollow")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    with pytest.raises(ann.GraphValidationError, match="'hollow' has a problem") as caught:
        ann.load(network, ["CpuRef"], runtime=runtime)
    assert "it has no outputs" in str(caught.value)
    network.add_output("y", x)
    np.testing.assert_array_equal(ann.load(network, runtime=runtime).run(X)["y"], X)


def test_several_networks_in_several_threads(queue_runtime: ann.Runtime) -> None:
    """Arm NN runs different networks side by side, and one of them one at a time; here both."""
    nets = [ann.load(negated(f"net{n}", n), ["Queue"], runtime=queue_runtime) for n in range(1, 5)]
    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda n: nets[n % 4].run(n * X)["y"], range(200))
        for n, y in enumerate(results):
            np.testing.assert_array_equal(y, n * X if n % 2 else -n * X)


# ---- IRuntime::UnloadNetwork, GetProfiler ------------------------------------------------------


def test_unloading_twice_is_harmless(queue_runtime: ann.Runtime, journal: Journal) -> None:
    """Arm NN warns and fails; here the contexts hear of one end."""
    net = ann.load(negated("net"), ["Queue"], runtime=queue_runtime)
    net.close()
    net.close()
    assert net.closed
    assert [line for line in journal() if "unload" in line] == [
        "Queue before_unload_network 0",
        "Queue after_unload_network 0",
    ]
    assert queue_runtime.networks == ()


def test_a_profile_outlives_its_network(runtime: ann.Runtime) -> None:
    """Arm NN's PyArmNN hands out a pointer that dangles after the unload."""
    net = ann.load(negated("net"), ["CpuRef"], runtime=runtime)
    with net.profile() as profile:
        net.run(X)
        net.close()
    runtime.close()
    assert [layer.layer for layer in profile] == ["neg0", "neg1"]
    assert "neg0" in str(profile)
    assert profile.to_json()["runs"] == 1
