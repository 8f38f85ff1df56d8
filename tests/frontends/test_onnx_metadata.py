# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a model says for people stays with it: names of dimensions, producer, the author's data."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

FLOAT = TensorProto.FLOAT
EXPECTED = ann.ModelMetadata(
    format="ONNX",
    format_version=8,
    opsets={"ai.onnx": 17, "com.example": 2},
    producer="a trainer",
    producer_version="2.1",
    domain="com.example.reading",
    version=7,
    description="reads text",
    graph_name="graph",
    graph_description="a Relu",
    properties={"character": "a\nb\nc", "épi": ""},
)


@pytest.fixture
def make(models: Any) -> Callable[[Any], onnx.ModelProto]:
    """A Relu whose file says all that a file can say."""

    def make(shape: Any = ("batch", 3, "height", None)) -> onnx.ModelProto:
        info = (list(shape), FLOAT)
        model = models.build([helper.make_node("Relu", ["x"], ["y"])], {"x": info}, {"y": info})
        model.opset_import.append(helper.make_opsetid("com.example", 2))
        model.producer_name, model.producer_version = "a trainer", "2.1"
        model.domain, model.model_version = "com.example.reading", 7
        model.doc_string, model.graph.doc_string = "reads text", "a Relu"
        helper.set_model_props(model, dict(EXPECTED.properties))
        return model

    return make


# ---- Names of dimensions ------------------------------------------------------------------------


def test_dimensions_keep_their_names(make: Any) -> None:
    network = ann.import_model(make())
    for info in (network.inputs["x"], network.outputs["y"]):
        assert info.shape == (None, 3, None, None)
        assert info.dimension_names == ("batch", None, "height", None)
        assert repr(info) == "TensorInfo(float32, batch x 3 x height x ?)"
    shape = "batch x 3 x height x ?"
    assert repr(network) == f"<Network 'graph' free dimensions, x {shape} -> y {shape}>"
    assert f"input 'x': TensorInfo(float32, {shape})" in network.summary()
    with pytest.raises(ann.InvalidArgumentError) as caught:
        network.specialize({})
    assert str(caught.value) == (
        "input 'x' has free dimensions, but no shape is given\n"
        f"  input: TensorInfo(float32, {shape})\n"
        "hint: give a shape for 'x' that replaces its names by numbers"
    )


def test_a_dimension_that_is_bound_loses_its_name(make: Any) -> None:
    network = ann.import_model(make(), shapes={"x": (2, 3, None, 8)})
    assert network.inputs["x"].dimension_names == (None, None, "height", None)
    assert repr(network.inputs["x"]) == "TensorInfo(float32, 2 x 3 x height x 8)"
    static = network.specialize({"x": (2, 3, 4, 8)})
    assert static.inputs["x"].dimension_names == ()
    assert repr(static.inputs["x"]) == "TensorInfo(float32, 2x3x4x8)"


def test_placeholders_of_exporters_are_not_names(make: Any) -> None:
    assert ann.import_model(make(("?", 3, "None", "-1"))).inputs["x"].dimension_names == ()


def test_names_survive(make: Any) -> None:
    network = ann.import_model(make())
    for other in (pickle.loads(pickle.dumps(network)), copy.copy(network), network.copy("b")):
        assert other.inputs["x"].dimension_names == ("batch", None, "height", None)
    with ann.load(network, "CpuRef") as net:
        assert net.inputs["x"].dimension_names == ("batch", None, "height", None)
        assert net.run(np.ones((1, 3, 2, 2), np.float32))["y"].shape == (1, 3, 2, 2)


# ---- Metadata -----------------------------------------------------------------------------------


def test_metadata_is_kept(make: Any, models: Any) -> None:
    assert ann.import_model(make()).metadata == EXPECTED
    assert ann.import_model(models.save(make((1, 3)))).metadata == EXPECTED


def test_metadata_survives(make: Any) -> None:
    dynamic, static = ann.import_model(make()), ann.import_model(make((1, 3)))
    for network in (dynamic, static):
        for other in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network), network.copy()):
            assert other.metadata == EXPECTED
    assert dynamic.specialize({"x": (1, 3, 2, 2)}).metadata == EXPECTED
    with ann.Runtime() as runtime:
        for network in (dynamic, static):
            optimized = ann.optimize(network, "CpuRef", runtime=runtime)
            assert optimized.metadata == optimized.network.metadata == EXPECTED
            with runtime.load_network(optimized) as net:
                assert net.metadata.properties["character"] == "a\nb\nc"
        placed = ann.optimize(dynamic, "CpuRef", runtime=runtime).specialize({"x": (1, 3, 2, 2)})
        assert placed.metadata == EXPECTED


def test_a_network_that_says_nothing() -> None:
    network = ann.Network()
    assert network.metadata == ann.ModelMetadata()
    assert network.metadata.properties == {}
    network.metadata = EXPECTED
    assert network.copy().metadata == EXPECTED
    with pytest.raises(ann.InvalidArgumentError, match="is not a ModelMetadata"):
        network.metadata = {}  # type: ignore[assignment]
    with pytest.raises(dataclasses.FrozenInstanceError):
        EXPECTED.producer = "me"  # type: ignore[misc]


def test_invalid_text_is_not_a_reason_to_refuse(make: Any) -> None:
    data = make((1, 3)).SerializeToString().replace(b"a trainer", b"a tr\xffiner")
    assert ann.import_model(data).metadata.producer == "a tr\ufffdiner"
