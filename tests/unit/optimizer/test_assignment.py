# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers to backends: preferences, hints, fallback, reasons, and the error that lists all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def mixed_network(*, hint: str | None = None) -> ann.Network:
    """Only the addition runs on the dozen-line backend."""
    network = ann.Network("mixed")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    total = network.add_addition(x, x, name="sum", backend=hint)
    network.add_output("y", network.add_activation(total, ann.ActivationFunction.RELU, name="relu"))
    return network


@pytest.fixture
def runtime(dozen_folder: Path) -> ann.Runtime:
    return ann.Runtime(dozen_folder)


def places(optimized: ann.OptimizedNetwork) -> dict[str, str]:
    return {record.layer: record.backend for record in optimized.assignment}


def test_first_backend_that_supports_a_layer_wins(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(), ["Dozen", "CpuRef"], runtime=runtime)
    assert places(optimized) == {"sum": "Dozen", "relu": "CpuRef"}
    relu = optimized.assignment.of("relu")
    assert relu.refusals == (("Dozen", "no kernel for this layer type"),)
    assert optimized.assignment.counts == {"Dozen": 1, "CpuRef": 1}
    with runtime.load_network(optimized) as net:
        np.testing.assert_array_equal(net.run(X)["y"], 2 * X)


def test_order_is_the_callers(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(), ["CpuRef", "Dozen"], runtime=runtime)
    assert places(optimized) == {"sum": "CpuRef", "relu": "CpuRef"}
    assert optimized.assignment.of("sum").refusals == ()


def test_default_is_every_backend_and_the_reference_last(runtime: ann.Runtime) -> None:
    found = places(ann.optimize(mixed_network(), runtime=runtime))
    rest = "CpuAcc" if "CpuAcc" in runtime.backends else "CpuRef"
    assert found == {"sum": "Dozen", "relu": rest}
    assert runtime.backends.by_preference[-1] == "CpuRef"


def test_repeated_ids_count_once(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(
        mixed_network(), ["Dozen", "Dozen", "CpuRef", "Dozen"], runtime=runtime
    )
    assert [backend.id for backend in optimized.backends] == ["Dozen", "CpuRef"]


def test_hint_goes_first_and_need_not_be_listed(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(hint="Dozen"), ["CpuRef"], runtime=runtime)
    assert places(optimized) == {"sum": "Dozen", "relu": "CpuRef"}
    assert optimized.assignment.of("sum").reason == "asked for by the layer"


def test_hint_that_is_refused_falls_back(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("y", network.add_subtraction(x, x, name="minus", backend="Dozen"))
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    record = optimized.assignment.of("minus")
    assert record.backend == "CpuRef"
    assert record.refusals[0][0] == "Dozen"


def test_layers_of_one_name_keep_their_own_backends(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    y = network.add_addition(x, x, name="twin", backend="Dozen")
    network.add_output("y", network.add_multiplication(y, y, name="twin", backend="CpuRef"))
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    assert [record.backend for record in optimized.assignment] == ["Dozen", "CpuRef"]
    assert optimized.assignment.of("twin").backend == "Dozen"
    with runtime.load_network(optimized) as net:
        np.testing.assert_array_equal(net.run(X)["y"], 4 * X * X)
        with net.profile() as profile:
            net.run(X)
    assert [layer.backend for layer in profile.layers] == ["Dozen", "CpuRef"]


def test_unknown_hint_is_an_error(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.UnknownNameError, match="layer 'sum' asks for backend 'Dozn'") as caught:
        ann.optimize(mixed_network(hint="Dozn"), ["CpuRef"], runtime=runtime)
    assert "did you mean 'Dozen'?" in str(caught.value)


def test_all_refused_layers_are_listed(runtime: ann.Runtime) -> None:
    network = ann.Network("hopeless")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    y = network.add_activation(x, ann.ActivationFunction.RELU, name="relu")
    y = network.add_addition(y, np.ones((1, 3), np.float32), name="broadcast")
    y = network.add_addition(y, x, name="fine")
    network.add_output("y", network.add_softmax(y, name="softmax"))
    with pytest.raises(
        ann.NoBackendForLayerError, match="3 layers cannot run on 'Dozen'"
    ) as caught:
        ann.optimize(network, ["Dozen"], runtime=runtime)
    assert [(layer.layer, layer.type) for layer in caught.value.layers] == [
        ("relu", "Activation"),
        ("broadcast", "Addition"),
        ("softmax", "Softmax"),
    ]
    assert dict(caught.value.layers[1].refusals)["Dozen"].startswith("shapes differ")
    assert "also loaded, but not in the list: CpuRef" in str(caught.value)


def test_backend_that_is_not_loaded(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.BackendNotFoundError, match="backend 'GpuAcc' is not loaded") as caught:
        ann.optimize(mixed_network(), ["GpuAcc", "CpuRef"], runtime=runtime)
    error = caught.value
    assert error.backend == "GpuAcc"
    assert set(error.loaded) == set(runtime.backends)
    assert error.verdicts == tuple(runtime.load_report)
    assert isinstance(error, LookupError)


def test_the_error_says_why_a_file_was_refused(tmp_path: Path) -> None:
    (tmp_path / "Acme_Npu_backend.so").write_bytes(b"not a library")
    with pytest.warns(ann.BackendSkippedWarning):
        runtime = ann.Runtime(tmp_path)
    with pytest.raises(ann.BackendNotFoundError) as caught:
        ann.optimize(mixed_network(), ["Npu"], runtime=runtime)
    assert str(tmp_path / "Acme_Npu_backend.so") in str(caught.value)
    assert "refused" in str(caught.value)


@pytest.mark.parametrize("backends", [[], ()], ids=["list", "tuple"])
def test_empty_list(runtime: ann.Runtime, backends: list[str]) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="the list of backends is empty"):
        ann.optimize(mixed_network(), backends, runtime=runtime)


def test_ids_must_be_text(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="a backend id is a str, not int"):
        ann.optimize(mixed_network(), [7], runtime=runtime)  # type: ignore[list-item]


def test_the_network_of_the_caller_is_not_changed(runtime: ann.Runtime) -> None:
    network = mixed_network()
    before = network.summary()
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    assert optimized.network is not network
    assert network.summary() == before


def test_report_as_text_and_json(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(), ["Dozen", "CpuRef"], runtime=runtime)
    lines = str(optimized.assignment).splitlines()
    assert lines[0].split()[:4] == ["layer", "type", "backend", "sub-graph"]
    assert lines[0].endswith("notes and refusals")
    assert (
        lines[-1]
        == "2 of 2 layers assigned: Dozen 1, CpuRef 1; 2 sub-graphs, 0 copies between backends"
    )
    records = json.loads(json.dumps(optimized.assignment.to_json()))
    assert records[0]["file"].endswith("Test_Dozen_backend.so")
    assert records[1]["file"] is None
    assert records[1]["refusals"] == [
        {"backend": "Dozen", "reason": "no kernel for this layer type"}
    ]
    assert repr(optimized) == "<OptimizedNetwork 'mixed' 2 layers on Dozen+CpuRef>"


def test_another_runtime_is_an_error(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(), ["CpuRef"], runtime=runtime)
    with ann.Runtime() as other, pytest.raises(ann.InvalidArgumentError, match="another runtime"):
        other.load_network(optimized)


def test_foreign_objects(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="OptimizedNetwork expected"):
        runtime.load_network(mixed_network())  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match="Network expected"):
        ann.optimize("model.onnx", ["CpuRef"], runtime=runtime)  # type: ignore[arg-type]
    with pytest.raises(ann.InvalidArgumentError, match="Runtime expected"):
        ann.optimize(mixed_network(), ["CpuRef"], runtime=None)  # type: ignore[arg-type]
