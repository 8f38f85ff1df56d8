# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building, copying, pickling and checking networks."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from armnn_py.errors import (
    GraphValidationError,
    InvalidArgumentError,
    LayerValidationError,
    UnknownNameError,
)
from armnn_py.network import ConstantLayer, Network
from armnn_py.tensors import TensorInfo
from armnn_py.types import ActivationFunction, DataType, LayerType, PoolingAlgorithm

RELU = ActivationFunction.RELU


def small_network() -> Network:
    network = Network("small")
    x = network.add_input("image", TensorInfo((1, 8, 8, 3)))
    weights = np.arange(4 * 3 * 3 * 3, dtype=np.float32).reshape(4, 3, 3, 3)
    y = network.add_convolution2d(x, weights, np.ones(4, np.float32), name="conv", backend="Npu")
    parts = network.add_split(network.add_activation(y, RELU), 2, -1)
    z = network.add_addition(parts.outputs[0], parts.outputs[1])
    network.add_output("sum", z)
    network.add_output("half", parts.outputs[1])
    return network


def described(network):
    """Return everything a network says about itself."""
    return [
        (
            layer.guid,
            layer.name,
            layer.type,
            layer.descriptor,
            [None if slot is None else (slot.layer.name, slot.index) for slot in layer.inputs],
            [slot.info for slot in layer.outputs],
            [[(one.name, i) for one, i in slot.consumers] for slot in layer.outputs],
            layer.backend_hint,
            layer.value.tobytes() if isinstance(layer, ConstantLayer) else None,
        )
        for layer in network.layers
    ]


def double(infos):
    """Build the network of a model with free dimensions."""
    network = Network("built")
    x = network.add_input("x", infos["x"])
    network.add_output("y", network.add_addition(x, x))
    return network


def dynamic_network() -> Network:
    free = TensorInfo((None, 3, None))
    return Network.from_builder("model", {"x": free}, double, {"y": free})


def test_a_network_tells_of_itself():
    network = small_network()
    assert list(network.inputs) == ["image"]
    assert network.outputs == {"sum": TensorInfo((1, 6, 6, 2)), "half": TensorInfo((1, 6, 6, 2))}
    assert [layer.name for layer in network.output_layers] == ["sum", "half"]
    conv = network.layer("conv")
    assert [slot.layer.name for slot in conv.inputs] == ["image", "conv.weights", "conv.bias"]
    assert conv.backend_hint == "Npu"
    assert conv.output.consumers == ((network.layer("activation_1"), 0),)
    assert repr(conv) == ("<Convolution2d 'conv' 1x8x8x3, 4x3x3x3, 4 -> float32 1x6x6x4 on Npu>")
    assert repr(network) == (
        "<Network 'small' 9 layers, image 1x8x8x3 -> sum 1x6x6x2, half 1x6x6x2>"
    )
    places = {layer: place for place, layer in enumerate(network.layers)}
    for layer in network.layers:
        assert all(places[slot.layer] < places[layer] for slot in layer.inputs)
    assert network.validate() == ()


def test_summary_and_html_name_every_layer():
    network = small_network()
    network.add_output("<b>", network.layer("conv"))
    text, page = network.summary(), network._repr_html_()
    for layer in network.layers:
        if layer.type is not LayerType.CONSTANT:
            assert layer.name in text
    assert "112" in text  # 108 weights and 4 biases
    assert "<b>&lt;" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    "clone",
    [
        Network.copy,
        copy.copy,
        copy.deepcopy,
        lambda network: pickle.loads(pickle.dumps(network)),
    ],
    ids=["copy", "copy.copy", "deepcopy", "pickle"],
)
def test_copies_are_equal_and_apart(clone):
    network = small_network()
    other = clone(network)
    assert described(other) == described(network)
    assert repr(other) == repr(network)
    before = described(network)
    other.layer("conv").backend_hint = None
    other.add_output("more", other.layer("conv"))
    assert described(network) == before
    assert other.validate() == ()
    with pytest.raises(InvalidArgumentError, match="belongs to network 'small'"):
        other.add_output("foreign", network.layer("conv"))


def test_a_copy_shares_constants_and_a_pickle_keeps_them_read_only():
    network = small_network()
    weights = network.layer("conv.weights").value
    assert network.copy().layer("conv.weights").value is weights
    loaded = pickle.loads(pickle.dumps(network)).layer("conv.weights").value
    for array in (weights, loaded):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_layers_and_slots_pickle_with_their_network():
    conv = small_network().layer("conv")
    other, slot = pickle.loads(pickle.dumps((conv, conv.output)))
    assert other is other.network.layer("conv")
    assert slot is other.output
    assert repr(other) == repr(conv)


@pytest.mark.exhaustive
def test_ten_thousand_layers():
    network = Network("deep")
    y = network.add_input("x", TensorInfo((1, 4)))
    for _ in range(5_000):
        y = network.add_activation(network.add_addition(y, 1.0), RELU)
    network.add_output("y", y)
    assert len(network.layers) == 15_002
    again = pickle.loads(pickle.dumps(network))  # must not recurse along the chain
    assert again.validate() == ()
    assert repr(again.copy()) == repr(network)


def test_constants_are_kept_safe_from_their_owner(network, tensor):
    values = np.ones(3, np.float32)
    layer = network.add_addition(tensor(2, 3), values)
    values[:] = 7
    assert network.layer(f"{layer.name}.y").value.tolist() == [1, 1, 1]
    values.flags.writeable = False
    assert network.add_constant(values).value is values


def test_bfloat16_arrays_keep_their_type(network):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    layer = network.add_constant(np.ones(3, bfloat16))
    assert layer.output.info == TensorInfo((3,), DataType.BFLOAT16)
    assert layer.value.tolist() == [0x3F80] * 3
    # Bits alone are integers; that they are not somebody has to say.
    bits = np.full(3, 0x3F80, np.uint16)
    assert network.add_constant(bits).output.info.data_type is DataType.UNSIGNED16
    stated = network.add_constant(bits, info=TensorInfo((3,), DataType.BFLOAT16))
    assert stated.output.info == layer.output.info


@pytest.mark.parametrize(
    ("data_type", "number"),
    [
        (DataType.FLOAT16, 2),
        (DataType.FLOAT32, 0.5),
        (DataType.SIGNED64, 3),
        (DataType.SIGNED32, -1),
    ],
)
def test_numbers_take_the_type_of_their_partner(network, tensor, data_type, number):
    x = tensor(3, data_type=data_type)
    for layer in (network.add_multiplication(x, number), network.add_multiplication(number, x)):
        assert layer.output.info == x.output.info


def test_a_number_that_loses_its_value_is_refused(network, tensor):
    with pytest.raises(LayerValidationError, match="x is int32 but y is float32"):
        network.add_addition(tensor(3, data_type=DataType.SIGNED32), 0.5)
    with pytest.raises(InvalidArgumentError):
        network.add_addition(tensor(3, data_type=DataType.SIGNED32), 2**40)


def test_automatic_names_are_free_ones(network, tensor):
    x = tensor(2)
    network.add_activation(x, RELU, name="activation_1")
    assert network.add_activation(x, RELU).name == "activation_2"
    assert network.add_activation(x, RELU).name == "activation_3"
    assert network.add_pooling2d(tensor(1, 2, 2, 1), PoolingAlgorithm.MAX, 2).name == "pooling2d_1"


def test_a_failed_layer_leaves_nothing_behind(network, tensor):
    x = tensor(1, 4, 4, 3)
    before = network.layers
    with pytest.raises(LayerValidationError):
        network.add_convolution2d(x, np.zeros((2, 3, 3, 5), np.float32))
    assert network.layers == before
    network.add_output("y", 1.0)
    assert network.validate() == ("input 'in0' (Input) is unused",)


def test_validate_finds_every_problem_at_once(network, tensor):
    with pytest.raises(GraphValidationError, match="network 'net' has a problem") as caught:
        network.validate()
    assert caught.value.problems == ("it has no outputs: add_output() makes a result visible",)

    x = tensor(2, 3)
    first, second = network.add_activation(x, RELU), network.add_softmax(x)
    network.add_output("y", first)
    # What no builder allows, a pass that goes wrong could make.
    first.outputs[0]._info = TensorInfo((9, 9))
    second._inputs = (network.layers[-1].inputs[0],)
    with pytest.raises(GraphValidationError, match="has 3 problems") as caught:
        network.validate()
    text = str(caught.value)
    assert "layer 'activation_1' (Activation): output 0 stated as 9x9, but it is 2x3" in text
    assert "'softmax_1' (Softmax) is not known to 'activation_1'" in text
    assert "layer 'softmax_1' (Softmax): output 0 stated as 2x3, but it is 9x9" in text


def test_unused_values_are_noted(network, tensor):
    x = tensor(2)
    network.add_softmax(x, name="lost")
    network.add_output("x", x)
    assert network.validate() == ("layer 'lost' (Softmax) is unused",)


def test_a_network_with_free_dimensions():
    network = dynamic_network()
    assert network.is_dynamic
    assert network.layers == ()
    assert repr(network) == "<Network 'model' free dimensions, x ?x3x? -> y ?x3x?>"
    built = network.specialize({"x": (2, 3, 5)})
    assert not built.is_dynamic
    assert built.outputs == {"y": TensorInfo((2, 3, 5))}
    assert built.specialize({"x": (2, 3, 5)}) is built
    for clone in (network.copy(), pickle.loads(pickle.dumps(network))):
        assert clone.specialize({"x": (1, 3, 1)}).inputs == {"x": TensorInfo((1, 3, 1))}
    assert network.validate() == ()
    assert "x" in network.summary()
    assert "x" in network._repr_html_()


@pytest.mark.parametrize(
    ("shapes", "error", "text"),
    [
        ({}, InvalidArgumentError, "input 'x' has free dimensions, but no shape is given"),
        ({"z": (1, 3, 1)}, UnknownNameError, "network 'model' has no input 'z'"),
        ({"x": (1, 4, 1)}, InvalidArgumentError, "input 'x': dimension 1 is 4, 3 expected"),
        ({"x": (1, 3)}, InvalidArgumentError, "input 'x': 2 dimensions given, 3 expected"),
        ({"x": (1, 3, None)}, InvalidArgumentError, "shape of input 'x' 1x3x? has free"),
        ({"x": (1, 3, -1)}, InvalidArgumentError, "shape of input 'x': dimension 2 is -1"),
    ],
)
def test_shapes_that_do_not_fit(shapes, error, text):
    with pytest.raises(error, match=text.replace("?", r"\?")):
        dynamic_network().specialize(shapes)


def test_builders_keep_their_promise():
    free = TensorInfo((None,))

    def wrong_inputs(infos):
        return small_network()

    def wrong_outputs(infos):
        network = Network()
        network.add_output("other", network.add_input("x", infos["x"]))
        return network

    for builder, text in (
        (wrong_inputs, "made other inputs"),
        (wrong_outputs, "made other outputs"),
        (lambda infos: None, "returned None"),
        (lambda infos: dynamic_network(), "a Network without free dimensions"),
    ):
        network = Network.from_builder("model", {"x": free}, builder, {"y": free})
        with pytest.raises(InvalidArgumentError, match=text):
            network.specialize({"x": (2,)})
    with pytest.raises(InvalidArgumentError, match="no input has a free dimension"):
        Network.from_builder("model", {"x": TensorInfo((1,))}, double, {})


def test_outputs_in_another_order_are_reported_as_such():
    def build(infos):
        network = Network()
        x = network.add_input("x", infos["x"])
        network.add_output("b", x)
        network.add_output("a", x)
        return network

    free = TensorInfo((None,))
    network = Network.from_builder("model", {"x": free}, build, {"a": free, "b": free})
    with pytest.raises(InvalidArgumentError, match="other outputs") as caught:
        network.specialize({"x": (2,)})
    assert caught.value.hints == ("their order counts, too",)


def test_builders_are_checked_early():
    free = TensorInfo((None,))
    with pytest.raises(InvalidArgumentError, match="cannot be called"):
        Network.from_builder("model", {"x": free}, None, {})
