# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""An example of each form of each layer type, in one data type, and which of them a backend takes.

A layer type has several where a backend may take one form and not another: each function of an
Activation, both orders of an image's dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import QUANTIZATION, Example, Operand, Operands
from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport
from armnn_py.backends.questions.recurrent_examples import (
    lstm_shapes,
    lstm_types_in_integers,
    quantized_lstm_types,
)
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataLayout,
    DataType,
    LayerType,
    LogicalBinaryOperation,
    NormalizationAlgorithmMethod,
    PoolingAlgorithm,
    RandomDistribution,
    ReduceOperation,
    ResizeMethod,
    ScatterNdFunction,
    UnaryOperation,
)
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend


def examples_of(of: Operands) -> Iterator[Example]:
    """Give an example of each form of each layer type, whether there is such a layer or not."""
    yield from _plain(of)
    yield from _elementwise(of)
    yield from _conversions(of)
    yield from _movements(of)
    yield from _reductions(of)
    yield from _recurrent(of)
    yield from _attention(of)
    for layout in (DataLayout.NCHW, DataLayout.NHWC):
        yield from _images(of, layout)
        yield from _convolutions(of, layout)
    for layout in (DataLayout.NCDHW, DataLayout.NDHWC):
        yield from _volumes(of, layout)


def _plain(of: Operands) -> Iterator[Example]:
    """Layers of which the table tells enough to make an example with their default parameters."""
    for layer_type, facts in FACTS.items():
        if facts.shape in ("same", "broadcast") and facts.canonical is None:
            if facts.moves_memory:
                continue
            kind = d.DESCRIPTOR_OF[layer_type]
            descriptor = None if kind is None else kind()
            operands = [of.x(2, 4) for _ in facts.operands]
            for index, group in facts.operand_types:
                assert group == "boolean"
                operands[index] = Operand(TensorInfo((2, 4), DataType.BOOLEAN))
            yield Example(layer_type, descriptor, operands)


def _elementwise(of: Operands) -> Iterator[Example]:
    one, two = [of.x(2, 4)], [of.x(2, 4), of.x(2, 4)]
    for function in ActivationFunction:
        factor = 1.0 if function is ActivationFunction.TANH else 0.0  # it is tanh(b * x)
        descriptor = d.ActivationDescriptor(function=function, a=1.0, b=factor)
        yield Example(LayerType.ACTIVATION, descriptor, one)
    for unary in UnaryOperation:
        yield Example(LayerType.ELEMENTWISE_UNARY, d.ElementwiseUnaryDescriptor(unary), one)
    for binary in BinaryOperation:
        yield Example(LayerType.ELEMENTWISE_BINARY, d.ElementwiseBinaryDescriptor(binary), two)
    for comparison in ComparisonOperation:
        yield Example(LayerType.COMPARISON, d.ComparisonDescriptor(comparison), two)
    for logical in LogicalBinaryOperation:
        yield Example(LayerType.LOGICAL_BINARY, d.LogicalBinaryDescriptor(logical), two)
    yield Example(LayerType.MERGE, None, two)
    yield Example(LayerType.SWITCH, None, two)


def _conversions(of: Operands) -> Iterator[Example]:
    one = [of.x(2, 4)]
    for target in DataType:
        stated = TensorInfo((2, 4), target, QUANTIZATION.get(target))
        yield Example(LayerType.CAST, None, one, [stated])
    yield Example(LayerType.DEQUANTIZE, None, one, [TensorInfo((2, 4))])
    blocks, scales = d.DequantizeBlocksDescriptor(block_size=2), TensorInfo((2, 2))
    operands = [of.parameter(2, 4), Operand(scales, is_constant=True)]
    yield Example(LayerType.DEQUANTIZE_BLOCKS, blocks, operands, [TensorInfo((2, 4))])
    yield Example(LayerType.DYNAMIC_QUANTIZE, d.DynamicQuantizeDescriptor(), one)
    state = Operand(TensorInfo((2,), DataType.SIGNED64))
    for distribution in RandomDistribution:
        yield Example(LayerType.RANDOM, d.RandomDescriptor(distribution), [*one, state])
    for source in (DataType.FLOAT32, DataType.FLOAT16):
        real = Operand(TensorInfo((2, 4), source))
        yield Example(LayerType.QUANTIZE, None, [real], [of.info(2, 4)])
    yield Example(LayerType.FILL, d.FillDescriptor(1.0), [of.integers([2, 4])], [of.info(2, 4)])
    yield Example(LayerType.RANK, None, one)
    yield Example(LayerType.SHAPE, None, one)


def _movements(of: Operands) -> Iterator[Example]:
    one, two = [of.x(2, 4)], [of.x(2, 4), of.x(2, 4)]
    halves = (d.View((0, 0), (2, 4)), d.View((2, 0), (2, 4)))
    for layer_type, descriptor, operands in (
        (LayerType.BROADCAST_TO, d.BroadcastToDescriptor((3, 2, 4)), one),
        (LayerType.CHANNEL_SHUFFLE, d.ChannelShuffleDescriptor(2, 1), one),
        (LayerType.CONCAT, d.ConcatDescriptor(0, halves), two),
        (LayerType.GATHER, d.GatherDescriptor(0), [of.x(2, 4), of.integers([0, 1])]),
        (LayerType.GATHER_ND, None, [of.x(2, 4), of.integers([[0], [1]])]),
        (LayerType.ONE_HOT, d.OneHotDescriptor(3), [of.integers([0, 1]), of.x(), of.x()]),
        (LayerType.PAD, d.PadDescriptor(pad_before=(0, 1), pad_after=(1, 0)), one),
        (LayerType.RESHAPE, d.ReshapeDescriptor((8,)), one),
        (LayerType.REVERSE_V2, None, [of.x(2, 4), of.integers([0])]),
        (LayerType.SLICE, d.SliceDescriptor((0, 1), (2, 2)), one),
        (LayerType.SPLITTER, d.SplitterDescriptor(0, halves), [of.x(4, 4)]),
        (LayerType.STACK, d.StackDescriptor(0, 2, (2, 4)), two),
        (LayerType.STRIDED_SLICE, d.StridedSliceDescriptor((0, 0), (2, 4), (1, 2)), one),
        (LayerType.TILE, d.TileDescriptor((1, 2)), one),
        (LayerType.TRANSPOSE, d.PermuteDescriptor((1, 0)), one),
    ):
        yield Example(layer_type, descriptor, operands)
    for function in ScatterNdFunction:
        operands = [of.x(2, 4), of.integers([[0]]), of.x(1, 4)]
        yield Example(LayerType.SCATTER_ND, d.ScatterNdDescriptor(function), operands)


def _reductions(of: Operands) -> Iterator[Example]:
    one = [of.x(2, 4)]
    for operation in ReduceOperation:
        yield Example(LayerType.REDUCE, d.ReduceDescriptor(operation, axes=(1,)), one)
    for function in ArgMinMaxFunction:
        yield Example(LayerType.ARG_MIN_MAX, d.ArgMinMaxDescriptor(function), one)
    yield Example(LayerType.TOP_K, d.TopKDescriptor(), one)
    yield Example(
        LayerType.RMS_NORMALIZATION, d.RmsNormalizationDescriptor(), [*one, of.parameter(4)]
    )
    both = [*one, of.parameter(4), of.parameter(4)]
    yield Example(LayerType.LAYER_NORMALIZATION, d.LayerNormalizationDescriptor(), both)
    yield Example(LayerType.BATCH_MAT_MUL, d.BatchMatMulDescriptor(), [of.x(2, 4), of.x(4, 3)])
    sums = [TensorInfo((2, 3), DataType.SIGNED32)]
    yield Example(LayerType.MAT_MUL_INTEGER, None, [of.x(2, 4), of.parameter(4, 3)], sums)
    boxes = [of.x(1, 6, 4), of.x(1, 6, 3), of.parameter(6, 4)]
    detection = d.DetectionPostProcessDescriptor(
        max_detections=2, num_classes=2, scale_x=1.0, scale_y=1.0, scale_w=1.0, scale_h=1.0
    )
    found = [TensorInfo(shape) for shape in ((1, 2, 4), (1, 2), (1, 2), (1,))]
    yield Example(LayerType.DETECTION_POST_PROCESS, detection, boxes, found)
    for center, sigma in ((False, 0.0), (True, 0.0), (False, 0.5)):
        best = d.NonMaxSuppressionDescriptor(
            3, 0.25, 0.125, True, center_point_box=center, soft_nms_sigma=sigma
        )
        yield Example(LayerType.NON_MAX_SUPPRESSION, best, [of.x(2, 6, 4), of.x(2, 3, 6)])
    nodes = of.integers([[1, 0, 1, -1], [0, 11, 2, -2], [2, 5, -3, -4]])
    trees = [of.x(5, 3), of.parameter(3), nodes, of.integers([0, 1, -5])]
    yield Example(LayerType.TREE_LEAVES, None, trees)


def _recurrent(of: Operands) -> Iterator[Example]:
    gates = [of.parameter(1, 9, 4), of.parameter(1, 9, 3)]
    yield Example(LayerType.GRU, d.GruDescriptor(), [of.x(2, 1, 4), *gates])
    unit = [of.parameter(1, 3, 4), of.parameter(1, 3, 3)]
    yield Example(LayerType.RNN, d.RnnDescriptor(), [of.x(2, 1, 4), *unit])
    states = [of.x(2, 3), of.x(2, 3)]
    known = [None if shape is None else of.parameter(*shape) for shape in lstm_shapes(4, 3)]
    cell = d.LstmDescriptor(activation_function=4, cifg_enabled=False)
    yield Example(LayerType.LSTM, cell, [of.x(2, 4), *states, *known])
    operands = [of.x(2, 5, 4), *states, *known]
    yield Example(LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM, cell, operands)
    kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
    yield lstm_in_integers(of, kind, cell, (2, 5, 4), 3, 3, lstm_shapes(4, 3))
    step = d.QLstmDescriptor(cifg_enabled=False)
    yield lstm_in_integers(of, LayerType.QLSTM, step, (2, 4), 3, 3, lstm_shapes(4, 3))
    yield quantized_lstm(of, 2, 4, 3)


def _attention(of: Operands) -> Iterator[Example]:
    for interleaved in (False, True):
        rotary = d.RotaryEmbeddingDescriptor(interleaved)
        operands = [of.x(2, 3, 8), of.x(3, 4), of.x(3, 4)]
        yield Example(LayerType.ROTARY_EMBEDDING, rotary, operands)
    operands = [of.x(1, 4, 3, 8), of.x(1, 2, 5, 8), of.x(1, 2, 5, 8)]
    seen = Operand(TensorInfo((3, 5), DataType.BOOLEAN))
    for masks in ([], [of.x(3, 5)], [seen]):
        for causal in (False, True):
            attention = d.AttentionDescriptor(0.5, causal=causal)
            yield Example(LayerType.ATTENTION, attention, [*operands, *masks])
    yield Example(LayerType.ATTENTION, d.AttentionDescriptor(softcap=2.0), operands)


def quantized_lstm(of: Operands, batch: int, size: int, cells: int) -> Example:
    """Return a QuantizedLstm with its types; in other types than QASYMM_U8, of that type alone."""
    infos = quantized_lstm_types(batch, size, cells)
    stated = infos[1:3] if of.type is DataType.QASYMM_U8 else None
    if stated is None:
        infos = [of.info(*info.static_shape) for info in infos]
    operands = [Operand(info, is_constant=place > 2) for place, info in enumerate(infos)]
    return Example(LayerType.QUANTIZED_LSTM, None, operands, stated)


def lstm_in_integers(
    of: Operands,
    layer_type: LayerType,
    descriptor: d.Descriptor,
    input_shape: tuple[int, ...],
    outputs: int,
    cells: int,
    shapes: Sequence[tuple[int, ...] | None],
) -> Example:
    """Return an LSTM in integers; in other types than QASYMM_S8, one of that type alone."""
    infos, found = lstm_types_in_integers(input_shape, outputs, cells, shapes)
    if of.type is not DataType.QASYMM_S8:
        infos = [None if info is None else of.info(*info.static_shape) for info in infos]
    operands = [
        None if info is None else Operand(info, is_constant=place > 2)
        for place, info in enumerate(infos)
    ]
    stated = found if of.type is DataType.QASYMM_S8 else None
    return Example(layer_type, descriptor, operands, stated)


def _images(of: Operands, layout: DataLayout) -> Iterator[Example]:
    image = [of.x(4, 4, 4, 4)]
    channels = [of.parameter(4) for _ in range(4)]
    for pool in PoolingAlgorithm:
        pooling = d.Pooling2dDescriptor(pool, pool_width=2, pool_height=2, data_layout=layout)
        yield Example(LayerType.POOLING2D, pooling, image)
    for method in ResizeMethod:
        resize = d.ResizeDescriptor(8, 8, method, layout)
        yield Example(LayerType.RESIZE, resize, image)
    for local in NormalizationAlgorithmMethod:
        normalization = d.NormalizationDescriptor(
            method=local, norm_size=3, alpha=1.0, beta=0.5, k=1.0, data_layout=layout
        )
        yield Example(LayerType.NORMALIZATION, normalization, image)
    for layer_type, descriptor, operands in (
        (LayerType.BATCH_NORMALIZATION, d.BatchNormalizationDescriptor(data_layout=layout),
         [*image, *channels]),
        (LayerType.INSTANCE_NORMALIZATION, d.InstanceNormalizationDescriptor(data_layout=layout),
         image),
        (LayerType.L2_NORMALIZATION, d.L2NormalizationDescriptor(data_layout=layout), image),
        (LayerType.DEPTH_TO_SPACE, d.SpaceDepthDescriptor(2, layout), image),
        (LayerType.SPACE_TO_DEPTH, d.SpaceDepthDescriptor(2, layout), image),
        (LayerType.BATCH_TO_SPACE_ND, d.BatchToSpaceNdDescriptor((2, 2), data_layout=layout),
         image),
        (LayerType.SPACE_TO_BATCH_ND, d.SpaceToBatchNdDescriptor((2, 2), data_layout=layout),
         image),
    ):  # fmt: skip
        yield Example(layer_type, descriptor, operands)


def _convolutions(of: Operands, layout: DataLayout) -> Iterator[Example]:
    image = of.x(1, 4, 4, 4)
    weights = of.weights(4, 4, 3, 3) if layout is DataLayout.NCHW else of.weights(4, 3, 3, 4)
    dense = [image, weights, of.bias(4)]
    strips = [image, of.weights(1, 3, 3, 4), of.bias(4)]
    for layer_type, descriptor, operands in (
        (LayerType.CONVOLUTION2D, d.Convolution2dDescriptor, dense),
        (LayerType.DEPTHWISE_CONVOLUTION2D, d.DepthwiseConvolution2dDescriptor, strips),
        (LayerType.TRANSPOSE_CONVOLUTION2D, d.TransposeConvolution2dDescriptor, dense),
    ):
        yield Example(layer_type, descriptor(bias_enabled=True, data_layout=layout), operands)
    full = d.FullyConnectedDescriptor(bias_enabled=True)
    operands = [of.x(2, 4), of.weights(4, 3), of.bias(3)]
    yield Example(LayerType.FULLY_CONNECTED, full, operands)


def _volumes(of: Operands, layout: DataLayout) -> Iterator[Example]:
    volume = of.x(1, 4, 4, 4, 4)
    for pool in PoolingAlgorithm:
        pooling = d.Pooling3dDescriptor(
            pool, pool_width=2, pool_height=2, pool_depth=2, data_layout=layout
        )
        yield Example(LayerType.POOLING3D, pooling, [volume])
    convolution = d.Convolution3dDescriptor(bias_enabled=True, data_layout=layout)
    operands = [volume, of.weights(3, 3, 3, 4, 4), of.bias(4)]
    yield Example(LayerType.CONVOLUTION3D, convolution, operands)


def probe_support(backend: Backend) -> dict[LayerType, tuple[DataType, ...]]:
    """Ask a backend which layers it takes.

    Parameters
    ----------
    backend
        A loaded backend.

    Returns
    -------
    dict
        For each layer type that there are examples of: the data types of which it takes an example,
        in the order of `DataType`; none if it does not take the layer. The type is that of a
        layer's first input; for Fill and Quantize, of its output.

    Raises
    ------
    InvalidArgumentError
        The runtime of the backend is closed.
    """
    taken: dict[LayerType, dict[DataType, None]] = {}
    with LayerSupport(backend) as support:
        for data_type in DataType:
            examples = list(example_layers(data_type))
            answers = support.ask_many(examples)
            for example, answer in zip(examples, answers, strict=True):
                types = taken.setdefault(example.type, {})
                if answer:
                    types[data_type] = None
    return {layer_type: tuple(taken[layer_type]) for layer_type in sorted(taken)}


def example_layers(data_type: DataType) -> Iterator[LayerSignature]:
    """Give the well-formed examples of a data type."""
    plain = examples_of(Operands(DataType.FLOAT32))
    for example, in_float in zip(examples_of(Operands(data_type)), plain, strict=True):
        signature = example.signature(data_type, in_float)
        if signature is not None:
            yield signature
