# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damaged and contradictory files: the answer is a network or an error in words, soon."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import armnn_py as ann
from armnn_py.types import LayerType

RNG = np.random.default_rng(4)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def make_sound(b: Any) -> bytes:
    x = b.tensor("x", (1, 6, 6, 3), signature=(-1, 6, 6, 3))
    window = {"strideH": 1, "strideW": 1, "fusedActivationFunction": 3}
    w, bias = b.constant("w", normal(4, 3, 3, 3)), b.constant("b", normal(4))
    t = [b.tensor(f"t{k}") for k in range(9)]
    b.op("CONV_2D", [x, w, bias], [t[0]], ("Conv2DOptions", window))
    pool = {"strideH": 2, "strideW": 2, "filterHeight": 2, "filterWidth": 2}
    b.op("MAX_POOL_2D", [t[0]], [t[1]], ("Pool2DOptions", pool))
    size = b.constant("size", np.int32([6, 6]))
    b.op("RESIZE_BILINEAR", [t[1], size], [t[2]], ("ResizeBilinearOptions", {}))
    b.op("CONCATENATION", [t[2], x], [t[3]], ("ConcatenationOptions", {"axis": 3}))
    cut = [b.constant(f"s{k}", np.int32(v)) for k, v in enumerate(([0, 1], [0, 5], [1, 2]))]
    b.op(
        "STRIDED_SLICE",
        [t[3], *cut],
        [t[4]],
        ("StridedSliceOptions", {"beginMask": 1, "endMask": 1}),
    )
    shape = b.constant("shape", np.int32([1, -1]))
    b.op("RESHAPE", [t[4], shape], [t[5]])
    half = b.constant("half", normal(5, 84).astype(np.float16))
    b.op("DEQUANTIZE", [half], [t[6]])
    b.op("FULLY_CONNECTED", [t[5], t[6], -1], [t[7]], ("FullyConnectedOptions", {}))
    q = b.tensor("q", (1, 5), np.int8, 0.25, -3)
    b.op("QUANTIZE", [t[7]], [q])
    y = b.tensor("y", (1, 5), np.int8, 1 / 256, -128)
    b.op("SOFTMAX", [q], [y], ("SoftmaxOptions", {"beta": 1.0}))
    pads = b.constant("pads", np.int32([[0, 0], [0, 2]]))
    b.op("PAD", [y, pads], [b.tensor("z", (1, 7), np.int8, 1 / 256, -128)])
    b.ends([x], [y, b.graph.operators[-1].outputs[0], t[7]])
    b.signature("serve", {"image": x}, {"score": y})
    return b.data()


def attempt(data: bytes) -> bool:
    """Import; whether that worked. Anything but the error of a bad model escapes."""
    try:
        ann.import_model(data, format="tflite")
    except ann.ModelError as error:
        text = str(error)
        assert text
        assert text.replace("\n", "").isprintable()
        return False
    return True


def test_the_model_is_sound(new_builder: Any) -> None:
    data = make_sound(new_builder())
    assert attempt(data)
    assert ann.import_model(data).outputs["t7"].shape == (1, 5)


def changed(data: bytes, chance: random.Random) -> bytes:
    """Change a few places: bits, bytes, counts, offsets, or cut the file."""
    found = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 6])):
        place = chance.randrange(len(found) - 4)
        match chance.randrange(6):
            case 0:
                found[place] = chance.randrange(256)
            case 1:
                found[place] ^= 1 << chance.randrange(8)
            case 2:
                place &= ~3
                number = chance.choice([0, 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4])
                found[place : place + 4] = struct.pack("<I", number)
            case 3:
                place &= ~3
                number = struct.unpack_from("<i", found, place)[0] + chance.choice(
                    [-8, -4, 4, 8, 64]
                )
                found[place : place + 4] = struct.pack("<I", number & 0xFFFFFFFF)
            case 4:
                place &= ~1
                number = chance.choice([0, 2, 4, 0x7FFF, 0xFFFF])
                found[place : place + 2] = struct.pack("<H", number)
            case _:
                if chance.random() < 0.2:
                    del found[max(place, 16) :]
    return bytes(found)


@pytest.mark.parametrize("seed", range(6))
def test_files_that_were_changed_at_random(new_builder: Any, seed: int) -> None:
    chance = random.Random(seed)
    data = make_sound(new_builder())
    for _ in range(150):
        attempt(changed(data, chance))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.binary(max_size=400))
def test_any_bytes_behind_the_mark(body: bytes) -> None:
    attempt(b"\x10\0\0\0TFL3" + body)


def test_files_that_were_cut(new_builder: Any) -> None:
    data = make_sound(new_builder())
    for size in range(1, len(data), 97):
        assert not attempt(data[:size])


@pytest.mark.models
@pytest.mark.parametrize("seed", range(3))
def test_real_networks_that_were_changed_at_random(models_folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    for name in ("face_detection_short", "image_classification_int8", "selfie_custom_op"):
        data = (models_folder / "extra" / f"{name}.tflite").read_bytes()
        for _ in range(25):
            attempt(changed(data, chance))


# ---- What a file says of itself ------------------------------------------------------------------


@pytest.fixture
def relu(builder: Any) -> Any:
    """A builder of one Relu, to be spoilt."""
    x, y = builder.tensor("x", (1, 4)), builder.tensor("y", (1, 4))
    builder.op("RELU", [x], [y])
    builder.ends([x], [y])
    return builder


def refused(builder: Any) -> str:
    with pytest.raises(ann.ParseError) as caught:
        ann.import_model(builder.data())
    return str(caught.value)


Spoil = Callable[[Any], None]

SPOILT: dict[str, tuple[Spoil, str]] = {
    "another version": (
        lambda b: setattr(b.model, "version", 2), "version 2 of the TensorFlow Lite format",
    ),
    "no sub-graph": (lambda b: b.model.subgraphs.clear(), "has no sub-graph"),
    "a tensor that is not there": (
        lambda b: b.graph.operators[0].inputs.__setitem__(0, 9), "names tensor 9, but the",
    ),
    "an output that is not there": (
        lambda b: b.graph.outputs.__setitem__(0, -1), "sub-graph 0 names tensor -1, but the",
    ),
    "a code that is not there": (
        lambda b: setattr(b.graph.operators[0], "opcodeIndex", 5),
    "operator 0 has code 5, but the model has 1",
    ),
    "a buffer that is not there": (
        lambda b: setattr(b.graph.tensors[0], "buffer", 7), "is in buffer 7, but the model has 1",
    ),
    "a negative dimension": (
        lambda b: setattr(b.graph.tensors[0], "shape", [-3, 4]), "negative dimension",
    ),
    "nine dimensions": (
        lambda b: setattr(b.graph.tensors[0], "shape", [1] * 9), "more than 8 dimensions",
    ),
    "a shape beyond all memory": (
        lambda b: setattr(b.graph.tensors[0], "shape", [2**31 - 1] * 3), "2**63 bytes or more",
    ),
    "a shape beyond most memory": (
        lambda b: setattr(b.graph.tensors[0], "shape", [2**18, 2**18]), "would take 256.0 GiB",
    ),
    "a type that is text": (
        lambda b: setattr(b.graph.tensors[0], "type", 5), "input 'x': string values",
    ),
    "nothing makes the output": (
        lambda b: b.graph.operators.clear(), "output 'y': tensor 'y' is not made by any operator",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SPOILT)
def test_contradictions(relu: Any, what: str) -> None:
    spoil, message = SPOILT[what]
    spoil(relu)
    assert message in refused(relu)


def test_inputs_that_no_tensor_holds_are_one_error_with_all_places(builder: Any) -> None:
    text, number, more = (
        builder.tensor(name, (1, 4), dtype) for name, dtype in (("t", 5), ("x", 0), ("m", 8))
    )
    y, z = builder.tensor("y", (1, 4)), builder.tensor("z", (1, 4))
    builder.op("HASHTABLE_LOOKUP", [text, number, more], [y])
    builder.op("RELU", [y], [z])
    builder.ends([text, number, more], [z])
    assert refused(builder) == (
        "input 't': string values\n"
        "  input 'm': complex64 values\n"
        "  HASHTABLE_LOOKUP   x1   not supported by this version (node: y)\n"
        "hint: 'armnn-py operators --format tflite' lists what this version supports"
    )


def test_a_tensor_that_is_made_twice(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 4)), builder.tensor("y", (1, 4))
    for _ in range(2):
        builder.op("RELU", [x], [y])
    builder.ends([x], [y])
    assert "two operators make tensor 'y'" in refused(builder)


def test_operators_in_the_wrong_order(builder: Any) -> None:
    x, y, z = (builder.tensor(name, (1, 4)) for name in "xyz")
    builder.op("RELU", [y], [z])
    builder.op("TANH", [x], [y])
    builder.ends([x], [z])
    assert "tensor 'y' is read before it is made" in refused(builder)


def test_weights_of_the_wrong_size(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 4)), builder.tensor("y", (1, 4))
    w = builder.tensor("w", (4, 4), data=np.zeros(15, np.float32))
    builder.op("FULLY_CONNECTED", [x, w], [y], ("FullyConnectedOptions", {}))
    builder.ends([x], [y])
    text = refused(builder)
    assert "tensor 'w' has the wrong amount of data" in text
    assert "64 bytes" in text
    assert "stored: 60 bytes" in text


def test_impossible_shape_is_refused(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 4)), builder.tensor("y", (1, 4))
    w = builder.tensor("w", (0, 2**31 - 1, 2**31 - 1, 2**31 - 1), data=np.zeros(4, np.float32))
    builder.op("ADD", [x, w], [y], ("AddOptions", {}))
    builder.ends([x], [y])
    assert "tensor 'w'" in refused(builder)


def test_scales_that_do_not_fit(builder: Any) -> None:
    x = builder.tensor("x", (1, 4), np.int8, [0.5, 0.5, 0.5], axis=1)
    builder.ends([x], [x])
    assert "has 3 scales along dimension 1, expected one an element" in refused(builder)
    builder.graph.tensors[0].quantization.scale = [-1.0]
    builder.graph.tensors[0].quantization.zeroPoint = [0]
    assert "scale -1.0 given, above 0 expected" in refused(builder)


def test_scales_of_weights_along_their_inputs(builder: Any, engines: Any) -> None:
    """LiteRT refuses them as well; read as those of the outputs, they end too early."""
    x = builder.tensor("x", (3, 2), np.int8, 0.04, 5)
    w = builder.constant("w", np.ones((200, 2), np.int8), [0.01, 0.02], axis=1)
    y = builder.tensor("y", (3, 200), np.int8, 0.2, -3)
    builder.op("FULLY_CONNECTED", [x, w], [y], ("FullyConnectedOptions", {}), version=4)
    builder.ends([x], [y])
    text = refused(builder)
    assert "weights has 2 scales along dimension 1, one scale, or scales along dim" in text
    assert "(FULLY_CONNECTED, 'y')" in text
    with pytest.raises((RuntimeError, ValueError)):
        engines.theirs(builder.data(), {"x": np.zeros((3, 2), np.int8)})


def test_an_output_of_another_type(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 4)), builder.tensor("y", (1, 4), np.int32)
    builder.op("RELU", [x], [y])
    builder.ends([x], [y])
    assert "makes float32, but the file says int32" in refused(builder)


def test_options_of_another_operator(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 4, 4, 1)), builder.tensor("y", (1, 4, 4, 1))
    builder.op("MAX_POOL_2D", [x], [y], ("SoftmaxOptions", {}))
    builder.ends([x], [y])
    assert "its options (SoftmaxOptions) have no" in refused(builder)


@pytest.mark.parametrize("name", ["FILL", "BROADCAST_TO", "TILE", "PAD"])
def test_a_small_file_cannot_ask_for_much_memory(builder: Any, name: str) -> None:
    """Twelve values of up to 1 GiB each: they are made when the network runs."""
    count = 2**14 if name in ("FILL", "BROADCAST_TO") else 2**25
    x, last = builder.tensor("x", (1,)), builder.tensor("last")
    sizes: dict[str, Any] = {"TILE": [count], "PAD": [[0, count]]}
    shape = sizes.get(name, [count, count])
    size = builder.constant("shape", np.int32(shape))
    made = []
    for index in range(12):
        number = np.float32(index)
        value = builder.constant(f"value{index}", number if name == "FILL" else number[None])
        made.append(builder.tensor(f"y{index}"))
        builder.op(name, [size, value] if name == "FILL" else [value, size], made[-1:])
    builder.op("ADD_N", [x, *made], [last])
    builder.ends([x], [last])
    network = ann.import_model(builder.data())
    constants = [layer.value for layer in network.layers if layer.type is LayerType.CONSTANT]
    assert sum(value.nbytes for value in constants) < 2**29


def test_a_variable_cannot_ask_for_much_memory(builder: Any) -> None:
    x, y = builder.tensor("x", (1,)), builder.tensor("y")
    state = builder.tensor("state", (2**10, 2**20), variable=True)
    builder.op("ADD", [x, state], [y], ("AddOptions", {}))
    builder.ends([x], [y])
    assert "variable 'state' would take 4096 MiB, which exceeds the limit" in refused(builder)


def test_control_characters_do_not_reach_the_terminal(relu: Any) -> None:
    relu.graph.tensors[0].name = "\x1b[31mred\n"
    relu.graph.tensors[1].name = "\x1b]0;title\a"
    relu.model.operatorCodes[0].version = 99
    with pytest.raises(ann.ModelError) as caught:
        ann.import_model(relu.data())
    assert str(caught.value).replace("\n", "").isprintable()


def test_tables_that_share_a_long_vector_are_refused(builder: Any) -> None:
    """A thousand operators whose inputs are one vector of a million: 4 MB, hours of work."""
    x = builder.tensor("x", (1,))
    outputs = [builder.tensor("", (1,)) for _ in range(1000)]
    for output in outputs:
        builder.op("ADD_N", [x] * 4, [output])
    builder.ends([x], outputs[:1])
    data = bytearray(builder.data())
    from ai_edge_litert import schema_py_generated as schema

    root = schema.Model.GetRootAs(data, 0)
    graph = root.Subgraphs(0)
    vector = len(data) + (-len(data) % 4)
    data += bytes(vector - len(data)) + struct.pack("<I", 10**6) + bytes(4 * 10**6)
    for index in range(graph.OperatorsLength()):
        table = graph.Operators(index)._tab
        field = table.Pos + table.Offset(6)
        struct.pack_into("<I", data, field, vector - field)
    with pytest.raises(ann.ParseError, match="damaged") as caught:
        ann.import_model(bytes(data))
    assert "without end" in str(caught.value)
