# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Both devices of Sample_Npu in one runtime: a network that runs on one and on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .npu_networks import RELU, convolution, device_memory, numbers

IDS = ["Sample_Npu", "Sample_Npu:1"]


@pytest.fixture
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    with ann.Runtime(sample_backend("sample_npu").parent) as runtime:
        yield runtime


def two_halves(*ids: str) -> ann.Network:
    """A convolution and what follows it, for each of two devices."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 12, 12)))
    for half, channels in enumerate((4, 8)):
        x = convolution(network, x, (channels, 8), padding="same", seed=channels)
        relu = network.add_activation(x, RELU, name=f"relu {half}")
        if ids:
            x.backend_hint = relu.backend_hint = ids[half]
        x = relu
    network.add_output("y", x)
    return network


def memory_of(device: int) -> int:
    """Bytes of device memory that are there now."""
    return sum(device_memory(device))


def test_half_of_a_network_on_each(runtime: ann.Runtime) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    with ann.load(two_halves(), ["CpuRef"]) as reference:
        expected = reference.run(inputs)["y"]
    optimized = ann.optimize(two_halves("Sample_Npu:0", "Sample_Npu:1"), runtime=runtime)
    kinds = [layer.type for layer in optimized.network.layers]
    assert kinds.count(ann.LayerType.PRE_COMPILED) == 2
    placed = {one.layer: one.backend for one in optimized.assignment if not one.inserted}
    assert (placed["relu 0"], placed["relu 1"]) == ("Sample_Npu", "Sample_Npu:1")
    assert set(placed.values()) == set(IDS)
    assert (memory_of(0), memory_of(1)) == (0, 0)
    with runtime.load_network(optimized) as network:
        for _ in range(3):
            result = network.run(inputs)["y"]
            np.testing.assert_allclose(
                result, expected, rtol=1e-4, atol=1e-5 * float(np.abs(expected).max())
            )
        # Input and output of its half, and the weights: 4 and 8 channels in, 8 out, padded to 16.
        image, inner = 4 * 4 * 12 * 12, 4 * 8 * 12 * 12
        assert memory_of(0) >= image + inner + 4 * 9 * 4 * 16
        assert memory_of(1) >= inner + inner + 4 * 9 * 8 * 16
        with network.profile() as profile:
            network.run(inputs)
        first, second = (profile.counters[name] for name in IDS)
        assert (first["jobs"], first["bytes_in"], first["bytes_out"]) == (1, image, inner)
        assert (second["jobs"], second["bytes_in"], second["bytes_out"]) == (1, inner, inner)
        assert {layer.backend for layer in profile.layers} >= set(IDS)
    assert (memory_of(0), memory_of(1)) == (0, 0)


def test_tensors_of_one_device_are_copied_to_the_other(runtime: ann.Runtime) -> None:
    """Both call their memory by one id, and yet it is not one memory."""
    optimized = ann.optimize(two_halves("Sample_Npu:0", "Sample_Npu:1"), runtime=runtime)
    alone = ann.optimize(two_halves(), IDS, runtime=runtime)
    assert {one.backend for one in alone.assignment} == {"Sample_Npu"}
    copies = [
        [one for one in placed.assignment if one.type == "MemCopy"] for placed in (optimized, alone)
    ]
    assert len(copies[0]) == len(copies[1]) + 1


def test_a_device_for_each_network(runtime: ann.Runtime) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    with (
        ann.load(two_halves(), [IDS[0]], runtime=runtime) as first,
        ann.load(two_halves(), [IDS[1]], runtime=runtime) as second,
    ):
        first_result = first.run(inputs)["y"]
        assert memory_of(0) > 0
        assert memory_of(1) == 0
        np.testing.assert_array_equal(second.run(inputs)["y"], first_result)
        assert memory_of(1) > 0
        assert runtime.backends[IDS[0]].read_counters()["jobs"] == 1
        assert runtime.backends[IDS[1]].read_counters()["jobs"] == 1


def test_limits_are_those_of_a_device(sample_backend: Callable[[str], Path]) -> None:
    """Each context hears of the networks of the runtime from when its device is in use."""
    folder = sample_backend("sample_npu").parent
    options = {"Sample_Npu:1": {"max_networks": 1}}
    with ann.Runtime(folder, backend_options=options) as runtime:
        with ann.load(two_halves(), [IDS[0]], runtime=runtime):
            second = ann.load(two_halves(), [IDS[1]], runtime=runtime)
            with pytest.raises(ann.BackendError, match="'Sample_Npu:1' does not let network"):
                ann.load(two_halves(), [IDS[1]], runtime=runtime)
            second.close()
        ann.load(two_halves(), [IDS[1]], runtime=runtime).close()


def test_a_compiled_network_is_kept_for_its_device(runtime: ann.Runtime) -> None:
    """Programs of one device are checked and run by the instance that compiled them."""
    optimized = ann.optimize(two_halves(), [IDS[1]], runtime=runtime)
    with runtime.load_network(optimized) as network:
        network.run({"x": numbers(1, 4, 12, 12)})
        assert memory_of(0) == 0


def test_a_device_that_comes_with_a_shape_hears_of_the_network(
    sample_backend: Callable[[str], Path],
) -> None:
    """Its context can veto at the run that needs it, and hears of the end."""

    def build(inputs: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("free")
        relu = network.add_activation(network.add_input("x", inputs["x"]), RELU, name="relu")
        relu.backend_hint = IDS[1]
        network.add_output("y", relu)
        return network

    free = ann.TensorInfo((None, 3))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    options = {IDS[1]: {"max_networks": 1}}
    x = np.array([[-1, 0, 2]], np.float32)
    folder = sample_backend("sample_npu").parent
    with ann.Runtime(folder, backend_options=options) as runtime:
        first = ann.load(network, ["CpuRef"], runtime=runtime)
        second = ann.load(network, ["CpuRef"], runtime=runtime)
        np.testing.assert_array_equal(first.run({"x": x})["y"], [[0, 0, 2]])
        np.testing.assert_array_equal(first.run({"x": x.T @ x})["y"], np.maximum(x.T @ x, 0))
        with pytest.raises(ann.BackendError, match="'Sample_Npu:1' does not let network 'free'"):
            second.run({"x": x})
        first.close()
        np.testing.assert_array_equal(second.run({"x": x})["y"], [[0, 0, 2]])
        second.close()
