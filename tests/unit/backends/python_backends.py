# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend in Python, networks for it, and what the tests of such backends share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel

RELU, TANH = ann.ActivationFunction.RELU, ann.ActivationFunction.TANH
ADD, MUL = ann.BinaryOperation.ADD, ann.BinaryOperation.MUL
FLOAT32, FLOAT16 = ann.DataType.FLOAT32, ann.DataType.FLOAT16
X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
INFO = ann.TensorInfo(X.shape)


class Mine(PythonBackend):
    """Computes with numpy.

    More about it.
    """

    id = "Mine"
    version = "7.1"
    score = 3

    @kernel(ann.LayerType.ACTIVATION, FLOAT32, FLOAT16, function=RELU)
    def relu(self, call: KernelCall) -> None:
        np.maximum(call.inputs[0], 0, out=call.outputs[0])

    @kernel(ann.LayerType.ELEMENTWISE_BINARY, FLOAT32, operation=ADD)
    @kernel(ann.LayerType.ELEMENTWISE_BINARY, FLOAT32, operation=MUL)
    def binary(self, call: KernelCall) -> Any:
        x, y = call.inputs
        return x + y if call.layer.descriptor.operation is ADD else x * y

    @kernel(ann.LayerType.SPLITTER)
    def split(self, call: KernelCall) -> Any:
        parts = []
        for view in call.layer.descriptor.views:
            stop = [begin + size for begin, size in zip(view.origin, view.size, strict=True)]
            parts.append(call.inputs[0][tuple(map(slice, view.origin, stop))])
        return tuple(parts)


def made(function: Callable[..., Any], **arguments: Any) -> PythonBackend:
    """A backend whose kernel of ReLU is a function of the call."""

    class Made(PythonBackend):
        id = "Made"

        @kernel(ann.LayerType.ACTIVATION, **arguments)
        def run(self, call: KernelCall) -> Any:
            return function(call)

    return Made()


def relu_network() -> ann.Network:
    network = ann.Network("relus")
    layer = network.add_activation(network.add_input("x", INFO).outputs[0], RELU, name="rectify")
    network.add_output("y", layer.outputs[0])
    return network


@contextlib.contextmanager
def loaded(
    backend: PythonBackend, network: ann.Network | None = None, **options: Any
) -> Iterator[ann.LoadedNetwork]:
    """A network, of one ReLU by default, on a backend alone."""
    with ann.Runtime(python_backends=[backend], use_environment=False) as runtime:
        optimized = ann.optimize(
            network or relu_network(), backends=[backend.id], runtime=runtime, **options
        )
        yield runtime.load_network(optimized)


def constant_network() -> ann.Network:
    network = ann.Network("sum")
    x = network.add_input("x", INFO).outputs[0]
    y = network.add_constant(np.float32([[1, 2, 3]]), name="ones").outputs[0]
    network.add_output("y", network.add_addition(x, y, name="plus").outputs[0])
    return network


class Packing(PythonBackend):
    id = "Packing"
    model_option_defaults = {"factor": 1.0}  # noqa: RUF012

    def __init__(self) -> None:
        self.prepared: list[ShownLayer] = []

    def pack(self, layer: ShownLayer) -> Any:
        self.prepared.append(layer)
        return layer.constants[1] * layer.model_options.get("factor", 1.0)

    @kernel(ann.LayerType.ELEMENTWISE_BINARY, prepare=pack)
    def add(self, call: KernelCall) -> Any:
        assert call.inputs[1] is call.layer.constants[1]
        return (call.inputs[0] + call.prepared).astype(np.float32)
