# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damaged files at random: whatever a file says, the answer is a network or an ``ArmnnError``."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.frontends import import_model

FLOAT = TensorProto.FLOAT
R = np.random.default_rng(2)


def f(*shape: int) -> np.ndarray:
    return R.standard_normal(shape).astype(np.float32)


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    """Operators of every family, shape arithmetic included."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], name="conv", pads=[1, 1, 1, 1], strides=[1, 1]),
        node("BatchNormalization", ["c", "b", "b", "b", "v"], ["n"], name="bn", epsilon=1e-3),
        node("Clip", ["n", "low", "high"], ["r"], name="clip"),
        node("MaxPool", ["r"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Resize", ["p", "", "scales"], ["u"], name="resize", mode="linear"),
        node("Concat", ["u", "x"], ["cat"], name="concat", axis=1),
        node("Slice", ["cat", "starts", "ends", "axes"], ["s"], name="slice"),
        node("Shape", ["s"], ["shape"], name="shape"),
        node("Gather", ["shape", "zero"], ["batch"], name="gather", axis=0),
        node("Concat", ["batch", "minus"], ["target"], name="target", axis=0),
        node("Reshape", ["s", "target"], ["flat"], name="reshape"),
        node("Gemm", ["flat", "g"], ["y"], name="gemm", transB=1),
        node("Softmax", ["y"], ["soft"], name="softmax", axis=-1),
        node("ReduceMean", ["cat"], ["mean"], name="mean", axes=[2, 3]),
        node("Pad", ["mean", "pads"], ["padded"], name="pad"),
        node("Split", ["padded"], ["s1", "s2"], name="split", axis=1),
    ]
    constants = {
        "w": f(4, 3, 3, 3),
        "b": f(4),
        "v": np.abs(f(4)),
        "low": np.float32(0),
        "high": np.float32(6),
        "scales": np.float32([1, 1, 2, 2]),
        "starts": np.array([1]),
        "ends": np.array([5]),
        "axes": np.array([1]),
        "zero": np.array([0]),
        "minus": np.array([-1]),
        "g": f(5, 4 * 36),
        "pads": np.array([0, 0, 0, 0, 0, 1, 0, 0]),
    }
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", FLOAT, [1, 3, 6, 6])],
        [
            helper.make_tensor_value_info("soft", FLOAT, [1, 5]),
            helper.make_tensor_value_info("s1", FLOAT, None),
            helper.make_tensor_value_info("s2", FLOAT, None),
        ],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def attempt(path: Path, data: bytes) -> bool:
    """Import; whether that worked. Anything but an ArmnnError with a text escapes."""
    path.write_bytes(data)
    try:
        import_model(path)
    except ann.ArmnnError as error:
        return not str(error)
    return True


def test_the_model_is_sound(model: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    assert attempt(path, model.SerializeToString())
    assert import_model(path).outputs["soft"].shape == (1, 5)


@pytest.mark.parametrize("seed", range(8))
def test_random_bytes_change(model: onnx.ModelProto, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    sound = model.SerializeToString()
    for _ in range(120):
        data = bytearray(sound)
        for _ in range(chance.choice([1, 1, 2, 8])):
            place = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[place] = chance.randrange(256)
                case 1:
                    data[place] ^= 1 << chance.randrange(8)
                case 2:
                    del data[place : place + chance.randrange(1, 40)]
                case _:
                    start = chance.randrange(len(data))
                    data[place:place] = data[start : start + chance.randrange(1, 40)]
        attempt(tmp_path / "m.onnx", bytes(data))


NUMBERS = [0, 1, -1, 2, 7, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63)]


def _change_integers(chance: random.Random, field: Any) -> None:
    if len(field):
        field[chance.randrange(len(field))] = chance.choice(NUMBERS)


def _mutate(chance: random.Random, model: onnx.ModelProto) -> None:
    """Change a field to something that protobuf allows and the graph may not."""
    graph = model.graph
    node = chance.choice(graph.node)
    names = ["", *(n for each in graph.node for n in (*each.input, *each.output))]
    match chance.randrange(8):
        case 0:
            node.op_type = chance.choice(graph.node).op_type
        case 1 if node.input:
            node.input[chance.randrange(len(node.input))] = chance.choice(names)
        case 2 if node.output:
            node.output[chance.randrange(len(node.output))] = chance.choice(names)
        case 3:
            node.ClearField(chance.choice(["input", "output", "attribute", "name"]))
        case 4 if node.attribute:
            attribute = chance.choice(node.attribute)
            attribute.i = chance.choice(NUMBERS)
            attribute.f = chance.choice([0.0, -1.0, float("nan"), float("inf"), 1e38])
            attribute.s = chance.choice([b"", b"nearest", b"\xff"])
            _change_integers(chance, attribute.ints)
        case 5:
            tensor = chance.choice(graph.initializer)
            if tensor.data_type == TensorProto.INT64 and len(tensor.raw_data) % 8 == 0:
                values = np.frombuffer(tensor.raw_data, np.int64).copy()
                values[chance.randrange(values.size)] = chance.choice(NUMBERS)
                tensor.raw_data = values.tobytes()
        case 6:
            tensor = chance.choice(graph.initializer)
            match chance.randrange(3):
                case 0:
                    _change_integers(chance, tensor.dims)
                case 1:
                    tensor.dims.append(1)
                case _:
                    tensor.data_type = chance.randrange(20)
        case _:
            dims = graph.input[0].type.tensor_type.shape.dim
            chance.choice(dims).dim_value = chance.choice(NUMBERS)
            model.opset_import[0].version = chance.choice([1, 6, 9, 11, 13, 18, 25, 99])


@pytest.mark.parametrize("seed", range(12))
def test_random_fields_change(model: onnx.ModelProto, tmp_path: Path, seed: int) -> None:
    chance = random.Random(1000 + seed)
    for _ in range(100):
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        for _ in range(chance.choice([1, 1, 2, 3])):
            _mutate(chance, copy)
        attempt(tmp_path / "m.onnx", copy.SerializeToString())
