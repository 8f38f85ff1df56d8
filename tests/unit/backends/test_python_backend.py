# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends written in Python: what they say and do, and what goes wrong in them."""

from __future__ import annotations

import contextlib
import gc
import logging
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import dynamic_library, python_objects
from armnn_py._native.support import NativeLayerSupport
from armnn_py.descriptors import ActivationDescriptor, ElementwiseBinaryDescriptor
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel

RELU, TANH = ann.ActivationFunction.RELU, ann.ActivationFunction.TANH
ADD, MUL = ann.BinaryOperation.ADD, ann.BinaryOperation.MUL
FLOAT32, FLOAT16 = ann.DataType.FLOAT32, ann.DataType.FLOAT16
X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
INFO = ann.TensorInfo(X.shape)


class Mine(PythonBackend):
    """Computes with numpy.

    More about it.
    """

    id = "Mine"
    version = "7.1"
    score = 3

    @kernel(ann.LayerType.ACTIVATION, FLOAT32, FLOAT16, function=RELU)
    def relu(self, call: KernelCall) -> None:
        np.maximum(call.inputs[0], 0, out=call.outputs[0])

    @kernel(ann.LayerType.ELEMENTWISE_BINARY, FLOAT32, operation=ADD)
    @kernel(ann.LayerType.ELEMENTWISE_BINARY, FLOAT32, operation=MUL)
    def binary(self, call: KernelCall) -> Any:
        x, y = call.inputs
        return x + y if call.layer.descriptor.operation is ADD else x * y

    @kernel(ann.LayerType.SPLITTER)
    def split(self, call: KernelCall) -> Any:
        parts = []
        for view in call.layer.descriptor.views:
            stop = [begin + size for begin, size in zip(view.origin, view.size, strict=True)]
            parts.append(call.inputs[0][tuple(map(slice, view.origin, stop))])
        return tuple(parts)


def made(function: Callable[..., Any], **arguments: Any) -> PythonBackend:
    """A backend whose kernel of ReLU is a function of the call."""

    class Made(PythonBackend):
        id = "Made"

        @kernel(ann.LayerType.ACTIVATION, **arguments)
        def run(self, call: KernelCall) -> Any:
            return function(call)

    return Made()


def relu_network() -> ann.Network:
    network = ann.Network("relus")
    layer = network.add_activation(network.add_input("x", INFO).outputs[0], RELU, name="rectify")
    network.add_output("y", layer.outputs[0])
    return network


@contextlib.contextmanager
def loaded(
    backend: PythonBackend, network: ann.Network | None = None, **options: Any
) -> Iterator[ann.LoadedNetwork]:
    """A network, of one ReLU by default, on a backend alone."""
    with ann.Runtime(python_backends=[backend], use_environment=False) as runtime:
        optimized = ann.optimize(
            network or relu_network(), backends=[backend.id], runtime=runtime, **options
        )
        yield runtime.load_network(optimized)


# ---- Kernels -------------------------------------------------------------------------------------


def test_a_kernel_writes_its_output() -> None:
    with loaded(Mine()) as net:
        assert np.array_equal(net.run({"x": X})["y"], np.maximum(X, 0))
        assert net.run({"x": X - 5})["y"].sum() == 0.0


def test_it_shares_a_network_with_another_backend() -> None:
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


def test_several_outputs_are_a_tuple() -> None:
    network = ann.Network("parts")
    parts = network.add_split(network.add_input("x", INFO).outputs[0], [1, 2], 1)
    for index in range(2):
        network.add_output(f"y{index}", parts.outputs[index])
    with loaded(Mine(), network) as net:
        result = net.run({"x": X})
    assert np.array_equal(result["y0"], X[:, :1])
    assert np.array_equal(result["y1"], X[:, 1:])


def test_what_a_kernel_does_not_write_is_zero() -> None:
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


def constant_network() -> ann.Network:
    network = ann.Network("sum")
    x = network.add_input("x", INFO).outputs[0]
    y = network.add_constant(np.float32([[1, 2, 3]]), name="ones").outputs[0]
    network.add_output("y", network.add_addition(x, y, name="plus").outputs[0])
    return network


class Packing(PythonBackend):
    id = "Packing"
    model_option_defaults = {"factor": 1.0}  # noqa: RUF012

    def __init__(self) -> None:
        self.prepared: list[ShownLayer] = []

    def pack(self, layer: ShownLayer) -> Any:
        self.prepared.append(layer)
        return layer.constants[1] * layer.model_options.get("factor", 1.0)

    @kernel(ann.LayerType.ELEMENTWISE_BINARY, prepare=pack)
    def add(self, call: KernelCall) -> Any:
        assert call.inputs[1] is call.layer.constants[1]
        return (call.inputs[0] + call.prepared).astype(np.float32)


def test_a_kernel_prepares_once() -> None:
    backend = Packing()
    with loaded(backend, constant_network()) as net:
        for _ in range(3):
            assert np.array_equal(net.run({"x": X})["y"], X + np.float32([1, 2, 3]))
    (layer,) = backend.prepared
    assert layer.is_constant == (False, True)
    assert layer.constants[0] is None
    assert not layer.constants[1].flags.writeable


def test_it_prepares_with_the_options_of_the_model() -> None:
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
    assert f"({__file__}:" in str(error)


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
def test_what_is_no_error_goes_through(kind: type[BaseException]) -> None:
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


# ---- What it says of itself ----------------------------------------------------------------------


def test_the_load_report_shows_it() -> None:
    with ann.Runtime(python_backends=[Mine()], use_environment=False) as runtime:
        verdict = runtime.load_report[0]
        backend = runtime.backends["Mine"]
        assert next(iter(runtime.backends)) == "Mine"
        assert runtime.backends.by_preference[0] == "Mine"
    assert (verdict.place, verdict.status, verdict.code) == ("python", "loaded", "ok")
    assert verdict.path == f"{__name__}.Mine"
    assert str(verdict).endswith(".Mine: loaded 'Mine' (API 1.0)")
    assert (backend.place, backend.file, backend.is_static) == ("python", None, False)
    assert (backend.vendor_version, backend.score) == ("7.1", 3)
    assert backend.description == "Computes with numpy."


def test_its_reasons_tell_why_not() -> None:
    activation = ann.LayerType.ACTIVATION, ann.LayerType.ELEMENTWISE_BINARY
    cases: list[tuple[Any, ...]] = [
        (activation[0], [INFO], ActivationDescriptor(function=RELU), ""),
        (
            activation[0],
            [INFO],
            ActivationDescriptor(function=TANH),
            "function is TANH, the kernel takes RELU",
        ),
        (
            activation[0],
            [ann.TensorInfo((2,), ann.DataType.BFLOAT16)],
            ActivationDescriptor(function=RELU),
            "input 0 is bfloat16, the kernel takes float32 or float16",
        ),
        (
            activation[1],
            [INFO, INFO],
            ElementwiseBinaryDescriptor(operation=ann.BinaryOperation.SUB),
            "operation is SUB, the kernel takes ADD; operation is SUB, the kernel takes MUL",
        ),
        (ann.LayerType.SHAPE, [INFO], None, "no kernel for Shape layers"),
    ]
    with ann.Runtime(python_backends=[Mine()], use_environment=False) as runtime:
        for layer_type, inputs, descriptor, reason in cases:
            answer = runtime.backends["Mine"].supports(layer_type, inputs, None, descriptor)
            assert (bool(answer), answer.reason.lower()) == (not reason, reason.lower())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (False, "supports of 'run' says no"),
        ("only on Mondays", "only on Mondays"),
        ("", "gave no reason"),
        (None, "returned NoneType, True, False or a text"),
        (1, "returned int"),
        (np.bool_(True), "returned bool"),
    ],
)
def test_an_answer_about_support(answer: Any, words: str) -> None:
    with pytest.raises(ann.NoBackendForLayerError, match=words):
        loaded(made(lambda call: None, supports=lambda _, layer: answer)).__enter__()


def test_an_error_in_supports_is_a_reason_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Mine):
        def supports(self, layer: ShownLayer) -> bool:
            raise LookupError("my table")

    with (
        caplog.at_level(logging.WARNING, "armnn_py.backends"),
        pytest.raises(ann.NoBackendForLayerError, match="LookupError: my table"),
    ):
        loaded(Broken()).__enter__()
    assert any(record.exc_info and "supports()" in record.message for record in caplog.records)


class Optioned(Mine):
    option_defaults = {"gain": 1.5, "count": 2, "fast": False, "name": "a b"}  # noqa: RUF012
    capabilities = {"AsyncExecution": False, "Cores": 4}  # noqa: RUF012


def test_options_and_capabilities() -> None:
    backend = Optioned()
    options = {"Mine": {"gain": 2, "fast": True, "name": "\N{SNOWMAN}"}}
    with ann.Runtime(python_backends=[backend], backend_options=options) as runtime:
        assert backend.options == {"gain": 2.0, "count": 2, "fast": True, "name": "\N{SNOWMAN}"}
        assert runtime.backends["Mine"].capabilities == Optioned.capabilities
        assert runtime.backends["Mine"].options["count"] == 2
    with pytest.raises(ann.UnknownNameError, match="option 'gains' is unknown"):
        ann.Runtime(python_backends=[Optioned()], backend_options={"Mine": {"gains": 1}})
    with pytest.raises(ann.InvalidArgumentError, match="'count' is 'many'"):
        ann.Runtime(python_backends=[Optioned()], backend_options={"Mine": {"count": "many"}})


def test_a_self_test() -> None:
    class Tested(Mine):
        def self_test(self, level: int) -> None:
            if level:
                raise RuntimeError(f"level {level}")

    with ann.Runtime(python_backends=[Tested()], use_environment=False) as runtime:
        runtime.backends["Mine"].self_test()
        with pytest.raises(ann.BackendError, match="RuntimeError: level 2"):
            runtime.backends["Mine"].self_test(2)


def test_one_can_stand_in_for_a_backend_of_the_package() -> None:
    class Mock(Mine):
        id = "CpuRef"
        is_reference = True

    with ann.Runtime(python_backends=[Mock()], use_environment=False) as runtime:
        (verdict,) = runtime.load_report.with_status("duplicate")
        assert "taken by the backend written in Python, which came first" in verdict.reason
        assert runtime.backends.reference is runtime.backends["CpuRef"]
        assert runtime.backends["CpuRef"].place == "python"


# ---- Begin and end -------------------------------------------------------------------------------


class Journal(Mine):
    def __init__(self, error: BaseException | None = None) -> None:
        self.lines: list[str] = []
        self.error = error

    def open(self) -> None:
        self.lines.append("open")
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.lines.append("close")


def test_it_is_closed_after_its_networks_and_can_serve_again() -> None:
    backend = Journal()
    for _ in range(2):
        with loaded(backend) as net:
            net.run({"x": X})
            assert backend.lines == ["open"]
        assert backend.lines == ["open", "close"]
        backend.lines.clear()


def test_a_question_under_way_keeps_it_open() -> None:
    backend = Journal()
    runtime = ann.Runtime(python_backends=[backend], use_environment=False)
    with runtime.backends["Mine"].in_use():
        runtime.close()
        assert backend.lines == ["open"]
    assert backend.lines == ["open", "close"]


def test_one_object_serves_one_runtime_at_a_time() -> None:
    backend = Mine()
    with ann.Runtime(python_backends=[backend]) as first:
        with pytest.warns(ann.BackendSkippedWarning, match=r"make one Mine\(\) for each"):
            second = ann.Runtime(python_backends=[backend])
        with second, pytest.raises(ann.BackendNotFoundError, match="serves another runtime"):
            second.backends["Mine"]
        assert "Mine" in first.backends
        assert "Mine" not in second.backends


def test_one_that_cannot_be_opened_is_refused() -> None:
    with (
        pytest.warns(ann.BackendSkippedWarning, match="ValueError: no such port"),
        ann.Runtime(python_backends=[Journal(ValueError("no such port"))]) as runtime,
    ):
        verdict = runtime.load_report[0]
    assert (verdict.status, verdict.stage, verdict.code) == ("refused", "create", "create-failed")


def test_one_without_its_device_is_unavailable() -> None:
    gone = ann.errors.BackendUnavailableError("no device on port 3")
    with ann.Runtime(python_backends=[Journal(gone)]) as runtime:
        verdict = runtime.load_report[0]
    assert verdict.status == "unavailable"
    assert "no device on port 3" in verdict.reason


def test_ctrl_c_while_it_opens() -> None:
    backend = Journal(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ann.Runtime(python_backends=[backend])
    backend.error = None
    with ann.Runtime(python_backends=[backend]) as runtime:
        assert "Mine" in runtime.backends


def test_an_error_while_it_closes_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Stuck(Mine):
        def close(self) -> None:
            raise OSError("stuck")

    backend = Stuck()
    with caplog.at_level(logging.ERROR, "armnn_py.backends"), loaded(backend):
        pass
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], OSError)
    with loaded(backend) as net:
        net.run({"x": X})


def test_nothing_is_left_behind() -> None:
    gc.collect()
    objects, code = len(python_objects._objects), len(dynamic_library._noted_code)
    backends = []
    for _ in range(3):
        backend = Packing()
        backends.append(weakref.ref(backend))
        with loaded(backend, constant_network()) as net:
            net.run({"x": X})
            backend.add = None
            with pytest.raises(ann.ExecutionError, match="TypeError"):
                net.run({"x": X})
        del backend, net
    gc.collect()
    assert [ref() for ref in backends] == [None] * 3
    assert len(python_objects._objects) == objects
    assert len(dynamic_library._noted_code) == code


def test_what_the_host_forgot_to_destroy_goes_with_the_backend() -> None:
    before = len(python_objects._objects)
    with ann.Runtime(python_backends=[Mine()], use_environment=False) as runtime:
        backend = runtime.backends["Mine"]
        NativeLayerSupport("Mine", backend.api, backend.instance)  # never closed
        assert len(python_objects._objects) == before + 2
    assert len(python_objects._objects) == before


def test_a_runtime_that_is_dropped_closes_it() -> None:
    backend = Journal()
    runtime = ann.Runtime(python_backends=[backend])
    del runtime
    gc.collect()
    assert backend.lines == ["open", "close"]


# ---- Mistakes ------------------------------------------------------------------------------------


def test_what_is_no_backend_is_refused_at_once() -> None:
    for given, words in (
        ([Mine], "the class Mine given, a PythonBackend object expected"),
        (["Mine"], "'Mine' given, a PythonBackend object expected"),
        (Mine(), "python_backends: Mine given, a list of PythonBackend objects expected"),
        ([PythonBackend()], "PythonBackend has no id"),
    ):
        with pytest.raises(ann.InvalidArgumentError, match=words):
            ann.Runtime(python_backends=given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("id", 3, "id is 3, a text expected"),
        ("id", "a\0b", "contains a NUL"),
        ("score", 2**40, "score is 1099511627776, an int expected"),
        ("score", 1.5, "an int expected"),
        ("version", None, "version is None"),
        ("option_defaults", ["gain"], "a mapping of names to values expected"),
        ("option_defaults", {"gain": None}, r"option_defaults\['gain'\] is None"),
        ("option_defaults", {"gain": 2**64}, "an int of 64 bits"),
        ("capabilities", {3: 1}, "the name of a value is 3"),
    ],
)
def test_what_it_says_of_itself_is_checked(attribute: str, value: Any, words: str) -> None:
    backend = type("Odd", (Mine,), {attribute: value})()
    with pytest.raises(ann.InvalidArgumentError, match=words):
        ann.Runtime(python_backends=[backend])


@pytest.mark.parametrize(
    ("attribute", "value", "code"),
    [
        ("id", "Unknown", "id-reserved"),
        ("id", " x", "id-not-text"),
        ("id", "x" * 3000, "id-unreadable"),
        ("option_defaults", {"a=b": 1}, "table-options"),
    ],
)
def test_the_loader_refuses_it_as_it_refuses_a_file(attribute: str, value: Any, code: str) -> None:
    backend = type("Odd", (Mine,), {attribute: value})()
    with (
        pytest.warns(ann.BackendSkippedWarning, match="python_backends"),
        ann.Runtime(python_backends=[backend]) as runtime,
    ):
        assert runtime.load_report[0].code == code


def test_mistakes_of_the_decorator() -> None:
    with pytest.raises(ann.InvalidArgumentError, match="comes to backends as") as caught:
        kernel(ann.LayerType.ADDITION)
    assert "LayerType.ELEMENTWISE_BINARY, operation=BinaryOperation.ADD" in str(caught.value)
    with pytest.raises(ann.InvalidArgumentError, match="no backend is asked for Input layers"):
        kernel(ann.LayerType.INPUT)
    with pytest.raises(ann.UnknownNameError, match="Activation has no parameter 'functoin'"):
        kernel(ann.LayerType.ACTIVATION, functoin=RELU)
    with pytest.raises(ann.InvalidArgumentError, match="a LayerType expected"):
        kernel(lambda call: None)  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match="a DataType expected"):
        kernel(ann.LayerType.ACTIVATION, np.float32)  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match="supports is True"):
        kernel(ann.LayerType.ACTIVATION, supports=True)  # type: ignore[arg-type]


def test_it_is_imported_when_it_is_used() -> None:
    program = (
        "import sys, armnn_py as ann; ann.Runtime().close()\n"
        "print([m for m in sys.modules if 'python_' in m and m.startswith('armnn_py')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
