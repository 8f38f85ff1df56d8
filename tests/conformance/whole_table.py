# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every layer of the table in each rank, with each value of each option: examples to ask about.

Where a layer has sizes, all of them are 4, so that each order of dimensions, transposition and the
like fits; an option that demands or forbids operands gets them, or loses them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from msgspec import structs

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.backends.questions.layer_examples import examples_of
from armnn_py.backends.questions.recurrent_examples import lstm_shapes
from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

__all__ = ["RANKS", "SHAPES", "WALKED", "variants"]

RANKS = range(6)
SHAPES: tuple[tuple[int, ...], ...] = (
    (), (4,), (4, 4), (2, 4, 4), (4, 4, 4, 4), (2, 4, 4, 4, 4),
)  # fmt: skip

#: No backend is asked about these: the host does them, or only their backend knows what they are.
_UNSEEN = {
    LayerType.INPUT, LayerType.OUTPUT, LayerType.CONSTANT, LayerType.MEM_COPY,
    LayerType.MEM_IMPORT, LayerType.MAP, LayerType.UNMAP, LayerType.PRE_COMPILED,
    LayerType.STAND_IN, LayerType.FUSED,
}  # fmt: skip
WALKED = tuple(one for one in LayerType if one not in _UNSEEN)

#: Of one rank: their example has its input in others, too, which the host refuses.
_OF_ONE_RANK = {
    LayerType.DETECTION_POST_PROCESS, LayerType.GRU, LayerType.RNN, LayerType.QLSTM,
    LayerType.QUANTIZED_LSTM, LayerType.ATTENTION, LayerType.NON_MAX_SUPPRESSION,
    LayerType.TREE_LEAVES,
}  # fmt: skip
_LSTMS = {LayerType.LSTM, LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM}


def variants(layer: LayerType, of: Operands, rank: int) -> Iterator[tuple[str, Example | str]]:
    """Give examples by what tells them apart; for values that no descriptor takes, the reason."""
    for number, example in enumerate(_bases(layer, of, rank)):
        stem = f"rank{rank}" if number == 0 else f"rank{rank}-form{number + 1}"
        yield stem, example
        descriptor = example.descriptor
        if descriptor is None:
            continue
        for field in descriptor.__struct_fields__:
            present = getattr(descriptor, field)
            for value in _values_of(present):
                if value is present:
                    continue
                name = f"{stem}-{field}={getattr(value, 'name', value)}".lower()
                try:
                    changed = structs.replace(descriptor, **{field: value})
                except InvalidArgumentError as error:
                    yield name, error.message
                else:
                    yield name, _fitting(structs.replace(example, descriptor=changed), of)


def _values_of(value: Any) -> Sequence[Any]:
    if isinstance(value, bool):
        return (False, True)
    return tuple(type(value)) if isinstance(value, IntEnum) else ()


def _fitting(example: Example, of: Operands) -> Example:
    """Give a layer the operands that its options ask for."""
    form: Any = example.descriptor
    operands = list(example.operands)
    if getattr(form, "bias_enabled", True) is False:
        operands = operands[:2]
    if example.type in _LSTMS:
        outputs = 3 if form.projection_enabled else None
        shapes = lstm_shapes(
            4, 3, outputs, cifg=form.cifg_enabled, peephole=form.peephole_enabled,
            norm=form.layer_norm_enabled,
        )  # fmt: skip
        known = [None if shape is None else of.parameter(*shape) for shape in shapes]
        operands = [*operands[:3], *known]
    if example.type in (LayerType.GRU, LayerType.RNN) and form.direction.name == "BIDIRECTIONAL":
        operands[1:3] = [
            one and of.parameter(2, *one.info.static_shape[1:]) for one in operands[1:3]
        ]
    if example.type is LayerType.MAT_MUL_INTEGER or operands == list(example.operands):
        return example
    return structs.replace(example, operands=operands)


# ---- One example of each layer -------------------------------------------------------------------


def _bases(layer: LayerType, of: Operands, rank: int) -> Iterator[Example]:
    shape = SHAPES[rank]
    x, facts, kind = of.x(*shape), FACTS[layer], d.DESCRIPTOR_OF[layer]
    if layer in _OF_ONE_RANK:
        for example in examples_of(of):
            if example.type is layer:
                yield _in_rank(example, of, rank)
    elif layer in _LSTMS:
        cell = d.LstmDescriptor(activation_function=4, cifg_enabled=False)
        sequence = (2, 2, 4) if layer is LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM else (2, 4)
        states = [of.x(2, 3), of.x(2, 3)]
        known = [None if one is None else of.parameter(*one) for one in lstm_shapes(4, 3)]
        yield _in_rank(Example(layer, cell, [of.x(*sequence), *states, *known]), of, rank)
    elif layer in (LayerType.CAST, LayerType.DEQUANTIZE, LayerType.QUANTIZE, LayerType.FILL):
        yield from _converting(layer, of, shape)
    elif facts.shape in ("same", "broadcast"):
        operands = [x for _ in facts.operands]
        for index, _ in facts.operand_types:
            operands[index] = Operand(TensorInfo(shape, DataType.BOOLEAN))
        yield Example(layer, None if kind is None else kind(), operands)
    elif facts.shape == "reduce":
        yield Example(layer, kind(axes=(0,) if rank else ()), [x])  # type: ignore[misc, call-arg]
    else:
        for form, operands, outputs in _custom(layer, of, shape):
            yield Example(layer, form, operands, outputs)


def _in_rank(example: Example, of: Operands, rank: int) -> Example:
    first = example.operands[0]
    assert first is not None
    shape = first.info.static_shape
    shape = shape[len(shape) - rank :] if rank <= len(shape) else (1,) * (rank - len(shape)) + shape
    info = TensorInfo(shape, first.info.data_type, first.info.quantization)
    return structs.replace(example, operands=[Operand(info), *example.operands[1:]])


def _converting(layer: LayerType, of: Operands, shape: tuple[int, ...]) -> Iterator[Example]:
    x = of.x(*shape)
    if layer is LayerType.FILL:
        sizes = of.integers(list(shape))
        yield Example(layer, d.FillDescriptor(1.0), [sizes], [of.info(*shape)])
        return
    for other in DataType:
        if layer is LayerType.QUANTIZE:
            yield Example(layer, None, [Operands(other).x(*shape)], [of.info(*shape)])
        else:
            yield Example(layer, None, [x], [Operands(other).info(*shape)])


_Form = tuple[Any, list[Operand | None], list[TensorInfo] | None]


def _custom(layer: LayerType, of: Operands, shape: tuple[int, ...]) -> Iterator[_Form]:
    rank = len(shape)
    x, last = of.x(*shape), of.parameter(4)
    made = _movements(layer, of, shape) or _products(layer, of, shape)
    if made is not None:
        yield (*made, None)
        return
    sums = [TensorInfo(shape, DataType.SIGNED32)]
    block = ((2,), (0,), (0,)) if rank == 3 else ((2, 2), (0, 0), (0, 0))
    blocks = d.DequantizeBlocksDescriptor(block_size=2)
    scales = Operand(TensorInfo((*shape[:-1], 2)), is_constant=True)
    one: dict[LayerType, _Form] = {
        LayerType.ARG_MIN_MAX: (d.ArgMinMaxDescriptor(), [x], None),
        LayerType.TOP_K: (d.TopKDescriptor(k=2), [x], None),
        LayerType.BATCH_NORMALIZATION: (d.BatchNormalizationDescriptor(), [x, *[last] * 4], None),
        LayerType.INSTANCE_NORMALIZATION: (d.InstanceNormalizationDescriptor(), [x], None),
        LayerType.L2_NORMALIZATION: (d.L2NormalizationDescriptor(), [x], None),
        LayerType.NORMALIZATION: (
            d.NormalizationDescriptor(norm_size=3, alpha=1.0, beta=0.5, k=1.0), [x], None,
        ),
        LayerType.LAYER_NORMALIZATION: (d.LayerNormalizationDescriptor(), [x, last, last], None),
        LayerType.RMS_NORMALIZATION: (d.RmsNormalizationDescriptor(), [x, last], None),
        LayerType.ROTARY_EMBEDDING: (
            d.RotaryEmbeddingDescriptor(), [x, *[of.x(*shape[:-1], 2)] * 2], None,
        ),
        LayerType.ELEMENTWISE_UNARY: (d.ElementwiseUnaryDescriptor(), [x], None),
        LayerType.DYNAMIC_QUANTIZE: (d.DynamicQuantizeDescriptor(), [x], None),
        LayerType.RANDOM: (
            d.RandomDescriptor(), [x, Operand(TensorInfo((2,), DataType.SIGNED64))], None,
        ),
        LayerType.DEQUANTIZE_BLOCKS: (
            blocks, [of.parameter(*shape), scales], [TensorInfo(shape)],
        ),
        LayerType.MAT_MUL_INTEGER: (None, [x, of.parameter(*shape)], sums),
        LayerType.POOLING2D: (d.Pooling2dDescriptor(pool_width=2, pool_height=2), [x], None),
        LayerType.POOLING3D: (
            d.Pooling3dDescriptor(pool_width=2, pool_height=2, pool_depth=2), [x], None,
        ),
        LayerType.RESIZE: (d.ResizeDescriptor(8, 8), [x], None),
        LayerType.DEPTH_TO_SPACE: (d.SpaceDepthDescriptor(2), [x], None),
        LayerType.SPACE_TO_DEPTH: (d.SpaceDepthDescriptor(2), [x], None),
        LayerType.BATCH_TO_SPACE_ND: (
            d.BatchToSpaceNdDescriptor(*block), [x], None,
        ),
        LayerType.SPACE_TO_BATCH_ND: (
            d.SpaceToBatchNdDescriptor(*block), [x], None,
        ),
        LayerType.MERGE: (None, [x, x], None),
        LayerType.SWITCH: (None, [x, Operand(TensorInfo((), DataType.BOOLEAN))], None),
        LayerType.CONVERT_FP16_TO_FP32: (None, [x], None),
        LayerType.CONVERT_FP32_TO_FP16: (None, [x], None),
        LayerType.RANK: (None, [x], None),
        LayerType.SHAPE: (None, [x], None),
    }  # fmt: skip
    yield one[layer]


def _products(
    layer: LayerType, of: Operands, shape: tuple[int, ...]
) -> tuple[Any, list[Operand | None]] | None:
    x, square = of.x(*shape), of.weights(4, 4, 4, 4)
    pads = {"pad_left": 2, "pad_right": 2, "pad_top": 2, "pad_bottom": 2, "bias_enabled": True}
    inner = math.prod(shape[1:]) if len(shape) > 1 else 4
    if layer is LayerType.CONVOLUTION2D:
        return d.Convolution2dDescriptor(**pads), [x, square, of.bias(4)]  # type: ignore[arg-type]
    if layer is LayerType.DEPTHWISE_CONVOLUTION2D:
        strips = of.weights(1, 4, 4, 4)
        return d.DepthwiseConvolution2dDescriptor(**pads), [x, strips, of.bias(4)]  # type: ignore[arg-type]
    if layer is LayerType.TRANSPOSE_CONVOLUTION2D:
        return d.TransposeConvolution2dDescriptor(**pads), [x, square, of.bias(4)]  # type: ignore[arg-type]
    if layer is LayerType.CONVOLUTION3D:
        deep = d.Convolution3dDescriptor(pad_front=2, pad_back=2, **pads)  # type: ignore[arg-type]
        return deep, [x, of.weights(4, 4, 4, 4, 4), of.bias(4)]
    if layer is LayerType.FULLY_CONNECTED:
        full = d.FullyConnectedDescriptor(bias_enabled=True)
        return full, [x, of.weights(inner, inner), of.bias(inner)]
    if layer is LayerType.BATCH_MAT_MUL:
        return d.BatchMatMulDescriptor(), [x, x]
    return None


def _movements(
    layer: LayerType, of: Operands, shape: tuple[int, ...]
) -> tuple[Any, list[Operand | None]] | None:
    rank, x = len(shape), of.x(*shape)
    ones, zeros = (1,) * rank, (0,) * rank
    whole = (2 * shape[0], *shape[1:]) if rank else ()
    halves = (d.View(zeros, shape), d.View((shape[0], *zeros[1:]) if rank else (), shape))
    places = np.arange(math.prod(shape), dtype=np.int32).reshape(shape) % 3
    indices = Operand(TensorInfo(shape, DataType.SIGNED32), True, places)
    rows = of.x(1, *shape[1:]) if rank else x
    found: dict[LayerType, tuple[Any, list[Operand | None]]] = {
        LayerType.BROADCAST_TO: (d.BroadcastToDescriptor((3, *shape)), [x]),
        LayerType.CHANNEL_SHUFFLE: (d.ChannelShuffleDescriptor(2, max(rank - 1, 0)), [x]),
        LayerType.CONCAT: (d.ConcatDescriptor(0, halves), [x, x]),
        LayerType.GATHER: (d.GatherDescriptor(0), [x, of.integers([0, 1])]),
        LayerType.GATHER_ND: (None, [x, of.integers([[0], [1]])]),
        LayerType.ONE_HOT: (d.OneHotDescriptor(3), [indices, of.x(), of.x()]),
        LayerType.PAD: (d.PadDescriptor(pad_before=ones, pad_after=zeros), [x]),
        LayerType.RESHAPE: (d.ReshapeDescriptor((math.prod(shape),)), [x]),
        LayerType.REVERSE_V2: (None, [x, of.integers([0])]),
        LayerType.SCATTER_ND: (d.ScatterNdDescriptor(), [x, of.integers([[0]]), rows]),
        LayerType.SLICE: (d.SliceDescriptor(zeros, ones), [x]),
        LayerType.SPLITTER: (d.SplitterDescriptor(0, halves), [of.x(*whole)]),
        LayerType.STACK: (d.StackDescriptor(0, 2, shape), [x, x]),
        LayerType.STRIDED_SLICE: (d.StridedSliceDescriptor(zeros, shape, ones), [x]),
        LayerType.TILE: (d.TileDescriptor((2,) * rank), [x]),
        LayerType.TRANSPOSE: (d.PermuteDescriptor(tuple(reversed(range(rank)))), [x]),
        LayerType.PERMUTE: (d.PermuteDescriptor(tuple(reversed(range(rank)))), [x]),
    }
    return found.get(layer)
