# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Select between computed tensors, by conditions from outside and by constant ones."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import DataType

from .networks import values_of


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize(
    ("condition", "x", "y"),
    [
        ((2, 3, 40), (2, 3, 40), (2, 3, 40)),
        ((40,), (2, 3, 40), (1, 1, 1)),
        ((2, 3, 1), (3, 40), (2, 1, 40)),
        ((1, 3, 5000), (2, 1, 5000), (2, 3, 1)),
        ((4, 1, 6, 6), (4, 3, 6, 6), (1, 3, 1, 1)),
    ],
)
def test_matches_numpy(
    runtime: ann.Runtime,
    condition: tuple[int, ...],
    x: tuple[int, ...],
    y: tuple[int, ...],
    constant: bool,
) -> None:
    network = ann.Network()
    mask = np.random.default_rng(3).integers(0, 2, condition).astype(np.bool_)
    inputs = {"x": values_of(0, *x), "y": values_of(1, *y)}
    given = [network.add_input(name, ann.TensorInfo(a.shape)) for name, a in inputs.items()]
    # The operands are computed here, so that they may lie in another order than the network's.
    relu = ann.ActivationFunction.RELU
    first, second = (network.add_activation(layer, relu) for layer in given)
    chooser = mask
    if not constant:
        chooser = network.add_input("mask", ann.TensorInfo(condition, DataType.BOOLEAN))
        inputs["mask"] = mask
    network.add_output("out", network.add_select(chooser, first, second, name="select"))
    options = ann.OptimizerOptions(simplify=False)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime, options=options)
    with runtime.load_network(optimized) as net:
        out = net.run(inputs)["out"]
    np.testing.assert_array_equal(
        out, np.where(mask, np.maximum(inputs["x"], 0), np.maximum(inputs["y"], 0))
    )


def test_images_of_a_convolution(runtime: ann.Runtime) -> None:
    """Images lie channels last inside, conditions as the network has them."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    mask = network.add_input("mask", ann.TensorInfo((1, 1, 8, 8), DataType.BOOLEAN))
    nchw = ann.DataLayout.NCHW
    y = network.add_convolution2d(x, values_of(1, 4, 3, 1, 1), data_layout=nchw)
    network.add_output("out", network.add_select(mask, y, -1.0))
    arrays = {"x": values_of(0, 1, 3, 8, 8), "mask": values_of(2, 1, 1, 8, 8) > 0}
    found = []
    for backends in (["CpuRef"], ["CpuAcc"]):
        with ann.load(network, backends, runtime=runtime) as net:
            found.append(net.run(arrays)["out"])
    expected = np.einsum("oi,nihw->nohw", values_of(1, 4, 3, 1, 1)[:, :, 0, 0], arrays["x"])
    for out in found:
        np.testing.assert_allclose(
            out, np.where(arrays["mask"], expected, -1), rtol=1e-5, atol=1e-5
        )
