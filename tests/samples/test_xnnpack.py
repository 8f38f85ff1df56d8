# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend over XNNPACK: fused chains, layouts, memory, threads, real networks."""

from __future__ import annotations

import ctypes
import ctypes.util
import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.cli.commands.inspect import multiply_adds

from .npu_networks import BOUNDED, NCHW, NHWC, RELU, convolution, image, numbers, of_one
from .xnnpack_networks import check, steps

SIGMOID = ann.ActivationFunction.SIGMOID


@pytest.fixture
def runtime(xnnpack_library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(dynamic_backends_path=xnnpack_library.parent) as runtime:
        yield runtime


# ---- Parts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_activations_are_fused(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    shape = image(layout, 1, 8, 12, 10)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    y = convolution(network, x, (8, 8), layout=layout, padding="same")
    y = network.add_activation(y, RELU)
    y = network.add_depthwise_convolution2d(
        y, numbers(1, 3, 3, 8, seed=3), numbers(8, seed=4), padding="same", data_layout=layout
    )
    y = network.add_activation(y, BOUNDED, 6.0, 0.0)
    y = network.add_activation(network.add_addition(x, y), BOUNDED, 1.0, -1.0)
    y = network.add_fully_connected(y, numbers(960, 12, seed=5), numbers(12, seed=6))
    network.add_output("y", network.add_activation(y, RELU))
    told = check(runtime, network, x=numbers(*shape))
    assert [name for name in told if "xnnpack" in name] == [
        "xnnpack convolution",
        "xnnpack convolution",
        "xnnpack binary",
        "xnnpack fully connected",
    ]
    # NCHW: the image comes in and goes to the fully connected layer, nothing between.
    assert told.count("change of layout") == (2 if layout is NCHW else 0)


def chain(length: int, *, turns: bool) -> ann.Network:
    """Convolutions in NCHW; or in NHWC, each between Transposes of its own."""
    network = ann.Network()
    x = y = network.add_input("x", ann.TensorInfo((1, 8, 12, 10)))
    layout = NHWC if turns else NCHW
    for seed in range(length):
        y = network.add_transpose(y, (0, 2, 3, 1)) if turns else y
        y = convolution(network, y, (8, 8), layout=layout, padding="same", seed=seed)
        y = network.add_transpose(y, (0, 3, 1, 2)) if turns else y
        y = network.add_activation(y, RELU)
        y = network.add_addition(x, y) if seed % 2 else y
    network.add_output("y", y)
    return network


def changes_of_layout(runtime: ann.Runtime, network: ann.Network, **options: Any) -> int:
    chosen = ann.OptimizerOptions(**options)
    with (
        ann.load(network, ["Xnnpack"], runtime=runtime, options=chosen) as net,
        net.profile() as profile,
    ):
        net.run(numbers(1, 8, 12, 10))
    return steps(profile).count("change of layout")


@pytest.mark.parametrize("length", [1, 6])
def test_the_preference_for_nhwc_costs_one_change_at_each_border(
    runtime: ann.Runtime, length: int
) -> None:
    """As many layers as there may be: one where the image enters and one where it leaves."""
    assert changes_of_layout(runtime, chain(length, turns=False)) == 2
    # What a backend pays that turns each image itself. The passes would also take these away.
    alone = chain(length, turns=True)
    assert changes_of_layout(runtime, alone, simplify=False) == 2 * length


def test_a_part_is_named_after_a_layer_of_the_user(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    network.add_output("y", network.add_activation(convolution(network, x, (4, 4)), SIGMOID))
    optimized = ann.optimize(network, ["Xnnpack"], runtime=runtime)
    first, *others = optimized.assignment
    assert first.type == "Convolution2d"
    assert first.run_by == f"xnnpack: {first.layer}"
    assert [row.type for row in others] == ["Activation"]  # the Transposes are part of it


@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_softmax_of_channels_and_means_of_images(
    runtime: ann.Runtime, layout: ann.DataLayout
) -> None:
    """The kit has no case for either: both turn an image whose channels do not come last."""
    shape = image(layout, 2, 37, 6, 7)
    channels, axes = (1, (2, 3)) if layout is NCHW else (3, (1, 2))
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("softmax", network.add_softmax(x, channels, 0.5))
    network.add_output("kept", network.add_mean(x, axes, keep_dims=True))
    network.add_output("gone", network.add_mean(x, axes))
    check(runtime, network, x=numbers(*shape))


def test_a_value_that_others_read_is_not_fused(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    y = convolution(network, x, (4, 4))
    network.add_output("y", y)
    network.add_output("z", network.add_activation(y, RELU))
    told = check(runtime, network, x=numbers(1, 4, 6, 6))
    assert "xnnpack unary" in told


def test_constant_operands(runtime: ann.Runtime) -> None:
    """The optimiser would compute it; without its passes the backend gets it."""
    known = numbers(1, 4, 6, 6, seed=2)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    image = network.add_constant(known)
    y = convolution(network, image, (4, 4), padding="same")
    y = network.add_addition(y, network.add_activation(image, SIGMOID))
    y = network.add_concat([y, network.add_reshape(image, (1, 4, 6, 6)), x], 1)
    network.add_output("y", y)
    options = ann.OptimizerOptions(simplify=False)
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(known)["y"]
    with ann.load(network, ["Xnnpack"], runtime=runtime, options=options) as net:
        np.testing.assert_allclose(net.run(known)["y"], expected, rtol=1e-4, atol=1e-5)


def test_moves_stay_inside_of_a_part(runtime: ann.Runtime) -> None:
    """Split, Concat, nearest and Transpose between convolutions change no layout."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 6, 5, 7)))
    y = convolution(network, x, (6, 8), padding="same")
    upper, lower = network.add_split(y, [3, 5], 1).outputs
    lower = network.add_activation(lower, SIGMOID)
    z = network.add_concat([lower, upper, y], 1)
    z = network.add_slice(z, (0, 2, 0, 0), (2, 12, 5, 7))
    z = network.add_resize(z, (10, 14), data_layout=NCHW)
    z = convolution(network, z, (12, 3), (1, 1), seed=5)
    network.add_output("turned", network.add_transpose(z, (0, 2, 3, 1)))
    network.add_output("flat", network.add_reshape(z, (2, 420)))
    told = check(runtime, network, x=numbers(2, 6, 5, 7))
    assert told.count("change of layout") == 2  # of the input, and for "flat"
    assert told.count("xnnpack copy") == 6  # 2 of the split, 3 joined, 1 cut


@pytest.mark.exhaustive
def test_random_networks(split: ModuleType, runtime: ann.Runtime) -> None:
    """Layers of all types at random on Xnnpack or CpuRef, in parts of all shapes."""
    outcomes = list(split.run_random(runtime, range(16)))
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    assert sum("Xnnpack" in outcome.layers for outcome in outcomes) > 16


# ---- Memory, threads, life -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sigmoid", "pooling"])  # not every kernel reads further
def test_no_reads_beyond_the_callers_page(runtime: ann.Runtime, kind: str) -> None:
    """XNNPACK reads 16 bytes further than a tensor: the caller's ends where its memory does."""
    page, shape = mmap.PAGESIZE, (1, 9, 11, 5)
    count = int(np.prod(shape))
    memory = mmap.mmap(-1, 2 * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    assert protect(address + page, page, 0) == 0
    x = np.frombuffer(memory, np.float32, count, page - 4 * count).reshape(shape)
    x[...] = numbers(*shape)

    def layer(network: ann.Network, source: Any) -> Any:
        if kind == "sigmoid":
            return network.add_activation(source, SIGMOID)
        return network.add_pooling2d(source, ann.PoolingAlgorithm.MAX, (2, 2), stride=1)

    with ann.load(of_one(shape, layer), ["Xnnpack"], runtime=runtime) as net:
        y = net.run(x)["y"]
        with pytest.raises(ann.InvalidArgumentError, match="reads 16 bytes behind its end"):
            net.run(x, share_inputs=True)
    rows = np.maximum(x[:, 1:], x[:, :-1])
    wanted = 1 / (1 + np.exp(-x))
    if kind == "pooling":
        wanted = np.maximum(rows[:, :, 1:], rows[:, :, :-1])
    np.testing.assert_allclose(y, wanted, rtol=1e-5)


def test_states_operations_and_packed_bytes(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 16, 20, 20)))
    y = convolution(network, x, (16, 24), padding="same")
    network.add_output("y", network.add_activation(y, SIGMOID))
    products = 2 * sum(multiply_adds(layer) or 0 for layer in network.layers)
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        with net.profile() as profile:
            net.run(numbers(1, 16, 20, 20))
        assert net.packed_size >= sum(
            layer.value.nbytes for layer in network.layers if layer.type == ann.LayerType.CONSTANT
        )
    assert products > 0
    assert [layer.operations for layer in profile.layers if layer.operations] == [products]


def large() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 16, 40, 40)))
    y = x
    for seed in range(4):
        y = network.add_activation(
            convolution(network, y, (16, 16), padding="same", seed=seed), SIGMOID
        )
    network.add_output("y", network.add_addition(x, y))
    return network


@pytest.fixture
def thread_count() -> Iterator[None]:
    yield
    ann.set_num_threads(0)


@pytest.mark.usefixtures("thread_count")
def test_the_number_of_threads_may_change_after_load(runtime: ann.Runtime) -> None:
    x = numbers(1, 16, 40, 40)
    with ann.load(large(), ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(x)["y"]
    ann.set_num_threads(1)
    with ann.load(large(), ["Xnnpack"], runtime=runtime) as net:
        for count in (1, 8, 2, 3, 1):
            ann.set_num_threads(count)
            np.testing.assert_allclose(net.run(x)["y"], expected, rtol=1e-4, atol=1e-5)


def test_runs_of_several_threads_at_once(runtime: ann.Runtime) -> None:
    inputs = [numbers(1, 16, 40, 40, seed=seed) for seed in range(12)]
    with ann.load(large(), ["CpuRef"], runtime=runtime) as reference:
        expected = [reference.run(x)["y"] for x in inputs]
    with ann.load(large(), ["Xnnpack"], runtime=runtime) as net, ThreadPoolExecutor(3) as executor:
        for _ in range(3):
            for result, wanted in zip(executor.map(net.run, inputs), expected, strict=True):
                np.testing.assert_allclose(result["y"], wanted, rtol=1e-4, atol=1e-5)


LIFE = """
import logging, os, sys
import numpy as np
import armnn_py as ann
logging.basicConfig()
before = len(os.listdir("/proc/self/task"))
for _ in range(3):
    with ann.Runtime(dynamic_backends_path=sys.argv[1]) as runtime:
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo((1, 64, 64, 8)))
        weights = np.ones((8, 3, 3, 8), np.float32)
        network.add_output("y", network.add_convolution2d(x, weights, padding="same"))
        with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
            y = net.run(np.ones((1, 64, 64, 8), np.float32))["y"]
            print(float(y[0, 5, 5, 5]), float(y[0, 0, 0, 0]))
print(len(os.listdir("/proc/self/task")) - before < ann.get_num_threads())
"""


def run_life(xnnpack_library: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIFE, str(xnnpack_library.parent)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_loaded_and_unloaded_again(xnnpack_library: Path) -> None:
    """No thread is there beside those of the host, and each time the answer is the same."""
    done = run_life(xnnpack_library, ARMNN_PY_NUM_THREADS="2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == ["72.0 32.0"] * 3 + ["True", ""]
    assert "bound to another" not in done.stderr  # XNNPACK does ask the host's pool


def test_another_pthreadpool_was_there_first(xnnpack_library: Path) -> None:
    """The process has the real one in front: the backend computes on the caller's thread."""
    pool = ctypes.util.find_library("pthreadpool")
    preload = os.pathsep.join(filter(None, [os.environ.get("LD_PRELOAD"), pool]))
    done = run_life(xnnpack_library, LD_PRELOAD=preload)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["72.0 32.0"] * 3
    assert "bound to another libpthreadpool" in done.stderr


def test_refusals_have_a_message(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    y = network.add_activation(x, ann.ActivationFunction.TANH, 1.0, 1.0, name="tanh")
    y = network.add_softmax(y, 2, name="softmax")
    y = network.add_pooling2d(
        y,
        ann.PoolingAlgorithm.AVERAGE,
        3,
        stride=1,
        padding="same",
        padding_method=ann.PaddingMethod.IGNORE_VALUE,
        data_layout=NCHW,
        name="pool",
    )
    network.add_output("y", y)
    optimized = ann.optimize(network, ["Xnnpack", "CpuRef"], runtime=runtime)
    reasons = {row.layer: dict(row.refusals).get("Xnnpack") for row in optimized.assignment.layers}
    assert "no operator for TanH" in str(reasons["tanh"])
    assert "along channels, this is axis 2 of 4" in str(reasons["softmax"])
    assert "does not count padding" in str(reasons["pool"])


def test_numbers_of_16_bits_are_no_part(runtime: ann.Runtime) -> None:
    """In float32, between conversions, the layer would convert nothing."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4), ann.DataType.FLOAT16))
    network.add_output("y", network.add_dequantize(x))
    with ann.load(network, ["Xnnpack", "CpuRef"], runtime=runtime) as loaded:
        assert loaded.assignment.counts == {"CpuRef": 1}
        values = np.arange(8, dtype=np.float16).reshape(2, 4)
        np.testing.assert_array_equal(loaded.run({"x": values})["y"], values)
