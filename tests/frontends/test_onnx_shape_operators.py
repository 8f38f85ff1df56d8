# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators with windows, axes, positions and sizes: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

R = np.random.default_rng(11)


def f(*shape: int) -> np.ndarray:
    return R.standard_normal(shape).astype(np.float32)


def i(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def case(
    op: str,
    inputs: list[Any],
    constants: dict[int, np.ndarray] | None = None,
    *,
    opset: int = 17,
    outputs: int = 1,
    id: str | None = None,
    **attributes: Any,
) -> Any:
    """A node whose operands are arrays (run-time inputs), except those in ``constants``."""
    return pytest.param(op, inputs, constants or {}, opset, attributes, outputs, id=id or op)


def known(op: str, x: np.ndarray, *rest: Any, **options: Any) -> Any:
    """A node whose first operand is a run-time input and the others are constants."""
    constants = {k: v for k, v in enumerate(rest, start=1) if v is not None}
    return case(op, [x, *rest], constants, **options)


X, LINE, IMAGE = f(2, 3, 4, 5), f(2, 6, 17), f(2, 6, 11, 9)
INTS = R.integers(-9, 9, (2, 3, 4)).astype(np.int64)
INFINITE = np.float32([[-np.inf, -np.inf], [np.inf, 1], [-np.inf, 2], [np.nan, 1]])
TIES = R.integers(0, 3, (3, 6, 4)).astype(np.float32)
CUBE = f(1, 2, 7, 6, 5)

CONVOLUTIONS = [
    known("Conv", IMAGE, f(4, 6, 3, 3), f(4), pads=[1, 1, 1, 1], strides=[2, 2]),
    known("Conv", IMAGE, f(4, 6, 3, 2), pads=[0, 1, 2, 0], dilations=[2, 3], id="Conv dilated"),
    known("Conv", IMAGE, f(6, 1, 3, 3), f(6), group=6, id="Conv depthwise"),
    known("Conv", IMAGE, f(18, 1, 3, 5), group=6, strides=[1, 2], id="Conv depthwise times 3"),
    known("Conv", IMAGE, f(4, 3, 3, 3), f(4), group=2, id="Conv in groups"),
    known("Conv", IMAGE, f(4, 6, 4, 4), auto_pad="SAME_UPPER", strides=[2, 2], id="Conv same"),
    known("Conv", IMAGE, f(4, 6, 4, 4), auto_pad="SAME_LOWER", id="Conv same lower"),
    known("Conv", IMAGE, f(4, 6, 4, 4), auto_pad="VALID", id="Conv valid"),
    known("Conv", LINE, f(4, 6, 5), f(4), pads=[2, 2], strides=[2], id="Conv of a line"),
    known("Conv", LINE, f(6, 1, 5), group=6, id="Conv depthwise of a line"),
    case("Conv", [IMAGE, f(4, 6, 3, 3), f(4)], id="Conv with run-time weights"),
    case("Conv", [IMAGE, f(12, 1, 3, 3), f(12)], group=6, id="Conv depthwise at run time"),
    known("ConvTranspose", IMAGE, f(6, 4, 3, 3), f(4), strides=[2, 2]),
    known("ConvTranspose", IMAGE, f(6, 4, 2, 2), strides=[2, 2], id="ConvTranspose of ocr_det"),
    known("ConvTranspose", IMAGE, f(6, 2, 3, 3), group=3, id="ConvTranspose in groups"),
    known(
        "ConvTranspose",
        IMAGE,
        f(6, 4, 3, 4),
        pads=[1, 0, 1, 2],
        strides=[3, 2],
        output_padding=[2, 1],
        id="ConvTranspose with output padding",
    ),
    known("ConvTranspose", IMAGE, f(6, 4, 3, 3), dilations=[2, 2], id="ConvTranspose dilated"),
    known(
        "ConvTranspose",
        IMAGE,
        f(6, 4, 3, 3),
        strides=[2, 2],
        auto_pad="SAME_UPPER",
        id="ConvTranspose same",
    ),
    known(
        "ConvTranspose",
        IMAGE,
        f(6, 4, 3, 3),
        strides=[3, 2],
        output_shape=[32, 20],
        id="ConvTranspose to a shape",
    ),
    known("ConvTranspose", LINE, f(6, 4, 3), f(4), strides=[2], id="ConvTranspose of a line"),
    case("ConvTranspose", [IMAGE, f(6, 4, 3, 3)], id="ConvTranspose with run-time weights"),
    known(
        "Conv",
        CUBE,
        f(3, 2, 3, 2, 3),
        f(3),
        pads=[1, 0, 1, 1, 1, 0],
        strides=[2, 1, 2],
        id="Conv of a volume",
    ),
    known(
        "Conv",
        CUBE,
        f(4, 1, 2, 2, 2),
        f(4),
        group=2,
        dilations=[2, 1, 1],
        id="Conv of a volume in groups",
    ),
    case(
        "Conv", [CUBE, f(3, 2, 3, 3, 3)], auto_pad="SAME_UPPER", id="Conv of a volume at run time"
    ),
    known(
        "ConvTranspose",
        CUBE,
        f(2, 3, 3, 2, 3),
        f(3),
        strides=[2, 1, 3],
        id="ConvTranspose of a volume",
    ),
    known(
        "ConvTranspose",
        CUBE,
        f(2, 3, 3, 2, 3),
        group=2,
        strides=[3, 2, 1],
        pads=[1, 0, 2, 2, 1, 1],
        output_padding=[1, 1, 0],
        id="ConvTranspose of a volume in groups",
    ),
    case(
        "ConvTranspose",
        [CUBE, f(2, 3, 1, 2, 2)],
        strides=[2, 2, 2],
        dilations=[1, 2, 1],
        id="ConvTranspose of a volume at run time",
    ),
]

POOLS = [
    case("MaxPool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
    case("MaxPool", [IMAGE], kernel_shape=[2, 3], dilations=[2, 1], id="MaxPool dilated"),
    case("MaxPool", [IMAGE], kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1, id="MaxPool ceil"),
    case("MaxPool", [LINE], kernel_shape=[3], strides=[2], ceil_mode=1, id="MaxPool of a line"),
    case("MaxPool", [CUBE], kernel_shape=[3, 2, 2], strides=[2, 1, 2], id="MaxPool of a cube"),
    case("MaxPool", [IMAGE], kernel_shape=[3, 3], auto_pad="SAME_LOWER", id="MaxPool same"),
    case(
        "LpPool",
        [CUBE],
        kernel_shape=[3, 2, 2],
        strides=[2, 1, 2],
        pads=[1, 0, 1, 1, 1, 0],
        p=1,
        id="LpPool of a cube",
    ),
    case("LpPool", [CUBE], kernel_shape=[2, 2, 3], opset=18, id="LpPool of a cube by squares"),
    case("AveragePool", [IMAGE], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    case(
        "AveragePool",
        [IMAGE],
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
        strides=[2, 2],
        count_include_pad=1,
        id="AveragePool counting pads",
    ),
    case(
        "AveragePool",
        [IMAGE],
        kernel_shape=[4, 3],
        strides=[3, 2],
        ceil_mode=1,
        opset=19,
        id="AveragePool ceil",
    ),
    case(
        "AveragePool",
        [f(1, 2, 5, 6)],
        kernel_shape=[2, 2],
        strides=[2, 2],
        pads=[0, 0, 0, 1],
        ceil_mode=1,
        opset=19,
        id="AveragePool ceil in one direction",
    ),
    case("AveragePool", [CUBE], kernel_shape=[2, 3, 2], id="AveragePool of a cube"),
    case("LpPool", [IMAGE], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    case("LpPool", [IMAGE], kernel_shape=[3, 2], p=3, id="LpPool 3"),
    case("LpPool", [LINE], kernel_shape=[3], p=1, id="LpPool 1"),
    *(case(op, [IMAGE]) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")),
    *(case(op, [LINE], id=f"{op} of a line") for op in ("GlobalAveragePool", "GlobalMaxPool")),
]

REDUCTIONS = [
    *(
        case(f"Reduce{kind}", [np.abs(X) + 1], axes=[1, -1], keepdims=keep, id=f"{kind} {keep}")
        for kind in ("Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp")
        for keep in (0, 1)
    ),
    case("ReduceLogSumExp", [INFINITE], axes=[1], id="LogSumExp of infinities"),
    case("ReduceMean", [X], id="ReduceMean of all"),
    known("ReduceSum", X, i(0, 2), keepdims=0),
    known("ReduceSum", X, i(), noop_with_empty_axes=1, id="ReduceSum of none"),
    known("ReduceMax", X, i(1), opset=18, id="ReduceMax with operand"),
    known("ReduceSum", INTS, i(1), id="ReduceSum of int64"),
    *(case(op, [TIES], axis=1) for op in ("ArgMax", "ArgMin")),
    case("ArgMax", [TIES], axis=-1, keepdims=0, id="ArgMax without dimension"),
    case("ArgMax", [TIES], axis=1, select_last_index=1, id="ArgMax last"),
    case("ArgMin", [TIES], axis=0, select_last_index=1, keepdims=0, id="ArgMin last"),
]

MOVES = [
    case("Concat", [X, f(2, 1, 4, 5), X], axis=1),
    case("Concat", [X, f(2, 3, 0, 5)], axis=2, id="Concat with nothing"),
    case("Split", [X], axis=-1, outputs=5, id="Split evenly"),
    known("Split", X, i(1, 3), axis=2, outputs=2, id="Split in sizes"),
    case("Split", [X], axis=2, split=[3, 1], opset=11, outputs=2, id="Split by attribute"),
    case("Split", [X], axis=3, num_outputs=3, opset=18, outputs=3, id="Split unevenly"),
    known("Slice", X, i(1, 0), i(3, -1), i(2, -1)),
    known("Slice", X, i(-1), i(-100), i(3), i(-2), id="Slice backwards"),
    known("Slice", X, i(3, 0), i(-9, 99), i(2, 3), i(-1, 2), id="Slice both ways"),
    case("Slice", [X], starts=[1], ends=[3], axes=[2], opset=9, id="Slice by attributes"),
    known("Pad", X, i(0, 1, 2, 0, 1, 0, 0, 3)),
    known("Pad", X, i(0, 1, 2, 0, 1, 0, 0, 3), np.float32(1.5), id="Pad with a value"),
    known("Pad", X, i(0, 0, 2, 1, 0, 0, 3, 4), mode="reflect", id="Pad reflect"),
    known("Pad", X, i(0, 0, 2, 1, 0, 0, 6, 4), mode="edge", id="Pad edge"),
    known("Pad", X, i(0, 0, 2, 1, 0, 0, 3, 4), mode="wrap", opset=19, id="Pad wrap"),
    known("Pad", X, i(0, 0, -1, 1, 0, 0, 2, -2), id="Pad and crop"),
    case("Pad", [X], pads=[0, 0, 1, 1, 0, 0, 1, 1], opset=2, id="Pad by attribute"),
    known("Tile", X, i(1, 2, 1, 3)),
    known("Expand", f(3, 1, 5), i(2, 1, 4, 1)),
    known("Reshape", X, i(0, -1, 5)),
    case("Flatten", [X], axis=2),
    case("Flatten", [X], axis=-1, id="Flatten from the end"),
    known("Squeeze", f(1, 3, 1, 2), i(0)),
    case("Squeeze", [f(1, 3, 1, 2)], id="Squeeze all"),
    known("Unsqueeze", X, i(0, -1)),
    case("Unsqueeze", [X], axes=[1, 3], opset=11, id="Unsqueeze by attribute"),
    case("Transpose", [X], perm=[0, 3, 1, 2]),
    case("Transpose", [X], id="Transpose reversed"),
    case("DepthToSpace", [f(2, 8, 3, 5)], blocksize=2),
    case("DepthToSpace", [f(2, 8, 3, 5)], blocksize=2, mode="CRD", id="DepthToSpace CRD"),
    case("SpaceToDepth", [f(2, 3, 4, 6)], blocksize=2),
    case("Shape", [X], start=1),
    case("Size", [X]),
    known("Trilu", f(2, 4, 5), np.int64(1)),
    known("Trilu", f(2, 4, 5), upper=0, id="Trilu lower"),
]

PLACES = i(0, 2, 1, -2, 0, 2).reshape(3, 2)
LANES = R.integers(-9, 9, (4, 3)).astype(np.int32)
ROWS = R.integers(-3, 3, (2, 2, 4, 5))
INDICES = [
    known("Gather", X, i(2, 0, -1), axis=1),
    known("Gather", X, np.int64(1), axis=2, id="Gather one"),
    known("Gather", X, i(0, 1).reshape(2, 1), axis=-1, id="Gather in a matrix"),
    case("Gather", [X, i(2, 0, -1)], axis=1, id="Gather at run time"),
    known("GatherND", X, i(0, 2, 1, -1).reshape(2, 2)),
    known("GatherND", X, i(0, 2, 1, 1).reshape(2, 2, 1), batch_dims=1, id="GatherND in batches"),
    case("GatherND", [X, i(0, 2, 1, -1).reshape(2, 2)], id="GatherND at run time"),
    known("GatherElements", X, R.integers(-3, 3, (2, 2, 4, 5)), axis=1),
    case("GatherElements", [X, R.integers(-4, 4, (2, 3, 2, 5))], axis=2, id="GatherElements run"),
    case(
        "ScatterND", [X, i(0, 2, 1, 0).reshape(2, 2), f(2, 4, 5)], {1: i(0, 2, 1, 0).reshape(2, 2)}
    ),
    case(
        "ScatterElements",
        [X, i(3, 0).reshape(1, 1, 2, 1), f(1, 1, 2, 1)],
        {1: i(3, 0).reshape(1, 1, 2, 1)},
        axis=2,
    ),
    *(
        case(
            "ScatterND",
            [X, PLACES, f(3, 4, 5)],
            {1: PLACES},
            opset=18,
            reduction=reduction,
            id=f"ScatterND {reduction}",
        )
        for reduction in ("add", "mul", "max", "min")
    ),
    case("ScatterND", [X, PLACES[:2], f(2, 4, 5)], id="ScatterND at run time"),
    case(
        "ScatterND",
        [R.integers(-9, 9, (4, 3)).astype(np.int32), i(2, 2).reshape(2, 1), LANES[:2]],
        opset=18,
        reduction="add",
        id="ScatterND of integers",
    ),
    *(
        case(
            "ScatterElements",
            [X, ROWS, f(2, 2, 4, 5)],
            opset=18,
            axis=1,
            reduction=reduction,
            id=f"ScatterElements {reduction}",
        )
        for reduction in ("add", "mul", "max", "min")
    ),
    case(
        "ScatterElements",
        [X, i(3, 0).reshape(1, 1, 2, 1), f(1, 1, 2, 1)],
        axis=2,
        id="ScatterElements at run time",
    ),
    case("OneHot", [i(0, 2, -1, 7), np.int64(4), f(2)], {1: np.int64(4), 2: f(2)}, axis=0),
]

ORDERS = [
    known("TopK", TIES, i(3), axis=1, outputs=2),
    known("TopK", X, i(0), outputs=2, id="TopK of none"),
    known("TopK", TIES, i(6), axis=-2, largest=0, outputs=2, id="TopK least"),
    known("TopK", TIES, i(2), axis=0, opset=10, outputs=2, id="TopK-10"),
    case("TopK", [TIES], k=2, axis=1, opset=9, outputs=2, id="TopK-1"),
    known("TopK", INTS, i(2), outputs=2, id="TopK of integers"),
    known("CumSum", X, np.int64(1)),
    known("CumSum", INTS, np.int32(-1), exclusive=1, reverse=1, id="CumSum of integers"),
]

ALL = [*CONVOLUTIONS, *POOLS, *REDUCTIONS, *MOVES, *INDICES, *ORDERS]


@pytest.mark.parametrize(("op", "inputs", "constants", "opset", "attributes", "outputs"), ALL)
def test_operator_agrees_with_onnxruntime(
    agree: Any, op: str, inputs: Any, constants: Any, opset: int, attributes: Any, outputs: int
) -> None:
    agree(op, inputs, constants, opset, attributes, outputs)
