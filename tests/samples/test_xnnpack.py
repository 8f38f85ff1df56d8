# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend over XNNPACK: layers, fused chains, layouts, threads, real networks."""

from __future__ import annotations

import ctypes
import ctypes.util
import mmap
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .npu_networks import BOUNDED, NCHW, NHWC, RELU, convolution, image, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADERS = "#include <xnnpack.h>\n#include <pthreadpool.h>\n"
LAYOUTS = pytest.mark.parametrize("layout", [NCHW, NHWC])
Activation, Binary, Unary = ann.ActivationFunction, ann.BinaryOperation, ann.UnaryOperation
SIGMOID = Activation.SIGMOID


def is_here() -> bool:
    command = ["cc", "-x", "c", "-fsyntax-only", "-"]
    done = subprocess.run(command, input=HEADERS, text=True, capture_output=True, check=False)
    return done.returncode == 0 and ctypes.util.find_library("XNNPACK") is not None


@pytest.fixture(scope="session")
def library(sample_backend: Callable[[str], Path]) -> Path:
    if not is_here():
        pytest.skip("XNNPACK is not here: apt-get install libxnnpack-dev libpthreadpool-dev")
    return sample_backend("xnnpack")


@pytest.fixture
def runtime(library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(dynamic_backends_path=library.parent) as runtime:
        yield runtime


def steps(profile: ann.Profile) -> list[str]:
    """Return what the backend ran inside of its parts, in order."""
    return [event.name for event in profile.events if event.phase == "begin"]


def check(runtime: ann.Runtime, network: ann.Network, **inputs: NDArray[Any]) -> list[str]:
    """Compare with CpuRef, compiled and layer by layer; return the steps of the former."""
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(inputs)
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        with net.profile() as profile:
            results = [net.run(inputs)]
        results.append(net.run(inputs))
    options = ann.OptimizerOptions(compile_parts=False)
    with ann.load(network, ["Xnnpack"], runtime=runtime, options=options) as net:
        results.append(net.run(inputs))
    for result in results:
        for name, wanted in expected.items():
            scale = float(np.abs(wanted).max())
            np.testing.assert_allclose(result[name], wanted, rtol=1e-4, atol=1e-5 * scale)
    return steps(profile)


def of_one(shape: tuple[int, ...], add: Callable[[ann.Network, Any], Any]) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("y", add(network, x))
    return network


# ---- Layers ----------------------------------------------------------------------------------


@LAYOUTS
@pytest.mark.parametrize(
    ("channels", "kernel", "settings"),
    [
        ((3, 16), (3, 3), {"padding": "same"}),
        ((5, 7), (1, 1), {}),
        ((4, 33), (3, 2), {"stride": (2, 3), "padding": (1, 2, 0, 1)}),
        ((6, 20), (3, 3), {"groups": 2, "dilation": (2, 1)}),
        ((8, 8), (2, 5), {"groups": 8, "padding": "same"}),
    ],
)
def test_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    channels: tuple[int, int],
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    shape = image(layout, 2, channels[0], 9, 11)
    network = of_one(
        shape, lambda n, x: convolution(n, x, channels, kernel, layout=layout, **settings)
    )
    check(runtime, network, x=numbers(*shape))


@LAYOUTS
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(runtime: ann.Runtime, layout: ann.DataLayout, multiplier: int) -> None:
    shape = image(layout, 2, 5, 8, 10)
    weights, bias = numbers(1, 3, 3, 5 * multiplier, seed=3), numbers(5 * multiplier, seed=4)
    network = of_one(
        shape,
        lambda n, x: n.add_depthwise_convolution2d(
            x, weights, bias, stride=(2, 1), padding="same", data_layout=layout
        ),
    )
    check(runtime, network, x=numbers(*shape))


@LAYOUTS
@pytest.mark.parametrize(
    ("groups", "kernel", "settings"),
    [
        (1, (3, 2), {"stride": 2, "padding": (1, 0, 1, 0)}),
        (2, (2, 2), {"stride": 2}),
        (1, (3, 3), {"dilation": (1, 2), "stride": (1, 3)}),
    ],
)
def test_transpose_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    groups: int,
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    shape = image(layout, 2, 4, 5, 6)
    weights = numbers(*image(layout, 6, 4 // groups, *kernel), seed=1)
    network = of_one(
        shape,
        lambda n, x: n.add_transpose_convolution2d(
            x, weights, numbers(6), groups=groups, data_layout=layout, **settings
        ),
    )
    check(runtime, network, x=numbers(*shape))


@pytest.mark.parametrize("transpose", [False, True])
def test_fully_connected_against_numpy(runtime: ann.Runtime, transpose: bool) -> None:
    x, weights, bias = numbers(3, 4, 5), numbers(20, 18, seed=2), numbers(18, seed=3)
    given = np.ascontiguousarray(weights.T) if transpose else weights
    network = of_one(
        x.shape,
        lambda n, s: n.add_fully_connected(s, given, bias, transpose_weight_matrix=transpose),
    )
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        y = net.run(x)["y"]
    np.testing.assert_allclose(y, x.reshape(3, 20) @ weights + bias, rtol=1e-4, atol=1e-5)


@LAYOUTS
@pytest.mark.parametrize("kind", [ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
@pytest.mark.parametrize("rounding", list(ann.OutputShapeRounding))
@pytest.mark.parametrize(
    ("size", "stride", "padding"), [((3, 2), 2, (1, 1, 1, 0)), ((2, 2), 3, "valid"), (3, 1, "same")]
)
def test_pooling(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    kind: ann.PoolingAlgorithm,
    rounding: ann.OutputShapeRounding,
    size: Any,
    stride: int,
    padding: Any,
) -> None:
    shape = image(layout, 2, 5, 9, 10)
    settings = {"stride": stride, "padding": padding, "data_layout": layout}
    network = of_one(
        shape, lambda n, x: n.add_pooling2d(x, kind, size, rounding=rounding, **settings)
    )
    check(runtime, network, x=numbers(*shape))


@LAYOUTS
def test_means_of_images(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    shape = image(layout, 2, 37, 6, 7)
    axes = (2, 3) if layout is NCHW else (1, 2)
    x = numbers(*shape)
    network = ann.Network()
    source = network.add_input("x", ann.TensorInfo(shape))
    pooled = network.add_pooling2d(source, ann.PoolingAlgorithm.AVERAGE, (6, 7), data_layout=layout)
    network.add_output("pooled", pooled)
    network.add_output("kept", network.add_mean(source, axes, keep_dims=True))
    network.add_output("gone", network.add_mean(source, axes))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        results = net.run(x)
    for result in results.values():
        wanted = x.mean(axis=axes)
        np.testing.assert_allclose(result.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-5)


BINARY: dict[ann.BinaryOperation, Callable[..., Any]] = {
    Binary.ADD: np.add,
    Binary.SUB: np.subtract,
    Binary.MUL: np.multiply,
    Binary.DIV: np.divide,
    Binary.MAXIMUM: np.maximum,
    Binary.MINIMUM: np.minimum,
    Binary.SQ_DIFF: lambda a, b: (a - b) ** 2,
}


@pytest.mark.parametrize("operation", list(BINARY))
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 3, 4, 5), (2, 3, 4, 5)),
        ((2, 3, 4, 5), (3, 1, 1)),
        ((1, 1), (2, 3, 4, 5)),
        ((7,), ()),
        ((2, 1, 3, 1, 2, 2), (4, 1, 2, 1, 2)),
    ],
)
def test_binary(
    runtime: ann.Runtime,
    operation: ann.BinaryOperation,
    left: tuple[int, ...],
    right: tuple[int, ...],
) -> None:
    a, b = numbers(*left), np.asarray(numbers(*right, seed=1) + np.float32(3), np.float32)
    network = ann.Network()
    x, y = (network.add_input(name, ann.TensorInfo(v.shape)) for name, v in (("x", a), ("y", b)))
    network.add_output("both", network.add_elementwise_binary(x, y, operation))
    network.add_output("known", network.add_elementwise_binary(x, b, operation))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        results = net.run({"x": a, "y": b})
    for result in results.values():
        np.testing.assert_allclose(result, BINARY[operation](a, b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        (Activation.SIGMOID, 0.0, 0.0),
        (Activation.LINEAR, 2.5, -1.0),
        (Activation.RELU, 0.0, 0.0),
        (Activation.BOUNDED_RELU, 1.0, -0.5),
        (Activation.LEAKY_RELU, 0.1, 0.0),
        (Activation.ABS, 0.0, 0.0),
        (Activation.SQRT, 0.0, 0.0),
        (Activation.SQUARE, 0.0, 0.0),
        (Activation.ELU, 0.7, 0.0),
        (Activation.HARD_SWISH, 0.0, 0.0),
        (Activation.HARD_SIGMOID, 0.2, 0.5),
    ],
)
@pytest.mark.parametrize("shape", [(1, 3, 5, 7), (1021,), ()])
def test_activation(
    runtime: ann.Runtime,
    function: ann.ActivationFunction,
    a: float,
    b: float,
    shape: tuple[int, ...],
) -> None:
    x = np.asarray(numbers(*shape) * np.float32(3), np.float32)
    x = np.abs(x) if function is Activation.SQRT else x
    check(runtime, of_one(shape, lambda n, s: n.add_activation(s, function, a, b)), x=x)


@pytest.mark.parametrize(
    "operation",
    [Unary.ABS, Unary.SQRT, Unary.NEG, Unary.CEIL, Unary.FLOOR, Unary.ROUND],
)
def test_unary(runtime: ann.Runtime, operation: ann.UnaryOperation) -> None:
    x = numbers(3, 37) * np.float32(4)
    x = np.abs(x) if operation is Unary.SQRT else x
    check(runtime, of_one(x.shape, lambda n, s: n.add_elementwise_unary(s, operation)), x=x)


@pytest.mark.parametrize(
    ("shape", "axis", "beta"), [((3, 10), -1, 1.0), ((2, 11, 3, 4), 1, 0.5), ((5,), 0, 2.0)]
)
def test_softmax_against_numpy(
    runtime: ann.Runtime, shape: tuple[int, ...], axis: int, beta: float
) -> None:
    x = numbers(*shape)
    network = of_one(shape, lambda n, s: n.add_softmax(s, axis, beta))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        y = net.run(x)["y"]
    powers = np.exp(beta * x)
    np.testing.assert_allclose(y, powers / powers.sum(axis=axis, keepdims=True), rtol=1e-5)


@LAYOUTS
@pytest.mark.parametrize("size", [(12, 20), (5, 3), (1, 1)])
@pytest.mark.parametrize("corners", [(False, False), (True, False), (False, True)])
def test_resize(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    size: tuple[int, int],
    corners: tuple[bool, bool],
) -> None:
    shape = image(layout, 2, 3, 4, 5)
    methods = [ann.ResizeMethod.BILINEAR]
    if size == (12, 20) and not corners[0]:
        methods.append(ann.ResizeMethod.NEAREST_NEIGHBOR)
    for method in methods:
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo(shape))
        y = network.add_resize(
            x,
            size,
            method,
            align_corners=corners[0],
            half_pixel_centers=corners[1],
            data_layout=layout,
        )
        network.add_output("y", y)
        check(runtime, network, x=numbers(*shape))


def test_what_it_does_not_take_is_said_in_words(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    y = network.add_activation(x, Activation.TANH, 1.0, 1.0, name="tanh")
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


# ---- Parts -----------------------------------------------------------------------------------


@LAYOUTS
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


def test_a_value_that_others_read_is_not_fused(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    y = convolution(network, x, (4, 4))
    network.add_output("y", y)
    network.add_output("z", network.add_activation(y, RELU))
    told = check(runtime, network, x=numbers(1, 4, 6, 6))
    assert "xnnpack unary" in told


def test_what_is_read_may_be_constant(runtime: ann.Runtime) -> None:
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


# ---- Memory, threads, life -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sigmoid", "pooling"])  # not every kernel reads further
def test_nothing_is_read_beyond_the_callers_page(runtime: ann.Runtime, kind: str) -> None:
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
        y = net.run(x, share_inputs=True)["y"]
    rows = np.maximum(x[:, 1:], x[:, :-1])
    wanted = 1 / (1 + np.exp(-x))
    if kind == "pooling":
        wanted = np.maximum(rows[:, :, 1:], rows[:, :, :-1])
    np.testing.assert_allclose(y, wanted, rtol=1e-5)


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


def run_life(library: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIFE, str(library.parent)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_loaded_and_unloaded_again(library: Path) -> None:
    """No thread is there beside those of the host, and each time the answer is the same."""
    done = run_life(library, ARMNN_PY_NUM_THREADS="2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == ["72.0 32.0"] * 3 + ["True", ""]
    assert "bound to another" not in done.stderr  # XNNPACK does ask the host's pool


def test_another_pthreadpool_was_there_first(library: Path) -> None:
    """The process has the real one in front: the backend computes on the caller's thread."""
    pool = ctypes.util.find_library("pthreadpool")
    preload = os.pathsep.join(filter(None, [os.environ.get("LD_PRELOAD"), pool]))
    done = run_life(library, LD_PRELOAD=preload)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["72.0 32.0"] * 3
    assert "bound to another libpthreadpool" in done.stderr


# ---- Real networks ---------------------------------------------------------------------------

SHAPES = {
    "ocr_det": {"x": (1, 3, 192, 320)},
    "ocr_rec": {"x": (1, 3, 48, 320)},
    "resnet50_thin": {"input_0": (1, 224, 224, 3)},
    "yolox_tiny": {"images": (1, 3, 416, 416)},
}


@pytest.mark.models
@pytest.mark.parametrize("name", list(SHAPES))
def test_open_networks(models_folder: Path, runtime: ann.Runtime, name: str) -> None:
    model = ann.import_model(models_folder / "open" / f"{name}.onnx")
    inputs = {key: numbers(*shape) for key, shape in SHAPES[name].items()}
    with ann.load(model, ["CpuRef"], runtime=runtime, shapes=SHAPES[name]) as net:
        expected = net.run(inputs)
    with ann.load(model, ["Xnnpack", "CpuRef"], runtime=runtime, shapes=SHAPES[name]) as net:
        placed = [row.backend for row in net.assignment.layers if row.backend]
        results = net.run(inputs)
    assert placed.count("Xnnpack") > 0.9 * len(placed)
    for key, wanted in expected.items():
        scale = max(1.0, float(np.abs(wanted).max()))
        np.testing.assert_allclose(results[key] / scale, wanted / scale, rtol=0, atol=1e-4)
