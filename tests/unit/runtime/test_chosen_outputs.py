# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Outputs that a run returns, and tensors inside of a network as outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

X = np.float32([[-2, 2.5, 7]])


def floors() -> ann.Network:
    network = ann.Network("floors")
    x = network.add_input("x", ann.TensorInfo((1, 3)))
    whole = network.add_floor(x, name="whole")
    positive = network.add_activation(whole, ann.ActivationFunction.RELU, name="positive")
    network.add_output("a", positive)
    network.add_output("b", network.add_activation(whole, ann.ActivationFunction.ABS, name="size"))
    return network


def test_only_named_outputs_come_back() -> None:
    with ann.load(floors(), ["CpuRef"]) as network:
        assert list(network.run(X)) == ["a", "b"]
        assert list(network.run(X, outputs=["b"])) == ["b"]
        assert list(network.run(X, outputs=["b", "a"])) == ["b", "a"]
        assert network.run(X, outputs=[]) == {}
        np.testing.assert_array_equal(network.run(X, outputs=["b"])["b"], [[2, 2, 7]])
        shared = network.run(X, outputs=["a"], share_outputs=True)
        np.testing.assert_array_equal(shared["a"], [[0, 2, 7]])


@pytest.mark.parametrize("given", ["a", 3, {"a": X}])
def test_names_must_be_a_list(given: Any) -> None:
    with (
        ann.load(floors(), ["CpuRef"]) as network,
        pytest.raises(ann.InvalidArgumentError, match="a list of names expected"),
    ):
        network.run(X, outputs=given)


def test_a_name_must_be_an_output() -> None:
    with (
        ann.load(floors(), ["CpuRef"]) as network,
        pytest.raises(ann.UnknownNameError, match="has no output 'c'"),
    ):
        network.run(X, outputs=["a", "c"])


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
def test_tensors_inside_are_outputs(backends: list[str]) -> None:
    with ann.load(floors(), backends, extra_outputs=["whole"]) as network:
        found = network.run(X)
        assert list(found) == ["a", "b", "whole"]
        np.testing.assert_array_equal(found["whole"], [[-2, 2, 7]])


def test_a_second_output_of_a_layer() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    parts = network.add_split(x, 2, axis=0, name="parts")
    network.add_output("y", network.add_floor(parts.outputs[0]))
    with ann.load(network, ["CpuRef"], extra_outputs=["parts:1"]) as loaded:
        found = loaded.run(np.float32([[1, 2, 3], [4, 5, 6]]))
    np.testing.assert_array_equal(found["parts:1"], [[4, 5, 6]])


@pytest.mark.parametrize(
    ("names", "error", "said"),
    [
        (["wole"], ann.UnknownNameError, "no layer 'wole'"),
        (["whole:1"], ann.InvalidArgumentError, "layer 'whole' has 1 output"),
        (["a"], ann.InvalidArgumentError, "output of the network already"),
        ("whole", ann.InvalidArgumentError, "a list of names of tensors or layers expected"),
    ],
)
def test_extra_outputs_that_cannot_be(names: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        ann.load(floors(), ["CpuRef"], extra_outputs=names)


def test_extra_outputs_with_free_dimensions() -> None:
    def build(infos: Any) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        if infos["x"].shape[0] == 32:
            raise ann.InvalidArgumentError("not 32")
        whole = network.add_floor(x, name="whole")
        network.add_output("y", network.add_activation(whole, ann.ActivationFunction.RELU))
        return network

    info = ann.TensorInfo((None, 3))
    network = ann.Network.from_builder("rows", {"x": info}, build, {"y": info})
    with ann.load(network, ["CpuRef"], extra_outputs=["whole"]) as loaded:
        assert loaded.outputs["whole"].shape == (None, None)
        for rows in (1, 4):
            found = loaded.run(np.repeat(X, rows, 0))
            np.testing.assert_array_equal(found["whole"], [[-2, 2, 7]] * rows)
            np.testing.assert_array_equal(found["y"], [[0, 2, 7]] * rows)
    assert not network.is_dynamic or list(network.outputs) == ["y"]
    with pytest.raises(ann.UnknownNameError, match="no layer 'wole'"):
        ann.load(network, ["CpuRef"], extra_outputs=["wole"])


def test_layers_that_no_size_on_trial_makes() -> None:
    def build(infos: Any) -> ann.Network:
        raise ann.InvalidArgumentError("only 7 rows will do")

    info = ann.TensorInfo((None, 3))
    network = ann.Network.from_builder("rows", {"x": info}, build, {"y": info})
    with pytest.raises(ann.InvalidArgumentError, match="could not be made on trial") as caught:
        ann.load(network, ["CpuRef"], extra_outputs=["whole"])
    assert "only 7 rows will do" in str(caught.value)
    assert "shapes={...}" in str(caught.value)
