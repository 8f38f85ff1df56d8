# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks of quantised numbers on CpuAcc, compared bit by bit with CpuRef."""

from __future__ import annotations

import hashlib
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors.base import with_rescaling
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.types import Rescaling
from tests.selection import is_exhaustive

from .instruction_sets import QUANTIZED_ISAS
from .saving import check_saved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Outputs = dict[str, NDArray[Any]]

S8, U8, W8 = ann.DataType.QASYMM_S8, ann.DataType.QASYMM_U8, ann.DataType.QSYMM_S8


def scale_of(rng: np.random.Generator) -> float:
    return float(np.float32(np.exp(rng.uniform(-4, 0))))


def info_of(
    rng: np.random.Generator, shape: tuple[int, ...], data_type: ann.DataType, scale: float = 0.0
) -> ann.TensorInfo:
    """Of a random scale, unless one is given, and any zero point."""
    ends = np.iinfo(np.uint8 if data_type == U8 else np.int8)
    point = int(rng.choice([ends.min, ends.max, int(rng.integers(ends.min, ends.max + 1))]))
    quantization = ann.QuantizationInfo((scale or scale_of(rng),), (point,))
    return ann.TensorInfo(shape, data_type, quantization=quantization)


def scale_in(info: ann.TensorInfo) -> float:
    assert info.quantization is not None
    return info.quantization.scales[0]


def numbers(rng: np.random.Generator, info: ann.TensorInfo) -> NDArray[Any]:
    """Random bytes, with the ends of the type among them more often than by chance."""
    ends = np.iinfo(info.dtype)
    values = rng.integers(ends.min, ends.max + 1, info.static_shape)
    extreme = rng.choice([ends.min, ends.max], info.static_shape)
    return np.where(rng.random(info.static_shape) < 0.1, extreme, values).astype(info.dtype)


@pytest.fixture(
    scope="module",
    params=[(isa, threads) for isa in QUANTIZED_ISAS for threads in (1, 2)],
    ids=lambda isa_and_threads: "-".join(map(str, isa_and_threads)),
)
def quantized_runtime(request: pytest.FixtureRequest) -> Iterator[ann.Runtime]:
    """Each instruction set that runs here, with one thread and with two."""
    isa, threads = request.param
    if is_exhaustive() and threads == 1:
        _saved.clear()  # files with the kernels of each instruction set
    options = {"CpuAcc": {"isa": isa, "threads": threads}}
    with ann.Runtime(backend_options=options) as runtime:
        if "CpuAcc" not in runtime.backends:
            pytest.skip("CpuAcc is not here, or not with these kernels")
        yield runtime


def rescaled(network: ann.Network, rescaling: Rescaling = Rescaling.REAL) -> ann.Network:
    """The network, whose layers rescale so: builders make those of fixed point."""
    for layer in network.layers:
        layer._descriptor = with_rescaling(layer.descriptor, rescaling)
    return network


#: What CpuRef answers, by case: the same for each instruction set and number of threads.
_expected: dict[bytes, Outputs] = {}
#: The cases whose network went through a file.
_saved: set[bytes] = set()


def case_of(network: ann.Network, inputs: dict[str, Any], *more: object) -> bytes:
    """Return a digest of a network, its inputs and what else makes a case of a test."""
    return hashlib.sha256(pickle.dumps((network, inputs, more))).digest()


def outputs_of(
    runtime: ann.Runtime, network: ann.Network, inputs: dict[str, Any], backends: list[str]
) -> tuple[Outputs, ann.OptimizedNetwork]:
    """Run a network, and once for each case what comes of its file, where CpuAcc runs it."""
    case = case_of(network, inputs, backends)
    options = OptimizerOptions(simplify=False)
    optimized = optimize(network, backends, runtime=runtime, options=options)
    with runtime.load_network(optimized) as net:
        outputs = {name: np.array(array) for name, array in net.run(inputs).items()}
    if "CpuAcc" in backends and case not in _saved:
        check_saved(runtime, optimized, inputs, outputs)
        _saved.add(case)
    return outputs, optimized


def reference_outputs(
    runtime: ann.Runtime, network: ann.Network, inputs: dict[str, Any]
) -> Outputs:
    """Return CpuRef's outputs, computed once for all instruction sets."""
    case = case_of(network, inputs)
    if case not in _expected:
        _expected[case], _ = outputs_of(runtime, network, inputs, ["CpuRef"])
    return _expected[case]


def check_equal(
    runtime: ann.Runtime, network: ann.Network, rng: np.random.Generator, **inputs: NDArray[Any]
) -> Outputs:
    """All of the network on CpuAcc, with the bits of CpuRef."""
    given = {
        name: inputs.get(name, numbers(rng, info) if info.quantization else None)
        for name, info in network.inputs.items()
    }
    expected = reference_outputs(runtime, network, given)
    outputs, optimized = outputs_of(runtime, network, given, ["CpuAcc", "CpuRef"])
    assert {row.backend for row in optimized.assignment if row.backend} == {"CpuAcc"}
    for name, value in expected.items():
        np.testing.assert_array_equal(outputs[name], value)
    return outputs
