# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory behind descriptors as inputs and outputs: imported by Sample_Npu, mapped for CpuRef."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

SHAPE = (2, 3, 5, 8)
X = np.random.default_rng(1).standard_normal(SHAPE).astype(np.float32)
PAGE = os.sysconf("SC_PAGESIZE")


@pytest.fixture
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    with ann.Runtime(sample_backend("sample_npu").parent) as made:
        yield made


def network_on(backend: str) -> ann.Network:
    """y = relu(x + x)."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    doubled = network.add_addition(x, x, backend=backend)
    relu = network.add_activation(doubled, ann.ActivationFunction.RELU, backend=backend)
    network.add_output("y", relu)
    return network


EXPECTED = np.maximum(X + X, 0)


def memfd(size: int) -> int:
    fd = os.memfd_create("test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    return fd


def filled(offset: int = 0, array: np.ndarray = X) -> int:
    fd = memfd(offset + array.nbytes)
    os.pwrite(fd, array.tobytes(), offset)
    return fd


def dma_buf(fd: int, size: int) -> int:
    """A real DMA-BUF over the pages of a memfd."""
    if not Path("/dev/udmabuf").exists():
        pytest.skip("no /dev/udmabuf on this machine: there is no DMA-BUF to try")
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    device = os.open("/dev/udmabuf", os.O_RDWR)
    try:
        command = struct.pack("IIQQ", fd, 1, 0, size)  # UDMABUF_FLAGS_CLOEXEC
        return fcntl.ioctl(device, 0x40187542, command)
    finally:
        os.close(device)


def imported(network: ann.LoadedNetwork, run: Callable[[], Any]) -> int:
    with network.profile() as profile:
        run()
    counters = profile.counters.get("Sample_Npu", {})
    return int(counters.get("bytes_imported", 0))


BACKENDS = pytest.mark.parametrize("backend", ["Sample_Npu", "CpuRef"])


@BACKENDS
@pytest.mark.parametrize("offset", [0, 4, PAGE + 64])
def test_input_and_output(runtime: ann.Runtime, backend: str, offset: int) -> None:
    source, target = filled(offset), memfd(offset + X.nbytes + 10)
    with (
        ann.load(network_on(backend), [backend], runtime=runtime) as network,
        ann.ExternalMemory(source, offset=offset) as x,
        ann.ExternalMemory(target, offset=offset) as y,
    ):
        assert x.source is ann.MemorySource.FILE

        def run() -> None:
            outputs = network.run({"x": x}, out={"y": y})
            assert outputs["y"] is y

        assert imported(network, run) == (2 * X.nbytes if backend == "Sample_Npu" else 0)
        result = np.frombuffer(os.pread(target, X.nbytes, offset), np.float32).reshape(SHAPE)
        np.testing.assert_array_equal(result, EXPECTED)
        assert os.pread(target, 10, offset + X.nbytes) == bytes(10)
        np.testing.assert_array_equal(network.run(X)["y"], EXPECTED)  # plain arrays again
    os.close(source)
    os.close(target)


@BACKENDS
def test_strict_runs_and_bound_arrays(runtime: ann.Runtime, backend: str) -> None:
    """Nothing is copied, and each run sees what is in the memory then."""
    source, target = filled(), memfd(X.nbytes)
    with (
        ann.load(network_on(backend), [backend], runtime=runtime) as network,
        ann.ExternalMemory(source) as x,
        ann.ExternalMemory(target) as y,
    ):
        network.run({"x": x}, out={"y": y}, share_inputs=True)
        assert np.frombuffer(os.pread(target, 4 * X.size, 0), np.float32).max() == EXPECTED.max()
        with network.bind({"x": x}, {"y": y}) as bound:
            assert bound.inputs["x"] is x
            assert bound.outputs["y"] is y
            for factor in (1, 3, 5):
                os.pwrite(source, (X * np.float32(factor)).tobytes(), 0)
                bound.run()
                result = np.frombuffer(os.pread(target, X.nbytes, 0), np.float32)
                np.testing.assert_allclose(result.reshape(SHAPE), EXPECTED * factor, rtol=1e-6)
        np.testing.assert_array_equal(network.run(X)["y"], EXPECTED)
    os.close(source)
    os.close(target)


@BACKENDS
def test_strides_are_copied_unless_that_is_an_error(runtime: ann.Runtime, backend: str) -> None:
    """Rows with room behind them, as cameras have it."""
    wide = np.full((2, 3, 5, 12), 77, np.float32)
    wide[..., :8] = X
    source, target = filled(0, wide), memfd(wide.nbytes)
    with (
        ann.load(network_on(backend), [backend], runtime=runtime) as network,
        ann.ExternalMemory(source, strides=wide.strides) as x,
        ann.ExternalMemory(target, strides=wide.strides) as y,
    ):
        network.run({"x": x}, out={"y": y})
        result = np.frombuffer(os.pread(target, wide.nbytes, 0), np.float32).reshape(wide.shape)
        np.testing.assert_array_equal(result[..., :8], EXPECTED)
        assert not result[..., 8:].any()
        with pytest.raises(ann.ExecutionError, match=r"strides|dense tensors") as caught:
            network.run({"x": x}, share_inputs=True)
        if backend == "Sample_Npu":
            assert caught.value.backend == backend
    os.close(source)
    os.close(target)


def test_dense_strides_are_omitted(runtime: ann.Runtime) -> None:
    source = filled()
    with (
        ann.load(network_on("CpuRef"), ["CpuRef"], runtime=runtime) as network,
        ann.ExternalMemory(source, strides=X.strides) as x,
    ):
        np.testing.assert_array_equal(network.run(x, share_inputs=True)["y"], EXPECTED)
    os.close(source)


def test_a_descriptor_that_cannot_be_written(runtime: ann.Runtime) -> None:
    """The device maps for writing, too: it refuses, the host maps it to read, and copies."""
    source = filled()
    fcntl.fcntl(source, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    with ann.ExternalMemory(source) as x:
        for backend in ("Sample_Npu", "CpuRef"):
            with ann.load(network_on(backend), [backend], runtime=runtime) as network:
                np.testing.assert_array_equal(network.run(x)["y"], EXPECTED)
                with pytest.raises(ann.ExecutionError, match="cannot be mapped"):
                    network.run(X, out={"y": x})
        with (
            ann.load(network_on("Sample_Npu"), ["Sample_Npu"], runtime=runtime) as network,
            pytest.raises(ann.ExecutionError, match="the device cannot map the descriptor"),
        ):
            network.run(x, share_inputs=True)
    os.close(source)


def test_an_address(runtime: ann.Runtime) -> None:
    memory = X.copy()
    with (
        ann.load(network_on("CpuRef"), ["CpuRef"], runtime=runtime) as network,
        ann.ExternalMemory(address=memory.ctypes.data, size=memory.nbytes) as x,
    ):
        np.testing.assert_array_equal(network.run(x, share_inputs=True)["y"], EXPECTED)


def test_mapped_memory_is_imported_by_its_address(sample_backend: Callable[[str], Path]) -> None:
    """A backend that takes addresses alone."""
    source, target = filled(), memfd(X.nbytes)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    y = network.add_activation(x, ann.ActivationFunction.RELU, backend="Sample_Zero")
    network.add_output("y", y)
    with (
        ann.Runtime(sample_backend("sample_zero").parent) as runtime,
        ann.load(network, ["Sample_Zero"], runtime=runtime) as net,
        ann.ExternalMemory(source) as x_memory,
        ann.ExternalMemory(target) as y_memory,
    ):
        with net.profile() as profile:
            net.run(x_memory, out={"y": y_memory}, share_inputs=True)
        assert profile.counters["Sample_Zero"]["zero.bytes_imported"] == 2 * X.nbytes
        assert not profile.counters["Sample_Zero"]["zero.bytes_copied"]
        result = np.frombuffer(os.pread(target, X.nbytes, 0), np.float32).reshape(SHAPE)
        np.testing.assert_array_equal(result, np.maximum(X, 0))
    os.close(source)
    os.close(target)


@BACKENDS
def test_bound_memory_outlives_its_object(runtime: ann.Runtime, backend: str) -> None:
    source, event = filled(), os.eventfd(1)
    with ann.load(network_on(backend), [backend], runtime=runtime) as network:
        x = ann.ExternalMemory(source, ready=event)
        with network.bind({"x": x}) as bound:
            x.close()
            os.close(source)
            os.close(event)
            for _ in range(3):
                np.testing.assert_array_equal(bound.run()["y"], EXPECTED)


@BACKENDS
def test_a_run_waits_until_memory_is_ready(runtime: ann.Runtime, backend: str) -> None:
    source = memfd(X.nbytes)
    event = os.eventfd(0)
    results = []
    with (
        ann.load(network_on(backend), [backend], runtime=runtime) as network,
        ann.ExternalMemory(source, ready=event) as x,
    ):
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run(x, timeout=0.05)
        token = ann.CancelToken()
        canceller = threading.Timer(0.05, token.cancel)
        canceller.start()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run(x, cancel=token)
        canceller.join()
        runner = threading.Thread(target=lambda: results.append(network.run(x)["y"]))
        runner.start()
        os.pwrite(source, X.tobytes(), 0)
        os.eventfd_write(event, 1)
        runner.join()
        np.testing.assert_array_equal(results[0], EXPECTED)
        with network.bind({"x": x}) as bound:
            np.testing.assert_array_equal(bound.run()["y"], EXPECTED)
    assert select.select([event], [], [], 0)[0]  # nobody has read it
    os.close(event)
    os.close(source)


@BACKENDS
def test_dma_buf(runtime: ann.Runtime, backend: str) -> None:
    size = (X.nbytes + PAGE - 1) // PAGE * PAGE
    pages = memfd(size), memfd(size)
    os.pwrite(pages[0], X.tobytes(), 0)
    source, target = (dma_buf(fd, size) for fd in pages)
    with (
        ann.load(network_on(backend), [backend], runtime=runtime) as network,
        ann.ExternalMemory(source) as x,
        ann.ExternalMemory(target) as y,
    ):
        assert x.source is ann.MemorySource.DMA_BUF
        assert x.size == size
        run = lambda: network.run({"x": x}, out={"y": y}, share_inputs=True)  # noqa: E731
        assert imported(network, run) == (2 * X.nbytes if backend == "Sample_Npu" else 0)
        result = np.frombuffer(os.pread(pages[1], X.nbytes, 0), np.float32).reshape(SHAPE)
        np.testing.assert_array_equal(result, EXPECTED)
    for fd in (*pages, source, target):
        os.close(fd)


def test_dma_buf_sources_are_synchronised(runtime: ann.Runtime) -> None:
    """The host tells the kernel before it touches one, and a memfd is not one."""
    source = filled()
    with ann.ExternalMemory(source, source=ann.MemorySource.DMA_BUF) as x:
        with (
            ann.load(network_on("CpuRef"), ["CpuRef"], runtime=runtime) as network,
            pytest.raises(ann.ExecutionError, match="input 0 of the run: DMA_BUF_IOCTL_SYNC"),
        ):
            network.run(x)
        with ann.load(network_on("Sample_Npu"), ["Sample_Npu"], runtime=runtime) as network:
            results = []
            run = lambda: results.append(network.run(x, share_inputs=True)["y"])  # noqa: E731
            assert imported(network, run) == X.nbytes  # the host does not touch it
            np.testing.assert_array_equal(results[0], EXPECTED)
    os.close(source)


def test_one_tensor_as_two_outputs(runtime: ann.Runtime) -> None:
    network = network_on("Sample_Npu")
    (end,) = network.output_layers
    assert end.inputs[0] is not None
    network.add_output("again", end.inputs[0])
    first, second = memfd(X.nbytes), memfd(X.nbytes)
    with (
        ann.load(network, ["Sample_Npu"], runtime=runtime) as loaded,
        ann.ExternalMemory(first) as y,
        ann.ExternalMemory(second) as again,
    ):
        loaded.run(X, out={"y": y, "again": again})
        for fd in (first, second):
            result = np.frombuffer(os.pread(fd, X.nbytes, 0), np.float32).reshape(SHAPE)
            np.testing.assert_array_equal(result, EXPECTED)
            os.close(fd)


# ---- Refusals ------------------------------------------------------------------------------------


def test_invalid_memory() -> None:
    source = filled()
    read_end, write_end = os.pipe()
    closed = os.dup(source)
    os.close(closed)
    words = "external memory: "
    for make, problem in {
        (lambda: ann.ExternalMemory(closed)): f"descriptor {closed} cannot be used",
        (lambda: ann.ExternalMemory(read_end)): "is neither a file nor a DMA-BUF",
        ann.ExternalMemory: "fd or address expected",
        (lambda: ann.ExternalMemory(source, offset=-4)): "offset=-4 is negative",
        (lambda: ann.ExternalMemory(source, size=X.nbytes + 1)): f"has {X.nbytes} bytes",
        (lambda: ann.ExternalMemory(source, ready=10**6)): "is not an open descriptor",
        (lambda: ann.ExternalMemory(address=4096)): "goes with size=",
        (lambda: ann.ExternalMemory(source, source=ann.MemorySource.MALLOC)): "of source",
    }.items():
        with pytest.raises(ann.InvalidArgumentError, match=problem) as caught:
            make()
        assert str(caught.value).startswith(words)
    for fd in (source, read_end, write_end):
        os.close(fd)


@BACKENDS
def test_mismatches(runtime: ann.Runtime, backend: str) -> None:
    source = filled()
    with ann.load(network_on(backend), [backend], runtime=runtime) as network:
        with (
            ann.ExternalMemory(source, offset=4) as short,
            pytest.raises(ann.InvalidArgumentError, match="input 'x': 956 bytes of external"),
        ):
            network.run(short)
        with (
            ann.ExternalMemory(source, strides=(4, 4, 4, 4)) as folded,
            pytest.raises(ann.InvalidArgumentError, match="elements lie in each other"),
        ):
            network.run(folded)
        with (
            ann.ExternalMemory(source, strides=(4,)) as flat,
            pytest.raises(ann.InvalidArgumentError, match="1 strides for 4 dimensions"),
        ):
            network.run(flat)
        with (
            ann.ExternalMemory(source, shape=(1,)) as other,
            pytest.raises(ann.InvalidArgumentError, match="1 dimension given"),
        ):
            network.run(other)
        x = ann.ExternalMemory(source)
        os.ftruncate(source, 100)  # shorter than before
        with pytest.raises(ann.InvalidArgumentError, match="input 'x': 100 bytes of external"):
            network.run(x)
        x.close()
        with pytest.raises(ann.InvalidArgumentError, match="it is closed"):
            network.run(x)
    os.close(source)


def test_memory_that_is_never_mapped(runtime: ann.Runtime) -> None:
    """Only a backend that takes the source can use it."""
    source = filled()
    with (
        ann.ExternalMemory(source, source=ann.MemorySource.DMA_BUF_PROTECTED) as secret,
        ann.load(network_on("Sample_Npu"), ["Sample_Npu"], runtime=runtime) as network,
        pytest.raises(ann.ArmnnError, match="protected memory is never mapped"),
    ):
        network.run(secret)
    os.close(source)


def test_free_dimensions_need_a_shape(runtime: ann.Runtime) -> None:
    def build(infos: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_addition(x, x))
        return network

    free = ann.TensorInfo((None, 4))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    source = filled()
    with ann.load(network, ["CpuRef"], runtime=runtime) as loaded:
        with (
            ann.ExternalMemory(source) as x,
            pytest.raises(ann.InvalidArgumentError, match="without a shape"),
        ):
            loaded.run(x)
        with ann.ExternalMemory(source, shape=(60, 4)) as x:
            np.testing.assert_array_equal(loaded.run(x)["y"], 2 * X.reshape(60, 4))
    os.close(source)
