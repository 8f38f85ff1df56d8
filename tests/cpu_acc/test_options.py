# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuAcc's options, how it is stopped, and when it is chosen."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .networks import NHWC, F, check, convolution, values_of
from .vision import Vision

NAMES = ("amx", "avx512vnni", "avx512", "avxvnni", "avx2", "i8mm", "dotprod", "neon", "portable")


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("name", NAMES)
def test_each_instruction_set(name: str) -> None:
    """An instruction set that this machine lacks is refused, and those that it has are named."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runtime = ann.Runtime(backend_options={"CpuAcc": {"isa": name}})
    with runtime:
        if "CpuAcc" not in runtime.backends:
            assert any(f"'{name}'; here: auto" in str(warning.message) for warning in told)
            return
        for seed in range(40, 46):
            check(runtime, Vision(seed).make(16))


@pytest.mark.usefixtures("runtime")
def test_unknown_instruction_set() -> None:
    with pytest.raises(ann.InvalidArgumentError) as caught:
        ann.Runtime(backend_options={"CpuAcc": {"isa": "avx51"}})
    assert str(caught.value).splitlines() == [
        "backend_options['CpuAcc']: option 'isa' is 'avx51', "
        f"one of 'auto', {', '.join(map(repr, NAMES))} expected",
        "  default: 'auto'",
        "hint: did you mean 'avx512'?",
    ]


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("threads", [1, 2])
def test_threads(threads: int) -> None:
    with ann.Runtime(backend_options={"CpuAcc": {"threads": threads}}) as runtime:
        for seed in range(46, 49):
            check(runtime, Vision(seed).make(16))


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("option", ["off", "auto", "always"])
def test_winograd(option: str) -> None:
    network = ann.Network()
    y = network.add_input("x", ann.TensorInfo((1, 28, 28, 3))).output
    for channels in (3, 64):
        weights = values_of(channels, 64, 3, 3, channels) / 10
        y = network.add_convolution2d(y, weights, padding="same", data_layout=NHWC).output
    network.add_output("y", y)
    inputs = {"x": values_of(3, 1, 28, 28, 3)}
    with ann.load(network, ["CpuRef"]) as net:
        expected = np.array(net.run(inputs)["y"])
    options = {} if option == "auto" else {"CpuAcc": {"winograd": option}}
    with (
        ann.Runtime(backend_options=options) as runtime,
        ann.load(network, ["CpuAcc"], runtime=runtime) as net,
        net.profile() as profile,
    ):
        y = np.array(net.run(inputs)["y"])
    kernels = [layer.kernel for layer in profile.layers if "conv2d" in (layer.kernel or "")]
    assert ["winograd" in kernel for kernel in kernels] == {
        "off": [False, False],
        "auto": [False, True],
        "always": [True, True],
    }[option]
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


THREADS_STARTED = """
import os, sys
import numpy as np
import armnn_py as ann

network = ann.Network()
x = network.add_input("x", ann.TensorInfo((1, 64, 64, 64)))
weights = np.ones((64, 3, 3, 64), np.float32)
y = network.add_convolution2d(x, weights, padding="same", data_layout=ann.DataLayout.NHWC)
network.add_output("y", y)
inputs = {"x": np.ones((1, 64, 64, 64), np.float32)}
before = len(os.listdir("/proc/self/task"))
ann.set_num_threads(3)
with ann.Runtime(backend_options={"CpuAcc": {"threads": int(sys.argv[1])}}) as runtime:
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net:
        net.run(inputs)
        print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.usefixtures("runtime")
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads in /proc")
def test_threads_that_are_started() -> None:
    """The pool starts threads when they are asked for: CpuAcc asks for no more than it may."""
    for threads, more in ((1, 0), (2, 1), (0, 2)):
        command = [sys.executable, "-c", THREADS_STARTED, str(threads)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.stdout == f"{more}\n", done.stderr


def test_cancelled_between_operators(runtime: ann.Runtime) -> None:
    """The part itself gives way to a deadline; without that it would run to its end."""
    network = ann.Network()
    y = network.add_input("x", ann.TensorInfo((1, 64, 64, 64))).output
    for number in range(20):
        y = convolution(network, y, NHWC, 64, name=f"c{number}")
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    inputs = {"x": values_of(0, 1, 64, 64, 64)}
    told = []
    with runtime.load_network(optimized) as net:
        for attempt in range(60):  # a deadline may also pass before the part or at its end
            try:
                net.run(inputs, timeout=1e-3 * 2 ** (attempt % 6))
            except ann.ExecutionTimeoutError as error:
                told.append(str(error))
            if told and "cancelled before operator" in told[-1]:
                break
    assert told, "no deadline stopped a run"
    assert re.search(r"cancelled before operator \d+ of 20", told[-1])


def test_default_order_of_backends(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("y", network.add_activation(x, F.RELU, name="relu"))
    optimized = ann.optimize(network, runtime=runtime)
    assert [row.backend for row in optimized.assignment if row.layer == "relu"] == ["CpuAcc"]
