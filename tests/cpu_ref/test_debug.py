# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DEBUG: a copy of any type, also without a callback."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import armnn_py as ann
from armnn_py._native import abi

from .harness import Layers
from .tensors import DTYPES, examples, shapes, values


@examples
@given(shape=shapes(), dtype=st.sampled_from(list(DTYPES.values())))
def test_copies(cpu_ref: Layers, shape: tuple[int, ...], dtype: type) -> None:
    x = values(shape, dtype)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_DEBUG, None, [x], [(shape, dtype)])
    np.testing.assert_array_equal(out, x)


QUANTIZED = np.array([[0, 10, 20], [30, 40, 255]], np.uint8)


@pytest.mark.parametrize(
    ("array", "info", "expected"),
    [
        (
            np.array([1.5, np.nan, -2.0, 5.0], np.float32),
            ann.TensorInfo((4,)),
            "float32 4, min -2, max 5, mean 1.5, 1 NaN",
        ),
        (
            np.array([0.5, -1.0], np.float16),
            ann.TensorInfo((2,), ann.DataType.FLOAT16),
            "float16 2, min -1, max 0.5, mean -0.25",
        ),
        (
            np.array([0x38, 0xC4, 0x7F, 0x01], np.uint8),
            ann.TensorInfo((4,), ann.DataType.FLOAT8_E4M3FN),
            "float8_e4m3fn 4, min -3, max 1, mean -0.666015625, 1 NaN",
        ),
        (np.array(7, np.int64), ann.TensorInfo((), ann.DataType.SIGNED64), "min 7, max 7, mean 7"),
        (np.array([True, False]), ann.TensorInfo((2,), ann.DataType.BOOLEAN), "mean 0.5"),
        (np.zeros((0, 3), np.float32), ann.TensorInfo((0, 3)), "float32 0x3, no numbers"),
        (
            QUANTIZED,
            ann.TensorInfo((2, 3), ann.DataType.QASYMM_U8, ann.QuantizationInfo((0.5,), (10,))),
            "quantised uint8 2x3, min -5, max 122.5, mean 24.5833333",
        ),
        (
            QUANTIZED,
            ann.TensorInfo(
                (2, 3),
                ann.DataType.QASYMM_U8,
                ann.QuantizationInfo((1.0, 2.0), (0, 30), axis=0),
            ),
            "quantised uint8 2x3, min 0, max 450, mean 83.3333333",
        ),
    ],
    ids=["float32", "float16", "float8", "scalar", "boolean", "empty", "quantised", "per axis"],
)
def test_line(
    caplog: pytest.LogCaptureFixture, array: np.ndarray, info: ann.TensorInfo, expected: str
) -> None:
    network = ann.Network()
    x = network.add_input("x", info)
    network.add_output("y", network.add_layer(ann.LayerType.DEBUG, [x], name="debug x (0)"))
    with (
        caplog.at_level(logging.DEBUG, logger="armnn_py.native"),
        ann.Runtime(enable_dynamic_backends=False) as runtime,
        runtime.load_network(ann.optimize(network, ["CpuRef"], runtime=runtime)) as net,
    ):
        np.testing.assert_array_equal(net.run({"x": array})["y"], array)
    (line,) = [text for text in caplog.messages if text.startswith("debug ")]
    assert line.startswith("debug x (0): ")
    assert line.endswith(expected)
