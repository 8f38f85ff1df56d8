# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls of an isolated backend are recorded, and repeated without model and program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Isolation
from armnn_py.cli.main import main
from armnn_py.recording.container import read_recording
from armnn_py.testing.replay import replay, strip
from tests.isolation.conftest import absolute, soon

pytestmark = pytest.mark.exhaustive(kept=2)  # each case starts processes

MINUS = np.arange(-64, 0).astype(np.float32)
LIMITS = {"Deed": Isolation(restarts=0)}


def weighted() -> ann.Network:
    """A layer with weights on "Deed", between two that are not of its sub-graph."""
    network = ann.Network("private")
    x = network.add_input("x", ann.TensorInfo((64,)))
    secret = network.add_constant(np.full(64, 1234.5, np.float32))
    x = network.add_elementwise_binary(x, secret, ann.BinaryOperation.SUB, backend="CpuRef")
    x = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle", backend="Deed")
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.SQRT))
    return network


@pytest.fixture(scope="module")
def recorded(
    deed_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ann.WorkerEvent, Path]:
    """The event of a worker that ended in a run, and its recording."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("DEED_Deed", "segv")
        patch.setenv("SITE_Deed", "execute")
        with (
            ann.Runtime(deed_folder, isolate=LIMITS) as runtime,
            ann.load(weighted(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
        ):
            loaded.run(MINUS)
            assert soon(lambda: len(runtime.events) == 2)
            event = next(iter(runtime.events))
    assert event.recording is not None
    return event, Path(event.recording)


@pytest.fixture
def ended(
    recorded: tuple[ann.WorkerEvent, Path], deed: Callable[[str, str], None]
) -> tuple[ann.WorkerEvent, Path]:
    """The same, and the backend does it again."""
    deed("segv", "execute")
    return recorded


def test_the_end_of_a_worker_has_the_sub_graph_the_tensors_and_nothing_else(
    ended: tuple[ann.WorkerEvent, Path], deed_folder: Path
) -> None:
    event, path = ended
    assert path.parts[-3:-1] == ("armnn_py", "recordings")
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(path) in str(event)
    recording = read_recording(str(path))
    (part,), (call,) = recording.parts, recording.calls
    kinds = [layer.type.label for layer in part.network.layers]
    assert kinds == ["Input", "ElementwiseUnary", "Output"]
    np.testing.assert_array_equal(call.inputs[0], MINUS - np.float32(1234.5))
    assert (call.status, call.outputs) == ("ended", [])
    assert recording.end["signal"] == "SIGSEGV"
    assert any("execute of layer '0 middle'" in line for line in recording.end["lines"])
    with zipfile.ZipFile(path) as archive:
        text = archive.read("recording.json").decode()
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert str(deed_folder) not in text
    assert b"private" not in everything
    assert np.full(8, 1234.5, np.float32).tobytes() not in everything


def test_a_recording_fails_alone_in_another_process_and_stripped(
    ended: tuple[ann.WorkerEvent, Path],
    deed_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, path = ended
    given = ["backends", "replay", str(path), "--backend-path", str(deed_folder)]
    for more in ([], ["--isolate", "Deed"]):
        assert main([*given, *more]) == 0
        assert "fails as recorded: signal 11 (SIGSEGV) in call 0" in capsys.readouterr().out
    stripped = tmp_path / "stripped.zip"
    assert main([*given, "--strip", str(stripped), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["random"] == ["weights", "inputs"]
    one, other = read_recording(str(path)), read_recording(str(stripped))
    assert not np.array_equal(one.calls[0].inputs[0], other.calls[0].inputs[0])
    found = replay(str(stripped), [str(deed_folder)])
    assert found.is_same
    assert found.fails


def test_gdb_shows_where_it_fails(ended: tuple[ann.WorkerEvent, Path], deed_folder: Path) -> None:
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not installed")
    command = [sys.executable, "-m", "armnn_py", "backends", "replay", str(ended[1]), "--gdb",
               "--backend-path", str(deed_folder)]  # fmt: skip
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )
    assert "received signal SIGSEGV" in done.stdout
    assert re.search(r"#\d+ .* in make_absolute \(", done.stdout)


def test_a_mended_backend_and_another_failure_are_reported(
    ended: tuple[ann.WorkerEvent, Path],
    deed_folder: Path,
    deed: Callable[[str, str], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folders = [str(deed_folder)]
    deed("", "")
    found = replay(str(ended[1]), folders)
    assert (found.is_same, found.fails) == (False, False)
    assert found.words == "does not fail; recorded: signal 11 (SIGSEGV)"
    deed("abort", "execute")
    found = replay(str(ended[1]), folders)
    assert not found.is_same
    assert "in another way: signal 6 (SIGABRT) in call 0" in found.words
    deed("hang", "execute")
    assert "no answer within 0.5 s" in replay(str(ended[1]), folders, timeout=0.5).words
    out = tmp_path / "stripped.zip"
    given = ["backends", "replay", str(ended[1]), "--backend-path", folders[0], "--timeout", "0.5"]
    assert main([*given, "--strip", str(out)]) == 1
    assert not out.exists()
    assert "fails in another way" in capsys.readouterr().err


def test_an_end_while_compiling_is_recorded(
    deed_folder: Path, deed: Callable[[str, str], None]
) -> None:
    deed("segv", "create_workload")
    with (
        ann.Runtime(deed_folder, isolate=LIMITS) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime),
    ):
        assert soon(lambda: len(runtime.events) == 2)
        (path,) = [event.recording for event in runtime.events if event.kind == "ended"]
    assert path is not None
    assert read_recording(path).calls == []
    found = replay(path, [str(deed_folder)])
    assert found.words == "fails as recorded: signal 11 (SIGSEGV) in compiling the sub-graph"


def test_all_calls_of_a_program_are_repeated_with_equal_outputs(
    deed_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "calls.zip"
    with (
        ann.Runtime(deed_folder, record=path) as runtime,
        ann.load(absolute(), ["Deed"], runtime=runtime) as loaded,
    ):
        assert list(runtime.isolated) == ["Deed"]
        for factor in (1, 2, 3):
            loaded.run(MINUS * factor)
    recording = read_recording(str(path))
    for factor, call in zip((1, 2, 3), recording.calls, strict=True):
        np.testing.assert_array_equal(call.inputs[0], MINUS * factor)
        np.testing.assert_array_equal(call.outputs[0], np.abs(MINUS) * factor)
    given = ["backends", "replay", str(path), "--backend-path", str(deed_folder)]
    assert main(given) == 0
    assert "3 calls: all as recorded" in capsys.readouterr().out
    assert main([*given, "--strip", str(tmp_path / "none.zip")]) == 1
    assert "these calls do not fail" in capsys.readouterr().err
    recording.calls[1].outputs[0][5] += 1
    from armnn_py.recording.container import write_recording

    write_recording(recording, str(path))
    assert main(given) == 1
    assert "1 call of 3 with other outputs; call 1, output 0" in capsys.readouterr().err


def test_the_command_names_the_file_that_it_wrote(
    deed_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = tmp_path / "absolute.armnnpy", tmp_path / "calls.zip"
    with ann.Runtime(deed_folder) as runtime:
        ann.optimize(absolute(), ["Deed"], runtime=runtime).save(model)
    given = ["run", str(model), "--random", "0", "--backend-path", str(deed_folder)]
    assert main([*given, "--record", str(path)]) == 0
    assert f"calls of isolated backends recorded in {path}" in capsys.readouterr().out
    assert len(read_recording(str(path)).calls) == 1
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recording"] is None


def test_no_recording_unless_requested(
    deed_folder: Path, deed: Callable[[str, str], None], cache: Path
) -> None:
    deed("segv", "execute")
    with (
        ann.Runtime(deed_folder, isolate=LIMITS, record=False) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        loaded.run(MINUS)
        assert soon(lambda: len(runtime.events) == 2)
        assert next(iter(runtime.events)).recording is None
    assert not (cache / "armnn_py" / "recordings").exists()


def test_a_damaged_recording_is_reported(
    ended: tuple[ann.WorkerEvent, Path], tmp_path: Path
) -> None:
    good = ended[1].read_bytes()
    bad = tmp_path / "bad.zip"
    for data in (b"", b"PK", good[:-200], good[:2000], b"no archive at all"):
        bad.write_bytes(data)
        with pytest.raises(ann.ParseError, match="is not a sound recording"):
            read_recording(str(bad))
    for at in range(40, len(good) - 40, 997):
        bad.write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
        try:
            read_recording(str(bad))
        except ann.ParseError as error:
            assert str(bad) in str(error)  # noqa: PT017


def test_weights_are_random_but_of_the_same_shapes_and_types() -> None:
    from armnn_py.recording.container import RecordedPart, Recording

    values = np.linspace(0.5, 2, 64).astype(np.float32)
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo((64,)))
    weights = network.add_constant(values, name="weights")
    indices = network.add_constant(np.arange(8, dtype=np.int32), name="indices")
    made = network.add_gather(network.add_multiplication(x, weights), indices, axis=0)
    network.add_output("y", made)
    given = Recording({"A": {}}, [RecordedPart("A", network, {}, has_state=False)], [], {}, {})
    layers = {one.name: one for one in strip(given, inputs=True).parts[0].network.layers}
    found = layers["weights"].value
    assert (found.shape, found.dtype) == (values.shape, values.dtype)
    assert (found != values).all()
    assert found.min() >= 0.5
    assert found.max() <= 2
    assert (layers["indices"].value == np.arange(8)).all()
