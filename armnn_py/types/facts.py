# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# fmt: off
"""What is known of each layer type.

Generated from ``schema`` by ``python scripts/generate_layers.py``; do not edit.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from armnn_py.types.enumerations import (
    BinaryOperation,
    DataType,
    LayerType,
    ReduceOperation,
    UnaryOperation,
)
from armnn_py.types.layer_facts import LayerFacts

__all__ = [
    "FACTS",
    "MEMBERS_SINCE",
]

FACTS: Final[dict[LayerType, LayerFacts]] = {
    LayerType.ACTIVATION: LayerFacts(
        doc="Applies one of the activation functions to each element.",
        types="number",
        quantization="calculates",
        shape="same",
        pointwise=True,
    ),
    LayerType.ADDITION: LayerFacts(
        doc="Adds two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_BINARY,
        canonical_operation=BinaryOperation.ADD,
    ),
    LayerType.ARG_MIN_MAX: LayerFacts(
        doc="Finds the index of the least or greatest element along an axis; ties go to the lower index.",
        types="number",
        quantization="none",
    ),
    LayerType.BATCH_NORMALIZATION: LayerFacts(
        doc="Normalises each channel by a given mean and variance, then scales and shifts it.",
        operands=("input", "mean", "variance", "beta", "gamma"),
        types="number",
        quantization="calculates",
    ),
    LayerType.BATCH_TO_SPACE_ND: LayerFacts(
        doc="Moves blocks of the batch dimension into the spatial dimensions, then crops (TensorFlow's definition).",
    ),
    LayerType.COMPARISON: LayerFacts(
        doc="Compares two tensors element by element.",
        operands=("x", "y"),
        quantization="none",
        shape="broadcast",
        output_type=DataType.BOOLEAN,
        pointwise=True,
    ),
    LayerType.CONCAT: LayerFacts(
        doc="Joins tensors along one axis: input i fills views[i] of the output.",
        operands=(),
        variadic=True,
        permutable=True,
    ),
    LayerType.CONSTANT: LayerFacts(
        doc="Holds values that are known before the network runs.",
        operands=(),
        quantization="none",
        shape="stated",
        host=True,
    ),
    LayerType.CONVERT_FP16_TO_FP32: LayerFacts(
        doc="Converts float16 to float32.",
        quantization="none",
        pointwise=True,
        canonical=LayerType.CAST,
        canonical_types=(DataType.FLOAT16, DataType.FLOAT32),
    ),
    LayerType.CONVERT_FP32_TO_FP16: LayerFacts(
        doc="Converts float32 to float16.",
        quantization="none",
        pointwise=True,
        canonical=LayerType.CAST,
        canonical_types=(DataType.FLOAT32, DataType.FLOAT16),
    ),
    LayerType.CONVOLUTION2D: LayerFacts(
        doc="Convolves images with weights, dense or in groups.",
        operands=("input", "weights", "bias?"),
        types="number",
        quantization="calculates",
    ),
    LayerType.DEBUG: LayerFacts(
        doc="Hands its input on and tells the log its name, shape, least, greatest and mean value.",
        shape="same",
        opaque=True,
    ),
    LayerType.DEPTH_TO_SPACE: LayerFacts(
        doc="Moves channels into blocks of pixels (TensorFlow's definition).",
    ),
    LayerType.DEPTHWISE_CONVOLUTION2D: LayerFacts(
        doc="Convolves each channel by itself; output channel c reads input channel c / M.",
        operands=("input", "weights", "bias?"),
        types="number",
        quantization="calculates",
    ),
    LayerType.DEQUANTIZE: LayerFacts(
        doc="Makes real numbers of quantised ones.",
        quantization="none",
        pointwise=True,
        free_output_type=True,
    ),
    LayerType.DETECTION_POST_PROCESS: LayerFacts(
        doc="Decodes boxes against anchors and keeps the best by non-maximum suppression (TensorFlow Lite's definition).",
        operands=("boxes", "scores", "anchors"),
        outputs=("boxes", "classes", "scores", "count"),
        types="number",
        quantization="none",
    ),
    LayerType.DIVISION: LayerFacts(
        doc="Divides two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_BINARY,
        canonical_operation=BinaryOperation.DIV,
    ),
    LayerType.ELEMENTWISE_UNARY: LayerFacts(
        doc="Computes a function of each element.",
        quantization="calculates",
        pointwise=True,
    ),
    LayerType.FAKE_QUANTIZATION: LayerFacts(
        doc="Rounds real numbers to the 256 steps between two bounds.",
        types="float",
        quantization="none",
        shape="same",
        pointwise=True,
    ),
    LayerType.FILL: LayerFacts(
        doc="Makes a tensor of one value; the output's info carries the shape.",
        operands=("shape",),
        quantization="none",
        free_output_type=True,
    ),
    LayerType.FLOOR: LayerFacts(
        doc="Rounds down.",
        types="float",
        quantization="none",
        shape="same",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_UNARY,
        canonical_operation=UnaryOperation.FLOOR,
    ),
    LayerType.FULLY_CONNECTED: LayerFacts(
        doc="Multiplies rows of the input with a matrix of weights.",
        operands=("input", "weights", "bias?"),
        types="number",
        quantization="calculates",
    ),
    LayerType.GATHER: LayerFacts(
        doc="Picks slices along an axis by index; negative indices count from the end [armnn_py].",
        operands=("params", "indices"),
        permutable=True,
        permuted_operands=(0,),
        operand_ranks=((1, 1),),
    ),
    LayerType.INPUT: LayerFacts(
        doc="Is where a tensor enters the network.",
        operands=(),
        quantization="none",
        shape="stated",
        host=True,
    ),
    LayerType.INSTANCE_NORMALIZATION: LayerFacts(
        doc="Normalises each channel of each image by its own mean and variance.",
        types="number",
        quantization="calculates",
    ),
    LayerType.L2_NORMALIZATION: LayerFacts(
        doc="Divides each pixel by the L2 norm of its channels.",
        types="number",
        quantization="calculates",
    ),
    LayerType.LOGICAL_BINARY: LayerFacts(
        doc="Combines two boolean tensors.",
        operands=("x", "y"),
        types="boolean",
        quantization="none",
        shape="broadcast",
        output_type=DataType.BOOLEAN,
        pointwise=True,
    ),
    LayerType.LOG_SOFTMAX: LayerFacts(
        doc="Computes the logarithm of Softmax along an axis.",
        types="number",
        quantization="calculates",
        shape="same",
        permutable=True,
    ),
    LayerType.LSTM: LayerFacts(
        doc="Runs one step of a long short-term memory cell.",
        operands=("input", "output_state", "cell_state", "input_to_input_weights?", "input_to_forget_weights", "input_to_cell_weights", "input_to_output_weights", "recurrent_to_input_weights?", "recurrent_to_forget_weights", "recurrent_to_cell_weights", "recurrent_to_output_weights", "cell_to_input_weights?", "cell_to_forget_weights?", "cell_to_output_weights?", "input_gate_bias?", "forget_gate_bias", "cell_bias", "output_gate_bias", "projection_weights?", "projection_bias?", "input_layer_norm_weights?", "forget_layer_norm_weights?", "cell_layer_norm_weights?", "output_layer_norm_weights?"),
        outputs=("scratch", "output_state", "cell_state", "output"),
        types="number",
        quantization="calculates",
        shape="stated",
    ),
    LayerType.QLSTM: LayerFacts(
        doc="Runs one step of a quantised long short-term memory cell (Android NNAPI's definition).",
        operands=("input", "output_state", "cell_state", "input_to_input_weights?", "input_to_forget_weights", "input_to_cell_weights", "input_to_output_weights", "recurrent_to_input_weights?", "recurrent_to_forget_weights", "recurrent_to_cell_weights", "recurrent_to_output_weights", "cell_to_input_weights?", "cell_to_forget_weights?", "cell_to_output_weights?", "input_gate_bias?", "forget_gate_bias", "cell_bias", "output_gate_bias", "projection_weights?", "projection_bias?", "input_layer_norm_weights?", "forget_layer_norm_weights?", "cell_layer_norm_weights?", "output_layer_norm_weights?"),
        outputs=("output_state", "cell_state", "output"),
        types="number",
        quantization="calculates",
        shape="stated",
    ),
    LayerType.MAP: LayerFacts(
        doc="Makes device memory readable by the host.",
        outputs=(),
        quantization="none",
        opaque=True,
    ),
    LayerType.MAXIMUM: LayerFacts(
        doc="Takes the greater of two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_BINARY,
        canonical_operation=BinaryOperation.MAXIMUM,
    ),
    LayerType.MEAN: LayerFacts(
        doc="Averages over axes; no axes means all.",
        types="number",
        quantization="calculates",
        shape="reduce",
        permutable=True,
        permutable_if=(("keep_dims", True),),
        canonical=LayerType.REDUCE,
        canonical_operation=ReduceOperation.MEAN,
    ),
    LayerType.MEM_COPY: LayerFacts(
        doc="Copies a tensor between the memory of two backends.",
        shape="same",
        moves_memory=True,
    ),
    LayerType.MEM_IMPORT: LayerFacts(
        doc="Gives a backend a tensor that lies in another's memory.",
        shape="same",
        moves_memory=True,
    ),
    LayerType.MERGE: LayerFacts(
        doc="Hands on whichever of two tensors was computed.",
        operands=("x", "y"),
    ),
    LayerType.MINIMUM: LayerFacts(
        doc="Takes the lesser of two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_BINARY,
        canonical_operation=BinaryOperation.MINIMUM,
    ),
    LayerType.MULTIPLICATION: LayerFacts(
        doc="Multiplies two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_BINARY,
        canonical_operation=BinaryOperation.MUL,
    ),
    LayerType.NORMALIZATION: LayerFacts(
        doc="Normalises by a neighbourhood of channels or pixels (local response normalisation).",
        types="number",
        quantization="calculates",
    ),
    LayerType.OUTPUT: LayerFacts(
        doc="Is where a tensor leaves the network.",
        outputs=(),
        quantization="none",
        host=True,
    ),
    LayerType.PAD: LayerFacts(
        doc="Puts elements around a tensor; `value` is the number that is stored, also in a quantised tensor.",
        permutable=True,
    ),
    LayerType.PERMUTE: LayerFacts(
        doc="Reorders dimensions: source dimension d becomes dimension mappings[d].",
        canonical=LayerType.TRANSPOSE,
        canonical_inverse="mappings",
    ),
    LayerType.POOLING2D: LayerFacts(
        doc="Takes the maximum, average or L2 norm of windows of an image.",
        types="number",
        quantization="calculates",
    ),
    LayerType.PRE_COMPILED: LayerFacts(
        doc="Runs what a backend compiled of a sub-graph; the blob comes with the workload.",
        operands=(),
        variadic=True,
        outputs=None,
        quantization="none",
        shape="stated",
        opaque=True,
    ),
    LayerType.PRELU: LayerFacts(
        doc="Multiplies negative elements with alpha.",
        operands=("input", "alpha"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
    ),
    LayerType.QUANTIZE: LayerFacts(
        doc="Makes quantised numbers of real ones.",
        quantization="calculates",
        pointwise=True,
        free_output_type=True,
    ),
    LayerType.QUANTIZED_LSTM: LayerFacts(
        doc="Runs one step of an LSTM cell in 8 and 16 bits (Android NNAPI's QUANTIZED_16BIT_LSTM).",
        operands=("input", "cell_state", "output_state", "input_to_input_weights", "input_to_forget_weights", "input_to_cell_weights", "input_to_output_weights", "recurrent_to_input_weights", "recurrent_to_forget_weights", "recurrent_to_cell_weights", "recurrent_to_output_weights", "input_gate_bias", "forget_gate_bias", "cell_bias", "output_gate_bias"),
        outputs=("cell_state", "output_state"),
        types="number",
        quantization="calculates",
        shape="stated",
    ),
    LayerType.RESHAPE: LayerFacts(
        doc="Gives the elements another shape.",
    ),
    LayerType.RANK: LayerFacts(
        doc="Tells the number of dimensions.",
        quantization="none",
    ),
    LayerType.RESIZE: LayerFacts(
        doc="Resamples an image.",
        types="number",
        quantization="calculates",
    ),
    LayerType.REDUCE: LayerFacts(
        doc="Reduces axes by sum, maximum, mean, minimum or product; no axes means all.",
        types="number",
        quantization="calculates",
        shape="reduce",
        permutable=True,
        permutable_if=(("keep_dims", True),),
    ),
    LayerType.SLICE: LayerFacts(
        doc="Cuts out a box.",
        permutable=True,
    ),
    LayerType.SOFTMAX: LayerFacts(
        doc="Computes exp(beta * x) divided by its sum along an axis.",
        types="number",
        quantization="calculates",
        shape="same",
        permutable=True,
    ),
    LayerType.SPACE_TO_BATCH_ND: LayerFacts(
        doc="Pads, then moves blocks of the spatial dimensions into the batch dimension (TensorFlow's definition).",
    ),
    LayerType.SPACE_TO_DEPTH: LayerFacts(
        doc="Moves blocks of pixels into channels (TensorFlow's definition).",
    ),
    LayerType.SPLITTER: LayerFacts(
        doc="Cuts a tensor into several: output i is views[i] of the input.",
        outputs=None,
        permutable=True,
    ),
    LayerType.STACK: LayerFacts(
        doc="Joins equal tensors along a new axis.",
        operands=(),
        variadic=True,
    ),
    LayerType.STAND_IN: LayerFacts(
        doc="Marks an operator that no layer expresses.",
        operands=(),
        variadic=True,
        outputs=None,
        quantization="none",
        shape="stated",
        opaque=True,
    ),
    LayerType.STRIDED_SLICE: LayerFacts(
        doc="Cuts with steps (TensorFlow's definition); the host resolves ellipsis and new axis, so a backend sees these two masks as zero.",
        permutable=True,
        permutable_if=(("shrink_axis_mask", 0), ("ellipsis_mask", 0), ("new_axis_mask", 0),),
    ),
    LayerType.SUBTRACTION: LayerFacts(
        doc="Subtracts two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
        canonical=LayerType.ELEMENTWISE_BINARY,
        canonical_operation=BinaryOperation.SUB,
    ),
    LayerType.SWITCH: LayerFacts(
        doc="Hands its input to one of two outputs.",
        operands=("x", "y"),
        outputs=("output0", "output1"),
    ),
    LayerType.TRANSPOSE: LayerFacts(
        doc="Reorders dimensions: dimension d comes from source dimension mappings[d], as in numpy.",
    ),
    LayerType.TRANSPOSE_CONVOLUTION2D: LayerFacts(
        doc="Adds the weights, scaled by each input element, into a larger image.",
        operands=("input", "weights", "bias?"),
        types="number",
        quantization="calculates",
    ),
    LayerType.UNMAP: LayerFacts(
        doc="Ends the host's access to device memory.",
        outputs=(),
        quantization="none",
        opaque=True,
    ),
    LayerType.CAST: LayerFacts(
        doc="Converts each element to another data type, as numpy's astype.",
        quantization="none",
        pointwise=True,
        free_output_type=True,
    ),
    LayerType.SHAPE: LayerFacts(
        doc="Tells the dimensions.",
        quantization="none",
    ),
    LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM: LayerFacts(
        doc="Runs a long short-term memory cell over a sequence.",
        operands=("input", "output_state", "cell_state", "input_to_input_weights?", "input_to_forget_weights", "input_to_cell_weights", "input_to_output_weights", "recurrent_to_input_weights?", "recurrent_to_forget_weights", "recurrent_to_cell_weights", "recurrent_to_output_weights", "cell_to_input_weights?", "cell_to_forget_weights?", "cell_to_output_weights?", "input_gate_bias?", "forget_gate_bias", "cell_bias", "output_gate_bias", "projection_weights?", "projection_bias?", "input_layer_norm_weights?", "forget_layer_norm_weights?", "cell_layer_norm_weights?", "output_layer_norm_weights?"),
        outputs=("output_state", "cell_state", "output"),
        types="number",
        quantization="calculates",
        shape="stated",
    ),
    LayerType.CHANNEL_SHUFFLE: LayerFacts(
        doc="Mixes groups of channels (Android NNAPI's definition).",
    ),
    LayerType.CONVOLUTION3D: LayerFacts(
        doc="Convolves volumes with weights.",
        operands=("input", "weights", "bias?"),
        types="number",
        quantization="calculates",
    ),
    LayerType.POOLING3D: LayerFacts(
        doc="Takes the maximum, average or L2 norm of windows of a volume.",
        types="number",
        quantization="calculates",
    ),
    LayerType.GATHER_ND: LayerFacts(
        doc="Picks slices by index tuples (TensorFlow's gather_nd).",
        operands=("params", "indices"),
    ),
    LayerType.BATCH_MAT_MUL: LayerFacts(
        doc="Multiplies the matrices of the last two dimensions; the others broadcast.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
    ),
    LayerType.ELEMENTWISE_BINARY: LayerFacts(
        doc="Computes a function of two tensors.",
        operands=("x", "y"),
        types="number",
        quantization="calculates",
        shape="broadcast",
        pointwise=True,
    ),
    LayerType.REVERSE_V2: LayerFacts(
        doc="Reverses the order along axes.",
        operands=("input", "axes"),
    ),
    LayerType.TILE: LayerFacts(
        doc="Repeats a tensor, as numpy.tile.",
    ),
    LayerType.FUSED: LayerFacts(
        doc="Runs several layers in one kernel; comes out of a backend's optimisation.",
        operands=(),
        variadic=True,
        outputs=None,
        quantization="none",
        shape="stated",
        opaque=True,
    ),
    LayerType.BROADCAST_TO: LayerFacts(
        doc="Repeats dimensions of size 1, as numpy.broadcast_to.",
    ),
    LayerType.SCATTER_ND: LayerFacts(
        doc="Writes updates into a tensor at index tuples.",
        operands=("input", "indices", "updates"),
    ),
    LayerType.SELECT: LayerFacts(
        doc="Takes the element of x where the condition holds and that of y elsewhere, as numpy.where.",
        operands=("condition", "x", "y"),
        shape="broadcast",
        operand_types=((0, "boolean"),),
        pointwise=True,
    ),
    LayerType.LAYER_NORMALIZATION: LayerFacts(
        doc="Normalises by mean and variance over the dimensions from an axis on, then multiplies by gamma and adds beta (ONNX's LayerNormalization).",
        operands=("input", "gamma?", "beta?"),
        types="float",
        quantization="calculates",
    ),
    LayerType.RMS_NORMALIZATION: LayerFacts(
        doc="Divides by the root of the mean square over the dimensions from an axis on, then multiplies by gamma (ONNX's RMSNormalization).",
        operands=("input", "gamma"),
        types="float",
        quantization="calculates",
    ),
    LayerType.GRU: LayerFacts(
        doc="Runs gated recurrent units over a sequence (ONNX's GRU with sigmoid and tanh).",
        operands=("input", "input_weights", "recurrent_weights", "input_bias?", "recurrent_bias?", "hidden_state?", "sequence_lengths?"),
        outputs=("output", "hidden_state"),
        types="number",
        quantization="calculates",
    ),
    LayerType.TOP_K: LayerFacts(
        doc="Finds the k greatest or least elements along an axis and their indices; ties go to the lower index.",
        outputs=("values", "indices"),
        types="number",
    ),
    LayerType.CUM_SUM: LayerFacts(
        doc="Sums up along an axis, as numpy.cumsum.",
        types="number",
        quantization="calculates",
        shape="same",
        permutable=True,
    ),
    LayerType.ONE_HOT: LayerFacts(
        doc="Makes a new axis that holds on_value where an index says and off_value elsewhere; negative indices count from the end.",
        operands=("indices", "on_value", "off_value"),
        quantization="none",
    ),
}

#: Enumerators that came after the first minor version, by number, and that version.
MEMBERS_SINCE: Final[dict[type[IntEnum], dict[int, int]]] = {}
