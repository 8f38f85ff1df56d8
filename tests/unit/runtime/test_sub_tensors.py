# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Concat, Splitter and Reshape that are not steps, and bytes that are never overwritten."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armnn_py as ann
from armnn_py._native import abi
from armnn_py.runtime.contexts import plan_choice
from armnn_py.runtime.plan import network_plan
from armnn_py.runtime.plan.network_plan import NetworkPlan
from armnn_py.runtime.plan.plan_build import Build, BuildMemory, PlannedTensor, plan_memory
from armnn_py.runtime.plan.sub_tensors import is_candidate

NEG = ann.UnaryOperation.NEG
RELU = ann.ActivationFunction.RELU


def load(network: ann.Network) -> ann.LoadedNetwork:
    return ann.load(network, ["CpuRef"])


def joined(shapes: list[tuple[int, ...]], axis: int, read_again: bool = False) -> ann.Network:
    """neg(concat(neg(x0), neg(x1), ...)); the first part perhaps also by itself."""
    network = ann.Network()
    parts = [
        network.add_elementwise_unary(network.add_input(f"x{i}", ann.TensorInfo(shape)), NEG)
        for i, shape in enumerate(shapes)
    ]
    whole = network.add_concat(parts, axis, name="join")
    network.add_output("y", network.add_elementwise_unary(whole, NEG))
    if read_again:
        network.add_output("z", network.add_elementwise_unary(parts[0], NEG))
    return network


def arrays(network: ann.Network, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(size=info.static_shape).astype(np.float32)
        for name, info in network.inputs.items()
    }


@pytest.mark.parametrize(
    ("shapes", "axis", "elided"),
    [
        ([(2, 3), (1, 3)], 0, True),
        ([(1, 2, 3), (1, 5, 3)], 1, True),
        ([(1, 1, 4), (1, 1, 4)], 2, True),
        ([(2, 2), (2, 3)], 1, False),
        ([(1, 2, 3), (1, 2, 1)], 2, False),
    ],
)
@pytest.mark.parametrize("read_again", [False, True])
def test_joined_along_the_outermost_axis(
    shapes: list[tuple[int, ...]], axis: int, elided: bool, read_again: bool
) -> None:
    network = joined(shapes, axis, read_again)
    inputs = arrays(network)
    with load(network) as net:
        with net.profile() as profile:
            outputs = net.run(inputs)
        assert net.elided == (("join",) if elided else ())
        assert ("Concat" in [layer.type for layer in profile.layers]) is not elided
    np.testing.assert_array_equal(outputs["y"], np.concatenate(list(inputs.values()), axis))
    if read_again:
        np.testing.assert_array_equal(outputs["z"], inputs["x0"])


def test_inputs_and_constants_stay_where_they_are() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 2)))
    y = network.add_elementwise_unary(x, NEG)
    ones = network.add_constant(np.ones((1, 2), np.float32))
    first = network.add_concat([x, y], 0)
    second = network.add_concat([y, ones], 0)
    third = network.add_concat([y, y], 0)
    fourth = network.add_concat([y, network.add_activation(y, RELU)], 0, name="fourth")
    for i, layer in enumerate((first, second, third)):
        network.add_output(f"y{i}", network.add_elementwise_unary(layer, NEG))
    network.add_output("y3", fourth)
    value = np.float32([[1, -2], [3, 4]])
    with load(network) as net:
        outputs = net.run(value)
        assert net.elided == ("fourth",)
    np.testing.assert_array_equal(outputs["y0"], [[-1, 2], [-3, -4], [1, -2], [3, 4]])
    np.testing.assert_array_equal(outputs["y1"], [[1, -2], [3, 4], [-1, -1]])
    np.testing.assert_array_equal(outputs["y2"], [[1, -2], [3, 4], [1, -2], [3, 4]])
    np.testing.assert_array_equal(outputs["y3"], [[-1, 2], [-3, -4], [0, 2], [0, 0]])


@pytest.mark.parametrize(("scale", "is_part"), [(0.5, True), (0.25, False)])
def test_parts_that_count_differently_are_converted(scale: float, is_part: bool) -> None:
    network = ann.Network()
    inputs = [
        network.add_input(
            f"x{i}", ann.TensorInfo((1, 4), ann.DataType.QASYMM_S8, ann.QuantizationInfo(other, 0))
        )
        for i, other in enumerate((0.5, scale))
    ]
    assert is_candidate(network.add_concat(inputs, 0)) is is_part


def test_a_part_that_steps_want_aligned_is_copied(needs_runtime: ann.Runtime) -> None:
    """The backend "Needs" wants tensors aligned; 12 bytes are no multiple of that."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    y = network.add_elementwise_unary(x, NEG, backend="CpuRef")
    parts = network.add_split(y, [1, 1], 0, name="cut", backend="CpuRef")
    for i in range(2):
        twice = network.add_addition(parts.outputs[i], parts.outputs[i], backend="Needs")
        network.add_output(f"y{i}", twice)
    value = np.arange(6, dtype=np.float32).reshape(2, 3)
    with ann.load(network, ["Needs", "CpuRef"], runtime=needs_runtime) as net:
        outputs = net.run(value)
        assert {row.backend for row in net.assignment} == {"CpuRef", "Needs"}
        assert net.elided == ()
    np.testing.assert_array_equal(np.concatenate([outputs["y0"], outputs["y1"]]), -2 * value)


def at(offset: int, value: np.ndarray) -> np.ndarray:
    """A copy of ``value`` that begins ``offset`` bytes behind a multiple of 64."""
    raw = np.zeros(value.nbytes + 192, np.uint8)
    begin = -raw.ctypes.data % 64 + offset
    copy = raw[begin : begin + value.nbytes].view(value.dtype).reshape(value.shape)
    copy[...] = value
    return copy


def between_callers() -> ann.Network:
    """The halves of an input, each worked on, the other way round in an output; reshaped, too."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 6)))
    upper, lower = network.add_split(x, [1, 3], 0, name="cut").outputs
    whole = network.add_concat(
        [network.add_elementwise_unary(lower, NEG), network.add_activation(upper, RELU)],
        0,
        name="join",
    )
    network.add_output("y", whole)
    tall = network.add_reshape(network.add_input("u", ann.TensorInfo((2, 6))), (6, 2), name="tall")
    twice = network.add_addition(tall, tall)
    network.add_output("v", network.add_reshape(twice, (3, 4), name="wide"))
    return network


@pytest.mark.parametrize("offset", [0, 4, 16])
def test_parts_lie_in_arrays_of_the_caller(offset: int) -> None:
    rng = np.random.default_rng(0)
    with load(between_callers()) as net:
        assert sorted(net.elided) == ["cut", "join", "tall", "wide"]
        for _ in range(3):
            x, u = (
                at(offset, rng.normal(size=shape).astype(np.float32)) for shape in ((4, 6), (2, 6))
            )
            y, v = (at(offset, np.zeros(shape, np.float32)) for shape in ((4, 6), (3, 4)))
            kept = x.copy()
            with net.profile() as profile:
                net.run({"x": x, "u": u}, out={"y": y, "v": v})
            assert {layer.type for layer in profile.layers} == {
                "ElementwiseUnary",
                "Activation",
                "Addition",
            }
            np.testing.assert_array_equal(x, kept)
            np.testing.assert_array_equal(y, np.concatenate([-x[1:], np.maximum(x[:1], 0)]))
            np.testing.assert_array_equal(v, (2 * u).reshape(3, 4))
        with net.bind() as bound, net.profile() as profile:
            bound.inputs["x"][...] = kept
            np.testing.assert_array_equal(bound.run()["y"], y)
        assert profile.copies == 0


def test_parts_of_staged_arrays_for_readers_that_want_more(needs_runtime: ann.Runtime) -> None:
    """The backend "Needs" wants 64 bytes; the caller's arrays are aligned to 4."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 16)))
    parts = network.add_split(x, 4, 0, name="cut", backend="CpuRef").outputs
    sums = [network.add_addition(part, part, backend="Needs") for part in parts]
    network.add_output("y", network.add_concat(sums[::-1], 0, name="join", backend="CpuRef"))
    value = np.random.default_rng(0).normal(size=(4, 16)).astype(np.float32)
    with ann.load(network, ["Needs", "CpuRef"], runtime=needs_runtime) as net:
        assert net.elided == ("cut", "join")
        for offset in (0, 4, 0):
            y = at(offset, np.zeros_like(value))
            with net.profile() as profile:
                net.run(at(offset, value), out={"y": y})
            np.testing.assert_array_equal(y, 2 * value[::-1])
            assert profile.copies == (2 if offset else 0)


# ---- Random trees ----------------------------------------------------------------------------


@st.composite
def trees(draw: st.DrawFn) -> ann.Network:
    """Concats of concats, splits of concats and layers that may work in place, of rows of 3."""
    network = ann.Network()
    rows = [draw(st.integers(1, 4)) for _ in range(draw(st.integers(1, 3)))]
    values = [
        network.add_input(f"x{i}", ann.TensorInfo((1, n, 3))).outputs[0] for i, n in enumerate(rows)
    ]
    values += [network.add_elementwise_unary(value, NEG).outputs[0] for value in values]
    for _ in range(draw(st.integers(1, 10))):
        kind = draw(st.sampled_from(["concat", "split", "relu", "add", "deep", "reshape"]))
        source = values[draw(st.integers(0, len(values) - 1))]
        height = source.info.static_shape[1]
        if kind == "concat" and height < 20:
            others = draw(st.lists(st.sampled_from(values), max_size=2))
            values += network.add_concat([source, *others], 1).outputs
        elif kind == "split" and height > 1:
            at = draw(st.integers(1, height - 1))
            values += network.add_split(source, [at, height - at], 1).outputs
        elif kind == "add":
            values += network.add_addition(source, source).outputs
        elif kind == "reshape":
            flat = network.add_reshape(source, (1, 3 * height))
            if draw(st.booleans()):
                flat = network.add_activation(flat, RELU)
            values += network.add_reshape(flat, (1, height, 3)).outputs
        elif kind == "deep":
            values += network.add_elementwise_unary(
                network.add_elementwise_unary(source, NEG), NEG
            ).outputs
        else:
            values += network.add_activation(source, RELU).outputs
    for i, value in enumerate(values):
        if i >= 2 * len(rows) and draw(st.booleans()):
            network.add_output(f"y{i}", value)
    network.add_output("last", network.add_elementwise_unary(values[-1], NEG))
    return network


def check_places(build: Build, memory: BuildMemory) -> None:
    """Follow every byte of the arena: what a step reads must be what its writer put there.

    Parts are told from their tensors by the layers, not by the places: each byte of a tensor has
    the name of the tensor that a step wrote last.
    """
    content: dict[int, tuple[int, int]] = {}  # byte of the arena -> writer's tensor, byte in it

    def origin(tensor: PlannedTensor) -> int:
        return memory.offsets[tensor.record] + tensor.location[1]

    def arena(number: int) -> bool:
        return (
            number != abi.ARMNN_PLAN_NONE
            and build.tensors[number].kind == abi.ARMNN_PLAN_TENSOR_ARENA
            and not build.tensors[number].is_foreign
        )

    snapshots: dict[int, list[tuple[int, int] | None]] = {}
    for step in build.steps:
        for number in filter(arena, step.inputs):
            tensor = build.tensors[number]
            begin = origin(tensor)
            assert begin + tensor.size <= memory.size
            now = [content.get(begin + i) for i in range(tensor.size)]
            assert None not in now, "a byte is read that was not written"
            # The first reader sees what the writers left; later readers must see the same.
            assert snapshots.setdefault(number, now) == now, "overwritten before its last reader"
            if tensor.parent is None and tensor.first >= 0:
                assert now == [(number, i) for i in range(tensor.size)]
        for number in filter(arena, step.outputs):
            tensor = build.tensors[number]
            for i in range(tensor.size):
                content[origin(tensor) + i] = (number, i)


@given(trees(), st.integers(0, 1000))
@settings(max_examples=60)
def test_random_trees(network: ann.Network, seed: int) -> None:
    inputs = arrays(network, seed)
    seen: list[int] = []

    def checked(build: Build) -> BuildMemory:
        memory = plan_memory(build)
        check_places(build, memory)
        seen.append(memory.size)
        return memory

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_plan, "plan_memory", checked)
        with load(network) as net:
            outputs = net.run(inputs)
        every_layer = functools.partial(NetworkPlan, sub_tensors=False)
        patch.setattr(plan_choice, "NetworkPlan", every_layer)
        with load(network) as net:
            expected = net.run(inputs)
            assert net.elided == ()
    assert len(seen) == 2
    for name in expected:
        np.testing.assert_array_equal(outputs[name], expected[name])


def test_chains_of_parts_go_to_one_place() -> None:
    """Concat of a concat, cut again: one whole, no layer that moves anything."""
    network = ann.Network()
    x = [network.add_input(f"x{i}", ann.TensorInfo((1, 3))) for i in range(3)]
    a, b, c = (network.add_elementwise_unary(value, NEG) for value in x)
    inner = network.add_concat([a, b], 0, name="inner")
    outer = network.add_concat([inner, c], 0, name="outer")
    cut = network.add_split(outer, [2, 1], 0, name="cut")
    for i, slot in enumerate(cut.outputs):
        network.add_output(f"y{i}", network.add_elementwise_unary(slot, NEG))
    inputs = arrays(network)
    with load(network) as net:
        outputs = net.run(inputs)
        assert sorted(net.elided) == ["cut", "inner", "outer"]
    everything = np.concatenate(list(inputs.values()))
    for got, want in itertools.zip_longest(outputs.values(), (everything[:2], everything[2:])):
        np.testing.assert_array_equal(got, want)


def test_no_layer_works_in_place_before_later_reads_of_parts() -> None:
    network = ann.Network()
    x = [network.add_input(f"x{i}", ann.TensorInfo((1, 3))) for i in range(2)]
    parts = [network.add_elementwise_unary(value, NEG) for value in x]
    whole = network.add_concat(parts, 0, name="join")
    relu = network.add_activation(whole, RELU)  # its last reader
    network.add_output("y", network.add_activation(relu, RELU))
    network.add_output("z", network.add_elementwise_unary(parts[0], NEG))
    inputs = {f"x{i}": np.float32([[1, -2, 3]]) for i in range(2)}
    with load(network) as net:
        outputs = net.run(inputs)
        assert net.elided == ("join",)
    np.testing.assert_array_equal(outputs["y"], [[0, 2, 0], [0, 2, 0]])
    np.testing.assert_array_equal(outputs["z"], inputs["x0"])


def test_reshape_keeps_the_bytes() -> None:
    """Also where the bytes have their place from a Concat behind the Reshape."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 6)))
    y = network.add_elementwise_unary(x, NEG)
    tall = network.add_reshape(y, (4, 3), name="tall")
    tall = network.add_activation(tall, RELU)  # in place: nobody reads the others any more
    square = network.add_reshape(tall, (1, 2, 6), name="square")
    whole = network.add_concat(
        [square, network.add_reshape(network.add_elementwise_unary(x, NEG), (1, 2, 6), name="r")],
        0,
        name="join",
    )
    network.add_output("y", network.add_elementwise_unary(whole, NEG))
    value = np.random.default_rng(0).normal(size=(2, 6)).astype(np.float32)
    with load(network) as net:
        outputs = net.run(value)
        assert net.elided == ("tall", "square", "r", "join")
    expected = np.stack([-np.maximum(-value, 0), value])
    np.testing.assert_array_equal(outputs["y"], expected)


def test_a_chain_of_shapes_needs_one_place() -> None:
    network = ann.Network()
    value = network.add_input("x", ann.TensorInfo((8, 64)))
    value = network.add_elementwise_unary(value, NEG)
    for shape in ((64, 8), (512,), (1, 8, 64), (8, 64)):
        value = network.add_activation(network.add_reshape(value, shape), RELU)
    network.add_output("y", network.add_elementwise_unary(value, NEG))
    x = np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)
    with load(network) as net:
        assert len(net.elided) == 4
        np.testing.assert_array_equal(net.run(x)["y"], -np.maximum(-x, 0))
        assert net.arena_size == x.nbytes
