# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""OneDnn: what it makes of parts of networks, on which threads, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import armnn_py as ann

from .conftest import SAMPLES
from .npu_networks import NCHW, NHWC, convolution, image, numbers, of_one
from .onednn_library import build_onednn
from .test_onednn import close, reference, run

Floats = NDArray[np.float32]
Act = ann.ActivationFunction
Binary = ann.BinaryOperation
SHAPE = (1, 6, 9, 10)


@pytest.fixture(scope="module")
def folder(sample_backend: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_onednn(sample_backend, tmp_path_factory).parent


@pytest.fixture(scope="module")
def runtime(folder: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(folder) as runtime:
        yield runtime


@pytest.fixture
def thread_count() -> Iterator[None]:
    before = ann.get_num_threads()
    yield
    ann.set_num_threads(before)


def conv(network: ann.Network, x: Any, name: str, channels: tuple[int, int] = (6, 6)) -> Any:
    return convolution(
        network, x, channels, layout=NCHW, padding="same", name=name, seed=3 * len(name)
    )


# ---- Fusing --------------------------------------------------------------------------------------


def chain_of_activations(network: ann.Network, x: Any) -> Any:
    y = network.add_activation(conv(network, x, "conv"), Act.LEAKY_RELU, 0.5, name="leaky")
    return network.add_activation(y, Act.TANH, 1, 1, name="tanh")


def residual(network: ann.Network, x: Any) -> Any:
    y = conv(network, network.add_activation(x, Act.ABS, name="abs"), "conv")
    other = network.add_activation(x, Act.SQUARE, name="square")
    return network.add_activation(network.add_addition(other, y, name="add"), Act.RELU, name="relu")


def swish(network: ann.Network, x: Any) -> Any:
    y = conv(network, x, "conv")
    gate = network.add_activation(y, Act.SIGMOID, name="gate")
    return network.add_multiplication(y, gate, name="times")


def binary(network: ann.Network, x: Any) -> Any:
    y = network.add_elementwise_binary(x, numbers(1, 6, 1, 1), Binary.MUL, name="times")
    return network.add_activation(y, Act.BOUNDED_RELU, 0.5, -0.5, name="bound")


def fully_connected(network: ann.Network, x: Any) -> Any:
    y = network.add_fully_connected(x, numbers(540, 20), numbers(20), name="fc")
    other = network.add_fully_connected(x, numbers(540, 20, seed=1), name="other")
    y = network.add_addition(y, other, name="add")
    return network.add_activation(y, Act.RELU, name="relu")


@pytest.mark.parametrize(
    ("build", "together"),
    [
        (chain_of_activations, {"conv", "leaky", "tanh"}),
        (residual, {"conv", "add", "relu"}),
        (swish, {"conv", "gate", "times"}),
        (binary, {"times", "bound"}),
        (fully_connected, {"fc", "add", "relu"}),
    ],
)
def test_chains_are_one_primitive(
    runtime: ann.Runtime, build: Callable[[ann.Network, Any], Any], together: set[str]
) -> None:
    network, inputs = of_one(SHAPE, build), {"x": numbers(*SHAPE)}
    close(run(runtime, network, inputs)[0], reference(network, inputs)[0])
    with ann.load(network, ["OneDnn"], runtime=runtime) as loaded:
        with loaded.profile() as profile:
            loaded.run(inputs)
        assert together in [set(row.layer.split(" + ")) for row in profile.layers]


@pytest.mark.skipif(
    "avx2" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"),
    reason="the library has quick products for AVX2 and later",
)
@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_windows_that_do_not_overlap_are_a_quick_product(
    runtime: ann.Runtime, layout: ann.DataLayout
) -> None:
    """Without AVX-512 the library multiplies plain channels by its reference alone."""

    def build(network: ann.Network, x: Any) -> Any:
        weights = numbers(*image(layout, 6, 24, 2, 2), seed=3)
        y = network.add_transpose_convolution2d(
            x, weights, numbers(6, seed=4), stride=2, data_layout=layout
        )
        return network.add_activation(y, Act.RELU)

    shape = image(layout, 1, 24, 5, 7)
    network, inputs = of_one(shape, build), {"x": numbers(*shape)}
    close(run(runtime, network, inputs)[0], reference(network, inputs)[0])
    with ann.load(network, ["OneDnn"], runtime=runtime) as loaded, loaded.profile() as profile:
        loaded.run(inputs)
    names = [event.name for event in profile.events if event.phase == "begin"]
    assert "reorder" in " ".join(names)
    assert not [name for name in names if name.startswith("ref")]


def read_later(network: ann.Network, x: Any) -> Any:
    """The value that is added is read again afterwards: it must not be overwritten."""
    kept = conv(network, x, "first")
    y = network.add_addition(conv(network, kept, "second"), kept)
    return network.add_addition(network.add_activation(y, Act.RELU), kept)


def added_to_its_own_input(network: ann.Network, x: Any) -> Any:
    kept = network.add_activation(x, Act.TANH, 1, 1)
    return network.add_addition(conv(network, kept, "conv"), kept)


def added_to_the_input(network: ann.Network, x: Any) -> Any:
    """An input of the caller is not ours to write to."""
    return network.add_addition(conv(network, x, "conv"), x)


def seen_through_a_reshape(network: ann.Network, x: Any) -> Any:
    """Two values in one memory, of which one is added to."""
    kept = network.add_activation(x, Act.TANH, 1, 1)
    flat = network.add_reshape(kept, (540,))
    y = convolution(network, x, (10, 10), layout=NHWC, padding="same")
    y = network.add_addition(y, kept)
    return network.add_addition(network.add_reshape(y, (540,)), flat)


def mixed_layouts(network: ann.Network, x: Any) -> Any:
    turned = network.add_transpose(conv(network, x, "conv"), (0, 2, 3, 1))
    y = network.add_convolution2d(turned, numbers(5, 1, 1, 6), padding="same")
    back = network.add_transpose(y, (0, 3, 1, 2))
    return network.add_reduce(back, ann.ReduceOperation.MEAN, (2, 3))


@pytest.mark.parametrize(
    "build",
    [read_later, added_to_its_own_input, added_to_the_input, seen_through_a_reshape, mixed_layouts],
)
def test_memory_that_is_used_twice(
    runtime: ann.Runtime, build: Callable[[ann.Network, Any], Any]
) -> None:
    network, inputs = of_one(SHAPE, build), {"x": numbers(*SHAPE)}
    before = inputs["x"].copy()
    close(run(runtime, network, inputs)[0], reference(network, inputs)[0])
    np.testing.assert_array_equal(inputs["x"], before)


def test_outputs_in_the_middle(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    middle = conv(network, x, "conv")
    y = network.add_activation(middle, Act.RELU)
    for name, value in (("middle", middle), ("again", middle), ("y", y)):
        network.add_output(name, value)
    network.add_output("flat", network.add_reshape(y, (540,)))
    network.add_output("input", network.add_reshape(x, (540,)))
    inputs = {"x": numbers(*SHAPE)}
    for result, wanted in zip(
        run(runtime, network, inputs), reference(network, inputs), strict=True
    ):
        close(result, wanted)


# ---- Threads -------------------------------------------------------------------------------------


def deep(network: ann.Network, x: Any) -> Any:
    y = x
    for depth in range(4):
        y = network.add_activation(conv(network, y, f"conv{depth}"), Act.RELU)
        y = network.add_softmax(y, axis=1)
    return y


@pytest.mark.parametrize(("at_load", "at_run"), [(1, 8), (8, 1), (2, 3)])
def test_threads_that_change_after_load(
    runtime: ann.Runtime, thread_count: None, at_load: int, at_run: int
) -> None:
    network, inputs = of_one((2, 6, 64, 64), deep), {"x": numbers(2, 6, 64, 64)}
    (wanted,) = reference(network, inputs)
    ann.set_num_threads(at_load)
    with ann.load(network, ["OneDnn"], runtime=runtime) as loaded:
        ann.set_num_threads(at_run)
        for _ in range(3):
            close(next(iter(loaded.run(inputs).values())), wanted)


def test_runs_at_the_same_time(runtime: ann.Runtime) -> None:
    network = of_one(SHAPE, deep)
    images = [numbers(*SHAPE, seed=seed) for seed in range(4)]
    wanted = [reference(network, {"x": image})[0] for image in images]
    results: dict[int, list[Floats]] = {}
    with ann.load(network, ["OneDnn"], runtime=runtime) as loaded:

        def work(number: int) -> None:
            found = [loaded.run({"x": images[number]})["y"] for _ in range(10)]
            results[number] = found

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number in range(4):
        for result in results[number]:
            close(result, wanted[number])


def test_the_option_threads(folder: Path) -> None:
    network, inputs = of_one(SHAPE, deep), {"x": numbers(*SHAPE)}
    with ann.Runtime(folder, backend_options={"OneDnn": {"threads": 3}}) as runtime:
        close(run(runtime, network, inputs)[0], reference(network, inputs)[0])


LOG = """
import logging, sys
import armnn_py as ann

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
ann.set_num_threads(4)
options = {"OneDnn": {"threads": int(sys.argv[2])}} if len(sys.argv) > 2 else {}
with ann.Runtime(sys.argv[1], backend_options=options):
    pass
"""


@pytest.mark.parametrize(
    ("environment", "options", "is_said"),
    [({}, [], True), ({"OMP_WAIT_POLICY": "passive"}, [], False), ({}, ["2"], False)],
)
def test_threads_that_would_spin(
    folder: Path, environment: dict[str, str], options: list[str], is_said: bool
) -> None:
    """OpenMP that nobody has told how to wait is not used, and the log says so."""
    inherited = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", LOG, str(folder), *options],
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    with ann.Runtime(folder) as runtime:
        capabilities = runtime.backends["OneDnn"].capabilities
    is_openmp = capabilities["OneDnnRuntime"] == "OpenMP"
    assert ("computes with one thread" in done.stdout) == (is_said and is_openmp)


def test_the_hosts_pool_as_onednn_sees_it(folder: Path, tmp_path: Path) -> None:
    """The interface of the thread-pool runtime, on hosts that do what a host may do."""
    here = Path(__file__).parent
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(pool LANGUAGES C CXX)\n"
        "set(CMAKE_CXX_STANDARD 17)\nfind_package(armnn_py CONFIG REQUIRED)\n"
        "find_package(dnnl CONFIG REQUIRED)\n"
        f"add_executable(pool {here / 'onednn_pool.cpp'} {SAMPLES / 'onednn' / 'threads.cpp'})\n"
        f"target_include_directories(pool PRIVATE {SAMPLES / 'onednn'})\n"
        "target_link_libraries(pool PRIVATE armnn_py::backend_api DNNL::dnnl)\n",
        encoding="utf-8",
    )
    sdk = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    (prefix,) = (
        line.partition("=")[2] for line in sdk.splitlines() if line.startswith("CMAKE_PREFIX_PATH:")
    )
    build = tmp_path / "build"
    for command in (
        ["cmake", "-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", build],
        [build / "pool"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


# ---- Its end -------------------------------------------------------------------------------------

TWICE = """
import sys, time
import numpy as np
import armnn_py as ann

network = ann.Network()
x = network.add_input("x", ann.TensorInfo((1, 64, 64, 32)))
weights = np.ones((32, 3, 3, 32), np.float32)
y = network.add_convolution2d(x, weights, padding="same")
network.add_output("y", network.add_activation(y, ann.ActivationFunction.RELU))
ann.set_num_threads(4)
for _ in range(2):
    with ann.Runtime(sys.argv[1]) as runtime:
        with ann.load(network, ["OneDnn"], runtime=runtime) as loaded:
            loaded.run({"x": np.ones((1, 64, 64, 32), np.float32)})
    del runtime, loaded
    time.sleep(0.05)  # threads of the library go to sleep in its code
assert "OneDnn" in open("/proc/self/maps").read()
print("still here")
"""


def test_two_runtimes_one_after_the_other(folder: Path) -> None:
    """The library's threads outlive a runtime, so that its code must stay."""
    done = subprocess.run(
        [sys.executable, "-c", TWICE, str(folder)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "still here\n", "")
