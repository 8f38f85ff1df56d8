# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fourier transforms and complex numbers inside of a model, beside LiteRT and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

COMPLEX64 = 8
RNG = np.random.default_rng(16)


def transform(builder: Any, shape: tuple[int, ...], lengths: tuple[int, int], ends: str) -> bytes:
    """A transform, moved and turned into real numbers in three ways."""
    x = builder.tensor("x", shape)
    made = (*shape[:-2], lengths[0], lengths[1] // 2 + 1)
    spectrum = builder.tensor("spectrum", made, COMPLEX64)
    builder.op("RFFT2D", [x, builder.constant("lengths", np.int32(lengths))], [spectrum])
    if ends == "moved":
        flat = builder.tensor("flat", (int(np.prod(made)),), COMPLEX64)
        builder.op("RESHAPE", [spectrum, builder.constant("to", np.int32([-1]))], [flat])
        spectrum, made = flat, (int(np.prod(made)),)
    names = ["REAL", "IMAG", "COMPLEX_ABS"] if ends != "cast" else ["CAST"]
    outputs = [builder.tensor(name.lower(), made) for name in names]
    for name, output in zip(names, outputs, strict=True):
        options = ("CastOptions", {"inDataType": COMPLEX64, "outDataType": 0})
        builder.op(name, [spectrum], [output], options if name == "CAST" else None)
    builder.ends([x], outputs)
    return builder.data()


@pytest.mark.parametrize("ends", ["parts", "moved", "cast"])
@pytest.mark.parametrize(
    ("shape", "lengths"),
    [
        ((1, 16), (1, 16)),
        ((2, 3, 1, 64), (1, 64)),
        ((4, 8), (4, 8)),
        ((2, 8, 16), (8, 16)),
        ((1, 10), (1, 16)),
        ((1, 20), (1, 16)),
        ((3, 10), (4, 8)),
        ((5, 7), (2, 2)),
        ((1, 2), (1, 1)),
    ],
)
def test_rfft2d(engines: Any, builder: Any, shape: Any, lengths: Any, ends: str) -> None:
    x = RNG.standard_normal(shape).astype(np.float32)
    data = transform(builder, shape, lengths, ends)
    found = engines.ours(data, {"x": x})
    cut = x[..., : lengths[0], : lengths[1]]
    expected = np.fft.rfft2(cut.astype(np.float64), s=lengths, axes=(-2, -1))
    parts = {"real": expected.real, "imag": expected.imag, "complex_abs": abs(expected)}
    parts["cast"] = expected.real
    for name, array in found.items():
        wanted = parts[name].reshape(array.shape)
        np.testing.assert_allclose(array, wanted, rtol=0, atol=2e-5 * lengths[1])


@pytest.mark.parametrize(("shape", "lengths"), [((2, 1, 64), (1, 64)), ((2, 8, 16), (8, 16))])
def test_rfft2d_beside_litert(engines: Any, builder: Any, shape: Any, lengths: Any) -> None:
    x = RNG.standard_normal(shape).astype(np.float32)
    data = transform(builder, shape, lengths, "parts")
    wanted, found = engines.theirs(data, {"x": x}), engines.ours(data, {"x": x})
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, rtol=0, atol=2e-5 * lengths[1])


@pytest.mark.parametrize(
    ("lengths", "words"),
    [((1, 12), "expected powers of 2"), ((1, 2**14), "a transform of 16384x16386 products")],
)
def test_transforms_that_are_refused(builder: Any, lengths: Any, words: str) -> None:
    data = transform(builder, (1, lengths[1]), lengths, "parts")
    with pytest.raises((ann.ParseError, ann.UnsupportedOperatorError), match=words):
        ann.import_model(data)


def test_complex_numbers_are_refused(builder: Any) -> None:
    x, spectrum = builder.tensor("x", (1, 16)), builder.tensor("spectrum", (1, 9), COMPLEX64)
    product, y = builder.tensor("product", (1, 9), COMPLEX64), builder.tensor("y", (1, 9))
    builder.op("RFFT2D", [x, builder.constant("lengths", np.int32([1, 16]))], [spectrum])
    builder.op("MUL", [spectrum, spectrum], [product], ("MulOptions", {}))
    builder.op("REAL", [product], [y])
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        ann.import_model(builder.data())
    (problem,) = caught.value.operators
    assert (problem.name, problem.reason.split(";")[0]) == ("MUL", "complex64 operands")


def test_a_complex_output_is_refused(builder: Any) -> None:
    x, spectrum = builder.tensor("x", (1, 16)), builder.tensor("spectrum", (1, 9), COMPLEX64)
    builder.op("RFFT2D", [x, builder.constant("lengths", np.int32([1, 16]))], [spectrum])
    builder.ends([x], [spectrum])
    with pytest.raises(ann.ParseError, match="output 'spectrum': complex64 values"):
        ann.import_model(builder.data())
