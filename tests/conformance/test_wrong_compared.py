# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend in C with a defect: the comparison names the layer, and its script shows it alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import armnn_py as ann

from .conftest import Build


def small() -> ann.Network:
    network = ann.Network("small")
    x, y = (network.add_input(name, ann.TensorInfo((4, 8))) for name in "xy")
    first = network.add_activation(x, ann.ActivationFunction.RELU, name="first")
    plus = network.add_addition(first, y, name="plus")
    network.add_output("z", network.add_softmax(plus, name="soft"))
    return network


@pytest.mark.parametrize(
    ("defect", "layer"), [("WRONG_BY_A_THOUSANDTH", "plus"), ("IGNORES_AXIS", "soft")]
)
def test_the_layer_is_named_and_its_script_fails(
    wrong_backend: Build, tmp_path: Path, defect: str, layer: str
) -> None:
    network = small()
    if layer == "soft":  # along the rows
        network = ann.Network("small")
        x = network.add_input("x", ann.TensorInfo((4, 8)))
        network.add_output("z", network.add_softmax(x, axis=0, name="soft"))
    with ann.Runtime(str(wrong_backend(defect))) as runtime:
        found = ann.compare(network, ["Wrong", "CpuRef"], layers=True, runtime=runtime)
        assert found.finding is not None
        assert (found.finding.kind, found.finding.layer) == ("layer", layer)
        assert found.finding.group.backend == "Wrong"
        script, _, _ = found.reduce(tmp_path)
    ended = subprocess.run(
        [sys.executable, script], check=False, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1, ended.stderr
    assert f"first layer beyond tolerance: '{layer}'" in ended.stdout
