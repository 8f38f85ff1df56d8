# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends written in Python: what kernels do, and what goes wrong in them."""

from __future__ import annotations

import gc
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.python_backend import KernelCall, ShownLayer, kernel

from .python_backends import (
    INFO,
    RELU,
    TANH,
    Mine,
    Packing,
    X,
    constant_network,
    loaded,
    made,
)

# ---- Kernels -------------------------------------------------------------------------------------


def test_a_kernel_writes_its_output() -> None:
    with loaded(Mine()) as net:
        assert np.array_equal(net.run({"x": X})["y"], np.maximum(X, 0))
        assert net.run({"x": X - 5})["y"].sum() == 0.0


def test_shares_a_network_with_another_backend() -> None:
    network = ann.Network("mixed")
    x = network.add_input("x", INFO).outputs[0]
    one = network.add_activation(x, RELU, name="mine").outputs[0]
    two = network.add_activation(one, TANH, a=1.0, b=1.0, name="theirs").outputs[0]
    weights = network.add_constant(np.float32([[2, 3, 4]]), name="weights").outputs[0]
    three = network.add_multiplication(two, weights, name="mine too").outputs[0]
    network.add_output("y", three)
    with ann.Runtime(python_backends=[Mine()]) as runtime:
        optimized = ann.optimize(network, backends=["Mine", "CpuRef"], runtime=runtime)
        placed = {one.layer: one.backend for one in optimized.assignment}
        assert placed["mine"] == placed["mine too"] == "Mine"
        assert placed["theirs"] == "CpuRef"
        result = runtime.load_network(optimized).run({"x": X})["y"]
    expected = np.tanh(np.maximum(X, 0)) * np.float32([[2, 3, 4]])
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_a_kernel_says_what_it_computes_and_runs_alone() -> None:
    """Profiles show its operations; no two of its calls overlap."""
    inside = []
    most = []

    class Careful(ann.python_backend.PythonBackend):
        id = "Careful"

        @kernel(
            ann.LayerType.ACTIVATION, operations=lambda _, layer: 7 * len(layer.inputs), serial=True
        )
        def compute(self, call: KernelCall) -> Any:
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.002)  # others run meanwhile
            inside.pop()
            return np.maximum(call.inputs[0], 0)

    with loaded(Careful()) as net:
        threads = [
            threading.Thread(target=lambda: [net.run({"x": X}) for _ in range(5)]) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with net.profile() as profile:
            net.run({"x": X})
    assert len(most) == 21
    assert set(most) == {1}
    assert profile.layers[0].operations == 7


@pytest.mark.parametrize("count", [-1, 1.5, "many"])
def test_operations_that_are_no_count(count: Any) -> None:
    class Odd(ann.python_backend.PythonBackend):
        id = "Odd"

        @kernel(ann.LayerType.ACTIVATION, operations=lambda *_: count)
        def compute(self, call: KernelCall) -> Any:
            return call.inputs[0]

    with (
        pytest.raises(ann.BackendError, match="operations\\(\\) of kernel 'compute' gave"),
        loaded(Odd()),
    ):
        pass


def test_several_outputs_are_a_tuple() -> None:
    network = ann.Network("parts")
    parts = network.add_split(network.add_input("x", INFO).outputs[0], [1, 2], 1)
    for index in range(2):
        network.add_output(f"y{index}", parts.outputs[index])
    with loaded(Mine(), network) as net:
        result = net.run({"x": X})
    assert np.array_equal(result["y0"], X[:, :1])
    assert np.array_equal(result["y1"], X[:, 1:])


def test_elements_of_less_than_a_byte_go_elsewhere() -> None:
    class Casts(ann.python_backend.PythonBackend):
        id = "Casts"

        @kernel(ann.LayerType.CAST)
        def cast(self, call: KernelCall) -> Any:
            return call.inputs[0].astype(call.layer.outputs[0].dtype)

    network = ann.Network("packed")
    value: Any = network.add_input("x", INFO)
    for target in (ann.DataType.SIGNED32, ann.DataType.QASYMM_S4, ann.DataType.FLOAT32):
        info = ann.TensorInfo(INFO.shape, target)
        value = network.add_layer(ann.LayerType.CAST, [value], output_infos=[info])
    network.add_output("y", value)
    with ann.Runtime(python_backends=[Casts()]) as runtime:
        placed = ann.optimize(network, ["Casts", "CpuRef"], runtime=runtime)
        assert [one.backend for one in placed.assignment] == ["Casts", "CpuRef", "CpuRef"]
        with runtime.load_network(placed) as net:
            found = net.run({"x": np.full(INFO.shape, 3.7, np.float32)})["y"]
    np.testing.assert_array_equal(found, np.full(INFO.shape, 3, np.float32))


def test_unwritten_outputs_are_zero() -> None:
    with loaded(made(lambda call: None)) as net:
        net.run({"x": X})
        assert not net.run({"x": X})["y"].any()


def test_a_kernel_may_keep_the_arrays_that_it_saw() -> None:
    calls: list[KernelCall] = []
    with loaded(made(calls.append)) as net:
        for factor in range(3):
            net.run({"x": X * factor})
    del net
    gc.collect()
    for factor, call in enumerate(calls):
        assert np.array_equal(call.inputs[0], X * factor)
        assert not call.inputs[0].flags.writeable
        assert call.layer.name == "rectify"
        assert call.layer.inputs == call.layer.outputs == (INFO,)


def test_empty_tensors_and_tensors_without_dimensions() -> None:
    for shape in ((0, 3), ()):
        network = ann.Network("odd")
        x = network.add_input("x", ann.TensorInfo(shape)).outputs[0]
        network.add_output("y", network.add_activation(x, RELU).outputs[0])
        with loaded(made(lambda call: np.maximum(call.inputs[0], 0)), network) as net:
            assert net.run({"x": np.ones(shape, np.float32)})["y"].shape == shape


def test_a_class_that_replaces_a_method_keeps_its_rows() -> None:
    class Louder(Mine):
        def relu(self, call: KernelCall) -> Any:
            return np.maximum(call.inputs[0], 0) * 10

    class Without(Mine):
        relu = None

    with loaded(Louder()) as net:
        assert np.array_equal(net.run({"x": X})["y"], np.maximum(X, 0) * 10)
    with loaded(patched := Mine()) as net:
        patched.relu = lambda call: np.full_like(call.inputs[0], 7)
        assert net.run({"x": X})["y"].min() == 7
    with pytest.raises(ann.NoBackendForLayerError, match="no kernel for Activation"):
        loaded(Without()).__enter__()


def test_of_two_rows_the_first_that_takes_the_layer_runs_it() -> None:
    class Two(Mine):
        @kernel(ann.LayerType.ACTIVATION, supports=lambda _, layer: layer.inputs[0].rank == 2)
        def matrix(self, call: KernelCall) -> Any:
            return np.full_like(call.inputs[0], 2)

    with loaded(Two()) as net:
        assert net.run({"x": X})["y"].min() == 2


# ---- Preparation ---------------------------------------------------------------------------------


def test_a_kernel_prepares_once() -> None:
    backend = Packing()
    with loaded(backend, constant_network()) as net:
        for _ in range(3):
            assert np.array_equal(net.run({"x": X})["y"], X + np.float32([1, 2, 3]))
    (layer,) = backend.prepared
    assert layer.is_constant == (False, True)
    assert layer.constants[0] is None
    assert not layer.constants[1].flags.writeable


def test_prepares_with_model_options() -> None:
    options = ann.OptimizerOptions(model_options={"Packing": {"factor": 10.0}})
    with loaded(Packing(), constant_network(), options=options) as net:
        assert np.array_equal(net.run({"x": X})["y"], X + np.float32([10, 20, 30]))


def test_an_error_while_it_prepares_is_the_cause() -> None:
    def fail(_backend: Any, _layer: ShownLayer) -> None:
        raise KeyError("weights")

    with pytest.raises(ann.BackendError, match=r"'Made' made no workload for layer 'rectify'") as e:
        loaded(made(lambda call: None, prepare=fail)).__enter__()
    assert isinstance(e.value.__cause__, KeyError)
    assert "KeyError: 'weights'" in str(e.value)


# ---- Errors of kernels ---------------------------------------------------------------------------


def test_an_error_names_layer_backend_and_kernel_and_is_the_cause() -> None:
    def fail(call: KernelCall) -> None:
        raise ZeroDivisionError("nought \0 and \N{SNOWMAN}")

    with loaded(made(fail)) as net:
        for _ in range(2):
            with pytest.raises(ann.ExecutionError) as caught:
                net.run({"x": X})
    error = caught.value
    assert (error.layer, error.backend, error.kernel) == ("rectify", "Made", "run")
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert "layer 'rectify' (Activation) on backend 'Made'" in str(error)
    assert "ZeroDivisionError: nought   and \N{SNOWMAN}" in str(error)
    assert "python_backends.py:" in str(error)


def test_a_long_text_is_cut_and_an_exception_without_one_is_named() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    for error, words in ((ValueError("x" * 5000), "xxx..."), (MuteError(), "MuteError: (its text")):
        with (
            loaded(made(lambda call, error=error: (_ for _ in ()).throw(error))) as net,
            pytest.raises(ann.ExecutionError) as caught,
        ):
            net.run({"x": X})
        assert words in str(caught.value)
        assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("text", "returned for output 0 an object of type str"),
        (3, "an object of type int"),
        (X.astype(np.float64), r"returned for output 0 float64 \(2, 3\), an array of float32"),
        (X[0], r"float32 \(3,\), an array of float32 \(2, 3\) is needed"),
        ((X, X), "returned 2 arrays, the layer has 1 output"),
        ([], "returned 0 arrays"),
        (X.astype(object), "object"),
    ],
)
def test_a_weird_answer_is_an_error(answer: Any, words: str) -> None:
    with loaded(made(lambda call: answer)) as net, pytest.raises(ann.ExecutionError, match=words):
        net.run({"x": X})


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # of numpy 2.5
def test_an_output_that_a_kernel_bends_is_an_error() -> None:
    def bend(call: KernelCall) -> None:
        call.outputs[0].shape = (6,)

    def grow(call: KernelCall) -> None:
        call.outputs[0].resize((4000, 3), refcheck=False)

    for function in (bend, grow):
        with (
            loaded(made(function)) as net,
            pytest.raises(ann.ExecutionError, match="changed the array of output 0"),
        ):
            net.run({"x": X})


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_other_exceptions_pass_through(kind: type[BaseException]) -> None:
    def leave(call: KernelCall) -> None:
        raise kind("out")

    with loaded(made(leave)) as net, pytest.raises(kind, match="out"):
        net.run({"x": X})


def test_ctrl_c_in_a_kernel_ends_the_run_at_once() -> None:
    after: list[str] = []
    usual = signal.getsignal(signal.SIGINT)

    def wait(call: KernelCall) -> Any:
        # A handler that waits: at the first instruction of the callback there is no try yet.
        assert signal.getsignal(signal.SIGINT) is not usual
        if not after:
            signal.raise_signal(signal.SIGINT)
            after.append("went on")
        return call.inputs[0]

    with loaded(made(wait)) as net:
        with pytest.raises(KeyboardInterrupt):
            net.run({"x": X})
        assert not after
        after.append("no signal")
        assert np.array_equal(net.run({"x": X})["y"], X)


def test_a_kernel_can_see_that_the_run_should_stop() -> None:
    token = ann.CancelToken()

    def wait(call: KernelCall) -> None:
        assert not call.cancelled()
        token.cancel()
        if call.cancelled():
            raise ann.ExecutionCancelledError("as you wish")

    with loaded(made(wait)) as net, pytest.raises(ann.ExecutionCancelledError, match="as you wish"):
        net.run({"x": X}, cancel=token)


def test_a_kernel_that_closes_the_runtime_ends_the_run() -> None:
    network = ann.Network("two")
    x = network.add_input("x", INFO).outputs[0]
    for _ in range(2):
        x = network.add_activation(x, TANH, a=1.0, b=1.0).outputs[0]
    network.add_output("y", x)
    runtimes: list[ann.Runtime] = []

    def close(call: KernelCall) -> Any:
        runtimes.pop().close()
        return call.inputs[0]

    runtimes.append(ann.Runtime(python_backends=[made(close)]))
    optimized = ann.optimize(network, backends=["Made"], runtime=runtimes[0])
    net = runtimes[0].load_network(optimized)
    with pytest.raises(ann.InvalidArgumentError, match="was closed"):
        net.run({"x": X})


def test_a_kernel_may_run_another_network() -> None:
    with loaded(Mine()) as inner:

        def ask(call: KernelCall) -> Any:
            return inner.run({"x": call.inputs[0]})["y"]

        with loaded(made(ask)) as net:
            assert np.array_equal(net.run({"x": X})["y"], np.maximum(X, 0))


# ---- Threads -------------------------------------------------------------------------------------


def test_threads_run_side_by_side_and_each_gets_its_own_error() -> None:
    together = threading.Barrier(4, timeout=60)
    results: dict[int, Any] = {}

    def meet(call: KernelCall) -> Any:
        together.wait()
        number = int(call.inputs[0][0, 0])
        if number % 2:
            raise ValueError(f"odd {number}")
        return call.inputs[0] * 2

    def work(net: ann.LoadedNetwork, number: int) -> None:
        try:
            results[number] = net.run({"x": np.full_like(X, number)})["y"]
        except ann.ExecutionError as error:
            results[number] = error.__cause__

    with loaded(made(meet)) as net:
        threads = [threading.Thread(target=work, args=(net, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number in (0, 2):
        assert (results[number] == 2 * number).all()
    for number in (1, 3):
        assert str(results[number]) == f"odd {number}"
