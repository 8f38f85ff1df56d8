# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Several devices of one backend: their ids, their options, and instances with a life each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends.loader.shared_library import mapped_libraries
from armnn_py.errors import BackendUnavailableError
from armnn_py.optimizer.measuring.measured_times import backend_identity

Journal = Callable[[], list[str]]
FILE = "Test_Devices_backend.so"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    """A folder with the backend "Devices"."""
    folder = tmp_path_factory.mktemp("devices")
    build_backend("devices_backend.c", folder / FILE)
    return folder


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    path = tmp_path / "journal.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))

    def take() -> list[str]:
        lines = path.read_text().splitlines()
        path.write_text("")
        return [line.removeprefix("Devices ") for line in lines]

    return take


@pytest.fixture
def runtime(folder: Path, journal: Journal) -> Iterator[ann.Runtime]:
    with ann.Runtime(folder) as runtime:
        yield runtime


def chain(hints: dict[str, str] | None = None, *names: str) -> ann.Network:
    """Negations of these names, one after the other."""
    network = ann.Network("chain")
    value = network.add_input("x", ann.TensorInfo((3,)))
    for name in names or ("a", "b"):
        layer = network.add_elementwise_unary(value, ann.UnaryOperation.NEG, name=name)
        layer.backend_hint = (hints or {}).get(name)
        value = layer
    network.add_output("y", value)
    return network


def ran_on(optimized: ann.OptimizedNetwork) -> dict[str, str]:
    return {layer.layer: layer.backend for layer in optimized.assignment}


# ---- Ids -----------------------------------------------------------------------------------------


def test_an_instance_is_made_when_it_is_named(runtime: ann.Runtime, journal: Journal) -> None:
    backends = runtime.backends
    assert journal() == ["open 0"]
    assert "Devices:1" not in list(backends)
    assert "Devices:1" in backends
    assert "Devices:2" not in backends
    assert journal() == []
    second = backends["Devices:1"]
    assert journal() == ["open 1"]
    assert (second.id, second.device_index) == ("Devices:1", 1)
    assert backends["Devices:1"] is second
    assert "Devices:1" in list(backends)
    assert journal() == []


def test_index_0_is_the_default(runtime: ann.Runtime, journal: Journal) -> None:
    backends = runtime.backends
    first = backends["Devices"]
    assert backends["Devices:0"] is first
    assert first.id == "Devices"
    assert "Devices:0" in backends
    assert backends.get("Devices:0") is first
    optimized = ann.optimize(chain(), ["Devices:0", "Devices"], runtime=runtime)
    assert [backend.id for backend in optimized.backends] == ["Devices"]
    assert ran_on(optimized) == {"a": "Devices", "b": "Devices"}


def test_devices_have_ids(runtime: ann.Runtime) -> None:
    devices = runtime.backends["Devices"].devices
    assert devices == (
        ann.DeviceDescription("Devices", "Lane 0", "Test", "1.2", 4096),
        ann.DeviceDescription("Devices:1", "Lane 1", "Test", "1.2", 4096),
    )
    assert runtime.backends["Devices:1"].devices == devices


def test_defaults_do_not_depend_on_what_was_named(runtime: ann.Runtime) -> None:
    before = runtime.backends.by_preference
    runtime.backends["Devices:1"]
    assert runtime.backends.by_preference == before
    assert [backend.id for backend in ann.optimize(chain(), runtime=runtime).backends] == [*before]


def test_an_index_that_is_not_there(runtime: ann.Runtime, journal: Journal) -> None:
    journal()
    with pytest.raises(ann.BackendNotFoundError) as caught:
        runtime.backends["Devices:2"]
    assert str(caught.value).splitlines() == [
        "backend 'Devices' has no device 2, it has 2 devices",
        "  device: Devices (Lane 0)",
        "  device: Devices:1 (Lane 1)",
        "hint: 'armnn-py backends show Devices' lists its devices",
    ]
    with pytest.raises(ann.BackendNotFoundError, match="'CpuRef' has no device 1, it has 1 device"):
        ann.optimize(chain(), ["CpuRef:1"], runtime=runtime)
    assert runtime.backends.get("Devices:2") is None
    assert journal() == []


@pytest.mark.parametrize(
    "name", ["Devices:", "Devices:x", "Devices:01", "Devices:-1", "Devices:+1", "Devices:1:1",
             "Devices:1 ", "Devices:\N{SUPERSCRIPT ONE}", ":1", "Devices:99999999999999999999"],
)  # fmt: skip
def test_invalid_indices(runtime: ann.Runtime, name: str) -> None:
    assert name not in runtime.backends
    with pytest.raises(ann.BackendNotFoundError, match="is not loaded"):
        runtime.backends[name]


def test_near_names_know_devices(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.BackendNotFoundError) as caught:
        runtime.backends["Device:1"]
    assert caught.value.hints == ("did you mean 'Devices:1'?",)


def test_a_colon_in_the_id_of_a_backend(tmp_path: Path, build_backend: Callable[..., None]) -> None:
    build_backend("bad_backend.c", tmp_path / "Test_Bad_backend.so", '-DBACKEND_ID="Bad:1"')
    with pytest.warns(ann.BackendSkippedWarning), ann.Runtime(tmp_path) as runtime:
        (verdict,) = (one for one in runtime.load_report if one.place == "argument")
    assert (verdict.status, verdict.stage, verdict.code) == ("refused", "id", "id-colon")
    assert verdict.reason == "GetBackendId returned 'Bad:1', which has a ':'"


# ---- Instances -----------------------------------------------------------------------------------


def test_each_instance_has_its_own_state(runtime: ann.Runtime) -> None:
    x = np.array([1, 2, 3], np.float32)
    with (
        ann.load(chain({}, "a"), ["Devices"], runtime=runtime) as first,
        ann.load(chain({}, "a"), ["Devices:1"], runtime=runtime) as second,
        ann.load(chain({}, "a"), ["Devices:1"], runtime=runtime) as third,
    ):
        # The number of kernels that each device prepared, times 10: prepare sees what open made.
        np.testing.assert_array_equal(first.run({"x": x})["y"], 10 - x)
        np.testing.assert_array_equal(second.run({"x": x})["y"], 10 - x)
        np.testing.assert_array_equal(third.run({"x": x})["y"], 20 - x)


def test_one_network_on_both(runtime: ann.Runtime) -> None:
    x = np.array([1, 2, 3], np.float32)
    rules = {"a": "Devices:1", "b": "Devices:0"}
    optimized = ann.optimize(chain(), ["CpuRef"], runtime=runtime, placement=rules)
    assert ran_on(optimized) == {"a": "Devices:1", "b": "Devices"}
    with runtime.load_network(optimized) as loaded:
        np.testing.assert_array_equal(loaded.run({"x": x})["y"], 10 - (10 - x))


def test_hints(runtime: ann.Runtime) -> None:
    network = chain({"a": "Devices:1", "b": "Devices:0"})
    assert ran_on(ann.optimize(network, ["CpuRef"], runtime=runtime)) == {
        "a": "Devices:1",
        "b": "Devices",
    }
    with pytest.raises(ann.UnknownNameError) as caught:
        ann.optimize(chain({"a": "Devices:2"}), ["CpuRef"], runtime=runtime)
    assert "layer 'a' asks for backend 'Devices:2', which is not loaded" in str(caught.value)
    assert {"CpuRef", "Devices", "Devices:1"} <= set(caught.value.valid)


def test_rules_of_a_file(runtime: ann.Runtime, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('strict = true\n[[rule]]\nname = "*"\nbackend = "Devices:1"\n')
    optimized = ann.optimize(chain(), runtime=runtime, placement=rules)
    assert set(ran_on(optimized).values()) == {"Devices:1"}
    assert "Devices:1" in str(optimized.assignment)
    rules.write_text('[[rule]]\nname = "*"\nbackend = "Devices:5"\n')
    with pytest.raises(ann.UnknownNameError, match=r"asks for backend 'Devices:5'.* not loaded"):
        ann.optimize(chain(), runtime=runtime, placement=rules)


def test_one_device_is_lost(runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    x = {"x": np.ones(3, np.float32)}
    with (
        ann.load(chain(), ["Devices"], runtime=runtime) as first,
        ann.load(chain(), ["Devices:1"], runtime=runtime) as second,
    ):
        monkeypatch.setenv("DEVICES_GONE", "1")
        with pytest.raises(ann.ExecutionError, match="on backend 'Devices:1': device lost"):
            second.run(x)
        monkeypatch.delenv("DEVICES_GONE")
        assert runtime.backends["Devices:1"].lost_device == "the cable is out"
        assert runtime.backends["Devices"].lost_device is None
        with pytest.raises(ann.ExecutionError, match="the device of backend 'Devices:1' is lost"):
            second.run(x)
        first.run(x)


def test_devices_may_take_other_layers(runtime: ann.Runtime) -> None:
    x = ann.TensorInfo((3,))
    root = ann.descriptors.ElementwiseUnaryDescriptor(ann.UnaryOperation.SQRT)
    kind = ann.LayerType.ELEMENTWISE_UNARY
    assert runtime.backends["Devices"].supports(kind, [x], None, root)
    answer = runtime.backends["Devices:1"].supports(kind, [x], None, root)
    assert answer.reason == "device 1 has no square roots"


def test_closing(folder: Path, journal: Journal) -> None:
    runtime = ann.Runtime(folder)
    runtime.backends["Devices:1"]
    (file,) = (name for name in mapped_libraries() if name.endswith(FILE))
    assert mapped_libraries()[file] == 2
    runtime.close()
    assert journal() == ["open 0", "open 1", "close 1", "close 0"]
    assert file not in mapped_libraries()
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        runtime.backends["Devices:1"].retain()


def test_a_network_keeps_its_devices(folder: Path, journal: Journal) -> None:
    with ann.Runtime(folder) as runtime:
        support = ann.backends.LayerSupport(runtime.backends["Devices:1"])
    assert journal() == ["open 0", "open 1", "close 0"]
    support.close()
    assert journal() == ["close 1"]
    assert not any(name.endswith(FILE) for name in mapped_libraries())


def test_no_instance_after_the_end(folder: Path) -> None:
    runtime = ann.Runtime(folder)
    runtime.close()
    with pytest.raises(ann.InvalidArgumentError, match="backend 'Devices' is closed"):
        runtime.backends["Devices:1"]


def test_two_threads_ask_for_one(folder: Path, journal: Journal) -> None:
    with ann.Runtime(folder) as runtime:
        found: list[ann.backends.Backend] = []
        threads = [
            threading.Thread(target=lambda: found.append(runtime.backends["Devices:1"]))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len(set(map(id, found))) == 1
        assert journal() == ["open 0", "open 1"]


def test_a_device_that_does_not_open(
    folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVICES_LOST", "1")
    with ann.Runtime(folder) as runtime:
        with pytest.raises(BackendUnavailableError) as caught:
            ann.load(chain(), ["Devices:1", "CpuRef"], runtime=runtime)
        first, second = str(caught.value).splitlines()
        assert first == ("backend 'Devices:1' cannot be used: device 1 is used by another process")
        assert second.startswith("  device 1 of ")
        assert second.endswith(f"/{FILE} (Lane 1)")
        assert caught.value.backend == "Devices:1"
        with ann.load(chain(), ["Devices"], runtime=runtime) as loaded:
            loaded.run({"x": np.ones(3, np.float32)})
        monkeypatch.delenv("DEVICES_LOST")  # it is free now
        assert runtime.backends["Devices:1"].device_index == 1
    assert journal() == ["open 0", "open 1", "open 1", "close 1", "close 0"]
    assert not any(name.endswith(FILE) for name in mapped_libraries())


def test_without_a_first_device(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVICES_LOST", "0")
    with ann.Runtime(folder) as runtime:
        assert "Devices:1" not in runtime.backends
        with pytest.raises(ann.BackendNotFoundError, match="device 0 is used by another process"):
            runtime.backends["Devices:1"]


# ---- Options -------------------------------------------------------------------------------------


def test_options_for_all_and_for_one(folder: Path) -> None:
    options = {"Devices": {"gain": 2.0}, "Devices:1": {"gain": 3.0}}
    with ann.Runtime(folder, backend_options=options) as runtime:
        assert runtime.backends["Devices"].options == {"gain": 2.0}
        assert runtime.backends["Devices:1"].options == {"gain": 3.0}
    with ann.Runtime(folder, backend_options={"Devices": {"gain": 2.0}}) as runtime:
        assert runtime.backends["Devices:1"].options == {"gain": 2.0}
    options = {"Devices:0": {"gain": 4.0}, "Devices": {"gain": 2.0}}
    with ann.Runtime(folder, backend_options=options) as runtime:
        assert runtime.backends["Devices"].options == {"gain": 4.0}
        assert runtime.backends["Devices:1"].options == {"gain": 2.0}
        x = np.array([1, 2, 3], np.float32)
        with ann.load(chain({}, "a"), ["Devices:1"], runtime=runtime) as loaded:
            np.testing.assert_array_equal(loaded.run({"x": x})["y"], 2 * x + 10)


def test_wrong_options_of_a_device(folder: Path, journal: Journal) -> None:
    with pytest.raises(ann.UnknownNameError) as caught:
        ann.Runtime(folder, backend_options={"Devices:1": {"gian": 1.0}})
    assert str(caught.value).splitlines()[0] == (
        "backend_options['Devices:1']: option 'gian' is unknown"
    )
    with pytest.raises(ann.UnknownNameError) as caught:
        ann.Runtime(folder, backend_options={"Devices:2": {"gain": 1.0}})
    assert str(caught.value).splitlines()[:2] == [
        "backend_options: backend 'Devices' has no device 2, it has 2 devices",
        "  valid names: Devices, Devices:1",
    ]
    with pytest.raises(ann.UnknownNameError, match=r"backend 'Devces:1' is not loaded"):
        ann.Runtime(folder, backend_options={"Devces:1": {"gain": 1.0}})
    assert [line for line in journal() if line.endswith("1")] == []


def test_model_options(runtime: ann.Runtime) -> None:
    options = {"Devices": {"effort": 2}, "Devices:1": {"effort": 3}}
    given = ann.backends.ModelOptions(options, runtime.backends)
    assert given.values_of(runtime.backends["Devices"]) == {"effort": 2}
    assert given.values_of(runtime.backends["Devices:1"]) == {"effort": 3}
    given = ann.backends.ModelOptions({"Devices": {"effort": 2}}, runtime.backends)
    assert given.values_of(runtime.backends["Devices:1"]) == {"effort": 2}
    assert given.of(runtime.backends["Devices:1"]) is not None
    with pytest.raises(ann.UnknownNameError, match=r"model_options\['Devices:1'\]: option 'e'"):
        ann.backends.ModelOptions({"Devices:1": {"e": 2}}, runtime.backends)
    with pytest.raises(ann.BackendNotFoundError, match="has no device 2"):
        ann.optimize(chain(), runtime=runtime, model_options={"Devices:2": {"effort": 1}})


# ---- Wrong answers of list_devices ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("fails", "'Devices': list_devices failed: no driver answers"),
        ("unavailable", "'Devices': list_devices failed: none is here"),
        ("null", "list_devices: it described a device by null"),
        ("null-name", "list_devices: the name of a device cannot be read"),
        ("no-name", "list_devices: device 0 has no name"),
    ],
)
def test_wrong_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, words: str
) -> None:
    monkeypatch.setenv("DEVICES_ANSWERS", answer)
    with ann.Runtime(folder) as runtime:  # nobody asks
        assert "Devices:1" not in runtime.backends
        with pytest.raises(ann.BackendError, match=words):
            runtime.backends["Devices:1"]
        with pytest.raises(ann.BackendError, match=words):
            runtime.backends["Devices"].devices  # noqa: B018
        with ann.load(chain(), ["Devices"], runtime=runtime) as loaded:
            loaded.run({"x": np.ones(3, np.float32)})


@pytest.mark.parametrize(
    ("count", "words"),
    [("0", "it describes no device"), ("100000", "it describes more than 1024 devices")],
)
def test_wrong_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, count: str, words: str
) -> None:
    monkeypatch.setenv("DEVICES_COUNT", count)
    with ann.Runtime(folder) as runtime, pytest.raises(ann.BackendError, match=words):
        runtime.backends["Devices:1"]


def test_an_answer_that_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVICES_ANSWERS", "otherwise")
    with ann.Runtime(folder) as runtime:
        first = runtime.backends["Devices"]
        assert "Devices:1" in runtime.backends  # asked without an instance
        with pytest.raises(ann.BackendError) as caught:
            first.devices  # noqa: B018
    assert str(caught.value).splitlines()[:3] == [
        "backend 'Devices': list_devices answers otherwise than before",
        "  before: Devices 'Lane 0', Devices:1 'Lane 1'",
        "  now: Devices 'Lane 0', Devices:1 'Lane 1', Devices:2 'Lane 2'",
    ]


def test_one_device_without_a_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVICES_ANSWERS", "unsupported")
    with ann.Runtime(folder) as runtime:
        assert runtime.backends["Devices"].devices == ()
        with pytest.raises(ann.BackendNotFoundError, match="no device 1, it has 1 device"):
            runtime.backends["Devices:1"]


# ---- Whatever is kept by id ----------------------------------------------------------------------


def test_a_device_that_comes_with_a_shape(runtime: ann.Runtime, journal: Journal) -> None:
    journal()

    def build(inputs: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("free")
        x = network.add_input("x", inputs["x"])
        layer = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, name="a")
        layer.backend_hint = "Devices:1"
        network.add_output("y", layer)
        return network

    free = ann.TensorInfo((None,))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    with ann.load(network, ["CpuRef"], runtime=runtime) as loaded:
        assert journal() == []
        x = np.array([1, 2], np.float32)
        np.testing.assert_array_equal(loaded.run({"x": x})["y"], 10 - x)
        assert journal() == ["open 1"]


def test_measured_times_are_those_of_a_device(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (runtime.backends[name] for name in ("Devices", "Devices:1"))
    before = backend_identity(first)
    assert backend_identity(second) != before
    assert second.device == ann.DeviceDescription("Devices:1", "Lane 1", "Test", "1.2", 4096)
    with ann.Runtime(folder_of(first)) as again:
        assert backend_identity(again.backends["Devices"]) == before
    monkeypatch.setenv("DEVICES_ANSWERS", "unsupported")  # another driver tells other things
    with ann.Runtime(folder_of(first)) as again:
        assert backend_identity(again.backends["Devices"]) != before


def folder_of(backend: ann.backends.Backend) -> Path:
    assert backend.file is not None
    return Path(backend.file).parent


def test_strategy_measure_with_two_devices(runtime: ann.Runtime, tmp_path: Path) -> None:
    optimized = ann.optimize(
        chain(),
        ["Devices", "Devices:1"],
        runtime=runtime,
        strategy="measure",
        measure_cache=tmp_path,
    )
    assert set(ran_on(optimized).values()) <= {"Devices", "Devices:1"}


def test_allocators(folder: Path) -> None:
    """One for all devices, or one for a device; this backend takes none."""

    class Arena(ann.Allocator):
        memory_source = ann.MemorySource.MALLOC

        def allocate(self, size: int, alignment: int = 64) -> int:
            return 0

        def free(self, address: int) -> None: ...

    with ann.Runtime(folder, custom_allocators={"Devices:1": Arena()}) as runtime:
        assert "Devices" in list(runtime.backends)
        with pytest.raises(ann.BackendError, match=r"'Devices:1' cannot be used: .*allocator"):
            runtime.backends["Devices:1"]
    with pytest.raises(ann.UnknownNameError, match=r"custom_allocators: .* has no device 2"):
        ann.Runtime(folder, custom_allocators={"Devices:2": Arena()})
