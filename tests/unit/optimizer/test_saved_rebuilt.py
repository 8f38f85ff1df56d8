# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks whose backends have changed: what is not taken any more is optimised anew."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizedNetwork
from armnn_py.python_backend import KernelCall, Part, PythonBackend, ShownLayer, kernel

X = np.float32([[-3.0, 0.5, 2.0]])
FUNCTIONS = {
    ann.UnaryOperation.ABS: np.abs,
    ann.UnaryOperation.NEG: np.negative,
    ann.UnaryOperation.EXP: np.exp,
    ann.UnaryOperation.SQRT: np.sqrt,
}


class Compiler(PythonBackend):
    """Compiles chains of unary layers, in the way of its version."""

    id = "Compiler"

    def __init__(self, version: str = "whole") -> None:
        super().__init__()
        self.version = version
        self.compiled: list[int] = []

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, ann.DataType.FLOAT32)
    def unary(self, call: KernelCall) -> Any:
        return FUNCTIONS[call.layer.descriptor.operation](call.inputs[0])

    def supports(self, layer: ShownLayer) -> bool | str:
        operation = layer.descriptor.operation.name
        if self.version == f"no {operation.lower()}":
            return f"{operation} is slow"
        return True

    def optimize(self, part: Part) -> None:
        count = len(part.layers)
        if self.version == "nothing":
            return
        if self.version == "fails":
            part.fail(range(count), "the compiler is tired")
            return
        groups = [[n] for n in range(count)] if self.version == "single" else [range(count)]
        for group in groups:
            chain = [FUNCTIONS[part.layers[n].descriptor.operation] for n in group]

            def run(call: KernelCall, chain: list[Any] = chain) -> Any:
                value = call.inputs[0]
                for function in chain:
                    value = function(value)
                return value

            part.cut(group).compile(run)
            self.compiled.append(len(chain))


def chains(count: int = 3) -> ann.Network:
    """So many compiled parts, with layers of CpuRef between them."""
    network = ann.Network("chains")
    value: Any = network.add_input("x", ann.TensorInfo(X.shape))
    for n in range(count):
        last = ann.UnaryOperation.SQRT if n == 1 else ann.UnaryOperation.NEG
        for operation in (ann.UnaryOperation.ABS, ann.UnaryOperation.EXP, last):
            name = f"{operation.name.lower()}{n}"
            value = network.add_elementwise_unary(value, operation, name=name)
        value = network.add_softmax(value, name=f"softmax{n}")
    network.add_output("y", value)
    return network


def expected(count: int = 3) -> Any:
    value = X.astype(np.float64)
    for n in range(count):
        value = np.exp(np.abs(value))
        value = np.exp(np.sqrt(value) if n == 1 else -value)
        value /= value.sum(axis=-1, keepdims=True)
    return value


def runtime_with(*backends: PythonBackend) -> ann.Runtime:
    return ann.Runtime(enable_dynamic_backends=False, python_backends=list(backends))


def save(path: Path, network: ann.Network | None = None) -> None:
    with runtime_with(Compiler()) as runtime:
        network = chains() if network is None else network
        optimized = ann.optimize(network, ["Compiler", "CpuRef"], runtime=runtime)
        assert [x.type for x in optimized.network.layers].count(ann.LayerType.PRE_COMPILED) == 3
        optimized.save(path)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """That layers fall back when the networks are made is not what is looked at."""
    monkeypatch.setattr(logging.getLogger("armnn_py.optimizer.fallbacks"), "disabled", True)


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


@pytest.mark.parametrize("version", ["single", "nothing", "no exp", "fails"])
def test_parts_that_are_compiled_otherwise_are_optimised_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, version: str
) -> None:
    path = tmp_path / "x.armnnpy"
    save(path)
    with runtime_with(Compiler(version)) as runtime:
        loaded = OptimizedNetwork.load(path, runtime=runtime)
        (told,) = warnings_of(caplog)
        assert "3 parts" in told
        assert all(f"abs{n}" in told for n in range(3))
        anew = ann.optimize(chains(), ["Compiler", "CpuRef"], runtime=runtime)
        rows = [(row.guid, row.layer, row.backend, row.part) for row in anew.assignment]
        assert [(r.guid, r.layer, r.backend, r.part) for r in loaded.assignment] == rows
        kinds = [x.type for x in loaded.network.layers]
        assert kinds == [x.type for x in anew.network.layers]
        assert loaded.placed.public_guids == anew.placed.public_guids
        with runtime.load_network(loaded) as network:
            np.testing.assert_allclose(network.run({"x": X})["y"], expected(), rtol=1e-5)
        # What was made anew can be saved, and is then taken as it is.
        caplog.clear()
        loaded.save(path)
        again = OptimizedNetwork.load(path, runtime=runtime)
        assert warnings_of(caplog) == []
        assert again.assignment.to_json() == loaded.assignment.to_json()


def test_parts_that_are_taken_stay_as_they_are(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One chain of three changes: the others are compiled once, from their own layers."""

    path = tmp_path / "x.armnnpy"
    save(path)
    picky = Compiler("no sqrt")
    with runtime_with(picky) as runtime:
        loaded = OptimizedNetwork.load(path, runtime=runtime)
        assert sorted(picky.compiled) == [2, 3, 3]
        (told,) = warnings_of(caplog)
        assert "1 part" in told
        assert "SQRT is slow" in told
        by_layer = {row.layer: row.backend for row in loaded.assignment if not row.inserted}
        assert by_layer["sqrt1"] == "CpuRef"
        assert {by_layer[name] for name in ("exp0", "abs1", "exp1", "exp2")} == {"Compiler"}
        with runtime.load_network(loaded) as network:
            np.testing.assert_allclose(network.run({"x": X})["y"], expected(), rtol=1e-5)


def test_a_backend_that_is_not_there_gives_its_layers_to_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.armnnpy"
    save(path)
    with runtime_with() as runtime:
        loaded = OptimizedNetwork.load(path, runtime=runtime)
        (told,) = warnings_of(caplog)
        assert "backend 'Compiler' is not loaded" in told
        assert set(loaded.assignment.counts) == {"CpuRef"}
        assert [backend.id for backend in loaded.backends] == ["CpuRef"]
        with runtime.load_network(loaded) as network:
            np.testing.assert_allclose(network.run({"x": X})["y"], expected(), rtol=1e-5)


def test_refused_layers_are_an_error(tmp_path: Path) -> None:
    network = ann.Network("alone")
    value = network.add_elementwise_unary(
        network.add_input("x", ann.TensorInfo(X.shape)), ann.UnaryOperation.EXP, name="exp"
    )
    network.add_output("y", value)
    path = tmp_path / "x.armnnpy"
    with runtime_with(Compiler()) as runtime:
        ann.optimize(network, ["Compiler"], runtime=runtime).save(path)
    picky = Compiler("no exp")
    with (
        ann.Runtime(
            enable_dynamic_backends=False, bundled_backends=False, python_backends=[picky]
        ) as runtime,
        pytest.raises(ann.BackendError, match=r"does not take layer 'exp'.*EXP is slow") as raised,
    ):
        OptimizedNetwork.load(path, runtime=runtime)
    assert "optimize() the model anew" in str(raised.value)
