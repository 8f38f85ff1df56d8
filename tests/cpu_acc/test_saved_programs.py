# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Programs of CpuAcc in saved networks: mapped, made for one kind of processor, not believed.

That they compute the same bits is checked wherever a test runs a network (saving.py).
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import logging
import os
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.saved.read import read_network

from .networks import values_of
from .saving import check_saved, members_of, write
from .vision import Vision

BOTH = ["CpuAcc", "CpuRef"]
SIDE = 1024


def perceptron() -> ann.Network:
    """Two products of 4 MiB of weights each."""
    network = ann.Network("perceptron")
    x = network.add_input("x", ann.TensorInfo((1, SIDE))).output
    for number in range(2):
        layer = network.add_fully_connected(x, matrix(number), values_of(9, SIDE))
        x = network.add_activation(layer, ann.ActivationFunction.TANH, a=1.0, b=1.0).output
    network.add_output("y", x)
    return network


def matrix(seed: int) -> Any:
    return values_of(seed, SIDE, SIDE) / np.float32(32)


def expected_of(x: Any) -> Any:
    """What the perceptron gives, in double precision."""
    for number in range(2):
        x = np.tanh(x.astype(np.float64) @ matrix(number).astype(np.float64) + values_of(9, SIDE))
    return x


X = values_of(5, 1, SIDE)


@pytest.fixture
def fresh(runtime: ann.Runtime) -> Iterator[ann.Runtime]:
    """Another instance of the backend, as in another process."""
    with ann.Runtime() as fresh:
        yield fresh


@pytest.fixture
def saved(runtime: ann.Runtime, tmp_path: Path) -> Path:
    path = tmp_path / "x.armnnpy"
    ann.optimize(perceptron(), BOTH, runtime=runtime).save(path)
    return path


def run_of(path: Path, runtime: ann.Runtime) -> Any:
    with ann.load(path, runtime=runtime) as network:
        return network.run({"x": X})["y"]


def mappings(path: Path) -> dict[str, int]:
    """Kibibytes of this process in a file: of it in memory, and of that changed or copied."""
    total = {"Rss": 0, "Private_Dirty": 0, "Anonymous": 0}
    with Path("/proc/self/smaps").open(encoding="utf-8") as lines:
        inside = False
        for line in lines:
            if re.match(r"^[0-9a-f]+-[0-9a-f]+ ", line):
                inside = line.rstrip().endswith(str(path))
            name = line.split(":")[0]
            if inside and name in total:
                total[name] += int(line.split()[1])
    return total


def own_memory() -> int:
    """Kibibytes that belong to no file."""
    with Path("/proc/self/status").open(encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


@pytest.mark.skipif("ARMNN_TEST_SANITIZE" in os.environ, reason="a sanitizer keeps what is freed")
def test_weights_are_read_where_they_are(fresh: ann.Runtime, saved: Path) -> None:
    run_of(saved, fresh)  # what is loaded once
    expected = expected_of(X)
    gc.collect()
    before = own_memory()
    with ann.load(saved, runtime=fresh) as network:
        np.testing.assert_allclose(network.run({"x": X})["y"], expected, rtol=0, atol=2e-6)
        mapped = mappings(saved)
        assert mapped["Rss"] >= 2 * SIDE * SIDE * 4 // 1024  # the packed ones
        assert mapped["Private_Dirty"] == mapped["Anonymous"] == 0
        assert own_memory() - before < SIDE * SIDE * 4 // 1024 // 2
    del network
    gc.collect()
    assert mappings(saved)["Rss"] == 0


def test_a_program_of_a_file_is_saved_again(fresh: ann.Runtime, saved: Path) -> None:
    other = saved.with_name("other.armnnpy")
    ann.OptimizedNetwork.load(saved, runtime=fresh).save(other)
    assert members_of(other) == members_of(saved)


def test_equal_networks_make_equal_files(runtime: ann.Runtime, saved: Path) -> None:
    other = saved.with_name("other.armnnpy")
    ann.optimize(perceptron(), BOTH, runtime=runtime).save(other)
    assert other.read_bytes() == saved.read_bytes()


def test_layers_are_kept_beside_bytes_for_one_processor(runtime: ann.Runtime, saved: Path) -> None:
    small = saved.with_name("small.armnnpy")
    ann.optimize(perceptron(), BOTH, runtime=runtime).save(small, keep_subgraphs=False)
    weights = 2 * SIDE * SIDE * 4
    assert weights < small.stat().st_size < 1.1 * weights
    assert 2 * weights < saved.stat().st_size < 2.2 * weights


@pytest.mark.parametrize(
    "options", [{"isa": "portable"}, {"winograd": "always"}], ids=["kernels", "algorithm"]
)
def test_programs_for_others_are_compiled_again(
    saved: Path, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.INFO, "armnn_py.optimizer"),
        ann.Runtime(backend_options={"CpuAcc": options}) as runtime,
    ):
        np.testing.assert_allclose(run_of(saved, runtime), expected_of(X), rtol=0, atol=2e-6)
    assert "this is 'armnn_py CpuAcc program" in caplog.text


def test_programs_for_others_are_refused_without_their_layers(
    runtime: ann.Runtime, tmp_path: Path
) -> None:
    path = tmp_path / "x.armnnpy"
    ann.optimize(perceptron(), BOTH, runtime=runtime).save(path, keep_subgraphs=False)
    with (
        ann.Runtime(backend_options={"CpuAcc": {"isa": "portable"}}) as other,
        pytest.raises(ann.BackendError, match="this is 'armnn_py CpuAcc program"),
    ):
        ann.load(path, runtime=other)


def test_weights_in_another_layout_are_packed_again(
    fresh: ann.Runtime, saved: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As for another number of threads, or other caches: only the layout tells."""
    members = members_of(saved)
    blob = bytearray(members["blobs/0.bin"])
    (layout,) = pack_layouts(blob)[:1]
    blob[layout] ^= 1
    write(saved, {**members, "blobs/0.bin": bytes(blob)})
    with caplog.at_level(logging.INFO, "armnn_py.optimizer"):
        np.testing.assert_allclose(run_of(saved, fresh), expected_of(X), rtol=0, atol=2e-6)
    assert "packed for other caches or threads" in caplog.text


def pack_layouts(blob: bytearray) -> list[int]:
    """Where the layouts of packed weights stand: behind sizes of 4 MiB and more."""
    return [
        at + 16
        for at in range(0, 1024, 4)
        if SIDE * SIDE * 4 <= int.from_bytes(blob[at + 8 : at + 16], "little") < 2 * SIDE * SIDE * 4
    ]


def numbers_in(path: Path) -> bytes:
    return members_of(path)["blobs/0.bin"]


@pytest.mark.parametrize("seed", range(6))
def test_a_forged_program_does_no_harm(runtime: ann.Runtime, tmp_path: Path, seed: int) -> None:
    """Each change is refused, or computes something else, and nothing ends the process."""
    network, path = Vision(seed).make(16), tmp_path / "x.armnnpy"
    ann.optimize(network, BOTH, runtime=runtime).save(path, keep_subgraphs=False)
    members, noise = members_of(path), random.Random(seed)
    whole, refused = members["blobs/0.bin"], 0
    for _ in range(60):
        blob = bytearray(whole)
        for _ in range(noise.choice([1, 1, 3])):
            at = noise.randrange(min(len(blob), 6000) // 4) * 4
            word = noise.choice([0, 1, 2, 1 << 31, (1 << 32) - 1, noise.getrandbits(32)])
            blob[at : at + 4] = word.to_bytes(4, "little")
        if noise.random() < 0.1:
            del blob[noise.randrange(len(blob)) :]
        if bytes(blob) == whole:
            continue
        write(path, {**members, "blobs/0.bin": bytes(blob)})
        try:
            loaded = ann.load(path, runtime=runtime)
        except (ann.BackendError, ann.ParseError, ann.ExecutionError):
            refused += 1
        else:
            inputs = {
                name: values_of(1, *info.static_shape) for name, info in loaded.inputs.items()
            }
            with loaded, contextlib.suppress(ann.ArmnnError):
                loaded.run(inputs)
    assert refused > 20


def forged(
    runtime: ann.Runtime, network: ann.Network, path: Path, place: bytes, to: bytes, at: int = 0
) -> ann.LoadedNetwork:
    """Load the network with other bytes ``at`` bytes behind the beginning of the first place."""
    ann.optimize(network, BOTH, runtime=runtime).save(path, keep_subgraphs=False)
    members = members_of(path)
    blob = bytearray(members["blobs/0.bin"])
    at += blob.index(place)
    blob[at : at + len(to)] = to
    write(path, {**members, "blobs/0.bin": bytes(blob)})
    return ann.load(path, runtime=runtime)


def tensor_of(*dims: int) -> bytes:
    """How a tensor begins; then come its element, in 12 bytes, strides and place."""
    return struct.pack(f"<I{len(dims)}q", len(dims), *dims)


#: Of a forged word: whether it is in the pairs or in where they begin, its number, and what it is.
FORGED = [("pairs", 0, 64), ("pairs", 1, 1 << 31), ("begins", 0, 1), ("begins", 3, 2)]
FORGED += [("begins", 8, 1 << 31), ("begins", -1, 2), ("begins", -1, 0)]


@pytest.mark.parametrize(("where", "number", "word"), FORGED)
def test_lists_of_weights_are_checked(
    runtime: ann.Runtime, tmp_path: Path, where: str, number: int, word: int
) -> None:
    """Two weights of channel 5 have a pair that says what is beyond products in 16 bits."""
    network, path = ann.Network(), tmp_path / "x.armnnpy"
    scale = ann.QuantizationInfo((0.1,), (0,))
    given, made = (
        ann.TensorInfo((1, 8, 8, channels), ann.DataType.QASYMM_S8, quantization=scale)
        for channels in (64, 40)
    )
    weights = np.ones((40, 1, 1, 64), np.int8)
    weights[5, ..., :2] = 127
    info = ann.TensorInfo(weights.shape, ann.DataType.QSYMM_S8, quantization=scale)
    convolution = network.add_convolution2d(
        network.add_input("x", given),
        network.add_constant(weights, info=info),
        data_layout=ann.DataLayout.NHWC,
        output_info=made,
    )
    network.add_output("y", convolution)
    ann.optimize(network, BOTH, runtime=runtime).save(path, keep_subgraphs=False)
    blob, pair = numbers_in(path), struct.pack("<IIhh", 0, 1, 127, 1)
    if pair not in blob:
        pytest.skip("products of bytes have an instruction here, or none in 16 bits")
    assert blob.count(pair) == 1
    lists = {
        channels: struct.pack("<6I", *[0] * 6) + struct.pack("<I", 1) * (channels - 5) + pair
        for channels in (48, 64)  # of whole panels
    }
    channels, begins = next(item for item in lists.items() if item[1] in blob)
    at = 4 * (number % (channels + 1)) if where == "begins" else 4 * (channels + 1 + number)
    with pytest.raises(ann.BackendError, match="are no lists"):
        forged(runtime, network, path, begins, word.to_bytes(4, "little"), at)


def test_a_stride_of_one_element_is_checked(runtime: ann.Runtime, tmp_path: Path) -> None:
    """Where padding is above the only line, addresses are computed with the line's stride."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 1, 29, 5))).output
    y = network.add_convolution2d(
        x, values_of(2, 7, 3, 3, 5), padding="same", data_layout=ann.DataLayout.NHWC
    )
    network.add_output("y", y.output)
    begin = tensor_of(1, 1, 29, 5)
    strides = struct.pack("<2q", 29 * 5 * 4, (1 << 40) + 1)
    with pytest.raises(ann.BackendError, match="a stride leads too far"):
        forged(runtime, network, tmp_path / "x.armnnpy", begin, strides, len(begin) + 12)


def of_elements(data_type: ann.DataType) -> ann.Network:
    """A binary, whose operation and type are fields of its program."""
    network = ann.Network("elements")
    quantization = ann.QuantizationInfo((0.5,), (3,)) if data_type.is_quantized else None
    info = ann.TensorInfo((2, 3), data_type, quantization)
    x, y = (network.add_input(name, info) for name in "xy")
    sub = ann.BinaryOperation.SUB
    layer = network.add_elementwise_binary(x, y, sub, output_info=info)
    network.add_output("z", layer)
    return network


@pytest.mark.parametrize(
    ("data_type", "refusal"),
    [
        (ann.DataType.FLOAT32, "has no kernel for such tensors"),
        (ann.DataType.SIGNED32, "a tensor is not where it may be"),
        (ann.DataType.QASYMM_S8, "do not fit"),
    ],
    ids=["FLOAT32", "SIGNED32", "QASYMM_S8"],
)
def test_each_number_of_a_program_is_one_of_its_table(
    runtime: ann.Runtime, tmp_path: Path, data_type: ann.DataType, refusal: str
) -> None:
    """Operations, functions and types that have no kernel end no program: words, or numbers."""
    path = tmp_path / "x.armnnpy"
    ann.optimize(of_elements(data_type), BOTH, runtime=runtime).save(path, keep_subgraphs=False)
    members = members_of(path)
    whole = members["blobs/0.bin"]
    places = [
        at
        for at in range(0, len(whole.rstrip(b"\0")), 4)
        if int.from_bytes(whole[at : at + 4], "little") <= 8
    ]
    zeros = {name: np.zeros((2, 3), data_type.numpy) for name in "xy"}
    outcomes = set()
    for at in places:
        for number in (7, 8, 9, 12, 14, 15, 22, 60, 2**31 - 1, 2**32 - 1):
            blob = whole[:at] + number.to_bytes(4, "little") + whole[at + 4 :]
            write(path, {**members, "blobs/0.bin": blob})
            try:
                with ann.load(path, runtime=runtime) as network:
                    network.run(zeros)
                outcomes.add("ran")
            except ann.ArmnnError as error:
                outcomes.add(str(error).partition(": ")[2].splitlines()[0])
    assert any("a number is out of its range" in words for words in outcomes)
    assert any(refusal in words for words in outcomes)


def test_indices_that_change_while_they_are_used_do_no_harm(
    runtime: ann.Runtime, tmp_path: Path
) -> None:
    """A program whose indices lie where its output does: they are overwritten behind the check."""
    network, size = ann.Network(), 1 << 16
    x = network.add_input("x", ann.TensorInfo((4, size))).output
    indices = network.add_input("indices", ann.TensorInfo((9,), ann.DataType.SIGNED32)).output
    network.add_output("y", network.add_gather(x, indices, axis=0).output)
    begin, output = tensor_of(9, 1), struct.pack("<IIq", 0, 3, 0)
    path, at = tmp_path / "x.armnnpy", len(begin) + 12 + 16
    loaded = forged(runtime, network, path, begin, output, at)
    far = np.full((4, size), 0x7F7F7F7F, np.int32).view(np.float32)
    with loaded, contextlib.suppress(ann.ExecutionError):
        loaded.run({"x": far, "indices": np.zeros(9, np.int32)})


def test_terms_of_a_sum_are_shifted_to_the_right_alone(
    runtime: ann.Runtime, tmp_path: Path
) -> None:
    """Their factors are a half at most: 2^30 / 2^31 without a shift."""
    half = struct.pack("<4i", 1 << 30, 0, 1 << 30, 0)
    for at in (4, 12):
        with pytest.raises(ann.BackendError, match="a number is out of its range"):
            forged(
                runtime, of_elements(ann.DataType.QASYMM_S8), tmp_path / "x.armnnpy", half,
                struct.pack("<i", 1), at,
            )  # fmt: skip


@pytest.mark.parametrize("stride", [(1 << 24, 1), (1, 1 << 24)], ids=["down", "across"])
def test_input_lines_in_windows_are_bounded(
    runtime: ann.Runtime, tmp_path: Path, stride: tuple[int, int]
) -> None:
    """The lines that a block of the output sees are copied, with all that is between them."""
    network = ann.Network()
    shapes = ((1, 6, 6, 4), (1, 4, 4, 4))
    scale = ann.QuantizationInfo((0.1,), (0,))
    given, made = (ann.TensorInfo(shape, ann.DataType.QASYMM_S8, scale) for shape in shapes)
    info = ann.TensorInfo((1, 3, 3, 4), ann.DataType.QSYMM_S8, scale)
    weights = network.add_constant(np.ones((1, 3, 3, 4), np.int8), info=info)
    network.add_output(
        "y", network.add_depthwise_convolution2d(
            network.add_input("x", given), weights, output_info=made
        ),
    )  # fmt: skip
    window = struct.pack("<9q", 3, 3, 1, 1, 1, 1, 0, 0, 4)
    wide = struct.pack("<9q", 3, 3, *stride, 1, 1, 0, 0, 4)
    with (
        contextlib.suppress(ann.BackendError),
        forged(runtime, network, tmp_path / "x.armnnpy", window, wide) as loaded,
    ):
        assert loaded.arena_size < 1 << 28


def test_sizes_beyond_64_bits(runtime: ann.Runtime, tmp_path: Path) -> None:
    """Scratch of 2^64 bytes and more would seem to be little."""
    path = tmp_path / "x.armnnpy"
    network = ann.Network()
    scale = ann.QuantizationInfo((0.1,), (0,))
    given, made = (
        ann.TensorInfo(shape, ann.DataType.QASYMM_S8, quantization=scale)
        for shape in ((1, 2, 2, 4), (1, 1, 1, 4))
    )
    info = ann.TensorInfo((4, 2, 2, 4), ann.DataType.QSYMM_S8, quantization=scale)
    convolution = network.add_convolution2d(
        network.add_input("x", given),
        network.add_constant(np.ones((4, 2, 2, 4), np.int8), info=info),
        data_layout=ann.DataLayout.NHWC,
        output_info=made,
    )
    network.add_output("y", convolution)
    window = struct.pack("<9q", 2, 2, 1, 1, 1, 1, 0, 0, 1)
    far = struct.pack("<9q", 2, 2, 1, 1, (1 << 31) - 3, (1 << 31) - 3, 0, 0, 1)
    with pytest.raises(ann.BackendError, match="quantized_convolution do not fit"):
        forged(runtime, network, path, window, far)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 5, 6, 2))).output
    y = network.add_depthwise_convolution2d(
        x, values_of(1, 1, 3, 3, 8), data_layout=ann.DataLayout.NHWC
    )
    network.add_output("y", y.output)
    begin = tensor_of(1, 5, 6, 2)
    element = ann.DataType.FLOAT32.value, 0.0, 0
    large = struct.pack("<ifi4q", *element, 0, 0, 0, 4)
    with pytest.raises(ann.BackendError, match="depthwise do not fit"):
        forged(runtime, network, path, begin, tensor_of(1, 1 << 20, 1 << 19, 2) + large)


def test_a_damaged_program_does_not_reach_the_backend(runtime: ann.Runtime, saved: Path) -> None:
    whole = saved.read_bytes()
    at = whole.index(numbers_in(saved)[:64])
    saved.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(ann.ParseError, match=r"'blobs/0.bin' is damaged"):
        ann.load(saved, runtime=runtime)


def test_description_of_a_program(saved: Path) -> None:
    document = json.loads(members_of(saved)["network.json"])
    (text,) = [
        base64.b64decode(layer["compiled"]["compatibility"]).decode()
        for layer in document["layers"]
        if "compiled" in layer
    ]
    words = (
        r"armnn_py CpuAcc program 5, kernels \w+, weights float32, Winograd auto, "
        r"separable auto, fields .{8}"
    )
    assert re.fullmatch(words, text)
    assert [part.member for part in read_network(str(saved)).parts.values()] == ["blobs/0.bin"]


def test_phases_whose_weights_differ_in_size(runtime: ann.Runtime) -> None:
    """Those of one phase fit 8 bits, those of another do not."""

    def info(shape: tuple[int, ...], scale: float, zero_point: int) -> ann.TensorInfo:
        quantization = ann.QuantizationInfo((scale,), (zero_point,))
        return ann.TensorInfo(shape, ann.DataType.QASYMM_U8, quantization=quantization)

    network = ann.Network()
    x = network.add_input("x", info((1, 5, 5, 4), 0.1, 10))
    weights = np.full((8, 2, 2, 4), 20, np.uint8)
    weights[:, 1, 1] = 255
    constant = network.add_constant(weights, info=info(weights.shape, 0.01, 0))
    y = network.add_transpose_convolution2d(
        x, constant, stride=2, output_info=info((1, 10, 10, 8), 1.0, 3)
    )
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    given = {"x": np.arange(100, dtype=np.uint8).reshape(1, 5, 5, 4)}
    with runtime.load_network(optimized) as net:
        outputs = {name: np.array(array) for name, array in net.run(given).items()}
    check_saved(runtime, optimized, given, outputs)
