# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers in the layout that their backend wants: the same numbers, and how many Transposes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.placing.placement import PlacementRule
from armnn_py.python_backend import Part
from armnn_py.types.facts import FACTS

from .picky import Picky, transposes, with_runtime

NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
NCDHW, NDHWC = ann.DataLayout.NCDHW, ann.DataLayout.NDHWC
RELU, SIGMOID = ann.ActivationFunction.RELU, ann.ActivationFunction.SIGMOID
MAX = ann.PoolingAlgorithm.MAX
HOST = [ann.LayerType.INPUT, ann.LayerType.CONSTANT, ann.LayerType.OUTPUT]


@pytest.fixture
def picky() -> Picky:
    return Picky(NHWC, NDHWC)


@pytest.fixture
def runtime(picky: Picky) -> Iterator[ann.Runtime]:
    yield from with_runtime(picky)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def convolution(network: ann.Network, x: Any, channels: int, seed: int = 0, **settings: Any) -> Any:
    slot = x.output if isinstance(x, ann.Layer) else x
    weights = numbers(channels, slot.info.static_shape[1], 3, 3, seed=seed) / 4
    settings = {"padding": "same", "data_layout": NCHW, **settings}
    return network.add_convolution2d(x, weights, numbers(channels, seed=seed), **settings)


def same(
    runtime: ann.Runtime,
    network: ann.Network,
    backends: tuple[str, ...] = ("Picky",),
    **options: Any,
) -> ann.OptimizedNetwork:
    """The optimised network; its outputs are those that CpuRef alone computes."""
    inputs = {
        name: numbers(*info.static_shape, seed=index)
        for index, (name, info) in enumerate(network.inputs.items())
    }
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(inputs)
    optimized = ann.optimize(network, backends, runtime=runtime, validate=True, **options)
    with runtime.load_network(optimized) as net:
        assert net.inputs == network.inputs
        assert net.outputs == network.outputs
        results = net.run(inputs)
    for name, wanted in expected.items():
        scale = max(1.0, float(np.abs(wanted).max()))
        np.testing.assert_allclose(results[name], wanted, rtol=0, atol=2e-5 * scale, err_msg=name)
    return optimized


# ---- Every layer with a layout -----------------------------------------------------------------


def quiet(channels: int) -> list[np.ndarray]:
    return [numbers(channels, seed=seed) ** 2 + 0.5 for seed in range(4)]


LAYERS: dict[str, Callable[[ann.Network, Any, ann.DataLayout], Any]] = {
    "convolution": lambda n, x, o: n.add_convolution2d(
        x, numbers(*((6, 2, 3, 2) if o is NCHW else (6, 3, 2, 2))), numbers(6), stride=(2, 1),
        padding=(1, 0, 0, 1), groups=2, data_layout=o,
    ),
    "transpose convolution": lambda n, x, o: n.add_transpose_convolution2d(
        x, numbers(*((6, 4, 3, 2) if o is NCHW else (6, 3, 2, 4))), stride=2, data_layout=o
    ),
    "depthwise convolution": lambda n, x, o: n.add_depthwise_convolution2d(
        x, numbers(1, 3, 2, 8), padding="same", data_layout=o
    ),
    "pooling": lambda n, x, o: n.add_pooling2d(x, MAX, (3, 2), stride=(2, 1), data_layout=o),
    "batch normalization": lambda n, x, o: n.add_batch_normalization(x, *quiet(4), data_layout=o),
    "instance normalization": lambda n, x, o: n.add_instance_normalization(
        x, gamma=2.0, data_layout=o
    ),
    "l2 normalization": lambda n, x, o: n.add_l2_normalization(x, data_layout=o),
    "normalization": lambda n, x, o: n.add_normalization(
        x, 3, alpha=1.0, beta=0.5, k=1.0, data_layout=o
    ),
    "resize": lambda n, x, o: n.add_resize(x, (12, 7), data_layout=o),
    "depth to space": lambda n, x, o: n.add_depth_to_space(x, 2, data_layout=o),
    "space to depth": lambda n, x, o: n.add_space_to_depth(x, 2, data_layout=o),
    "space to batch": lambda n, x, o: n.add_space_to_batch_nd(
        x, (2, 2), [(0, 0), (0, 0)], data_layout=o
    ),
    "batch to space": lambda n, x, o: n.add_batch_to_space_nd(
        x, (2, 1), [(1, 0), (0, 2)], data_layout=o
    ),
}  # fmt: skip


def image(layout: ann.DataLayout) -> tuple[int, ...]:
    sizes = dict(zip("NCDHW", (2, 4, 4, 6, 8), strict=True))
    return tuple(sizes[letter] for letter in layout.name)


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_with_a_layout(name: str, layout: ann.DataLayout) -> None:
    other = NHWC if layout is NCHW else NCHW
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(image(layout)))
    network.add_output("y", LAYERS[name](network, x, layout))
    for runtime in with_runtime(Picky(other)):
        optimized = same(runtime, network, disabled_passes=["remove-identities"])
        # Of one channel a Transpose moves nothing.
        inserted = [one.type for one in optimized.assignment if one.inserted]
        assert inserted in (["Transpose"] * 2, ["Transpose", "Reshape"])
        (row,) = optimized.assignment.layers
        assert (row.backend, row.note) == ("Picky", f"in {other.name}")


@pytest.mark.parametrize("kind", ["pooling", "convolution"])
def test_volumes(runtime: ann.Runtime, kind: str) -> None:
    """CpuRef has no layers of volumes: what they became is looked at. Weights stay as they are."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(image(NCDHW)))
    if kind == "pooling":
        network.add_output("y", network.add_pooling3d(x, MAX, (2, 3, 2), data_layout=NCDHW))
    else:
        y = network.add_convolution3d(x, numbers(2, 3, 2, 4, 5), data_layout=NCDHW)
        network.add_output("y", y)
    optimized = ann.optimize(network, ["Picky"], runtime=runtime, validate=True)
    (there, layer, back) = [one for one in optimized.network.layers if one.type not in HOST]
    assert there.descriptor.mappings == (0, 2, 3, 4, 1)
    assert back.descriptor.mappings == (0, 4, 1, 2, 3)
    assert layer.descriptor.data_layout is NDHWC
    optimized.network.validate()


# ---- How many are left ---------------------------------------------------------------------------


def test_none_between_the_layers_of_a_sub_graph(runtime: ann.Runtime) -> None:
    """Residual blocks, Concat, Split, Softmax, Pad and a Mean: one Transpose at either end."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    y = network.add_activation(convolution(network, x, 8), RELU)
    for seed in range(3):
        z = network.add_activation(convolution(network, y, 8, seed), RELU)
        y = network.add_addition(y, convolution(network, z, 8, seed + 5))
    y = network.add_multiplication(y, numbers(1, 8, 1, 1))
    a, b = network.add_split(y, [3, 5], 1).outputs
    y = network.add_concat([network.add_activation(a, SIGMOID), b, y], 1)
    y = network.add_pad(y, [(0, 0), (0, 0), (1, 0), (0, 1)])
    y = network.add_prelu(y, numbers(16, 1, 1))
    y = network.add_pooling2d(y, MAX, (2, 2), stride=2, data_layout=NCHW)
    y = network.add_softmax(convolution(network, y, 6), 1)
    network.add_output("y", y)
    network.add_output("mean", network.add_mean(y, (2, 3)))
    optimized = same(runtime, network)
    assert len(transposes(optimized)) == 2
    assert set(optimized.assignment.counts) == {"Picky"}


def test_layers_of_other_backends_stay(runtime: ann.Runtime, picky: Picky) -> None:
    """A layer on CpuRef in the middle gets its operand in the user's layout."""
    picky.refused.add(ann.LayerType.L2_NORMALIZATION)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    y = network.add_activation(convolution(network, x, 4), RELU)
    y = network.add_activation(network.add_l2_normalization(y, data_layout=NCHW), SIGMOID)
    network.add_output("y", convolution(network, y, 4))
    optimized = same(runtime, network, ("Picky", "CpuRef"))
    assert len(transposes(optimized)) == 4
    assert {row.backend for row in optimized.assignment if row.type == "Transpose"} == {"Picky"}


def test_a_fork_moves_no_more_bytes_than_before(runtime: ann.Runtime) -> None:
    """Only one of three readers of a large tensor wants it otherwise."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 2, 8, 8)))
    y = network.add_activation(x, RELU)
    network.add_output("a", network.add_activation(y, SIGMOID))
    network.add_output("b", network.add_reshape(y, (128,)))
    network.add_output("c", convolution(network, y, 1, stride=2))
    optimized = same(runtime, network)
    assert len(transposes(optimized)) + optimized.assignment._inserted("Reshape") == 2


def test_a_transpose_of_one_pixel_is_a_reshape(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4, 5, 5)))
    y = network.add_pooling2d(x, ann.PoolingAlgorithm.AVERAGE, (5, 5), data_layout=NCHW)
    network.add_output("y", network.add_reshape(y, (2, 4)))
    optimized = same(runtime, network)
    assert len(transposes(optimized)) == 1


def test_transposes_of_the_model_go(runtime: ann.Runtime) -> None:
    """Exported from NHWC: what the exporter put around a convolution is not needed any more."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 8, 8, 3)))
    y = convolution(network, network.add_transpose(x, (0, 3, 1, 2)), 4)
    network.add_output("y", network.add_transpose(y, (0, 2, 3, 1)))
    assert transposes(same(runtime, network)) == []


def test_no_backend_for_transposes_no_conversion(runtime: ann.Runtime, picky: Picky) -> None:
    picky.refused.add(ann.LayerType.TRANSPOSE)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    network.add_output("y", convolution(network, x, 4, name="c"))
    with pytest.raises(ann.NoBackendForLayerError, match="in NHWC: no backend takes the Transpose"):
        ann.optimize(network, ["Picky"], runtime=runtime)
    optimized = same(runtime, network, ("Picky", "CpuRef"))
    assert optimized.assignment.of("c").backend == "Picky"
    assert {row.backend for row in optimized.assignment if row.type == "Transpose"} == {"CpuRef"}


def test_a_backend_without_preferences_is_left_alone() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    network.add_output("y", convolution(network, x, 4, name="c"))
    for runtime in with_runtime(Picky(NHWC, preferences=False)):
        optimized = same(runtime, network, ("Picky", "CpuRef"))
        assert optimized.assignment.of("c").backend == "CpuRef"
        assert transposes(optimized) == []


# ---- Weights -------------------------------------------------------------------------------------


def test_weights_that_are_computed_get_a_transpose(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    weights = network.add_input("w", ann.TensorInfo((4, 3, 3, 3)))
    network.add_output("y", network.add_convolution2d(x, weights, data_layout=NCHW))
    assert len(transposes(same(runtime, network))) == 3


def test_weights_that_two_layers_read_are_turned_once(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    weights = network.add_constant(numbers(3, 3, 3, 3), name="shared")
    y = network.add_convolution2d(x, weights, padding="same", data_layout=NCHW)
    network.add_output("y", network.add_convolution2d(y, weights, data_layout=NCHW))
    optimized = same(runtime, network)
    constants = [layer for layer in optimized.network.layers if layer.type.name == "CONSTANT"]
    assert [layer.output.info.shape for layer in constants] == [(3, 3, 3, 3)]
    np.testing.assert_array_equal(
        constants[0].value,
        numbers(3, 3, 3, 3).transpose(0, 2, 3, 1),  # type: ignore[attr-defined]
    )


def test_scales_along_an_axis_of_weights_go_with_it(picky: Picky) -> None:
    """CpuRef computes in float32: the layer that came of it is looked at."""
    scales = ann.QuantizationInfo([0.5, 0.25, 0.125], axis=0)
    for runtime in with_runtime(Picky(NHWC)):
        network = ann.Network()
        quantized = ann.TensorInfo((1, 2, 4, 4), ann.DataType.QASYMM_S8, ann.QuantizationInfo(0.5))
        x = network.add_input("x", quantized)
        weights = network.add_constant(
            np.ones((3, 2, 1, 1), np.int8),
            info=ann.TensorInfo((3, 2, 1, 1), ann.DataType.QSYMM_S8, scales),
        )
        made = ann.TensorInfo((1, 3, 4, 4), ann.DataType.QASYMM_S8, ann.QuantizationInfo(0.5))
        y = network.add_convolution2d(x, weights, data_layout=NCHW, output_info=made)
        network.add_output("y", y)
        optimized = ann.optimize(network, ["Picky"], runtime=runtime, validate=True)
    (layer,) = [one for one in optimized.network.layers if one.type.name == "CONVOLUTION2D"]
    info = layer.inputs[1].info  # type: ignore[union-attr]
    assert info.shape == (3, 1, 1, 2)
    assert info.quantization == scales


# ---- Beside the other ways of the optimiser --------------------------------------------------


def test_a_converted_layer_stands_for_the_users(runtime: ann.Runtime, picky: Picky) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    y = convolution(network, x, 4, name="first")
    network.add_output("y", convolution(network, network.add_activation(y, RELU), 4, name="last"))
    guids = {layer.name: layer.guid for layer in network.layers}
    optimized = ann.optimize(network, ["Picky"], runtime=runtime)
    with runtime.load_network(optimized) as net, net.profile() as profile:
        net.run(numbers(1, 3, 8, 8))
    names = [row.layer for row in profile.layers]
    assert names == ["NHWC of x", "first", "activation_1", "last", "NCHW of last"]
    told = {name: picky.guids[name] for name in names if name in guids}
    assert told == {name: guids[name] for name in ("first", "activation_1", "last")}
    assert all(picky.guids[name] >= 2**32 for name in names if name not in guids)
    (record,) = [one for one in optimized.passes if one.name == "preferred-layouts"]
    assert record.changes == ("2 layers on Picky converted to NHWC; 2 Transposes inserted in all",)


def test_float16_runs_in_float32_in_the_layout(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8), ann.DataType.FLOAT16))
    weights = numbers(4, 3, 3, 3).astype(np.float16)
    y = network.add_convolution2d(x, weights, data_layout=NCHW, name="c")
    network.add_output("y", y)
    optimized = ann.optimize(network, ["Picky", "CpuRef"], runtime=runtime, validate=True)
    row = optimized.assignment.of("c")
    assert row.backend == "Picky"
    assert row.note == "in NHWC; in float32 between conversions: Picky: no float16"
    types = [one.type.name for one in optimized.network.layers if one.type not in HOST]
    assert sorted(types) == ["CAST", "CAST", "CONVOLUTION2D", "TRANSPOSE", "TRANSPOSE"]


class Regretful(Picky):
    """Takes layers, and gives all of them back when it sees them together."""

    id = "Regretful"

    def optimize(self, part: Part) -> None:
        part.fail(range(len(part.layers)), "not together")


def test_a_layer_that_is_given_back_gets_the_users_layout_again() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    y = network.add_activation(convolution(network, x, 4, name="a"), RELU)
    network.add_output("y", convolution(network, y, 4, name="b"))
    for runtime in with_runtime(Regretful(NHWC), Picky(NCHW, preferences=False)):
        optimized = same(runtime, network, ("Regretful", "Picky"))
    assert optimized.assignment.counts == {"Picky": 3}
    assert transposes(optimized) == ["NHWC of a", "NCHW of activation_1"]  # for the activation
    assert [optimized.assignment.of(name).note for name in "ab"] == ["", ""]


@pytest.mark.parametrize("order", [("Picky", "CpuRef"), ("CpuRef", "Picky")])
@pytest.mark.parametrize("fastest", ["Picky", "CpuRef"])
def test_measured_times_decide_between_layouts(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    order: tuple[str, str],
    fastest: str,
) -> None:
    """A backend that refuses the layers as they are is timed like any other."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 8, 8)))
    network.add_output("y", convolution(network, convolution(network, x, 4), 4))

    def measure(
        _runtime: ann.Runtime, measured: ann.Network, _ids: Any, options: ann.OptimizerOptions
    ) -> float:
        used = options.placement.rules if options.placement else ()
        return 1e-6 + sum(1e-3 if rule.backends == (fastest,) else 1.0 for rule in used)

    monkeypatch.setattr(ann.Runtime, "measure", measure)
    optimized = same(runtime, network, order, strategy="measure", measure_cache=None)
    assert optimized.assignment.counts == {fastest: 2}
    assert len(transposes(optimized)) == (2 if fastest == "Picky" else 0)


# ---- Many networks -----------------------------------------------------------------------------


class _Grower:
    """A small network of images in NCHW: forks, joins, layers of every kind."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.network = ann.Network()
        self.pool: list[Any] = [
            self.network.add_input(f"x{index}", ann.TensorInfo((1, channels, 6, 6))).output
            for index, channels in enumerate((3, 4))
        ]
        for _ in range(18):
            self.grow()
        unread = [slot for slot in self.pool if not slot.consumers]
        for index, slot in enumerate([*unread, self.pool[len(self.pool) // 2]]):
            self.network.add_output(f"y{index}", slot)

    def grow(self) -> None:
        network, x = (
            self.network,
            self.pool[-1 - min(self.random.geometric(0.4) - 1, 2) % len(self.pool)],
        )
        shape = x.info.static_shape
        backend = str(self.random.choice(["Picky", "Picky", "CpuRef", "Other"]))
        before = len(network.layers)
        match self.random.integers(11):
            case 0 | 1 | 2:
                y = convolution(network, x, int(self.random.integers(2, 6)), before)
            case 3:
                y = network.add_pooling2d(x, MAX, (3, 3), stride=1, padding=1, data_layout=NCHW)
            case 4:
                y = network.add_activation(x, RELU)
            case 5:
                alike = [slot for slot in self.pool if slot.info.shape == shape]
                y = network.add_addition(x, alike[self.random.integers(len(alike))])
            case 6:
                rest = [s for s in self.pool if s.info.shape[0] == 1 and s.info.rank == 4]
                y = network.add_concat([x, rest[self.random.integers(len(rest))]], 1)
            case 7:
                y = network.add_multiplication(x, numbers(shape[1], 1, 1, seed=before))
            case 8:
                gate = network.add_mean(x, (2, 3), keep_dims=True)
                y = network.add_multiplication(x, network.add_activation(gate, SIGMOID))
            case 9:
                y = network.add_softmax(x, 1)
            case _:
                y = network.add_batch_normalization(x, *quiet(shape[1]), data_layout=NCHW)
        self.pool.append(y.output)
        self.rules = getattr(self, "rules", [])
        self.rules += [
            (layer.name, backend) for layer in network.layers[before:] if layer.type not in HOST
        ]


def moved_bytes(optimized: ann.OptimizedNetwork) -> int:
    return sum(
        layer.output.info.byte_size
        for layer in optimized.network.layers
        if layer.type is ann.LayerType.TRANSPOSE
    )


@pytest.mark.parametrize("seed", range(30))
def test_random_networks(seed: int) -> None:
    """Layers at random on two backends of opposite preferences, and on one without any."""
    grower = _Grower(seed)
    network = grower.network
    other = type("Other", (Picky,), {"id": "Other"})(NCHW, NHWC)
    rules = [PlacementRule(backend, name, strict=False) for name, backend in grower.rules]
    for runtime in with_runtime(Picky(NHWC), other):
        whole = same(runtime, network)
        mixed = same(runtime, network, ("CpuRef",), placement=rules)
    for optimized in (whole, mixed):
        alone = 0  # if each converted layer had two Transposes of its own
        for layer in optimized.network.layers:
            if FACTS[layer.type].laid_out_operands and layer.descriptor.data_layout is NHWC:
                read = layer.inputs[0]
                assert read is not None
                alone += read.info.byte_size + layer.output.info.byte_size
        assert moved_bytes(optimized) <= alone
