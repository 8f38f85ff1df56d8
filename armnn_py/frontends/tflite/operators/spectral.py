# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fourier transforms, and what turns complex numbers into real ones."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.fourier import check_transform, roots_of_unity
from armnn_py.frontends.common.values import Known, Value
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import UnaryOperation


@operator("RFFT2D")
def _rfft2d(view: OperatorView) -> ComplexValue:
    """Transform rows of real samples, then columns; samples are cut or filled up with zeros."""
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    lengths = view.integers(1, "lengths of the transform")
    if len(shape) < 2 or len(lengths) != 2 or min(lengths) < 1:
        raise ParseError(
            f"lengths {lengths} do not fit a transform of shape {shape}, expected two lengths"
        )
    if any(length & (length - 1) for length in lengths):
        raise ParseError(f"the transform has lengths {lengths}, expected powers of 2")
    height, width = lengths
    used = tuple(min(pair) for pair in zip(shape[-2:], lengths, strict=True))
    if used != shape[-2:]:
        x = emit.slice(x, (0,) * len(shape), (*shape[:-2], *used), "samples")
    bins = width // 2 + 1
    check_transform(used[1], 2 * bins)
    check_transform(used[0], 2 * height)
    cosine, sine = roots_of_unity(used[1], bins, width)
    real = emit.matmul(x, _matrix(cosine), name="rows_real")
    imaginary = emit.matmul(x, _matrix(sine), name="rows_imaginary")
    if height == 1:
        return ComplexValue(real, imaginary)
    cosine, sine = (part.T for part in roots_of_unity(used[0], height, height))
    leading = (1,) * (len(shape) - 2)
    outer = (*shape[:-2], height, used[0])
    left, other = (
        emit.broadcast_to(_matrix(part.reshape(*leading, *part.shape)), outer)
        for part in (cosine, sine)
    )
    return ComplexValue(
        emit.sub(
            emit.matmul(left, real, name="real_of_real"),
            emit.matmul(other, imaginary, name="real_of_imaginary"),
            "real",
        ),
        emit.add(
            emit.matmul(left, imaginary, name="imaginary_of_imaginary"),
            emit.matmul(other, real, name="imaginary_of_real"),
            "imaginary",
        ),
    )


def _matrix(values: np.ndarray) -> Known:
    return Known(np.ascontiguousarray(values, np.float32))


@operator("REAL")
def _real(view: OperatorView) -> Value:
    return view.complex(0).real


@operator("IMAG")
def _imag(view: OperatorView) -> Value:
    return view.complex(0).imaginary


@operator("COMPLEX_ABS")
def _complex_abs(view: OperatorView) -> Value:
    emit, x = view.emit, view.complex(0)
    real = emit.mul(x.real, x.real, "real_squares")
    imaginary = emit.mul(x.imaginary, x.imaginary, "imaginary_squares")
    return emit.unary(UnaryOperation.SQRT, emit.add(real, imaginary, "squares"))
