# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend computes the same in a worker as in the process, bit for bit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import armnn_py as ann
from armnn_py import Isolation

BACKENDS = ["CpuAcc", "CpuRef"]


@pytest.fixture(scope="module")
def isolated() -> Iterator[ann.Runtime]:
    with ann.Runtime(isolate=["CpuAcc"]) as runtime:
        yield runtime


def convolutions() -> ann.Network:
    """Layers that a backend compiles together, with two outputs and weights of its own."""
    random = np.random.default_rng(1)
    network = ann.Network("convolutions")
    x = network.add_input("x", ann.TensorInfo((1, 12, 12, 4)))
    weights = random.standard_normal((8, 3, 3, 4), np.float32)
    made = network.add_convolution2d(x, weights, padding=(1, 1, 1, 1), name="first")
    network.add_output("inner", made)
    made = network.add_activation(made, ann.ActivationFunction.RELU)
    network.add_output("y", network.add_softmax(network.add_reshape(made, (1, -1))))
    return network


def counter() -> ann.Network:
    """A network with a variable, which each run changes."""
    network = ann.Network("counter")
    x = network.add_input("x", ann.TensorInfo((3,)))
    total = network.add_variable("total", ann.TensorInfo((3,)))
    made = network.add_addition(x, total)
    network.assign(total, made)
    network.add_output("y", made)
    return network


def both(
    network: ann.Network, isolated: ann.Runtime, runs: list[Mapping[str, np.ndarray[Any, Any]]]
) -> None:
    with ann.load(network, BACKENDS) as here, ann.load(network, BACKENDS, runtime=isolated) as away:
        assert away.assignment.counts == here.assignment.counts
        for inputs in runs:
            expected, made = here.run(inputs), away.run(inputs)
            assert not away.last_run.degraded
            assert list(made) == list(expected)
            for name, array in expected.items():
                np.testing.assert_array_equal(made[name], array)


def test_compiled_layers(isolated: ann.Runtime) -> None:
    random = np.random.default_rng(2)
    runs = [{"x": random.standard_normal((1, 12, 12, 4), np.float32)} for _ in range(3)]
    both(convolutions(), isolated, runs)


def test_variables_stay_the_hosts(isolated: ann.Runtime) -> None:
    both(counter(), isolated, [{"x": np.full(3, n, np.float32)} for n in (1, 2, 3)])


def rows() -> ann.Network:
    """A network whose first size comes with a run."""

    def layers(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_softmax(x))
        return network

    info = ann.TensorInfo((None, 4), dimension_names=("rows", None))
    return ann.Network.from_builder("rows", {"x": info}, layers, {"y": info})


def test_free_sizes_get_plans(isolated: ann.Runtime) -> None:
    random = np.random.default_rng(3)
    both(rows(), isolated, [{"x": random.random((n, 4), np.float32)} for n in (1, 5, 1, 3)])


def test_sizes_with_a_bound_get_plans_of_their_own() -> None:
    random = np.random.default_rng(3)
    with ann.Runtime(isolate=["CpuRef"]) as runtime:
        with pytest.warns(ann.ArmnnWarning, match="each input shape gets a plan of its own"):
            away = ann.load(rows(), ["CpuRef"], runtime=runtime, bounds={"rows": 5})
        with away, ann.load(rows(), ["CpuRef"], bounds={"rows": 5}) as here:
            assert here.bounded_shapes.one_plan
            assert not away.bounded_shapes.one_plan
            for count in (5, 1, 0, 5):
                x = random.random((count, 4), np.float32)
                np.testing.assert_array_equal(away.run(x)["y"], here.run(x)["y"])
            assert not away.last_run.degraded


def test_sizes_that_a_run_finds(isolated: ann.Runtime) -> None:
    nodes = [
        onnx.helper.make_node("NonZero", ["x"], ["places"]),
        onnx.helper.make_node("Transpose", ["places"], ["indices"], perm=[1, 0]),
        onnx.helper.make_node("GatherND", ["x", "indices"], ["values"]),
        onnx.helper.make_node("Add", ["values", "values"], ["y"]),
    ]
    ends = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("x", [3, 4]), ("y", ["count"]))
    ]
    graph = onnx.helper.make_graph(nodes, "found", ends[:1], ends[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    random = np.random.default_rng(4)
    with ann.load(model, ["CpuAcc"], runtime=isolated) as away:
        for _ in range(3):
            x = random.integers(-1, 2, (3, 4)).astype(np.float32)
            np.testing.assert_array_equal(away.run(x)["y"], 2 * x[x != 0])
        assert away.assignment.counts.keys() == {"CpuAcc"}


def test_layers_that_no_backend_compiles(isolated: ann.Runtime) -> None:
    options = ann.OptimizerOptions(compile_parts=False)
    image = np.random.default_rng(4).standard_normal((1, 12, 12, 4), np.float32)
    with (
        ann.load(convolutions(), BACKENDS, options=options) as here,
        ann.load(convolutions(), BACKENDS, options=options, runtime=isolated) as away,
    ):
        expected, made = here.run(image), away.run(image)
        for name, array in expected.items():
            np.testing.assert_array_equal(made[name], array)


def test_bound_arrays_and_threads(isolated: ann.Runtime) -> None:
    random = np.random.default_rng(5)
    images = [random.standard_normal((1, 12, 12, 4), np.float32) for _ in range(4)]
    with ann.load(convolutions(), BACKENDS) as here:
        expected = [here.run(image)["y"] for image in images]
    wrong: list[int] = []
    with ann.load(convolutions(), BACKENDS, runtime=isolated) as away:

        def work(number: int) -> None:
            with away.bind() as bound:
                bound.inputs["x"][...] = images[number]
                for _ in range(50):
                    if not (bound.run()["y"] == expected[number]).all():
                        wrong.append(number)
                    if not (away.run(images[number])["y"] == expected[number]).all():
                        wrong.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_saved_network(isolated: ann.Runtime, tmp_path: Path) -> None:
    image = np.random.default_rng(6).standard_normal((1, 12, 12, 4), np.float32)
    path = tmp_path / "network.armnnpy"
    with ann.Runtime() as runtime:
        ann.optimize(convolutions(), BACKENDS, runtime=runtime).save(path)
        with ann.load(path, runtime=runtime) as here:
            expected = here.run(image)
    with ann.load(path, runtime=isolated) as away:
        made = away.run(image)
    for name, array in expected.items():
        np.testing.assert_array_equal(made[name], array)


def test_state_that_a_backend_keeps(tmp_path: Path, build_backend: Callable[..., None]) -> None:
    build_backend("state_backend.c", tmp_path / "Test_State_backend.so")
    with ann.Runtime(tmp_path) as runtime:
        (name,) = set(runtime.backends) - set(BACKENDS)
    with (
        ann.Runtime(tmp_path) as plain,
        ann.Runtime(tmp_path, isolate={name: Isolation(threads=1)}) as apart,
    ):
        network = ann.Network("state")
        x = network.add_input("x", ann.TensorInfo((4,)))
        made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
        network.add_output("y", made)
        one = np.ones(4, np.float32)
        answers = []
        for runtime in (plain, apart):
            with ann.load(network, [name], runtime=runtime) as loaded:
                told = [loaded.run(one)["y"] for _ in range(3)]
                loaded.reset_state()
                answers.append([*told, loaded.run(one)["y"]])
        np.testing.assert_array_equal(answers[0], answers[1])


def test_an_operator_that_no_layer_expresses(
    tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    build_backend("operator_backend.c", tmp_path / "Test_Operator_backend.so")
    nodes = [
        onnx.helper.make_node("Relu", ["x"], ["r"]),
        onnx.helper.make_node("Swirl", ["r"], ["s"], domain="com.acme", gain=2.5),
        onnx.helper.make_node("Neg", ["s"], ["y"]),
    ]
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, (2, 3))
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (2, 3))
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.acme", 4)]
    graph = onnx.helper.make_graph(nodes, "g", [x], [y])
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    given = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
    answers = []
    for isolate in (None, ["Operator"]):
        with (
            ann.Runtime(tmp_path, isolate=isolate) as runtime,
            ann.load(model, runtime=runtime) as loaded,
        ):
            assert "Operator" in loaded.assignment.counts
            answers.append(loaded.run(given)["y"])
    np.testing.assert_array_equal(*answers)


#: Recorded operators, which the package `onnx` brings.
RECORDED = Path(onnx.__file__).parent / "backend" / "test" / "data" / "pytorch-operator"


@pytest.mark.parametrize("case", sorted(one.name for one in RECORDED.iterdir())[::3])
def test_recorded_operators(isolated: ann.Runtime, case: str) -> None:
    network = ann.import_model(RECORDED / case / "model.onnx")
    random = np.random.default_rng(6)
    given = {
        name: random.standard_normal(info.static_shape).astype(info.dtype)
        for name, info in network.inputs.items()
    }
    both(network, isolated, [given, given])


def test_the_memory_of_its_process_is_shown(isolated: ann.Runtime) -> None:
    with ann.load(convolutions(), BACKENDS, runtime=isolated) as net:
        (share,) = (one for one in net.memory.shares if one.content == "its worker process")
        status = Path(f"/proc/{isolated.isolated['CpuAcc'].process_id}/status").read_text()
    (resident,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    assert share.holder == "CpuAcc"
    assert share.when == "apart"
    assert 2 << 20 < share.size <= int(resident) * 1024
