# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Scale: the backend of one kernel, from its folder to results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

BACKENDS = ["Sample_Scale", "CpuRef"]


@pytest.fixture(scope="module")
def library(sample_backend: Callable[[str], Path]) -> Path:
    return sample_backend("sample_scale")


@pytest.fixture
def runtime(library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(dynamic_backends_path=library.parent) as runtime:
        yield runtime


def activation(function: ann.ActivationFunction, *, a: float = 0.0, b: float = 0.0) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 5)))
    network.add_output("y", network.add_activation(x, function, a, b, name="scale"))
    return network


def test_file_is_named_after_vendor_and_name(library: Path) -> None:
    assert library.name == "Sample_Scale_backend.so"


def test_loaded_under_its_id(runtime: ann.Runtime, library: Path) -> None:
    assert runtime.backends["Sample_Scale"].id == "Sample_Scale"


@pytest.mark.parametrize(("a", "b"), [(2.0, 0.0), (-0.5, 3.25), (0.0, 1.0)])
def test_scales(runtime: ann.Runtime, a: float, b: float) -> None:
    network = activation(ann.ActivationFunction.LINEAR, a=a, b=b)
    x = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
    with ann.load(network, BACKENDS, runtime=runtime) as loaded:
        y = loaded.run({"x": x})["y"]
        (record,) = loaded.assignment
    assert record.backend == "Sample_Scale"
    np.testing.assert_allclose(y, np.float32(a) * x + np.float32(b), rtol=1e-6, atol=1e-6)


def test_other_layers_go_to_the_next_backend(runtime: ann.Runtime) -> None:
    network = activation(ann.ActivationFunction.RELU)
    x = np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5)
    with ann.load(network, BACKENDS, runtime=runtime) as loaded:
        np.testing.assert_array_equal(loaded.run({"x": x})["y"], np.maximum(x, 0))
        (record,) = loaded.assignment
    assert record.backend == "CpuRef"
    assert "no kernel for ReLu" in str(record)
