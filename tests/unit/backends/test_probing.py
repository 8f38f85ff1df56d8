# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The example layers that a backend is asked about, and what its answers become."""

from __future__ import annotations

from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends.questions.layer_examples import example_layers, probe_support
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

#: Layers that no backend is asked about: the host's own, what a backend makes, an importer's last
#: resort.
_NOT_ASKED = {
    LayerType.CONSTANT, LayerType.INPUT,
    LayerType.FUSED, LayerType.MAP, LayerType.MEM_COPY, LayerType.MEM_IMPORT,
    LayerType.OUTPUT, LayerType.PRE_COMPILED, LayerType.STAND_IN, LayerType.UNMAP,
}  # fmt: skip


@pytest.fixture(scope="module")
def examples() -> list[tuple]:
    return [example for data_type in DataType for example in example_layers(data_type)]


def test_every_canonical_layer_has_an_example(examples: list[tuple]) -> None:
    canonical = {layer for layer, facts in FACTS.items() if facts.canonical is None}
    assert {example[0] for example in examples} == canonical - _NOT_ASKED


def test_examples_are_what_a_network_would_hold(examples: list[tuple]) -> None:
    for layer_type, descriptor, inputs, outputs, _ in examples:
        if any(info is not None and info.data_type.is_packed for info in inputs):
            continue  # which no input is
        network = ann.Network("example")
        sources = [
            None if info is None else network.add_input(f"x{n}", info)
            for n, info in enumerate(inputs)
        ]
        layer = network.add_layer(layer_type, sources, descriptor, output_infos=outputs)
        assert tuple(slot.info for slot in layer.outputs) == outputs


def test_a_backend_of_one_kernel_takes_one_layer(dozen_folder: Path) -> None:
    with ann.Runtime(dozen_folder) as runtime:
        taken = probe_support(runtime.backends["Dozen"])
    assert {layer: types for layer, types in taken.items() if types} == {
        LayerType.ELEMENTWISE_BINARY: (DataType.FLOAT32,)
    }
    assert taken[LayerType.SOFTMAX] == ()


def test_a_closed_backend_is_not_asked() -> None:
    with ann.Runtime() as runtime:
        backend = runtime.backends["CpuRef"]
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        probe_support(backend)


def test_the_reference_moves_every_type_and_calculates_in_most() -> None:
    plain = {data_type for data_type in DataType if not data_type.is_quantized}
    # float64 has arithmetic, and no layers of networks.
    others = plain - {DataType.FLOAT16, DataType.FLOAT32, DataType.BFLOAT16}
    packed = tuple(data_type for data_type in DataType if data_type.is_packed)
    others.update(packed)
    with ann.Runtime() as runtime:
        taken = probe_support(runtime.backends["CpuRef"])
    assert taken[LayerType.RESHAPE] == tuple(DataType)
    assert set(taken[LayerType.CONVOLUTION2D]) == set(DataType) - others
    assert taken[LayerType.LOGICAL_BINARY] == (DataType.BOOLEAN,)
    assert set(taken[LayerType.SOFTMAX]) == set(DataType) - others
    # As Arm NN's reference: what Quantize makes.
    made = (DataType.QASYMM_U8, DataType.QSYMM_S16, DataType.QSYMM_S8, DataType.QASYMM_S8)
    assert taken[LayerType.QUANTIZE] == (*made, *(one for one in packed if one.is_quantized))
    # Elements of less than a byte: nothing that steps from element to element.
    moves = {layer for layer, types in taken.items() if {*packed} & {*types}}
    assert moves == {
        LayerType.CAST, LayerType.DEQUANTIZE, LayerType.DEQUANTIZE_BLOCKS, LayerType.QUANTIZE,
        LayerType.RANK, LayerType.RESHAPE, LayerType.SHAPE,
    }  # fmt: skip
