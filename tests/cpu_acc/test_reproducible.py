# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``CpuAcc.reproducible``: the same bits for each instruction set, any threads, any row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.testing.cases import Case, all_cases
from armnn_py.testing.random_networks import random_inputs, random_network
from armnn_py.testing.subject import AS_GIVEN
from armnn_py.types import DataType, LayerType
from tests.selection import is_exhaustive

from .instruction_sets import ISAS
from .networks import NHWC, F, inputs_of, values_of
from .vision import Vision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

THREADS = (1, 2, 3, 8) if is_exhaustive() else (1, 3)
CASES = all_cases("quick", types=(DataType.FLOAT32,), variants=is_exhaustive())
LAYERS = sorted({case.signature.type for case in CASES})
SEEDS = range(40 if is_exhaustive() else 5)


@pytest.fixture(scope="module")
def runtimes(request: pytest.FixtureRequest) -> Iterator[list[ann.Runtime]]:
    """CpuAcc with each instruction set of this processor and each number of threads."""
    request.getfixturevalue("runtime")
    before = ann.get_num_threads()
    ann.set_num_threads(max(THREADS))
    made = [
        ann.Runtime(
            backend_options={"CpuAcc": {"isa": isa, "threads": threads, "reproducible": True}}
        )
        for isa in ISAS
        for threads in THREADS
    ]
    yield made
    for runtime in made:
        runtime.close()
    ann.set_num_threads(before)


def bits(array: NDArray[Any]) -> bytes:
    """The bytes of an output; the sign and the payload of NaN are not promised."""
    own = np.array(array)
    if own.dtype == np.float32:
        own[np.isnan(own)] = np.nan
    return own.tobytes()


def run(
    runtime: ann.Runtime, network: ann.Network, *inputs: dict[str, Any]
) -> list[dict[str, bytes]]:
    """Bits of the outputs for each of the inputs."""
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime, options=AS_GIVEN)
    with runtime.load_network(optimized) as net:
        return [{name: bits(array) for name, array in net.run(one).items()} for one in inputs]


def check(runtimes: list[ann.Runtime], network: ann.Network, *inputs: dict[str, Any]) -> None:
    first, *others = (run(runtime, network, *inputs) for runtime in runtimes)
    different = {
        name
        for other in others
        for one, same in zip(first, other, strict=True)
        for name in one
        if one[name] != same[name]
    }
    assert different == set()


def supported(runtime: ann.Runtime, layer: LayerType) -> list[Case]:
    cases = [case for case in CASES if case.signature.type is layer]
    with LayerSupport(runtime.backends["CpuAcc"]) as support:
        answers = support.ask_many([case.signature for case in cases])
    return [case for case, answer in zip(cases, answers, strict=True) if answer]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.label)
def test_layers(runtimes: list[ann.Runtime], layer: LayerType) -> None:
    """Every form of every layer that CpuAcc takes, with ordinary values and with special ones."""
    network = ann.Network()
    plain, special = {}, {}
    cases = supported(runtimes[0], layer)
    for number, case in enumerate(cases):
        signature, sources = case.signature, []
        values, others = case.values(), case.values("special")
        for index, (info, value) in enumerate(zip(signature.inputs, values, strict=True)):
            if info is None or value is None:
                sources.append(None)
            elif signature.constants[index]:
                sources.append(network.add_constant(value, info=info))
            else:
                name = f"x{number} {index}"
                sources.append(network.add_input(name, info))
                plain[name], special[name] = value, others[index]
        added = network.add_layer(
            signature.type,
            sources,
            signature.descriptor,
            name=f"{number} {case.name}",
            output_infos=signature.outputs,
        )
        for index, slot in enumerate(added.outputs):
            network.add_output(f"{number} {case.name} {index}", slot)
    if cases:
        check(runtimes, network, plain, special)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_networks(runtimes: list[ann.Runtime], seed: int) -> None:
    vision = Vision(seed).make(24)
    check(runtimes, vision, inputs_of(vision))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_networks_of_all_layers(runtimes: list[ann.Runtime], seed: int) -> None:
    network = random_network(seed)
    check(runtimes, network, random_inputs(network, seed))


def rows_network(rows: int) -> ann.Network:
    """Operators whose sums depend on how many rows there are, unless they are told not to."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((rows, 6, 6, 40))).output
    weights = values_of(1, 40, 3, 3, 40) / 20
    y = network.add_convolution2d(x, weights, padding="same", data_layout=NHWC).output
    y = network.add_activation(y, F.GELU).output
    flat = network.add_reshape(y, (rows, 1440)).output
    product = network.add_fully_connected(flat, values_of(2, 1440, 20) / 40).output
    network.add_output("softmax", network.add_softmax(product))
    network.add_output("long softmax", network.add_softmax(flat))
    network.add_output("mean", network.add_mean(flat, (1,), keep_dims=True))
    other = network.add_reshape(y, (rows, 36, 40)).output
    scores = network.add_batch_mat_mul(other, other, transpose_y=True).output
    network.add_output("scores", network.add_softmax(scores))
    return network


def test_rows(runtimes: list[ann.Runtime]) -> None:
    """A row alone, and in each place of batches, has the same bits."""
    rows = values_of(3, 13, 6, 6, 40)
    first, *alone = (
        run(one, rows_network(1), *({"x": row[None]} for row in rows)) for one in runtimes
    )
    assert all(other == first for other in alone)
    expected = {name: b"".join(one[name] for one in first) for name in first[0]}
    for runtime in runtimes:
        assert run(runtime, rows_network(13), {"x": rows}) == [expected]
    last = {name: b"".join(one[name] for one in first[-3:]) for name in first[0]}
    assert run(runtimes[0], rows_network(3), {"x": rows[-3:]}) == [last]


@pytest.mark.usefixtures("runtime")
def test_winograd_is_refused() -> None:
    options = {"CpuAcc": {"reproducible": True, "winograd": "always"}}
    with pytest.warns(UserWarning, match="'winograd' is 'always' and option 'reproducible'"):
        ann.Runtime(backend_options=options).close()
