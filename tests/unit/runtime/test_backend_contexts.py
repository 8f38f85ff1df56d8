# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backend contexts are told about networks, may object, and end before their backends."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Journal

X = np.arange(4, dtype=np.float32)


def addition(backend: str | None = None) -> ann.Network:
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_addition(x, x, backend=backend))
    return network


@pytest.fixture(scope="module")
def two_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backends "A" and "B", which have contexts, and "C" without one."""
    folder = tmp_path_factory.mktemp("two")
    for name in ("A", "B", "C"):
        target = folder / f"Test_{name}_backend.so"
        none = ["-DCONTEXT_NULL=1"] if name == "C" else []
        build_backend("queue_backend.c", target, f'-DBACKEND_ID="{name}"', *none)
    return folder


def test_life_of_a_network(two_folder: Path, journal: Journal) -> None:
    """Every context of the runtime is told, in the order of Arm NN."""
    with ann.Runtime(two_folder) as runtime:
        assert journal() == ["A create", "A context", "B create", "B context", "C create"]
        network = addition()
        net = ann.load(network, ["A"], runtime=runtime)
        guid = network.layers[1].guid
        assert journal() == [
            "A before_load_network 0",
            "B before_load_network 0",
            "A workload",
            f"A configure {guid}",
            "A after_load_network 0",
            "B after_load_network 0",
        ]
        second = ann.load(addition("CpuRef"), ["CpuRef"], runtime=runtime)
        assert journal() == [
            f"{backend} {when}_load_network 1"
            for when in ("before", "after")
            for backend in ("A", "B")
        ]
        net.run(X)
        assert journal() == ["A works off 1"]
        net.close()
        assert journal() == [
            "A before_unload_network 0",
            "B before_unload_network 0",
            "A factory gone",
            "B after_unload_network 0",
            "A after_unload_network 0",
        ]
        net.close()
        assert journal() == []
        second.close()
        journal()
    assert journal() == [
        "C quiesce 2000",
        "C destroy",
        "B quiesce 2000",
        "B context gone",
        "B destroy",
        "A quiesce 2000",
        "A context gone",
        "A destroy",
    ]


def test_free_dimensions_are_one_network(two_folder: Path, journal: Journal) -> None:
    def build(infos: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("free")
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_addition(x, x))
        return network

    free = ann.TensorInfo((None,))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    with ann.Runtime(two_folder) as runtime:
        journal()
        with ann.load(network, ["A"], runtime=runtime) as net:
            for size in (1, 2, 3):
                net.run(X[:size])
        lines = [line for line in journal() if line.endswith("network 0")]
        assert [line for line in lines if line.startswith("A")] == [
            "A before_load_network 0",
            "A after_load_network 0",
            "A before_unload_network 0",
            "A after_unload_network 0",
        ]


def test_load_vetoed(two_folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    with ann.Runtime(two_folder) as runtime:
        journal()
        monkeypatch.setenv("QUEUE_REFUSES", "before_load_network of B")
        with pytest.raises(ann.BackendError) as caught:
            ann.load(addition(), ["A"], runtime=runtime)
        assert str(caught.value) == (
            "backend 'B' does not let network 'net' be loaded: before_load_network of B says no"
        )
        assert journal() == [
            "A before_load_network 0",
            "B before_load_network 0",
            "A after_unload_network 0",
        ]
        assert runtime.networks == ()
        monkeypatch.delenv("QUEUE_REFUSES")
        with ann.load(addition(), ["A"], runtime=runtime) as net:
            np.testing.assert_array_equal(net.run(X)["y"], 2 * X)


def test_load_that_fails_later(
    two_folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ann.Runtime(two_folder) as runtime:
        journal()
        monkeypatch.setenv("QUEUE_REFUSES", "create_workload")
        with pytest.raises(ann.BackendError, match="create_workload of A says no"):
            ann.load(addition(), ["A"], runtime=runtime)
        assert journal() == [
            "A before_load_network 0",
            "B before_load_network 0",
            "A factory gone",
            "B after_unload_network 0",
            "A after_unload_network 0",
        ]


def test_a_workload_that_is_not_content(
    two_folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All workloads exist before the first is configured, in the order of execution."""
    network = ann.Network("two")
    x = y = network.add_input("x", ann.TensorInfo((4,)))
    for name in ("first", "second"):
        y = network.add_addition(y, x, name=name)
    network.add_output("y", y)
    guids = [layer.guid for layer in network.layers if layer.name in ("first", "second")]
    with ann.Runtime(two_folder) as runtime:
        journal()
        ann.load(network, ["A"], runtime=runtime).close()
        lines = journal()
        start = lines.index("A workload")
        assert lines[start : start + 4] == [
            "A workload",
            "A workload",
            *(f"A configure {guid}" for guid in guids),
        ]
        monkeypatch.setenv("QUEUE_REFUSES", "post_allocation_configure")
        with pytest.raises(ann.BackendError) as caught:
            ann.load(network, ["A"], runtime=runtime)
        assert str(caught.value).startswith(
            "backend 'A': post_allocation_configure of layer 'first' failed: "
        )
        assert journal()[-1] == "A after_unload_network 1"


def test_close_vetoed(two_folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    with ann.Runtime(two_folder) as runtime:
        net = ann.load(addition(), ["A"], runtime=runtime)
        monkeypatch.setenv("QUEUE_REFUSES", "before_unload_network of B")
        for close in (net.close, runtime.close):
            journal()
            with pytest.raises(ann.BackendError) as caught:
                close()
            assert str(caught.value) == (
                "backend 'B' does not let network 'net' be closed: "
                "before_unload_network of B says no"
            )
            assert journal() == ["A before_unload_network 0", "B before_unload_network 0"]
            assert not net.closed
            assert not runtime.closed
            assert runtime.networks == (net,)
            np.testing.assert_array_equal(net.run(X)["y"], 2 * X)
        monkeypatch.delenv("QUEUE_REFUSES")
        net.close()
        assert net.closed
        assert "A after_unload_network 0" in journal()


def test_a_dropped_network_goes_in_spite_of_a_veto(
    two_folder: Path,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with ann.Runtime(two_folder) as runtime:
        net = ann.load(addition(), ["A"], runtime=runtime)
        journal()
        monkeypatch.setenv("QUEUE_REFUSES", "before_unload_network")
        with caplog.at_level(logging.WARNING, logger="armnn_py.runtime"):
            del net
            gc.collect()
        assert [record.getMessage() for record in caplog.records] == [
            f"backend '{name}', network 'net': before_unload_network failed: "
            f"before_unload_network of {name} says no"
            for name in ("A", "B")
        ]
        assert journal()[-1] == "A after_unload_network 0"


def test_notices_after_the_fact_are_logged(
    two_folder: Path,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("QUEUE_REFUSES", "after_load_network after_unload_network quiesce")
    with caplog.at_level(logging.WARNING, logger="armnn_py"), ann.Runtime(two_folder) as runtime:
        ann.load(addition(), ["A"], runtime=runtime).close()
    texts = [record.getMessage() for record in caplog.records]
    assert len([text for text in texts if "after_load_network failed" in text]) == 2
    assert len([text for text in texts if "after_unload_network failed" in text]) == 2
    assert "backend 'A' did not come to rest: quiesce of A says no" in texts
    assert journal()[-1] == "A destroy"


@pytest.mark.parametrize("leftover", ["nothing", "a network", "a network in use"])
def test_end_of_the_process(two_folder: Path, journal: Journal, leftover: str) -> None:
    """Open runtimes end in order at interpreter exit in spite of a veto; quiesce comes once."""
    program = f"""
import os, threading
import numpy as np
import armnn_py as ann
runtime = ann.Runtime({str(two_folder)!r})
network = ann.Network("net")
x = network.add_input("x", ann.TensorInfo((4,)))
operation = ann.UnaryOperation.{"SQRT" if leftover == "a network in use" else "NEG"}
network.add_output("y", network.add_elementwise_unary(x, operation))
os.environ["QUEUE_REFUSES"] = "before_unload_network"
if {leftover!r} != "nothing":
    net = ann.load(network, ["A"], runtime=runtime)
if {leftover!r} == "a network in use":
    def work():
        try:
            net.run(np.ones(4, np.float32))
        except ann.ExecutionCancelledError:
            pass
    threading.Thread(target=work, daemon=True).start()
    while "A polls" not in open(os.environ["ARMNN_TEST_JOURNAL"]).read():
        pass
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = journal()
    assert lines[-8:] == [
        "C quiesce 2000",
        "C destroy",
        "B quiesce 2000",
        "B context gone",
        "B destroy",
        "A quiesce 2000",
        "A context gone",
        "A destroy",
    ]
    assert sum("quiesce" in line for line in lines) == 3
    assert ("A after_unload_network 0" in lines) == (leftover != "nothing")


def test_a_backend_that_is_still_in_use_rests_at_exit(two_folder: Path, journal: Journal) -> None:
    """A run that does not stop keeps its backend alive, but the backend is told."""
    program = f"""
import armnn_py as ann
runtime = ann.Runtime({str(two_folder)!r})
runtime.backends["A"].retain()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    lines = journal()
    assert lines[-1] == "A quiesce 2000"
    assert "B destroy" in lines
    assert "A destroy" not in lines


def test_capabilities(queue_runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = queue_runtime.backends["Queue"]
    assert backend.capabilities == {"Lanes": 4, "Maker": "Test"}
    monkeypatch.setenv("QUEUE_REFUSES", "get_capabilities")
    with pytest.raises(ann.BackendError, match=r"'Queue': get_capabilities failed: .* says no"):
        backend.capabilities  # noqa: B018
    queue_runtime.close()
    with pytest.raises(ann.InvalidArgumentError, match="is closed"):
        backend.capabilities  # noqa: B018
