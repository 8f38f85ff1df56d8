# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""PAD in its three modes and TILE, against numpy and onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor
from .reference import onnx_node
from .tensors import DTYPES, examples, shapes, values

MODES = {
    abi.ARMNN_PAD_CONSTANT: "constant",
    abi.ARMNN_PAD_REFLECT: "reflect",
    abi.ARMNN_PAD_SYMMETRIC: "symmetric",
}


def pad_form(padding: Any, mode: int, value: float = 0.0) -> Any:
    return descriptor(
        abi.armnn_pad_descriptor_t,
        abi.ARMNN_LAYER_PAD,
        rank=len(padding),
        padding_mode=mode,
        pad_before=[before for before, _ in padding],
        pad_after=[after for _, after in padding],
        value=value,
    )


def run_pad(
    cpu_ref: Layers, x: np.ndarray, padding: Any, mode: int, value: float = 0.0
) -> np.ndarray:
    shape = tuple(b + n + a for n, (b, a) in zip(x.shape, padding, strict=True))
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_PAD, pad_form(padding, mode, value), [x], [(shape, x.dtype)]
    )
    return out


@st.composite
def pad_case(draw: Any) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    shape = draw(shapes(max_elements=60, max_rank=6) | shapes(max_elements=4))
    amount = (
        st.sampled_from([0, 0, 0, 1, 2]) if len(shape) > 4 else st.sampled_from([0, 0, 1, 3, 9])
    )
    return shape, [(draw(amount), draw(amount)) for _ in shape]


@examples
@given(case=pad_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_constant(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, padding = case
    x = values(shape, dtype)
    expected = np.pad(x, padding, constant_values=1) if shape else x
    assume(expected.size < 200_000)
    np.testing.assert_array_equal(
        run_pad(cpu_ref, x, padding, abi.ARMNN_PAD_CONSTANT, 1.0), expected
    )


@examples
@given(
    case=pad_case(),
    mode=st.sampled_from([abi.ARMNN_PAD_REFLECT, abi.ARMNN_PAD_SYMMETRIC]),
    dtype=st.sampled_from([np.float32, np.int64, np.uint8]),
)
def test_reflections(cpu_ref: Layers, case: Any, mode: int, dtype: Any) -> None:
    shape, padding = case
    assume(all(n > 0 or pair == (0, 0) for n, pair in zip(shape, padding, strict=True)))
    x = values(shape, dtype)
    expected = np.pad(x, padding, MODES[mode]) if shape else x  # type: ignore[call-overload]
    assume(expected.size < 200_000)
    np.testing.assert_array_equal(run_pad(cpu_ref, x, padding, mode), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "padding",
    [[(0, 0), (3, 2), (1, 4), (0, 0)], [(0, 0), (0, 0), (5, 5), (6, 6)], [(1, 1)] * 4],
    ids=["nhwc", "nchw", "all"],
)
def test_images_in_parallel(cpu_ref: Layers, mode: int, padding: Any) -> None:
    x = values((2, 30, 40, 31), np.float32)
    expected = np.pad(x, padding, MODES[mode])  # type: ignore[call-overload]
    np.testing.assert_array_equal(run_pad(cpu_ref, x, padding, mode), expected)


@pytest.mark.parametrize("mode", [abi.ARMNN_PAD_CONSTANT, abi.ARMNN_PAD_REFLECT])
def test_as_onnxruntime(cpu_ref: Layers, mode: int) -> None:
    x = values((1, 3, 5, 6), np.float32)
    padding = [(0, 0), (1, 0), (2, 3), (4, 1)]
    pads = np.array([b for b, _ in padding] + [a for _, a in padding], np.int64)
    extra = [np.float32(2.5)] if mode == abi.ARMNN_PAD_CONSTANT else []
    inputs = [x, pads, *(np.asarray(value) for value in extra)]
    expected = onnx_node("Pad", inputs, {"mode": MODES[mode]})
    np.testing.assert_array_equal(run_pad(cpu_ref, x, padding, mode, 2.5), expected)


@pytest.mark.parametrize(
    ("dtype", "value", "stored"),
    [
        (np.float32, -np.inf, -np.inf),
        (np.float16, 0.1, np.float16(0.1)),
        (np.uint8, 128.0, 128),
        (np.int8, -500.0, -128),
        (np.int32, -7.9, -7),
        (np.int64, 2.0**40, 2**40),
        (np.bool_, 3.0, True),
    ],
)
def test_the_value_becomes_an_element(
    cpu_ref: Layers, dtype: Any, value: float, stored: Any
) -> None:
    out = run_pad(cpu_ref, np.zeros((1,), dtype), [(1, 2)], abi.ARMNN_PAD_CONSTANT, value)
    np.testing.assert_array_equal(out, np.array([stored, 0, stored, stored], dtype))


def test_nothing_becomes_padding(cpu_ref: Layers) -> None:
    out = run_pad(
        cpu_ref, np.zeros((0, 2), np.float32), [(2, 1), (0, 1)], abi.ARMNN_PAD_CONSTANT, 4.0
    )
    np.testing.assert_array_equal(out, np.full((3, 3), 4, np.float32))


@pytest.mark.parametrize(
    ("form", "source", "output", "words"),
    [
        (pad_form([(1, 1), (0, 0)], 0), (2, 3), (2, 3), "output 0 stated as 2x3, but it is 4x3"),
        (pad_form([(1, 1)], 0), (2, 3), (4, 3), "input has 2 dimensions, 1 expected"),
        (pad_form([(0, 0), (0, 0)], 3), (2, 3), (2, 3), "the descriptor: padding_mode is 3"),
        (
            pad_form([(1, 1), (0, 0)], 1),
            (0, 3),
            (2, 3),
            "dimension 0 is padded by 1, at most 0 can be mirrored of 0",
        ),
        (
            pad_form([(2**32 - 1, 2**32 - 1), (0, 0)], 0),
            (2, 3),
            (0, 3),
            "output 0 stated as 0x3, but it is 8589934592x3",
        ),
    ],
)
def test_pad_reasons(cpu_ref: Layers, form: Any, source: Any, output: Any, words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_PAD, form, [(source, np.float32)], [(output, np.float32)]
    )
    assert words in str(reason)


def tile_form(multiples: Any) -> Any:
    return descriptor(
        abi.armnn_tile_descriptor_t,
        abi.ARMNN_LAYER_TILE,
        rank=len(multiples),
        multiples=list(multiples),
    )


@examples
@given(
    shape=shapes(max_elements=40),
    multiples=st.lists(st.sampled_from([1, 1, 1, 2, 3, 0]), min_size=8, max_size=8),
    dtype=st.sampled_from(list(DTYPES.values())),
)
def test_tile(cpu_ref: Layers, shape: tuple[int, ...], multiples: Any, dtype: Any) -> None:
    multiples = multiples[: len(shape)]
    x = values(shape, dtype)
    expected = np.tile(x, multiples)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_TILE, tile_form(multiples), [x], [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("multiples", [(40, 30, 1), (1, 1, 50), (9, 1, 9), (3, 8, 4)])
def test_tile_in_parallel(cpu_ref: Layers, multiples: tuple[int, ...]) -> None:
    x = values((5, 9, 13), np.int32)
    expected = np.tile(x, multiples)
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_TILE, tile_form(multiples), [x], [(expected.shape, np.int32)]
    )
    np.testing.assert_array_equal(out, expected)


def test_tile_reasons(cpu_ref: Layers) -> None:
    kind, x = abi.ARMNN_LAYER_TILE, ((2, 3), np.float32)
    reason = cpu_ref.refusal(kind, tile_form((2, 2)), [x], [((4, 3), np.float32)])
    assert "output 0 stated as 4x3, but it is 4x6" in str(reason)
    reason = cpu_ref.refusal(kind, tile_form((2,)), [x], [((4, 3), np.float32)])
    assert "input has 2 dimensions, 1 expected" in str(reason)
