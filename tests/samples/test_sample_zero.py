# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Zero's layers through armnn_py; expected values from numpy."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .conftest import REPOSITORY, SAMPLES

Array = np.ndarray
BACKENDS = ["Sample_Zero", "CpuRef"]


@pytest.fixture(scope="module")
def in_host_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backend's sources, but with a table that prefers no tensors of its own."""
    compiler = shutil.which("cc")
    assert compiler is not None, "the tests need a C compiler"
    folder = SAMPLES / "sample_zero"
    sources = [path for path in sorted(folder.glob("*.c")) if path.name != "backend.c"]
    target = tmp_path_factory.mktemp("zero") / "Sample_Zero_backend.so"
    subprocess.run(
        [
            *(compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"),
            *("-fvisibility=hidden", f"-I{REPOSITORY / 'native/include'}", f"-I{folder}"),
            *(*sources, Path(__file__).parent / "zero_in_host_memory.c", "-lm", "-o", target),
        ],
        check=True,
    )
    return target


@pytest.fixture(params=["host memory", "handles"])
def runtime(
    request: pytest.FixtureRequest, sample_backend: Callable[[str], Path]
) -> Iterator[ann.Runtime]:
    if request.param == "host memory":
        library: Path = request.getfixturevalue("in_host_memory")
    else:
        library = sample_backend("sample_zero")
    with ann.Runtime(dynamic_backends_path=library.parent) as runtime:
        yield runtime


def values(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def run(
    runtime: ann.Runtime, network: ann.Network, /, elsewhere: tuple[str, ...] = (), **inputs: Array
) -> dict[str, Array]:
    """Run it, and see that every layer was Sample_Zero's but those named in ``elsewhere``."""
    with ann.load(network, BACKENDS, runtime=runtime) as loaded:
        results = loaded.run(inputs)
        placed = {record.layer: record.backend for record in loaded.assignment}
    for name, backend in placed.items():
        if name not in elsewhere and not name.startswith("[ "):
            assert backend == "Sample_Zero", f"{name} is on {backend}"
    return dict(results)


def test_a_constant_is_read_where_the_host_keeps_it(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    c = values(2, 3, seed=3)
    network.add_output("y", network.add_addition(x, network.add_constant(c), name="layer"))
    x = values(2, 3)
    np.testing.assert_allclose(run(runtime, network, x=x)["y"], x + c, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concat_and_split(runtime: ann.Runtime, axis: int) -> None:
    network = ann.Network()
    shape = [2, 3, 4]
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_input("y", ann.TensorInfo((2, 3, 4)))
    sums = network.add_addition(x, y, name="sum")
    product = network.add_multiplication(x, y, name="product")
    joined = network.add_concat([sums, product, sums], axis, name="joined")
    parts = network.add_split(joined, 3, axis, name="parts")
    relu = ann.ActivationFunction.RELU
    for i in range(3):
        network.add_output(
            f"part{i}", network.add_activation(parts.outputs[i], relu, name=f"relu{i}")
        )
    network.add_output("whole", network.add_activation(joined, relu, name="relu"))
    x, y = values(*shape, seed=4), values(*shape, seed=5)
    results = run(runtime, network, x=x, y=y)
    whole = np.maximum(np.concatenate([x + y, x * y, x + y], axis), 0)
    np.testing.assert_allclose(results["whole"], whole, rtol=1e-6)
    for i, part in enumerate(np.split(whole, 3, axis)):
        np.testing.assert_allclose(results[f"part{i}"], part, rtol=1e-6)


def test_reshape(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 6)))
    doubled = network.add_addition(x, x, name="doubled")
    flat = network.add_reshape(doubled, (2, 12), name="flat")
    network.add_output("y", network.add_multiplication(flat, flat, name="square"))
    x = values(4, 6)
    expected = ((2 * x) ** 2).reshape(2, 12)
    np.testing.assert_allclose(run(runtime, network, x=x)["y"], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            lambda n, x: n.add_activation(x, ann.ActivationFunction.ELU, 1.0, name="layer"),
            "activation Elu is not one of Sigmoid, TanH, Linear, ReLu and BoundedReLu",
        ),
        (
            lambda n, x: n.add_maximum(x, x, name="layer"),
            "Maximum is not one of Add, Mul and Sub",
        ),
        (
            lambda n, x: n.add_addition(x, n.add_constant(values(1, 4)), name="layer"),
            "input 1 is broadcast: only single values are",
        ),
        (lambda n, x: n.add_floor(x, name="layer"), "no kernel for this layer type"),
    ],
    ids=["function", "operation", "broadcast", "layer"],
)
def test_refused_cases_have_reasons(
    runtime: ann.Runtime, build: Callable[[ann.Network, ann.OutputSlot], ann.Layer], said: str
) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 4)))
    network.add_output("y", build(network, x))
    with ann.load(network, BACKENDS, runtime=runtime) as loaded:
        (record,) = (record for record in loaded.assignment if record.layer == "layer")
    assert record.backend == "CpuRef"
    assert said in str(record)


def test_capabilities(runtime: ann.Runtime) -> None:
    capabilities = runtime.backends["Sample_Zero"].capabilities
    assert capabilities["ExternallyManagedMemory"] is True
    assert capabilities["ProtectedContentAllocation"] is False
    assert capabilities["ImportAlignment"] == 64


def test_bounded_shapes(runtime: ann.Runtime) -> None:
    """Its tensors then lie in host memory, also those that it would hold itself."""

    def build(infos: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("bounded")
        x = network.add_input("x", infos["x"])
        y = network.add_activation(x, ann.ActivationFunction.RELU)
        y = network.add_multiplication(network.add_addition(y, x), np.float32(0.5))
        network.add_output("y", network.add_reshape(y, (infos["x"].element_count,)))
        return network

    info = ann.TensorInfo((None, 3), dimension_names=("rows", None))
    network = ann.Network.from_builder(
        "bounded", {"x": info}, build, {"y": ann.TensorInfo((None,))}
    )
    with ann.load(network, BACKENDS, runtime=runtime, bounds={"rows": 100}) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        assert loaded.assignment.counts == {"Sample_Zero": 4}
        for rows in (100, 1, 33, 0, 99):
            x = values(rows, 3, seed=rows)
            expected = ((np.maximum(x, 0) + x) * np.float32(0.5)).ravel()
            assert np.array_equal(loaded.run(x)["y"], expected)


def test_layers_of_boxes_need_known_shapes(runtime: ann.Runtime) -> None:
    def build(infos: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("boxes")
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_concat([x, np.ones((1, 3), np.float32)], 0))
        return network

    info = ann.TensorInfo((None, 3), dimension_names=("rows", None))
    network = ann.Network.from_builder("boxes", {"x": info}, build, {"y": info})
    with pytest.warns(ann.ArmnnWarning, match="each input shape gets a plan of its own"):
        loaded = ann.load(network, BACKENDS, runtime=runtime, bounds={"rows": 8})
    with loaded:
        assert loaded.bounded_shapes.reasons == (
            "layer 'concat_1' (Concat): backend 'Sample_Zero' refuses bounded shapes: "
            "zero_f32_concat goes by boxes of known sizes",
        )
        x = values(2, 3)
        assert np.array_equal(loaded.run(x)["y"], np.concatenate([x, np.ones((1, 3))]))


def test_an_operator_that_no_layer_expresses(runtime: ann.Runtime) -> None:
    swish = ann.descriptors.StandInDescriptor(1, 1, 1, "com.sample", "Swish", {"beta": 2.0})
    backend = runtime.backends["Sample_Zero"]
    info = ann.TensorInfo((3, 4))
    assert backend.infer_stand_in(swish, [info]).outputs == (info,)
    other = ann.descriptors.StandInDescriptor(1, 1, 1, "com.sample", "Twist")
    assert backend.infer_stand_in(other, [info]).reason == "only Swish of com.sample"
    network = ann.Network()
    x = network.add_input("x", info)
    layer = network.add_layer(ann.LayerType.STAND_IN, [x], swish, output_infos=[info])
    network.add_output("y", layer.outputs[0])
    data = values(3, 4)
    with ann.load(network, BACKENDS, runtime=runtime) as loaded:
        found = loaded.run(data)["y"]
    wide = data.astype(np.float64)
    np.testing.assert_allclose(found, wide / (1 + np.exp(-2 * wide)), rtol=1e-5)
