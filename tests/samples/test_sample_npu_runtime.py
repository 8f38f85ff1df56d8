# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu under the whole package: placed, compiled, copied to and from, run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .npu_networks import RELU, convolution, numbers

BACKENDS = ["Sample_Npu", "CpuRef"]


@pytest.fixture
def make_runtime(
    sample_backend: Callable[[str], Path],
) -> Iterator[Callable[..., ann.Runtime]]:
    folder = sample_backend("sample_npu").parent
    made = []

    def make(**options: Any) -> ann.Runtime:
        made.append(
            ann.Runtime(dynamic_backends_path=folder, backend_options={"Sample_Npu": options})
        )
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


def mixed() -> ann.Network:
    """Two parts for the device with a layer between them that only CpuRef has."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 12, 12)))
    y = network.add_activation(convolution(network, x, (4, 8), padding="same"), RELU)
    z = network.add_activation(y, ann.ActivationFunction.TANH)
    z = convolution(network, z, (8, 8), padding="same", seed=4)
    network.add_output("y", network.add_addition(z, y))
    return network


def close(results: dict[str, Any], expected: dict[str, Any]) -> bool:
    return all(
        np.allclose(results[name], wanted, rtol=1e-4, atol=1e-5 * float(np.abs(wanted).max()))
        for name, wanted in expected.items()
    )


def test_network_on_two_backends(make_runtime: Callable[..., ann.Runtime]) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    with ann.load(mixed(), ["CpuRef"]) as reference:
        expected = reference.run(inputs)
    runtime = make_runtime()
    optimized = ann.optimize(mixed(), BACKENDS, runtime=runtime)
    types = [layer.type for layer in optimized.network.layers]
    assert types.count(ann.LayerType.PRE_COMPILED) == 2
    assert ann.LayerType.CONVOLUTION2D not in types
    with runtime.load_network(optimized) as network:
        for _ in range(3):
            assert close(network.run(inputs), expected)


def test_many_threads(make_runtime: Callable[..., ann.Runtime]) -> None:
    inputs = [{"x": numbers(1, 4, 12, 12, seed=seed)} for seed in range(4)]
    with ann.load(mixed(), ["CpuRef"]) as reference:
        expected = [reference.run(values) for values in inputs]
    wrong: list[int] = []
    with ann.load(mixed(), BACKENDS, runtime=make_runtime()) as network:

        def work(index: int) -> None:
            for _ in range(10):
                if not close(network.run(inputs[index]), expected[index]):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_second_runtime_finds_the_parts_in_the_cache(
    make_runtime: Callable[..., ann.Runtime], tmp_path: Path
) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    results = []
    for _ in range(2):
        with ann.load(mixed(), BACKENDS, runtime=make_runtime(cache_dir=str(tmp_path))) as network:
            results.append(network.run(inputs)["y"].tobytes())
        files = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        assert len(files) == 2
        if len(results) == 1:
            first = files
    assert files == first
    assert results[0] == results[1]


@pytest.mark.models
@pytest.mark.parametrize(
    ("model", "shape"), [("resnet50_thin", (1, 224, 224, 3)), ("yolox_tiny", (1, 3, 416, 416))]
)
def test_real_networks(
    make_runtime: Callable[..., ann.Runtime],
    models_folder: Path,
    model: str,
    shape: tuple[int, ...],
) -> None:
    path = models_folder / "open" / f"{model}.onnx"
    image = np.random.default_rng(3).random(shape, dtype=np.float32)
    with ann.load(path, ["CpuRef"]) as reference:
        (name,) = reference.inputs
        expected = reference.run({name: image})
    with ann.load(path, BACKENDS, runtime=make_runtime()) as network:
        assert close(network.run({name: image}), expected)
        assert any(record.backend == "Sample_Npu" for record in network.assignment)
