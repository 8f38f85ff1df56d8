# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One plan for all input shapes up to bounds; expected values from numpy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, kernel

pytestmark = pytest.mark.filterwarnings("ignore:.*a plan of its own:armnn_py.ArmnnWarning")

Array = NDArray[Any]
RNG = np.random.default_rng(7)
WIDTH = 8
WEIGHTS = [RNG.standard_normal((WIDTH, WIDTH)).astype(np.float32) for _ in range(3)]
Infos = Mapping[str, ann.TensorInfo]
SEQUENCE = ann.TensorInfo((None, WIDTH), dimension_names=("sequence", None))


def attention(infos: Infos) -> ann.Network:
    """One head of self-attention: matrices, softmax, sums and layer normalisation."""
    network = ann.Network("attention")
    x = network.add_input("x", infos["x"])
    q, k, v = (network.add_batch_mat_mul(x, weights) for weights in WEIGHTS)
    scores = network.add_batch_mat_mul(q, k, transpose_y=True)
    weights = network.add_softmax(network.add_multiplication(scores, np.float32(0.3)))
    y = network.add_addition(network.add_batch_mat_mul(weights, v), x)
    network.add_output("y", network.add_layer_normalization(y))
    network.add_output("weights", weights)
    return network


def expected_attention(x: Array) -> dict[str, Array]:
    q, k, v = (x.astype(np.float64) @ weights for weights in WEIGHTS)
    scores = q @ k.T * np.float32(0.3)
    powers = np.exp(scores - scores.max(1, keepdims=True)) if len(x) else scores
    weights = powers / powers.sum(1, keepdims=True)
    y = weights @ v + x
    centred = y - y.mean(1, keepdims=True)
    return {"y": centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5), "weights": weights}


def of(
    builder: Callable[[Infos], ann.Network],
    inputs: Infos | None = None,
    outputs: tuple[str, ...] = ("y",),
) -> ann.Network:
    """A network with free dimensions."""
    given = inputs or {"x": SEQUENCE}
    free = ann.TensorInfo((None, None))
    return ann.Network.from_builder("net", given, builder, dict.fromkeys(outputs, free))


def one(layers: Callable[[ann.Network, Any], Any]) -> ann.Network:
    """A network with free dimensions between an input and an output."""

    def build(infos: Infos) -> ann.Network:
        network = ann.Network("one")
        network.add_output("y", layers(network, network.add_input("x", infos["x"])))
        return network

    return of(build)


def rows(count: int, width: int = WIDTH) -> Array:
    return RNG.standard_normal((count, width)).astype(np.float32)


ATTENTION = of(attention, outputs=("y", "weights"))


# ---- Growing --------------------------------------------------------------------------------


def test_a_sequence_that_grows_by_one_has_one_plan() -> None:
    with (
        ann.load(ATTENTION, ["CpuRef"], bounds={"sequence": 64}) as loaded,
        ann.load(ATTENTION, ["CpuRef"]) as single,
    ):
        assert loaded.bounded_shapes
        assert loaded.bounded_shapes.bounds == {"sequence": 64}
        for size in range(1, 65):
            x = rows(size)
            made = loaded.run(x)
            for name, expected in expected_attention(x).items():
                np.testing.assert_allclose(made[name], expected, rtol=1e-4, atol=1e-5)
            if size % 16 == 1:
                for name, value in single.run(x).items():
                    assert np.array_equal(made[name], value)
        assert len(loaded._pool.plans) == 1
        assert not single.bounded_shapes
        assert single.bounded_shapes.reasons == ("no bounds were given",)


def test_two_sizes_and_a_reshape_of_their_product() -> None:
    def build(infos: Infos) -> ann.Network:
        batch, length, width = infos["x"].static_shape
        network = ann.Network("heads")
        x = network.add_input("x", infos["x"])
        heads = network.add_reshape(x, (batch, length, 2, width // 2))
        heads = network.add_transpose(heads, (0, 2, 1, 3))
        flat = network.add_reshape(heads, (batch * 2 * length, width // 2))
        network.add_output("y", network.add_softmax(flat))
        return network

    info = ann.TensorInfo((None, None, 6), dimension_names=("batch", "length", None))
    with ann.load(of(build, {"x": info}), ["CpuRef"], bounds={"x": (3, 10, None)}) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        assert loaded.bounded_shapes.bounds == {"batch": 3, "length": 10}
        for batch, length in [(3, 10), (1, 7), (2, 1), (3, 9), (1, 1)]:
            x = RNG.standard_normal((batch, length, 6)).astype(np.float32)
            flat = x.reshape(batch, length, 2, 3).transpose(0, 2, 1, 3).reshape(-1, 3)
            powers = np.exp(flat)
            expected = powers / powers.sum(1, keepdims=True)
            np.testing.assert_allclose(loaded.run(x)["y"], expected, rtol=1e-5)
        assert len(loaded._pool.plans) == 1


def test_a_cache_that_is_joined_with_what_is_new() -> None:
    """Concat along the size that grows, as decoders do it."""

    def build(infos: Infos) -> ann.Network:
        network = ann.Network("cache")
        past = network.add_input("past", infos["past"])
        new = network.add_input("new", infos["new"])
        keys = network.add_concat([past, new], 0)
        network.add_output("keys", keys)
        scores = network.add_batch_mat_mul(new, keys, transpose_y=True)
        network.add_output("scores", scores)
        return network

    inputs = {
        "past": ann.TensorInfo((None, 4), dimension_names=("past", None)),
        "new": ann.TensorInfo((1, 4)),
    }
    network = of(build, inputs, ("keys", "scores"))
    with ann.load(network, ["CpuRef"], bounds={"past": 32}) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        past = np.zeros((0, 4), np.float32)
        for _ in range(32):
            new = rows(1, 4)
            made = loaded.run({"past": past, "new": new})
            assert np.array_equal(made["keys"], np.concatenate([past, new]))
            np.testing.assert_allclose(made["scores"], new @ made["keys"].T, rtol=1e-5, atol=1e-6)
            past = made["keys"]
        assert len(loaded._pool.plans) == 1


def test_a_slice_whose_size_follows() -> None:
    def build(infos: Infos) -> ann.Network:
        network = ann.Network("slice")
        x = network.add_input("x", infos["x"])
        rest = network.add_slice(x, (1, 0), (infos["x"].static_shape[0] - 1, WIDTH))
        network.add_output("y", rest)
        return network

    with ann.load(of(build), ["CpuRef"], bounds={"sequence": 9}) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        for size in (9, 4, 1):
            x = rows(size)
            assert np.array_equal(loaded.run(x)["y"], x[1:])


def test_no_rows_at_all() -> None:
    net = one(lambda n, x: n.add_softmax(n.add_batch_mat_mul(x, WEIGHTS[0])))
    with ann.load(net, ["CpuRef"], bounds={"sequence": 4}) as loaded:
        assert loaded.run(rows(0))["y"].shape == (0, WIDTH)
        assert loaded.run(rows(3))["y"].shape == (3, WIDTH)


def test_threads_with_different_shapes_at_once() -> None:
    with ann.load(ATTENTION, ["CpuRef"], bounds={"sequence": 32}) as loaded:
        wrong: list[str] = []

        def work(first: int) -> None:
            generator = np.random.default_rng(first)
            for step in range(40):
                size = (first * 5 + step) % 33
                x = generator.standard_normal((size, WIDTH)).astype(np.float32)
                made = loaded.run(x)["y"]
                if not np.allclose(made, expected_attention(x)["y"], rtol=1e-3, atol=1e-4):
                    wrong.append(f"{size} rows")

        threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        assert len(loaded._pool.plans) == 1


# ---- Ways to run ----------------------------------------------------------------------------


def test_arrays_of_the_caller() -> None:
    net = one(lambda n, x: n.add_addition(n.add_batch_mat_mul(x, WEIGHTS[0]), x))
    with ann.load(net, ["CpuRef"], bounds={"sequence": 16}) as loaded:
        loaded.run(rows(16))
        for size in (5, 16, 2):
            x = rows(size)
            expected = x @ WEIGHTS[0] + x
            out = np.empty((size, WIDTH), np.float32)
            assert loaded.run(x, out={"y": out})["y"] is out
            np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
            shared = loaded.run(x, share_outputs=True)["y"]
            np.testing.assert_allclose(shared, expected, rtol=1e-4, atol=1e-5)
            with loaded.bind(x) as bound:
                np.testing.assert_allclose(bound.run()["y"], expected, rtol=1e-4, atol=1e-5)
                x[...] = 1
                np.testing.assert_allclose(bound.run()["y"][0], x[0] @ WEIGHTS[0] + 1, rtol=1e-4)
        for size in (3, 9, 9, 4):  # nothing has told the context of the size before
            x = rows(size)
            shared = loaded.run(x, share_outputs=True)["y"]
            np.testing.assert_allclose(shared, x @ WEIGHTS[0] + x, rtol=1e-4, atol=1e-5)
        with pytest.raises(ann.InvalidArgumentError, match="dimension 0 is 4, 3 expected"):
            loaded.run(rows(3), out={"y": np.empty((4, WIDTH), np.float32)})


def test_an_array_at_an_odd_address() -> None:
    with ann.load(ATTENTION, ["CpuRef"], bounds={"sequence": 64}) as loaded:
        raw = np.zeros(4 * WIDTH * 5 + 1, np.uint8)
        x = raw[1:].view(np.float32).reshape(5, WIDTH)
        x[...] = rows(5)
        expected = expected_attention(x.copy())
        np.testing.assert_allclose(loaded.run(x)["y"], expected["y"], rtol=1e-4, atol=1e-5)


def test_a_profile_counts_layers_of_all_shapes() -> None:
    with ann.load(ATTENTION, ["CpuRef"], bounds={"sequence": 8}) as loaded:
        with loaded.profile() as profile:
            for size in (1, 2, 8):
                loaded.run(rows(size))
        assert "3 runs" in str(profile)


# ---- Falling back ---------------------------------------------------------------------------


class Half(PythonBackend):
    """Abs whose kernel takes bounded shapes, Sqrt whose kernel does not."""

    id = "Half"

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, bounded=True, operation=ann.UnaryOperation.ABS)
    def abs(self, call: KernelCall) -> Array:
        return np.abs(call.inputs[0])

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, operation=ann.UnaryOperation.SQRT)
    def sqrt(self, call: KernelCall) -> Array:
        return np.sqrt(call.inputs[0])


def unary(*operations: ann.UnaryOperation) -> ann.Network:
    def layers(network: ann.Network, x: Any) -> Any:
        for operation in operations:
            x = network.add_elementwise_unary(x, operation, name=operation.name.lower())
        return x

    return one(layers)


def test_kernels_in_python() -> None:
    with ann.Runtime(python_backends=[Half()]) as runtime:
        net = unary(ann.UnaryOperation.ABS, ann.UnaryOperation.NEG)
        with ann.load(net, ["Half", "CpuRef"], runtime=runtime, bounds={"sequence": 6}) as loaded:
            assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
            assert loaded.assignment.counts == {"Half": 1, "CpuRef": 1}
            for size in (6, 1, 0, 4):
                x = rows(size)
                assert np.array_equal(loaded.run(x)["y"], -np.abs(x))
            assert len(loaded._pool.plans) == 1


def test_a_backend_that_needs_all_shapes() -> None:
    with ann.Runtime(python_backends=[Half()]) as runtime:
        net = unary(ann.UnaryOperation.ABS, ann.UnaryOperation.SQRT)
        with pytest.warns(ann.ArmnnWarning, match="a plan of its own") as caught:
            loaded = ann.load(net, ["Half"], runtime=runtime, bounds={"sequence": 6})
        with loaded:
            reason = (
                "layer 'sqrt' (ElementwiseUnary): backend 'Half' refuses bounded shapes: "
                "kernel 'sqrt' needs to know all shapes"
            )
            assert not loaded.bounded_shapes
            assert loaded.bounded_shapes.bounds == {"sequence": 6}
            assert loaded.bounded_shapes.reasons == (reason,)
            assert reason in str(caught[0].message)
            assert "hint: backends=['CpuRef'] takes sizes" in str(caught[0].message)
            assert caught[0].filename == __file__
            for size in (2, 3):
                x = rows(size)
                assert np.array_equal(loaded.run(x)["y"], np.sqrt(np.abs(x)))
            assert len(loaded._pool.plans) == 2
            with pytest.raises(ann.InvalidArgumentError, match="is 7, above its bound 6"):
                loaded.run(rows(7))


@pytest.mark.parametrize("bounds", [{"sequence": 1}, {"x": (1, 8)}])
def test_a_bound_of_one(bounds: Any) -> None:
    """A program may compute its bounds: 1 is one of them."""
    with ann.load(one(lambda n, x: n.add_floor(x)), ["CpuRef"], bounds=bounds) as loaded:
        assert loaded.bounded_shapes
        assert np.array_equal(loaded.run(np.full((1, 8), 1.5, np.float32))["y"], np.ones((1, 8)))
        with pytest.raises(ann.InvalidArgumentError, match="is 2, above its bound 1"):
            loaded.run(np.zeros((2, 8), np.float32))
        with pytest.raises(ann.InvalidArgumentError, match="is 0, 1 expected, its bound"):
            loaded.run(np.zeros((0, 8), np.float32))


def twice(network: ann.Network, x: Any) -> Any:
    size = x.output.info.static_shape[0]
    return network.add_addition(x, np.full((size, 1), size, np.float32), name="sum")


def deeper(network: ann.Network, x: Any) -> Any:
    return network.add_floor(x) if x.output.info.static_shape[0] > 5 else x


def other(network: ann.Network, x: Any) -> Any:
    if x.output.info.static_shape[0] > 5:
        return network.add_floor(x, name="low")
    return network.add_softmax(x)


def middle(network: ann.Network, x: Any) -> Any:
    begin = x.output.info.static_shape[0] // 2
    return network.add_slice(x, (begin, 0), (1, WIDTH), name="middle")


def last(network: ann.Network, x: Any) -> Any:
    begin = x.output.info.static_shape[0] - 1
    return network.add_slice(x, (begin, 0), (1, WIDTH), name="last")


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        (twice, "layer 'sum.y' (Constant): its values depend on the sizes"),
        (deeper, "the number of layers depends on the sizes"),
        (other, "layer 'low' (Floor): another layer is in its place at other sizes"),
        (middle, "layer 'middle' (Slice): its parameters depend on the sizes"),
        (last, "layer 'last' (Slice): its parameter 'begin' depends on the sizes"),
        (
            lambda n, x: x,
            "an output of the network is an input, or another output: it is copied",
        ),
    ],
)
def test_layers_that_depend_on_the_sizes(layers: Callable[..., Any], reason: str) -> None:
    network = one(layers)
    with (
        ann.load(network, ["CpuRef"], bounds={"sequence": 10}) as loaded,
        ann.load(network, ["CpuRef"]) as single,
    ):
        assert not loaded.bounded_shapes
        assert loaded.bounded_shapes.reasons[0] == reason
        for size in (10, 3):
            x = rows(size)
            assert np.array_equal(loaded.run(x)["y"], single.run(x)["y"])


def test_two_sizes_that_meet_in_a_layer_need_two_bounds() -> None:
    info = ann.TensorInfo((None, None), dimension_names=("a", "b"))
    network = of(
        one_transpose,
        {"x": info},
    )
    with ann.load(network, ["CpuRef"], bounds={"a": 6, "b": 6}) as loaded:
        assert "two sizes have the bound 6" in loaded.bounded_shapes.reasons[0]
    with ann.load(network, ["CpuRef"], bounds={"a": 6, "b": 7}) as loaded:
        assert loaded.bounded_shapes
        x = rows(2, 5)
        assert np.array_equal(loaded.run(x)["y"], x.T)


def one_transpose(infos: Infos) -> ann.Network:
    network = ann.Network("transpose")
    x = network.add_transpose(network.add_input("x", infos["x"]), (1, 0))
    network.add_output("y", x)
    return network


def test_smaller_sizes_that_the_network_does_not_take() -> None:
    def halves(network: ann.Network, x: Any) -> Any:
        size = x.output.info.static_shape[0]
        return network.add_reshape(x, (size // 2, 2 * WIDTH))

    with ann.load(one(halves), ["CpuRef"], bounds={"sequence": 8}) as loaded:
        assert "cannot be made for smaller sizes (x 7x8)" in loaded.bounded_shapes.reasons[0]
        assert loaded.run(rows(6))["y"].shape == (3, 16)


def test_windows_that_need_larger_images() -> None:
    """The sizes that are tried go down to 2; a Reshape takes what is left, whatever that is."""

    def windows(network: ann.Network, x: Any) -> Any:
        image = network.add_reshape(x, (1, x.output.info.static_shape[0], WIDTH, 1))
        y = network.add_pooling2d(image, ann.PoolingAlgorithm.MAX, (4, 2), stride=(3, 2))
        return network.add_reshape(y, (y.output.info.element_count,))

    with (
        ann.load(one(windows), ["CpuRef"], bounds={"sequence": 20}) as loaded,
        ann.load(one(windows), ["CpuRef"]) as single,
    ):
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        for size in (20, 5, 4, 13):
            x = rows(size)
            assert np.array_equal(loaded.run(x)["y"], single.run(x)["y"])
        with pytest.raises(ann.LayerValidationError, match="pooling2d_1"):
            loaded.run(rows(2))
        assert np.array_equal(loaded.run(rows(9) * 0)["y"], np.zeros(8))
    with ann.load(one(windows), ["CpuRef"], bounds={"sequence": 4}) as loaded:
        assert "cannot be made for smaller sizes" in loaded.bounded_shapes.reasons[0]


def test_layers_that_show_their_tensors() -> None:
    options = ann.OptimizerOptions(debug=True)
    net = one(lambda n, x: n.add_floor(x))
    with ann.load(net, ["CpuRef"], options=options, bounds={"sequence": 4}) as loaded:
        assert "Debug layers show tensors of fixed shapes" in loaded.bounded_shapes.reasons[0]
        assert np.array_equal(loaded.run(np.full((2, 8), 1.5, np.float32))["y"], np.ones((2, 8)))


# ---- Wrong use ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"sequence": 0}, "bounds: 'sequence' is 0, an int of at least 1 expected"),
        ({"sequence": True}, "bounds: 'sequence' is True, an int of at least 1"),
        ({"length": 8}, "bounds: no free dimension is called 'length'"),
        ({"y": (8, 8)}, "bounds: the network has no input 'y'"),
        ({"x": (8,)}, "bounds of input 'x': 1 dimensions given, 2 expected"),
        ({"x": (8, 9)}, "bounds of input 'x': dimension 1 is 9, but it is always 8"),
        ({"x": (0, 8)}, "bounds: 'x[0]' is 0, an int of at least 1 expected"),
        ({"x": (8, 8), "sequence": 9}, "bounds: 'sequence' is given as 9 and as 8"),
        ({}, "bounds: none for dimension 'sequence'"),
        (8, "bounds: int given, a mapping of names to numbers expected"),
        ({"sequence": "8"}, "bounds: the network has no input 'sequence'"),
    ],
)
def test_bounds_that_do_not_fit(bounds: Any, words: str) -> None:
    with pytest.raises(ann.InvalidArgumentError) as raised:
        ann.load(one(lambda n, x: n.add_floor(x)), ["CpuRef"], bounds=bounds)
    assert words in raised.value.message


def test_bounds_where_nothing_is_free() -> None:
    network = ann.Network("fixed")
    network.add_output("y", network.add_floor(network.add_input("x", ann.TensorInfo((2,)))))
    with pytest.raises(ann.InvalidArgumentError, match="bounds given, but no dimension is free"):
        ann.load(network, ["CpuRef"], bounds={"x": (2,)})
    with ann.load(network, ["CpuRef"]) as loaded:
        assert loaded.bounded_shapes.reasons == ("all shapes are known",)


def test_an_input_above_its_bound() -> None:
    with ann.load(ATTENTION, ["CpuRef"], bounds={"sequence": 8}) as loaded:
        with pytest.raises(ann.InvalidArgumentError) as raised:
            loaded.run(rows(9))
        assert raised.value.message == "input 'x': dimension 0 is 9, above its bound 8"
        assert raised.value.hints == ("load(..., bounds=...) with at least 9 for 'sequence'",)
        with pytest.raises(ann.InvalidArgumentError, match="above its bound"):
            loaded.bind(rows(9))
        loaded.run(rows(8))


def test_dimensions_of_one_name_have_one_size() -> None:
    def build(infos: Infos) -> ann.Network:
        network = ann.Network("two")
        x, z = (network.add_input(name, infos[name]) for name in ("x", "z"))
        network.add_output("y", network.add_addition(x, z))
        return network

    with ann.load(
        of(build, {"x": SEQUENCE, "z": SEQUENCE}), ["CpuRef"], bounds={"sequence": 8}
    ) as loaded:
        with pytest.raises(ann.InvalidArgumentError) as raised:
            loaded.run({"x": rows(1), "z": rows(2)})
        assert "input 'z': dimension 0 ('sequence') is 2, 1 expected" in raised.value.message
        x = rows(2)
        assert np.array_equal(loaded.run({"x": x, "z": x})["y"], x + x)


def test_a_dimension_without_a_name() -> None:
    info = ann.TensorInfo((None, WIDTH))
    network = of(attention, {"x": info}, ("y", "weights"))
    with ann.load(network, ["CpuRef"], bounds={"x": (16, None)}) as loaded:
        assert loaded.bounded_shapes.bounds == {"x[0]": 16}
        assert loaded.run(rows(3))["weights"].shape == (3, 3)
    with ann.Runtime() as runtime:
        optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
        with runtime.load_network(optimized, bounds={"x": (np.int64(16), None)}) as loaded:
            assert loaded.bounded_shapes
