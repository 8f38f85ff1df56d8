# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DFT and STFT beside numpy.fft, and beside onnxruntime where that has the operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

DRAW = np.random.default_rng(36)


def normal(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


def as_complex(x: np.ndarray) -> np.ndarray:
    return x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1]


def as_parts(x: np.ndarray) -> np.ndarray:
    return np.stack([x.real, x.imag], -1)


def model(op: str, x: np.ndarray, operands: list[Any], version: int, **attributes: Any) -> Any:
    kind = TensorProto.DOUBLE if x.dtype == np.float64 else TensorProto.FLOAT
    names = ["x", *("" if one is None else f"c{i}" for i, one in enumerate(operands))]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)],
        "fourier",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_empty_tensor_value_info("y")],
        [
            numpy_helper.from_array(np.asarray(one), f"c{i}")
            for i, one in enumerate(operands)
            if one is not None
        ],
    )
    graph.output[0].type.tensor_type.elem_type = kind
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)


def run(made: Any, x: np.ndarray) -> np.ndarray:
    with ann.load(made, ["CpuRef"]) as network:
        return np.array(network.run({"x": x})["y"])


def close(found: np.ndarray, expected: np.ndarray) -> None:
    scale = 1e-5 * max(1.0, float(np.abs(expected).max()))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=scale)


@pytest.mark.parametrize("length", [None, 7, 12, 20])
@pytest.mark.parametrize("inverse", [0, 1])
@pytest.mark.parametrize("parts", [1, 2])
def test_transforms_along_each_axis(parts: int, inverse: int, length: int | None) -> None:
    x = normal(2, 12, 5, parts)
    transform = np.fft.ifft if inverse else np.fft.fft
    for axis in (0, 1, 2):
        known = None if length is None else np.int64(length)
        found = run(model("DFT", x, [known, np.int64(axis)], 20, inverse=inverse), x)
        close(found, as_parts(transform(as_complex(x).astype(np.complex128), length, axis)))


@pytest.mark.parametrize("length", [None, 8, 9, 13, 16])
def test_one_side_of_a_spectrum(length: int | None) -> None:
    known = None if length is None else np.int64(length)
    x = normal(3, 13, 1)
    found = run(model("DFT", x, [known, np.int64(1)], 20, onesided=1), x)
    close(found, as_parts(np.fft.rfft(x[..., 0].astype(np.float64), length, 1)))
    spectrum = normal(3, 7, 2)
    made = model("DFT", spectrum, [known, np.int64(-2)], 20, onesided=1, inverse=1)
    expected = np.fft.irfft(as_complex(spectrum).astype(np.complex128), length, 1)
    close(run(made, spectrum), expected[..., np.newaxis])


def test_the_axis_of_older_operator_sets() -> None:
    """The default is the axis behind the batch; from 20 on it is the last of the signal."""
    x = normal(2, 6, 5, 1)
    close(run(model("DFT", x, [], 17), x), as_parts(np.fft.fft(x[..., 0], axis=1)))
    close(run(model("DFT", x, [], 17, axis=2), x), as_parts(np.fft.fft(x[..., 0], axis=2)))
    close(run(model("DFT", x, [], 20), x), as_parts(np.fft.fft(x[..., 0], axis=2)))


def test_float64_keeps_its_digits() -> None:
    x = DRAW.standard_normal((1, 400, 1))
    found = run(model("DFT", x, [], 20), x)
    np.testing.assert_allclose(found, as_parts(np.fft.fft(x[..., 0], axis=1)), atol=1e-11)


@pytest.mark.parametrize("one_sided", [0, 1])
@pytest.mark.parametrize("window", [True, False])
def test_frames_beside_onnxruntime(window: bool, one_sided: int) -> None:
    x = normal(2, 90, 1)
    given = np.hanning(16).astype(np.float32) if window else None
    made = model("STFT", x, [np.int64(7), given, np.int64(16)], 17, onesided=one_sided)
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, {"x": x})
    close(run(made, x), expected)


@pytest.mark.parametrize("shape", [(2, 90), ("batch", "samples")], ids=str)
def test_a_signal_without_parts(shape: tuple[Any, ...]) -> None:
    """PyTorch exports it, and onnxruntime takes it."""
    x = normal(2, 90)
    made = model("STFT", x, [np.int64(7), np.hanning(16).astype(np.float32)], 17)
    made.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, shape))
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, {"x": x})
    close(run(made, x), expected)


def test_frames_of_a_complex_signal() -> None:
    x, window = normal(1, 20, 2), np.hamming(8).astype(np.float32)
    found = run(model("STFT", x, [np.int64(4), window], 17, onesided=0), x)
    whole = as_complex(x).astype(np.complex128)
    frames = np.stack([whole[:, at : at + 8] for at in range(0, 13, 4)], 1)
    close(found, as_parts(np.fft.fft(frames * window, axis=2)))


@pytest.mark.parametrize(
    ("op", "x", "operands", "attributes", "text"),
    [
        ("DFT", (2, 5, 3), [], {}, r"expected \[\.\.\., 1\] or \[\.\.\., 2\]"),
        ("DFT", (2, 5, 2), [], {"onesided": 1}, "a one-sided spectrum needs real samples"),
        ("DFT", (2, 5, 1), [np.int64(0)], {}, "the transform has 0 samples, expected at least 1"),
        ("DFT", (1, 5, 1), [np.int64(1 << 40)], {}, "products"),
        ("STFT", (2, 9, 1), [np.int64(0), None, np.int64(4)], {}, "0 apart"),
        ("STFT", (2, 9, 1), [np.int64(1), None, np.int64(10)], {}, "frames of 10 samples"),
        ("STFT", (2, 9, 1), [np.int64(1), np.ones(3, np.float32), np.int64(4)], {}, "window"),
    ],
)
def test_refusals(
    op: str, x: Any, operands: list[Any], attributes: dict[str, int], text: str
) -> None:
    with pytest.raises(ann.ModelError, match=text):
        ann.import_model(model(op, normal(*x), operands, 20, **attributes))
