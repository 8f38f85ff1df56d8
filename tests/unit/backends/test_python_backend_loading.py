# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends written in Python: what they say of themselves, how they begin, end and are refused."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.python_backend import python_objects
from armnn_py._native.table import dynamic_library
from armnn_py._native.table.support import NativeLayerSupport
from armnn_py.descriptors import ActivationDescriptor, ElementwiseBinaryDescriptor
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel

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

# ---- What it says of itself ----------------------------------------------------------------------


def test_the_load_report_shows_it() -> None:
    with ann.Runtime(python_backends=[Mine()], use_environment=False) as runtime:
        verdict = runtime.load_report[0]
        backend = runtime.backends["Mine"]
        assert next(iter(runtime.backends)) == "Mine"
        assert runtime.backends.by_preference[0] == "Mine"
    assert (verdict.place, verdict.status, verdict.code) == ("python", "loaded", "ok")
    assert verdict.path == f"{Mine.__module__}.Mine"
    assert str(verdict).endswith(".Mine: loaded 'Mine' (API 2.0)")
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


def test_a_log_handler_that_raises_does_not_hide_the_answer() -> None:
    class Broken(Mine):
        def supports(self, layer: ShownLayer) -> bool:
            raise LookupError("my table")

    def refuse(record: logging.LogRecord) -> bool:
        if "was expected" in record.getMessage():
            return True  # the host's own line, after the answer
        raise SystemExit

    log = logging.getLogger("armnn_py.backends")
    with ann.Runtime(python_backends=[Broken()], use_environment=False) as runtime:
        log.addFilter(refuse)
        try:
            answer = runtime.backends["Mine"].supports(
                ann.LayerType.ACTIVATION, [INFO], None, ActivationDescriptor(function=RELU)
            )
        finally:
            log.removeFilter(refuse)
    assert not answer
    assert "LookupError: my table" in answer.reason


class Optioned(Mine):
    option_defaults = {"gain": 1.5, "count": 2, "fast": False, "name": "a b"}  # noqa: RUF012
    capabilities = {"MultiAxisPacking": False, "Cores": 4}  # noqa: RUF012


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


def test_reopens_after_its_networks_close() -> None:
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


def test_unreadable_file_is_refused() -> None:
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


def test_a_device_is_lost(caplog: pytest.LogCaptureFixture) -> None:
    class Loses(Mine):
        def relu(self, call: KernelCall) -> None:
            self.lose_device("unplugged \N{SNOWMAN}")
            raise OSError("no answer")

    backend = Loses()
    with pytest.raises(ann.InvalidArgumentError, match="'Mine' serves no runtime"):
        backend.lose_device("too early")
    with loaded(backend) as net:
        with pytest.raises(ann.ExecutionError, match="OSError: no answer"):
            net.run({"x": X})
        with pytest.raises(ann.ExecutionError, match="unplugged \N{SNOWMAN}"):
            net.run({"x": X})
    with pytest.raises(ann.InvalidArgumentError, match="'Mine' serves no runtime"):
        backend.lose_device("too late")
    backend = Mine()
    with loaded(backend) as net:  # another one is not lost, wherever it lies
        net.run({"x": X})


def test_no_leftovers() -> None:
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


def test_undestroyed_objects_go_with_the_backend() -> None:
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


def test_non_backends_are_refused_at_once() -> None:
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
def test_stated_facts_are_checked(attribute: str, value: Any, words: str) -> None:
    backend = type("Odd", (Mine,), {attribute: value})()
    with pytest.raises(ann.InvalidArgumentError, match=words):
        ann.Runtime(python_backends=[backend])


@pytest.mark.parametrize(
    ("attribute", "value", "code"),
    [
        ("id", "Unknown", "id-reserved"),
        ("id", "Mine:1", "id-colon"),
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


def test_imported_on_first_use() -> None:
    program = (
        "import sys, armnn_py as ann; ann.Runtime().close()\n"
        "print([m for m in sys.modules if 'python_' in m and m.startswith('armnn_py')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
