# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arm NN's RegisterDebugCallback: what lies behind each layer, while the network runs."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

X = np.linspace(-2, 3, 6, dtype=np.float32).reshape(2, 3)


def small(shape: tuple[int, ...] = X.shape) -> ann.Network:
    network = ann.Network("small")
    x = network.add_input("x", ann.TensorInfo(shape))
    y = network.add_activation(x, ann.ActivationFunction.RELU, name="relu")
    left, right = network.add_split(y, (1, 2), axis=1, name="cut").outputs
    network.add_output("left", network.add_elementwise_unary(left, ann.UnaryOperation.NEG))
    network.add_output(
        "right", network.add_arg_min_max(right, ann.ArgMinMaxFunction.MAX, axis=1, name="largest")
    )
    return network


def load(runtime: ann.Runtime, network: ann.Network, *, debug: bool = True) -> ann.LoadedNetwork:
    return runtime.load_network(ann.optimize(network, ["CpuRef"], runtime=runtime, debug=debug))


def test_tensors_in_order(runtime: ann.Runtime) -> None:
    seen: list[tuple[str, int, np.ndarray]] = []
    net = load(runtime, small())
    net.register_debug_callback(lambda *told: seen.append(told))
    net.run(X)
    relu = np.maximum(X, 0)
    expected = {
        ("x", 0): X,
        ("relu", 0): relu,
        ("cut", 0): relu[:, :1],
        ("cut", 1): relu[:, 1:],
        ("largest", 0): relu[:, 1:].argmax(1).astype(np.int32),
    }
    assert [name for name, _, _ in seen[:4]] == ["x", "relu", "cut", "cut"]
    told = {(name, slot): tensor for name, slot, tensor in seen}
    for key, value in expected.items():
        assert told[key].dtype == value.dtype
        np.testing.assert_array_equal(told[key], value)
    net.run(-X)  # what was told is the program's own
    np.testing.assert_array_equal(told["x", 0], X)
    net.register_debug_callback(None)
    count = len(seen)
    net.run(X)
    assert len(seen) == count


def test_exceptions_propagate(runtime: ann.Runtime) -> None:
    net = load(runtime, small())
    names: list[str] = []

    def stop(layer: str, slot: int, tensor: np.ndarray) -> None:
        names.append(layer)
        if layer == "relu":
            raise ZeroDivisionError("enough")

    net.register_debug_callback(stop)
    with pytest.raises(ZeroDivisionError, match="enough"):
        net.run(X)
    assert names == ["x", "relu"]
    net.register_debug_callback(None)
    np.testing.assert_array_equal(net.run(X)["left"], -np.maximum(X, 0)[:, :1])


def test_threads_get_what_their_own_runs_raise(runtime: ann.Runtime) -> None:
    net = load(runtime, small())

    def odd(layer: str, slot: int, tensor: np.ndarray) -> None:
        if layer == "x" and tensor[0, 0] % 2:
            raise LookupError(str(int(tensor[0, 0])))

    def run(number: int) -> str:
        try:
            net.run(np.full_like(X, number))
        except LookupError as error:
            return str(error)
        return ""

    net.register_debug_callback(odd)
    with ThreadPoolExecutor(4) as pool:
        for number, told in enumerate(pool.map(run, range(100))):
            assert told == (str(number) if number % 2 else "")


def test_free_dimensions(runtime: ann.Runtime) -> None:
    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        return small(infos["x"].static_shape)

    network = ann.Network.from_builder(
        "free",
        {"x": ann.TensorInfo((None, 3))},
        build,
        {
            "left": ann.TensorInfo((None, 1)),
            "right": ann.TensorInfo((None,), ann.DataType.SIGNED32),
        },
    )
    net = load(runtime, network)
    shapes: list[tuple[int, ...]] = []
    net.register_debug_callback(
        lambda layer, slot, tensor: shapes.append(tensor.shape) if layer == "relu" else None
    )
    for rows in (1, 4, 0):
        net.run(np.zeros((rows, 3), np.float32))
    assert shapes == [(1, 3), (4, 3), (0, 3)]


def test_debug_layers_of_the_network_itself(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_layer(ann.LayerType.DEBUG, [x], name="look"))
    seen: list[str] = []
    net = load(runtime, network, debug=False)
    net.register_debug_callback(lambda layer, slot, tensor: seen.append(layer))
    np.testing.assert_array_equal(net.run(X)["y"], X)
    assert seen == ["x"]


def test_mistakes(runtime: ann.Runtime) -> None:
    plain = load(runtime, small(), debug=False)
    with pytest.raises(ann.InvalidArgumentError, match="'small' has no Debug layers") as caught:
        plain.register_debug_callback(print)
    assert "debug=True" in str(caught.value)
    net = load(runtime, small())
    with pytest.raises(ann.InvalidArgumentError, match="int given, a callable expected"):
        net.register_debug_callback(3)  # type: ignore[arg-type]
    net.close()
    with pytest.raises(ann.InvalidArgumentError, match="is closed"):
        net.register_debug_callback(None)


def sum_of_two() -> ann.Network:
    network = ann.Network("sum")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_addition(x, x, name="twice"))
    return network


def test_without_the_reference_no_backend_may_have_debug_layers(needs_folder: Path) -> None:
    with (
        ann.Runtime(needs_folder, bundled_backends=False) as runtime,
        pytest.raises(ann.NoBackendForLayerError) as caught,
    ):
        ann.optimize(sum_of_two(), runtime=runtime, debug=True)
    error = caught.value
    assert error.message == "debug=True: no listed backend runs Debug layers"
    assert [layer.layer for layer in error.layers] == ["debug x (0)", "debug twice (0)"]
    assert error.details[0] == "2x Debug (first: 'debug x (0)')"
    assert "Runtime(bundled_backends=True)" in error.hints[0]


def test_without_the_reference_debug_layers_run_on_a_backend_that_has_them(
    tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    build_backend("needs_backend.c", tmp_path / "Test_Needs_backend.so", "-DWITH_DEBUG")
    seen: list[tuple[str, int]] = []
    with ann.Runtime(tmp_path, bundled_backends=False) as runtime:
        optimized = ann.optimize(sum_of_two(), runtime=runtime, debug=True)
        assert {record.backend for record in optimized.assignment} == {"Needs"}
        with runtime.load_network(optimized) as net:
            net.register_debug_callback(lambda layer, slot, _tensor: seen.append((layer, slot)))
            np.testing.assert_array_equal(net.run(X)["y"], X + X)
    assert seen == [("x", 0), ("twice", 0)]


def test_callback_is_released_with_the_network(runtime: ann.Runtime) -> None:
    class Watcher:
        def __call__(self, layer: str, slot: int, tensor: np.ndarray) -> None:
            pass

    watcher = Watcher()
    gone = weakref.ref(watcher)
    net = load(runtime, small())
    net.register_debug_callback(watcher)
    net.run(X)
    net.close()
    del net, watcher
    gc.collect()
    assert gone() is None


def test_a_callback_that_runs_its_network_again(runtime: ann.Runtime) -> None:
    net = load(runtime, small())
    net.register_debug_callback(lambda *told: net.run(X))
    with pytest.raises(RecursionError):
        net.run(X)
    net.register_debug_callback(None)
    np.testing.assert_array_equal(net.run(X)["left"], -np.maximum(X, 0)[:, :1])


def test_a_callback_that_closes_its_network(runtime: ann.Runtime) -> None:
    net = load(runtime, small())
    net.register_debug_callback(lambda *told: net.close())
    with pytest.raises(ann.InvalidArgumentError, match="was closed in its run, by a callback"):
        net.run(X)
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        net.run(X)
