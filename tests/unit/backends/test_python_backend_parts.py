# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends written in Python that compile parts of networks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.python_backend import python_parts
from armnn_py.python_backend import KernelCall, Part, Slot

from .python_backends import (
    ADD,
    INFO,
    RELU,
    Mine,
    X,
    loaded,
)


class Compiler(Mine):
    """Compiles each part to one function; ``answer`` does something else with it."""

    def __init__(self, answer: Callable[[Part], None] | None = None) -> None:
        self.parts: list[Part] = []
        self.answer = answer
        self.runs = 0

    def optimize(self, part: Part) -> None:
        self.parts.append(part)
        if self.answer is not None:
            self.answer(part)
        else:
            self.compile(part, range(len(part.layers)))

    def compile(self, part: Part, layers: Iterable[int]) -> None:
        cut = part.cut(layers)

        def run(call: KernelCall) -> Any:
            self.runs += 1
            values = dict(zip(cut.inputs, call.inputs, strict=True))
            for number in cut.layers:
                layer = part.layers[number]
                inputs = [
                    constant if slot is None else values[slot]
                    for slot, constant in zip(part.sources[number], layer.constants, strict=True)
                ]
                values[Slot(number, 0)] = (
                    np.maximum(inputs[0], 0)
                    if layer.type is ann.LayerType.ACTIVATION
                    else inputs[0] + inputs[1]
                    if layer.descriptor.operation is ADD
                    else inputs[0] * inputs[1]
                )
            return tuple(values[slot] for slot in cut.outputs)

        cut.compile(run)


def branches() -> tuple[ann.Network, dict[str, np.ndarray]]:
    """y = relu(x + [1, 2, 3]) and z = y * x, and their values."""
    network = ann.Network("branches")
    x = network.add_input("x", INFO).outputs[0]
    one = network.add_constant(np.float32([[1, 2, 3]]), name="one").outputs[0]
    plus = network.add_addition(x, one, name="plus").outputs[0]
    y = network.add_activation(plus, RELU, name="rectify").outputs[0]
    network.add_output("y", y)
    network.add_output("z", network.add_multiplication(y, x, name="times").outputs[0])
    rectified = np.maximum(X + np.float32([1, 2, 3]), 0)
    return network, {"y": rectified, "z": rectified * X}


def check(net: ann.LoadedNetwork, expected: dict[str, np.ndarray]) -> None:
    result = net.run({"x": X})
    assert all(np.array_equal(result[name], value) for name, value in expected.items())


def test_a_part_is_compiled() -> None:
    network, expected = branches()
    backend = Compiler()
    with loaded(backend, network) as net:
        check(net, expected)
        check(net, expected)
    assert backend.runs == 2
    (part,) = backend.parts
    assert [layer.name for layer in part.layers] == ["plus", "rectify", "times"]
    assert part.sources[2] == (Slot(1, 0), Slot(None, 0))
    assert sorted(part.outputs) == [Slot(1, 0), Slot(2, 0)]


def test_a_part_is_over_when_optimize_returns() -> None:
    cuts = []
    with loaded(Compiler(lambda part: cuts.append(part.cut([0]))), branches()[0]):
        pass
    with pytest.raises(RuntimeError, match=r"its optimize\(\) has returned"):
        cuts[0].compile(print)


def test_a_cut_of_a_part_is_compiled_and_the_rest_runs_as_it_is() -> None:
    network, expected = branches()
    backend = Compiler(lambda part: backend.compile(part, [0, 1]))
    with loaded(backend, network) as net:
        check(net, expected)
    assert backend.runs == 1


def test_layers_are_sent_elsewhere() -> None:
    network, expected = branches()
    backend = Compiler(lambda part: part.fail([1], "not today"))
    with ann.Runtime(python_backends=[backend], use_environment=False) as runtime:
        optimized = ann.optimize(network, backends=["Mine", "CpuRef"], runtime=runtime)
        placed = {one.layer: one.backend for one in optimized.assignment}
        assert placed == {"plus": "Mine", "rectify": "CpuRef", "times": "Mine"}
        assert "not today" in str(optimized.assignment)
        check(runtime.load_network(optimized), expected)


def test_without_an_answer_layers_run_as_they_are() -> None:
    network, expected = branches()
    with loaded(Compiler(lambda part: None), network) as net:
        check(net, expected)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda part: 1 / 0, "ZeroDivisionError"),
        (lambda part: part.cut([7]), "layer 7 of a part of 3"),
        (lambda part: part.cut([]), "at least one"),
        (lambda part: part.cut([0, 0]), "each once"),
        (lambda part: part.cut([0]).compile(None), "a function expected"),
        (lambda part: part.fail([0], None), "a text expected"),
        (lambda part: [part.fail([0], "a"), part.cut([0])], "answered for already"),
    ],
)
def test_an_optimizer_that_fails_runs_none_of_the_part(answer: Any, words: str) -> None:
    with pytest.raises(ann.NoBackendForLayerError, match=words):
        loaded(Compiler(answer), branches()[0]).__enter__()


def test_compiled_code_goes_with_its_last_user() -> None:
    gc.collect()
    before = len(python_parts._blobs)
    backend = Compiler()
    runtime = ann.Runtime(python_backends=[backend], use_environment=False)
    optimized = ann.optimize(branches()[0], backends=["Mine"], runtime=runtime)
    assert len(python_parts._blobs) == before + 1
    del optimized
    gc.collect()
    assert len(python_parts._blobs) == before
    runtime.close()


def test_a_part_is_compiled_again_from_a_file(tmp_path: Path) -> None:
    network, expected = branches()
    backend = Compiler()
    path = tmp_path / "x.armnnpy"
    with ann.Runtime(python_backends=[backend], use_environment=False) as runtime:
        ann.optimize(network, [backend.id], runtime=runtime).save(path)
    other = Compiler()
    with (
        ann.Runtime(python_backends=[other], use_environment=False) as runtime,
        ann.load(path, runtime=runtime) as net,
    ):
        check(net, expected)
    assert other.runs == 1
    assert [layer.guid for layer in other.parts[0].layers] == [
        layer.guid for layer in backend.parts[0].layers
    ]
