# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names come from files of others: no text that is shown has them act on a terminal."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.runtime.profile.profile_records import LayerProfile
from armnn_py.text import printable, text_table

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


def test_articles(runtime: ann.Runtime, network: ann.Network) -> None:
    optimized = ann.optimize(network, runtime=runtime)
    for owner, name in ((optimized, "an OptimizedNetwork"), (runtime, "a Runtime")):
        with pytest.raises(ann.InvalidArgumentError, match=f"^{name} cannot be copied"):
            copy.copy(owner)


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
        row = str(profile).splitlines()[1]
        assert row.startswith(f"{SHOWN}   Floor   Npu       {SHOWN}       1     0.000")


def test_columns_are_aligned_and_numbers_right() -> None:
    rows = [("layer", "ms", "why"), ("a", "10", ""), ("long name", "7", "so")]
    assert text_table(rows, right=[1]) == (
        "layer       ms   why\na           10\nlong name    7   so"
    )


def test_profile_is_a_table_that_says_its_columns(runtime: ann.Runtime) -> None:
    network = ann.Network("two")
    floor = network.add_floor(network.add_input("x", ann.TensorInfo((2,))), name="a floor")
    network.add_output("y", network.add_activation(floor, ann.ActivationFunction.ABS, name="abs"))
    with runtime.load_network(ann.optimize(network, ["CpuRef"], runtime=runtime)) as loaded:
        with loaded.profile() as profile:
            assert str(profile) == "nothing was run"
            loaded.run(np.float32([-1.5, 2.5]))
        head, first, second, total = str(profile).splitlines()
        assert head.split("   ")[0].strip() == "layer"
        assert {first.split("   ")[0].strip(), second.split("   ")[0].strip()} == {"a floor", "abs"}
        assert len(head) == len(first) == len(second)
        assert first.index("CpuRef") == second.index("CpuRef") == head.index("backend")
        assert total.startswith("1 run in ")
        assert "1 run in " in repr(profile)
        assert "<td>a floor</td>" in profile._repr_html_()


def test_tables_in_a_notebook_are_escaped_and_of_bounded_length() -> None:
    records = [ann.LayerAssignment(n, "<b>x</b>", "Floor", "Npu&Co") for n in range(201)]
    page = ann.Assignment(records)._repr_html_()
    assert page.count("<td>&lt;b&gt;x&lt;/b&gt;</td><td>Floor</td><td>Npu&amp;Co</td>") == 200
    assert page.endswith("<p>1 more row</p>")
    assert "<b>x" not in page


def test_an_assignment_that_is_not_known_yet_says_when_it_will_be(runtime: ann.Runtime) -> None:
    def build(infos: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("free")
        network.add_output("y", network.add_floor(network.add_input("x", infos["x"])))
        return network

    info = ann.TensorInfo((None, 2))
    network = ann.Network.from_builder("free", {"x": info}, build, {"y": info})
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    told = "known after the first run, or bind shapes: load(..., shapes=...)"
    with runtime.load_network(optimized) as loaded:
        for assignment in (optimized.assignment, loaded.assignment):
            assert assignment.is_pending
            assert str(assignment) == assignment.summary() == told
        loaded.run(np.float32([[1.5, 2.5]]))
        assert not loaded.assignment.is_pending
        assert loaded.assignment.summary().startswith("1 of 1 layers assigned: CpuRef 1; ")
