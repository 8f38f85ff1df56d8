# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A machine that lacks memory, open files or threads: said as that, never as damage."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from armnn_py.cli import app
from armnn_py.errors.shortage import as_shortage

#: Runs a command with as much memory as the process has, and the megabytes of the first argument.
PROGRAM = """
import resource, sys
from pathlib import Path
from armnn_py.cli.main import main
import armnn_py.frontends.onnx.file.model, armnn_py.frontends.common.source, onnx, numpy
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
limit = size + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
sys.exit(main(sys.argv[2:]))
"""


def model(folder: Path, weights: onnx.TensorProto) -> Path:
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "sum",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(weights.dims))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, list(weights.dims))],
        [weights],
    )
    path = folder / "sound.onnx"
    imports = [helper.make_opsetid("", 17)]
    path.write_bytes(
        helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    )
    return path


def run(megabytes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(megabytes), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.skipif("not Path('/proc/self/statm').exists()", reason="needs /proc")
def test_too_little_memory_for_the_weights(tmp_path: Path) -> None:
    file = model(tmp_path, numpy_helper.from_array(np.ones((40 << 20,), np.float32), "w"))
    answer = run(100, "inspect", file)
    assert answer.returncode == 6
    assert answer.stderr.startswith("error: not enough memory")
    assert "damaged" not in answer.stderr


@pytest.mark.skipif("not Path('/proc/self/statm').exists()", reason="needs /proc")
def test_too_little_memory_for_external_data(tmp_path: Path) -> None:
    count = 5 << 30
    weights = onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[count])
    weights.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "w.bin"), ("offset", "0"), ("length", str(4 * count))):
        weights.external_data.add(key=key, value=value)
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(4 * count)
    answer = run(1000, "inspect", model(tmp_path, weights))
    assert answer.returncode == 6
    assert answer.stderr.startswith("error: not enough memory")
    assert "damaged" not in answer.stderr


@pytest.mark.skipif("not Path('/proc/self/statm').exists()", reason="needs /proc")
def test_too_little_memory_for_the_parser(tmp_path: Path) -> None:
    """The file can be read; what protobuf makes of it has no room beside it."""
    file = model(tmp_path, numpy_helper.from_array(np.ones((1,), np.float32), "w"))
    large = onnx.load(file)
    large.graph.doc_string = "x" * (60 << 20)
    file.write_bytes(large.SerializeToString())
    answer = run(100, "inspect", file)
    assert answer.returncode == 6
    assert answer.stderr.startswith("error: not enough memory")
    assert "damaged" not in answer.stderr


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(errno.ENOMEM, "x"), "not enough memory"),
        (OSError(errno.EMFILE, "x", "file"), "too many open files"),
        (OSError(errno.ENFILE, "x"), "too many open files"),
        (OSError(errno.ENOSPC, "x"), "no space left on the disk"),
        (ImportError("x.so: cannot open: Too many open files"), "too many open files"),
        (RuntimeError("can't start new thread"), "no more threads can be started"),
        (RuntimeError("another"), ""),
        (OSError(errno.ENOENT, "x"), ""),
        (ValueError("x"), ""),
    ],
)
def test_errors_that_are_shortages(error: Exception, words: str) -> None:
    told = as_shortage(error, "run this command")
    assert (told is not None) == bool(words)
    assert words in str(told)
    assert (app.exit_code_of(told or error) == 6) == bool(words)
