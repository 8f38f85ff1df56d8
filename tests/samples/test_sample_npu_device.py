# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu: cache, blobs, device memory and queue, through the C interface itself."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import abi
from armnn_py._native.table.guarded_calls import unguarded

from .npu_device import Device, DeviceError, loaded, part_of, run_part
from .npu_networks import RELU, check, numbers, small


@pytest.fixture(scope="module")
def library(sample_backend: Callable[[str], Path]) -> Path:
    return sample_backend("sample_npu")


@pytest.fixture
def device(library: Path) -> Iterator[Device]:
    device = Device(library)
    yield device
    device.close()


# ---- Cache ---------------------------------------------------------------------------------------


@pytest.fixture
def cached(library: Path, tmp_path: Path) -> Iterator[Callable[[], Device]]:
    devices = []

    def make() -> Device:
        devices.append(Device(library, cache_dir=tmp_path))
        return devices[-1]

    yield make
    for device in devices:
        device.close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_cache_keeps_one_file_for_each_content(
    cached: Callable[[], Device], tmp_path: Path
) -> None:
    device = cached()
    assert device.cache_files == 0
    first = run_part(device, device.compiled(part_of(small())), {"x": numbers(1, 4, 6, 6)})
    assert device.cache_files == 1
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns, file.read_bytes()
    again = run_part(cached(), cached().compiled(part_of(small())), {"x": numbers(1, 4, 6, 6)})
    assert (file.stat().st_mtime_ns, file.read_bytes()) == written
    assert first[0].tobytes() == again[0].tobytes()
    device.compiled(part_of(small(seed=9)))
    assert device.cache_files == 2


def test_program_that_is_run_comes_from_the_file(
    cached: Callable[[], Device], tmp_path: Path
) -> None:
    """Another network's file under this network's name is seen through by the key inside."""
    device = cached()
    device.compiled(part_of(small(seed=9)))
    (other,) = tmp_path.iterdir()
    device.compiled(part_of(small()))
    (mine,) = (path for path in tmp_path.iterdir() if path != other)
    good = mine.read_bytes()
    mine.write_bytes(other.read_bytes())
    check(cached(), small(), {"x": numbers(1, 4, 6, 6)})
    assert mine.read_bytes() == good


@pytest.mark.parametrize("place", [0, 8, 40, 70, 90, 200, -1])
def test_damaged_file_is_written_anew(
    cached: Callable[[], Device], tmp_path: Path, place: int
) -> None:
    cached().compiled(part_of(small()))
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    bad = bytearray(good)
    bad[place] ^= 1
    for damaged in (bytes(bad), good[:place], b""):
        file.write_bytes(damaged)
        check(cached(), small(), {"x": numbers(1, 4, 6, 6)})
        assert file.read_bytes() == good
    assert names(tmp_path) == [file.name]


def test_foreign_programs_are_not_read(cached: Callable[[], Device], tmp_path: Path) -> None:
    """However large: the head tells."""

    def bytes_read() -> int:
        return int(Path("/proc/self/io").read_text().split()[1])

    cached().compiled(part_of(small()))
    (file,) = tmp_path.glob("*.npu")
    good = file.read_bytes()
    for head in (b"", good[:4096]):
        file.write_bytes(head)
        os.truncate(file, 64 << 20)
        device = cached()
        before = bytes_read()
        device.compiled(part_of(small()))
        assert bytes_read() - before < 1 << 20
        assert file.read_bytes() == good


def test_foreign_files_do_not_count(cached: Callable[[], Device], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "0123.npu").write_text("short name")
    assert cached().cache_files == 0


def test_a_missing_folder_is_not_an_error(library: Path, tmp_path: Path) -> None:
    device = Device(library, cache_dir=tmp_path / "gone")
    check(device, small(), {"x": numbers(1, 4, 6, 6)})
    assert device.cache_files == 0
    device.close()


# ---- Blobs ---------------------------------------------------------------------------------------


def test_blobs_of_others_are_incompatible(device: Device) -> None:
    part = device.compiled(part_of(small()))
    (layer,) = part.layers
    assert layer.blob is not None
    assert layer.blob.compatibility == b"sample-npu/1"
    device.check(device.api.check_blob, device._backend, layer.blob.struct.compatibility)
    layer.blob.struct.compatibility.size = 5
    with pytest.raises(DeviceError, match="compiled for 'sampl', this is 'sample-npu/1'") as caught:
        device.check(device.api.check_blob, device._backend, layer.blob.struct.compatibility)
    assert str(caught.value).startswith(str(abi.ARMNN_STATUS_INCOMPATIBLE))
    with pytest.raises(DeviceError, match="not a compiled part"), loaded(device, part):
        pass


def test_long_names_are_cut_between_characters(device: Device) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_activation(x, RELU, name="a" + 40 * "\u00fc"))
    (layer,) = device.compiled(part_of(network)).layers
    assert layer.name == "npu: a" + 31 * "\u00fc"


# ---- Memory and queue ----------------------------------------------------------------------------


def test_mapping_is_a_copy_that_unmap_writes_back(device: Device) -> None:
    with loaded(device, part_of(small())) as network:
        handle = network.context().handles[abi.ARMNN_SLOT_BOUNDARY, 0]
        api = unguarded(handle._api)
        values = numbers(1, 4, 6, 6)
        mapped = device.call(api.map, handle._object, abi.ARMNN_MAP_WRITE)
        with pytest.raises(DeviceError, match="mapped already"):
            device.call(api.map, handle._object, abi.ARMNN_MAP_READ)
        np.ctypeslib.as_array((ctypes.c_float * values.size).from_address(mapped.value))[:] = (
            values.ravel()
        )
        device.check(api.unmap, handle._object)
        back = np.empty_like(values)
        device.check(api.copy_out_to, handle._object, back.ctypes.data, back.nbytes)
        assert back.tobytes() == values.tobytes()
        with pytest.raises(DeviceError, match="not mapped"):
            device.check(api.unmap, handle._object)
        with pytest.raises(DeviceError, match="576 bytes, not 4"):
            device.check(api.copy_out_to, handle._object, back.ctypes.data, 4)


def test_no_device_memory_is_mapped_between_jobs(device: Device) -> None:
    with loaded(device, device.compiled(part_of(small()))) as network:
        network.context().run([numbers(1, 4, 6, 6)])
        assert open_regions()
        assert "memfd:sample_npu" not in Path("/proc/self/maps").read_text()


def test_lifetimes_share_memory(device: Device) -> None:
    network = ann.Network()
    y: Any = network.add_input("x", ann.TensorInfo((1000,)))
    for _ in range(10):
        y = network.add_activation(y, RELU)
    network.add_output("y", y)
    with loaded(device, part_of(network)) as layers:
        before = set(open_regions())
        layers.context().run([numbers(1000)])
        sizes = [size for name, size in open_regions() if (name, size) not in before]
        assert sorted(sizes) == [4000, 2 * 4032]  # the input's own, and two places for ten values


def open_regions() -> list[tuple[str, int]]:
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            if "memfd:sample_npu" in str(link.readlink()):
                found.append((link.name, link.stat().st_size))
        except FileNotFoundError:
            continue
    return found


def test_regions_are_closed_at_the_end(device: Device) -> None:
    before = open_regions()
    run_part(device, part_of(small()), {"x": numbers(1, 4, 6, 6)})
    assert open_regions() == before


def test_queue_takes_more_jobs_than_it_has_room_for(device: Device) -> None:
    with loaded(device, device.compiled(part_of(small()))) as network:
        context = network.context()
        (first,) = context.run([numbers(1, 4, 6, 6)])
        for _ in range(200):
            context.enqueue()
        context.wait()
        (last,) = context.run([numbers(1, 4, 6, 6)])
        assert first.tobytes() == last.tobytes()


def test_contexts_run_at_the_same_time(device: Device) -> None:
    network = small()
    inputs = [numbers(1, 4, 6, 6, seed=seed) for seed in range(4)]
    with ann.load(network, ["CpuRef"]) as reference:
        expected = [reference.run({"x": x})["y"] for x in inputs]
    with loaded(device, device.compiled(part_of(network))) as compiled:
        contexts = [compiled.context() for _ in inputs]
        wrong: list[int] = []

        def work(index: int) -> None:
            for _ in range(25):
                (result,) = contexts[index].run([inputs[index]])
                if not np.allclose(result, expected[index], rtol=1e-4, atol=1e-4):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_execute_refuses_tensors_of_others(device: Device) -> None:
    with loaded(device, part_of(small())) as network:
        context = network.context()
        context.handles[0, 0], kept = (
            context.handles[abi.ARMNN_SLOT_BOUNDARY, 0],
            context.handles[0, 0],
        )
        with pytest.raises(DeviceError, match="the tensor has 576 bytes, not 512"):
            context.enqueue()
        context.wait()
        context.handles[0, 0] = kept


def test_error_of_the_device_comes_out_of_the_wait_once(device: Device) -> None:
    with loaded(device, part_of(small())) as network:
        context = network.context()
        (good,) = context.run([numbers(1, 4, 6, 6)])
        device.check(device.api.quiesce, device._backend, 10**10)
        context.enqueue()
        with pytest.raises(DeviceError, match="stopped at instruction 0"):
            context.wait()
        context.wait()
        assert good.any()


def test_a_complete_network_gets_no_more_workloads(library: Path) -> None:
    device = Device(library)
    with loaded(device, part_of(small())):
        device.check(device.factory_api.after_workloads_created, device._factory)
        with pytest.raises(DeviceError, match="has all of its"), loaded(device, part_of(small())):
            pass
    device.close()
