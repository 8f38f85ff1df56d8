# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The check of a backend's answer, after Arm NN's OptimizationViewsTests; layers back from C."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from msgspec import structs

from armnn_py import Network, TensorInfo
from armnn_py._native.layers.layer_structs import descriptor_struct
from armnn_py._native.layers.optimization_sink import OptimizationAnswer, SubstitutionData
from armnn_py._native.layers.read_layers import descriptor_from_struct
from armnn_py._native.layers.subgraph import BOUNDARY, LayerData, SubgraphData
from armnn_py._native.memory.read_memory import NonsenseError
from armnn_py.descriptors import DESCRIPTOR_OF, ConcatDescriptor, PreCompiledDescriptor, View
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.subgraphs.check_answer import find_fault
from armnn_py.optimizer.subgraphs.subgraph_selection import select_subgraphs
from armnn_py.optimizer.subgraphs.subgraph_work import subgraph_data
from armnn_py.types import LayerType

INFO = TensorInfo((2,))


@pytest.fixture
def data() -> SubgraphData:
    """Two inputs, three additions in a row."""
    network = Network("row")
    a, b = network.add_input("a", INFO), network.add_input("b", INFO)
    x = network.add_addition(a, b, name="one")
    y = network.add_addition(x, b, name="two")
    network.add_output("y", network.add_addition(y, b, name="three"))
    graph = Graph.from_network(network)
    (view,) = select_subgraphs(graph, lambda node: True)
    return subgraph_data(graph, view)


def compiled(inputs: int) -> LayerData:
    return LayerData(
        LayerType.PRE_COMPILED,
        "compiled",
        PreCompiledDescriptor(input_count=inputs, output_count=1),
        tuple((BOUNDARY, index) for index in range(inputs)),
        (INFO,) * inputs,
        (None,) * inputs,
        (INFO,),
    )


def substitution(layer: int) -> SubstitutionData:
    """One layer of the row becomes one compiled layer."""
    inputs = ((BOUNDARY, 0) if layer == 0 else (layer - 1, 0), (BOUNDARY, 1))
    return SubstitutionData((layer,), [compiled(2)], inputs, (((layer, 0), (0, 0)),), False)


def test_full_cover_is_valid(data: SubgraphData) -> None:
    answer = OptimizationAnswer([substitution(0)], [((1,), "no")], [((2,), "")])
    assert find_fault(data, answer) is None


def test_layers_of_its_own_making_are_valid(data: SubgraphData) -> None:
    answer = OptimizationAnswer([substitution(0), substitution(1), substitution(2)])
    assert find_fault(data, answer) is None


def test_one_layer_uncounted_is_invalid(data: SubgraphData) -> None:
    answer = OptimizationAnswer([substitution(0)], [((1,), "no")])
    assert find_fault(data, answer) == "layer 2 'three' is in none of the four lists"


def test_no_change_is_valid(data: SubgraphData) -> None:
    assert find_fault(data, OptimizationAnswer()) is None
    assert find_fault(data, OptimizationAnswer(untouched=[((0, 1, 2), "")])) is None


def test_a_replacement_layer_is_inferred(data: SubgraphData) -> None:
    wrong = structs.replace(
        compiled(2), type=LayerType.ADDITION, descriptor=None, output_infos=(TensorInfo((3,)),)
    )
    answer = OptimizationAnswer([substitution(0)], [((1, 2), "no")])
    answer.substitutions[0].replacement[0] = wrong
    fault = find_fault(data, answer)
    assert fault is not None
    assert "stated as 3, but it is 2" in fault


def test_a_part_that_is_deleted_has_as_many_inputs_as_outputs(data: SubgraphData) -> None:
    answer = OptimizationAnswer([], [((0, 2), "no")], [], [(1,)])
    assert find_fault(data, answer) == (
        "deleted sub-graph at layer 1 'two' has 2 inputs, but 1 outputs"
    )


def test_removed_tensors_cannot_be_read(data: SubgraphData) -> None:
    answer = OptimizationAnswer([substitution(0)], [((2,), "no")])
    both = SubstitutionData((0, 1), [compiled(2)], ((BOUNDARY, 0), (BOUNDARY, 1)))
    both.outputs, both.is_open = (((1, 0), (0, 0)),), False
    answer.substitutions = [both]
    assert find_fault(data, answer) is None
    third = substitution(2)
    third.inputs = ((0, 0), (BOUNDARY, 1))
    fault = find_fault(data, OptimizationAnswer([both, third]))
    assert fault == "output 0 of layer 0 'one' is read, but the layer goes"


# ---- Descriptors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("layer_type", [t for t, kind in DESCRIPTOR_OF.items() if kind is not None])
def test_descriptors_come_back_from_c(layer_type: LayerType) -> None:
    kind = DESCRIPTOR_OF[layer_type]
    assert kind is not None
    there = kind()
    struct = descriptor_struct(layer_type, there)
    assert struct is not None
    back = descriptor_from_struct(layer_type, ctypes.pointer(struct), "d")
    assert type(back) is kind
    for name in kind.__struct_fields__:
        value = getattr(there, name)
        expected = float(np.float32(value)) if isinstance(value, float) else value
        assert getattr(back, name) == expected
    struct.header.struct_type += 1
    with pytest.raises(NonsenseError, match="d has tag 0x"):
        descriptor_from_struct(layer_type, ctypes.pointer(struct), "d")


def test_views_come_back_from_c() -> None:
    there = ConcatDescriptor(axis=1, views=(View((0, 0), (2, 3)), View((0, 3), (2, 4))))
    struct = descriptor_struct(LayerType.CONCAT, there)
    assert struct is not None
    pointer = ctypes.pointer(struct)
    assert descriptor_from_struct(LayerType.CONCAT, pointer, "d", view_rank=2) == there
