# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bounded shapes with variables, serial kernels, options of runs, layouts and operators."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.descriptors import StandInDescriptor
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel

pytestmark = pytest.mark.filterwarnings("ignore:.*a plan of its own:armnn_py.ArmnnWarning")

Array = NDArray[Any]
Infos = Mapping[str, ann.TensorInfo]
WIDTH = 3
RNG = np.random.default_rng(11)
FREE = ann.TensorInfo((None, WIDTH), dimension_names=("rows", None))
BOUNDS = {"rows": 8}


def values(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def largest_so_far(infos: Infos, first: Array | None = None) -> ann.Network:
    """Rows minus the largest value that each column ever had before."""
    network = ann.Network("largest")
    x = network.add_input("x", infos["x"])
    largest = network.add_variable("largest", ann.TensorInfo((1, WIDTH)), first)
    here = network.add_reduce(x, ann.ReduceOperation.MAX, [0], keep_dims=True)
    network.assign(largest, network.add_maximum(largest, here))
    network.add_output("y", network.add_subtraction(x, largest))
    return network


def of(builder: Any) -> ann.Network:
    promised = {"largest": ann.TensorInfo((1, WIDTH))}
    return ann.Network.from_builder("net", {"x": FREE}, builder, {"y": FREE}, variables=promised)


# ---- Variables ------------------------------------------------------------------------------


def test_a_variable_stays_through_runs_of_all_shapes() -> None:
    with ann.load(of(largest_so_far), ["CpuRef"], bounds=BOUNDS) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        known = np.zeros((1, WIDTH), np.float32)
        assert np.array_equal(loaded.state["largest"], known)
        for rows in (8, 1, 5, 5, 3):
            x = values(rows, WIDTH) * rows
            assert np.array_equal(loaded.run(x)["y"], x - known)
            known = np.maximum(known, x.max(0, keepdims=True))
            assert np.array_equal(loaded.state["largest"], known)
        with pytest.raises(ann.InvalidArgumentError, match="above its bound"):
            loaded.run(values(9, WIDTH))
        assert np.array_equal(loaded.state["largest"], known)
        x = values(2, WIDTH)
        with loaded.bind(x) as bound:  # has variables of its own
            assert np.array_equal(bound.run()["y"], x)
        loaded.state["largest"] = known + 1
        assert np.array_equal(loaded.run(x)["y"], x - known - 1)
        loaded.reset_state()
        assert np.array_equal(loaded.run(x)["y"], x)


def test_first_values_that_depend_on_the_sizes() -> None:
    def build(infos: Infos) -> ann.Network:
        first = np.full((1, WIDTH), infos["x"].static_shape[0], np.float32)
        return largest_so_far(infos, first)

    with ann.load(of(build), ["CpuRef"], bounds=BOUNDS) as loaded:
        assert loaded.bounded_shapes.reasons == (
            "layer 'largest' (Input): its first values depend on the sizes",
        )
        x = values(4, WIDTH)
        assert np.array_equal(loaded.run(x)["y"], x - 4)


def unique_rows(network: ann.Network, x: Any, rows: int) -> Any:
    info = ann.TensorInfo((rows, WIDTH), bounded=(0,))
    given = StandInDescriptor(1, 1, 1, "com.acme", "Unique")
    return network.add_layer(ann.LayerType.STAND_IN, [x], given, output_infos=[info], name="unique")


class Acme(PythonBackend):
    """The rows of a tensor, sorted and each once, times the run option ``gain``."""

    id = "Acme"
    run_option_defaults = {"gain": 1.0}  # noqa: RUF012 - as backends are written

    def open(self) -> None:
        self.inside = self.most = 0

    def infer_stand_in(self, layer: ShownLayer) -> Sequence[ann.TensorInfo] | str:
        x = layer.inputs[0]
        assert x is not None
        return [ann.TensorInfo(x.shape, x.data_type, bounded=(0,))]

    @kernel(ann.LayerType.STAND_IN, bounded=True, serial=True, name="Unique")
    def unique(self, call: KernelCall) -> Any:
        self.inside += 1
        self.most = max(self.most, self.inside)
        made = np.unique(call.inputs[0], axis=0) * np.float32(call.run_options.get("gain", 1))
        self.inside -= 1
        return made


def test_reported_sizes_cannot_be_assigned() -> None:
    network = ann.Network("told")
    before = network.add_variable("before", ann.TensorInfo((4, WIDTH)))
    x = network.add_input("x", ann.TensorInfo((4, WIDTH)))
    told = unique_rows(network, x, 4)
    network.assign(before, network.add_elementwise_unary(told, ann.UnaryOperation.ABS))
    network.add_output("y", network.add_addition(before, x))
    with (
        ann.Runtime(python_backends=[Acme()]) as runtime,
        pytest.raises(ann.BackendError, match="cannot be used") as caught,
    ):
        ann.load(network, ["Acme", "CpuRef"], runtime=runtime)
    assert "variable 'before': what is assigned to it has bounded sizes" in caught.value.details
    with pytest.raises(ann.InvalidArgumentError, match="bounded dimensions"):
        network.add_variable("bounded", ann.TensorInfo((4, WIDTH), bounded=(0,)))


# ---- Serial kernels, options, operators -----------------------------------------------------


def test_a_serial_kernel_that_tells_sizes_in_many_threads() -> None:
    network = ann.Network("told")
    told = unique_rows(network, network.add_input("x", ann.TensorInfo((8, WIDTH))), 8)
    network.add_output("y", network.add_elementwise_unary(told, ann.UnaryOperation.NEG))
    backend = Acme()
    wrong: list[int] = []
    with (
        ann.Runtime(python_backends=[backend]) as runtime,
        ann.load(network, ["Acme", "CpuRef"], runtime=runtime) as loaded,
    ):

        def work(seed: int) -> None:
            generator = np.random.default_rng(seed)
            for _ in range(30):
                x = generator.integers(0, 2, (8, WIDTH)).astype(np.float32)
                made = loaded.run(x, options={"Acme": {"gain": float(seed)}})["y"]
                if not np.array_equal(made, -np.unique(x, axis=0) * seed):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
    assert backend.most == 1


def test_an_imported_operator_tells_sizes() -> None:
    nodes = [
        helper.make_node("Unique", ["x"], ["u"], domain="com.acme"),
        helper.make_node("Neg", ["u"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (5, WIDTH))]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    with (
        ann.Runtime(python_backends=[Acme()]) as runtime,
        ann.load(model, ["Acme", "CpuRef"], runtime=runtime) as loaded,
    ):
        x = values(2, WIDTH)[[0, 1, 1, 0, 0]]
        assert np.array_equal(loaded.run(x)["y"], -np.unique(x, axis=0))


# ---- Layouts --------------------------------------------------------------------------------


class Channels(PythonBackend):
    """Takes channels first only: sums of pairs of columns."""

    id = "Channels"

    def preferred_layout(self, layer: ShownLayer) -> ann.DataLayout | None:
        return ann.DataLayout.NCHW

    @kernel(ann.LayerType.POOLING2D, bounded=True, data_layout=ann.DataLayout.NCHW)
    def average(self, call: KernelCall) -> Any:
        x = call.inputs[0]
        assert x is not None
        return ((x[..., ::2] + x[..., 1::2]) / 2).astype(np.float32)


def test_a_layer_in_another_layout() -> None:
    def build(infos: Infos) -> ann.Network:
        network = ann.Network("pool")
        x = network.add_input("x", infos["x"])
        y = network.add_pooling2d(x, ann.PoolingAlgorithm.AVERAGE, (1, 2))
        network.add_output("y", y)
        return network

    info = ann.TensorInfo((None, 2, 4, 3), dimension_names=("batch", None, None, None))
    network = ann.Network.from_builder("net", {"x": info}, build, {"y": info})
    with (
        ann.Runtime(python_backends=[Channels()]) as runtime,
        ann.load(network, ["Channels", "CpuRef"], runtime=runtime, bounds={"batch": 5}) as loaded,
    ):
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        assert loaded.assignment.counts["Channels"] == 1
        for batch in (5, 1, 3):
            x = values(batch, 2, 4, 3)
            expected = (x[:, :, ::2] + x[:, :, 1::2]) / 2
            np.testing.assert_allclose(loaded.run(x)["y"], expected, rtol=1e-6)
