# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Two of Sample_Npu side by side: the second is the same source under another id."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.python_backend import PythonBackend, kernel

from .conftest import REPOSITORY, SAMPLES, SANITIZE
from .npu_networks import RELU, convolution, numbers

PAIR = ["Sample_Npu", "Second_Npu", "CpuRef"]
SHAPE = (1, 4, 12, 12)


@pytest.fixture(scope="module")
def second(sample_backend: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both."""
    folder = tmp_path_factory.mktemp("npus")
    first = sample_backend("sample_npu")
    (folder / first.name).symlink_to(first)
    flags = [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all"] if SANITIZE else []
    subprocess.run(
        [
            *(
                "cc",
                "-std=gnu11",
                "-O2",
                "-g",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-pthread",
            ),
            *("-Wall", "-Wextra", "-Wpedantic", "-Werror", '-DNPU_ID="Second_Npu"', *flags),
            f"-I{REPOSITORY / 'native' / 'include'}",
            f"-I{REPOSITORY / 'backends_c' / 'common' / 'include'}",
            *map(str, sorted((SAMPLES / "sample_npu").glob("*.c"))),
            *("-lm", "-o", str(folder / "Second_Npu_backend.so")),
        ],
        check=True,
        env={**os.environ, "LD_PRELOAD": ""} if SANITIZE else None,
    )
    return folder


@pytest.fixture
def runtime(second: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(second) as made:
        yield made


def branch(network: ann.Network, x: Any, backend: str | None, seed: int) -> Any:
    y = convolution(network, x, (4, 4), padding="same", seed=seed, backend=backend)
    y = network.add_activation(y, RELU, backend=backend)
    return convolution(network, y, (4, 4), padding="same", seed=seed + 5, backend=backend)


def diamond(end: str | None) -> ann.Network:
    """Two branches and their sum; ``end`` None: on any backend."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    first, second = PAIR[:2] if end else (None, None)
    a, b = branch(network, x, first, 1), branch(network, x, second, 2)
    network.add_output("y", network.add_addition(a, b, backend=end))
    return network


def assert_close(result: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("end", PAIR)
def test_diamond(runtime: ann.Runtime, end: str) -> None:
    with (
        ann.load(diamond(None), ["CpuRef"]) as reference,
        ann.load(diamond(end), PAIR, runtime=runtime) as network,
    ):
        for seed in range(20):
            x = numbers(*SHAPE, seed=seed)
            assert_close(network.run(x)["y"], reference.run(x)["y"])
        with network.profile() as profile:
            network.run(x)
        kernels = [layer.kernel for layer in profile.layers]
        assert kernels.count("signal_fence") == kernels.count("wait") == 2
        if end == "CpuRef":  # else the sum is in the program of one branch, which waits
            assert kernels[: kernels.index("wait")].count("signal_fence") == 2


def test_many_threads(runtime: ann.Runtime) -> None:
    values = [numbers(*SHAPE, seed=seed) for seed in range(4)]
    with ann.load(diamond(None), ["CpuRef"]) as reference:
        expected = [reference.run(x)["y"] for x in values]
    wrong: list[int] = []
    with ann.load(diamond("CpuRef"), PAIR, runtime=runtime) as network:

        def work(index: int) -> None:
            for _ in range(10):
                result = network.run(values[index])["y"]
                if not np.allclose(result, expected[index], rtol=1e-4, atol=1e-3):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


class Camera(PythonBackend):
    """A layer of the host that fills a buffer, and says that it is ready."""

    id = "Camera"
    fill: Callable[[], None]

    @kernel(ann.LayerType.ACTIVATION, function=ann.ActivationFunction.RELU)
    def relu(self, call: Any) -> Any:
        self.fill()
        return call.inputs[0]


def test_the_device_waits_for_memory_and_the_host_goes_on(second: Path) -> None:
    """A layer of the host makes the input ready: it never would be if the host waited for it."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    z = network.add_input("z", ann.TensorInfo((2,)))
    network.add_output("y", branch(network, x, "Sample_Npu", 1))
    network.add_output("w", network.add_activation(z, RELU, backend="Camera"))
    value, other = numbers(*SHAPE), np.zeros(2, np.float32)
    fd, event = os.memfd_create("frame"), os.eventfd(0)
    os.ftruncate(fd, value.nbytes)
    camera = Camera()

    def fill() -> None:
        os.pwrite(fd, value.tobytes(), 0)
        os.eventfd_write(event, 1)

    with (
        ann.Runtime(second, python_backends=[camera]) as runtime,
        ann.load(network, ["Sample_Npu", "Camera"], runtime=runtime) as net,
        ann.ExternalMemory(fd, ready=event) as frame,
    ):
        camera.fill = fill
        result = net.run({"x": frame, "z": other}, timeout=60)["y"]
        os.eventfd_read(event)
        camera.fill = lambda: None
        assert_close(result, net.run({"x": value, "z": other})["y"])
        with pytest.raises(ann.ExecutionTimeoutError):
            net.run({"x": frame, "z": other}, timeout=0.05)
        assert_close(result, net.run({"x": value, "z": other})["y"])
    os.close(fd)
    os.close(event)
