# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that computes layers as CpuRef does, and then spoils them in one planted way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import structs

import armnn_py as ann
from armnn_py import LayerType
from armnn_py.python_backend import PythonBackend, kernel

Arrays = list[np.ndarray]


class Layer:
    """One layer as a network on CpuRef; descriptor and operands may be changed before."""

    def __init__(self, shown: Any) -> None:
        self.type, self.descriptor = shown.type, shown.descriptor
        self.inputs = list(shown.inputs)
        self.outputs = list(shown.outputs)
        self.constants = list(shown.constants)
        self._runtime: ann.Runtime | None = None
        self._network: Any = None

    def run(self, arrays: tuple[Any, ...]) -> Arrays:
        """Compute the layer."""
        if self._network is None:
            network = ann.Network("one layer")
            operands: list[Any] = []
            for index, info in enumerate(self.inputs):
                if info is None:
                    operands.append(None)
                elif self.constants[index] is not None:
                    value = self.constants[index]
                    operands.append(network.add_constant(value, info=info).outputs[0])
                else:
                    operands.append(network.add_input(f"x{index}", info).outputs[0])
            layer = network.append_unchecked(
                "layer", self.type, self.descriptor, tuple(operands), self.outputs
            )
            for slot in layer.outputs:
                network.add_output(f"y{slot.index}", slot)
            self._runtime = ann.Runtime(enable_dynamic_backends=False)
            self._network = ann.load(network, ["CpuRef"], runtime=self._runtime)
        names = self._network.inputs
        fed = {f"x{i}": array for i, array in enumerate(arrays) if f"x{i}" in names}
        return list(self._network.run(fed).values())


def _rounded(found: Arrays, _: int) -> Arrays:
    return [np.float16(found[0]).astype(found[0].dtype), *found[1:]]


def _swapped(found: Arrays, _: int) -> Arrays:
    channels = np.moveaxis(found[0], -1, 0).copy()
    channels[[0, 1]] = channels[[1, 0]]
    return [np.moveaxis(channels, 0, -1), *found[1:]]


def _tail(found: Arrays, _: int) -> Arrays:
    left = found[0].copy()
    left.reshape(-1)[-11:] = 0
    return [left, *found[1:]]


def _nan(found: Arrays, _: int) -> Arrays:
    spoilt = found[0].copy()
    spoilt.reshape(-1)[spoilt.size // 2] = np.nan
    return [spoilt, *found[1:]]


def _race(found: Arrays, call: int) -> Arrays:
    """Half of the runs overlap with something: a part is not there yet."""
    left = found[0].copy()
    left.reshape(-1)[: left.size // 4 if call % 2 else 0] = 0
    return [left, *found[1:]]


def _scaled(found: Arrays, _: int) -> Arrays:
    return [found[0] * found[0].dtype.type(1.001), *found[1:]]


AFTERWARDS: dict[str, Callable[[Arrays, int], Arrays]] = {
    "wrong rounding": _rounded,
    "channels swapped": _swapped,
    "tail of a vector": _tail,
    "nan": _nan,
    "race": _race,
    "off by a thousandth": _scaled,
}


def _padding(layer: Layer) -> None:
    old = layer.descriptor
    layer.descriptor = structs.replace(old, pad_top=old.pad_top + 1, pad_bottom=old.pad_bottom - 1)


def _zero_point(layer: Layer) -> None:
    quantization = ann.QuantizationInfo(layer.inputs[0].quantization.scale, 0)
    old = layer.inputs[0]
    layer.inputs[0] = ann.TensorInfo(old.shape, old.data_type, quantization)


def _no_bias(layer: Layer) -> None:
    layer.constants[2] = np.zeros_like(layer.constants[2])


def _other_weights(layer: Layer) -> None:
    layer.constants[1] = np.roll(layer.constants[1], 1, axis=0)


BEFORE: dict[str, Callable[[Layer], None]] = {
    "padding on one side": _padding,
    "zero point forgotten": _zero_point,
    "bias forgotten": _no_bias,
    "weights of the next channel": _other_weights,
}


class Faulty(PythonBackend):
    """Computes each layer that it is given, with a defect.

    Parameters
    ----------
    defect
        A key of `AFTERWARDS` or `BEFORE`, ``"stale weights"``, or nothing.
    """

    id = "Faulty"

    def __init__(self, defect: str = "") -> None:
        self.defect = defect
        self.calls = 0
        self._first: dict[Any, Any] = {}

    def prepared(self, shown: Any) -> Layer:
        """Called when a network is loaded."""
        layer = Layer(shown)
        if self.defect in BEFORE:
            BEFORE[self.defect](layer)
        if self.defect == "stale weights":  # those of the first layer of the shape
            key = layer.constants[1].shape
            layer.constants[1] = self._first.setdefault(key, layer.constants[1])
        return layer

    def compute(self, call: Any) -> Any:
        """Compute a layer."""
        self.calls += 1
        found = call.prepared.run(call.inputs)
        spoil = AFTERWARDS.get(self.defect)
        return tuple(found if spoil is None else spoil(found, self.calls))

    for _type in (
        LayerType.ACTIVATION,
        LayerType.BATCH_MAT_MUL,
        LayerType.CONVOLUTION2D,
        LayerType.DEPTHWISE_CONVOLUTION2D,
        LayerType.ELEMENTWISE_BINARY,
        LayerType.FULLY_CONNECTED,
        LayerType.POOLING2D,
        LayerType.SOFTMAX,
    ):
        compute = kernel(_type, prepare=prepared)(compute)
