# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Features of a backend work in a worker as they do in the process."""

from __future__ import annotations

import mmap
import os
import signal
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.channel import TENSORS_OFFSET, NativeChannel, WorkerChannel
from tests.isolation.conftest import soon

X = np.array([1, -2, 3, -4], np.float32)


@pytest.fixture(scope="module")
def options_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Options": ABS multiplies by 2 and by the ``gain`` of the run."""
    folder = tmp_path_factory.mktemp("options")
    build_backend("options_backend.c", folder / "Test_Options_backend.so")
    return folder


@pytest.fixture(params=[None, ["Options"]], ids=["in process", "isolated"])
def options_runtime(options_folder: Path, request: pytest.FixtureRequest) -> Iterator[ann.Runtime]:
    with ann.Runtime(options_folder, isolate=request.param) as runtime:
        yield runtime


def scaled() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="layer"))
    return network


def test_options_of_a_run_hold_for_that_run_alone(options_runtime: ann.Runtime) -> None:
    assert set(options_runtime.backends["Options"].run_option_defaults) == {"gain", "veto", "token"}
    with ann.load(scaled(), ["Options"], runtime=options_runtime) as loaded:
        for gain in (3.0, None, -1, None):
            options = None if gain is None else {"Options": {"gain": gain}}
            expected = 2 * X * (1 if gain is None else gain)
            np.testing.assert_array_equal(loaded.run(X, options=options)["y"], expected)
        with pytest.raises(ann.InvalidArgumentError, match=r"from -4\.0 to 4\.0 expected"):
            loaded.run(X, options={"Options": {"gain": 5}})
        three: dict[str, Any] = {"Options": {"gain": 3.0}}
        with loaded.bind([X], options=three) as bound:
            for given, gain in ((None, 3), ({}, 1), (None, 3)):
                np.testing.assert_array_equal(bound.run(options=given)["y"], 2 * gain * X)


def test_runs_of_several_threads_have_options_of_their_own(options_runtime: ann.Runtime) -> None:
    with ann.load(scaled(), ["Options"], runtime=options_runtime) as loaded:

        def run(number: int) -> bool:
            gain = number % 8 / 2 - 2
            options = {"Options": {"gain": gain}}
            return bool((loaded.run(X, options=options)["y"] == 2 * gain * X).all())

        with ThreadPoolExecutor(4) as executor:
            assert all(executor.map(run, range(100)))


def test_a_run_that_the_backend_refuses_has_its_message(options_runtime: ann.Runtime) -> None:
    options_runtime._on_failure = "raise"
    with ann.load(scaled(), ["Options"], runtime=options_runtime) as loaded:
        with pytest.raises(ann.ExecutionError, match="not today"):
            loaded.run(X, options={"Options": {"veto": True}})
        np.testing.assert_array_equal(loaded.run(X)["y"], 2 * X)


def test_a_changed_option_holds_from_the_next_run_on(options_runtime: ann.Runtime) -> None:
    with ann.load(scaled(), ["Options"], runtime=options_runtime) as loaded:
        options_runtime.backends["Options"].set_option("factor", 5)
        np.testing.assert_array_equal(loaded.run(X)["y"], 5 * X)


def chain() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 6, 6, 2)))
    made = network.add_convolution2d(x, np.ones((3, 3, 3, 2), np.float32), name="first")
    made = network.add_activation(made, ann.ActivationFunction.RELU, name="second")
    network.add_output("y", network.add_softmax(made, name="third"))
    return network


@pytest.mark.parametrize("backend", ["CpuAcc", "CpuRef"])
def test_debug_callbacks_see_every_layer(backend: str) -> None:
    image = np.random.default_rng(1).standard_normal((1, 6, 6, 2), np.float32)
    seen: list[dict[str, np.ndarray[Any, Any]]] = []
    for isolate in (None, [backend]):
        with (
            ann.Runtime(isolate=isolate) as runtime,
            ann.load(
                chain(), [backend], runtime=runtime, options=ann.OptimizerOptions(debug=True)
            ) as loaded,
        ):
            assert list(runtime.isolated) == (isolate or [])
            found: dict[str, np.ndarray[Any, Any]] = {}
            loaded.register_debug_callback(
                lambda layer, index, array, found=found: found.update({layer: array.copy()})
            )
            loaded.run(image)
            seen.append(found)
    assert seen[0].keys() == seen[1].keys() >= {"first", "third"}
    for name, array in seen[0].items():
        np.testing.assert_array_equal(seen[1][name], array)


@pytest.fixture(scope="module")
def devices_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Devices": NEG multiplies by its gain, and adds 10."""
    folder = tmp_path_factory.mktemp("devices")
    build_backend("devices_backend.c", folder / "Test_Devices_backend.so")
    return folder


@pytest.mark.parametrize("isolate", [None, ["Devices"]], ids=["in process", "isolated"])
def test_each_device_has_its_options_and_its_layers(
    devices_folder: Path, isolate: list[str] | None
) -> None:
    network = ann.Network()
    value: Any = network.add_input("x", ann.TensorInfo((4,)))
    for backend in ("Devices", "Devices:1"):
        value = network.add_elementwise_unary(value, ann.UnaryOperation.NEG, name=backend)
        value.backend_hint = backend
    network.add_output("y", value)
    given = {"Devices:1": {"gain": 3.0}}
    with ann.Runtime(devices_folder, isolate=isolate, backend_options=given) as runtime:
        device = runtime.backends["Devices:1"].device
        assert device is not None
        assert (device.name, device.vendor, device.driver_version) == ("Lane 1", "Test", "1.2")
        assert device.memory_size == 4096
        assert "Devices:2" not in runtime.backends
        with ann.load(network, ["Devices", "Devices:1"], runtime=runtime) as loaded:
            assert loaded.assignment.counts == {"Devices": 1, "Devices:1": 1}
            np.testing.assert_array_equal(loaded.run(X)["y"], 3 * (10 - X) + 10)


def test_the_worker_of_one_device_is_lost_alone(devices_folder: Path) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    with (
        ann.Runtime(devices_folder, isolate={"Devices": ann.Isolation(restarts=0)}) as runtime,
        ann.load(network, ["Devices:1", "Devices"], runtime=runtime) as loaded,
    ):
        loaded.run(X)
        os.kill(runtime.isolated["Devices:1"].process_id, signal.SIGKILL)
        np.testing.assert_array_equal(loaded.run(X)["y"], 10 - X)
        assert loaded.last_run.lost == ("Devices:1",)
        assert [event.backend for event in runtime.events] == ["Devices:1"] * len(runtime.events)
        assert runtime.isolated["Devices"].why_not_running == ""


def test_a_device_that_cannot_be_opened_is_refused_with_its_message(
    devices_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVICES_LOST", "1")
    with ann.Runtime(devices_folder, isolate=["Devices"]) as runtime:
        with pytest.raises(ann.BackendError, match="device 1 is used by another process"):
            runtime.backends["Devices:1"]
        assert runtime.backends["Devices"].device_index == 0


def test_a_single_device_is_not_isolated() -> None:
    with pytest.raises(ann.InvalidArgumentError, match="'Devices:1' is a device"):
        ann.Runtime(isolate=["Devices:1"])


# ---- Profiles ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def services_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Services": it counts layers, and tells of its kernels."""
    folder = tmp_path_factory.mktemp("services")
    build_backend("services_backend.c", folder / "Test_Services_backend.so")
    return folder


@pytest.mark.parametrize("isolate", [None, ["Services"]], ids=["in process", "isolated"])
def test_counters(services_folder: Path, isolate: list[str] | None) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    made = network.add_elementwise_unary(network.add_addition(x, x), ann.UnaryOperation.NEG)
    network.add_output("y", made)
    with ann.Runtime(services_folder, isolate=isolate) as runtime:
        backend = runtime.backends["Services"]
        assert [counter.name for counter in backend.counters] == ["layers", "temperature"]
        assert backend.read_counters()["temperature"] == 21.0
        with ann.load(network, ["Services"], runtime=runtime) as loaded:
            loaded.run(X)
            with loaded.profile() as profile:
                loaded.run(X)
                loaded.run(X)
        assert profile.counters == {"Services": {"layers": 4.0, "temperature": 21.0}}
        assert profile.units == {"Services": {"layers": "layers", "temperature": "degrees"}}
        assert {event.name for event in profile.events} >= {"kernel", "half way"}


@pytest.mark.parametrize("backend", ["CpuAcc", "CpuRef"])
def test_profiles_show_the_same_kernels(backend: str) -> None:
    image = np.ones((1, 6, 6, 2), np.float32)
    shown: list[list[tuple[str, str, str, int]]] = []
    for isolate in (None, [backend]):
        with (
            ann.Runtime(isolate=isolate) as runtime,
            ann.load(chain(), [backend], runtime=runtime) as loaded,
        ):
            loaded.run(image)  # not in the profile
            with loaded.profile() as profile:
                loaded.run(image)
                loaded.run(image)
            loaded.run(image)
            assert not profile.dropped
            inner = [row for row in profile.layers if row.type != "PreCompiled"]
            assert all(row.total_ns > 0 for row in inner)
            shown.append([(row.layer, row.type, row.kernel, row.calls) for row in inner])
    assert shown[0] == shown[1]
    assert [calls for *_, calls in shown[0]] == [2] * len(shown[0])


def test_a_new_worker_tells_of_kernels_to_an_open_profile() -> None:
    image = np.ones((1, 6, 6, 2), np.float32)
    with (
        ann.Runtime(isolate=["CpuRef"]) as runtime,
        ann.load(chain(), ["CpuRef", "CpuAcc"], runtime=runtime) as loaded,
        loaded.profile() as profile,
    ):
        os.kill(runtime.isolated["CpuRef"].process_id, signal.SIGKILL)
        assert soon(lambda: any(event.kind == "restarted" for event in runtime.events))
        loaded.run(image)
    assert "armnn_f32_softmax__ref" in {row.kernel for row in profile.layers}


def test_events_beyond_the_room_of_a_channel_are_counted_as_dropped() -> None:
    memory = mmap.mmap(-1, 2 * TENSORS_OFFSET)
    room = TENSORS_OFFSET, NativeChannel.bytes_of_events(2)
    worker = WorkerChannel(memory, room)
    worker.tell([(0, "a name of more characters than an event has room for: 48", 7, 1)] * 5)
    (count,) = struct.unpack_from("=Q", memory, TENSORS_OFFSET)
    assert count == 5
    assert not any(memory[sum(room) :])
