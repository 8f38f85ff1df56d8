# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What is wrong is refused in words that name the thing."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py.descriptors import (
    DESCRIPTOR_OF,
    ActivationDescriptor,
    ConcatDescriptor,
    Convolution2dDescriptor,
    PadDescriptor,
    ReshapeDescriptor,
    SplitterDescriptor,
    View,
)
from armnn_py.errors import InvalidArgumentError, LayerValidationError, UnknownNameError
from armnn_py.network import Network
from armnn_py.network.shapes import infer
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    DataLayout,
    DataType,
    LayerType,
    PoolingAlgorithm,
    ReduceOperation,
)

RELU = ActivationFunction.RELU


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def flags(network):
    return network.add_input("flags", TensorInfo((2, 3), DataType.BOOLEAN))


# A network n, an image x of 1x8x8x3, and what is refused as a layer.
LAYERS = [
    (lambda n, x: n.add_convolution2d(x, zeros(4, 3, 3, 2)), "input has 3 channels, 2 expected"),
    (lambda n, x: n.add_convolution2d(x, zeros(3, 3, 3)), "weights has 3 dimensions, 4 expected"),
    (lambda n, x: n.add_convolution2d(x, zeros(4, 9, 9, 3)), "window covers 9 along height"),
    (lambda n, x: n.add_convolution2d(x, zeros(4, 0, 1, 3)), "the window has height 0"),
    (
        lambda n, x: n.add_convolution2d(x, zeros(4, 3, 3, 3), zeros(3)),
        "bias has shape 3, 4 expected: a value for each output channel",
    ),
    (
        lambda n, x: n.add_convolution2d(x, zeros(4, 1, 1, 3, dtype=np.float16)),
        "input is float32 but weights is float16",
    ),
    (
        lambda n, x: n.add_convolution2d(x, zeros(4, 1, 1, 1), groups=3),
        "4 output channels do not divide into 3 groups",
    ),
    (
        lambda n, x: n.add_depthwise_convolution2d(x, zeros(1, 3, 3, 4)),
        "weights 1x3x3x4 do not fit 3 input channels",
    ),
    (
        lambda n, x: n.add_transpose_convolution2d(x, zeros(2, 1, 1, 3), padding=4),
        "the output would be 0 high and 0 wide",
    ),
    (
        lambda n, x: n.add_transpose_convolution2d(
            x, zeros(2, 1, 1, 3), output_shape=(1, 8, 8, 3)
        ),
        "output shape 1x8x8x3 given, 1 images of 2 channels expected",
    ),
    (lambda n, x: n.add_fully_connected(x, zeros(5, 2)), "192 values per row, 5 expected"),
    (lambda n, x: n.add_pooling2d(x, PoolingAlgorithm.MAX, 9), "window covers 9 along height"),
    (lambda n, x: n.add_addition(x, zeros(5)), "1x8x8x3 and 5 do not broadcast: 3 against 5"),
    (lambda n, x: n.add_elementwise_binary(flags(n), x, BinaryOperation.ADD), "x is bool but"),
    (lambda n, x: n.add_activation(flags(n), RELU), "input is bool, numbers expected"),
    (lambda n, x: n.add_concat([x, zeros(1, 8, 7, 3)], 3), "input 1 has shape 1x8x7x3"),
    (lambda n, x: n.add_concat([x, zeros(8, 3)], 3), "input 1 has shape 8x3"),
    (lambda n, x: n.add_concat([], 0), "no inputs given"),
    (lambda n, x: n.add_stack([x, zeros(1, 8, 8)]), "input 1 has shape 1x8x8, 1x8x8x3 expected"),
    (lambda n, x: n.add_reshape(x, (5, 5)), "192 elements do not fill 5x5, which has 25"),
    (lambda n, x: n.add_transpose(x, (1, 0)), "a permutation of 2 dimensions for 4"),
    (lambda n, x: n.add_pad(x, [(1, 1)]), "input has 4 dimensions, 1 expected"),
    (lambda n, x: n.add_gather(x, [3], 3), "index 3 does not lie in 3"),
    (lambda n, x: n.add_gather(x, [0], 4), "axis 4 given, -4 to 3 expected"),
    (lambda n, x: n.add_tile(x, (1, 2)), "input has 4 dimensions, 2 expected"),
    (lambda n, x: n.add_tile(x, (2**31, 2**31, 1, 1)), "has 2.*63 bytes or more"),
    (lambda n, x: n.add_stack([zeros(*[1] * 8)]), "more than 8 dimensions"),
    (lambda n, x: n.add_softmax(x, 4), "axis 4 given, -4 to 3 expected"),
    (lambda n, x: n.add_softmax(3.5), "a scalar has no axis"),
    (
        lambda n, x: n.add_arg_min_max(zeros(0, 3), ArgMinMaxFunction.MAX, 0),
        "dimension 0 is empty and has neither maximum nor minimum",
    ),
    (lambda n, x: n.add_reduce(x, ReduceOperation.SUM, (1, -3)), "name dimension 1 twice"),
    (lambda n, x: n.add_reduce(zeros(2, 0), ReduceOperation.MAX), "has no value for nothing"),
    (lambda n, x: n.add_batch_mat_mul(x, zeros(4, 5)), "8x3 and 4x5 matrices do not multiply"),
    (lambda n, x: n.add_batch_mat_mul(x, zeros(3)), "y has 1 dimensions, at least 2 expected"),
    (
        lambda n, x: n.add_batch_normalization(x, *[zeros(8)] * 4),
        "mean has shape 8, 3 expected: a value for each channel",
    ),
    (lambda n, x: n.add_reverse_v2(x, [0, -4]), "name a dimension twice"),
    (lambda n, x: n.add_layer(LayerType.RESHAPE, [x]), "descriptor None given"),
    (
        lambda n, x: n.add_layer(LayerType.RESHAPE, [x], PadDescriptor()),
        "descriptor PadDescriptor given, ReshapeDescriptor expected",
    ),
    (
        lambda n, x: n.add_layer(
            LayerType.SPLITTER,
            [x],
            SplitterDescriptor(1, (View((0, 2, 0, 1), (1, 3, 8, 2)),)),
        ),
        "is a part of dimension 3 as well as of axis 1",
    ),
    (lambda n, x: n.add_layer(LayerType.FLOOR, [x, x]), "2 operands given, at most 1 expected"),
    (lambda n, x: n.add_layer(LayerType.FLOOR, []), "operand 'input' is missing"),
    (
        lambda n, x: n.add_layer(LayerType.CONVOLUTION2D, [x, zeros(4, 1, 1, 3), zeros(4)],
                                 Convolution2dDescriptor(data_layout=DataLayout.NHWC)),
        "bias_enabled is False, but a bias is given",
    ),
    (
        lambda n, x: n.add_layer(
            LayerType.CONCAT, [x], ConcatDescriptor(0, (View((1, 0, 0, 0), (1, 8, 8, 3)),))
        ),
        "view 0 given as",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("build", "text"), LAYERS, ids=[text for _, text in LAYERS])
def test_layers_that_are_not_valid(network, tensor, build, text):
    x = tensor(1, 8, 8, 3)
    with pytest.raises(LayerValidationError, match=text) as caught:
        build(network, x)
    # The form of an error: the first line names the layer and its type, operands follow.
    error = caught.value
    assert error.message.startswith(f"layer '{error.layer}' (")
    assert error.problems == (error.message,)
    assert "\n" not in error.message
    assert not error.message.endswith(".")
    if "missing" not in text and "no inputs" not in text:
        assert any("TensorInfo(" in detail for detail in error.details)


ARGUMENTS = [
    (lambda n, x: n.add_input("in0", TensorInfo((1,))), "input 'in0' exists already"),
    (lambda n, x: n.add_input("", TensorInfo((1,))), "input name '' must be"),
    (lambda n, x: n.add_input(None, TensorInfo((1,))), "input name None must be"),
    (lambda n, x: n.add_input("y", (1, 2)), r"input 'y': \(1, 2\) is not a TensorInfo"),
    (lambda n, x: n.add_input("y", TensorInfo((None, 2))), "has free dimensions"),
    (lambda n, x: [n.add_output("y", x) for _ in "ab"], "output 'y' exists already"),
    (lambda n, x: n.add_output("y", None), "None given, a layer, a slot or values expected"),
    (lambda n, x: n.add_output("y", n.add_split(x, 8, 1)), "has 8 outputs, one expected"),
    (lambda n, x: n.add_addition(x, flags(Network("b"))), "of network 'net' expected"),
    (lambda n, x: n.add_softmax(n.add_output("y", x)), "has 0 outputs, one expected"),
    (lambda n, x: n.add_activation(x, RELU, name=""), "layer name '' must be"),
    (lambda n, x: n.add_activation(x, RELU, backend=""), "backend hint '' given"),
    (lambda n, x: n.add_activation(x, 3), "function 3 given, a member of ActivationFunction"),
    (lambda n, x: n.add_activation(x, RELU, "a"), "a 'a' given"),
    (
        lambda n, x: n.add_addition(x, zeros(3, dtype=np.complex64)),
        "dtype 'complex64' has no tensor",
    ),
    (lambda n, x: n.add_addition(x, "text"), "has no tensor type"),
    (lambda n, x: n.add_addition(x, {"a": 1}), "has no tensor type"),
    (lambda n, x: n.add_addition(x, [[1], [1, 2]]), "an array cannot be made of list"),
    (lambda n, x: n.add_constant(zeros(*[1] * 9)), "the array has 9 dimensions, at most 8"),
    (
        lambda n, x: n.add_constant(zeros(2, dtype="M8[s]")),
        "dtype 'datetime64.s.' has no tensor type",
    ),
    (lambda n, x: n.add_constant(1.0, info=TensorInfo((2,))), "does not fit TensorInfo"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), stride=0), "stride_x 0 given"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), stride=0, padding="same"), "stride_x"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), stride=(1, 2, 3)), "stride .* given"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), padding="full"), "padding 'full'"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), padding=-1), "pad_left -1 given"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), padding=(1, 2)), "an integer or 4"),
    (lambda n, x: n.add_convolution2d(x, zeros(1, 1, 1, 3), data_layout="NHWC"), "data_layout"),
    (
        lambda n, x: n.add_convolution2d(
            x, zeros(1, 1, 1, 3), stride=2, descriptor=Convolution2dDescriptor()
        ),
        "descriptor= and stride= given",
    ),
    (lambda n, x: n.add_concat([x], 4), "axis 4 given, -4 to 3 expected"),
    (lambda n, x: n.add_concat([x], 1.5), "axis 1.5 given, an integer expected"),
    (lambda n, x: n.add_split(x, 3, 1), "8 elements along axis 1 do not divide into 3"),
    (lambda n, x: n.add_split(x, (3, 4), 1), "parts of 3, 4 are 7 elements, 8 expected"),
    (lambda n, x: n.add_split(x, 0, 1), "do not divide into 0"),
    (lambda n, x: n.add_reshape(x, (-1, 5)), "-1 in .* cannot be worked out of 192 elements"),
    (lambda n, x: n.add_reshape(x, (-1, -1)), "dimension 0 is -1"),
    (lambda n, x: n.add_reshape(x, (-2, 96)), "dimension 0 is -2"),
    (lambda n, x: n.add_reshape(x, 192), "192 is not a sequence of integers"),
    (lambda n, x: n.add_reshape(x, (2.0, 96)), "dimension 0 is 2.0, an integer"),
    (lambda n, x: n.add_reshape(x, (1,) * 8 + (192,)), "more than 8 dimensions"),
    (lambda n, x: n.add_transpose(x, (0, 0, 1, 2)), "is not a permutation"),
    (lambda n, x: n.add_pad(x, [1, 2, 3, 4]), "a .before, after. pair for each dimension"),
    (lambda n, x: n.add_pad(x, [(-1, 0)] * 4), "pad_before .* at least 0 expected"),
    (lambda n, x: n.add_cast(x, 1), "is not a DataType"),
    (lambda n, x: n.add_fill((2, -1), 0), "dimension 1 is -1"),
    (lambda n, x: n.add_resize(x, (0, 5)), "target_height 0 given"),
    (lambda n, x: n.add_layer(23, []), "layer type 23 is not a LayerType"),
    (lambda n, x: n.add_layer(LayerType.INPUT, []), "a layer of type Input is not added this way"),
    (lambda n, x: n.add_layer(LayerType.FLOOR, x), "a sequence of layers, slots or values"),
    (
        lambda n, x: n.add_layer(
            LayerType.RESHAPE, [x], ReshapeDescriptor((192,)), output_infos=TensorInfo((192,))
        ),
        "a sequence of TensorInfo expected",
    ),
    (
        lambda n, x: n.add_layer(
            LayerType.ACTIVATION, [x], ActivationDescriptor(), output_infos=[TensorInfo((None,))]
        ),
        "has free dimensions",
    ),
    (lambda n, x: setattr(x, "backend_hint", 3), "backend hint 3 given"),
    (lambda n, x: Network(""), "network name '' must be"),
]


@pytest.mark.parametrize(("build", "text"), ARGUMENTS, ids=[text for _, text in ARGUMENTS])
def test_arguments_that_are_not_valid(network, tensor, build, text):
    x = tensor(1, 8, 8, 3)
    with pytest.raises(InvalidArgumentError, match=text):
        build(network, x)


def test_a_wrong_layer_name_is_answered_with_near_ones(network, tensor):
    network.add_softmax(tensor(3), name="probabilities")
    with pytest.raises(
        UnknownNameError, match="network 'net' has no layer 'probabilites'"
    ) as error:
        network.layer("probabilites")
    assert "did you mean 'probabilities'?" in str(error.value)
    network.add_softmax(network.layer("in0"), name="probabilities")
    with pytest.raises(InvalidArgumentError, match="has 2 layers 'probabilities'"):
        network.layer("probabilities")


def test_networks_with_free_dimensions_take_no_layers():
    free = TensorInfo((None,))
    network = Network.from_builder("model", {"x": free}, Network, {"y": free})
    for build in (
        lambda: network.add_input("z", TensorInfo((1,))),
        lambda: network.add_constant(1.0),
        lambda: network.add_output("z", 1.0),
        lambda: network.add_softmax([1.0]),
    ):
        with pytest.raises(InvalidArgumentError, match="its layers are made by its builder"):
            build()


def _levels(shape, count, axis):
    scales = tuple(0.5 + i for i in range(count))
    return TensorInfo(shape, DataType.QSYMM_S8, QuantizationInfo(scales, (), axis))


@pytest.mark.parametrize(
    ("layer_type", "descriptor", "x", "weights", "outputs"),
    [
        (LayerType.CONVOLUTION2D, {}, (1, 2, 4, 4), (2, 2, 2, 2), 0),
        (LayerType.TRANSPOSE_CONVOLUTION2D, {}, (1, 2, 4, 4), (2, 2, 2, 2), 0),
        (LayerType.DEPTHWISE_CONVOLUTION2D, {}, (1, 2, 4, 4), (1, 2, 2, 2), 3),
        (LayerType.CONVOLUTION3D, {}, (1, 4, 4, 4, 2), (2, 2, 2, 2, 2), 4),
        (LayerType.FULLY_CONNECTED, {"transpose_weight_matrix": True}, (2, 2), (2, 2), 0),
        (LayerType.FULLY_CONNECTED, {}, (2, 2), (2, 2), 1),
        (LayerType.BATCH_MAT_MUL, {}, (2, 2), (2, 2), None),
    ],
)
def test_scales_of_a_product_lie_along_its_outputs(layer_type, descriptor, x, weights, outputs):
    """Kernels have a factor for each output: no backend sees other scales."""
    parameters = DESCRIPTOR_OF[layer_type](**descriptor)
    (plain,) = infer(layer_type, parameters, [TensorInfo(x), TensorInfo(weights)])
    out = [TensorInfo(plain.shape, DataType.QSYMM_S8, QuantizationInfo((1.0,)))]
    one = _levels(x, 1, None)
    for axis, size in enumerate(weights):
        infos = [one, _levels(weights, size, axis)]
        if axis == outputs or size == 1:
            assert infer(layer_type, parameters, infos, outputs=out) == out
        else:
            with pytest.raises(LayerValidationError, match=f"scales along dimension {axis}"):
                infer(layer_type, parameters, infos, outputs=out)
    for axis, size in enumerate(x):
        if size > 1:
            infos = [_levels(x, size, axis), _levels(weights, 1, None)]
            with pytest.raises(LayerValidationError, match=f"{axis}, one scale expected"):
                infer(layer_type, parameters, infos, outputs=out)
