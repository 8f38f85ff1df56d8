# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A shortage is told as one: what a backend or the system lacks is not a fault of a model."""

from __future__ import annotations

import errno
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.errors.shortage import as_shortage, tells_shortage
from armnn_py.python_backend import KernelCall, Part, PythonBackend, ShownLayer, kernel

CPUS = ["CpuAcc", "CpuRef"]


def prepare(backend: Full, _layer: ShownLayer) -> None:
    backend.reach("create_workload")


class Full(PythonBackend):
    """Runs Softmax, and runs out of memory in one of its functions."""

    id = "Full"

    def __init__(self, place: str) -> None:
        self.place = place

    def reach(self, place: str) -> None:
        if place == self.place:
            raise MemoryError("the device is full")

    def open(self) -> None:
        self.reach("create")

    def supports(self, layer: ShownLayer) -> bool:
        self.reach("is_layer_supported")
        return True

    def optimize(self, part: Part) -> None:
        self.reach("optimize_subgraph_view")

    @kernel(ann.LayerType.SOFTMAX, prepare=prepare)
    def softmax(self, call: KernelCall) -> Any:
        self.reach("execute")
        e = np.exp(call.inputs[0] - call.inputs[0].max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


def network() -> ann.Network:
    made = ann.Network("net")
    x = made.add_input("x", ann.TensorInfo((2, 4)))
    made.add_output("y", made.add_softmax(x, name="soft"))
    return made


def load_and_run(place: str) -> None:
    with (
        ann.Runtime(python_backends=[Full(place)]) as runtime,
        ann.load(network(), ["Full", *CPUS], runtime=runtime) as net,
    ):
        assert net.assignment.counts == {"Full": 1}
        net.run(np.zeros((2, 4), np.float32))


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("create", ""),
        ("is_layer_supported", "Softmax"),
        ("optimize_subgraph_view", "'soft'"),
        ("create_workload", "'soft'"),
        ("execute", "'soft'"),
    ],
)
def test_a_backend_that_lacks_memory_is_named_and_not_replaced(place: str, named: str) -> None:
    with pytest.raises(ann.OutOfMemoryError, match="out of memory") as caught:
        load_and_run(place)
    assert caught.value.backend == "Full"
    assert "'Full'" in caught.value.message
    assert named in caught.value.message
    assert place in caught.value.message or place == "execute"
    assert "the device is full" in str(caught.value)


def test_runs_with_enough_memory() -> None:
    load_and_run("nowhere")


def fail(error: BaseException, then: BaseException | None = None) -> None:
    try:
        raise error
    except BaseException:
        if then is not None:
            raise then from None
        raise


@pytest.mark.parametrize(
    ("error", "kind", "resource"),
    [
        (MemoryError(), ann.OutOfMemoryError, "memory"),
        (OSError(errno.ENOMEM, "no memory"), ann.OutOfMemoryError, "memory"),
        (OSError(errno.EMFILE, "many", "a.py"), ann.ShortageError, "files"),
        (OSError(errno.ENOSPC, "full", "a.bin"), ann.ShortageError, "disk"),
        (OSError("a.so: cannot open: Too many open files"), ann.ShortageError, "files"),
        (ImportError("/a.so: failed to map segment from shared object"), None, ""),
        (RuntimeError("can't start new thread"), ann.ShortageError, "threads"),
    ],
)
@pytest.mark.parametrize("then", [None, ann.ParseError("'m.onnx' is damaged")])
def test_hidden_shortage_becomes_a_shortage_error(
    error: Exception, kind: type[ann.ShortageError] | None, resource: str, then: Exception | None
) -> None:
    call = tells_shortage("load {}")(lambda _model: fail(error, then))
    if kind is None:  # no such file: the cause is unknown
        with pytest.raises(type(then or error)):
            call("models/m.onnx")
        return
    with pytest.raises(kind, match=r"to load 'm\.onnx'") as caught:
        call("models/m.onnx")
    assert type(caught.value) is kind
    assert caught.value.resource == resource
    assert "damaged" not in str(caught.value)


def test_a_shortage_that_a_program_handles_causes_no_later_error() -> None:
    call = tells_shortage("load {}")(lambda _model: fail(ann.ParseError("'m.onnx' is damaged")))
    try:
        raise MemoryError
    except MemoryError:
        with pytest.raises(ann.ParseError):
            call("m.onnx")


def test_other_errors_stay() -> None:
    assert as_shortage(ann.ParseError("damaged"), "load") is None
    assert as_shortage(OSError(errno.ENOENT, "absent"), "load") is None
    assert as_shortage(RuntimeError("another"), "load") is None
