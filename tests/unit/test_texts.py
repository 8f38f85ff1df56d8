# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names come from files of others: no text that is shown has them act on a terminal."""

from __future__ import annotations

import pytest

import armnn_py as ann
from armnn_py.runtime.profiling import LayerProfile
from armnn_py.text import printable

NAME = "a\x1b]0;t\x07\nhint: b"
SHOWN = r"a\x1b]0;t\x07\nhint: b"


@pytest.fixture
def network() -> ann.Network:
    network = ann.Network(NAME)
    layer = network.add_split(network.add_input(NAME, ann.TensorInfo((2, 3))), 2, 0, name=NAME)
    network.add_output(NAME, network.add_floor(layer.outputs[0]))
    return network


@pytest.mark.parametrize(
    ("text", "shown"),
    [("é ¿ 漢", "é ¿ 漢"), ("\t\x7f\x9b", r"\t\x7f\x9b"), ("\u202e\ud800", r"\u202e\ud800")],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_networks_and_layers(network: ann.Network) -> None:
    split = next(layer for layer in network.layers if layer.type is ann.LayerType.SPLITTER)
    assert repr(network).startswith(f"<Network '{SHOWN}' ")
    assert repr(split).startswith(f"<Splitter '{SHOWN}' ")
    assert repr(split.outputs[1]).startswith(f"<OutputSlot 1 of '{SHOWN}' ")
    assert f"{SHOWN}:0" in network.summary()
    assert "\x1b" not in network.summary() + network._repr_html_()


def test_networks_with_free_dimensions() -> None:
    info = ann.TensorInfo((None,))
    network = ann.Network.from_builder("n", {NAME: info}, ann.Network, {"y": info})
    assert f"input '{SHOWN}': " in network.summary()


def test_assignments_and_profiles(network: ann.Network, runtime: ann.Runtime) -> None:
    optimized = ann.optimize(network, runtime=runtime)
    assert repr(optimized).startswith(f"<OptimizedNetwork '{SHOWN}' ")
    assert any(line.startswith(f"{SHOWN} ") for line in str(optimized.assignment).split("\n"))
    with runtime.load_network(optimized) as loaded:
        profile = loaded.profile()
        profile.layers = (LayerProfile(NAME, "Floor", "Npu", NAME, 1, 1),)
        assert repr(profile).startswith(f"<Profile of '{SHOWN}'")
        assert str(profile).startswith(f"{SHOWN}   Floor   {SHOWN}   1 calls")
