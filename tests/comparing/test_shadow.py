# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shadow mode repeats a share of the runs on a reference, and never holds up a run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.python_backend import PythonBackend, kernel

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"


class Mock(PythonBackend):
    """Computes an absolute value; ``wrong`` is added to its first element."""

    id = "Mock"

    def __init__(self) -> None:
        self.wrong, self.fails = 0.0, False
        self.may_run = threading.Event()
        self.may_run.set()
        self.has_begun = threading.Event()

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, ann.DataType.FLOAT32)
    def absolute(self, call: Any) -> Any:
        self.has_begun.set()
        assert self.may_run.wait(60)
        if self.fails:
            raise RuntimeError("out of coolant")
        found = np.abs(call.inputs[0])
        found.flat[0] += self.wrong
        return found


def absolute() -> ann.Network:
    network = ann.Network("absolute")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.ABS))
    return network


X = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)


@pytest.fixture
def mock() -> Mock:
    return Mock()


@pytest.fixture
def runtime(mock: Mock) -> Iterator[ann.Runtime]:
    with ann.Runtime(enable_dynamic_backends=False, python_backends=[mock]) as opened:
        yield opened


def test_runs_that_agree_are_counted(runtime: ann.Runtime) -> None:
    with ann.load(DEMO, ["CpuAcc"], shadow=ann.Shadow(share=1.0, queue=100)) as loaded:
        image = np.zeros((1, 1, 8, 8), np.float32)
        for _ in range(10):
            loaded.run(image)
        loaded.run({"image": image}, timeout=60.0)
        report = loaded.shadow.wait()
        assert (report.runs, report.compared, report.differing, report.dropped) == (11, 11, 0, 0)
        assert 0 <= report.worst["probabilities"].relative < 1e-5
        assert list(loaded.runtime.events) == []


def test_a_difference_is_an_event(mock: Mock, runtime: ann.Runtime) -> None:
    shadow = ann.Shadow(share=1.0, queue=100)
    seen: list[Any] = []
    runtime.events.subscribe(seen.append)
    with ann.load(absolute(), ["Mock"], runtime=runtime, shadow=shadow) as loaded:
        loaded.run(X)
        assert loaded.shadow.wait().differing == 0
        mock.wrong = 0.5
        for _ in range(5):
            loaded.run(X)
        report = loaded.shadow.wait()
    assert (report.compared, report.differing) == (6, 5)
    assert report.worst["y"].absolute == 0.5
    assert [(event.kind, event.count) for event in seen] == [("differs", n) for n in (1, 2, 4)]
    assert "output 'y': element [0, 0] is 1.5, 1.0 expected" in str(seen[0])


def test_arrays_that_change_after_the_run_are_compared_as_they_were(
    mock: Mock, runtime: ann.Runtime
) -> None:
    mock.may_run.clear()
    shadow = ann.Shadow(backend="Mock", share=1.0)
    with ann.load(absolute(), ["CpuRef"], runtime=runtime, shadow=shadow) as loaded:
        given = X.copy()
        found = loaded.run(given)["y"]
        given[:] = found[:] = 77.0
        mock.may_run.set()
        assert loaded.shadow.wait().differing == 0


def test_a_full_queue_drops_runs_and_never_waits(mock: Mock, runtime: ann.Runtime) -> None:
    shadow = ann.Shadow(backend="Mock", share=1.0, queue=2)
    mock.may_run.clear()
    with ann.load(absolute(), ["CpuRef"], runtime=runtime, shadow=shadow) as loaded:
        loaded.run(X)
        assert mock.has_begun.wait(60)  # the first is being compared: the queue is empty
        for _ in range(5):
            loaded.run(X)
        report = loaded.shadow.report
        assert (report.runs, report.dropped, report.compared) == (6, 3, 0)
        mock.may_run.set()
        assert loaded.shadow.wait().compared == 3


def test_about_the_share_is_compared(runtime: ann.Runtime) -> None:
    shadow = ann.Shadow(share=0.25, queue=1000)
    with ann.load(absolute(), ["CpuRef"], runtime=runtime, shadow=shadow) as loaded:
        for _ in range(1000):
            loaded.run(X)
        report = loaded.shadow.wait()
    assert report.runs == 1000
    assert 150 < report.compared < 350  # 7 standard deviations


def test_close_drops_what_waits(mock: Mock, runtime: ann.Runtime) -> None:
    shadow = ann.Shadow(backend="Mock", share=1.0, queue=3)
    mock.may_run.clear()
    loaded = ann.load(absolute(), ["CpuRef"], runtime=runtime, shadow=shadow)
    loaded.run(X)
    assert mock.has_begun.wait(60)
    loaded.run(X)
    timer = threading.Timer(0.1, mock.may_run.set)
    timer.start()
    loaded.close()
    timer.join()
    assert loaded.shadow.report.compared == 1
    assert not any(thread.name == "shadow" for thread in threading.enumerate())


def test_a_reference_that_fails_is_counted_and_the_runs_go_on(
    mock: Mock, runtime: ann.Runtime
) -> None:
    mock.fails = True
    shadow = ann.Shadow(backend="Mock", share=1.0)
    with ann.load(absolute(), ["CpuRef"], runtime=runtime, shadow=shadow) as loaded:
        np.testing.assert_array_equal(loaded.run(X)["y"], np.abs(X))
        report = loaded.shadow.wait()
        assert (report.failed, report.compared) == (1, 0)
        (event,) = runtime.events
    assert event.kind == "unchecked"
    assert "out of coolant" in event.reason


def test_free_dimensions_are_compared_for_each_shape(tmp_path: Path) -> None:
    from onnx import TensorProto, helper, save_model

    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Softmax", ["x"], ["y"])],
        "rows",
        [info("x", TensorProto.FLOAT, ["rows", 4])],
        [info("y", TensorProto.FLOAT, ["rows", 4])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save_model(model, tmp_path / "rows.onnx")
    shadow = ann.Shadow(share=1.0, queue=100)
    with ann.load(tmp_path / "rows.onnx", ["CpuAcc"], shadow=shadow) as loaded:
        for rows in (1, 2, 3, 2):
            loaded.run(np.ones((rows, 4), np.float32))
        report = loaded.shadow.wait()
    assert (report.compared, report.failed) == (4, 0), report


def test_refusals_of_shadow(runtime: ann.Runtime, tmp_path: Path) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="share 2 given, 0 to 1 expected"):
        ann.Shadow(share=2)
    with pytest.raises(ann.InvalidArgumentError, match="queue 0 given"):
        ann.Shadow(queue=0)
    network = absolute()
    total = network.add_variable("total", ann.TensorInfo((2, 3)))
    network.assign(total, network.add_addition(total, np.ones((2, 3), np.float32)))
    with pytest.raises(ann.InvalidArgumentError, match="has variables"):
        ann.load(network, ["CpuRef"], runtime=runtime, shadow=ann.Shadow())
    with pytest.raises(ann.BackendNotFoundError, match="NoSuch"):
        ann.load(absolute(), ["CpuRef"], runtime=runtime, shadow=ann.Shadow(backend="NoSuch"))
    saved = tmp_path / "saved.armnnpy"
    ann.optimize(absolute(), ["CpuRef"], runtime=runtime).save(saved)
    with pytest.raises(ann.InvalidArgumentError, match="shadow given with a saved network"):
        ann.load(saved, runtime=runtime, shadow=ann.Shadow())
