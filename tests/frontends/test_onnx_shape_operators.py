# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Convolutions and moves of elements beside onnxruntime.

The ONNX project's test data has pooling, reductions and indices, see test_onnx_suite.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

R = np.random.default_rng(11)


def f(*shape: int) -> np.ndarray:
    """Multiples of 1/8: float32 sums of their products are exact, in whatever order."""
    return (np.round(R.standard_normal(shape) * 8) / 8).astype(np.float32)


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
INFINITE = np.float32([[-np.inf, -np.inf], [np.inf, 1], [-np.inf, 2], [np.nan, 1]])
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


ALL = [
    *CONVOLUTIONS,
    *MOVES,
    case("ReduceLogSumExp", [INFINITE], axes=[1], id="LogSumExp of infinities"),
    case("ReduceLogSumExp", [np.float32(100)], id="LogSumExp of a scalar"),
    *(
        case(op, [np.int32([[1, 2], [30, 3]])], axes=[1], id=f"{op} of integers")
        for op in ("ReduceLogSum", "ReduceLogSumExp")
    ),
    known("ReduceSum", X, i(), noop_with_empty_axes=1, id="ReduceSum of none"),
    known("ReduceSum", X, i(1), id="ReduceSum keeps dimensions"),
    case("ReduceL1", [X], axes=[1], id="ReduceL1 keeps dimensions"),
    case("ArgMax", [X], axis=1, id="ArgMax keeps dimensions"),
    known("TopK", X, i(0), outputs=2, id="TopK of none"),
]


@pytest.mark.parametrize(("op", "inputs", "constants", "opset", "attributes", "outputs"), ALL)
def test_operator_agrees_with_onnxruntime(
    agree: Any, op: str, inputs: Any, constants: Any, opset: int, attributes: Any, outputs: int
) -> None:
    agree(op, inputs, constants, opset, attributes, outputs)
