# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory that Sample_Zero does not import, where nothing may be copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)


def network_of(*readers: str) -> ann.Network:
    """``relu`` of the input is output ``y``, and what each of ``readers`` doubles."""
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    relu = network.add_activation(x, ann.ActivationFunction.RELU, name="relu")
    network.add_output("y", relu)
    for name in readers:
        network.add_output(name, network.add_addition(relu, relu, name=f"twice {name}"))
    return network


def at(offset: int) -> np.ndarray:
    """X at an address ``offset`` bytes behind a multiple of 64."""
    raw = np.zeros(X.nbytes + 128, np.uint8)
    begin = -raw.ctypes.data % 64 + offset
    array = raw[begin : begin + X.nbytes].view(np.float32).reshape(X.shape)
    array[...] = X
    return array


@pytest.fixture
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    with ann.Runtime(sample_backend("sample_zero").parent) as runtime:
        yield runtime


@pytest.mark.parametrize("tensor", ["input 'x'", "output 'y'"])
@pytest.mark.parametrize("way", ["run", "bind"])
def test_misaligned_memory(runtime: ann.Runtime, tensor: str, way: str) -> None:
    """Arm NN's MemoryImportException and MemoryExportException, with names and the reason."""
    net = ann.load(network_of(), ["Sample_Zero"], runtime=runtime)
    x = at(4 if "x" in tensor else 0)
    y = at(4 if "y" in tensor else 0)

    def run() -> Any:
        if way == "run":
            return net.run(x, out={"y": y}, share_inputs=True)
        with net.bind(x, {"y": y}) as bound:
            return bound.run()

    with pytest.raises(ann.ExecutionError) as caught:
        run()
    error = caught.value
    lines = str(error).splitlines()
    assert lines[0] == f"{tensor}: backend 'Sample_Zero' does not import its memory"
    address = (x if "x" in tensor else y).ctypes.data
    assert f"the address 0x{address:x} is not a multiple of 64 bytes" in lines[1]
    assert lines[-1].startswith("hint: without share_inputs=True and bind() the tensor is copied")
    assert error.backend == "Sample_Zero"
    # Nothing is lost: where copies are allowed, it goes on.
    np.testing.assert_array_equal(net.run(x, out={"y": y})["y"], np.maximum(X, 0))


def test_imports_that_the_option_forbids(
    sample_backend: Callable[[str], Path],
) -> None:
    """Its factory then says that nothing is imported, and there is no import to refuse."""
    folder = sample_backend("sample_zero").parent
    options = {"Sample_Zero": {"import": False}}
    with ann.Runtime(folder, backend_options=options) as runtime:
        net = ann.load(network_of(), ["Sample_Zero"], runtime=runtime)
        with net.profile() as profile:
            net.run(X)
    assert not [layer for layer in profile if layer.type == "MemImport"]
    assert profile.copies == 2


@pytest.mark.parametrize("layers", [("a",), ("a", "b")])
def test_output_with_several_consumers(runtime: ann.Runtime, layers: tuple[str, ...]) -> None:
    """Arm NN exports an output only if it has one consumer; here the others read it there."""
    net = ann.load(network_of(*layers), ["Sample_Zero"], runtime=runtime)
    out = {name: at(0) for name in ("y", *layers)}
    with net.profile() as profile:
        net.run(at(0), out=out, share_inputs=True)
    assert profile.copies == 0
    np.testing.assert_array_equal(out["y"], np.maximum(X, 0))
    for name in layers:
        np.testing.assert_array_equal(out[name], 2 * np.maximum(X, 0))


def test_fresh_outputs_go_from_network_to_network(runtime: ann.Runtime) -> None:
    """What `run` returns is aligned for the import of the next network."""
    net = ann.load(network_of(), ["Sample_Zero"], runtime=runtime)
    y = at(0)
    with net.profile() as profile:
        for _ in range(10):
            y = net.run(y, share_inputs=True)["y"]
    assert profile.copies == 0
    np.testing.assert_array_equal(y, np.maximum(X, 0))
