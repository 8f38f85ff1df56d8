# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damaged, foreign and unusual files as inputs, and options out of range."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from .conftest import Command


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def npy_with_head(head: str) -> bytes:
    text = head.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def npy_with_shape(count: str) -> bytes:
    return npy_with_head(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}")


def archive(content: bytes, name: str = "image.npy") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return buffer.getvalue()


def flipped(data: bytes, start: int, size: int) -> bytes:
    return (
        data[:start]
        + bytes(255 - byte for byte in data[start : start + size])
        + data[start:][size:]
    )


NOISE = np.random.default_rng(7).random(4000, np.float32)
ZIP = archive(npy(NOISE))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("x.npz", ZIP[: len(ZIP) // 2], id="archive cut short"),
        pytest.param("x.npz", flipped(ZIP, 80, 200), id="archive with damaged data"),
        pytest.param("x.npz", archive(npy(np.array([{}], object))), id="archive of objects"),
        pytest.param("x.npz", archive(b"text", "image"), id="archive of something else"),
        pytest.param("x.npz", archive(npy_with_shape("10" * 9)), id="archive, 10^18 elements"),
        pytest.param("x.npz", npy(NOISE), id="array called an archive"),
        pytest.param("x.npy", ZIP, id="archive called an array"),
        pytest.param("x.npy", npy_with_shape("1" + "0" * 14), id="10^14 elements"),
        pytest.param("x.npy", npy_with_shape("1" + "0" * 30), id="10^30 elements"),
        pytest.param("x.npy", npy_with_head("{'descr': '<f4', 'shape': ((("), id="head cut short"),
        pytest.param("x.npy", npy_with_head("'''"), id="head with an open text"),
        pytest.param("x.npy", npy_with_head("{'descr': [], 'fortran_order': 0, 'shape': 3}"),
                     id="head with wrong types"),
        pytest.param("x.npy", b"", id="empty"),
        pytest.param("x.npz", b"PK\x03\x04", id="head of an archive"),
        pytest.param("x.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 60, id="head of a picture"),
    ],
)  # fmt: skip
def test_file_that_cannot_be_read_is_reported(
    command: Command, free_relu: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    answer = command("run", free_relu, "-i", path)
    assert answer.code == 2, answer.err
    first, *details = answer.err.splitlines()
    assert str(path) in first
    assert first.startswith("error: ")
    assert all(line.startswith(("  ", "hint: ")) for line in details)


def test_overlong_file_name_is_reported(command: Command, free_relu: Path) -> None:
    for argument in ("n" * 5000 + ".npy", "image=" + "n" * 5000 + ".npy", "n" * 5000 + "=x.npy"):
        answer = command("run", free_relu, "-i", argument)
        assert answer.code == 2, answer.err
        assert answer.err.startswith("error: ")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--mean", "nan"], id="mean is not a number"),
        pytest.param(["--mean", "1,inf,1"], id="mean is infinite"),
        pytest.param(["--scale", "1e39"], id="scale beyond float32"),
        pytest.param(["--random", "-1"], id="seed below 0"),
        pytest.param(["--random", "9" * 5000], id="seed of 5000 digits"),
        pytest.param(["--size", "9" * 5000 + "x1"], id="height of 5000 digits"),
        pytest.param(["--size", "0x5"], id="no rows"),
        pytest.param(["--size", "70000x5"], id="more rows than a picture has"),
        pytest.param(["--random", "1", "--shape", "image=1x3x4x" + "9" * 5000], id="5000 digits"),
        pytest.param(["--random", "1", "--shape", "image=1x3x4x99999999999"], id="beyond 2^31"),
        pytest.param(["--random", "1", "--shape", "image=1x3x2000000000x2000000000"],
                     id="more than there is memory"),
    ],
)  # fmt: skip
def test_number_out_of_range_is_wrong_usage(
    command: Command, free_relu: Path, tmp_path: Path, options: list[str]
) -> None:
    Image.new("RGB", (2, 2)).save(tmp_path / "p.png")
    files = [] if "--random" in options else ["-i", str(tmp_path / "p.png")]
    answer = command("run", free_relu, *files, *options)
    assert answer.code == 2, answer.err
    assert len(answer.err) < 1000
    assert "Error: " not in answer.err


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_picture_of_16_bits_is_scaled(
    command: Command, free_relu: Path, tmp_path: Path, channels: int, suffix: str
) -> None:
    model = free_relu
    if channels == 1:
        from onnx import helper

        from .conftest import save_model

        node = helper.make_node("Relu", ["image"], ["out"], "relu")
        model = save_model(tmp_path / "grey.onnx", [node], {"image": [1, 1, "h", "w"]}, "out")
    values = np.array([[0, 255, 256], [25700, 40000, 65535]], np.uint16)
    Image.fromarray(values).save(tmp_path / f"deep.{suffix}")
    answer = command("run", model, "-i", tmp_path / f"deep.{suffix}", "-o", tmp_path)
    assert answer.code == 0, answer.err
    expected = np.broadcast_to(values / 257, (1, channels, 2, 3))
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_picture_without_a_known_range_is_refused(
    command: Command, free_relu: Path, tmp_path: Path, dtype: type
) -> None:
    Image.fromarray(np.ones((2, 3), dtype)).save(tmp_path / "odd.tif")
    answer = command("run", free_relu, "-i", tmp_path / "odd.tif")
    assert answer.code == 2
    assert "whose range is not known" in answer.err


def test_fit_fills_with_the_mean_in_either_order(
    command: Command, free_relu: Path, tmp_path: Path
) -> None:
    Image.new("RGB", (4, 2), (200, 100, 50)).save(tmp_path / "wide.png")
    for order in ("rgb", "bgr"):
        answer = command("run", free_relu, "-i", tmp_path / "wide.png", "-o", tmp_path, "--size",
                         "4x4", "--resize", "fit", "--mean", "10,20,30",
                         "--channel-order", order)  # fmt: skip
        assert answer.code == 0, answer.err
        assert not np.load(tmp_path / "out.npy")[0, :, 0].any()


def test_output_with_a_long_name_is_saved(command: Command, tmp_path: Path) -> None:
    from onnx import helper

    from .conftest import save_model

    name = "o" * 300
    node = helper.make_node("Relu", ["x"], [name], "relu")
    model = save_model(tmp_path / "m.onnx", [node], {"x": [2]}, name)
    answer = command("run", model, "--random", 0, "-o", tmp_path / "out")
    assert answer.code == 0, answer.err
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_picture_without_its_reader_says_how_to_get_it(
    command: Command, free_relu: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("RGB", (2, 2)).save(tmp_path / "p.png")
    monkeypatch.setitem(sys.modules, "PIL", None)
    answer = command("run", free_relu, "-i", tmp_path / "p.png")
    assert answer.code == 2
    assert answer.err.endswith(
        'hint: pip install pillow, or pip install ".[onnx]" in a clone of armnn_py\n'
    )
