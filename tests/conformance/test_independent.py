# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Definitions in numpy: there is one of each layer that the reference computes, in each type."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends.questions.layer_examples import probe_support
from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.descriptors import Convolution2dDescriptor
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.testing.cases import TRIED_TYPES, all_cases, unvaried_cases
from armnn_py.testing.oracles.independent import by_definition
from armnn_py.types import DataLayout, DataType, LayerType
from armnn_py.types.facts import FACTS


def test_every_layer_of_the_reference_is_defined() -> None:
    """The reference agrees with independent definitions, so that none passes by a shared fault."""
    defined = {
        (case.layer, case.type)
        for case in unvaried_cases(0)
        if by_definition(case.signature, case.values()) is not None
    }
    with ann.Runtime() as runtime:
        taken = probe_support(runtime.backends["CpuRef"])
    missing = {
        f"{layer.label} of {data_type.label}"
        for layer, types in taken.items()
        for data_type in types
        if FACTS[layer].canonical is None
        and not FACTS[layer].moves_memory
        and data_type in TRIED_TYPES  # tests/cpu_ref/test_small_types.py has the others
        and data_type is not DataType.BFLOAT16  # compared with float32 on the reference
        and (layer, data_type) not in defined
    }
    assert missing == set()


def test_quantised_sums_are_real_sums_that_are_rounded_once() -> None:
    """(3 - 1) * 0.5 * (2 * 0.25) + 4 * (0.5 * 0.25) = 1.0, which is 2 steps of 0.5 from 10 on."""
    asymmetric = DataType.QASYMM_S8
    images = TensorInfo((1, 1, 1, 1), asymmetric, QuantizationInfo((0.5,), (1,)))
    weights = TensorInfo((1, 1, 1, 1), DataType.QSYMM_S8, QuantizationInfo((0.25,)))
    bias = TensorInfo((1,), DataType.SIGNED32)
    out = TensorInfo((1, 1, 1, 1), asymmetric, QuantizationInfo((0.5,), (10,)))
    descriptor = Convolution2dDescriptor(bias_enabled=True, data_layout=DataLayout.NHWC)
    signature = LayerSignature(
        LayerType.CONVOLUTION2D, descriptor, (images, weights, bias), (out,), (False, True, True)
    )
    values = [
        np.full(images.static_shape, 3, np.int8),
        np.full(weights.static_shape, 2, np.int8),
        np.array([4], np.int32),
    ]
    found = by_definition(signature, values)
    assert found is not None
    assert found[0].dtype == np.int8
    assert found[0].ravel().tolist() == [12]


@pytest.mark.parametrize(
    ("data_type", "expected"),
    [(DataType.BFLOAT16, 0x3E9A), (DataType.FLOAT64, float(np.float32(0.3)))],
)
def test_the_value_of_a_padding_is_a_float32(data_type: DataType, expected: float) -> None:
    cases = all_cases("full", layers=[LayerType.PAD], types=[data_type])
    (case,) = (one for one in cases if one.name.endswith("/constant-2x4-value"))
    found = by_definition(case.signature, case.values())
    assert found is not None
    assert found[0].flat[0] == expected
