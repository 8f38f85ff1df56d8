# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of optimize(): what they do, and what wrong ones are answered with."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.errors import BackendNotFoundError
from armnn_py.optimizer import AS_IT_IS, OptimizerOptions
from armnn_py.python_backend import KernelCall, PythonBackend, kernel


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        yield runtime


def padded_convolution() -> ann.Network:
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 1)))
    pad = network.add_pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], name="pad")
    weights = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
    network.add_output("y", network.add_convolution2d(pad, weights, name="conv"))
    return network


def types(optimized: ann.OptimizedNetwork) -> list[str]:
    return [layer.type.label for layer in optimized.network.layers]


def test_the_network_stays_as_it_is(runtime: ann.Runtime) -> None:
    network = padded_convolution()
    before = [(layer.name, layer.type, layer.inputs) for layer in network.layers]
    optimized = ann.optimize(network, runtime=runtime)
    assert [(layer.name, layer.type, layer.inputs) for layer in network.layers] == before
    assert "Pad" not in types(optimized)
    assert optimized.assignment.of("pad").note


def test_every_pass_is_reported_and_can_be_switched_off(runtime: ann.Runtime) -> None:
    plain = ann.optimize(padded_convolution(), runtime=runtime)
    (fold,) = (p for p in plain.passes if p.name == "fold-pad-into-convolution2d")
    assert fold.enabled
    assert len(fold.changes) == 1
    without = ann.optimize(padded_convolution(), runtime=runtime, disabled_passes=[fold.name])
    assert "Pad" in types(without)
    (skipped,) = (p for p in without.passes if p.name == fold.name)
    assert not skipped.enabled
    assert skipped.changes == ()


def test_results_are_the_same_with_and_without_passes(runtime: ann.Runtime) -> None:
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    results = []
    for options in (AS_IT_IS, OptimizerOptions(validate=True), OptimizerOptions(debug=True)):
        optimized = ann.optimize(padded_convolution(), runtime=runtime, options=options)
        with runtime.load_network(optimized) as loaded:
            results.append(loaded.run(x)["y"])
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_debug_puts_a_layer_behind_each(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(padded_convolution(), runtime=runtime, debug=True)
    names = [layer.name for layer in optimized.network.layers if layer.type.label == "Debug"]
    assert names == ["debug x (0)", "debug pad (0)", "debug conv (0)"]


def test_float16_needs_a_backend_that_computes_in_it(caplog: pytest.LogCaptureFixture) -> None:
    class Single(PythonBackend):
        id = "Single"

        @kernel(ann.LayerType.ACTIVATION, ann.DataType.FLOAT32)
        def activation(self, call: KernelCall) -> None:
            """No such layer is in the network."""

    with (
        ann.Runtime(python_backends=[Single()], use_environment=False) as runtime,
        caplog.at_level(logging.WARNING, logger="armnn_py.optimizer"),
    ):
        optimized = ann.optimize(
            padded_convolution(), ["Single", "CpuRef"], runtime=runtime, reduce_fp32_to_fp16=True
        )
    assert "'Single' does not declare HasFp16" in caplog.text
    assert "Cast" not in types(optimized)


def test_the_reference_computes_in_float16(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(padded_convolution(), runtime=runtime, reduce_fp32_to_fp16=True)
    assert "Cast" in types(optimized)
    x = np.linspace(0, 1, 16, dtype=np.float32).reshape(1, 4, 4, 1)
    with runtime.load_network(optimized) as loaded:
        found = loaded.run(x)["y"]
    with runtime.load_network(ann.optimize(padded_convolution(), runtime=runtime)) as loaded:
        wanted = loaded.run(x)["y"]
    assert found.dtype == np.float32
    assert not np.array_equal(found, wanted)
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-3 * np.abs(wanted).max())


def test_options_survive_free_dimensions(runtime: ann.Runtime) -> None:
    network = ann.Network.from_builder(
        "free",
        {"x": ann.TensorInfo((None, 4, 4, 1))},
        lambda infos: padded_convolution(),
        {"y": ann.TensorInfo((None, 4, 4, 1))},
    )
    optimized = ann.optimize(network, runtime=runtime, options=AS_IT_IS)
    assert optimized.passes == ()
    assert "Pad" in types(optimized.specialize({"x": (1, 4, 4, 1)}))


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"disabled_passes": ["fold-pads"]}, ann.UnknownNameError, "pass 'fold-pads' is unknown"),
        ({"disabled_passes": 3}, ann.InvalidArgumentError, "names of passes expected"),
        ({"placement": {"conv": "Npu"}}, ann.UnknownNameError, "asks for backend 'Npu'"),
        ({"placement": 3}, ann.InvalidArgumentError, "int given, rules expected"),
        ({"model_options": 3}, ann.InvalidArgumentError, "model_options: int given"),
        ({"model_options": {"Npu": {}}}, BackendNotFoundError, "backend 'Npu' is not loaded"),
        ({"model_options": {"CpuRef": {"fast": True}}}, ann.UnknownNameError, "option 'fast'"),
        (
            {"options": AS_IT_IS, "debug": True},
            ann.InvalidArgumentError,
            "options= given together with",
        ),
        ({"options": 3}, ann.InvalidArgumentError, "OptimizerOptions expected"),
    ],
)
def test_wrong_options(
    runtime: ann.Runtime, wrong: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        ann.optimize(padded_convolution(), runtime=runtime, **wrong)


def test_options_are_values() -> None:
    assert dataclasses.replace(OptimizerOptions(), simplify=False, compile_parts=False) == AS_IT_IS


def test_parts_are_numbered_also_where_nothing_is_compiled(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(padded_convolution(), runtime=runtime, options=AS_IT_IS)
    assert [record.part for record in optimized.assignment] == [0, 0]


def test_load_hands_options_on(runtime: ann.Runtime) -> None:
    def loaded(**options: Any) -> ann.LoadedNetwork:
        return ann.load(padded_convolution(), ["CpuRef"], runtime=runtime, **options)

    with loaded() as plain, loaded(options=AS_IT_IS) as as_it_is:
        assert plain.assignment.of("pad").note == "fused into 'conv'"
        assert as_it_is.assignment.of("pad").note == ""
    for wrong, words in (
        ({"model_options": {"CpuRef": {"fast": True}}}, "option 'fast'"),
        ({"strategy": "fastest"}, "'preference' or 'measure' expected"),
        ({"options": AS_IT_IS, "validate": True}, "options= given together with"),
    ):
        with pytest.raises(ann.InvalidArgumentError, match=words):
            loaded(**wrong)


def test_names_that_users_need_are_at_the_top() -> None:
    assert ann.OptimizerOptions is OptimizerOptions
    assert ann.OptimizerOptions.__module__ == ann.PassRecord.__module__ == "armnn_py"


def test_copies_and_debug_layers_are_no_part_of_a_part(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(padded_convolution(), runtime=runtime, debug=True)
    parts = {record.type: record.part for record in optimized.assignment}
    assert parts == {"Debug": None, "Pad": 0, "Convolution2d": 0}
    assert {r.layer: (r.run_by, r.run_as) for r in optimized.assignment.layers} == {
        "pad": ("pad", "Pad"),
        "conv": ("conv", "Convolution2d"),
    }
    assert repr(optimized) == "<OptimizedNetwork 'net' 2 layers on CpuRef>"
