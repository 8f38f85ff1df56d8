# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""NaN, infinities and zeros with a sign, by numpy, with each instruction set."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .instruction_sets import ISAS
from .networks import NHWC, F, check, run, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

SUM = ann.ReduceOperation.SUM
ZEROS = np.array([0.0, -0.0, 1e-3, -1e-3] * 9, np.float32)


@pytest.fixture(scope="module", params=sorted({*ISAS, "portable"}))
def machine(request: pytest.FixtureRequest, runtime: ann.Runtime) -> Iterator[ann.Runtime]:
    """A runtime for each instruction set that this processor has."""
    del runtime  # skips where the backend is not here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ann.BackendSkippedWarning)
        made = ann.Runtime(backend_options={"CpuAcc": {"isa": request.param}})
    with made:
        if "CpuAcc" not in made.backends:
            pytest.skip(f"no {request.param} here")
        yield made


def outcome(
    machine: ann.Runtime, x: Array, make: Callable[[ann.Network, ann.OutputSlot], Any]
) -> Array:
    network = ann.Network()
    network.add_output("y", make(network, network.add_input("x", ann.TensorInfo(x.shape)).output))
    optimized = ann.optimize(network, ["CpuAcc"], runtime=machine)
    with machine.load_network(optimized) as net:
        return np.array(net.run({"x": x})["y"])


def spoilt(seed: int, *shape: int) -> Array:
    """Some are no numbers, and some infinite."""
    x = values_of(seed, *shape)
    chosen = np.random.default_rng(seed).random(size=shape)
    x[chosen < 0.06] = np.nan
    x[chosen > 0.94] = np.inf
    x[(chosen > 0.4) & (chosen < 0.45)] = -np.inf
    return x


@pytest.mark.parametrize("channels", [3, 16, 70])
@pytest.mark.parametrize("size", [2, 3])
def test_maximum_of_windows_keeps_nan(machine: ann.Runtime, channels: int, size: int) -> None:
    x = spoilt(1, 2, 9, 8, channels)
    y = outcome(
        machine,
        x,
        lambda network, slot: network.add_pooling2d(
            slot, ann.PoolingAlgorithm.MAX, (size, size), stride=(1, 1), data_layout=NHWC
        ),
    )
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))
    expected = windows.max(axis=(-2, -1))
    assert np.isnan(expected).any()
    assert (expected == np.inf).any()
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("shape", [(3, 5), (2, 70, 3), (4, 300), (40, 130)])
@pytest.mark.parametrize("name", ["MAX", "MIN"])
def test_extremes_keep_nan(machine: ann.Runtime, shape: tuple[int, ...], name: str) -> None:
    x = spoilt(2, *shape)
    x.flat[0] = np.nan
    for axis in [*range(len(shape)), None]:
        axes = () if axis is None else (axis,)
        y = outcome(
            machine,
            x,
            lambda network, slot, axes=axes: network.add_reduce(  # type: ignore[misc]
                slot, ann.ReduceOperation[name], axes
            ),
        )
        expected = x.max(axis=axis) if name == "MAX" else x.min(axis=axis)
        np.testing.assert_array_equal(y, expected)


MOST = np.float32(np.finfo(np.float32).max)
LARGE: dict[str, Callable[[ann.Network, Any], Any]] = {
    "number": lambda n, x: n.add_multiplication(x, MOST),
    "channels": lambda n, x: n.add_multiplication(x, np.array([1, MOST, MOST, 2], np.float32)),
    "product": lambda n, x: n.add_fully_connected(
        x, np.diag([1, MOST, MOST, 2]).astype(np.float32)
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_factors_that_are_finite_one_by_one(machine: ann.Runtime, name: str) -> None:
    x = np.array([[0, 0, 1e-10, 0.25]], np.float32)
    y = outcome(
        machine, x, lambda n, slot: n.add_multiplication(LARGE[name](n, slot), np.float32(2))
    )
    largest = np.float32([MOST] * 4 if name == "number" else [1, MOST, MOST, 2])
    np.testing.assert_array_equal(y, x * largest * np.float32(2))


@pytest.mark.parametrize("rows", [17, 40, 100])
@pytest.mark.parametrize("columns", [3, 70])
def test_sums_that_overflow_stay_infinite(machine: ann.Runtime, columns: int, rows: int) -> None:
    x = values_of(3, rows, columns)
    x[rows // 3], x[rows // 2 + 1] = 3e38, 3e38
    x[:, 1] *= -1
    y = outcome(machine, x, lambda network, slot: network.add_reduce(slot, SUM, (0,)))
    with np.errstate(over="ignore"):
        expected = np.float64(x).sum(0).astype(np.float32)
    assert np.isinf(expected).all()
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("shape", [(7,), (5, 7), (5, 37)])
def test_slopes_matter_to_negative_elements_alone(
    machine: ann.Runtime, shape: tuple[int, ...]
) -> None:
    slopes = np.resize(np.float32([0.1, -2, np.nan, np.inf, -np.inf, 0, 1]), shape[-1])
    x = np.resize(np.float32([1, -1, 0, np.inf, -np.inf, np.nan, -0.0, 2, -3]), (5, shape[-1]))
    y = outcome(machine, x, lambda network, slot: network.add_prelu(slot, np.resize(slopes, shape)))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(y, np.where(x < 0, x * slopes, x))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda n, x: n.add_multiplication(x, np.float32([2])), lambda x: x * 2),
        (lambda n, x: n.add_multiplication(np.float32([-2]), x), lambda x: x * -2),
        (lambda n, x: n.add_division(x, np.float32([-0.5])), lambda x: x / -0.5),
        (lambda n, x: n.add_multiplication(x, -np.ones(36, np.float32)), lambda x: -x),
        (lambda n, x: n.add_activation(x, F.HARD_SWISH), lambda x: x * (x + 3) / 6),
        (lambda n, x: n.add_activation(x, F.ELU, 1), lambda x: np.where(x < 0, np.expm1(x), x)),
        (lambda n, x: n.add_elementwise_unary(x, ann.UnaryOperation.SIN), np.sin),
    ],
    ids=["product", "negative product", "quotient", "row", "hard swish", "elu", "sine"],
)
def test_zeros_keep_their_sign(
    machine: ann.Runtime,
    make: Callable[[ann.Network, ann.OutputSlot], Any],
    expected: Callable[[Array], Array],
) -> None:
    y, wanted = outcome(machine, ZEROS, make), expected(ZEROS)
    np.testing.assert_allclose(y, wanted, rtol=1e-5)
    np.testing.assert_array_equal(np.signbit(y), np.signbit(wanted))


@pytest.mark.parametrize("kind", ["lowest", "repeated"])
def test_windows_that_see_padding_alone(runtime: ann.Runtime, kind: str) -> None:
    """The border of a Pad layer is seen, not the zero of a window that pads itself."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 5, 3, 4))).output
    if kind == "lowest":
        x = network.add_pad(x, [(0, 0), (2, 3), (0, 0), (0, 0)], value=-np.inf).output
        size, stride = (2, 2), (1, 1)
    else:
        mode = ann.PaddingMode.SYMMETRIC
        x = network.add_pad(x, [(0, 0), (0, 0), (0, 1), (0, 0)], mode=mode).output
        size, stride = (2, 2), (1, 3)
    network.add_output(
        "y",
        network.add_pooling2d(
            x,
            ann.PoolingAlgorithm.MAX,
            size,
            stride=stride,
            rounding=ann.OutputShapeRounding.CEILING,
            data_layout=NHWC,
        ),
    )
    expected, _, _ = run(runtime, network, ["CpuRef"])
    y, _, _ = run(runtime, network, ["CpuAcc"])
    assert np.isinf(expected["y"]).any() == (kind == "lowest")
    np.testing.assert_array_equal(y["y"], expected["y"])


GATES = {  # factor and summand of x, and the bounds of the line: none of them a hard-sigmoid
    "tiny": (3e-7, 1e-7, F.BOUNDED_RELU, 6e-7),
    "without upper bound": (0.5, 0.25, F.RELU, 0.0),
    "never open": (0.0, 0.0, F.BOUNDED_RELU, 0.0),
    "upper bound below the lower": (-1.0, -3.0, F.BOUNDED_RELU, -6.0),
}


@pytest.mark.parametrize("gate", GATES)
def test_gates_that_are_no_hard_swish(gate: str, runtime: ann.Runtime) -> None:
    """x * min(max(a x + b, 0), c)."""
    a, b, function, c = GATES[gate]
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 40))).output
    line = network.add_activation(x, F.LINEAR, a, b)
    bounded = network.add_activation(line, function, c, 0)
    product = network.add_multiplication(x, bounded)
    network.add_output("y", network.add_multiplication(product, np.float32([1e6])))
    check(runtime, network)
