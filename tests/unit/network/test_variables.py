# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables in a network: declared, assigned, checked, copied and shown."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.graph import Graph

FOUR = ann.TensorInfo((4,))


def counter() -> tuple[ann.Network, ann.Layer]:
    network = ann.Network("counter")
    x = network.add_input("x", FOUR)
    total = network.add_variable("total", FOUR, np.float32([1, 2, 3, 4]))
    network.assign(total, network.add_addition(total, x, name="sum"))
    network.add_output("y", total)
    return network, total


def test_variables_are_no_inputs_and_outputs() -> None:
    network, total = counter()
    assert list(network.inputs) == ["x"]
    assert list(network.outputs) == ["y"]
    assert dict(network.variables) == {"total": FOUR}
    assert [layer.name for layer in network.variable_layers] == ["total"]
    assert network.assign_layers["total"].variable is total
    assert repr(total) == "<Variable 'total' float32 4>"
    assert repr(network.assign_layers["total"]) == "<Assign 'total.next' 4>"
    assert "Variable" in network.summary()
    assert "Assign" in network._repr_html_()
    assert network.validate() == ()


def test_copies_and_pickles_keep_them() -> None:
    network, _ = counter()
    graph = Graph.from_network(network)
    for twin in (
        network.copy(),
        copy.deepcopy(network),
        pickle.loads(pickle.dumps(network)),
        graph.to_network()[0],
        network.specialize({}),
    ):
        assert dict(twin.variables) == {"total": FOUR}
        (layer,) = twin.variable_layers
        np.testing.assert_array_equal(layer.initial, [1, 2, 3, 4])
        assert not layer.initial.flags.writeable
        assert twin.assign_layers["total"].variable is layer
        assert twin.assign_layers["total"].inputs[0] is twin.layer("sum").output
        assert twin.validate() == ()


def test_the_first_value_is_zero() -> None:
    network = ann.Network()
    plain = network.add_variable("plain", ann.TensorInfo((2, 3)))
    np.testing.assert_array_equal(plain.initial, np.zeros((2, 3)))
    tensor = ann.QuantizationInfo((0.5,), (7,))
    quantised = network.add_variable(
        "quantised", ann.TensorInfo((2,), ann.DataType.QASYMM_U8, tensor)
    )
    np.testing.assert_array_equal(quantised.initial, [7, 7])
    assert network.add_variable("scalar", ann.TensorInfo(())).initial.shape == ()


def test_invalid_variables() -> None:
    network, _ = counter()
    with pytest.raises(ann.InvalidArgumentError, match="variable 'total' exists already"):
        network.add_variable("total", FOUR)
    with pytest.raises(ann.InvalidArgumentError, match="variable name ''"):
        network.add_variable("", FOUR)
    with pytest.raises(ann.InvalidArgumentError, match=r"'h': .* is not a TensorInfo"):
        network.add_variable("h", (4,))  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match=r"'h': .* has free dimensions"):
        network.add_variable("h", ann.TensorInfo((None, 4)))
    with pytest.raises(ann.InvalidArgumentError, match=r"'h': a value of float32 \(3,\)"):
        network.add_variable("h", FOUR, np.zeros(3, np.float32))
    with pytest.raises(ann.InvalidArgumentError, match=r"'h': a value of int32 \(4,\)"):
        network.add_variable("h", FOUR, np.zeros(4, np.int32))
    assert list(network.variables) == ["total"]


def test_unassignable_layers() -> None:
    network, total = counter()
    x = network.layer("x")
    with pytest.raises(ann.InvalidArgumentError, match="variable 'total' is assigned already"):
        network.assign(total, x)  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match="is not a variable of network 'counter'"):
        network.assign(x, total)  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match="is not a variable of network 'counter'"):
        network.assign(counter()[0].variable_layers[0], x)
    h = network.add_variable("h", ann.TensorInfo((2, 2)))
    with pytest.raises(ann.LayerValidationError, match=r"'h': TensorInfo.float32, 4. assigned"):
        network.assign(h, x)
    codes = ann.TensorInfo((4,), ann.DataType.QASYMM_U8, ann.QuantizationInfo((0.5,), (7,)))
    others = ann.TensorInfo((4,), ann.DataType.QASYMM_U8, ann.QuantizationInfo((0.25,), (7,)))
    with pytest.raises(ann.LayerValidationError, match=r"scale 0.25 .* assigned, .* scale 0.5"):
        network.assign(network.add_variable("q", codes), network.add_variable("r", others))
    with pytest.raises(ann.InvalidArgumentError, match="belongs to network 'other'"):
        network.assign(h, ann.Network("other").add_input("x", ann.TensorInfo((2, 2))))
    assert list(network.assign_layers) == ["total"]


def test_notes() -> None:
    network = ann.Network()
    gain = network.add_variable("gain", FOUR)
    network.add_variable("unread", FOUR)
    network.add_output("y", gain)
    notes = network.validate()
    assert "variable 'gain' is never assigned: only the user changes it" in notes
    assert any("'unread' (Variable) is unused" in note for note in notes)


def test_a_builder_promises_its_variables() -> None:
    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("grows")
        x = network.add_input("x", infos["x"])
        h = network.add_variable("h", ann.TensorInfo((1, 2)))
        sums = network.add_reduce(x, ann.ReduceOperation.SUM, axes=[0], keep_dims=True)
        network.assign(h, network.add_addition(h, sums))
        network.add_output("y", h)
        return network

    ends = {"x": ann.TensorInfo((None, 2))}, build, {"y": ann.TensorInfo((1, 2))}
    free = ann.Network.from_builder("grows", *ends, {"h": ann.TensorInfo((1, 2))})
    assert list(free.variables) == ["h"]
    assert "variable 'h'" in free.summary()
    assert list(free.specialize({"x": (3, 2)}).variables) == ["h"]
    wrong = ann.Network.from_builder("grows", *ends)
    with pytest.raises(ann.InvalidArgumentError, match="'grows' made other variables"):
        wrong.specialize({"x": (3, 2)})
    with pytest.raises(ann.InvalidArgumentError, match=r"variable 'h': .* has free dimensions"):
        ann.Network.from_builder("grows", *ends, {"h": ann.TensorInfo((None, 2))})
