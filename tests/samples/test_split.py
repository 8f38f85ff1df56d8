# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks spread over all sample backends give what they give on CpuRef alone.

A sample of what ``scripts/split_networks.py`` does with many more seeds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import armnn_py as ann

SAMPLES = ("sample_npu", "sample_zero", "sample_scale")


@pytest.fixture(scope="module")
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    folders = [sample_backend(name).parent for name in SAMPLES]
    with ann.Runtime(folders) as runtime:
        assert set(runtime.backends) >= {"CpuRef", "Sample_Npu", "Sample_Zero", "Sample_Scale"}
        yield runtime


def vision_network(seed: int) -> ann.Network:
    """Branches of what the samples take, with what they refuse in between."""
    rng, values = random.Random(seed), np.random.default_rng(seed)
    network = ann.Network(f"vision {seed}")
    channels = 8
    pool = [network.add_input("x", ann.TensorInfo((1, 12, 12, channels))).output]

    def weights(*shape: int) -> np.ndarray:
        return (values.standard_normal(shape) / 6).astype(np.float32)

    for number in range(14):
        x, y = rng.choice(pool[-4:]), rng.choice(pool[-4:])
        name = f"l{number}"
        kind = rng.randrange(8)
        if kind == 0:
            layer = network.add_convolution2d(
                x, weights(channels, 3, 3, channels), weights(channels), padding="same", name=name
            )
        elif kind == 1:
            layer = network.add_depthwise_convolution2d(
                x, weights(1, 3, 3, channels), weights(channels), padding="same", name=name
            )
        elif kind == 2:
            layer = network.add_addition(x, y, name=name)
        elif kind == 3:
            function = rng.choice([ann.ActivationFunction.RELU, ann.ActivationFunction.TANH])
            layer = network.add_activation(x, function, a=1.0, b=1.0, name=name)
        elif kind == 4:
            layer = network.add_activation(
                x, ann.ActivationFunction.LINEAR, a=0.5, b=0.25, name=name
            )
        elif kind == 5:
            both = network.add_concat([x, y], axis=3, name=name)
            layer = network.add_slice(both, (0, 0, 0, 4), (1, 12, 12, channels))
        elif kind == 6:
            layer = network.add_multiplication(x, y, name=name)
        else:
            layer = network.add_softmax(x, name=name)
        pool.append(layer.output)
    for number, slot in enumerate(s for s in pool[1:] if not s.consumers):
        network.add_output(f"y{number}", slot)
    return network


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_in_random_assignments(
    seed: int, split: ModuleType, runtime: ann.Runtime
) -> None:
    for outcome in split.run_all(vision_network(seed), runtime, [seed, seed + 100]):
        assert outcome.ok, outcome


def test_random_networks_of_many_layer_types(split: ModuleType, runtime: ann.Runtime) -> None:
    """Every layer at random on CpuRef or a sample; memory of devices is copied or imported."""
    outcomes = list(split.run_random(runtime, range(8)))
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    for sample in ("Sample_Npu", "Sample_Zero", "Sample_Scale"):
        assert any(sample in outcome.layers for outcome in outcomes)
    assert any(outcome.copies for outcome in outcomes)
    assert any(outcome.imports for outcome in outcomes)


def test_layers_that_a_backend_has_do_not_become_one_that_it_lacks(runtime: ann.Runtime) -> None:
    """Sample_Zero has sums, clips and products, but no hard-swish."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 8)))
    three = np.full((1, 8), 3, np.float32)
    clip = ann.ActivationFunction.BOUNDED_RELU
    gate = network.add_activation(network.add_addition(x, three), clip, 6, 0)
    network.add_output("y", network.add_multiplication(x, gate))
    value = np.linspace(-5, 5, 8, dtype=np.float32).reshape(1, 8)
    expected = value * np.clip(value + 3, 0, 6)
    for backends in (["Sample_Zero"], ["Sample_Zero", "CpuRef"], ["CpuRef"]):
        optimized = ann.optimize(network, backends, runtime=runtime)
        assert set(optimized.assignment.counts) == {backends[0]}
        with runtime.load_network(optimized) as loaded:
            np.testing.assert_allclose(loaded.run(value)["y"], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.models
@pytest.mark.parametrize("name", ["resnet50_thin", "ocr_det", "ocr_rec", "yolox_tiny"])
def test_real_networks(
    name: str, split: ModuleType, runtime: ann.Runtime, models_folder: Path
) -> None:
    network = ann.import_model(models_folder / "open" / f"{name}.onnx")
    used = set()
    for outcome in split.run_all(network.specialize(split.SHAPES[name]), runtime, [1]):
        assert outcome.ok, outcome
        used |= set(outcome.layers)
    assert used >= {"CpuRef", "Sample_Npu", "Sample_Zero"}


@pytest.mark.parametrize("seed", range(12))
def test_chains_have_as_many_copies_as_borders(seed: int, runtime: ann.Runtime) -> None:
    """The host is at both ends of a chain; each border to or from a device is one copy."""
    rng = random.Random(seed)
    network = ann.Network("chain")
    x: ann.Layer = network.add_input("x", ann.TensorInfo((1, 8)))
    places = []
    value = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
    expected = value
    for number in range(rng.randint(1, 9)):
        places.append(rng.choice(["CpuRef", "Sample_Npu"]))
        # Doubled or clipped, always by less than is there: each layer and their order show.
        if rng.random() < 0.5:
            expected = expected + expected
            x = network.add_addition(x, x, name=f"l{number}", backend=places[-1])
        else:
            low, high = 0.5 * float(expected.min()), 0.75 * float(expected.max())
            expected = np.clip(expected, np.float32(low), np.float32(high))
            function = ann.ActivationFunction.BOUNDED_RELU
            x = network.add_activation(
                x, function, high, low, name=f"l{number}", backend=places[-1]
            )
    network.add_output("y", x)
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    memory = ["CpuRef", *places, "CpuRef"]
    borders = sum(a != b for a, b in itertools.pairwise(memory))
    copies = [layer for layer in optimized.network.layers if layer.type.label == "MemCopy"]
    assert len(copies) == borders
    assert optimized.assignment.copies == borders
    with runtime.load_network(optimized) as loaded:
        np.testing.assert_array_equal(loaded.run(value)["y"], expected)
