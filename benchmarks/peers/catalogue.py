# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The networks that engines are compared on: their group, their file and what goes into them.

Those of `networks` are made with random weights, real ones are read from the folder of
``scripts/fetch_models.py``, 8-bit ones are either real or derived from a float one by
`quantized`. Free dimensions are fixed, because not every engine takes them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from convert import fix_shapes, input_types
from networks import NETWORKS
from networks import write as write_network
from pictures import page

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[[Path, Path | None], Path]

#: What may differ from the reference, relative to the largest output. Whole numbers between the
#: layers are rounded by each engine in its own way, and a network of random weights has no classes
#: that would hold an answer in place: what is compared must be the same network, no more.
TOLERANCE = {"float32": 1e-4, "int8": 0.15, "calls": 1e-4}
GROUPS = {
    "float32": "Networks of float32",
    "int8": "Networks of 8 bits",
    "calls": "Networks that compute next to nothing",
}


@dataclass(frozen=True)
class Network:
    """``make(work, models)`` returns the file, with fixed shapes."""

    name: str
    group: str
    make: Make
    needs_models: bool = False
    is_picture: bool = False
    tokens: int = 1000
    """Inputs of whole numbers are below it."""

    @property
    def reference(self) -> str:
        """Engine whose outputs the others must give."""
        return "litert" if self.name.endswith("_tflite") else "onnxruntime"

    def inputs(self, model: Path) -> dict[str, np.ndarray]:
        """Return the arrays that go in."""
        random = np.random.default_rng(1)
        result = {}
        for name, (shape, dtype) in input_types(model).items():
            if "mask" in name:
                result[name] = np.ones(shape, dtype)
            elif np.issubdtype(dtype, np.integer):
                below = 2 if "type" in name else min(self.tokens, np.iinfo(dtype).max)
                result[name] = random.integers(0, below, shape).astype(dtype)
            elif self.is_picture:
                result[name] = page(shape)
            else:
                result[name] = random.normal(0, 1, shape).astype(dtype)
        return result


def _made(name: str, group: str = "float32") -> Network:
    return Network(name, group, lambda work, _: write_network(work, name))


def _real(
    name: str,
    shapes: dict[str, list[int]],
    outputs: list[str] | None = None,
    *,
    is_picture: bool = False,
) -> Network:
    """Return a network of the folder of models, ``name`` being "folder/file".

    ``outputs`` names those that are kept, by default all.
    """
    group = "int8" if "int8" in name else "float32"

    def make(work: Path, models: Path | None) -> Path:
        assert models is not None
        target = work / f"{Path(name).name}.onnx"
        if not target.exists():
            fix_shapes(models / f"{name}.onnx", target, shapes, outputs)
        return target

    return Network(Path(name).name, group, make, needs_models=True, is_picture=is_picture)


def _tflite(name: str) -> Network:
    """Return a network of the folder of models in TensorFlow Lite's format."""

    def make(work: Path, models: Path | None) -> Path:
        assert models is not None
        target = work / f"{Path(name).name}.tflite"
        if not target.exists():
            target.write_bytes((models / f"{name}.tflite").read_bytes())
        return target

    return Network(f"{Path(name).name}_tflite", "int8", make, needs_models=True)


def _quantized(source: Network, quantize: Callable[[Path, Path, Network], None]) -> Network:
    """Return the 8-bit form of a float network."""

    def make(work: Path, models: Path | None) -> Path:
        target = work / f"{source.name}_int8.onnx"
        if not target.exists():
            quantize(source.make(work, models), target, source)
        return target

    return dataclasses.replace(source, name=f"{source.name}_int8", group="int8", make=make)


def _statically(model: Path, target: Path, source: Network) -> None:
    """Quantise with ranges from normally distributed inputs, as the benchmark feeds them."""
    from quantized import quantize_statically  # imports ONNX Runtime's tools

    quantize_statically(model, target, source.inputs(model))


def _dynamically(model: Path, target: Path, _: Network) -> None:
    from quantized import quantize_dynamically

    quantize_dynamically(model, target)


#: The sentence's embedding alone: two other outputs are its inputs, which pnnx cannot convert.
_MINILM = _real("open/minilm_l3", {"input_ids": [1, 128], "attention_mask": [1, 128]}, ["461"])
_CALLS = ("relu16", "chain100")

CATALOGUE = {
    network.name: network
    for network in (
        *(_made(name, "calls" if name in _CALLS else "float32") for name in NETWORKS),
        _real("open/resnet50_thin", {"input_0": [1, 224, 224, 3]}, is_picture=True),
        _real("open/ocr_det", {"x": [1, 3, 640, 640]}, is_picture=True),
        _real("open/ocr_rec", {"x": [1, 3, 48, 320]}, is_picture=True),
        _real("open/yolox_tiny", {"images": [1, 3, 416, 416]}, is_picture=True),
        _MINILM,
        _real("open/vad_lstm", {"input": [100, 576], "h": [1, 1, 128], "c": [1, 1, 128]}),
        _real("extra/crnn_ocr", {"input1": [1, 1, 64, 400]}),
        _quantized(_made("mobilenet_v2"), _statically),
        _quantized(_made("resnet50"), _statically),
        _real("open/resnet50_thin_int8_qdq", {"input_0": [1, 224, 224, 3]}, is_picture=True),
        _tflite("open/efficientnet_lite0_int8"),
        _quantized(_MINILM, _dynamically),
    )
}
