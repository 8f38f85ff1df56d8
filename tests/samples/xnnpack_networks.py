# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks and checks that the tests of the XNNPACK backend share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from numpy.typing import NDArray


def steps(profile: ann.Profile) -> list[str]:
    """Return what the backend ran inside of its parts, in order."""
    return [event.name for event in profile.events if event.phase == "begin"]


def check(runtime: ann.Runtime, network: ann.Network, **inputs: NDArray[Any]) -> list[str]:
    """Compare with CpuRef, compiled and layer by layer; return the steps of the former."""
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(inputs)
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        with net.profile() as profile:
            results = [net.run(inputs)]
        results.append(net.run(inputs))
    options = ann.OptimizerOptions(compile_parts=False)
    with ann.load(network, ["Xnnpack"], runtime=runtime, options=options) as net:
        results.append(net.run(inputs))
    for result in results:
        for name, wanted in expected.items():
            scale = float(np.abs(wanted).max())
            np.testing.assert_allclose(result[name], wanted, rtol=1e-4, atol=1e-5 * scale)
    return steps(profile)
