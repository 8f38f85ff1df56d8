# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Long chains that become one operator: what compiling them takes grows as they do.

Memory is measured, not time: lists that were copied at each fusion took four times as much of it
for a chain twice as long.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import armnn_py as ann

def peak_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

network = ann.Network("chain")
x = network.add_input("x", ann.TensorInfo((4,)))
for n in range(int(sys.argv[1])):
    x = network.add_activation(x, ann.ActivationFunction.BOUNDED_RELU, a=n + 1.0)
network.add_output("y", x)
with ann.Runtime() as runtime:
    before = peak_kib()
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    print(peak_kib() - before)
"""


def grown_kib(layers: int) -> int:
    command = [sys.executable, "-c", PROGRAM, str(layers)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("runtime")  # left out where CpuAcc is not here
def test_twice_the_chain_is_twice_the_memory() -> None:
    assert grown_kib(10_000) < 2.6 * grown_kib(5_000)
