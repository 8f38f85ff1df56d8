# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu's names, device memory and queue; the kit tries its tensors, fences and blobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.layers.layer_structs import LayerStructs
from armnn_py._native.table.handle_access import READ, WRITE, HandleAccess
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py._native.table.workloads import NativeWorkloadFactory
from armnn_py.descriptors import ActivationDescriptor
from armnn_py.optimizer.options import AS_IT_IS

from .npu_networks import RELU, device_memory, numbers, of_one, small

SIZE = 100_000  #: elements: a job takes longer than its way into the queue


@pytest.fixture
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    with ann.Runtime(sample_backend("sample_npu").parent) as runtime:
        yield runtime


def chain(count: int) -> ann.Network:
    """y = x + 0 + 1 + 2 ..., one by one."""
    network = ann.Network()
    y: Any = network.add_input("x", ann.TensorInfo((SIZE,)))
    for number in range(count):
        y = network.add_addition(y, np.full(1, number, np.float32))
    network.add_output("y", y)
    return network


def layer_by_layer(network: ann.Network, runtime: ann.Runtime) -> ann.LoadedNetwork:
    """Each layer is a job of its own."""
    placed = ann.optimize(network, ["Sample_Npu"], runtime=runtime, options=AS_IT_IS)
    return runtime.load_network(placed)


def test_long_names_are_cut_between_characters(runtime: ann.Runtime) -> None:
    network = of_one((4,), lambda n, x: n.add_activation(x, RELU, name="a" + 40 * "\u00fc"))
    placed = ann.optimize(network, ["Sample_Npu"], runtime=runtime)
    assert "npu: a" + 31 * "\u00fc" in [layer.name for layer in placed.network.layers]


def test_no_device_memory_is_mapped_between_jobs(runtime: ann.Runtime) -> None:
    with ann.load(small(), ["Sample_Npu"], runtime=runtime) as network:
        network.run(numbers(1, 4, 6, 6))
        assert device_memory()
        assert "memfd:sample_npu" not in Path("/proc/self/maps").read_text()
    assert not device_memory()


def test_a_long_chain_takes_two_tensors_and_waits_for_room(runtime: ann.Runtime) -> None:
    """The chain has more jobs than the queue has room for."""
    x = np.arange(SIZE, dtype=np.float32)
    for count in (3, 200):
        with layer_by_layer(chain(count), runtime) as network:
            for _ in range(3):
                np.testing.assert_array_equal(network.run(x)["y"], x + sum(range(count)))
            assert device_memory() == sorted([2 * 4 * SIZE, 64 * count])  # tensors, constants


def test_misuse_of_a_tensor_is_refused(runtime: ann.Runtime) -> None:
    info = ann.TensorInfo((1, 4, 6, 6))
    with closing(HandleRegistry([runtime.backends["Sample_Npu"]])) as registry:
        (name,) = registry.preferences("Sample_Npu")
        handle = registry.factories[name].create(info, managed=False)
        handle.allocate()
        tensor = HandleAccess(handle, info)
        with (
            tensor.mapped(WRITE),
            pytest.raises(ann.BackendError, match="mapped already"),
            tensor.mapped(READ),
        ):
            pass
        with pytest.raises(ann.BackendError, match="not mapped"):
            tensor._call("unmap")
        with pytest.raises(ann.BackendError, match="576 bytes, not 4"):
            tensor.copy_in(numbers(1))
        handle.destroy()


def test_a_complete_network_gets_no_more_workloads(runtime: ann.Runtime) -> None:
    backend, info = runtime.backends["Sample_Npu"], ann.TensorInfo((4,))
    descriptor = ActivationDescriptor(function=RELU)
    relu = LayerStructs(ann.LayerType.ACTIVATION, descriptor, [info], [info], [None])
    factory = NativeWorkloadFactory(backend.id, backend.api, backend.instance)
    workload = factory.create(relu, 1, "relu")
    factory.after_workloads_created()
    with pytest.raises(ann.BackendError, match="this network has all of its workloads"):
        factory.create(relu, 2, "late")
    workload.destroy()
    factory.destroy()
