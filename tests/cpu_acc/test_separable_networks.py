# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which layers become one operator with a depthwise convolution, and networks of such blocks."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .networks import LAYOUTS, NCHW, NHWC, F, check, convolution, run, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def always(runtime: ann.Runtime) -> Iterator[ann.Runtime]:
    del runtime  # skips where CpuAcc is missing
    with ann.Runtime(backend_options={"CpuAcc": {"separable": "always"}}) as chosen:
        yield chosen


def depthwise(
    network: ann.Network, x: ann.OutputSlot, layout: ann.DataLayout, name: str, **options: Any
) -> ann.OutputSlot:
    channels = x.info.static_shape[1 if layout == NCHW else 3]
    size = options.pop("size", 3)
    return network.add_depthwise_convolution2d(
        x,
        values_of(6, 1, size, size, channels) / size,
        values_of(5, channels),
        data_layout=layout,
        name=name,
        **{"padding": "same", **options},
    ).output


def relu6(network: ann.Network, x: ann.OutputSlot, name: str) -> ann.OutputSlot:
    return network.add_activation(x, F.BOUNDED_RELU, 6, 0, name=name).output


class Net:
    """A network of layers with names, of which ``rows`` are the operators."""

    def __init__(self, layout: ann.DataLayout, channels: int = 8) -> None:
        self.network, self.layout = ann.Network(), layout
        shape = (2, channels, 9, 10) if layout == NCHW else (2, 9, 10, channels)
        self.x = self.network.add_input("x", ann.TensorInfo(shape)).output

    def expand(self, x: ann.OutputSlot, outputs: int = 24, **options: Any) -> ann.OutputSlot:
        options = {"kernel": 1, "name": "expand", **options}
        y = convolution(self.network, x, self.layout, outputs, **options)
        return relu6(self.network, y, options["name"] + "6")

    def middle(self, x: ann.OutputSlot, **options: Any) -> ann.OutputSlot:
        return relu6(self.network, depthwise(self.network, x, self.layout, "dw", **options), "dw6")

    def project(self, x: ann.OutputSlot, outputs: int = 8, **options: Any) -> ann.OutputSlot:
        options = {"kernel": 1, "name": "project", **options}
        return convolution(self.network, x, self.layout, outputs, **options)

    def rows(self, runtime: ann.Runtime, *outputs: ann.OutputSlot) -> set[str]:
        for number, output in enumerate(outputs):
            self.network.add_output(f"y{number}", output)
        return set(check(runtime, self.network))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("stride", [1, 2])
def test_inverted_residual(always: ann.Runtime, layout: ann.DataLayout, stride: int) -> None:
    net = Net(layout)
    y = net.project(net.middle(net.expand(net.x), stride=(stride, stride)))
    row = "expand + expand6 + dw + dw6 + project"
    if stride == 1:
        y = net.network.add_addition(net.x, y, name="sum").output
        row += " + sum"
    assert row in net.rows(always, y)


def test_the_two_in_front_or_behind(always: ann.Runtime) -> None:
    """Where the third layer is of another kind, or a tensor between is read elsewhere."""
    net = Net(NHWC)
    assert "expand + expand6 + dw + dw6" in net.rows(
        always, net.project(net.middle(net.expand(net.x)), kernel=3)
    )
    net = Net(NHWC)
    assert "dw + dw6 + project" in net.rows(always, net.project(net.middle(net.x)))
    net = Net(NHWC)
    wide = net.expand(net.x)
    assert "dw + dw6 + project" in net.rows(always, net.project(net.middle(wide)), wide)
    net = Net(NHWC)
    narrow = net.middle(net.expand(net.x))
    assert "expand + expand6 + dw + dw6" in net.rows(always, net.project(narrow), narrow)


def test_gate_between(always: ann.Runtime) -> None:
    """Squeeze and excite: a mean of the whole image stands between the two halves."""
    net = Net(NHWC)
    y = net.middle(net.expand(net.x))
    gate = net.network.add_mean(y, (1, 2), keep_dims=True)
    gate = net.network.add_activation(gate, F.SIGMOID).output
    y = net.network.add_multiplication(y, gate, name="gated").output
    rows = net.rows(always, net.project(y))
    assert "expand + expand6 + dw + dw6" in rows
    assert "project" in rows


@pytest.mark.parametrize(
    "change",
    [{"kernel": 3}, {"stride": (2, 2)}, {"padding": (1, 1, 1, 1)}],
    ids=["window", "stride", "padding"],
)
def test_other_than_pointwise_convolutions(always: ann.Runtime, change: dict[str, Any]) -> None:
    net = Net(NHWC)
    rows = net.rows(always, net.project(net.middle(net.expand(net.x, **change)), **change))
    assert {"expand + expand6", "dw + dw6", "project"} <= rows


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("option", ["off", "auto", "always"])
def test_option(option: str) -> None:
    """``auto`` joins a large image, whose expanded tensor is larger than any second cache."""
    rows: list[str] = []
    for side in (10, 256):
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo((1, side, side, 4))).output
        y = convolution(network, x, NHWC, 24, kernel=1, name="expand")
        y = depthwise(network, y, NHWC, "dw", stride=(2, 2))
        network.add_output("y", convolution(network, y, NHWC, 4, kernel=1, name="project"))
        options = {"threads": 1} | ({} if option == "auto" else {"separable": option})
        with ann.Runtime(backend_options={"CpuAcc": options}) as runtime:
            rows += [row for row in check(runtime, network) if "dw" in row]
    joined = "expand + dw + project"
    assert rows == {"off": ["dw", "dw"], "auto": ["dw", joined], "always": [joined, joined]}[option]


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("stored", ["bfloat16", "float16"])
def test_weights_of_16_bits(stored: str) -> None:
    """Also from a file (``run`` saves and loads the network)."""
    net = Net(NHWC)
    y = net.project(net.middle(net.expand(net.x)))
    net.network.add_output("y", y)
    options = {"separable": "always", "weights": stored}
    expected, _, _ = run_on("CpuRef", net.network, {})
    outputs, rows, _ = run_on("CpuAcc", net.network, options)
    assert rows == ["expand + expand6 + dw + dw6 + project"]
    error = np.abs(outputs["y"] - expected["y"]).max() / np.abs(expected["y"]).max()
    assert 0 < error < 2**-6


def run_on(backend: str, network: ann.Network, options: dict[str, Any]) -> Any:
    with ann.Runtime(backend_options={"CpuAcc": options}) as runtime:
        return run(runtime, network, [backend])


@pytest.mark.parametrize("seed", range(12))
def test_random_networks(always: ann.Runtime, seed: int) -> None:
    """Chains of 1x1 and depthwise convolutions with functions, sums and second readers between."""
    rng = random.Random(seed)
    net = Net(rng.choice([NCHW, NHWC]), rng.choice([3, 8, 20]))
    pool = [net.x]
    for number in range(14):
        x = rng.choice(pool[-2:])
        kind = rng.randrange(8)
        if kind < 3:
            outputs = rng.choice([5, 8, 16, 33])
            y = convolution(net.network, x, net.layout, outputs, kernel=1, name=f"c{number}")
        elif kind < 6:
            size, stride = rng.choice([2, 3, 3, 5]), rng.choice([1, 1, 1, 2])
            strides = (stride, rng.choice([1, stride]))
            y = depthwise(net.network, x, net.layout, f"d{number}", size=size, stride=strides)
        elif kind == 6:
            same = [z for z in pool if z.info.static_shape == x.info.static_shape]
            y = net.network.add_addition(x, rng.choice(same), name=f"a{number}").output
        else:
            y = net.network.add_activation(x, rng.choice([F.RELU, F.HARD_SWISH, F.TANH]), 1, 1)
            y = y.output
        pool.append(y)
    unread = [slot for slot in pool[1:] if not slot.consumers]
    net.rows(always, *unread)


def test_against_onnxruntime(always: ann.Runtime, tmp_path: Any) -> None:
    """A small MobileNet, asymmetric padding and dilation in it."""
    onnx = pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    nodes, weights = [], []

    def conv(x: str, inputs: int, outputs: int, size: int, groups: int, **attributes: Any) -> str:
        y = f"y{len(nodes)}"
        values = values_of(len(nodes), outputs, inputs // groups, size, size)
        values /= np.float32(np.sqrt(size * size * inputs / groups))
        weights.append(numpy_helper.from_array(values, f"w{y}"))
        weights.append(numpy_helper.from_array(values_of(len(nodes), outputs), f"b{y}"))
        nodes.append(
            helper.make_node("Conv", [x, f"w{y}", f"b{y}"], [y], group=groups, **attributes)
        )
        return y

    def relu(x: str) -> str:
        nodes.append(helper.make_node("Relu", [x], [f"y{len(nodes)}"]))
        return nodes[-1].output[0]

    x, inputs = "x", 6
    plans: list[tuple[int, int, dict[str, Any]]] = [
        (30, 10, {"size": 3, "strides": [2, 2], "pads": [0, 0, 1, 1]}),
        (44, 10, {"size": 5, "pads": [2, 2, 2, 2]}),
        (44, 17, {"size": 3, "dilations": [2, 3], "pads": [3, 0, 1, 5]}),
    ]
    for wide, outputs, window in plans:
        y = relu(conv(x, inputs, wide, 1, 1))
        y = relu(conv(y, wide, wide, groups=wide, **window))
        y = conv(y, wide, outputs, 1, 1)
        if outputs == inputs:
            nodes.append(helper.make_node("Add", [x, y], [f"y{len(nodes)}"]))
            y = nodes[-1].output[0]
        x, inputs = y, outputs
    info = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [3, 6, 23, 19])
    graph = helper.make_graph(nodes, "net", [info], [onnx.ValueInfoProto(name=x)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    path = tmp_path / "net.onnx"
    path.write_bytes(model.SerializeToString())
    image = values_of(1, 3, 6, 23, 19)
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"x": image})
    with ann.load(path, ["CpuAcc"], runtime=always) as net, net.profile() as profile:
        result = np.array(net.run({"x": image})[x])
    kernels = [layer.kernel for layer in profile.layers]
    assert sum("separable" in (kernel or "") for kernel in kernels) == 3
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
