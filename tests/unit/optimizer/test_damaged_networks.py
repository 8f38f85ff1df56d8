# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks that were changed: nothing is believed of a file, and no byte does harm."""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import struct
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

from .saved import DEMO, changed, document_of, image, members_of, need, rewritten, save_demo


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as runtime:
        yield runtime


@pytest.fixture
def saved(tmp_path: Path, runtime: ann.Runtime) -> Path:
    """The demo model on CpuRef."""
    return save_demo(tmp_path / "digits.armnnpy", runtime)


def read(path: Path) -> None:
    """All of it, with what is read when somebody asks."""
    saved = read_network(str(path))
    network, reports = saved.network, (saved.reports.assignment(), saved.reports.passes())
    del network, reports


def look(optimized: OptimizedNetwork) -> None:
    """Reports are read when somebody asks for them."""
    optimized.assignment.to_json()
    for one in optimized.passes:
        assert isinstance(one.name, str)


def test_each_damaged_byte_is_noticed_or_harmless(saved: Path) -> None:
    """Whatever bytes change, the file is refused or is just as it was."""
    whole = saved.read_bytes()
    before = [x.value.tobytes() for x in read_network(str(saved)).network.layers if _is_constant(x)]
    noise = random.Random(1)
    target = saved.with_name("damaged.armnnpy")
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
    target = saved.with_name("cut.armnnpy")
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


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize(
    ("backend", "as_bytes", "fewest"),
    [("CpuRef", False, 150), ("CpuAcc", False, 150), ("CpuAcc", True, 100)],
)
def test_no_document_does_harm(
    tmp_path: Path, runtime: ann.Runtime, backend: str, as_bytes: bool, fewest: int
) -> None:
    """Values of other types, sizes and places, with sums that agree: refused, or a network."""
    need(runtime, backend)
    saved = tmp_path / "digits.armnnpy"
    ann.optimize(ann.import_model(DEMO), [backend], runtime=runtime).save(saved)
    if not as_bytes:
        saved = changed(saved, without_bytes)
    noise = random.Random(2)
    document = document_of(members_of(saved))
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
            optimized = OptimizedNetwork.load(rewritten(saved, other), runtime=runtime)
            look(optimized)
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
    saved = tmp_path / "digits.armnnpy"
    optimized = ann.optimize(ann.import_model(DEMO), ["CpuAcc"], runtime=runtime)
    optimized.save(saved, keep_subgraphs=True)

    def spoil(document: Any) -> None:
        change(next(item["compiled"] for item in document["layers"] if "compiled" in item))
        without_bytes(document)

    with pytest.raises(ann.ParseError, match=words):
        OptimizedNetwork.load(changed(saved, spoil), runtime=runtime)


def test_a_source_that_makes_other_outputs_than_its_layer(
    tmp_path: Path, runtime: ann.Runtime
) -> None:
    """The layers are taken where the bytes are not: each output that is read is one of theirs."""
    need(runtime, "CpuAcc")
    network = ann.Network("two results")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.EXP)
    network.add_output("y", y)
    network.add_output("z", network.add_reduce(y, ann.ReduceOperation.SUM, [0]))
    saved = tmp_path / "x.armnnpy"
    ann.optimize(network, ["CpuAcc"], runtime=runtime).save(saved, keep_subgraphs=True)
    for told in ([0, 0], [1, 1], [1, 0]):

        def spoil(document: Any, told: list[int] = told) -> None:
            (compiled,) = (one["compiled"] for one in document["layers"] if "compiled" in one)
            compiled["source"]["outputs"] = told
            without_bytes(document)

        with pytest.raises(ann.BackendError, match=r"output . of the compiled .* but its layers"):
            OptimizedNetwork.load(changed(saved, spoil), runtime=runtime)


def test_a_document_may_not_be_deep(saved: Path) -> None:
    members = members_of(saved)
    members["network.json"] = (b"[" * 2_000_000,)
    write_archive(str(saved), members)
    with pytest.raises(ann.ParseError, match="not a sound saved network"):
        read(saved)


def test_compressed_members_are_refused(saved: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.armnnpy"
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
        ("dtype", "F64", "tensor '0' is not an array of float32"),
        ("dtype", ["F32"], "tensor '0' is not an array of float32"),
        ("shape", [1 << 62, 1 << 62], "tensor '0' is not an array of float32"),
        ("shape", [-1], "tensor '0' is not an array of float32"),
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
    with pytest.raises(ann.ParseError, match="tensor '0' is missing"):
        read(_with_header(saved, lambda header: header.pop("0")))
    with pytest.raises(ann.ParseError, match="tensor '0' is missing"):
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


@pytest.mark.parametrize("spoiled", ["backend", "changes", "both"])
def test_damaged_reports_are_reported_on_request(
    saved: Path, runtime: ann.Runtime, spoiled: str
) -> None:
    """What is run needs none of them."""

    def spoil(document: Any) -> None:
        if spoiled == "backend":
            document["assignment"][0]["backend"] = 7
        elif spoiled == "changes":
            document["passes"][0]["changes"] = [1]
        else:
            del document["assignment"], document["passes"]

    optimized = OptimizedNetwork.load(changed(saved, spoil), runtime=runtime)
    with runtime.load_network(optimized) as network:
        assert network.run(image())
    with pytest.raises(ann.ParseError, match="not a sound saved network"):
        look(optimized)


def test_an_earlier_format_is_refused_with_a_message(saved: Path) -> None:
    earlier = changed(saved, lambda d: {**d, "format_version": 2})
    with pytest.raises(ann.ParseError, match="of format 2, which is no longer read"):
        read(earlier)


def test_a_later_format_is_refused_with_a_message(saved: Path) -> None:
    later = changed(saved, lambda d: {**d, "format_version": 4, "written_by": "9.9"})
    with pytest.raises(ann.ParseError, match=r"written by armnn_py 9\.9, which is newer"):
        read(later)


@pytest.mark.parametrize("what", ["nothing", "folder", "pipe", "text"])
def test_foreign_files(tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.armnnpy"
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
        "armnn_py.optimizer.saved.archive.binascii.crc32",
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
    copy = saved.with_name("copy.armnnpy")
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
