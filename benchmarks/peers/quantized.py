# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""8-bit networks from float ones, by ONNX Runtime's quantiser."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process


class _Samples(CalibrationDataReader):  # type: ignore[misc]
    """A network's inputs, some times over, each time another draw of the same spread."""

    def __init__(self, inputs: dict[str, np.ndarray], count: int = 4) -> None:
        self._waiting = self._draw(inputs, count)

    @staticmethod
    def _draw(inputs: dict[str, np.ndarray], count: int) -> Iterator[dict[str, Any]]:
        random = np.random.default_rng(2)
        yield inputs
        for _ in range(count - 1):
            yield {
                name: random.normal(array.mean(), array.std(), array.shape).astype(array.dtype)
                for name, array in inputs.items()
            }

    def get_next(self) -> dict[str, Any] | None:
        """Return the next inputs, or None."""
        return next(self._waiting, None)


def quantize_statically(model: Path, target: Path, inputs: dict[str, np.ndarray]) -> None:
    """Write a network of Quantize and Dequantize pairs: uint8 values, int8 weights by channel."""
    with tempfile.TemporaryDirectory() as scratch:
        prepared, partial = Path(scratch) / "prepared.onnx", target.with_suffix(".partial")
        quant_pre_process(model, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared,
            partial,
            _Samples(inputs),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        partial.replace(target)  # whole or not at all


def quantize_dynamically(model: Path, target: Path) -> None:
    """Write a network whose products take 8-bit weights, and values quantised in each run."""
    with tempfile.TemporaryDirectory() as scratch:
        prepared, partial = Path(scratch) / "prepared.onnx", target.with_suffix(".partial")
        quant_pre_process(model, prepared, skip_symbolic_shape=True)
        quantize_dynamic(prepared, partial, weight_type=QuantType.QInt8)
        partial.replace(target)
