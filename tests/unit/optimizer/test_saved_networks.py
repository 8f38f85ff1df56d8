# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Optimised networks as files: the same results, and no pass."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizedNetwork
from armnn_py.optimizer.saved.read import read_network

from .saved import DEMO, changed, image, need, same, save_demo


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as runtime:
        yield runtime


@pytest.fixture
def saved(tmp_path: Path, runtime: ann.Runtime) -> Path:
    """The demo model on CpuRef."""
    return save_demo(tmp_path / "digits.armnnpy", runtime)


# ---- Round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc"], ["CpuAcc", "CpuRef"]], ids="+".join)
@pytest.mark.parametrize("keep", [False, True], ids=["small", "with layers"])
def test_a_loaded_file_is_the_network_that_was_saved(
    runtime: ann.Runtime, tmp_path: Path, backends: list[str], keep: bool
) -> None:
    need(runtime, *backends)
    network = ann.import_model(DEMO)
    placement = {"conv2": "CpuRef"} if len(backends) == 2 else None
    optimized = ann.optimize(network, backends, runtime=runtime, placement=placement)
    path = tmp_path / "x.armnnpy"
    optimized.save(path, keep_subgraphs=keep)
    again = OptimizedNetwork.load(path, runtime=runtime)
    assert again.assignment.to_json() == optimized.assignment.to_json()
    assert again.passes == optimized.passes
    assert again.metadata == optimized.metadata
    assert again.memory == optimized.memory
    assert again.placed.public_guids == optimized.placed.public_guids
    assert again.placed.origins == optimized.placed.origins
    assert [repr(x) for x in again.network.layers] == [repr(x) for x in optimized.network.layers]
    with runtime.load_network(optimized) as first, runtime.load_network(again) as second:
        assert same(first.run(image()), second.run(image()))


def test_the_layers_of_a_loaded_file_are_a_network(saved: Path, runtime: ann.Runtime) -> None:
    """It is loaded without builders of layers, and has them when somebody asks for it."""
    optimized = OptimizedNetwork.load(saved, runtime=runtime)
    network = optimized.network
    assert type(network) is ann.Network
    assert network is optimized.network
    assert network.validate() == ()
    relu = network.add_activation(network.layers[-2], ann.ActivationFunction.RELU)
    assert network.layers[-1] is relu
    contents = read_network(str(saved))
    assert contents.network is contents.contents


def test_load_recognises_a_file_and_saves_it_once_more(
    saved: Path, tmp_path: Path, runtime: ann.Runtime
) -> None:
    with ann.load(DEMO, ["CpuRef"]) as expected, ann.load(saved) as network:
        assert same(expected.run(image()), network.run(image()))
    copy = tmp_path / "copy.armnnpy"
    OptimizedNetwork.load(saved, runtime=runtime).save(copy)
    assert copy.read_bytes() == saved.read_bytes()


def test_a_compiled_sub_graph_is_saved_once_more_by_its_layers(
    tmp_path: Path, runtime: ann.Runtime
) -> None:
    need(runtime, "CpuAcc")
    first, second = tmp_path / "1.armnnpy", tmp_path / "2.armnnpy"
    ann.optimize(ann.import_model(DEMO), ["CpuAcc"], runtime=runtime).save(first)
    OptimizedNetwork.load(first, runtime=runtime).save(second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("backend", ["CpuRef", "CpuAcc"])
def test_another_process_computes_the_same(
    tmp_path: Path, runtime: ann.Runtime, backend: str
) -> None:
    need(runtime, backend)
    path = tmp_path / "x.armnnpy"
    optimized = ann.optimize(ann.import_model(DEMO), [backend], runtime=runtime)
    optimized.save(path)
    np.save(tmp_path / "x.npy", image()["image"])
    code = (
        "import sys, numpy as np, armnn_py as ann\n"
        "with ann.load(sys.argv[1]) as net:\n"
        "    y = net.run(np.load(sys.argv[2]))\n"
        "print(y['probabilities'].tobytes().hex())\n"
        "assert 'onnx' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(tmp_path / "x.npy")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    with runtime.load_network(optimized) as network:
        expected = network.run(image())["probabilities"].tobytes().hex()
    assert done.stdout.strip() == expected


def test_no_pass_runs_and_nothing_is_imported(
    saved: Path, runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("optimised again")

    monkeypatch.setattr("armnn_py.optimizer.pipeline.place_network", never)
    monkeypatch.setattr("armnn_py.optimizer.pipeline.run_passes", never)
    monkeypatch.setattr("armnn_py.runtime.load.import_network", never)
    monkeypatch.setattr("armnn_py.runtime.load.optimize", never)
    with ann.load(saved, runtime=runtime) as network:
        assert network.assignment.counts == {"CpuRef": 12}


def test_values_of_all_kinds(tmp_path: Path, runtime: ann.Runtime) -> None:
    """Infinite bounds, quantisation, half precision, scalars, empty tensors, integers, bools."""
    network = ann.Network("kinds")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    bounded = network.add_activation(x, ann.ActivationFunction.BOUNDED_RELU, a=float("inf"), b=-1.5)
    network.add_output("bounded", network.add_addition(bounded, np.float32(2.5)))
    network.add_output("gathered", network.add_gather(x, np.int64([1, 0])))
    scale = ann.QuantizationInfo((0.1,), (3,))
    q = network.add_input("q", ann.TensorInfo((2, 3), ann.DataType.QASYMM_S8, scale))
    network.add_output("quantized", network.add_reshape(q, (3, 2)))
    empty = network.add_constant(np.empty((0, 3), np.float32))
    network.add_output("joined", network.add_concat([x, empty], axis=0))
    half = network.add_constant(np.float16([[1, 2, 3]]))
    network.add_output("half", half)
    flags = network.add_constant(np.array([True, False]))
    network.add_output("flags", flags)
    path = tmp_path / "x.armnnpy"
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    optimized.save(path)
    given = {"q": np.int8([[1, 2, 3], [4, 5, 6]]), "x": np.float32([[-2, 0, 9e9], [1, 2, np.inf]])}
    with runtime.load_network(optimized) as first, ann.load(path) as second:
        assert same(first.run(given), second.run(given))
        assert dict(second.outputs) == dict(first.outputs)


def test_constants_stay_in_the_file(saved: Path, runtime: ann.Runtime) -> None:
    network = OptimizedNetwork.load(saved, runtime=runtime).network
    values = [layer.value for layer in network.layers if layer.type is ann.LayerType.CONSTANT]
    assert values
    lines = Path("/proc/self/maps").read_text().splitlines()
    ranges = [line.split()[0].split("-") for line in lines if line.endswith(str(saved))]
    for value in values:
        address = value.ctypes.data
        assert any(int(a, 16) <= address < int(b, 16) for a, b in ranges), "a copy, not the file"
        assert value.ctypes.data % 64 == 0
        assert not value.flags.writeable
    copied = OptimizedNetwork.load(saved, runtime=runtime, in_place=False).network
    kept = [layer.value for layer in copied.layers if layer.type is ann.LayerType.CONSTANT]
    saved.write_bytes(b"")  # nothing of it is in use
    assert [a.tobytes() for a in kept]


def test_constants_are_safetensors(saved: Path) -> None:
    """Read as the format's specification says: a length, a header, values without gaps."""
    network = read_network(str(saved)).network
    with zipfile.ZipFile(saved) as archive:
        data = archive.read("constants.safetensors")
        offsets = {info.filename: info.header_offset for info in archive.infolist()}
    size = int.from_bytes(data[:8], "little")
    header, values = json.loads(data[8 : 8 + size]), data[8 + size :]
    places = sorted(about["data_offsets"] for about in header.values())
    assert [begin for begin, _ in places] == [0, *(end for _, end in places[:-1])]
    assert places[-1][1] == len(values)
    expected = [x.value for x in network.layers if x.type is ann.LayerType.CONSTANT]
    for number, value in enumerate(expected):
        about = header[str(number)]
        begin, end = about["data_offsets"]
        assert about["dtype"] == {"float32": "F32", "int32": "I32"}[value.dtype.name]
        assert about["shape"] == list(value.shape)
        assert values[begin:end] == value.tobytes()
    whole = saved.read_bytes()
    for name, at in offsets.items():
        name_size, extra_size = struct.unpack_from("<HH", whole, at + 26)
        assert name == "mimetype" or (at + 30 + name_size + extra_size) % 4096 == 0


# ---- Writing -------------------------------------------------------------------------------------


def test_a_file_is_replaced_as_a_whole(
    saved: Path, runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()
    optimized = OptimizedNetwork.load(saved, runtime=runtime)

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(ann.ShortageError, match="no space left on the disk to save"):
        optimized.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


@pytest.mark.parametrize("path", [3, None, "a\0b", "/nowhere/at/all/x.armnnpy", "."])
def test_invalid_paths(saved: Path, runtime: ann.Runtime, path: Any) -> None:
    optimized = OptimizedNetwork.load(saved, runtime=runtime)
    with pytest.raises(ann.InvalidArgumentError):
        optimized.save(path)
    with pytest.raises((ann.InvalidArgumentError, ann.ParseError)):
        OptimizedNetwork.load(path, runtime=runtime)


def test_a_path_of_bytes(saved: Path, tmp_path: Path, runtime: ann.Runtime) -> None:
    copy = tmp_path / "copy.armnnpy"
    OptimizedNetwork.load(bytes(saved), runtime=runtime).save(bytes(copy))
    assert copy.read_bytes() == saved.read_bytes()


def test_free_dimensions_are_bound_first(tmp_path: Path, runtime: ann.Runtime) -> None:
    free = ann.TensorInfo((None, 3))

    def build(infos: Any) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_activation(x, ann.ActivationFunction.ABS))
        return network

    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    with pytest.raises(ann.InvalidArgumentError, match="free dimensions") as raised:
        optimized.save(tmp_path / "x.armnnpy")
    assert "specialize" in str(raised.value)
    optimized.specialize({"x": (2, 3)}).save(tmp_path / "x.armnnpy")
    with ann.load(tmp_path / "x.armnnpy") as loaded:
        assert loaded.run(np.float32([[1, -1, 0]] * 2))["y"].tolist() == [[1, 1, 0]] * 2


def test_options_of_optimize_do_not_go_with_a_saved_network(saved: Path) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="backends given with a saved network"):
        ann.load(saved, ["CpuAcc"])
    with pytest.raises(ann.ParseError, match="saved with its backends"):
        ann.import_model(saved)


# ---- Backends that have changed ------------------------------------------------------------------


def test_a_backend_is_missing(saved: Path) -> None:
    with (
        ann.Runtime(enable_dynamic_backends=False, bundled_backends=False) as empty,
        pytest.raises(ann.BackendNotFoundError, match="'CpuRef' is not loaded"),
    ):
        OptimizedNetwork.load(saved, runtime=empty)


def test_a_layer_is_not_taken_any_more(
    tmp_path: Path, runtime: ann.Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    """Another backend gets it; a warning says so, why, and what may have changed."""
    need(runtime, "CpuAcc")
    network = ann.Network("half precision")
    x = network.add_input("x", ann.TensorInfo((2, 3), ann.DataType.FLOAT16))
    network.add_output("y", network.add_addition(x, x, name="sum"))
    path = tmp_path / "x.armnnpy"
    ann.optimize(network, ["CpuRef"], runtime=runtime).save(path)

    def move(document: Any) -> None:
        document["backends"] = {"CpuAcc": {"api": "2.0", "vendor_version": "0.0.1"}}
        for layer in document["layers"]:
            if "backend" in layer:
                layer["backend"] = "CpuAcc"

    loaded = OptimizedNetwork.load(changed(path, move), runtime=runtime)
    (told,) = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert "'CpuAcc' does not take layer 'sum' (Addition) of the saved network: no kernel" in told
    assert "saved with version 0.0.1 of the backend, this is 0.1.0" in told
    assert "save it again" in told
    assert loaded.assignment.counts == {"CpuRef": 1}
