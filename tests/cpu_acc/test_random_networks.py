# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of images on CpuAcc: the outputs of CpuRef and of onnxruntime."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .networks import assert_close, check, inputs_of, run
from .onnx_models import OnnxModel
from .vision import Vision

if TYPE_CHECKING:
    import armnn_py as ann


@pytest.mark.parametrize("seed", range(40))
def test_random_networks(runtime: ann.Runtime, seed: int) -> None:
    check(runtime, Vision(seed).make(24))


@pytest.mark.parametrize("number", range(10))
def test_random_networks_in_onnxruntime(runtime: ann.Runtime, number: int) -> None:
    network = Vision(100 + number).make(24)
    expected = OnnxModel(network).run(inputs_of(network))
    outputs, _, _ = run(runtime, network, ["CpuAcc"])
    assert_close(outputs, expected)
