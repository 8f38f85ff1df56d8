# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the kit tries: every form of every layer, odd shapes, the same values on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py.backends.questions.layer_examples import example_layers
from armnn_py.testing.cases import TRIED_TYPES, Case, all_cases, layer_type_of
from armnn_py.testing.oracles.independent import by_definition
from armnn_py.types import DataType, LayerType


@pytest.fixture(scope="module")
def quick() -> list[Case]:
    return all_cases("quick")


def test_every_example_of_the_layer_table_is_a_case(quick: list[Case]) -> None:
    tried = {case.signature for case in quick}
    for data_type in TRIED_TYPES:
        examples = {
            one
            for one in example_layers(data_type)
            if {info.data_type for info in (*one.inputs, *one.outputs) if info} <= {*TRIED_TYPES}
        }
        assert examples <= tried


def test_names_of_cases_differ(quick: list[Case]) -> None:
    names = [case.name for case in quick]
    assert len(set(names)) == len(names)
    assert names[0] == "Activation/float16/sigmoid-2x4"
    again = all_cases("quick", layers=[LayerType.POOLING2D])
    assert [case.name for case in again] == [one for one in names if one.startswith("Pooling2d/")]


def test_the_full_level_has_every_quick_case_and_more(quick: list[Case]) -> None:
    full = all_cases("full", types=[DataType.FLOAT32])
    signatures = {case.signature for case in full}
    own = {case.signature for case in quick if case.type is DataType.FLOAT32}
    assert own <= signatures
    assert len(signatures) > 2 * len(own)


@pytest.mark.parametrize(
    "layer", [LayerType.ACTIVATION, LayerType.ELEMENTWISE_BINARY, LayerType.RESHAPE]
)
def test_shapes_that_kernels_get_wrong(quick: list[Case], layer: LayerType) -> None:
    shapes = [
        case.signature.inputs[0].static_shape  # type: ignore[union-attr]
        for case in quick
        if case.layer is layer and case.type is DataType.FLOAT32
    ]
    assert {len(shape) for shape in shapes} >= {0, 1, 2, 3, 4, 5, 6, 7, 8}
    assert any(0 in shape for shape in shapes)
    assert (17,) in shapes


def test_operands_that_are_absent_constant_and_not(quick: list[Case]) -> None:
    dense = [case for case in quick if case.layer is LayerType.CONVOLUTION2D]
    assert {len(case.signature.inputs) for case in dense} == {2, 3}
    assert {case.signature.constants[1] for case in dense} == {False, True}
    descriptors = [case.signature.descriptor for case in dense]
    assert any(d.groups > 1 for d in descriptors)  # type: ignore[union-attr]
    assert any(d.dilation_x > 1 for d in descriptors)  # type: ignore[union-attr]


def test_values_depend_on_seed_and_kind_alone() -> None:
    (case, *_) = all_cases("quick", layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
    (same, *_) = all_cases("quick", layers=[LayerType.SOFTMAX])[-1:]
    (again, *_) = all_cases("full", layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
    (other, *_) = all_cases("quick", seed=1, layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
    assert case.name == again.name == other.name != same.name
    x = case.values()[0]
    assert x is not None
    np.testing.assert_array_equal(x, again.values()[0])
    assert not np.array_equal(x, other.values()[0])
    assert not np.array_equal(x, case.values("other")[0])
    special = case.values("special")[0]
    assert special is not None
    assert np.isnan(special).any()
    assert np.isposinf(special).any()
    assert (np.abs(special[special != 0]) < 1e-38).any()


def test_constants_are_the_same_for_all_kinds(quick: list[Case]) -> None:
    (case, *_) = (one for one in quick if one.name.startswith("FullyConnected/float32/"))
    for kind in ("other", "special"):
        np.testing.assert_array_equal(case.values()[1], case.values(kind)[1])


def test_layers_by_name() -> None:
    for name in ("Convolution2d", "convolution2d", "CONVOLUTION2D"):
        assert layer_type_of(name) is LayerType.CONVOLUTION2D
    assert layer_type_of("batch_mat_mul") is LayerType.BATCH_MAT_MUL
    assert layer_type_of("Conv") is None


@pytest.mark.parametrize("data_type", TRIED_TYPES)
def test_operands_have_the_shape_and_type_that_is_stated(data_type: DataType) -> None:
    for case in all_cases("full", layers=[LayerType.SELECT], types=[data_type]):
        for info, value in zip(case.signature.inputs, case.values(), strict=True):
            if info is not None and value is not None:
                assert (value.shape, value.dtype) == (info.static_shape, info.dtype), case.name


def test_a_quantised_bias_is_seen_in_the_output(quick: list[Case]) -> None:
    """One of a few steps of the sums would be nothing in steps of the output."""
    seen = 0
    for case in quick:
        infos = case.signature.inputs
        has_bias = len(infos) > 2 and infos[2] is not None and infos[2].quantization is not None
        is_layer = case.layer in (LayerType.CONVOLUTION2D, LayerType.FULLY_CONNECTED)
        if not (is_layer and has_bias and case.is_variant):  # those fit the output's range
            continue
        x, weights, bias = case.values()[:3]
        with_bias = by_definition(case.signature, [x, weights, bias])
        without = by_definition(case.signature, [x, weights, np.zeros_like(bias)])
        if with_bias is not None and without is not None:
            assert (with_bias[0] != without[0]).mean() > 0.1, case.name
            seen += 1
    assert seen > 50
