# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Outputs whose size only execute knows, and the layers behind them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import armnn_py as ann
from armnn_py.descriptors import StandInDescriptor
from armnn_py.python_backend import KernelCall, PythonBackend, kernel
from armnn_py.runtime.bounded.bounded_plan import find_bounded_shapes

from .kinds import Load, MakeRuntime

Array = NDArray[Any]
ROWS, WIDTH = 6, 4
RNG = np.random.default_rng(3)


def add_rows(network: ann.Network, x: Any, rows: int = ROWS, width: int = WIDTH) -> Any:
    info = ann.TensorInfo((rows, width), bounded=(0,))
    return network.add_layer(
        ann.LayerType.STAND_IN, [x], StandInDescriptor(1, 1), output_infos=[info], name="rows"
    )


def rows_network(behind: Callable[[ann.Network, Any], Any] | None = None) -> ann.Network:
    network = ann.Network("rows")
    kept = add_rows(network, network.add_input("x", ann.TensorInfo((ROWS, WIDTH))))
    network.add_output("y", kept if behind is None else behind(network, kept))
    return network


def softmax_of_abs(network: ann.Network, x: Any) -> Any:
    return network.add_softmax(network.add_elementwise_unary(x, ann.UnaryOperation.ABS))


def expected(x: Array) -> Array:
    powers = np.exp(np.abs(x[x[:, 0] > 0]))
    result: Array = powers / powers.sum(1, keepdims=True)
    return result


def values() -> Array:
    return RNG.standard_normal((ROWS, WIDTH)).astype(np.float32)


@pytest.fixture
def load(make_runtime: MakeRuntime) -> Load:
    """Load a network on the backend "Bounded", built with some defines, and CpuRef."""

    def make(network: ann.Network, *defines: str, **options: Any) -> ann.LoadedNetwork:
        runtime = make_runtime("bounded", *defines)
        return ann.load(network, ["Bounded", "CpuRef"], runtime=runtime, **options)

    return make


def test_layers_behind_get_the_reported_size(load: Load) -> None:
    with load(rows_network(softmax_of_abs)) as loaded:
        assert loaded.assignment.counts == {"Bounded": 2, "CpuRef": 1}
        for first in (1, -1, 0.5):
            x = values()
            x[:, 0] *= first
            made = loaded.run(x)["y"]
            np.testing.assert_allclose(made, expected(x), rtol=1e-5)
        x = -np.abs(values())
        assert loaded.run(x)["y"].shape == (0, WIDTH)
        x = np.abs(values())
        assert loaded.run(x)["y"].shape == (ROWS, WIDTH)


def test_the_output_itself_is_of_unknown_size(load: Load) -> None:
    with load(rows_network()) as loaded:
        x = values()
        kept = x[x[:, 0] > 0]
        assert np.array_equal(loaded.run(x)["y"], kept)
        out = np.zeros((ROWS, WIDTH), np.float32)
        made = loaded.run(x, out={"y": out})["y"]
        assert np.array_equal(made, kept)
        assert np.shares_memory(made, out)
        assert np.array_equal(loaded.run(x, share_outputs=True)["y"], kept)
        with pytest.raises(ann.InvalidArgumentError, match="layer 'rows' reports sizes only when"):
            loaded.bind(x)
        assert np.array_equal(loaded.run(x)["y"], kept)


def test_threads_get_different_sizes_at_once(load: Load) -> None:
    wrong: list[int] = []
    with load(rows_network(softmax_of_abs)) as loaded:

        def work(seed: int) -> None:
            generator = np.random.default_rng(seed)
            for _ in range(50):
                x = generator.standard_normal((ROWS, WIDTH)).astype(np.float32)
                made = loaded.run(x)["y"]
                if not np.allclose(made, expected(x), rtol=1e-4):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("define", "words"),
    [
        ("-DROWS=count+1", "execute wrote 7 to output_dims[0][0], above its bound 6"),
        ("-DSILENT", "execute did not write output_dims[0][0]"),
        ("-DWIDTH=3", "execute wrote 3 to output_dims[0][1], which is known to be 4"),
        ("-DROWS=UINT64_MAX-1", "output_dims[0][0], above its bound 6"),
    ],
)
def test_wrong_sizes_are_refused_by_name(load: Load, define: str, words: str) -> None:
    with load(rows_network(softmax_of_abs), define) as loaded:
        for _ in range(2):
            with pytest.raises(ann.ExecutionError) as raised:
                loaded.run(values())
            assert raised.value.backend == "Bounded"
            assert raised.value.layer == "rows"
            assert words in str(raised.value)


def test_a_layer_behind_that_needs_all_shapes(load: Load) -> None:
    with pytest.raises(ann.BackendError) as raised:
        load(rows_network(softmax_of_abs), "-DABS_BOUNDED=NULL")
    assert "a layer reports sizes only when it runs" in raised.value.message
    assert raised.value.details == (
        "layer 'elementwise_unary_1' (ElementwiseUnary): backend 'Bounded' refuses bounded shapes: "
        "the kernel needs to know all shapes",
    )


def test_a_question_that_fails_is_a_no(load: Load, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ann.BackendError) as raised:
        load(rows_network(softmax_of_abs), "-DABS_BOUNDED=broken")
    assert "takes_bounded_shapes answered -8: no idea about layer type" in raised.value.details[0]
    assert "backend 'Bounded': takes_bounded_shapes answered -8" in caplog.text


def test_a_layer_behind_that_cannot_follow(load: Load) -> None:
    network = rows_network(lambda n, x: n.add_reshape(x, (ROWS * WIDTH,)))
    with pytest.raises(ann.BackendError) as raised:
        load(network)
    assert "reshape_1" in raised.value.details[0]


def test_sizes_of_inputs_and_reported_ones(load: Load) -> None:
    """Both at once: rows out of a sequence of any length up to its bound."""

    def build(infos: Any) -> ann.Network:
        network = ann.Network("both")
        x = network.add_input("x", infos["x"])
        kept = add_rows(network, x, infos["x"].static_shape[0])
        network.add_output("y", softmax_of_abs(network, kept))
        network.add_output("z", network.add_floor(x))
        return network

    info = ann.TensorInfo((None, WIDTH), dimension_names=("sequence", None))
    outputs = dict.fromkeys("yz", ann.TensorInfo((None, WIDTH)))
    network = ann.Network.from_builder("both", {"x": info}, build, outputs)
    with load(network, bounds={"sequence": 12}) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        for size in (12, 1, 7):
            x = RNG.standard_normal((size, WIDTH)).astype(np.float32)
            made = loaded.run(x)
            np.testing.assert_allclose(made["y"], expected(x), rtol=1e-5)
            assert np.array_equal(made["z"], np.floor(x))
        assert len(loaded._pool.plans) == 1
    with load(network) as loaded:  # a plan for each shape of the input
        x = RNG.standard_normal((5, WIDTH)).astype(np.float32)
        np.testing.assert_allclose(loaded.run(x)["y"], expected(x), rtol=1e-5)


def test_only_tensors_that_keep_one_size_share_memory() -> None:
    """Equal bounds are not enough: what is told may be smaller."""
    with ann.Runtime(python_backends=[Unique()]) as runtime:
        network = rows_network(lambda n, x: n.add_softmax(n.add_floor(x)))
        optimized = ann.optimize(network, ["Unique", "CpuRef"], runtime=runtime)
        bounded = find_bounded_shapes(optimized, ())
        x, kept, floor, softmax = (layer.outputs[0] for layer in bounded.placed.network.layers[:4])
        assert x.info.byte_size == kept.info.byte_size
        assert not bounded.same_size(x, kept)
        assert bounded.same_size(kept, floor)
        assert bounded.same_size(floor, softmax)


# ---- In Python ------------------------------------------------------------------------------


class Unique(PythonBackend):
    """The rows of a tensor, sorted and each once."""

    id = "Unique"
    answer: Any = None

    @kernel(ann.LayerType.STAND_IN, bounded=True)
    def unique(self, call: KernelCall) -> Any:
        assert call.layer.outputs[0].bounded == (0,)
        return np.unique(call.inputs[0], axis=0) if self.answer is None else self.answer


def test_a_kernel_in_python_returns_fewer_rows() -> None:
    backend = Unique()
    with (
        ann.Runtime(python_backends=[backend]) as runtime,
        ann.load(
            rows_network(lambda n, x: n.add_addition(x, np.float32(1))),
            ["Unique", "CpuRef"],
            runtime=runtime,
        ) as loaded,
    ):
        x = np.repeat(values()[:2], 3, axis=0)
        assert np.array_equal(loaded.run(x)["y"], np.unique(x, axis=0) + 1)
        for wrong in (np.zeros((ROWS + 1, WIDTH), np.float32), np.zeros((2, 3), np.float32)):
            backend.answer = wrong
            with pytest.raises(ann.ExecutionError, match="or less along"):
                loaded.run(x)
        backend.answer = np.zeros((ROWS, WIDTH), np.float32)
        assert np.array_equal(loaded.run(x)["y"], np.ones((ROWS, WIDTH)))


# ---- Wrong use ------------------------------------------------------------------------------


def test_bounded_dimensions_of_infos() -> None:
    info = ann.TensorInfo((6, 4), bounded=(0,))
    assert repr(info) == "TensorInfo(float32, <=6x4)"
    assert info != ann.TensorInfo((6, 4))
    assert info.is_static
    assert info.with_shape((3, 4)) == ann.TensorInfo((3, 4))
    for bounded in ((2,), (-1,), "0", (0.5,)):
        with pytest.raises(ann.InvalidArgumentError, match="bounded dimension"):
            ann.TensorInfo((6, 4), bounded=bounded)  # type: ignore[arg-type]
    with pytest.raises(
        ann.InvalidArgumentError, match="bounded dimension 0 given, one with an upper"
    ):
        ann.TensorInfo((None, 4), bounded=(0,))
    network = ann.Network("wrong")
    with pytest.raises(ann.InvalidArgumentError, match="bounded dimensions, which only a StandIn"):
        network.add_input("x", info)
    x = network.add_input("x", ann.TensorInfo((6, 4)))
    with pytest.raises(ann.LayerValidationError, match="bounded dimensions, which only a StandIn"):
        network.add_layer(ann.LayerType.FLOOR, [x], output_infos=[info])


def test_an_input_that_was_packed_keeps_its_info(load: Load) -> None:
    alpha = np.array([0.5, 0.25, 2.0], np.float32)

    def network(infos: Any) -> ann.Network:
        made = ann.Network("prelu")
        made.add_output("y", made.add_prelu(made.add_input("x", infos["x"]), alpha))
        return made

    free = ann.TensorInfo((None, 3), dimension_names=("rows", None))
    builder = ann.Network.from_builder("prelu", {"x": free}, network, {"y": free})
    with load(builder, bounds={"rows": 8}) as loaded:
        for rows in (3, 8, 1):
            x = RNG.standard_normal((rows, 3)).astype(np.float32)
            np.testing.assert_array_equal(loaded.run(x)["y"], np.where(x < 0, alpha * x, x))
        assert loaded.bounded_shapes is not None
        assert loaded.bounded_shapes.one_plan
