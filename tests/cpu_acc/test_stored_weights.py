# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The option ``weights``: constants of products that are stored in 16 bits, computed in float32.

The exact results are those of the rounded weights in double precision; bfloat16 comes from
ml_dtypes, float16 from numpy.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import armnn_py as ann

from .guarded import random_like
from .networks import NHWC, values_of
from .operators import STORED, Matmul, Operators, address, epilogue, tensor
from .windows import WEIGHT_ORDERS, Case, convolution, convolved, random_cases, same, weights_of

DTYPES: dict[str, Any] = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SUFFIXES = {"float16": "_f16", "bfloat16": "_bf16"}
# Of one rounding, relative: half a unit in the last place of 11 and of 8 bits.
ROUNDING = {"float16": 2**-11, "bfloat16": 2**-8}

CASES = [
    Case((7, 9), 16, 40),
    Case((1, 1), 70, 97),
    Case((1, 3), 33, 8, batch=2),
    Case((9, 8), 3, 24, **same(3)),  # its rows are runs
    Case((8, 9), 24, 33, strides=(2, 2), **same(3)),
    Case((7, 7), 512, 24, **same(3)),  # panels in parts
    Case((6, 5), 12, 20, groups=2, **same(3)),
    *random_cases(3, 25),
]


def rounded(values: np.ndarray, stored: str) -> np.ndarray:
    return values.astype(DTYPES[stored]).astype(np.float32)


def run_window(
    operators: Operators, isa: str, stored: str, case: Case, weights: np.ndarray, threads: int = 1
) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
    """The kernel's name, its output, the input and the bias."""
    rng = np.random.default_rng(5)
    x = random_like(rng, (case.batch, *case.image, case.channels), 0)
    bias = random_like(rng, (case.outputs,), 0)
    out = np.full((case.batch, *case.out_image, case.outputs), np.nan, np.float32)
    what = convolution(case, x, out, weights, bias, epilogue())
    what.stored = STORED.index(stored)
    kernel = operators.run("convolution", isa, what, threads=(threads,))
    assert isinstance(kernel, str)
    return kernel, out, x, bias


@pytest.mark.parametrize("stored", DTYPES)
def test_convolutions(operators: Operators, isa: str, stored: str) -> None:
    for number, case in enumerate(CASES):
        order = list(WEIGHT_ORDERS)[number % 3]
        weights = weights_of(case, np.random.default_rng(number), order)
        weights.reshape(-1)[:: max(weights.size // 5, 1)] *= np.float32(1e-7)  # subnormal numbers
        for threads in (1, 3):
            kernel, out, x, bias = run_window(operators, isa, stored, case, weights, threads)
            assert kernel.endswith(SUFFIXES[stored])
            expected = convolved(case, x, rounded(weights, stored)) + bias
            atol = 3e-6 * np.sqrt(case.channels * 9) * np.abs(expected).max()
            np.testing.assert_allclose(out, expected, rtol=0, atol=atol, err_msg=str(case))


@pytest.mark.parametrize("stored", DTYPES)
@pytest.mark.parametrize("transpose", [False, True])
def test_products_of_matrices(operators: Operators, isa: str, stored: str, transpose: bool) -> None:
    rng = np.random.default_rng(1)
    for m, n, k in ((1, 1, 1), (1, 1000, 64), (1, 33, 7), (5, 7, 130), (13, 40, 17), (64, 64, 64)):
        left, right = (
            random_like(rng, (m, k), 0),
            random_like(rng, (n, k) if transpose else (k, n), 0),
        )
        out = np.full((m, n), np.nan, np.float32)
        what = Matmul(
            left=tensor(left),
            right=tensor(right),
            output=tensor(out),
            transpose_right=transpose,
            bias=address(None),
            stored=STORED.index(stored),
            epilogue=epilogue("clamp", -1, 2),
        )
        kernel = operators.run("matmul", isa, what)
        assert str(kernel).endswith(SUFFIXES[stored])
        factor = rounded(right, stored).astype(np.float64)
        expected = np.clip(left @ (factor.T if transpose else factor), -1, 2)
        np.testing.assert_allclose(
            out, expected, rtol=0, atol=2e-6 * np.sqrt(k), err_msg=f"{m} {n} {k}"
        )


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize(("value", "fits"), [(65519.0, True), (65520.0, False), (np.inf, True)])
def test_float16_takes_no_weights_beyond_its_range(value: float, fits: bool) -> None:
    weights = values_of(1, 5, 9)
    weights[3, 4] = value
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 5))).output
    network.add_output("y", network.add_fully_connected(x, weights).output)
    inputs = {"x": np.ones((1, 5), np.float32)}
    for stored in DTYPES:
        with (
            ann.Runtime(backend_options={"CpuAcc": {"weights": stored}}) as runtime,
            ann.load(network, ["CpuAcc"], runtime=runtime) as net,
            net.profile() as profile,
        ):
            y = np.array(net.run(inputs)["y"])
        in_half = fits or stored == "bfloat16"
        (kernel,) = [
            row.kernel or "" for row in profile.layers if not row.layer.startswith("CpuAcc: ")
        ]
        assert kernel.endswith(SUFFIXES[stored]) == in_half
        used = rounded(weights, stored) if in_half else weights
        np.testing.assert_allclose(y[0], used.sum(axis=0), rtol=1e-5)


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("stored", DTYPES)
def test_network(stored: str) -> None:
    """The option of the backend: a convolution, one by Winograd and a product."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 12, 12, 64))).output
    scale = np.float32(np.sqrt(2 / 64))
    y = network.add_convolution2d(x, values_of(1, 64, 1, 1, 64) * scale, data_layout=NHWC).output
    three = values_of(2, 64, 3, 3, 64) * (scale / np.float32(3))
    y = network.add_convolution2d(y, three, padding="same", data_layout=NHWC).output
    y = network.add_mean(y, axes=[1, 2]).output
    y = network.add_fully_connected(y, values_of(3, 64, 100) * scale).output
    network.add_output("y", y)
    inputs = {"x": values_of(4, 1, 12, 12, 64)}
    with ann.load(network, ["CpuRef"]) as net:
        expected = np.array(net.run(inputs)["y"])
    with (
        ann.Runtime(backend_options={"CpuAcc": {"weights": stored}}) as runtime,
        ann.load(network, ["CpuAcc"], runtime=runtime) as net,
        net.profile() as profile,
    ):
        actual = np.array(net.run(inputs)["y"])
    kernels = [layer.kernel or "" for layer in profile.layers]
    assert sum(kernel.endswith(SUFFIXES[stored]) for kernel in kernels) == 2
    assert sum("winograd" in kernel for kernel in kernels) == 1
    error = np.abs(actual - expected).max() / np.abs(expected).max()
    assert 0 < error < 2 * ROUNDING[stored]
