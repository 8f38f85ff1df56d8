# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``--bounds``, and ``--shape`` by the name of a dimension."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Command

RUN = {
    "run": ["--random", "0"],
    "bench": ["--seconds", "0", "--warmup", "1"],
    "profile": ["--iterations", "1", "--warmup", "1"],
}


@pytest.mark.parametrize("name", RUN)
def test_random_inputs_have_the_largest_shapes(
    command: Command, free_relu: Path, name: str
) -> None:
    bounds = ["--bounds", "h=6", "--bounds", "w=8"]
    answer = command(name, free_relu, "-b", "CpuRef", *RUN[name], *bounds)
    assert answer.code == 0, answer.err
    assert "warning" not in answer.err  # one plan serves all


def test_a_file_under_the_bounds(command: Command, free_relu: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "image.npy", np.ones((1, 3, 4, 5), np.float32))
    bounds = ["--bounds", "image=1x3x6x8"]
    answer = command("run", free_relu, "-b", "CpuRef", "-i", tmp_path / "image.npy", *bounds)
    assert answer.code == 0, answer.err
    assert "1 x 3 x 4 x 5" in answer.out


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (["h=6"], "none for dimension 'w'"),
        (["h=6", "w=4"], "above its bound 4"),
        (["hight=6", "w=8"], "no free dimension is called 'hight'"),
        (["h=six", "w=8"], "is not understood"),
        (["=6"], "is not understood"),
        (["h=9999999999", "w=8"], "at most 2147483647 allowed"),
        (["h=0", "w=8"], "at least 1 expected"),
    ],
)
def test_bounds_are_checked(
    command: Command, free_relu: Path, tmp_path: Path, bounds: list[str], said: str
) -> None:
    np.save(tmp_path / "image.npy", np.ones((1, 3, 4, 5), np.float32))
    options = [word for bound in bounds for word in ("--bounds", bound)]
    answer = command("run", free_relu, "-b", "CpuRef", "-i", tmp_path / "image.npy", *options)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("name", ["inspect", "check", *RUN])
def test_a_shape_by_the_names_of_dimensions(command: Command, free_relu: Path, name: str) -> None:
    shapes = ["--shape", "h=6", "--shape", "w=8"]
    answer = command(name, free_relu, *RUN.get(name, []), *shapes)
    assert answer.code == 0, answer.err


def test_a_dimension_and_a_shape(command: Command, free_relu: Path) -> None:
    answer = command(
        "run", free_relu, "--random", "0", "--shape", "image=1x3x6x8", "--shape", "h=6"
    )
    assert answer.code == 0, answer.err
    answer = command(
        "run", free_relu, "--random", "0", "--shape", "image=1x3x6x8", "--shape", "h=7"
    )
    assert answer.code == 2
    assert "dimension 'h' is given as 6 and as 7" in answer.err
