# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Zero's memory through armnn_py: imports, refusals, allocators; told by its counters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

SIZE = 32  # bytes of the tensors below


@pytest.fixture(scope="module")
def folder(sample_backend: Callable[[str], Path]) -> Path:
    return sample_backend("sample_zero").parent


def chain() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4)))
    relu = network.add_activation(x, ann.ActivationFunction.RELU, name="relu")
    network.add_output("y", network.add_addition(relu, relu, name="twice"))
    return network


def at(offset: int) -> np.ndarray:
    """An array (2, 4) whose address is ``offset`` bytes behind a multiple of 64."""
    raw = np.zeros(192, np.uint8)
    begin = -raw.ctypes.data % 64 + offset
    return raw[begin : begin + SIZE].view(np.float32).reshape(2, 4)


def run(runtime: ann.Runtime, source: np.ndarray, target: np.ndarray) -> dict[str, float]:
    """Run the chain once; the backend's counters after it."""
    source[:] = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
    with ann.load(chain(), ["Sample_Zero"], runtime=runtime) as loaded:
        with loaded.profile() as profile:
            loaded.run({"x": source}, out={"y": target})
        np.testing.assert_allclose(target, 2 * np.maximum(source, 0), rtol=1e-6)
        return dict(profile.counters["Sample_Zero"])


def test_aligned_memory_is_imported_and_nothing_is_copied(folder: Path) -> None:
    with ann.Runtime(dynamic_backends_path=folder) as runtime:
        counters = run(runtime, at(0), at(0))
    assert counters["zero.bytes_imported"] == 2 * SIZE
    assert counters["zero.bytes_copied"] == 0
    assert (counters["zero.runs"], counters["zero.kernels"]) == (1, 2)


@pytest.mark.parametrize(("source", "target"), [(4, 0), (0, 4), (4, 4)])
def test_misaligned_memory_is_copied(folder: Path, source: int, target: int) -> None:
    with ann.Runtime(dynamic_backends_path=folder) as runtime:
        counters = run(runtime, at(source), at(target))
    copied = SIZE * ((source != 0) + (target != 0))
    assert counters["zero.bytes_copied"] == copied
    assert counters["zero.bytes_imported"] == 2 * SIZE - copied


def test_option_import_false_copies_both_ways(folder: Path) -> None:
    options = {"Sample_Zero": {"import": False}}
    with ann.Runtime(dynamic_backends_path=folder, backend_options=options) as runtime:
        counters = run(runtime, at(0), at(0))
    assert counters["zero.bytes_imported"] == 0
    assert counters["zero.bytes_copied"] == 2 * SIZE


class Kept(ann.Allocator):
    """Memory of Python's; remembers what is out."""

    def __init__(self, source: ann.MemorySource = ann.MemorySource.MALLOC) -> None:
        self.source = source
        self.out: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self.given = 0

    @property
    def memory_source(self) -> ann.MemorySource:
        return self.source

    def allocate(self, size: int, alignment: int) -> int:
        memory = ctypes.create_string_buffer(size + alignment)
        address = -(-ctypes.addressof(memory) // alignment) * alignment
        self.out[address] = memory
        self.given += 1
        return address

    def free(self, address: int) -> None:
        del self.out[address]


def test_all_tensor_memory_comes_from_the_users_allocator(folder: Path) -> None:
    allocator = Kept()
    with ann.Runtime(
        dynamic_backends_path=folder, custom_allocators={"Sample_Zero": allocator}
    ) as runtime:
        run(runtime, at(4), at(4))
    assert allocator.given > 0
    assert not allocator.out


def test_an_allocator_of_protected_memory_is_refused_with_a_message(folder: Path) -> None:
    allocator = Kept(ann.MemorySource.DMA_BUF_PROTECTED)
    with pytest.warns(ann.BackendSkippedWarning, match="does not accept the allocator"):
        runtime = ann.Runtime(
            dynamic_backends_path=folder, custom_allocators={"Sample_Zero": allocator}
        )
    with runtime:
        assert "Sample_Zero" not in runtime.backends
        assert "its memory is DmaBufProtected" in str(runtime.load_report)
    assert allocator.given == 0
