# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes and types of layers that numpy and onnx do not have, from their definitions."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest

from armnn_py.descriptors import (
    ActivationDescriptor,
    DetectionPostProcessDescriptor,
    FusedDescriptor,
    PreCompiledDescriptor,
    StandInDescriptor,
)
from armnn_py.errors import InvalidArgumentError, LayerValidationError
from armnn_py.network import LstmWeights, shapes
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import (
    ActivationFunction,
    DataLayout,
    DataType,
    LayerType,
    ResizeMethod,
    ScatterNdFunction,
)
from armnn_py.types.facts import FACTS

NCHW, NHWC = DataLayout.NCHW, DataLayout.NHWC
U8 = DataType.QASYMM_U8


# TensorFlow's documentation of space_to_batch_nd, batch_to_space_nd and space_to_depth.
@pytest.mark.parametrize(
    ("builder", "shape", "arguments", "layout", "expected"),
    [
        ("add_space_to_batch_nd", (1, 2, 2, 1), ([2, 2], [(0, 0), (0, 0)]), NHWC, (4, 1, 1, 1)),
        ("add_space_to_batch_nd", (1, 2, 2, 3), ([2, 2], [(0, 0), (0, 0)]), NHWC, (4, 1, 1, 3)),
        ("add_space_to_batch_nd", (2, 2, 4, 1), ([2, 2], [(0, 0), (2, 0)]), NHWC, (8, 1, 3, 1)),
        ("add_space_to_batch_nd", (2, 5, 2, 4), ([2, 2], [(0, 0), (2, 0)]), NCHW, (8, 5, 1, 3)),
        ("add_space_to_batch_nd", (1, 6, 3), ([3], [(2, 1)]), NHWC, (3, 3, 3)),
        ("add_batch_to_space_nd", (4, 1, 1, 3), ([2, 2], [(0, 0), (0, 0)]), NHWC, (1, 2, 2, 3)),
        ("add_batch_to_space_nd", (8, 1, 3, 1), ([2, 2], [(0, 0), (2, 0)]), NHWC, (2, 2, 4, 1)),
        ("add_batch_to_space_nd", (8, 5, 1, 3), ([2, 2], [(0, 0), (2, 0)]), NCHW, (2, 5, 2, 4)),
        ("add_space_to_depth", (1, 4, 4, 1), (2,), NHWC, (1, 2, 2, 4)),
        ("add_space_to_depth", (1, 3, 4, 6), (2,), NCHW, (1, 12, 2, 3)),
        ("add_depth_to_space", (1, 1, 1, 12), (2,), NHWC, (1, 2, 2, 3)),
        ("add_depth_to_space", (5, 8, 3, 2), (2,), NCHW, (5, 2, 6, 4)),
    ],
)
def test_space_against_batch_and_depth(
    network, tensor, builder, shape, arguments, layout, expected
):
    layer = getattr(network, builder)(tensor(*shape), *arguments, data_layout=layout)
    assert layer.output.info == TensorInfo(expected)


@pytest.mark.parametrize(
    ("builder", "shape", "arguments", "text"),
    [
        ("add_space_to_depth", (1, 3, 4, 1), (2,), "dimension 1 is 3, a multiple of 2"),
        ("add_depth_to_space", (1, 3, 4, 6), (2,), "6 channels given, a multiple of 4"),
        ("add_batch_to_space_nd", (3, 1, 1, 1), ([2, 2], [(0, 0), (0, 0)]), "batch of 3 given"),
        ("add_batch_to_space_nd", (4, 1, 1, 1), ([2, 2], [(2, 1), (0, 0)]), "3 are cropped of"),
        ("add_space_to_batch_nd", (1, 3, 3, 1), ([2, 2], [(0, 0), (1, 0)]), "dimension 1 is 3"),
    ],
)
def test_indivisible_sizes_are_refused(network, tensor, builder, shape, arguments, text):
    with pytest.raises(LayerValidationError, match=text):
        getattr(network, builder)(tensor(*shape), *arguments)


def test_resize(network, tensor):
    assert network.add_resize(tensor(2, 5, 7, 3), (10, 4)).output.info.shape == (2, 10, 4, 3)
    layer = network.add_resize(
        tensor(2, 3, 5, 7), (1, 9), ResizeMethod.BILINEAR, half_pixel_centers=True, data_layout=NCHW
    )
    assert layer.output.info.shape == (2, 3, 1, 9)
    with pytest.raises(LayerValidationError, match="no pixels"):
        network.add_resize(tensor(1, 0, 7, 3), (2, 2))


@pytest.mark.parametrize(
    ("shape", "weights", "transposed", "expected"),
    [
        ((4, 6), (6, 3), False, (4, 3)),
        ((4, 6), (3, 6), True, (4, 3)),
        ((2, 4, 6), (6, 3), False, (2, 4, 3)),
        ((2, 4, 6), (24, 3), False, (2, 3)),
        ((5, 2, 3, 4), (24, 7), False, (5, 7)),
        ((6,), (6, 3), False, (3,)),
        ((1, 1, 6), (6, 3), False, (1, 1, 3)),
    ],
)
def test_fully_connected(network, tensor, shape, weights, transposed, expected):
    layer = network.add_fully_connected(
        tensor(*shape),
        np.zeros(weights, np.float32),
        np.zeros(expected[-1], np.float32),
        transpose_weight_matrix=transposed,
    )
    assert layer.output.info == TensorInfo(expected)


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5), (2, 3, 4, 5), (1, 3, 2, 2, 2)])
@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_batch_normalization_takes_any_rank(network, tensor, shape, layout):
    channels = shape[1] if layout is NCHW else shape[-1]
    values = np.ones(channels, np.float32)
    layer = network.add_batch_normalization(
        tensor(*shape), values, values, values, values, data_layout=layout
    )
    assert layer.output.info == TensorInfo(shape)


def test_normalisations_keep_the_shape(network, tensor):
    x = tensor(2, 5, 4, 3)
    for layer in (
        network.add_softmax(x, 1),
        network.add_log_softmax(x, -2),
        network.add_instance_normalization(x),
        network.add_l2_normalization(x, data_layout=NCHW),
        network.add_normalization(x, 5, alpha=1e-4, beta=0.75, k=1.0),
        network.add_channel_shuffle(x, 2, -2),
        network.add_floor(x),
    ):
        assert layer.output.info == x.output.info


def test_index_vectors(network, tensor):
    params = tensor(4, 5, 6)
    indices = tensor(7, 2, data_type=DataType.SIGNED32)
    assert network.add_gather_nd(params, indices).output.info == TensorInfo((7, 6))
    updates = tensor(7, 6)
    layer = network.add_scatter_nd(params, indices, updates, ScatterNdFunction.ADD)
    assert layer.output.info == TensorInfo((4, 5, 6))
    with pytest.raises(LayerValidationError, match="updates has shape 7x2, 7x6 expected"):
        network.add_scatter_nd(params, indices, tensor(7, 2))
    with pytest.raises(LayerValidationError, match="index 5 does not lie in 4x5"):
        network.add_gather_nd(params, np.array([[0, 4], [0, 5]]))
    with pytest.raises(LayerValidationError, match="indices is float32"):
        network.add_gather(params, tensor(2))


def test_fill_rank_and_shape(network, tensor):
    assert network.add_fill((2, 0, 3), 1.5).output.info == TensorInfo((2, 0, 3))
    assert network.add_fill((), 1).output.info == TensorInfo(())
    sizes = network.add_constant(np.array([4, 5], np.int32))
    filled = network.add_fill(sizes, 7, data_type=DataType.SIGNED32)
    assert filled.output.info == TensorInfo((4, 5), DataType.SIGNED32)
    with pytest.raises(LayerValidationError, match="the shape is not a constant"):
        network.add_fill(tensor(2, data_type=DataType.SIGNED32), 1)
    x = tensor(3, 1, 2)
    assert network.add_rank(x).output.info == TensorInfo((), DataType.SIGNED32)
    assert network.add_shape(x).output.info == TensorInfo((3,), DataType.SIGNED32)


def test_types_change_only_where_asked(network, tensor):
    x = tensor(2, 3)
    assert network.add_cast(x, DataType.SIGNED64).output.info == TensorInfo(
        (2, 3), DataType.SIGNED64
    )
    halves = network.add_layer(LayerType.CONVERT_FP32_TO_FP16, [x])
    assert halves.output.info == TensorInfo((2, 3), DataType.FLOAT16)
    with pytest.raises(LayerValidationError, match="input is float16, float32 expected"):
        network.add_layer(LayerType.CONVERT_FP32_TO_FP16, [halves])
    with pytest.raises(LayerValidationError, match="the output type is not given"):
        network.add_layer(LayerType.CAST, [x])


def test_quantised_layers(network, tensor):
    scale = QuantizationInfo(0.5, 3)
    quantised = network.add_quantize(tensor(2, 8), U8, scale)
    assert quantised.output.info == TensorInfo((2, 8), U8, scale)
    assert network.add_dequantize(quantised).output.info == TensorInfo((2, 8))
    # What only moves elements keeps their meaning, what computes new ones must be told.
    assert network.add_reshape(quantised, (16,)).output.info == TensorInfo((16,), U8, scale)
    with pytest.raises(LayerValidationError, match="the scale of the quantised uint8 output"):
        network.add_activation(quantised, ActivationFunction.SIGMOID)
    requested = TensorInfo((2, 8), U8, QuantizationInfo(1 / 256))
    layer = network.add_activation(quantised, ActivationFunction.SIGMOID, output_info=requested)
    assert layer.output.info == requested
    weights = network.add_constant(
        np.ones((8, 4), np.int8),
        info=TensorInfo((8, 4), DataType.QSYMM_S8, QuantizationInfo((0.1,) * 4, axis=1)),
    )
    product = TensorInfo((2, 4), U8, QuantizationInfo(2.0))
    dense = network.add_fully_connected(
        quantised, weights, np.zeros(4, np.int32), output_info=product
    )
    assert dense.output.info == product
    with pytest.raises(LayerValidationError, match="bias is float32, int32 expected"):
        network.add_fully_connected(
            quantised, weights, np.zeros(4, np.float32), output_info=product
        )
    with pytest.raises(LayerValidationError, match="along an axis do not carry over"):
        network.add_reshape(weights, (32,))


def test_detection_post_process(network, tensor):
    descriptor = DetectionPostProcessDescriptor(
        max_detections=3, num_classes=2, scale_x=1, scale_y=1, scale_w=1, scale_h=1
    )
    inputs = [tensor(1, 6, 4), tensor(1, 6, 3), tensor(6, 4)]
    layer = network.add_layer(LayerType.DETECTION_POST_PROCESS, inputs, descriptor)
    shapes = [slot.info.shape for slot in layer.outputs]
    assert shapes == [(1, 3, 4), (1, 3), (1, 3), (1,)]
    inputs[1] = network.add_input("whole", TensorInfo((1, 6, 3), DataType.SIGNED32)).outputs[0]
    with pytest.raises(LayerValidationError, match="scores is int32, floating point"):
        network.add_layer(LayerType.DETECTION_POST_PROCESS, inputs, descriptor)


def test_layers_that_only_their_maker_understands(network, tensor):
    x = tensor(2, 3)
    infos = [TensorInfo((1,)), TensorInfo((4, 4), DataType.SIGNED32)]
    for layer_type, descriptor in (
        (LayerType.STAND_IN, StandInDescriptor(1, 2)),
        (LayerType.PRE_COMPILED, PreCompiledDescriptor(1, 2)),
        (LayerType.FUSED, FusedDescriptor(1, 2)),
    ):
        layer = network.add_layer(layer_type, [x], descriptor, output_infos=infos)
        assert [slot.info for slot in layer.outputs] == infos
        with pytest.raises(LayerValidationError, match="1 output infos given, 2 expected"):
            network.add_layer(layer_type, [x], descriptor, output_infos=infos[:1])
        with pytest.raises(LayerValidationError, match="2 inputs given, 1 expected"):
            network.add_layer(layer_type, [x, x], descriptor, output_infos=infos)


def test_an_lstm_of_8_and_16_bits(network, tensor):
    x = tensor(2, 3)
    with pytest.raises(LayerValidationError, match="operand 'cell_state' is missing"):
        network.add_layer(LayerType.QUANTIZED_LSTM, [x])
    with pytest.raises(LayerValidationError, match="cell_state has shape 2x3, 2x2 expected"):
        network.add_layer(LayerType.QUANTIZED_LSTM, [x] * 15)


def _lstm_operands(*, cells: int = 4, outputs: int = 4, **absent: None) -> LstmWeights:
    def full(*shape: int) -> np.ndarray:
        return np.ones(shape, np.float32)

    gates = ("input", "forget", "cell", "output")
    given = {f"input_to_{gate}_weights": full(cells, 3) for gate in gates}
    given |= {f"recurrent_to_{gate}_weights": full(cells, outputs) for gate in gates}
    given |= {f"{gate}_gate_bias": full(cells) for gate in gates if gate != "cell"}
    given["cell_bias"] = full(cells)
    return LstmWeights(**(given | absent))


WITHOUT_INPUT_GATE = dict.fromkeys(
    ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
)


@pytest.mark.parametrize("cifg", [False, True])
def test_one_step_of_an_lstm(network, tensor, cifg):
    weights = _lstm_operands(**(WITHOUT_INPUT_GATE if cifg else {}))
    layer = network.add_lstm(tensor(2, 3), tensor(2, 4), tensor(2, 4), weights)
    assert layer.descriptor.cifg_enabled is cifg
    shapes = [slot.info.shape for slot in layer.outputs]
    assert shapes == [(2, 12 if cifg else 16), (2, 4), (2, 4), (2, 4)]


@pytest.mark.parametrize("time_major", [False, True])
def test_an_lstm_over_a_sequence(network, tensor, time_major):
    weights = replace(_lstm_operands(outputs=2), projection_weights=np.ones((2, 4), np.float32))
    x = tensor(5, 2, 3) if time_major else tensor(2, 5, 3)
    layer = network.add_unidirectional_sequence_lstm(
        x, tensor(2, 2), tensor(2, 4), weights, time_major=time_major
    )
    assert layer.descriptor.projection_enabled
    shapes = [slot.info.shape for slot in layer.outputs]
    assert shapes == [(2, 2), (2, 4), (*x.outputs[0].info.shape[:2], 2)]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"input_gate_bias": None}, "'input_gate_bias' is missing, but cifg_enabled is False"),
        ({"input_to_input_weights": None},
         "'recurrent_to_input_weights' is given, but cifg_enabled is True"),
        ({"cell_to_output_weights": np.ones(4, np.float32)},
         "'cell_to_output_weights' is given, but peephole_enabled is False"),
        ({"projection_bias": np.ones(4, np.float32)},
         "'projection_bias' is given, but projection_enabled is False"),
        ({"cell_bias": np.ones(5, np.float32)}, "cell_bias has shape 5, 4 expected"),
        ({"cell_bias": np.ones(4, np.int32)}, "cell_bias is int32, float32 or a quantised"),
        ({"outputs": 2}, "2 outputs of 4 cells without projection"),
    ],
)  # fmt: skip
def test_an_lstm_that_cannot_be(network, tensor, change, text):
    with pytest.raises(LayerValidationError, match=text):
        network.add_lstm(tensor(2, 3), tensor(2, 4), tensor(2, 4), _lstm_operands(**change))


def test_weights_of_an_lstm_are_a_class_of_their_own(network, tensor):
    with pytest.raises(InvalidArgumentError, match="list given, LstmWeights expected"):
        network.add_lstm(tensor(2, 3), tensor(2, 4), tensor(2, 4), [])


def test_stated_outputs_must_agree(network, tensor):
    x = tensor(2, 3)
    relu = ActivationDescriptor(ActivationFunction.RELU)
    for infos, text in (
        ([TensorInfo((3, 2))], "output 0 stated as 3x2, but it is 2x3"),
        ([TensorInfo((2, 3), DataType.FLOAT16)], "stated as float16, but it is float32"),
        ([TensorInfo((2, 3))] * 2, "2 output infos given, 1 expected"),
    ):
        with pytest.raises(LayerValidationError, match=text):
            network.add_layer(LayerType.ACTIVATION, [x], relu, output_infos=infos)


def test_one_step_of_an_lstm_in_integers(network):
    state = TensorInfo((2, 4), DataType.QASYMM_S8, QuantizationInfo((1 / 128,), (3,)))
    memory = TensorInfo((2, 4), DataType.QSYMM_S16, QuantizationInfo((2.0**-11,)))
    x = network.add_input("x", TensorInfo((2, 3), DataType.QASYMM_S8, QuantizationInfo((0.1,))))
    states = [network.add_variable("h", state), network.add_variable("c", memory)]

    def weights(*shape: int) -> object:
        info = TensorInfo(shape, DataType.QSYMM_S8, QuantizationInfo((0.01,)))
        return network.add_constant(np.ones(shape, np.int8), info=info)

    given = LstmWeights(
        *[weights(4, 3) for _ in range(3)],
        *[weights(4, 4) for _ in range(3)],
        *[np.ones(4, np.int32)] * 3,
    )
    layer = network.add_q_lstm(x, *states, given, cell_clip=0.5)
    assert [slot.info for slot in layer.outputs] == [state, memory, state]
    with pytest.raises(InvalidArgumentError, match="4 scales expected"):
        network.add_q_lstm(x, *states, given, intermediate_scales=[1.0])


@pytest.mark.parametrize("family", shapes._FAMILIES)
def test_rules_are_of_layers_that_the_table_leaves_to_them(family: str) -> None:
    """Those of other layers would not be found: modules are imported for these alone."""
    rules = importlib.import_module(f"armnn_py.network.shapes.{family}").RULES
    assert {FACTS[layer_type].shape for layer_type in rules} <= {"custom", "stated"}
