# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks with variables, operators of other domains, devices, and converted layouts."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import Attribute, AttributeTensor, StandInDescriptor
from armnn_py.optimizer import OptimizedNetwork
from armnn_py.optimizer.saved.archive import write_archive
from armnn_py.python_backend import KernelCall, PythonBackend, kernel

from .picky import Picky, transposes

ONE = np.ones(4, np.float32)
TABLE = np.arange(6, dtype=np.int16).reshape(2, 3)


def changed(path: Path, change: Callable[[Any], None]) -> Path:
    """The file with another document, whose sums agree."""
    with zipfile.ZipFile(path) as archive:
        members: dict[str, tuple[Any, ...]] = {
            name: (archive.read(name),) for name in archive.namelist() if name != "mimetype"
        }
    document = json.loads(members["network.json"][0])
    change(document)
    members["network.json"] = (json.dumps(document).encode(),)
    other = path.with_name("changed.armnnpy")
    write_archive(str(other), members)
    return other


# ---- Variables -----------------------------------------------------------------------------------


def counter() -> ann.Network:
    """``after`` is 5 and the sum of all inputs so far; ``step`` is read and never assigned."""
    network = ann.Network("counter")
    x = network.add_input("x", ann.TensorInfo((4,)))
    total = network.add_variable("total", ann.TensorInfo((4,)), value=5 * ONE)
    step = network.add_variable("step", ann.TensorInfo((4,)), value=2 * ONE)
    after = network.add_addition(total, network.add_multiplication(x, step))
    network.assign(total, after)
    network.add_output("after", after)
    return network


@pytest.mark.parametrize("backend", ["CpuRef", "CpuAcc"])
def test_variables_begin_with_their_initial_values(tmp_path: Path, backend: str) -> None:
    path = tmp_path / "x.armnnpy"
    with ann.Runtime() as runtime:
        if backend not in runtime.backends:
            pytest.skip(f"{backend} is not here")
        optimized = ann.optimize(counter(), [backend], runtime=runtime)
        with runtime.load_network(optimized) as net:
            net.run(ONE)  # the file has the values from before all runs
            optimized.save(path)
        again = OptimizedNetwork.load(path, runtime=runtime)
        assert dict(again.variables) == dict(optimized.variables)
        assert list(again.inputs) == ["x"]
        again.save(tmp_path / "y.armnnpy")
    assert (tmp_path / "y.armnnpy").read_bytes() == path.read_bytes()
    with ann.load(path) as net:
        results = [net.run(n * ONE)["after"][0] for n in (1, 10)]
        assert results == [7, 27]
        assert {name: value[0] for name, value in net.state.items()} == {"total": 27, "step": 2}
        net.reset_state()
        assert net.run(ONE)["after"][0] == 7


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda variable, assign: assign.update(variable=99), "a number is 99"),
        (lambda variable, assign: assign.update(variable=0), "assigns no variable"),
        (lambda variable, assign: variable.update(name="step"), "two variables"),
        (lambda variable, assign: variable.update(initial=99), "99"),
    ],
)
def test_variables_that_no_network_has(
    tmp_path: Path, change: Callable[[Any, Any], None], message: str
) -> None:
    path = tmp_path / "x.armnnpy"

    def edit(document: Any) -> None:
        (assign,) = (layer for layer in document["layers"] if "variable" in layer)
        change(document["layers"][assign["variable"]], assign)

    with ann.Runtime() as runtime:
        ann.optimize(counter(), ["CpuRef"], runtime=runtime).save(path)
        with pytest.raises(ann.ParseError, match=message):
            OptimizedNetwork.load(changed(path, edit), runtime=runtime)


# ---- Operators of other domains ------------------------------------------------------------------


class Acme(PythonBackend):
    """Runs Swirl: adds its table."""

    id = "Acme"

    def open(self) -> None:
        self.seen: list[StandInDescriptor] = []

    @kernel(ann.LayerType.STAND_IN, domain="com.acme", name="Swirl")
    def swirl(self, call: KernelCall) -> Any:
        self.seen.append(call.layer.descriptor)
        return call.inputs[0] + call.layer.descriptor.attributes[0].value.array


def test_operators_of_other_domains_keep_texts_and_attributes(tmp_path: Path) -> None:
    attributes = (
        Attribute("table", AttributeTensor(TABLE)), Attribute("axis", -(2**63)),
        Attribute("axes", (1, 2)), Attribute("none", ()), Attribute("gain", float("inf")),
        Attribute("gains", (0.5, float("-inf"))), Attribute("mode", "inf"),
        Attribute("modes", ("a", "ü")), Attribute("raw", "\udcff"),
    )  # fmt: skip
    descriptor = StandInDescriptor(1, 1, 4, "com.acme", "Swirl", attributes)
    network = ann.Network("swirl")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    info = ann.TensorInfo((2, 3))
    made = network.add_layer(ann.LayerType.STAND_IN, [x], descriptor, output_infos=[info])
    network.add_output("y", made)
    path, backend = tmp_path / "x.armnnpy", Acme()
    with ann.Runtime(python_backends=[backend]) as runtime:
        ann.optimize(network, ["Acme"], runtime=runtime).save(path)
        with ann.load(path, runtime=runtime) as net:
            np.testing.assert_array_equal(net.run(np.float32(2 * TABLE))["y"], 3 * TABLE)
        assert backend.seen[-1] == descriptor

        def edit(document: Any) -> None:
            document["layers"][1]["descriptor"]["attributes"][1] = {"attribute": "axis", "int": "1"}

        with pytest.raises(ann.ParseError, match="'1' is not of type int"):
            OptimizedNetwork.load(changed(path, edit), runtime=runtime)
    with pytest.raises(ann.BackendNotFoundError, match="'Acme' is not loaded"):
        ann.load(path)


# ---- Devices -------------------------------------------------------------------------------------


def test_devices_are_opened_when_the_file_is_loaded(
    tmp_path: Path, build_backend: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    build_backend("devices_backend.c", tmp_path / "Test_Devices_backend.so")
    network = ann.Network("chain")
    value: Any = network.add_input("x", ann.TensorInfo((3,)))
    for name, hint in (("a", "Devices"), ("b", "Devices:1")):
        value = network.add_elementwise_unary(value, ann.UnaryOperation.NEG, name=name)
        value.backend_hint = hint
    network.add_output("y", value)
    path = tmp_path / "x.armnnpy"
    options = {"Devices:1": {"effort": 3}}
    with ann.Runtime(tmp_path) as runtime:
        optimized = ann.optimize(network, runtime=runtime, model_options=options)
        optimized.save(path)
        with runtime.load_network(optimized) as net:
            expected = net.run(np.float32([1, 2, 3]))["y"]
    with ann.Runtime(tmp_path) as runtime:
        assert "Devices:1" not in list(runtime.backends)
        again = OptimizedNetwork.load(path, runtime=runtime)
        assert {row.layer: row.backend for row in again.assignment} == {
            "a": "Devices", "b": "Devices:1",
        }  # fmt: skip
        assert again.placed.model_options.given == options
        with runtime.load_network(again) as net:
            np.testing.assert_array_equal(net.run(np.float32([1, 2, 3]))["y"], expected)

        def edit(document: Any) -> None:
            document["backends"]["Devices:2"] = document["backends"].pop("Devices:1")
            for layer in document["layers"]:
                layer["backend"] = layer.get("backend", "").replace(":1", ":2")

        other = OptimizedNetwork.load(changed(path, edit), runtime=runtime)
        assert "'Devices' has no device 2" in caplog.text
        assert "Devices:2" not in other.assignment.counts
        with runtime.load_network(other) as net:
            np.testing.assert_array_equal(net.run(np.float32([1, 2, 3]))["y"], expected)


def test_secret_options_are_in_no_file(tmp_path: Path, build_backend: Callable[..., None]) -> None:
    build_backend("options_backend.c", tmp_path / "Test_Options_backend.so")
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.ABS))
    path = tmp_path / "x.armnnpy"
    with ann.Runtime(tmp_path) as runtime:
        for options in ({"effort": 5}, {"effort": 5, "seal": "hunter1"}):
            optimized = ann.optimize(network, runtime=runtime, model_options={"Options": options})
            if "seal" in options:
                message = "model option 'seal' of backend 'Options' is secret"
                with pytest.raises(ann.InvalidArgumentError, match=message):
                    optimized.save(path)
            else:
                optimized.save(path)
                again = OptimizedNetwork.load(path, runtime=runtime)
                assert again.placed.model_options.given == {"Options": options}
    assert b"hunter1" not in path.read_bytes()


# ---- Layouts -------------------------------------------------------------------------------------


def test_converted_layouts_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = ann.Network("image")
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    weights = np.random.default_rng(0).standard_normal((4, 3, 3, 3)).astype(np.float32)
    made = network.add_convolution2d(
        x, weights, np.zeros(4, np.float32), data_layout=ann.DataLayout.NCHW
    )
    network.add_output("y", made)
    path = tmp_path / "x.armnnpy"
    image = np.random.default_rng(1).random((1, 3, 8, 8), np.float32)
    picky = Picky(ann.DataLayout.NHWC)
    with ann.Runtime(enable_dynamic_backends=False, python_backends=[picky]) as runtime:
        optimized = ann.optimize(network, ["Picky"], runtime=runtime)
        assert len(transposes(optimized)) == 2
        optimized.save(path)

        def never(*_: Any, **__: Any) -> None:
            raise AssertionError("asked for a layout again")

        monkeypatch.setattr(picky, "preferred_layout", never)
        again = OptimizedNetwork.load(path, runtime=runtime)
        assert again.assignment.to_json() == optimized.assignment.to_json()
        assert [repr(x) for x in again.network.layers] == [
            repr(x) for x in optimized.network.layers
        ]
        with runtime.load_network(optimized) as first, runtime.load_network(again) as second:
            assert first.run(image)["y"].tobytes() == second.run(image)["y"].tobytes()
