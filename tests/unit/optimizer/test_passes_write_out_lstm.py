# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTMs written out: for a backend that takes the steps, and for none that takes the layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.network import LstmWeights

from .picky import Picky

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

RNG = np.random.default_rng(12)
BATCH, STEPS, SIZE, CELLS = 2, 5, 3, 4
BOTH = ["Picky", "CpuRef"]
NAME = "write-out-lstm"


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    """One with a backend that takes everything but LSTMs."""
    picky = Picky(*ann.DataLayout)
    picky.refused |= {ann.LayerType.LSTM, ann.LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM}
    with ann.Runtime(python_backends=[picky], enable_dynamic_backends=False) as found:
        yield found


def normal(*shape: int) -> NDArray[np.float32]:
    return RNG.standard_normal(shape).astype(np.float32)


def weights(outputs: int | None = None, **more: Any) -> LstmWeights:
    shown = CELLS if outputs is None else outputs
    gates = ("input", "forget", "cell", "output")
    made: dict[str, Any] = {f"input_to_{gate}_weights": normal(CELLS, SIZE) for gate in gates}
    made |= {f"recurrent_to_{gate}_weights": normal(CELLS, shown) for gate in gates}
    made |= {f"{gate}_gate_bias": normal(CELLS) for gate in gates if gate != "cell"}
    made["cell_bias"] = normal(CELLS)
    if outputs is not None:
        made["projection_weights"] = normal(outputs, CELLS)
    return LstmWeights(**(made | more))


def network_of(
    given: LstmWeights, *, steps: int = STEPS, gates: bool = False, **options: Any
) -> ann.Network:
    network = ann.Network()
    outputs = np.shape(given.recurrent_to_cell_weights)[1]
    h = network.add_variable("h", ann.TensorInfo((BATCH, outputs)))
    c = network.add_variable("c", ann.TensorInfo((BATCH, CELLS)))
    if gates:
        x = network.add_input("x", ann.TensorInfo((BATCH, SIZE)))
        layer = network.add_lstm(x, h, c, given, name="cell", **options)
        network.add_output("gates", layer.outputs[0])
    else:
        x = network.add_input("x", ann.TensorInfo((BATCH, steps, SIZE)))
        layer = network.add_unidirectional_sequence_lstm(x, h, c, given, name="cell", **options)
    network.assign(h, layer.outputs[-3])
    network.assign(c, layer.outputs[-2])
    network.add_output("y", layer.outputs[-1])
    return network


def changes(optimized: ann.OptimizedNetwork) -> tuple[str, ...]:
    (record,) = (one for one in optimized.passes if one.name == NAME)
    return record.changes


@pytest.mark.parametrize("outputs", [None, 3])
@pytest.mark.parametrize("clip", [0.0, 0.4])
def test_the_same_numbers_over_several_runs(
    runtime: ann.Runtime, outputs: int | None, clip: float
) -> None:
    network = network_of(weights(outputs), cell_clip=clip, projection_clip=clip)
    written = ann.optimize(network, BOTH, runtime=runtime)
    whole = ann.optimize(network, BOTH, runtime=runtime, disabled_passes=[NAME])
    assert changes(written) == ("'cell' written out in 5 steps",)
    with runtime.load_network(written) as one, runtime.load_network(whole) as other:
        for _ in range(3):
            x = normal(BATCH, STEPS, SIZE)
            found, expected = one.run({"x": x})["y"], other.run({"x": x})["y"]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_backend_that_takes_the_layer_gets_it(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(network_of(weights()), ["CpuRef"], runtime=runtime)
    assert changes(optimized) == ()


@pytest.mark.parametrize(
    "network",
    [
        network_of(weights(), gates=True),
        network_of(weights(), steps=257),
        network_of(weights(), backend="CpuRef"),
        network_of(
            weights(
                **{f"{gate}_layer_norm_weights": normal(CELLS)
                   for gate in ("input", "forget", "cell", "output")}
            )
        ),
    ],
    ids=["its gates are read", "many steps", "asked for", "layer normalisation"],
)  # fmt: skip
def test_layers_that_are_not_written_out(runtime: ann.Runtime, network: ann.Network) -> None:
    optimized = ann.optimize(network, BOTH, runtime=runtime)
    assert changes(optimized) == ()
    assert {row.layer: row.backend for row in optimized.assignment}["cell"] == "CpuRef"
