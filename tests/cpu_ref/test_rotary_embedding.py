# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ROTARY_EMBEDDING against onnxruntime, and against complex numbers in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import onnx_node, random

LAYER = abi.ARMNN_LAYER_ROTARY_EMBEDDING
F = np.float32


def rotary(interleaved: bool) -> abi.armnn_rotary_embedding_descriptor_t:
    kind = abi.armnn_rotary_embedding_descriptor_t
    return descriptor(kind, LAYER, interleaved=interleaved)


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("turned", [6, 16])
def test_matches_onnx(cpu_ref: Layers, interleaved: bool, turned: int) -> None:
    x, cos, sin = (
        random((2, 3, 5, 16), 1),
        random((2, 5, turned // 2), 2),
        random((2, 5, turned // 2), 3),
    )
    expected = onnx_node(
        "RotaryEmbedding", [x, cos, sin],
        {"interleaved": int(interleaved), "rotary_embedding_dim": turned, "num_heads": 3}, opset=23,
    )  # fmt: skip
    operands = [x, cos[:, np.newaxis], sin[:, np.newaxis]]
    (y,) = cpu_ref.run(LAYER, rotary(interleaved), operands, [(x.shape, F)])
    assert_close(y, expected, LayerType.ROTARY_EMBEDDING)


@pytest.mark.parametrize(
    ("shape", "angles"),
    [((2,), (1,)), ((3, 8), (4,)), ((2, 3, 1, 5, 4), (3, 1, 1, 2)), ((700, 66), (700, 33))],
)
def test_pairs_are_complex_numbers(
    cpu_ref: Layers, shape: tuple[int, ...], angles: tuple[int, ...]
) -> None:
    x, phases = random(shape, 1), random(angles, 2) * 9
    pairs = x.reshape(*shape[:-1], -1, 2).astype(np.float64)
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * phases.astype(np.float64))
    expected = np.stack([turned.real, turned.imag], -1).reshape(shape)
    operands = [x, np.cos(phases), np.sin(phases)]
    (y,) = cpu_ref.run(LAYER, rotary(True), operands, [(shape, F)])
    assert_close(y, expected.astype(F), LayerType.ROTARY_EMBEDDING)


def test_without_elements(cpu_ref: Layers) -> None:
    operands = [np.zeros((2, 0, 8), F), np.ones((1, 4), F), np.ones((1, 4), F)]
    (y,) = cpu_ref.run(LAYER, rotary(False), operands, [((2, 0, 8), F)])
    assert y.shape == (2, 0, 8)
