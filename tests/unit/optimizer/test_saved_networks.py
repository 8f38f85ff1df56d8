# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Optimised networks as files: the same results, no pass, and nothing believed of a file."""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizedNetwork
from armnn_py.optimizer.saved.archive import Archive, write_archive
from armnn_py.optimizer.saved.read import read_network

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as runtime:
        yield runtime


def need(runtime: ann.Runtime, *backends: str) -> None:
    if not set(backends) <= set(runtime.backends):
        pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")


def image(seed: int = 0) -> dict[str, Any]:
    return {"image": np.random.default_rng(seed).random((1, 1, 8, 8), np.float32)}


@pytest.fixture
def saved(tmp_path: Path, runtime: ann.Runtime) -> Path:
    """The demo model on CpuRef, where all layers stay as they are."""
    path = tmp_path / "digits.armnn"
    ann.optimize(ann.import_model(DEMO), ["CpuRef"], runtime=runtime).save(path)
    return path


def members_of(path: Path) -> dict[str, tuple[bytes, ...]]:
    with zipfile.ZipFile(path) as archive:
        return {name: (archive.read(name),) for name in archive.namelist() if name != "mimetype"}


def changed(path: Path, change: Callable[[Any], Any]) -> Path:
    """Another file, whose document was changed, and whose sums agree."""
    members = members_of(path)
    document = json.loads(members["network.json"][0])
    document = change(document) or document
    members["network.json"] = (json.dumps(document).encode(),)
    other = path.with_name("changed.armnn")
    write_archive(str(other), members)
    return other


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return list(a) == list(b) and all(a[name].tobytes() == b[name].tobytes() for name in a)


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
    path = tmp_path / "x.armnn"
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


def test_load_recognises_a_file_and_saves_it_once_more(
    saved: Path, tmp_path: Path, runtime: ann.Runtime
) -> None:
    with ann.load(DEMO, ["CpuRef"]) as expected, ann.load(saved) as network:
        assert same(expected.run(image()), network.run(image()))
    copy = tmp_path / "copy.armnn"
    OptimizedNetwork.load(saved, runtime=runtime).save(copy)
    assert copy.read_bytes() == saved.read_bytes()


def test_a_compiled_sub_graph_is_saved_once_more_by_its_layers(
    tmp_path: Path, runtime: ann.Runtime
) -> None:
    need(runtime, "CpuAcc")
    first, second = tmp_path / "1.armnn", tmp_path / "2.armnn"
    ann.optimize(ann.import_model(DEMO), ["CpuAcc"], runtime=runtime).save(first)
    OptimizedNetwork.load(first, runtime=runtime).save(second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("backend", ["CpuRef", "CpuAcc"])
def test_another_process_computes_the_same(
    tmp_path: Path, runtime: ann.Runtime, backend: str
) -> None:
    need(runtime, backend)
    path = tmp_path / "x.armnn"
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
    monkeypatch.setattr("armnn_py.runtime.load.import_model", never)
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
    path = tmp_path / "x.armnn"
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
    for value in values:
        base: Any = value
        while isinstance(base.base, np.ndarray):
            base = base.base
        assert type(base.base).__name__ in ("mmap", "memoryview"), "a copy, not the file"
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
    with pytest.raises(ann.InvalidArgumentError, match="No space left"):
        optimized.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


@pytest.mark.parametrize("path", [3, None, "a\0b", "/nowhere/at/all/x.armnn", "."])
def test_paths_that_are_none(saved: Path, runtime: ann.Runtime, path: Any) -> None:
    optimized = OptimizedNetwork.load(saved, runtime=runtime)
    with pytest.raises(ann.InvalidArgumentError):
        optimized.save(path)
    with pytest.raises((ann.InvalidArgumentError, ann.ParseError)):
        OptimizedNetwork.load(path, runtime=runtime)


def test_a_path_of_bytes(saved: Path, tmp_path: Path, runtime: ann.Runtime) -> None:
    copy = tmp_path / "copy.armnn"
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
        optimized.save(tmp_path / "x.armnn")
    assert "specialize" in str(raised.value)
    optimized.specialize({"x": (2, 3)}).save(tmp_path / "x.armnn")
    with ann.load(tmp_path / "x.armnn") as loaded:
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
    path = tmp_path / "x.armnn"
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


# ---- Damage --------------------------------------------------------------------------------------


def read(path: Path) -> None:
    network = read_network(str(path)).network
    del network


def test_each_damaged_byte_is_noticed_or_harmless(saved: Path) -> None:
    """Whatever bytes change, the file is refused or is just as it was."""
    whole = saved.read_bytes()
    before = [x.value.tobytes() for x in read_network(str(saved)).network.layers if _is_constant(x)]
    noise = random.Random(1)
    target = saved.with_name("damaged.armnn")
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(noise.choice([1, 1, 1, 4, 64])):
            place = noise.randrange(len(damaged))
            if noise.random() < 0.5:  # where the structure is
                place = noise.choice([noise.randrange(300), -noise.randrange(1, 1200)])
            damaged[place] = noise.randrange(256)
        target.write_bytes(damaged)
        try:
            network = read_network(str(target)).network
        except ann.ParseError:
            continue
        assert [x.value.tobytes() for x in network.layers if _is_constant(x)] == before


def _is_constant(layer: Any) -> bool:
    return bool(layer.type is ann.LayerType.CONSTANT)


def test_each_cut_is_noticed(saved: Path) -> None:
    whole = saved.read_bytes()
    target = saved.with_name("cut.armnn")
    for size in [*range(0, 200, 7), *range(200, len(whole), 997), len(whole) - 1]:
        target.write_bytes(whole[:size])
        with pytest.raises(ann.ParseError):
            read(target)


_ODD = [
    None, True, -1, 2**31, 2**63, 10**30, 0.5, "", "x", "../../etc/passwd", [], [0], [[]],
    {}, {"origin": 3}, "inf", ["CpuRef"], [-1, -1], [0, 99], "PRE_COMPILED", "MEM_COPY",
]  # fmt: skip


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        items: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from _places(inner, (*path, key))


def without_bytes(document: Any) -> None:
    """Let compiled layers be compiled again, as where a backend does not take their bytes."""
    for layer in document["layers"]:
        layer.get("compiled", {}).pop("bytes", None)


@pytest.mark.parametrize(
    ("backend", "as_bytes", "fewest"),
    [("CpuRef", False, 150), ("CpuAcc", False, 150), ("CpuAcc", True, 100)],
)
def test_no_document_does_harm(
    tmp_path: Path, runtime: ann.Runtime, backend: str, as_bytes: bool, fewest: int
) -> None:
    """Values of other types, sizes and places, with sums that agree: refused, or a network."""
    need(runtime, backend)
    saved = tmp_path / "digits.armnn"
    ann.optimize(ann.import_model(DEMO), [backend], runtime=runtime).save(saved)
    if not as_bytes:
        saved = changed(saved, without_bytes)
    noise = random.Random(2)
    document = json.loads(members_of(saved)["network.json"][0])
    places = list(_places(document))[1:]
    refused = 0
    for place in noise.sample(places, 400):
        kind = noise.random()
        other = json.loads(json.dumps(document))
        inner = other
        for key in place[:-1]:
            inner = inner[key]
        if kind < 0.2:
            del inner[place[-1]]
        elif kind < 0.4 and isinstance(inner[place[-1]], int):
            inner[place[-1]] += noise.choice([-1, 1, 7])
        else:
            inner[place[-1]] = noise.choice(_ODD)
        try:
            optimized = OptimizedNetwork.load(changed(saved, lambda _, o=other: o), runtime=runtime)
        except (ann.ParseError, ann.BackendError, ann.InvalidArgumentError):  # model options
            refused += 1
            continue
        infos = {n: i for n, i in optimized.inputs.items() if i.byte_size < 1 << 20}
        try:
            network = runtime.load_network(optimized)
        except ann.BackendError:  # bytes for other tensors than the document says
            assert as_bytes
            refused += 1
            continue
        with network:
            if len(infos) == len(optimized.inputs):
                network.run({n: np.zeros(i.static_shape, i.dtype) for n, i in infos.items()})
    assert refused > fewest
    gc.collect()


def _outputs_of_an_input(compiled: Any) -> None:
    layers = compiled["source"]["layers"]
    layers[0]["outputs"] *= 2


def _output_that_is_not_there(compiled: Any) -> None:
    compiled["source"]["outputs"][0] = 7


def _output_less(compiled: Any) -> None:
    del compiled["source"]["outputs"][0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_outputs_of_an_input, "a layer of type Input is not whole"),
        (_output_that_is_not_there, "has other outputs than it"),
        (_output_less, "has other outputs than it"),
    ],
)
def test_a_source_that_does_not_fit_its_layer(
    tmp_path: Path, runtime: ann.Runtime, change: Callable[[Any], None], words: str
) -> None:
    """Found by damaging saved networks at random."""
    need(runtime, "CpuAcc")
    saved = tmp_path / "digits.armnn"
    optimized = ann.optimize(ann.import_model(DEMO), ["CpuAcc"], runtime=runtime)
    optimized.save(saved, keep_subgraphs=True)

    def spoil(document: Any) -> None:
        change(next(item["compiled"] for item in document["layers"] if "compiled" in item))
        without_bytes(document)

    with pytest.raises(ann.ParseError, match=words):
        OptimizedNetwork.load(changed(saved, spoil), runtime=runtime)


def test_a_document_may_not_be_deep(saved: Path) -> None:
    members = members_of(saved)
    members["network.json"] = (b"[" * 2_000_000,)
    write_archive(str(saved), members)
    with pytest.raises(ann.ParseError, match="no sound saved network"):
        read(saved)


def test_compressed_members_are_refused(saved: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.armnn"
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(bomb, "w") as target:
        for info in source.infolist():
            kind = zipfile.ZIP_STORED if info.filename == "mimetype" else zipfile.ZIP_DEFLATED
            target.writestr(zipfile.ZipInfo(info.filename), source.read(info), kind)
    with pytest.raises(ann.ParseError, match="compressed"):
        read(bomb)


def test_a_member_that_is_larger_than_the_file_is_refused(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    place = data.rindex(b"PK\x01\x02")
    struct.pack_into("<II", data, place + 20, 2**31, 2**31)
    saved.write_bytes(data)
    with pytest.raises(ann.ParseError, match="not there"):
        read(saved)


def test_two_members_of_one_name_are_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("network.json", b"{}")
    with pytest.raises(ann.ParseError, match="two members"):
        read(saved)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("dtype", "F64", "tensor '0' is no array of float32"),
        ("dtype", ["F32"], "tensor '0' is no array of float32"),
        ("shape", [1 << 62, 1 << 62], "tensor '0' is no array of float32"),
        ("shape", [-1], "tensor '0' is no array of float32"),
        ("data_offsets", [-64, 0], "at bytes -64 to 0"),
        ("data_offsets", [64, 0], "at bytes 64 to 0"),
        ("data_offsets", [0, 1 << 62], "at bytes 0 to 4611686018427387904"),
        ("data_offsets", [0, 1], "has 1 bytes, which is another size"),
        ("data_offsets", [0, 4.0], "no two whole numbers"),
        ("data_offsets", [True, 4], "no two whole numbers"),
        ("data_offsets", None, "no two whole numbers"),
    ],
)
def test_tensors_that_are_not_there(saved: Path, key: str, value: Any, words: str) -> None:
    def change(header: Any) -> None:
        header["0"][key] = value

    with pytest.raises(ann.ParseError, match=words):
        read(_with_header(saved, change))


def test_a_constant_that_is_missing(saved: Path) -> None:
    with pytest.raises(ann.ParseError, match="there is no tensor '0'"):
        read(_with_header(saved, lambda header: header.pop("0")))
    with pytest.raises(ann.ParseError, match="there is no tensor '0'"):
        read(_with_header(saved, lambda header: header.update({"0": 5})))


@pytest.mark.parametrize(
    "size", [0, 7, 1 << 40, (1 << 64) - 1], ids=["none", "short", "large", "negative"]
)
def test_a_header_of_another_size(saved: Path, size: int) -> None:
    members = members_of(saved)
    (data,) = members["constants.safetensors"]
    members["constants.safetensors"] = (size.to_bytes(8, "little") + data[8:],)
    write_archive(str(saved), members)
    with pytest.raises(ann.ParseError, match=r"constants\.safetensors"):
        read(saved)


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "C:\\x", "\x1b[2Jx"])
def test_members_of_other_names_are_neither_written_nor_shown(saved: Path, name: str) -> None:
    """Nothing is unpacked: a further member is a name in a table, and no more."""
    write_archive(str(saved), {**members_of(saved), name: (b"only here",)})
    before = {path.name for path in saved.parent.iterdir()}
    read(saved)
    assert {path.name for path in saved.parent.iterdir()} == before
    saved.write_bytes(saved.read_bytes().replace(b"only here", b"only htre"))
    with pytest.raises(ann.ParseError, match="its sum does not agree") as raised:
        read(saved)
    assert "\x1b" not in str(raised.value)


def test_control_characters_of_a_file_reach_no_terminal(
    saved: Path, runtime: ann.Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    evil = "\x1b]0;owned\x07\r\n"

    def change(document: Any) -> None:
        document["name"] = evil
        document["backends"][evil] = {"api": evil, "vendor_version": evil}
        for layer in document["layers"]:
            layer["name"] = evil + layer["name"]

    told = ""
    try:
        loaded = OptimizedNetwork.load(changed(saved, change), runtime=runtime)
        told = repr(loaded)
    except ann.ArmnnError as error:
        told = str(error)
    assert told
    assert "\x1b" not in told
    assert "\x1b" not in caplog.text


def _with_header(path: Path, change: Callable[[Any], Any]) -> Path:
    """The file with another header of its constants, of which all sums agree."""
    members = members_of(path)
    (data,) = members["constants.safetensors"]
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    change(header)
    text = json.dumps(header).encode()
    members["constants.safetensors"] = (len(text).to_bytes(8, "little") + text + data[8 + size :],)
    write_archive(str(path), members)
    return path


def test_a_changed_constant_is_noticed(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[data.index(b'{"0":{"dtype"') + 8192] ^= 1
    saved.write_bytes(data)
    with pytest.raises(ann.ParseError, match=r"constants\.safetensors' is damaged"):
        read(saved)


def test_a_later_format_is_refused_in_words(saved: Path) -> None:
    later = changed(saved, lambda d: {**d, "format_version": 3, "written_by": "9.9"})
    with pytest.raises(ann.ParseError, match=r"written by armnn_py 9\.9, which is newer"):
        read(later)


@pytest.mark.parametrize("what", ["nothing", "folder", "pipe", "text"])
def test_what_is_no_file_of_ours(tmp_path: Path, what: str) -> None:
    import os

    path = tmp_path / "x.armnn"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "text":
        path.write_text("hello")
    with pytest.raises(ann.ParseError):
        Archive(str(path))


def test_sums_are_those_of_zip(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        assert archive.testzip() is None
        for info in archive.infolist():
            assert zlib.crc32(archive.read(info)) == info.CRC


# ---- Files that have been checked ----------------------------------------------------------------


def test_weights_are_summed_once(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file that was found sound once, later loads map the weights and do not read them."""
    try:
        os.setxattr(saved, "user.test", b"1")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    summed: list[int] = []
    real = zlib.crc32
    monkeypatch.setattr(
        "armnn_py.optimizer.saved.archive.zlib.crc32",
        lambda data: summed.append(len(data)) or real(data),
    )
    weights = max(info.file_size for info in zipfile.ZipFile(saved).infolist())
    summed.clear()
    read(saved)  # who wrote it knew its sums
    assert summed.count(weights) == 0
    os.utime(saved)
    read(saved)  # changed a moment ago: it could change once more within the same tick
    read(saved)
    assert summed.count(weights) == 2
    long_ago = saved.stat().st_mtime_ns - 10**10
    os.utime(saved, ns=(long_ago, long_ago))
    read(saved)
    assert summed.count(weights) == 3
    read(saved)
    assert summed.count(weights) == 3
    read_network(str(saved), in_place=False)
    assert summed.count(weights) == 4
    copy = saved.with_name("copy.armnn")
    shutil.copy2(saved, copy)
    read(copy)
    assert summed.count(weights) == 5


def test_a_checked_file_that_changes_is_checked_anew(saved: Path) -> None:
    long_ago = saved.stat().st_mtime_ns - 10**10
    os.utime(saved, ns=(long_ago, long_ago))
    read(saved)
    data = bytearray(saved.read_bytes())
    data[data.index(b'{"0":{"dtype"') + 8192] ^= 1
    saved.write_bytes(data)
    with pytest.raises(ann.ParseError, match="is damaged"):
        read(saved)
